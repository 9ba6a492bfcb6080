/* What a result is called in files. */
#include "recording/result_words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <clpac/null.h>

/* --- Names of arrays -------------------------------------------------------------------------- */

void clpac__array_name_of(clpac_measure measure, bool is_first, clpac_array which, char name[CLPAC__ARRAY_NAME_SIZE])
{
	const char *own = clpac_measure_text(measure);
	if (which == CLPAC_MI)
		snprintf(name, CLPAC__ARRAY_NAME_SIZE, "%s", own);
	else
		snprintf(name, CLPAC__ARRAY_NAME_SIZE, "%s%s%s", is_first ? "" : own, is_first ? "" : "_",
			 clpac_array_name(which));
}

/* --- Pairs ------------------------------------------------------------------------------------ */

bool clpac__result_has_pairs(const clpac_result *result)
{
	const size_t n = clpac_result_get_shape(result)->n_channels;
	bool are_pairs = n > 0;
	for (size_t ch = 0; ch < n && are_pairs; ch++)
		are_pairs = clpac_result_pair_channel(result, ch, CLPAC_PHASE) &&
			    clpac_result_pair_channel(result, ch, CLPAC_AMPLITUDE);
	return are_pairs;
}

size_t clpac__pairs_of_a_phase(const clpac_result *result)
{
	const size_t n = clpac_result_get_shape(result)->n_channels;
	size_t in_row = 1;
	if (!clpac__result_has_pairs(result))
		return 0;
	while (in_row < n && strcmp(clpac_result_pair_channel(result, in_row, CLPAC_PHASE),
				    clpac_result_pair_channel(result, 0, CLPAC_PHASE)) == 0)
		in_row++;
	if (n % in_row)
		return 0;
	for (size_t ch = 0; ch < n; ch++) {
		const size_t row = ch / in_row * in_row, column = ch % in_row;
		if (strcmp(clpac_result_pair_channel(result, ch, CLPAC_PHASE),
			   clpac_result_pair_channel(result, row, CLPAC_PHASE)) != 0 ||
		    strcmp(clpac_result_pair_channel(result, ch, CLPAC_AMPLITUDE),
			   clpac_result_pair_channel(result, column, CLPAC_AMPLITUDE)) != 0)
			return 0;
	}
	return in_row;
}

/* --- Words of the problem --------------------------------------------------------------------- */

/* Words of a problem text, found without reading the whole problem. */

size_t clpac__problem_word(const char *problem, const char *key, const char **value)
{
	const size_t length = strlen(key);
	for (const char *word = problem; word; word = strchr(word, ' ')) {
		word += *word == ' ';
		if (strncmp(word, key, length) == 0 && word[length] == '=') {
			*value = word + length + 1;
			return strcspn(*value, " ");
		}
	}
	return 0;
}

/* --- The null distribution -------------------------------------------------------------------- */

/* The null distribution of a result, from the text of its problem. */

enum { DIGITS = 20 };

/* Adds a number of the problem with what stands before it; a text that is no number, or `usual`, adds nothing. */
static void add_number(char *text, const char *problem, const char *key, const char *before, const char *usual)
{
	const char *value;
	const size_t n = clpac__problem_word(problem, key, &value), length = strlen(text);
	if (!n || n > DIGITS || strspn(value, "0123456789") != n ||
	    (usual && n == strlen(usual) && strncmp(value, usual, n) == 0))
		return;
	snprintf(text + length, CLPAC__NULL_TEXT_SIZE - length, "%s%.*s", before, (int)n, value);
}

void clpac__null_text(const clpac_result *result, char text[CLPAC__NULL_TEXT_SIZE])
{
	const char *problem = clpac_result_problem(result), *value = NULL;
	text[0] = 0;
	if (!problem || !*problem || !clpac_result_array(result, CLPAC_P, NULL))
		return;
	if (clpac__problem_word(problem, "compare", &value)) {
		snprintf(text, CLPAC__NULL_TEXT_SIZE, "labels");
		return;
	}
	const size_t n_design = clpac__problem_word(problem, "group", &value);
	if (n_design) {
		const bool are_labels = n_design == strlen("two-sample") && strncmp(value, "two-sample", n_design) == 0;
		const bool are_drawn = clpac__problem_word(problem, "null", &value) > 0;
		snprintf(text, CLPAC__NULL_TEXT_SIZE, "%s", are_drawn ? "surrogates" : are_labels ? "labels" : "signs");
		return;
	}
	const size_t n = clpac__problem_word(problem, "null", &value);
	for (int null = 0; null < CLPAC_NULL_COUNT; null++) {
		const char *word = clpac_null_text((clpac_null)null);
		if (n ? n != strlen(word) || strncmp(value, word, n) != 0 : null != CLPAC_NULL_SHIFTS)
			continue;
		snprintf(text, CLPAC__NULL_TEXT_SIZE, "%s", null == CLPAC_NULL_ALL_SHIFTS ? "shift=all" : word);
		if (null == CLPAC_NULL_ALL_SHIFTS)
			add_number(text, problem, "shift_step", "/", "1");
		else if (null == CLPAC_NULL_BLOCKS)
			add_number(text, problem, "blocks", "=", NULL);
	}
}
