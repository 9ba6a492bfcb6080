/* Words of a comparison, as its panels say them. */
#include "recording/plot/plot_compared.h"

#include <stdio.h>
#include <string.h>

#include "recording/problem_word.h"

static bool is_word(const char *problem, const char *key, const char *word)
{
	const char *value = "";
	const size_t n = clpac__problem_word(problem, key, &value);
	return n == strlen(word) && strncmp(value, word, n) == 0;
}

/* "12", "9+11"; anything else in a file is left out. */
static int length_of_count(const char *problem, const char **count)
{
	const size_t n = clpac__problem_word(problem, "subjects", count);
	return n <= 20 && strspn(*count, "0123456789+") >= n ? (int)n : 0;
}

/* A comparison of conditions: "compare=mean value=mi epochs=40+38", and t or, pooled, standings. */
static void write_conditions(const char *problem, clpac__compared *words)
{
	const bool is_pooled = is_word(problem, "compare", "pooled");
	const char *count = "";
	const size_t n = clpac__problem_word(problem, "epochs", &count);
	words->t_name = is_pooled ? "deviations" : "t";
	words->effect_title = is_pooled ? "Difference of pooled indices" : "Difference of means";
	snprintf(words->t_title, sizeof words->t_title,
		 is_pooled ? "Difference in deviations, %.*s epochs" : "t of %.*s epochs",
		 n <= 20 && strspn(count, "0123456789+") >= n ? (int)n : 0, count);
}

clpac__compared clpac__compared_words(const clpac_result *result)
{
	const char *problem = clpac_result_problem(result), *count = "";
	const bool is_one_sample = is_word(problem, "group", "one-sample");
	clpac__compared words = {
		.effect_title = is_one_sample ? "Mean over subjects" : "Mean difference",
		.t_name = "t",
		.is_less = is_word(problem, "side", "less"),
	};
	snprintf(words.unit, sizeof words.unit, "%s",
		 is_word(problem, "value", "z") ? "z-score" : clpac_measure_words(clpac_result_measure(result)));
	if (clpac__problem_word(problem, "compare", &count)) {
		write_conditions(problem, &words);
		return words;
	}
	const int n = length_of_count(problem, &count);
	snprintf(words.t_title, sizeof words.t_title, "t of %.*s subjects", n, count);
	return words;
}
