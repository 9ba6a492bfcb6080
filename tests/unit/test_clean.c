/* Texts on their way out: nothing that a terminal, a text editor or a JSON parser could take for more than a letter. */
#include "runner.h"
#include "assertions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/error.h"
#include "base/utf8.h"

static const struct {
	const char *given, *clean;
} texts[] = {
	{"", ""},
	{"Fz", "Fz"},
	{"\u00b5V \U0001d6fc \u05d0\u05d1", "\u00b5V \U0001d6fc \u05d0\u05d1"},
	{"\033[31mred\033[0m", "?[31mred?[0m"},
	{"a\r\nb\tc\x7f", "a??b?c?"},
	{"\xc2\x9b"
	 "31m",
	 "?31m"},
	{"abc\u202efed", "abc?fed"},
	{"one\u2028two\u2029", "one?two?"},
	{"\u2066\u2069\u200e\u200f\u061c", "?????"},
	{"\ufeffx\U000e0041", "?x?"},
	{"\x9b"
	 "31m",
	 "?31m"},
	{"caf\xe9", "caf?"},
	{"\xe2\x80", "??"},
	{"a\u200db", "a\u200db"}, /* joins letters in many scripts */
};

TEST_EACH(only_letters_are_left, COUNT(texts))
{
	char *cleaned = clpac__cleaned(texts[_i].given);
	ck_assert_str_eq(cleaned, texts[_i].clean);
	clpac__free(cleaned);
}

TEST(an_error_is_clean)
{
	clpac_error err;
	clpac__fail(&err, CLPAC_ERROR_FORMAT, "%s", "\033]0;x\u202e\n");
	ck_assert_str_eq(err.text, "?]0;x??");
	clpac__fail_system(&err, 2, "%s", "\u2028");
	ck_assert_int_eq(err.text[0], '?');
}

TEST(json_loses_nothing)
{
	char *json = clpac__cleaned_json("{\n  \"\u00b5\u202e\x7f\xc2\x85\": \"\U000e0041\"\n}");
	ck_assert_str_eq(json, "{\n  \"\u00b5\\u202e\\u007f\\u0085\": \"\\udb40\\udc41\"\n}");
	clpac__free(json);
}

/* The table against the definition: all control characters, and the characters of Unicode that turn the direction of
 * writing or divide lines. */
TEST(letters_of_all_scripts_are_clean)
{
	for (uint32_t point = 0; point < 0x20; point++)
		ck_assert(!clpac__is_clean(point));
	for (uint32_t point = 0x20; point < 0x7f; point++)
		ck_assert(clpac__is_clean(point));
	for (uint32_t point = 0x7f; point < 0xa0; point++)
		ck_assert(!clpac__is_clean(point));
	for (uint32_t point = 0xa0; point < 0x600; point++)
		ck_assert(clpac__is_clean(point));
	for (uint32_t point = 0x3000; point < 0xd800; point++)
		ck_assert(clpac__is_clean(point));
}
