/* Words of enumerations: one for each number, read back by the texts that have them. */
#include "runner.h"

#include <stdio.h>
#include <string.h>

#include <clpac/group.h>
#include <clpac/problem.h>
#include <clpac/result.h>

#include "assertions.h"

static clpac_error err;

#define WORDS_OF(name, type)                                                                                           \
	static const char *name##_word(int number)                                                                     \
	{                                                                                                              \
		return clpac_##name##_text((type)number);                                                              \
	}
WORDS_OF(average, clpac_average)
WORDS_OF(null, clpac_null)
WORDS_OF(family, clpac_family)
WORDS_OF(hilbert, clpac_hilbert)
WORDS_OF(design, clpac_design)
WORDS_OF(side, clpac_side)
WORDS_OF(band_use, clpac_band_use)
WORDS_OF(warning_kind, clpac_warning_kind)

static const struct {
	const char *(*word)(int number);
	int n;
	const char *key; /* of the text of a problem; NULL: none */
	size_t member;
} rows[] = {
	{average_word, 2, "average", offsetof(clpac_problem, average)},
	{null_word, CLPAC_NULL_COUNT, "null", offsetof(clpac_problem, null)},
	{family_word, 2, "family", offsetof(clpac_problem, family)},
	{hilbert_word, 2, "hilbert", offsetof(clpac_problem, hilbert)},
	{design_word, CLPAC_DESIGN_COUNT, NULL, 0},
	{side_word, CLPAC_SIDE_COUNT, NULL, 0},
	{band_use_word, 2, NULL, 0},
	{warning_kind_word, CLPAC_WARN_KIND_COUNT, NULL, 0},
};

TEST_EACH(each_number_has_a_word_of_its_own, COUNT(rows))
{
	const int n = rows[_i].n;
	for (int i = 0; i < n; i++) {
		ck_assert(*rows[_i].word(i));
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(rows[_i].word(i), rows[_i].word(k));
	}
	ck_assert_str_eq(rows[_i].word(n), "");
	ck_assert_str_eq(rows[_i].word(-1), "");
}

TEST_EACH(a_problem_is_written_with_these_words, COUNT(rows))
{
	for (int i = 0; rows[_i].key && i < rows[_i].n; i++) {
		char text[64];
		clpac_problem_copy *copy;
		int number;
		snprintf(text, sizeof text, "%s=%s", rows[_i].key, rows[_i].word(i));
		assert_works(clpac_problem_read(text, &copy, &err), err);
		memcpy(&number, (const char *)clpac_problem_get(copy) + rows[_i].member, sizeof number);
		ck_assert_int_eq(number, i);
		clpac_problem_destroy(copy);
	}
}
