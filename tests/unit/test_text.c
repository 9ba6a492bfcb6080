/* Growing texts, and numbers that read back as they were. */
#include "runner.h"
#include "assertions.h"
#include <stdio.h>
#include "base/text.h"
#include "locales.h"

START_TEST(an_empty_text_is_an_empty_string)
{
	clpac__text text = {0};
	char *taken = clpac__text_take(&text);
	ck_assert_str_eq(taken, "");
	clpac__free(taken);
}
END_TEST

START_TEST(a_text_grows_as_far_as_it_must)
{
	clpac__text text = {0};
	for (int i = 0; i < 10000; i++)
		clpac__text_add(&text, "%d,", i % 10);
	ck_assert_uint_eq(text.length, 20000);
	char *taken = clpac__text_take(&text);
	for (int i = 0; i < 10000; i++)
		ck_assert(taken[2 * i] == '0' + i % 10 && taken[2 * i + 1] == ',');
	ck_assert_uint_eq(strlen(taken), 20000);
	ck_assert_ptr_null(text.data);
	clpac__free(taken);
}
END_TEST

START_TEST(a_failed_allocation_is_reported_by_take)
{
	for (unsigned long k = 1; k <= 3; k++) {
		clpac__text text = {0};
		clpac__fail_allocation(k, false);
		for (int i = 0; i < 300; i++)
			clpac__text_add(&text, "more ");
		char *taken = clpac__text_take(&text);
		clpac__fail_allocation(0, false);
		ck_assert_ptr_null(taken);
	}
}
END_TEST

static void assert_round_trip(double value)
{
	clpac__text text = {0};
	clpac__text_add_number(&text, value);
	char *digits = clpac__text_take(&text);
	double back;
	const char *end;
	ck_assert_msg(clpac__parse_number(digits, &back, &end), "'%s' is not read", digits);
	ck_assert_msg(!*end && !memcmp(&back, &value, sizeof value), "%.17g became '%s' became %.17g", value, digits,
		      back);
	ck_assert_ptr_null(strchr(digits, ','));
	clpac__free(digits);
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

START_TEST(every_number_reads_back_as_it_was)
{
	round_trips();
}
END_TEST

START_TEST(simple_numbers_stay_short)
{
	static const struct {
		double value;
		const char *digits;
	} cases[] = {{512, "512"}, {0.1, "0.1"}, {1.5, "1.5"}, {-3, "-3"}, {67.5, "67.5"}, {0, "0"}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac__text text = {0};
		clpac__text_add_number(&text, cases[i].value);
		char *digits = clpac__text_take(&text);
		ck_assert_str_eq(digits, cases[i].digits);
		clpac__free(digits);
	}
}
END_TEST

START_TEST(a_number_ends_where_it_ends)
{
	double value;
	const char *end;
	ck_assert(clpac__parse_number("4-8", &value, &end));
	ck_assert(value == 4 && *end == '-');
	ck_assert(clpac__parse_number("2.5e1x", &value, &end));
	ck_assert(value == 25 && *end == 'x');
	ck_assert(clpac__parse_number("7", &value, NULL));
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
	static const char *const texts[] = {"", "x", "nan", "inf", "-inf", "1e999", ".", "-", "e5", " 1", "infinity"};
	for (size_t i = 0; i < COUNT(texts); i++) {
		double value = 42;
		ck_assert_msg(!clpac__parse_number(texts[i], &value, NULL), "'%s' was read as %g", texts[i], value);
		ck_assert(value == 42);
	}
}
END_TEST

START_TEST(a_locale_changes_nothing)
{
	locale_begin(locale_languages[_i]);
	round_trips();
	double value;
	ck_assert(clpac__parse_number("0.25", &value, NULL));
	ck_assert(value == 0.25);
	locale_end();
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("text");
	TCase *t = tcase_create("text");
	tcase_add_test(t, an_empty_text_is_an_empty_string);
	tcase_add_test(t, a_text_grows_as_far_as_it_must);
	tcase_add_test(t, a_failed_allocation_is_reported_by_take);
	tcase_add_test(t, every_number_reads_back_as_it_was);
	tcase_add_test(t, simple_numbers_stay_short);
	tcase_add_test(t, a_number_ends_where_it_ends);
	tcase_add_test(t, what_is_no_number_is_refused);
	add_test_unless(locale_missing(), t, a_locale_changes_nothing);
	suite_add_tcase(s, t);
	return s;
}
