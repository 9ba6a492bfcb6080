/* Numbers on borders, put where a number stands. */
#include <string.h>

#include "fuzz/fuzz_input.h"
#include "random.h"

enum { N_NUMBERS = 46 };
static const char *const numbers[N_NUMBERS] = {
	"0",
	"-0",
	"1",
	"-1",
	"2",
	"7",
	"16",
	"255",
	"256",
	"32767",
	"-32768",
	"65535",
	"65536",
	"2147483647",
	"2147483648",
	"-2147483648",
	"-2147483649",
	"4294967295",
	"4294967296",
	"9007199254740993",
	"1e19",
	"-1e19",
	"1e30",
	"9223372036854775807",
	"9223372036854775808",
	"18446744073709551615",
	"18446744073709551616",
	"1e308",
	"1e309",
	"-1e309",
	"1e-308",
	"1e-320",
	"0.5",
	"1.0000001",
	"1e-9",
	"nan",
	"inf",
	"-inf",
	"0x10",
	"1e",
	"1,5",
	"99999999",
	"1e+5",
	".5",
	"+3",
	"00000001",
};

static bool is_of_number(uint8_t byte)
{
	return (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == '+';
}

/* The run of a number's characters that holds byte `from`, or the next one; otherwise an empty one at the end. */
static void find_number(const uint8_t *data, size_t size, size_t from, size_t *begin, size_t *end)
{
	*begin = from;
	while (*begin > 0 && is_of_number(data[*begin - 1]))
		--*begin;
	while (*begin < size && !is_of_number(data[*begin]))
		++*begin;
	*end = *begin;
	while (*end < size && is_of_number(data[*end]))
		++*end;
}

size_t fuzz_change_number(uint8_t *data, size_t size, size_t capacity, unsigned long long seed)
{
	const char *number = numbers[random_below(&seed, N_NUMBERS)];
	size_t length = strlen(number), begin, end, room;
	find_number(data, size, size ? random_below(&seed, size) : 0, &begin, &end);
	if (begin == end)
		find_number(data, size, 0, &begin, &end);
	/* Blanks behind the number are room for a longer one. */
	for (room = end; room < size && data[room] == ' '; room++)
		;
	if (room > end && end > begin && room - begin >= length) {
		memcpy(data + begin, number, length);
		memset(data + begin + length, ' ', room - begin - length);
		return size;
	}
	if (size - (end - begin) + length > capacity)
		return size;
	memmove(data + begin + length, data + end, size - end);
	memcpy(data + begin, number, length);
	return size - (end - begin) + length;
}
