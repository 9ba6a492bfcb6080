/* Words of a comparison, as its panels say them. */
#include "recording/plot/plot_parts.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "recording/result_words.h"

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

/* A comparison of conditions: "compare=mean value=mi epochs=40+38", and t or, pooled, standardized statistics. */
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
	snprintf(words.t_title, sizeof words.t_title, "%s of %.*s subjects",
		 is_word(problem, "null", "surrogates") ? "Score" : "t", n, count);
	return words;
}

/* --- The threshold of a scale ----------------------------------------------------------------- */

static size_t reaching(const clpac__corrected_map *map, float value)
{
	size_t n = 0;
	for (size_t i = 0; i < map->n_surrogates; i++)
		n += map->maxima[i] >= value;
	return n;
}

/* As many maxima reach a value as may; the highest of those that too many reach has to be surpassed. */
double clpac__asked_of_t(const clpac__corrected_map *map)
{
	const double may = floor(map->significance * ((double)map->n_surrogates + 1) * (1 + 1e-9)) - 1;
	double asked = 0;
	for (size_t k = 0; k < map->n_surrogates && may >= 0; k++)
		if (map->maxima[k] > asked && (double)reaching(map, map->maxima[k]) > may)
			asked = map->maxima[k];
	return isfinite(asked) ? asked : 0;
}

double clpac__middle_of_z(const clpac__corrected_map *map)
{
	const double asked = clpac__asked_of_t(map);
	double lowest = INFINITY, highest = 0, reached = 0;
	for (size_t cell = 0; cell < map->n_cells && asked > 0; cell++) {
		const double z = map->values[cell];
		const bool is_significant = map->p_max[cell] <= (float)map->significance;
		if (is_significant && z > 0)
			lowest = fmin(lowest, z);
		if (is_significant || isnan(map->p_max[cell]))
			continue;
		highest = fmax(highest, z);
		reached = map->standardized ? fmax(reached, (double)map->standardized[cell]) : reached;
	}
	const double middle = reached > 0 ? highest * fmax(1, asked / reached) : highest;
	const double threshold = middle > 0 ? fmin(lowest, middle) : lowest;
	return isfinite(threshold) ? threshold : 0;
}
