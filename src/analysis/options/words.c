#include "analysis/options/words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Longer words stand before those that they begin with. */
static const struct {
	const char *member, *option;
} words[] = {
	{"null is CLPAC_NULL_ALL_SHIFTS", "--null shift=all"},
	{"null is CLPAC_NULL_TRIALS", "--null trials"},
	{"null is CLPAC_NULL_BLOCKS", "--null blocks"},
	{"null is CLPAC_NULL_PHASES", "--null phases"},
	{"CLPAC_NULL_ALL_SHIFTS", "--null shift=all"},
	{"CLPAC_NULL_SHIFTS", "--null shift"},
	{"CLPAC_NULL_TRIALS", "--null trials"},
	{"CLPAC_NULL_BLOCKS", "--null blocks"},
	{"CLPAC_NULL_PHASES", "--null phases"},
	{"CLPAC_HILBERT_LOCAL", "--hilbert local"},
	{"CLPAC_HILBERT_TRIMMED", "--hilbert trimmed"},
	{"CLPAC_AVERAGE_MEAN", "--average mean"},
	{"CLPAC_AVERAGE_SUM", "--average sum"},
	{"measures and hilbert", "--measure and --hilbert"},
	{"family is the run", "--family run"},
	{"n_blocks is", "--null blocks=N: N is"},
	{"shift_step is", "--null shift=all/STEP: STEP is"},
	{"share_shifts", "--share-shifts"},
};

static bool is_part_of_word(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* The member that begins at a text's place `at`, or NULL. */
static const char *member_at(const char *text, size_t at, size_t *length)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		*length = strlen(words[i].member);
		if (strncmp(text + at, words[i].member, *length) == 0 && !(at && is_part_of_word(text[at - 1])) &&
		    !is_part_of_word(text[at + *length]))
			return words[i].option;
	}
	return NULL;
}

void clpac__name_options(clpac_error *err)
{
	if (!err)
		return;
	char named[sizeof err->text];
	size_t to = 0, length;
	for (size_t from = 0; err->text[from] && to + 1 < sizeof named;) {
		const char *option = member_at(err->text, from, &length);
		if (option) {
			const int n = snprintf(named + to, sizeof named - to, "%s", option);
			to = to + (size_t)n < sizeof named ? to + (size_t)n : sizeof named - 1;
			from += length;
		} else {
			named[to++] = err->text[from++];
		}
	}
	named[to] = 0;
	memcpy(err->text, named, to + 1);
}

void clpac__unmark_options(char *text)
{
	char *to = text;
	for (const char *from = text; *from;) {
		const bool begins = from == text || !is_part_of_word(from[-1]);
		if (begins && from[0] == '-' && from[1] == '-' && from[2] >= 'a' && from[2] <= 'z')
			from += 2;
		*to++ = *from++;
	}
	*to = 0;
}
