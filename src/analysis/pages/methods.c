#include <string.h>
#include "analysis/pages/page.h"

/* A word of OUT.json and the words for it in a sentence. */
typedef struct meaning {
	const char *word, *text;
} meaning;

static const meaning measures[] = {
	{"mi", "the modulation index (Kullback-Leibler distance of the mean amplitude over phase bins from evenness)"},
	{"hr", "the height ratio of the mean amplitude over phase bins"},
	{"mvl", "the mean vector length"},
	{"dpac", "the mean vector length without the bias of uneven phases (dPAC)"},
	{"ndpac", "the normalized direct index (ndPAC)"},
	{"glm", "the variance of the amplitude that a linear model of the phase explains"},
	{"gcmi", "the Gaussian copula mutual information"},
	{"plv", "the phase locking of the slow phase and that of the amplitude"},
	{"rho", "the circular-linear correlation over trials"},
};

/* The first whose word begins the null's, "shift=all/16", counts. */
static const meaning nulls[] = {
	{"shift=all", "whose amplitudes are moved in a circle against the phases, by every shift"},
	{"shift", "whose amplitudes are moved in a circle against the phases, by shifts that are drawn"},
	{"trials", "whose amplitudes are those of other trials"},
	{"blocks", "whose amplitudes are rearranged in blocks"},
	{"phases", "whose amplitudes are those of the same spectrum with random phases"},
	{"signs", "in which signs of subjects are flipped"},
	{"labels", "in which labels of groups are exchanged"},
	{"surrogates", "in which each subject has the value of one of its own surrogates"},
};

/* The text of a word; the word itself where none is known. */
static const char *text_of(const meaning *from, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(from[i].word, word, strlen(from[i].word)) == 0)
			return from[i].text;
	return word;
}
#define TEXT_OF(table, word) text_of(table, sizeof table / sizeof *table, word)

static const char *word_of(const json_t *object, const char *key)
{
	const char *word = json_string_value(json_object_get(object, key));
	return word ? word : "";
}

/* "10 phase bands from 1.5 to 25 Hz"; nothing where there is no band. */
static void add_bands(clpac__text *page, const json_t *result, const char *use)
{
	const json_t *bands = json_object_get(result, "bands");
	double lowest = 0, highest = 0;
	size_t n = 0;
	for (size_t i = 0; i < json_array_size(bands); i++) {
		const json_t *one = json_array_get(bands, i), *hz = json_object_get(one, "band_hz");
		const double lo = json_number_value(json_array_get(hz, 0)),
			     hi = json_number_value(json_array_get(hz, 1));
		if (strcmp(word_of(one, "use"), use) != 0)
			continue;
		lowest = !n || lo < lowest ? lo : lowest;
		highest = !n || hi > highest ? hi : highest;
		n++;
	}
	if (n)
		clpac__text_add(page, "the %s in %zu band%s from %.4g to %.4g Hz (FIR filters of %g cycles)", use, n,
				n == 1 ? "" : "s", lowest, highest,
				json_number_value(json_object_get(json_object_get(result, "parameters"),
								  *use == 'p' ? "phase_cycles" : "amplitude_cycles")));
}

/* Says what the p of an index or a difference comes from. */
static void add_null(clpac__text *page, const json_t *result, const char *what)
{
	const json_t *parameters = json_object_get(result, "parameters");
	const long long n = json_integer_value(json_object_get(json_object_get(result, "shape"), "n_surrogates"));
	if (!n) {
		clpac__text_add(page, "  Nothing was tested.");
		return;
	}
	clpac__text_add(page, "  p compares %s with %lld %s, ", what, n,
			json_object_get(parameters, "group") ? "others" : "surrogates");
	clpac__page_add_text(page, TEXT_OF(nulls, word_of(result, "null")));
	clpac__text_add(page, " (seed %lld); p_max is corrected over the cells of %s.",
			(long long)json_integer_value(json_object_get(result, "seed")),
			strcmp(word_of(parameters, "family"), "run") == 0 ? "all maps" : "a map");
}

/* Filters and index of a recording. */
static void add_computation(clpac__text *page, const json_t *result)
{
	const json_t *list = json_object_get(result, "measures");
	clpac__text_add(page, " on ");
	clpac__page_add_text(page, word_of(json_object_get(result, "device"), "name"));
	clpac__text_add(page, ": ");
	add_bands(page, result, "phase");
	clpac__text_add(page, ", and ");
	add_bands(page, result, "amplitude");
	clpac__text_add(page, ", by Hilbert transform.  The index is ");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *word = json_string_value(json_array_get(list, i));
		clpac__text_add(page, "%s%s", i ? "; beside it " : "", word ? TEXT_OF(measures, word) : "");
	}
	clpac__text_add(page, ".");
	add_null(page, result, "each index");
}

/* Says how subjects were compared. */
static void add_comparison(clpac__text *page, const json_t *result)
{
	const json_t *parameters = json_object_get(result, "parameters");
	clpac__text_add(page, ": ");
	clpac__page_add_text(page, word_of(parameters, "value"));
	const bool are_scores = strcmp(word_of(result, "null"), "surrogates") == 0;
	clpac__text_add(page, " of %lld subjects, cell by cell, by %s.",
			(long long)json_integer_value(json_object_get(parameters, "subjects")),
			are_scores ? "the sum of the normal scores of their ranks among each subject's surrogates"
				   : "t");
	add_null(page, result, are_scores ? "each sum" : "each t");
}

void clpac__page_add_methods(clpac__text *page, const json_t *result)
{
	clpac__text_add(page, "<p>Phase-amplitude coupling was computed with clpac ");
	clpac__page_add_text(page, word_of(result, "version"));
	if (json_object_get(json_object_get(result, "parameters"), "group"))
		add_comparison(page, result);
	else
		add_computation(page, result);
	clpac__text_add(page, "</p>\n");
}
