/* Numbers as text: reading returns the number that was written. */
#include "runner.h"
#include "assertions.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"

static void assert_round_trip(double value)
{
	char digits[CLPAC__NUMBER_SIZE];
	clpac__write_number(value, digits);
	double back;
	const char *end;
	ck_assert_msg(clpac__parse_number(digits, &back, &end), "'%s' is not read", digits);
	ck_assert_msg(!*end && !memcmp(&back, &value, sizeof value), "%.17g became '%s' became %.17g", value, digits,
		      back);
	ck_assert_uint_eq(strspn(digits, "0123456789+-.e"), strlen(digits));
	ck_assert_msg(clpac__parse_field(digits, strlen(digits), &back) && !memcmp(&back, &value, sizeof value),
		      "field '%s' became %.17g", digits, back);
}

static void round_trips(void)
{
	static const double special[] = {0,
					 -0.0,
					 1,
					 -1,
					 0.1,
					 1.0 / 3,
					 512,
					 1e15,
					 123456789.123,
					 5e-324,
					 2.2250738585072014e-308,
					 1.7976931348623157e308,
					 0x1p53,
					 0x1p53 + 2,
					 1e21,
					 1e-7};
	unsigned long long state = 1;
	for (size_t i = 0; i < COUNT(special); i++)
		assert_round_trip(special[i]);
	for (int i = 0; i < 20000; i++) {
		double value;
		unsigned long long bits = random_bits(&state);
		memcpy(&value, &bits, sizeof value);
		if (isfinite(value))
			assert_round_trip(value);
	}
}

TEST(every_number_reads_back_as_it_was)
{
	round_trips();
}

TEST(simple_numbers_stay_short)
{
	static const struct {
		double value;
		const char *digits;
	} cases[] = {{512, "512"}, {0.1, "0.1"}, {1.5, "1.5"}, {-3, "-3"}, {67.5, "67.5"}, {0, "0"}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char digits[CLPAC__NUMBER_SIZE];
		clpac__write_number(cases[i].value, digits);
		ck_assert_str_eq(digits, cases[i].digits);
	}
}

TEST(a_number_ends_where_it_ends)
{
	double value;
	const char *end;
	ck_assert(clpac__parse_number("4-8", &value, &end));
	ck_assert(value == 4 && *end == '-');
	ck_assert(clpac__parse_number("2.5e1x", &value, &end));
	ck_assert(value == 25 && *end == 'x');
	ck_assert(clpac__parse_number("7", &value, NULL));
}

TEST(what_is_no_number_is_refused)
{
	static const char *const texts[] = {"", "x", "nan", "inf", "-inf", "1e999", ".", "-", "e5", " 1", "infinity"};
	for (size_t i = 0; i < COUNT(texts); i++) {
		double value = 42;
		ck_assert_msg(!clpac__parse_number(texts[i], &value, NULL), "'%s' was read as %g", texts[i], value);
		ck_assert(value == 42);
	}
}

static bool field(const char *text, double *out)
{
	return clpac__parse_field(text, strlen(text), out);
}

TEST(fields_are_what_strtod_says)
{
	static const char *const texts[] = {
		"0",
		"-0",
		"1",
		"+1",
		"-200",
		"0.25",
		".5",
		"5.",
		"1e3",
		"1E-3",
		"-2.5e+10",
		"123456789012345678",
		"0.1",
		"1e22",
		"1e23",
		"1e-22",
		"1e-23",
		"9007199254740993",
		"9007199254740992",
		"123456789012345678901234567890",
		"4.9e-324",
		"1.7976931348623157e308",
		"2.2250738585072011e-308",
		"0.000000000000000000000000000001",
		"1e400",
		"1e-400",
		"3.141592653589793238462643383279502884",
		"000000000000000000000001.5",
		"1e00000000000000000003",
	};
	for (size_t i = 0; i < COUNT(texts); i++) {
		double value = -1, expected = strtod(texts[i], NULL);
		ck_assert_msg(field(texts[i], &value), "%s", texts[i]);
		ck_assert_msg(memcmp(&value, &expected, sizeof value) == 0, "%s: %.17g, not %.17g", texts[i], value,
			      expected);
	}
}

/* Random doubles written with 1 to 17 digits: the bits equal those of the C library. */
TEST(random_fields_are_rounded_correctly)
{
	uint64_t state = 20261120;
	for (int i = 0; i < 20000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		char text[64];
		double scale = pow(10, (double)(state >> 8 & 63) - 32), written = (double)(int64_t)state * scale;
		snprintf(text, sizeof text, "%.*g", (int)(state >> 16 & 15) + 1, written);
		double value = 0, expected = strtod(text, NULL);
		ck_assert_msg(field(text, &value) && value == expected, "%s: %.17g, not %.17g", text, value, expected);
	}
}

TEST(blanks_around_a_field_do_not_matter)
{
	double value;
	ck_assert(field("  -32768 \t", &value));
	ck_assert_double_eq(value, -32768);
	ck_assert(clpac__parse_field("12345", 3, &value));
	ck_assert_double_eq(value, 123);
}

TEST(nan_and_inf_are_fields)
{
	double value;
	ck_assert(field("NaN", &value) && isnan(value));
	ck_assert(field("-nan", &value) && isnan(value));
	ck_assert(field("inf", &value) && value == INFINITY);
	ck_assert(field("-Infinity", &value) && value == -INFINITY);
}

TEST(a_field_that_is_no_number_is_refused)
{
	static const char *const texts[] = {"",	    " ",    "-",   "+",	  ".",	  "-.",	     "1,5",
					    "1 2",  "0x10", "1e",  "1e+", "1e5x", "e5",	     "1..2",
					    "nano", "in",   "--1", "1-",  "12a",  "\xc2\xb5"};
	double value;
	for (size_t i = 0; i < COUNT(texts); i++)
		ck_assert_msg(!field(texts[i], &value), "\"%s\"", texts[i]);
	char digits[600];
	memset(digits, '7', sizeof digits);
	ck_assert(!clpac__parse_field(digits, sizeof digits, &value));
}

TEST(without_an_end_a_number_is_the_whole_text)
{
	double value = 42;
	ck_assert(!clpac__parse_number("7x", &value, NULL) && value == 42);
	ck_assert(!clpac__parse_number("7 ", &value, NULL) && value == 42);
	ck_assert(clpac__parse_number("-7.5", &value, NULL) && value == -7.5);
}

/* 0.000...1 of 511 characters is a number, and of 512 none. */
TEST(a_number_has_at_most_511_characters)
{
	char text[513];
	double value = -1;
	memset(text, '0', sizeof text);
	text[1] = '.';
	text[510] = '5';
	text[511] = 0;
	ck_assert(clpac__parse_number(text, &value, NULL) && value == 0);
	text[511] = '0';
	text[512] = 0;
	ck_assert(!clpac__parse_number(text, &value, NULL));
}

TEST(counts_are_digits_of_at_most_64_bits)
{
	uint64_t count = 42;
	const char *end;
	ck_assert(clpac__parse_count("18446744073709551615", &count, NULL) && count == UINT64_MAX);
	ck_assert(clpac__parse_count("12:3", &count, &end) && count == 12 && *end == ':');
	ck_assert(!clpac__parse_count("18446744073709551616", &count, NULL) && errno == ERANGE);
	static const char *const texts[] = {"", "-1", "+1", " 1", "x", "1.5", "1e3", "12:3"};
	for (size_t i = 0; i < COUNT(texts); i++)
		ck_assert_msg(!clpac__parse_count(texts[i], &count, NULL) && errno == 0, "'%s'", texts[i]);
	ck_assert_uint_eq(count, 12);
}

TEST(floats_have_as_few_digits_as_read_back)
{
	static const struct {
		float value;
		const char *digits;
	} cases[] = {{0.1f, "0.1"}, {16777216, "16777216"}, {1.f / 3, "0.33333334"}, {NAN, "NaN"}, {-INFINITY, "-Inf"}};
	char text[CLPAC__NUMBER_SIZE];
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac__write_float(cases[i].value, text);
		ck_assert_str_eq(text, cases[i].digits);
	}
}
