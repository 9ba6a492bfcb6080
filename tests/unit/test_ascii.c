/* ASCII letters and blanks, and the byte units that are recognised by them. */
#include "runner.h"
#include "assertions.h"

#include "base/ascii.h"
#include "base/number.h"

TEST(words_are_compared_without_case)
{
	ck_assert(clpac__same_word("Int_16", "INT_16"));
	ck_assert(!clpac__same_word("INT_16", "INT_1"));
	ck_assert(!clpac__same_word("", "a"));
	ck_assert(clpac__ends_with("Night.EDF", ".edf"));
	ck_assert(!clpac__ends_with("edf", ".edf"));
	ck_assert(!clpac__ends_with("a.edfx", ".edf"));
}

TEST(blanks_around_a_text_are_left_out)
{
	size_t n = 8;
	const char *text = clpac__trim(" \ta b\r\n", &n);
	ck_assert_uint_eq(n, 3);
	ck_assert_mem_eq(text, "a b", 3);
	n = 3;
	clpac__trim(" \t ", &n);
	ck_assert_uint_eq(n, 0);
}

TEST(units_of_bytes_are_powers_of_1024)
{
	static const struct {
		const char *unit;
		int power;
	} cases[] = {{"", 0},	{"K", 1},  {"kb", 1}, {"MiB", 2}, {"mIb", 2},  {"G", 3},   {"T", 4},
		     {"P", -1}, {"B", -1}, {"i", -1}, {"Gx", -1}, {"GBx", -1}, {" G", -1}, {"%", -1}};
	for (size_t i = 0; i < COUNT(cases); i++)
		ck_assert_msg(clpac__byte_power(cases[i].unit) == cases[i].power, "'%s'", cases[i].unit);
	ck_assert_str_eq(clpac__byte_units[clpac__byte_power("G")], "GiB");
}
