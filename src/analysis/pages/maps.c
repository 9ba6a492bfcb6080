/* Maps of phases by amplitudes as SVG: a small one of each channel, which opens to large ones, distribution and null.
 * Cells are equally wide, in the order of the bands. */
#include <math.h>
#include <stdio.h>
#include "analysis/pages/maps.h"
#include "analysis/pages/page.h"
#include "analysis/pages/style.h"
#include "base/cancel.h"

/* Channels and cells beyond the most are not drawn, which the page says; of
 * distributions more than the most numbers are not kept for the script. */
enum {
	SIDE = CLPAC__MAP_SIDE,
	CLASSES = CLPAC__PAGE_COLOURS,
	MOST_CHANNELS = 256,
	MOST_CELLS = 100000,
	MOST_BINS = 150000
};

const float clpac__map_significance = 0.05f;

/* --- One map ------------------------------------------------------------------------------------- */

void clpac__map_widen(clpac__map_range *range, const float *values, size_t n)
{
	for (size_t i = 0; values && i < n; i++)
		if (isfinite(values[i])) {
			range->lo = fmin(range->lo, values[i]);
			range->hi = fmax(range->hi, values[i]);
		}
}

int clpac__map_class(clpac__map_range range, double value)
{
	const double part = (value - range.lo) / (range.hi > range.lo ? range.hi - range.lo : 1);
	return isnan(value) ? CLASSES : part < 1 ? (int)(part * CLASSES) : CLASSES - 1;
}

/* The cells of each colour are one path of horizontal lines as thick as a cell, amplitudes upwards. */
static void add_cells(clpac__text *page, const clpac__page_series *s, const float *values, clpac__map_range range)
{
	for (int class = 0; class < CLASSES; class ++) {
		bool has_any = false;
		for (size_t row = 0; row < s->n_amplitude; row++)
			for (size_t column = 0, width = 1; column < s->n_phase; column += width) {
				const size_t a = s->n_amplitude - 1 - row;
				width = 1;
				if (clpac__map_class(range, values[column * s->n_amplitude + a]) != class)
					continue;
				while (column + width < s->n_phase &&
				       clpac__map_class(range, values[(column + width) * s->n_amplitude + a]) == class)
					width++;
				if (!has_any)
					clpac__text_add(page, "<path class=\"v%d\" d=\"", class);
				has_any = true;
				clpac__text_add(page, "M%zu %zuh%zu", column, row, width);
			}
		if (has_any)
			clpac__text_add(page, "\"/>");
	}
}

static bool is_small(const clpac__page_series *s, size_t phase, size_t amplitude)
{
	return phase < s->n_phase && amplitude < s->n_amplitude &&
	       s->p[phase * s->n_amplitude + amplitude] <= clpac__map_significance;
}

/* The sides between significant cells and others, twice: white on a darker line. */
static void add_outline(clpac__text *page, const clpac__page_series *s)
{
	clpac__text sides = {0};
	for (size_t p = 0; p < s->n_phase; p++)
		for (size_t a = 0; a < s->n_amplitude; a++) {
			const size_t top = s->n_amplitude - 1 - a;
			if (!is_small(s, p, a))
				continue;
			if (!is_small(s, p - 1, a)) /* -1 is SIZE_MAX, which is no band */
				clpac__text_add(&sides, "M%zu %zuv1", p, top);
			if (!is_small(s, p + 1, a))
				clpac__text_add(&sides, "M%zu %zuv1", p + 1, top);
			if (!is_small(s, p, a + 1))
				clpac__text_add(&sides, "M%zu %zuh1", p, top);
			if (!is_small(s, p, a - 1))
				clpac__text_add(&sides, "M%zu %zuh1", p, top + 1);
		}
	if (sides.length)
		clpac__text_add(page, "<path class=\"o\" d=\"%s\"/><path class=\"o i\" d=\"%s\"/>", sides.data,
				sides.data);
	page->failed |= sides.failed;
	clpac__text_clear(&sides);
}

/* A cross in cells that are not valid, a dot in those that the shape of a wave makes. */
static void add_marks(clpac__text *page, const clpac__page_series *s, const float *values)
{
	clpac__text crosses = {0}, dots = {0};
	for (size_t p = 0; p < s->n_phase; p++)
		for (size_t a = 0; a < s->n_amplitude; a++) {
			const size_t cell = p * s->n_amplitude + a, top = s->n_amplitude - 1 - a;
			if (s->valid && !s->valid[cell] && !isnan(values[cell]))
				clpac__text_add(&crosses, "M%zu %zul1 1m0-1l-1 1", p, top);
			if (s->harmonic && s->harmonic[cell] > 0)
				clpac__text_add(&dots, "M%zu.5 %zu.5h0", p, top);
		}
	if (crosses.length)
		clpac__text_add(page, "<path class=\"x\" d=\"%s\"/>", crosses.data);
	if (dots.length)
		clpac__text_add(page, "<path class=\"d\" d=\"%s\"/><path class=\"d i\" d=\"%s\"/>", dots.data,
				dots.data);
	page->failed |= crosses.failed || dots.failed;
	clpac__text_clear(&crosses);
	clpac__text_clear(&dots);
}

void clpac__map_add_body(clpac__text *page, const clpac__page_series *s, const float *values, clpac__map_range range,
			 const char *id)
{
	clpac__text_add(page, "<g id=\"%s\"><rect width=\"%d\" height=\"%d\" class=\"u\"/><g class=\"m\" transform=\"",
			id, SIDE, SIDE);
	clpac__text_add(page, "scale(");
	clpac__page_add_number(page, (double)SIDE / (double)s->n_phase, 6);
	clpac__text_add(page, ",");
	clpac__page_add_number(page, (double)SIDE / (double)s->n_amplitude, 6);
	clpac__text_add(page, ")\"><g transform=\"translate(0,.5)\">");
	add_cells(page, s, values, range);
	clpac__text_add(page, "</g>");
	add_marks(page, s, values);
	if (s->p && values != s->index)
		add_outline(page, s);
	clpac__text_add(page, "</g>");
	if (s->peak.found) {
		clpac__text_add(page, "<circle class=\"r\" r=\"2\" cx=\"");
		clpac__page_add_number(page, SIDE * ((double)s->peak.phase + 0.5) / (double)s->n_phase, 4);
		clpac__text_add(page, "\" cy=\"");
		clpac__page_add_number(page, SIDE * (1 - ((double)s->peak.amplitude + 0.5) / (double)s->n_amplitude),
				       4);
		clpac__text_add(page, "\"/>");
	}
	clpac__text_add(page, "</g>");
}

/* --- Words --------------------------------------------------------------------------------------- */

static double centre(clpac_band band)
{
	return (band.lo_hz + band.hi_hz) / 2;
}

/* "peak at phase 4.5-7.5 Hz, amplitude 62-102 Hz: MI 0.0032, z 18.1, p_max 0.005" */
static void add_peak_words(clpac__text *page, const clpac__page_series *s)
{
	if (!s->peak.found) {
		clpac__text_add(page, "no cell is defined");
		return;
	}
	clpac__page_add_band(page, clpac_result_phase_bands(s->result)[s->peak.phase]);
	clpac__text_add(page, " Hz / ");
	clpac__page_add_band(page, clpac_result_cell_band(s->result, s->peak.phase, s->peak.amplitude));
	clpac__text_add(page, " Hz: %s ", clpac__series_index_word(s));
	clpac__page_add_number(page, s->index[s->peak_cell], 3);
	if (s->z) {
		clpac__text_add(page, ", %s ", clpac__series_z_word(s));
		clpac__page_add_number(page, s->z[s->peak_cell], 3);
	}
	if (s->p) {
		clpac__text_add(page, ", %s ", s->is_corrected ? "p_max" : "p");
		clpac__page_add_number(page, s->p[s->peak_cell], 2);
	}
	if (s->remaining && !isnan(s->remaining[s->peak_cell])) {
		clpac__text_add(page, ", remaining ");
		clpac__page_add_number(page, s->remaining[s->peak_cell], 2);
	}
}

/* --- The large maps of a channel ----------------------------------------------------------------- */

void clpac__map_add_ticks(clpac__text *page, const clpac__page_series *s)
{
	const clpac_band *phase = clpac_result_phase_bands(s->result),
			 *amplitude = clpac_result_amplitude_bands(s->result);
	const size_t each_phase = (s->n_phase + 4) / 5, each_amplitude = (s->n_amplitude + 4) / 5;
	for (size_t p = each_phase / 2; p < s->n_phase; p += each_phase) {
		clpac__text_add(page, "<text text-anchor=\"middle\" y=\"%d\" x=\"", SIDE + 9);
		clpac__page_add_number(page, SIDE * ((double)p + 0.5) / (double)s->n_phase, 4);
		clpac__text_add(page, "\">");
		clpac__page_add_number(page, centre(phase[p]), 3);
		clpac__text_add(page, "</text>");
	}
	for (size_t a = each_amplitude / 2; a < s->n_amplitude; a += each_amplitude) {
		clpac__text_add(page, "<text text-anchor=\"end\" x=\"-3\" y=\"");
		clpac__page_add_number(page, 2.5 + SIDE * (1 - ((double)a + 0.5) / (double)s->n_amplitude), 4);
		clpac__text_add(page, "\">");
		clpac__page_add_number(page, centre(amplitude[a]), 3);
		clpac__text_add(page, "</text>");
	}
	clpac__text_add(
		page,
		"<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">phase frequency (Hz)</text>"
		"<text text-anchor=\"middle\" transform=\"translate(-24,%d) rotate(-90)\">amplitude%s frequency "
		"(Hz)</text>",
		SIDE / 2, SIDE + 19, SIDE / 2, clpac_result_cell_bands(s->result) ? " ± phase" : "");
}

void clpac__map_add_colours(clpac__text *page, clpac__map_range range, const char *word)
{
	clpac__text_add(page, "<span class=\"bar\">%s <span>", word);
	clpac__page_add_number(page, range.lo, 3);
	clpac__text_add(page, "</span><i></i><span>");
	clpac__page_add_number(page, range.hi, 3);
	clpac__text_add(page, "</span></span>");
}

/* A large map of the index ('i') or of z: the small map's body where that shows the same, else one of its own. */
static void add_large(clpac__text *page, const clpac__page_series *s, const char *id, char which,
		      clpac__map_range range)
{
	const bool is_index = which == 'i';
	const char *word = is_index ? clpac__series_index_word(s) : clpac__series_z_word(s);
	char own[48];
	snprintf(own, sizeof own, "%s-%c", id, which);
	clpac__text_add(page,
			"<figure><svg class=\"map\" viewBox=\"-32 -4 140 126\" role=\"img\" aria-labelledby=\"%s-t "
			"%s-d\"><title id=\"%s-t\">%s by phase and amplitude frequency, channel ",
			own, own, own, word);
	clpac__page_add_text(page, clpac_result_channel_name(s->result, s->channel));
	clpac__text_add(page, "</title><desc id=\"%s-d\">Peak: ", own);
	add_peak_words(page, s);
	clpac__text_add(page, "</desc>");
	if (is_index && s->z)
		clpac__map_add_body(page, s, s->index, range, own);
	else
		clpac__text_add(page, "<use href=\"#%s\"/>", id);
	clpac__text_add(page, "<rect class=\"f\" width=\"%d\" height=\"%d\"/>", SIDE, SIDE);
	clpac__map_add_ticks(page, s);
	clpac__text_add(page, "<rect class=\"cursor\" width=\"0\" height=\"0\"/></svg>\n<figcaption>");
	clpac__map_add_colours(page, range, word);
	clpac__text_add(page, "</figcaption></figure>\n");
}

/* Phase bands of coupling, and how far the spectrum rises in them: coupling to a phase without a rhythm is doubtful. */
static void add_rhythm(clpac__text *page, const clpac__page_series *s)
{
	const clpac_band *bands = clpac_result_phase_bands(s->result);
	bool has_any = false;
	for (size_t p = 0; s->phase_peak_db && p < s->n_phase; p++) {
		if (isnan(s->phase_peak_db[p]))
			continue;
		clpac__text_add(page, has_any ? ", "
					      : "<p>The spectrum rises above what falls with frequency, in "
						"phase bands with coupling: ");
		has_any = true;
		clpac__page_add_band(page, bands[p]);
		clpac__text_add(page, " Hz by ");
		clpac__page_add_number(page, s->phase_peak_db[p], 3);
		clpac__text_add(page, " dB");
	}
	if (has_any)
		clpac__text_add(page, ".</p>\n");
}

static void add_used(clpac__text *page, const clpac__page_series *s)
{
	const size_t n_segments = clpac_result_get_shape(s->result)->n_segments,
		     series = s->channel * n_segments + s->segment;
	clpac__text_add(page, "<p>Used: ");
	clpac__page_add_number(page, clpac_result_used_seconds(s->result)[series], 6);
	clpac__text_add(page, " s in %lu stretch%s", (unsigned long)clpac_result_n_stretches(s->result)[series],
			clpac_result_n_stretches(s->result)[series] == 1 ? "" : "es");
	if (n_segments > 1) {
		const char *condition = clpac_result_condition(s->result, s->segment);
		clpac__text_add(page, "; segment %zu of %zu, which has the channel's peak", s->segment, n_segments);
		if (condition)
			clpac__text_add(page, ", condition ");
		clpac__page_add_text(page, condition ? condition : "");
	}
	clpac__text_add(page, ".</p>\n");
}

/* The part of a channel that opens below its small map. */
static void add_inside(clpac__text *page, const clpac__shown *shown, const clpac__page_series *s, const char *id,
		       clpac__map_range of_index, clpac__map_range of_z)
{
	clpac__text_add(page, "<div class=\"in\">\n");
	add_large(page, s, id, 'i', of_index);
	if (s->z)
		add_large(page, s, id, 'z', of_z);
	clpac__series_add_distribution(page, s, id);
	clpac__series_add_null(page, s, id);
	clpac__series_add_maxima(page, s, id);
	clpac__page_add_spectrum(page, shown, s->channel);
	clpac__text_add(page, "</div>\n<p class=\"cell\"><output>Peak: ");
	add_peak_words(page, s);
	clpac__text_add(page, ".</output></p>\n");
	add_used(page, s);
	add_rhythm(page, s);
}

static void name_of(const clpac__shown *shown, size_t channel, char id[40])
{
	snprintf(id, 40, "r%zuc%zu", shown->number, channel);
}

static void add_channel(clpac__text *page, const clpac__shown *shown, const clpac__page_series *s,
			clpac__map_range of_z, bool is_open)
{
	char id[40];
	clpac__map_range of_index = {0, 0};
	const float *first = s->z ? s->z : s->index;
	name_of(shown, s->channel, id);
	clpac__map_widen(&of_index, s->index, s->n_cells);
	clpac__text_add(page, "<details id=\"%s-d\"%s><summary><strong>", id, is_open ? " open" : "");
	clpac__page_add_text(page, clpac_result_channel_name(s->result, s->channel));
	clpac__text_add(page,
			"</strong><svg class=\"small\" viewBox=\"-1 -1 102 102\" role=\"img\" aria-labelledby=\"%s-t "
			"%s-e\"><title id=\"%s-t\">Map of %s, channel ",
			id, id, id, s->z ? clpac__series_z_word(s) : clpac__series_index_word(s));
	clpac__page_add_text(page, clpac_result_channel_name(s->result, s->channel));
	clpac__text_add(page,
			"</title><desc id=\"%s-e\">Phase frequencies to the right, amplitude frequencies upwards; "
			"the ring is the peak.</desc>",
			id);
	clpac__map_add_body(page, s, first, s->z ? of_z : of_index, id);
	clpac__text_add(page, "<rect class=\"f\" width=\"%d\" height=\"%d\"/></svg><small>", SIDE, SIDE);
	add_peak_words(page, s);
	clpac__text_add(page, "</small></summary>\n");
	add_inside(page, shown, s, id, of_index, of_z);
	clpac__text_add(page, "</details>\n");
}

/* --- Numbers for the script ---------------------------------------------------------------------- */

/* Values as a text with blanks between them, "-" for NaN, in a unit. */
static void add_values(clpac__text *page, const float *values, size_t n, double unit)
{
	clpac__text_add(page, "\"");
	for (size_t i = 0; i < n; i++) {
		clpac__text_add(page, i ? " " : "");
		clpac__page_add_number(page, isfinite(values[i]) ? values[i] / unit : NAN, 3);
	}
	clpac__text_add(page, "\"");
}

/* The columns of a cell, those that the result holds. */
typedef struct columns {
	const char *words[6];
	const float *values[6];
	size_t n;
} columns;

static void take(columns *to, const char *word, const float *values)
{
	if (!values)
		return;
	to->words[to->n] = word;
	to->values[to->n++] = values;
}

static columns columns_of(const clpac__page_series *s)
{
	columns c = {.n = 0};
	take(&c, clpac__series_index_word(s), s->index);
	take(&c, clpac__series_z_word(s), s->z);
	take(&c, s->is_corrected ? "p_max" : "p", s->p);
	take(&c, "remaining", s->remaining);
	take(&c, s->is_comparison ? "subjects" : "mean of surrogates", s->is_comparison ? s->n_subjects : s->null_mean);
	take(&c, "their deviation", s->null_deviation);
	return c;
}

/* The power of ten in which the largest value of a column is below 1000 and not below 100, so that few digits are
 * written. */
static double unit_of(const clpac_result *result, const size_t *channels, size_t n, size_t column)
{
	double largest = 0;
	for (size_t i = 0; i < n; i++) {
		const clpac__page_series s = clpac__series_of(result, channels[i]);
		const float *values = columns_of(&s).values[column];
		for (size_t cell = 0; cell < s.n_cells; cell++)
			if (isfinite(values[cell]))
				largest = fmax(largest, fabs((double)values[cell]));
	}
	return largest > 0 ? pow(10, floor(log10(largest)) - 2) : 1;
}

static void add_band_names(clpac__text *page, const clpac_band *bands, size_t n, bool is_tied)
{
	clpac__text_add(page, "[");
	for (size_t i = 0; i < n; i++) {
		clpac__text_add(page, i ? ",\"" : "\"");
		if (is_tied)
			clpac__page_add_number(page, centre(bands[i]), 3);
		else
			clpac__page_add_band(page, bands[i]);
		clpac__text_add(page, is_tied ? " ± phase\"" : "\"");
	}
	clpac__text_add(page, "]");
}

static void add_data(clpac__text *page, const clpac__shown *shown, const size_t *channels, size_t n)
{
	const clpac_result_shape *shape = clpac_result_get_shape(shown->result);
	const clpac__page_series first = clpac__series_of(shown->result, channels[0]);
	const columns words = columns_of(&first);
	double units[6];
	const bool has_bins = first.distributions && first.n_cells * first.n_bins <= MOST_BINS / n;
	clpac__text_add(page, "<script type=\"application/json\" class=\"cells\">{\"phase\":");
	add_band_names(page, clpac_result_phase_bands(shown->result), shape->n_phase_bands, false);
	clpac__text_add(page, ",\"amplitude\":");
	add_band_names(page, clpac_result_amplitude_bands(shown->result), shape->n_amplitude_bands,
		       clpac_result_cell_bands(shown->result) != NULL);
	clpac__text_add(page, ",\"words\":[");
	for (size_t i = 0; i < words.n; i++)
		clpac__text_add(page, "%s\"%s\"", i ? "," : "", words.words[i]);
	clpac__text_add(page, "],\"units\":[");
	for (size_t i = 0; i < words.n; i++) {
		units[i] = unit_of(shown->result, channels, n, i);
		clpac__text_add(page, i ? "," : "");
		clpac__page_add_number(page, units[i], 3);
	}
	clpac__text_add(page, "],\"null\":%s,\"maps\":[", first.null_mean && first.null_deviation ? "true" : "false");
	for (size_t i = 0; i < n; i++) {
		const clpac__page_series s = clpac__series_of(shown->result, channels[i]);
		const columns c = columns_of(&s);
		char id[40];
		name_of(shown, channels[i], id);
		clpac__text_add(page, "%s{\"id\":\"%s\",\"peak\":%zu,\"values\":[", i ? ",\n" : "", id, s.peak_cell);
		for (size_t k = 0; k < c.n; k++) {
			clpac__text_add(page, k ? "," : "");
			add_values(page, c.values[k], s.n_cells, units[k]);
		}
		clpac__text_add(page, "]");
		if (has_bins) {
			clpac__text_add(page, ",\"bins\":%zu,\"distributions\":", s.n_bins);
			add_values(page, s.distributions, s.n_cells * s.n_bins, 1);
		}
		clpac__text_add(page, "}");
	}
	clpac__text_add(page, "]}</script>\n");
}

/* --- All channels -------------------------------------------------------------------------------- */

/* The channels that are drawn: all, or the first ones and that of the peak.  Returns their number. */
static size_t choose(const clpac_result *result, const clpac_peak *peak, size_t channels[MOST_CHANNELS])
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t cells = shape->n_phase_bands * shape->n_amplitude_bands;
	size_t n = cells < MOST_CELLS ? MOST_CELLS / cells : 1;
	n = n < MOST_CHANNELS ? n : MOST_CHANNELS;
	n = n < shape->n_channels ? n : shape->n_channels;
	for (size_t i = 0; i < n; i++)
		channels[i] = i;
	if (n && peak->found && peak->channel >= n)
		channels[n - 1] = peak->channel;
	return n;
}

static void add_legend(clpac__text *page, const clpac__page_series *s, size_t n, size_t n_channels)
{
	clpac__text_add(page,
			"<p>Phase frequencies to the right, amplitude frequencies upwards, a cell for each pair of "
			"bands.");
	if (s->p)
		clpac__text_add(page, " Outlined: %s up to 0.05.", s->is_corrected ? "p_max" : "p");
	clpac__text_add(page, " Ring: the peak.");
	if (s->harmonic)
		clpac__text_add(page, " Dot: little of the coupling remains without the shape of the slow wave.");
	clpac__text_add(page, " Crossed: the amplitude band is too narrow for the phase. Grey: no value.");
	if (n < n_channels)
		clpac__text_add(page, " Shown are %zu of %zu channels, that of the peak among them; the .npz has all.",
				n, n_channels);
	clpac__text_add(page,
			"</p>\n<p class=\"js\">Point at a cell of a large map, or move with the arrow keys, to read "
			"its numbers%s.</p>\n",
			s->distributions ? ", distribution and null" : " and null");
}

clpac_status clpac__page_add_maps(clpac__text *page, const clpac__shown *shown, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(shown->result);
	const clpac_peak peak = clpac_result_peak(shown->result, SIZE_MAX);
	size_t channels[MOST_CHANNELS];
	clpac__map_range of_z = {0, 0};
	if (!shape->n_channels || !shape->n_phase_bands || !shape->n_amplitude_bands)
		return CLPAC_OK;
	const clpac__page_series first = clpac__series_of(shown->result, 0);
	if (!first.index)
		return CLPAC_OK;
	const size_t n = choose(shown->result, &peak, channels);
	for (size_t i = 0; i < n; i++) {
		const clpac__page_series s = clpac__series_of(shown->result, channels[i]);
		clpac__map_widen(&of_z, s.z, s.n_cells);
	}
	clpac__page_add(page, "h3", "Maps");
	add_legend(page, &first, n, shape->n_channels);
	if (first.z) {
		clpac__text_add(page, "<p>");
		clpac__map_add_colours(page, of_z, clpac__series_z_word(&first));
		clpac__text_add(page, "</p>\n");
	}
	clpac__text_add(page, "<div class=\"grid\">\n");
	for (size_t i = 0; i < n; i++) {
		const clpac__page_series s = clpac__series_of(shown->result, channels[i]);
		RETURN_IF_ERROR(clpac_cancel_check(err));
		add_channel(page, shown, &s, of_z, peak.found ? peak.channel == channels[i] : i == 0);
	}
	clpac__text_add(page, "</div>\n");
	add_data(page, shown, channels, n);
	return CLPAC_OK;
}
