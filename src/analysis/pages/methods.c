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
	{"pac-glm",
	 "the variance of the amplitude that the phase explains beyond the slow amplitude, in a linear model"},
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
	{"blocks", "whose amplitudes are rearranged in time blocks"},
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

/* The bands of a use: how many, and from where to where. */
static size_t span_of(const json_t *result, const char *use, clpac_band *out)
{
	const json_t *bands = json_object_get(result, "bands");
	size_t n = 0;
	for (size_t i = 0; i < json_array_size(bands); i++) {
		const json_t *one = json_array_get(bands, i), *hz = json_object_get(one, "band_hz");
		const double lo = json_number_value(json_array_get(hz, 0)),
			     hi = json_number_value(json_array_get(hz, 1));
		if (strcmp(word_of(one, "use"), use) != 0)
			continue;
		out->lo_hz = !n || lo < out->lo_hz ? lo : out->lo_hz;
		out->hi_hz = !n || hi > out->hi_hz ? hi : out->hi_hz;
		n++;
	}
	return n;
}

/* "the phase in 10 bands from 1.5 to 25 Hz"; nothing where there is no band. */
static void add_bands(clpac__text *page, const json_t *result, const char *use)
{
	clpac_band span = {0, 0};
	const size_t n = span_of(result, use, &span);
	if (!n)
		return;
	clpac__text_add(page, "the %s in %zu band%s from ", use, n, n == 1 ? "" : "s");
	clpac__page_add_number(page, span.lo_hz, 4);
	clpac__text_add(page, " to ");
	clpac__page_add_number(page, span.hi_hz, 4);
	clpac__text_add(page, " Hz (FIR filters of ");
	clpac__page_add_number(page,
			       json_number_value(json_object_get(json_object_get(result, "parameters"),
								 *use == 'p' ? "phase_cycles" : "amplitude_cycles")),
			       6);
	clpac__text_add(page, " cycles)");
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

/* --- Literature ---------------------------------------------------------------------------------- */

/* Papers that a result rests on, where its measure, its null or its corrections begin with the word; "": any result. */
static const struct {
	const char *word, *text;
} literature[] = {
	{"mi", "Tort ABL, Komorowski R, Eichenbaum H, Kopell N. Measuring phase-amplitude coupling between neuronal "
	       "oscillations of different frequencies. J Neurophysiol 104:1195-1210, 2010."},
	{"hr",
	 "Lakatos P, Shah AS, Knuth KH, Ulbert I, Karmos G, Schroeder CE. An oscillatory hierarchy controlling "
	 "neuronal excitability and stimulus processing in the auditory cortex. J Neurophysiol 94:1904-1911, 2005."},
	{"mvl",
	 "Canolty RT, Edwards E, Dalal SS, et al. High gamma power is phase-locked to theta oscillations in human "
	 "neocortex. Science 313:1626-1628, 2006."},
	{"dpac",
	 "van Driel J, Cox R, Cohen MX. Phase-clustering bias in phase-amplitude cross-frequency coupling and its "
	 "removal. J Neurosci Methods 254:60-72, 2015."},
	{"ndpac",
	 "Özkurt TE, Schnitzler A. A critical note on the definition of phase-amplitude cross-frequency coupling. "
	 "J Neurosci Methods 201:438-443, 2011."},
	{"glm", "Penny WD, Duzel E, Miller KJ, Ojemann JG. Testing for nested oscillation. J Neurosci Methods "
		"174:50-61, 2008."},
	{"plv", "Penny WD, Duzel E, Miller KJ, Ojemann JG. Testing for nested oscillation. J Neurosci Methods "
		"174:50-61, 2008."},
	{"gcmi",
	 "Ince RAA, Giordano BL, Kayser C, et al. A statistical framework for neuroimaging data analysis based on "
	 "mutual information estimated via a Gaussian copula. Hum Brain Mapp 38:1541-1573, 2017."},
	{"pac-glm", "Nadalin JK, Martinet L-E, Blackwood EB, et al. A statistical framework to assess cross-frequency "
		    "coupling while accounting for confounding analysis effects. eLife 8:e44287, 2019."},
	{"rho", "Voytek B, D'Esposito M, Crone N, Knight RT. A method for event-related phase/amplitude coupling. "
		"NeuroImage 64:416-424, 2013."},
	{"phases",
	 "Theiler J, Eubank S, Longtin A, Galdrikian B, Farmer JD. Testing for nonlinearity in time series: the "
	 "method of surrogate data. Physica D 58:77-94, 1992."},
	{"clusters",
	 "Maris E, Oostenveld R. Nonparametric statistical testing of EEG- and MEG-data. J Neurosci Methods "
	 "164:177-190, 2007."},
	{"p_max", "Nichols TE, Holmes AP. Nonparametric permutation tests for functional neuroimaging: a primer with "
		  "examples. Hum Brain Mapp 15:1-25, 2002."},
	{"",
	 "Aru J, Aru J, Priesemann V, et al. Untangling cross-frequency coupling in neuroscience. Curr Opin Neurobiol "
	 "31:51-61, 2015."},
};

static bool has_measure(const json_t *result, const char *word)
{
	const json_t *list = json_object_get(result, "measures");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *one = json_string_value(json_array_get(list, i));
		if (one && strcmp(one, word) == 0)
			return true;
	}
	return false;
}

static bool rests_on(const json_t *result, const char *word)
{
	const bool is_tested =
		json_integer_value(json_object_get(json_object_get(result, "shape"), "n_surrogates")) > 0;
	if (strcmp(word, "p_max") == 0)
		return is_tested;
	if (strcmp(word, "clusters") == 0)
		return is_tested && json_object_get(json_object_get(result, "parameters"), "clusters");
	return !*word || has_measure(result, word) || strcmp(word_of(result, "null"), word) == 0;
}

static void add_literature(clpac__text *page, const json_t *result)
{
	const char *last = "";
	clpac__text_add(page, "<ul>\n");
	for (size_t i = 0; i < sizeof literature / sizeof *literature; i++) {
		if (!rests_on(result, literature[i].word) || strcmp(last, literature[i].text) == 0)
			continue;
		last = literature[i].text;
		clpac__page_add(page, "li", last);
	}
	clpac__text_add(page, "</ul>\n");
}

/* --- The question -------------------------------------------------------------------------------- */

static void add_span(clpac__text *page, const clpac_band *bands, size_t n)
{
	double lo = n ? bands[0].lo_hz : 0, hi = n ? bands[0].hi_hz : 0;
	for (size_t i = 0; i < n; i++) {
		lo = bands[i].lo_hz < lo ? bands[i].lo_hz : lo;
		hi = bands[i].hi_hz > hi ? bands[i].hi_hz : hi;
	}
	clpac__page_add_number(page, lo, 4);
	clpac__text_add(page, " to ");
	clpac__page_add_number(page, hi, 4);
	clpac__text_add(page, " Hz");
}

void clpac__page_add_question(clpac__text *page, const clpac__shown *shown)
{
	const clpac_result_shape *shape = clpac_result_get_shape(shown->result);
	const json_t *parameters = json_object_get(shown->facts, "parameters");
	const char *input = word_of(json_object_get(shown->facts, "input"), "name");
	const bool is_compared = clpac_result_array(shown->result, CLPAC_T, NULL) != NULL;
	clpac__text_add(page, "<p class=\"lead\">");
	clpac__text_add(page, is_compared ? "Does what couples the amplitude at " : "Does the amplitude at ");
	add_span(page, clpac_result_amplitude_bands(shown->result), shape->n_amplitude_bands);
	clpac__text_add(page, is_compared ? " to the phase at " : " follow the phase at ");
	add_span(page, clpac_result_phase_bands(shown->result), shape->n_phase_bands);
	if (strcmp(word_of(parameters, "group"), "one-sample") == 0)
		clpac__text_add(page, " differ from none, over subjects,");
	else if (is_compared)
		clpac__text_add(page, " differ between %s",
				json_object_get(parameters, "group") ? "groups or sessions" : "conditions");
	clpac__text_add(page, " in %zu %s%s", shape->n_channels,
			clpac_result_pair_channel(shown->result, 0, CLPAC_PHASE) ? "pair" : "channel",
			shape->n_channels == 1 ? "" : "s");
	if (*input)
		clpac__text_add(page, " of ");
	clpac__page_add_text(page, input);
	clpac__text_add(page, "?</p>\n");
}

/* --- The methods --------------------------------------------------------------------------------- */

void clpac__page_add_methods(clpac__text *page, const json_t *facts)
{
	clpac__text_add(page, "<p>Phase-amplitude coupling was computed with clpac ");
	clpac__page_add_text(page, word_of(facts, "version"));
	if (json_object_get(json_object_get(facts, "parameters"), "group"))
		add_comparison(page, facts);
	else
		add_computation(page, facts);
	clpac__text_add(page, "</p>\n");
	add_literature(page, facts);
}
