/* Fuzzer's target: a range allocator.  The input's bytes are a size and then operations, done on the allocator and on
 * its shadow; the process ends where the two disagree.  scripts/fuzz.sh runs it; test_fuzz_offsets.c runs it on
 * generated input. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "offsets_shadow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *next, *end;
};

/* Reads so many bytes as a number; zeros beyond the end. */
static uint64_t read_number(struct input *input, int n_bytes)
{
	uint64_t number = 0;
	for (int i = 0; i < n_bytes; i++)
		number |= (uint64_t)(input->next < input->end ? *input->next++ : 0) << 8 * i;
	return number;
}

/* A number of any magnitude from two bytes: ten bits, shifted up or down. */
static uint64_t read_size(struct input *input)
{
	uint64_t number = read_number(input, 2);
	unsigned magnitude = number >> 10;
	uint64_t mantissa = number & 1023;
	return magnitude < 53 ? mantissa << magnitude : mantissa >> (magnitude - 53);
}

static uint64_t read_alignment(struct input *input)
{
	unsigned choice = (unsigned)read_number(input, 1);
	if (choice < 128) /* small ones as often as all others together */
		return (uint64_t)1 << choice % 8;
	if (choice < 250)
		return (uint64_t)1 << choice % 64;
	return choice - 250; /* also numbers that are no alignment */
}

static bool operate(offsets_shadow *shadow, struct input *input)
{
	unsigned operation = (unsigned)read_number(input, 1) % 16;
	if (operation < 8 || operation == 14) {
		uint64_t units = operation < 4 ? 1 + read_number(input, 1) : read_size(input);
		uint64_t alignment = operation % 2 ? read_alignment(input) : 1;
		return operation == 14 ? offsets_shadow_take_without_memory(shadow, units, alignment)
				       : offsets_shadow_take(shadow, units, alignment);
	}
	if (operation == 15)
		return offsets_shadow_audit(shadow);
	size_t i = (size_t)read_number(input, 2);
	if (!shadow->n)
		return true;
	if (operation == 13)
		return offsets_shadow_give_wrongly(shadow, i % shadow->n, read_size(input));
	return offsets_shadow_give(shadow, i % shadow->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static offsets_shadow shadow;
	struct input input = {data, data + size};
	uint64_t range = read_size(&input);
	bool is_well = offsets_shadow_open(&shadow, range && range <= CLPAC_OFFSETS_MAX_SIZE ? range : 1024);
	while (is_well && input.next < input.end)
		is_well = operate(&shadow, &input);
	if (!is_well || !offsets_shadow_close(&shadow)) {
		fprintf(stderr, "offsets: %s\n", shadow.failure);
		abort();
	}
	return 0;
}
