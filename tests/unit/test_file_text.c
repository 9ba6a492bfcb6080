/* Any bytes of a file become valid UTF-8. */
#include "runner.h"
#include "assertions.h"

#include "recording/file_text.h"

static void check_text(const char *from, size_t n, const char *expected, unsigned expected_oddities)
{
	unsigned oddities = 0;
	char *text = clpac__utf8(from, n, &oddities);
	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(text, expected);
	ck_assert_uint_eq(oddities, expected_oddities);
	clpac__free(text);
}

TEST(utf8_stays_and_anything_else_is_latin1)
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

/* Overlong forms, surrogates, code points beyond the last and cut sequences are not UTF-8 (RFC 3629). */
TEST(malformed_utf8_is_not_let_through)
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
		clpac__free(text);
		clpac__free(twice);
	}
}

TEST(control_characters_become_question_marks)
{
	check_text("a\x1b[31mb", 7, "a?[31mb", CLPAC__HAD_CONTROLS);
	check_text("a\0b", 3, "a?b", CLPAC__HAD_CONTROLS);
	check_text("a\x7f", 2, "a?", CLPAC__HAD_CONTROLS);
	check_text("\xc2\x9b"
		   "1m",
		   4, "?1m", CLPAC__HAD_CONTROLS | CLPAC__NOT_ASCII);
	check_text("x\x9b", 2, "x?", CLPAC__HAD_CONTROLS | CLPAC__NOT_ASCII | CLPAC__WAS_LATIN1);
}

TEST(what_is_shown_is_cut_between_characters)
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
