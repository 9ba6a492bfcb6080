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
	{"hilbert is CLPAC_HILBERT_TRIMMED", "--hilbert trimmed"},
	{"CLPAC_HILBERT_LOCAL", "--hilbert local"},
	{"CLPAC_HILBERT_TRIMMED", "--hilbert trimmed"},
	{"CLPAC_AVERAGE_MEAN", "--average mean"},
	{"CLPAC_AVERAGE_SUM", "--average sum"},
	{"measures and hilbert", "--measure and --hilbert"},
	{"a measure is plv", "--measure plv"},
	{"separate_windows are given", "epochs are parts of one"},
	{"tied_amplitudes", "--amplitude with /tied"},
	{"joined_windows", "--pool"},
	{"keep_distributions (--keep-distributions)", "--keep-distributions"},
	{"keep_surrogates", "--keep-surrogates"},
	{"edge_samples is", "--edge is"},
	{"is_pooled", "--pool"},
	{"first and second are both", "--conditions: both are"},
	{"gamma_tail", "--gamma"},
	{"cluster_alpha", "--clusters"},
	{"min_shift", "--min-shift"},
	{"CLPAC_FAMILY_RUN", "--family run"},
	{"problem text", "--problem"},
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

void clpac__name_library_option(clpac_error *err)
{
	static const char before[] = "option ", after[] = "--";
	const size_t n = sizeof before - 1, m = sizeof after - 1;
	if (!err || strncmp(err->text, before, n) != 0)
		return;
	memcpy(err->text, after, m);
	memmove(err->text + m, err->text + n, strlen(err->text + n) + 1);
}

/* Whether an option with its hyphens begins at a place of a text. */
static bool is_marked(const char *text, const char *at)
{
	return at[0] == '-' && at[1] == '-' && at[2] >= 'a' && at[2] <= 'z' && (at == text || !is_part_of_word(at[-1]));
}

/* Options by which members of clpac_problem and clpac_options are given. */
static const struct {
	const char *member, *option;
} givers[] = {
	{"rate_hz", "rate"},
	{"phase_bands", "phase"},
	{"amplitude_bands", "amplitude"},
	{"n_bins", "bins"},
	{"average", "average"},
	{"hilbert", "hilbert"},
	{"n_surrogates", "surrogates"},
	{"measures", "measure"},
	{"null", "null"},
	{"n_blocks", "null"},
	{"shift_step", "null"},
	{"shifts", "shifts"},
	{"family", "family"},
	{"ddof", "ddof"},
	{"share_shifts", "share-shifts"},
	{"seed", "seed"},
	{"cluster_alpha", "clusters"},
	{"selection", "device"},
	{"memory", "memory"},
	{"fft", "fft"},
	{"probe", "probe"},
	{"threads", "threads"},
	{"min_shift", "min-shift"},
	{"edge_samples", "edge"},
};

void clpac__find_option(clpac_error *err)
{
	const char *found = "";
	if (!err)
		return;
	for (const char *at = err->text; *at; at++)
		if (is_marked(err->text, at)) {
			const int length = (int)strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");
			snprintf(err->member, sizeof err->member, "%.*s", length, at + 2);
			return;
		}
	for (size_t i = 0; i < sizeof givers / sizeof *givers; i++)
		if (strcmp(givers[i].member, err->member) == 0)
			found = givers[i].option;
	snprintf(err->member, sizeof err->member, "%s", found);
}

void clpac__unmark_options(char *text)
{
	char *to = text;
	for (const char *from = text; *from;) {
		if (is_marked(text, from))
			from += 2;
		*to++ = *from++;
	}
	*to = 0;
}
