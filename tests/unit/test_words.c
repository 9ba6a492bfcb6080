/* io/words.h: numbers are rounded correctly whatever the locale, and any bytes become UTF-8. */
#include "runner.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "io/words.h"
#include "locales.h"

static bool number(const char *text, double *out)
{
	return clpac__number(text, strlen(text), out);
}

START_TEST(numbers_are_what_strtod_says)
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
		ck_assert_msg(number(texts[i], &value), "%s", texts[i]);
		ck_assert_msg(memcmp(&value, &expected, sizeof value) == 0, "%s: %.17g, not %.17g", texts[i], value,
			      expected);
	}
}
END_TEST

/* Random doubles written with 1 to 17 digits: same bits as the C library's. */
START_TEST(random_numbers_are_rounded_correctly)
{
	uint64_t state = 20261120;
	for (int i = 0; i < 20000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		char text[64];
		double scale = pow(10, (double)(state >> 8 & 63) - 32), written = (double)(int64_t)state * scale;
		snprintf(text, sizeof text, "%.*g", (int)(state >> 16 & 15) + 1, written);
		double value = 0, expected = strtod(text, NULL);
		ck_assert_msg(number(text, &value) && value == expected, "%s: %.17g, not %.17g", text, value, expected);
	}
}
END_TEST

START_TEST(blanks_around_a_number_do_not_matter)
{
	double value;
	ck_assert(number("  -32768 \t", &value));
	ck_assert_double_eq(value, -32768);
	ck_assert(clpac__number("12345", 3, &value));
	ck_assert_double_eq(value, 123);
}
END_TEST

START_TEST(nan_and_inf_are_numbers)
{
	double value;
	ck_assert(number("NaN", &value) && isnan(value));
	ck_assert(number("-nan", &value) && isnan(value));
	ck_assert(number("inf", &value) && value == INFINITY);
	ck_assert(number("-Infinity", &value) && value == -INFINITY);
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
	static const char *const texts[] = {"",	    " ",    "-",   "+",	  ".",	  "-.",	     "1,5",
					    "1 2",  "0x10", "1e",  "1e+", "1e5x", "e5",	     "1..2",
					    "nano", "in",   "--1", "1-",  "12a",  "\xc2\xb5"};
	double value;
	for (size_t i = 0; i < COUNT(texts); i++)
		ck_assert_msg(!number(texts[i], &value), "\"%s\"", texts[i]);
	char digits[600];
	memset(digits, '7', sizeof digits);
	ck_assert(!clpac__number(digits, sizeof digits, &value));
}
END_TEST

START_TEST(a_locale_changes_nothing)
{
	/* The two paths: one operation, and the C library. */
	double value;
	locale_begin(locale_languages[_i]);
	ck_assert(number("0.5", &value));
	ck_assert_double_eq(value, 0.5);
	ck_assert(number("0.12345678901234567890", &value));
	ck_assert_double_eq(value, 0.12345678901234568);
	ck_assert(!number("0,5", &value));
	ck_assert(!number("0,12345678901234567890", &value));
	locale_end();
}
END_TEST

static void check_text(const char *from, size_t n, const char *expected, unsigned expected_oddities)
{
	unsigned oddities = 0;
	char *text = clpac__utf8(from, n, &oddities);
	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(text, expected);
	ck_assert_uint_eq(oddities, expected_oddities);
	free(text);
}

START_TEST(utf8_stays_and_anything_else_is_latin1)
{
	check_text("uV      ", 8, "uV", 0);
	check_text("", 0, "", 0);
	check_text("   ", 3, "", 0);
	check_text("\xc2\xb5V", 3, "\xc2\xb5V", CLPAC__NOT_ASCII);
	check_text("\xb5V", 2, "\xc2\xb5V", CLPAC__NOT_ASCII | CLPAC__WAS_LATIN1);
	check_text("\xe4\xb8\xad", 3, "\xe4\xb8\xad", CLPAC__NOT_ASCII);
	check_text("\xf0\x9f\xa7\xa0", 4, "\xf0\x9f\xa7\xa0", CLPAC__NOT_ASCII);
	check_text("caf\xe9", 4, "caf\xc3\xa9", CLPAC__NOT_ASCII | CLPAC__WAS_LATIN1);
}
END_TEST

/* Overlong forms, surrogates, code points beyond the last and cut sequences are no UTF-8 (RFC 3629). */
START_TEST(malformed_utf8_is_not_let_through)
{
	static const char *const texts[] = {
		"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3",
		"\xe4\xb8", "\x80",	    "\xff",	    "\xf0\x8f\xbf\xbf"};
	for (size_t i = 0; i < COUNT(texts); i++) {
		unsigned oddities = 0;
		char *text = clpac__utf8(texts[i], strlen(texts[i]), &oddities);
		ck_assert_msg(oddities & CLPAC__WAS_LATIN1, "text %zu", i);
		unsigned again = 0;
		char *twice = clpac__utf8(text, strlen(text), &again);
		ck_assert_msg(!(again & CLPAC__WAS_LATIN1), "text %zu did not become UTF-8", i);
		ck_assert_str_eq(twice, text);
		free(text);
		free(twice);
	}
}
END_TEST

START_TEST(control_characters_become_question_marks)
{
	check_text("a\x1b[31mb", 7, "a?[31mb", CLPAC__HAD_CONTROLS);
	check_text("a\0b", 3, "a?b", CLPAC__HAD_CONTROLS);
	check_text("a\x7f", 2, "a?", CLPAC__HAD_CONTROLS);
	check_text("\xc2\x9b"
		   "1m",
		   4, "?1m", CLPAC__HAD_CONTROLS | CLPAC__NOT_ASCII);
	check_text("x\x9b", 2, "x?", CLPAC__HAD_CONTROLS | CLPAC__NOT_ASCII | CLPAC__WAS_LATIN1);
}
END_TEST

START_TEST(what_is_shown_is_cut_between_characters)
{
	char shown[CLPAC__SHOWN_SIZE], many[101] = "";
	clpac__show("  a\nb \xb5 ", 8, shown);
	ck_assert_str_eq(shown, "a?b \xc2\xb5");
	for (int i = 0; i < 33; i++)
		strcat(many, "\xe4\xb8\xad");
	clpac__show(many, strlen(many), shown);
	ck_assert_uint_eq(strlen(shown), 39);
	ck_assert_mem_eq(shown, many, 39);
	memset(many, '\xff', 100);
	clpac__show(many, 100, shown);
	ck_assert_uint_eq(strlen(shown), 80);
}
END_TEST

START_TEST(words_are_compared_without_case)
{
	ck_assert(clpac__same_word("Int_16", "INT_16"));
	ck_assert(!clpac__same_word("INT_16", "INT_1"));
	ck_assert(!clpac__same_word("", "a"));
	ck_assert(clpac__ends_with("Night.EDF", ".edf"));
	ck_assert(!clpac__ends_with("edf", ".edf"));
	ck_assert(!clpac__ends_with("a.edfx", ".edf"));
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("words");
	TCase *t = tcase_create("words");
	tcase_add_test(t, numbers_are_what_strtod_says);
	tcase_add_test(t, random_numbers_are_rounded_correctly);
	tcase_add_test(t, blanks_around_a_number_do_not_matter);
	tcase_add_test(t, nan_and_inf_are_numbers);
	tcase_add_test(t, what_is_no_number_is_refused);
	add_loop_test_unless(locale_missing(), t, a_locale_changes_nothing, 0, N_LOCALES);
	tcase_add_test(t, utf8_stays_and_anything_else_is_latin1);
	tcase_add_test(t, malformed_utf8_is_not_let_through);
	tcase_add_test(t, control_characters_become_question_marks);
	tcase_add_test(t, what_is_shown_is_cut_between_characters);
	tcase_add_test(t, words_are_compared_without_case);
	suite_add_tcase(s, t);
	return s;
}
