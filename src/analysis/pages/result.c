/* The section of a result: what was asked and found, how good the signals are, maps, cautions, peaks, filters, methods,
 * and how to repeat it. */
#include <string.h>
#include "analysis/pages/page.h"

/* Rows that are shown of a long list; the file has all. */
enum { MOST_ROWS = 64 };

/* --- Values of JSON ------------------------------------------------------------------------------ */

/* A value as in a table: "4-8" of a band, "" of null. */
static void add_value(clpac__text *page, const json_t *value)
{
	if (json_is_string(value))
		clpac__page_add_text(page, json_string_value(value));
	else if (json_is_integer(value))
		clpac__text_add(page, "%lld", (long long)json_integer_value(value));
	else if (json_is_number(value))
		clpac__page_add_number(page, json_number_value(value), 4);
	else if (json_is_boolean(value))
		clpac__text_add(page, json_is_true(value) ? "yes" : "no");
	for (size_t i = 0; i < json_array_size(value); i++) {
		clpac__text_add(page, i ? "-" : "");
		add_value(page, json_array_get(value, i));
	}
}

static void add_cell(clpac__text *page, const json_t *value)
{
	clpac__text_add(page, "<td>");
	add_value(page, value);
	clpac__text_add(page, "</td>");
}

/* --- Cautions ------------------------------------------------------------------------------------ */

static bool is_raised(const json_t *raised, const char *text)
{
	for (size_t i = 0; i < json_array_size(raised); i++) {
		const char *one = json_string_value(json_object_get(json_array_get(raised, i), "text"));
		if (one && text && strcmp(one, text) == 0)
			return true;
	}
	return false;
}

/* Advice about a caution, by the word of its kind. */
static const struct {
	const char *kind, *text;
} advice[] = {
	{"narrow_amplitude", "Widen the amplitude bands to twice the phase frequency, or leave crossed cells out."},
	{"short_series", "Record longer, or ask for higher phases or fewer cycles (--phase-cycles)."},
	{"pure_line", "Leave this band out: a line is no rhythm."},
	{"not_finite", "Look for gaps in the recording; annotate what is bad."},
	{"constant", "Leave the channel out, or mend the recording."},
	{"empty_bins", "Use fewer bins (--bins), or more data."},
	{"no_amplitude", "Look whether the recording was filtered before."},
	{"overlap", "Choose amplitude bands above the phase bands."},
	{"harmonic", "Believe cells with a dot only if remaining is near 1; look at the shape of the slow wave."},
	{"jump", "Annotate the time of the jump as bad, and compute again."},
	{"mains", "Choose bands without the line, or take it out of the recording before."},
	{"min_shift", "Use a smaller --min-shift, or more data."},
	{"few_segments", "Use more trials, or another null (--null shift)."},
	{"few_subjects", "More subjects are needed for any p up to 0.05."},
	{"short_null", "Record longer, or leave the slowest phases out."},
	{"beats", "Look for heartbeats; take them out of the recording before."},
	{"spikes", "Annotate spikes as bad, and compute again."},
	{"muscle", "Annotate stretches with muscle activity as bad, and compute again."},
	{"odd_harmonics", "Look at the shape of the slow wave: flattened and pointed waves make such cells."},
	{"flat", "Annotate the flat stretch as bad, or leave the channel out."},
	{"locked", "Use the null of trials (--null trials): an evoked response looks like coupling."},
	{"no_peak", "Look at the spectrum: a phase without a rhythm means little."},
};

static const char *advice_of(const json_t *kind)
{
	const char *word = json_string_value(kind);
	for (size_t i = 0; word && i < sizeof advice / sizeof *advice; i++)
		if (strcmp(advice[i].kind, word) == 0)
			return advice[i].text;
	return NULL;
}

/* A caution's text, and how often it was raised. */
static void add_caution(clpac__text *page, const json_t *raised)
{
	const long long n = json_integer_value(json_object_get(raised, "count"));
	add_value(page, json_object_get(raised, "text"));
	if (n > 1)
		clpac__text_add(page, " (%lld in all)", n);
}

/* Warnings of the computation, how often each was raised, and those of reading. */
static void add_cautions(clpac__text *page, const json_t *result)
{
	const json_t *told = json_object_get(json_object_get(result, "provenance"), "warnings");
	const json_t *raised = json_object_get(result, "warnings");
	clpac__page_add(page, "h3", "Cautions");
	if (!json_array_size(told) && !json_array_size(raised)) {
		clpac__page_add(page, "p", "None was raised.");
		return;
	}
	clpac__text_add(page, "<ul>\n");
	for (size_t i = 0; i < json_array_size(raised); i++) {
		const json_t *one = json_array_get(raised, i);
		const char *what_to_do = advice_of(json_object_get(one, "kind"));
		clpac__text_add(page, "<li>");
		add_caution(page, one);
		if (what_to_do)
			clpac__text_add(page, ". <em>%s</em>", what_to_do);
		clpac__text_add(page, "</li>\n");
	}
	for (size_t i = 0; i < json_array_size(told); i++)
		if (!is_raised(raised, json_string_value(json_array_get(told, i))))
			clpac__page_add(page, "li", json_string_value(json_array_get(told, i)));
	clpac__text_add(page, "</ul>\n");
}

/* --- The signals --------------------------------------------------------------------------------- */

/* Stretches that were left out, with their numbers, as items of a list.  Samples that are no number have no text. */
static void add_rejected(clpac__text *page, const json_t *rejected)
{
	clpac__text_add(page, json_array_size(rejected) ? "<ul>\n" : "");
	for (size_t i = 0; i < json_array_size(rejected); i++) {
		const json_t *one = json_array_get(rejected, i);
		const char *text = json_string_value(json_object_get(one, "text"));
		clpac__text_add(page, "<li>");
		clpac__page_add_text(page, text ? text : "not a number");
		clpac__text_add(page, ": %lld</li>\n", (long long)json_integer_value(json_object_get(one, "count")));
	}
	clpac__text_add(page, json_array_size(rejected) ? "</ul>\n" : "");
}

/* The recordings behind a comparison: what was used and left out of each, and its cautions. */
static void add_recordings(clpac__text *page, const clpac__shown *shown, const json_t *recordings)
{
	const size_t n = json_array_size(recordings);
	const bool has_groups = json_integer_value(json_object_get(json_array_get(recordings, n - 1), "group")) > 1;
	clpac__text_add(
		page,
		"<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Recordings, section %zu\">"
		"<table>\n<tr><th>recording</th>%s<th>used of each channel (s)</th><th>left out (stretches)</th>"
		"<th>cautions</th></tr>\n",
		shown->number + 1, has_groups ? "<th>group</th>" : "");
	for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
		const json_t *one = json_array_get(recordings, i), *used = json_object_get(one, "used_s"),
			     *raised = json_object_get(one, "warnings");
		clpac__text_add(page, "<tr>");
		add_cell(page, json_object_get(one, "name"));
		if (has_groups)
			add_cell(page, json_object_get(one, "group"));
		clpac__text_add(page, "<td>");
		for (size_t k = 0; k < json_array_size(used); k++) {
			const double value = json_number_value(json_array_get(used, k));
			if (k && value == json_number_value(json_array_get(used, k - 1)))
				break;
			clpac__text_add(page, k ? " to " : "");
			clpac__page_add_number(page, value, 6);
		}
		clpac__text_add(page, "</td><td>");
		add_rejected(page, json_object_get(one, "rejected"));
		clpac__text_add(page, "</td><td>");
		for (size_t k = 0; k < json_array_size(raised); k++) {
			clpac__text_add(page, k ? "<br>" : "");
			add_caution(page, json_array_get(raised, k));
		}
		clpac__text_add(page, "</td></tr>\n");
	}
	clpac__text_add(page, "</table></div>\n");
	if (n > MOST_ROWS)
		clpac__text_add(page, "<p>The first %d of %zu; the .json has all.</p>\n", (int)MOST_ROWS, n);
	clpac__text_add(page, "<p>Look at a recording that has much less time than the others, or cautions that they "
			      "have not, before the comparison is believed; its own page says what to do.</p>\n");
}

/* How much of the channels was used, and where least. */
static void add_signals(clpac__text *page, const clpac__shown *shown)
{
	const clpac_result_shape *shape = clpac_result_get_shape(shown->result);
	const double *used = clpac_result_used_seconds(shown->result);
	const json_t *provenance = json_object_get(shown->facts, "provenance"),
		     *rejected = json_object_get(json_object_get(provenance, "part"), "rejected"),
		     *recordings = json_object_get(provenance, "recordings");
	double least = 0, most = 0;
	size_t least_channel = 0;
	for (size_t ch = 0; ch < shape->n_channels; ch++) {
		double sum = 0;
		for (size_t segment = 0; segment < shape->n_segments; segment++)
			sum += used[ch * shape->n_segments + segment];
		if (!ch || sum < least)
			least_channel = ch;
		least = !ch || sum < least ? sum : least;
		most = sum > most ? sum : most;
	}
	clpac__page_add(page, "h3", "Signals");
	clpac__text_add(page, recordings ? "<p>Used of each channel in all recordings: " : "<p>Used of each channel: ");
	clpac__page_add_number(page, least, 6);
	if (most > least) {
		clpac__text_add(page, " s (");
		clpac__page_add_text(page, clpac_result_channel_name(shown->result, least_channel));
		clpac__text_add(page, ") to ");
		clpac__page_add_number(page, most, 6);
	}
	clpac__text_add(page, " s.</p>\n");
	if (json_array_size(rejected))
		clpac__text_add(page, "<p>Left out, with the number of stretches:</p>\n");
	add_rejected(page, rejected);
	if (json_array_size(recordings))
		add_recordings(page, shown, recordings);
	clpac__page_add_spectra(page, shown);
}

/* --- Peaks --------------------------------------------------------------------------------------- */

/* Whether a peak of a list has a value there. */
static bool has_values(const json_t *peaks, const char *key)
{
	for (size_t i = 0; i < json_array_size(peaks); i++) {
		const json_t *value = json_object_get(json_array_get(peaks, i), key);
		if (value && !json_is_null(value))
			return true;
	}
	return false;
}

/* The peak of each channel: the columns that have values.  `remaining` is the size of a caution: the share of an index
 * that the shape of a slow wave does not explain. */
static void add_peaks(clpac__text *page, const clpac__shown *shown)
{
	const json_t *result = shown->facts;
	const json_t *peaks = json_object_get(result, "peaks");
	const char *measure = json_string_value(json_array_get(json_object_get(result, "measures"), 0));
	const char *const keys[] = {"channel",
				    "segment",
				    "phase_band_hz",
				    "amplitude_band_hz",
				    measure ? measure : "mi",
				    "z",
				    "excess",
				    "effect",
				    "t",
				    "n_subjects",
				    "p_max",
				    "p_cluster",
				    "remaining"};
	enum { N = sizeof keys / sizeof *keys };
	bool is_shown[N];
	const size_t n = json_array_size(peaks);
	if (!n)
		return;
	clpac__page_add(page, "h3", "The peak of each channel");
	clpac__text_add(page,
			"<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Peaks, section %zu\">"
			"<table>\n<tr>",
			shown->number + 1);
	for (size_t k = 0; k < N; k++)
		if ((is_shown[k] = has_values(peaks, keys[k])))
			clpac__page_add(page, "th", keys[k]);
	clpac__text_add(page, "</tr>\n");
	for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
		clpac__text_add(page, "<tr>");
		for (size_t k = 0; k < N; k++)
			if (is_shown[k])
				add_cell(page, json_object_get(json_array_get(peaks, i), keys[k]));
		clpac__text_add(page, "</tr>\n");
	}
	clpac__text_add(page, "</table></div>\n");
	if (n > MOST_ROWS)
		clpac__text_add(page, "<p>The first %d of %zu; the .json has all.</p>\n", (int)MOST_ROWS, n);
}

/* --- How to repeat it ---------------------------------------------------------------------------- */

static void add_row(clpac__text *page, const char *name, const json_t *value)
{
	if (!value || json_is_null(value) || (json_is_string(value) && !*json_string_value(value)))
		return;
	clpac__text_add(page, "<tr>");
	clpac__page_add(page, "th", name);
	add_cell(page, value);
	clpac__text_add(page, "</tr>\n");
}

/* A word as a shell takes it. */
static void add_shell_word(clpac__text *page, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%";
	if (*word && !word[strspn(word, plain)]) {
		clpac__page_add_text(page, word);
		return;
	}
	clpac__text_add(page, "'");
	for (; *word; word++) {
		const char one[] = {*word, 0};
		if (*word == '\'')
			clpac__text_add(page, "'\\''");
		else if ((unsigned char)*word < 0x80)
			clpac__page_add_text(page, one);
		else {
			/* A character of several bytes stays whole. */
			char whole[8] = {0};
			size_t n = 0;
			do
				whole[n++] = *word++;
			while (n < 4 && ((unsigned char)*word & 0xc0) == 0x80);
			word--;
			clpac__page_add_text(page, whole);
		}
	}
	clpac__text_add(page, "'");
}

static void add_command(clpac__text *page, const json_t *command)
{
	if (!json_array_size(command))
		return;
	clpac__text_add(page, "<p>The command, with options from the files of --config that it names:</p>\n<pre>");
	for (size_t i = 0; i < json_array_size(command); i++) {
		const char *word = json_string_value(json_array_get(command, i)),
			   *slash = word ? strrchr(word, '/') : NULL;
		clpac__text_add(page, i ? " " : "");
		add_shell_word(page, !word ? "" : !i && slash ? slash + 1 : word);
	}
	clpac__text_add(page, "</pre>\n");
}

static void add_provenance(clpac__text *page, const json_t *facts)
{
	const json_t *input = json_object_get(facts, "input"), *provenance = json_object_get(facts, "provenance"),
		     *device = json_object_get(facts, "device"), *host = json_object_get(provenance, "host");
	const char *key;
	json_t *value;
	clpac__page_add(page, "h3", "How to repeat it");
	add_command(page, json_object_get(provenance, "command"));
	clpac__text_add(page, "<details><summary>Provenance and parameters</summary>\n<table>\n");
	add_row(page, "recording", json_object_get(input, "name"));
	add_row(page, "SHA-256", json_object_get(input, "checksum"));
	add_row(page, "clpac", json_object_get(facts, "version"));
	add_row(page, "identity of the result", json_object_get(facts, "identity"));
	add_row(page, "options", json_object_get(provenance, "request"));
	add_row(page, "device", json_object_get(device, "name"));
	add_row(page, "driver", json_object_get(device, "driver"));
	add_row(page, "Fourier transforms", json_object_get(facts, "fft_engine"));
	add_row(page, "system", json_object_get(host, "system"));
	add_row(page, "machine", json_object_get(host, "machine"));
	json_object_foreach(json_object_get(facts, "parameters"), key, value)
	{
		add_row(page, key, value);
	}
	clpac__text_add(page, "</table></details>\n");
}

/* --- The section --------------------------------------------------------------------------------- */

clpac_status clpac__page_add_result(clpac__text *page, const clpac__shown *shown, clpac_error *err)
{
	const char *sentence =
		json_string_value(json_object_get(json_object_get(shown->facts, "provenance"), "sentence"));
	clpac__page_add(page, "h2", shown->name);
	clpac__page_add_question(page, shown);
	if (!sentence && *clpac_result_sentence(shown->result))
		sentence = clpac_result_sentence(shown->result);
	clpac__page_add(page, "p", sentence);
	add_signals(page, shown);
	RETURN_IF_ERROR(clpac__page_add_all_channels(page, shown, err));
	RETURN_IF_ERROR(clpac__page_add_maps(page, shown, err));
	add_cautions(page, shown->facts);
	add_peaks(page, shown);
	RETURN_IF_ERROR(clpac__page_add_filters(page, shown, err));
	clpac__page_add(page, "h3", "Methods");
	clpac__page_add_methods(page, shown->facts);
	add_provenance(page, shown->facts);
	return CLPAC_OK;
}
