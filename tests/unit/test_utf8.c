/* base/utf8.h: the output is valid UTF-8 for any input bytes. */
#include "runner.h"
#include "assertions.h"

#include "base/utf8.h"

static const struct {
	uint32_t point;
	const char *text;
} forms[] = {{'a', "a"},
	     {0x7f, "\x7f"},
	     {0x80, "\xc2\x80"},
	     {0x7ff, "\xdf\xbf"},
	     {0x800, "\xe0\xa0\x80"},
	     {0xffff, "\xef\xbf\xbf"},
	     {0x10000, "\xf0\x90\x80\x80"},
	     {0x10ffff, "\xf4\x8f\xbf\xbf"}};

TEST(every_length_is_written_and_read)
{
	for (size_t i = 0; i < COUNT(forms); i++) {
		char text[5] = "";
		uint32_t point = 0;
		size_t n = strlen(forms[i].text);
		ck_assert_uint_eq(clpac__utf8_encode(forms[i].point, text), n);
		ck_assert_str_eq(text, forms[i].text);
		ck_assert_uint_eq(clpac__utf8_decode(text, n, &point), n);
		ck_assert_uint_eq(point, forms[i].point);
		ck_assert_uint_eq(clpac__utf8_decode(text, n - 1, &point), 0);
	}
}

TEST(malformed_sequences_are_none)
{
	static const char *const texts[] = {
		"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3",
		"\xe4\xb8", "\x80",	    "\xff",	    "\xf0\x8f\xbf\xbf"};
	for (size_t i = 0; i < COUNT(texts); i++) {
		uint32_t point;
		ck_assert_msg(clpac__utf8_decode(texts[i], 4, &point) == 0, "text %zu", i);
		ck_assert_uint_eq(clpac__utf8_count(texts[i]), strlen(texts[i]));
	}
}

TEST(what_is_no_code_point_is_replaced)
{
	char text[5] = "";
	ck_assert_uint_eq(clpac__utf8_encode(0xd800, text), 3);
	ck_assert_str_eq(text, "\ufffd");
	ck_assert_uint_eq(clpac__utf8_encode(0x110000, text), 3);
	ck_assert_str_eq(text, "\ufffd");
	char *mended = clpac__utf8_mended("\xe4\xb8\xad\xff"
					  "a\xe4\xb8");
	ck_assert_str_eq(mended, "\u4e2d\ufffd"
				 "a\ufffd\ufffd");
	clpac__free(mended);
}

TEST(arrays_of_code_points_are_filled_up_with_zeros)
{
	uint32_t points[4];
	char text[4 * COUNT(points) + 1];
	clpac__utf8_to_code_points("a\u00b5", points, COUNT(points));
	ck_assert(points[0] == 'a' && points[1] == 0xb5 && points[2] == 0 && points[3] == 0);
	clpac__utf8_from_code_points(points, COUNT(points), text);
	ck_assert_str_eq(text, "a\u00b5");
	clpac__utf8_to_code_points("abcdef", points, COUNT(points));
	clpac__utf8_from_code_points(points, COUNT(points), text);
	ck_assert_str_eq(text, "abcd");
}

TEST(a_failed_allocation_is_told)
{
	clpac__fail_allocation(1, false);
	char *mended = clpac__utf8_mended("a");
	clpac__fail_allocation(0, false);
	ck_assert_ptr_null(mended);
}
