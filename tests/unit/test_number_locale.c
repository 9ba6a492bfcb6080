/* The decimal mark is a point in every locale. */
#include "runner.h"
#include "assertions.h"

#include "base/number.h"
#include "locales.h"

static bool field(const char *text, double *out)
{
	return clpac__parse_field(text, strlen(text), out);
}

/* Every way to write and read numbers, in the program's locale. */
static void check_point(void)
{
	static const double values[] = {0.1, -1.0 / 3, 67.5, 5e-324, 1.7976931348623157e308, 123456789.123};
	char text[CLPAC__NUMBER_SIZE];
	const char *end;
	double value;
	for (size_t i = 0; i < COUNT(values); i++) {
		clpac__write_number(values[i], text);
		ck_assert_uint_eq(strspn(text, "0123456789+-.e"), strlen(text));
		ck_assert_msg(clpac__parse_number(text, &value, NULL) && value == values[i], "'%s'", text);
		ck_assert_msg(field(text, &value) && value == values[i], "field '%s'", text);
	}
	clpac__write_float(-0.25f, text);
	ck_assert_str_eq(text, "-0.25");
	clpac__write_fixed(2.5, 2, text);
	ck_assert_str_eq(text, "2.50");
	clpac__write_general(1.25e-7, 4, text);
	ck_assert_str_eq(text, "1.25e-07");
	ck_assert(clpac__parse_number("0.25-3", &value, &end) && value == 0.25);
	ck_assert_str_eq(end, "-3");
	ck_assert(clpac__parse_number("1.5.3", &value, &end) && value == 1.5);
	ck_assert_str_eq(end, ".3");
	/* A field is converted in one of two ways: one floating-point operation, or the C library. */
	ck_assert(field("0.5", &value) && value == 0.5);
	ck_assert(field("0.12345678901234567890", &value) && value == 0.12345678901234568);
	ck_assert(!field("0,5", &value));
	ck_assert(!field("0,12345678901234567890", &value));
}

TEST_EACH(a_decimal_mark_changes_nothing, N_LOCALES)
{
	locale_begin(locale_languages[_i]);
	check_point();
	locale_end();
}

const char *skip_reason(void)
{
	return locale_missing();
}
