/* The null distribution of a result, from the text of its problem. */
#include "recording/null_text.h"
#include "recording/problem_word.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
	static const struct {
		const char *word, *text, *key, *before, *usual;
	} nulls[] = {{"shift", "shift", NULL, NULL, NULL},
		     {"all", "shift=all", "shift_step", "/", "1"},
		     {"trials", "trials", NULL, NULL, NULL},
		     {"blocks", "blocks", "blocks", "=", NULL},
		     {"phases", "phases", NULL, NULL, NULL}};
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
		snprintf(text, CLPAC__NULL_TEXT_SIZE, "%s", are_labels ? "labels" : "signs");
		return;
	}
	const size_t n = clpac__problem_word(problem, "null", &value);
	for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++) {
		const char *word = nulls[i].word;
		if (n ? n != strlen(word) || strncmp(value, word, n) != 0 : i > 0)
			continue;
		snprintf(text, CLPAC__NULL_TEXT_SIZE, "%s", nulls[i].text);
		if (nulls[i].key)
			add_number(text, problem, nulls[i].key, nulls[i].before, nulls[i].usual);
	}
}
