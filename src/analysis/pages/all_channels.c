/* All channels of a result in one drawing: the share of them that is significant in each cell, and the head with the
 * values of the peak's cell. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "analysis/pages/maps.h"
#include "analysis/pages/page.h"
#include "analysis/pages/series.h"
#include "analysis/pages/style.h"
#include "base/electrode.h"
#include "base/head.h"
#include "base/memory.h"

enum { LEAST = 4, DOTS = 64 };

/* The channels of a result in the segment of its peak. */
typedef struct all {
	const clpac__shown *shown;
	clpac__page_series first; /* channel 0 */
	size_t n, segment, n_cells, cell;
} all;

static float value_of(const all *a, const float *array, size_t channel, size_t cell)
{
	const size_t n_segments = clpac_result_get_shape(a->shown->result)->n_segments;
	return array[(channel * n_segments + a->segment) * a->n_cells + cell];
}

/* The beginning of the array that a series of channel 0 points into. */
static const float *whole(const all *a, const float *of_first)
{
	return of_first ? of_first - a->first.segment * a->n_cells : NULL;
}

static void begin(clpac__text *page, const char *box, const char *id)
{
	clpac__text_add(page,
			"<figure><svg viewBox=\"%s\" role=\"img\" aria-labelledby=\"%s-t %s-d\"><title id=\"%s-t\">",
			box, id, id, id);
}

/* --- Shares of channels -------------------------------------------------------------------------- */

static clpac_status add_shares(clpac__text *page, const all *a, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const float *p = whole(a, a->first.p);
	const char *word = a->first.is_corrected ? "p_max" : "p";
	clpac__page_series series = a->first;
	clpac__map_range range = {0, 0};
	float *shares = NULL;
	size_t most = 0;
	char id[40];
	TRY(NEW_ARRAY(shares, a->n_cells));
	for (size_t cell = 0; cell < a->n_cells; cell++) {
		size_t n = 0, n_small = 0;
		for (size_t ch = 0; ch < a->n; ch++) {
			n += !isnan(value_of(a, p, ch, cell));
			n_small += value_of(a, p, ch, cell) <= clpac__map_significance;
		}
		shares[cell] = n ? (float)(100.0 * (double)n_small / (double)n) : NAN;
		most = shares[cell] > shares[most] || isnan(shares[most]) ? cell : most;
	}
	clpac__map_widen(&range, shares, a->n_cells);
	/* A map of its own, without what belongs to a channel. */
	series.z = series.p = series.harmonic = NULL;
	series.peak.found = false;
	snprintf(id, sizeof id, "r%zuall", a->shown->number);
	begin(page, "-32 -4 140 126", id);
	clpac__text_add(page,
			"Share of channels with %s up to 0.05, by phase and amplitude frequency</title><desc id=\"",
			word);
	clpac__text_add(page, "%s-d\">Of %zu channels, the highest share is ", id, a->n);
	clpac__page_add_number(page, shares[most], 3);
	clpac__text_add(page, " percent, at ");
	clpac__page_add_band(page, clpac_result_phase_bands(a->shown->result)[most / series.n_amplitude]);
	clpac__text_add(page, " Hz / ");
	clpac__page_add_band(
		page, clpac_result_cell_band(a->shown->result, most / series.n_amplitude, most % series.n_amplitude));
	clpac__text_add(page, " Hz.</desc>");
	clpac__map_add_body(page, &series, shares, range, id);
	clpac__text_add(page, "<rect class=\"f\" width=\"%d\" height=\"%d\"/>", CLPAC__MAP_SIDE, CLPAC__MAP_SIDE);
	clpac__map_add_ticks(page, &series);
	clpac__text_add(page, "</svg>\n<figcaption>Share of the %zu channels with %s up to 0.05: ", a->n, word);
	clpac__map_add_colours(page, range, "%");
	clpac__text_add(page, "</figcaption></figure>\n");
done:
	clpac__free(shares);
	return st;
}

/* --- The head ------------------------------------------------------------------------------------ */

/* Where a channel is: by the record of the run, else by its name. */
static bool find_direction(const all *a, size_t channel, double out[3])
{
	const char *name = clpac_result_channel_name(a->shown->result, channel);
	const json_t *at =
		json_object_get(json_object_get(json_object_get(a->shown->facts, "provenance"), "positions"), name);
	double length = 0;
	for (size_t k = 0; k < 3 && json_array_size(at) == 3; k++) {
		out[k] = json_number_value(json_array_get(at, k));
		length += out[k] * out[k];
	}
	for (int k = 0; k < 3 && length > 0; k++)
		out[k] /= sqrt(length);
	return length > 0 || clpac__electrode_direction(name, out);
}

/* Dots of the head as horizontal lines of one colour, as cells of maps are. */
static void add_dots(clpac__text *page, const clpac__head_values *values, clpac__map_range range, double reach)
{
	unsigned char classes[DOTS][DOTS];
	for (int y = 0; y < DOTS; y++)
		for (int x = 0; x < DOTS; x++) {
			double direction[3];
			const clpac__head_place at = {((x + 0.5) * 2 / DOTS - 1) * reach,
						      (1 - (y + 0.5) * 2 / DOTS) * reach};
			clpac__head_direction_of(at, direction);
			const double value = clpac__head_value_at(values, direction);
			classes[y][x] = (unsigned char)clpac__map_class(range, fmax(range.lo, value));
		}
	for (int class = 0; class < CLPAC__PAGE_COLOURS; class ++) {
		bool has_any = false;
		for (int y = 0; y < DOTS; y++)
			for (int x = 0, width = 1; x < DOTS; x += width) {
				width = 1;
				if (classes[y][x] != class)
					continue;
				while (x + width < DOTS && classes[y][x + width] == class)
					width++;
				if (!has_any)
					clpac__text_add(page, "<path class=\"v%d\" d=\"", class);
				clpac__text_add(page, "M%d %dh%d", x, y, width);
				has_any = true;
			}
		if (has_any)
			clpac__text_add(page, "\"/>");
	}
}

/* The outline, with the nose and the ears, around (0, 0) with a radius of 1. */
static const char outline[] =
	"<g class=\"head\"><circle r=\"1\"/><path d=\"M-.1-.995 0-1.13.1-.995M-.985-.17C-1.1-.2-1.1.2-.985.17"
	"M.985-.17C1.1-.2 1.1.2.985.17\"/></g>";

static void add_electrode(clpac__text *page, const all *a, const float *values, size_t channel,
			  const double direction[3])
{
	const clpac__head_place at = clpac__head_place_of(direction);
	const float *p = whole(a, a->first.p);
	const bool is_small = p && value_of(a, p, channel, a->cell) <= clpac__map_significance;
	clpac__text_add(page, "<circle class=\"%s\" r=\"%s\" cx=\"", is_small ? "r" : "q", is_small ? ".04" : ".02");
	clpac__page_add_number(page, round(1000 * at.x) / 1000 + 0.0, 3);
	clpac__text_add(page, "\" cy=\"");
	clpac__page_add_number(page, round(-1000 * at.y) / 1000 + 0.0, 3);
	clpac__text_add(page, "\"><title>");
	clpac__page_add_text(page, clpac_result_channel_name(a->shown->result, channel));
	clpac__text_add(page, " ");
	clpac__page_add_number(page, value_of(a, values, channel, a->cell), 3);
	clpac__text_add(page, "</title></circle>");
}

/* The channels that have a place: which they are, where, and their values, where they have one. */
typedef struct placed {
	size_t n, n_known, best;
	size_t *channels;
	double (*directions)[3], (*known_directions)[3], *known;
	double reach;
} placed;

static clpac_status place(const all *a, const float *values, placed *out, clpac_error *err)
{
	*out = (placed){.reach = 1};
	RETURN_IF_ERROR(NEW_ARRAY(out->channels, a->n));
	RETURN_IF_ERROR(NEW_ARRAY(out->directions, a->n));
	RETURN_IF_ERROR(NEW_ARRAY(out->known_directions, a->n));
	RETURN_IF_ERROR(NEW_ARRAY(out->known, a->n));
	for (size_t ch = 0; ch < a->n; ch++) {
		double *at = out->directions[out->n];
		if (clpac_result_pair_channel(a->shown->result, ch, CLPAC_PHASE) || !find_direction(a, ch, at))
			continue;
		const clpac__head_place on_disc = clpac__head_place_of(at);
		const double value = value_of(a, values, ch, a->cell);
		out->reach = fmax(out->reach, hypot(on_disc.x, on_disc.y));
		out->channels[out->n++] = ch;
		if (isnan(value))
			continue;
		if (!out->n_known || value > value_of(a, values, out->best, a->cell))
			out->best = ch;
		memcpy(out->known_directions[out->n_known], at, sizeof *out->known_directions);
		out->known[out->n_known++] = value;
	}
	return CLPAC_OK;
}

static void add_cell_bands(clpac__text *page, const all *a)
{
	clpac__page_add_band(page, clpac_result_phase_bands(a->shown->result)[a->cell / a->first.n_amplitude]);
	clpac__text_add(page, " Hz / ");
	clpac__page_add_band(page, clpac_result_cell_band(a->shown->result, a->cell / a->first.n_amplitude,
							  a->cell % a->first.n_amplitude));
	clpac__text_add(page, " Hz");
}

static clpac_status add_head(clpac__text *page, const all *a, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const float *values = whole(a, a->first.z ? a->first.z : a->first.index);
	const char *word = a->first.z ? clpac__series_z_word(&a->first) : clpac__series_index_word(&a->first);
	clpac__head_values between = {0};
	clpac__map_range range = {0, 0};
	placed at;
	char id[40];
	TRY(place(a, values, &at, err));
	if (at.n_known < LEAST)
		goto done;
	TRY(clpac__head_values_create((const double(*)[3])at.known_directions, at.known, at.n_known, &between, err));
	for (size_t i = 0; i < at.n_known; i++)
		clpac__map_widen(&range, &(const float){(float)at.known[i]}, 1);
	snprintf(id, sizeof id, "r%zuhead", a->shown->number);
	begin(page, "-1.4 -1.4 2.8 2.8", id);
	clpac__text_add(page,
			"The head from above, nose upwards: %s of %zu channels</title><desc id=\"%s-d\">Highest at ",
			word, at.n, id);
	clpac__page_add_text(page, clpac_result_channel_name(a->shown->result, at.best));
	clpac__text_add(page, ": ");
	clpac__page_add_number(page, value_of(a, values, at.best, a->cell), 3);
	clpac__text_add(page, ".</desc><clipPath id=\"%s\"><circle r=\"", id);
	clpac__page_add_number(page, at.reach, 4);
	clpac__text_add(page, "\"/></clipPath><g clip-path=\"url(#%s)\"><g class=\"m\" transform=\"scale(", id);
	clpac__page_add_number(page, 2 * at.reach / DOTS, 6);
	clpac__text_add(page, ") translate(-%d -%d.5)\">", DOTS / 2, DOTS / 2 - 1);
	add_dots(page, &between, range, at.reach);
	clpac__text_add(page, "</g></g>%s", outline);
	for (size_t i = 0; i < at.n; i++)
		add_electrode(page, a, values, at.channels[i], at.directions[i]);
	clpac__text_add(page, "</svg>\n<figcaption>Head at ");
	add_cell_bands(page, a);
	clpac__text_add(page, ", nose upwards: ");
	clpac__map_add_colours(page, range, word);
	clpac__text_add(page, "%s; between channels are splines</figcaption></figure>\n",
			a->first.p ? "; rings: outlined cells" : "");
done:
	clpac__head_values_destroy(&between);
	FREE_ALL(at.channels, at.directions, at.known_directions, at.known);
	return st;
}

clpac_status clpac__page_add_all_channels(clpac__text *page, const clpac__shown *shown, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(shown->result);
	const clpac_peak peak = clpac_result_peak(shown->result, SIZE_MAX);
	all a = {.shown = shown, .first = clpac__series_of(shown->result, 0), .n = shape->n_channels};
	a.n_cells = a.first.n_cells;
	a.segment = peak.found ? peak.segment : 0;
	a.cell = peak.found ? peak.phase * a.first.n_amplitude + peak.amplitude : 0;
	if (a.n < LEAST || !a.n_cells || !a.first.index)
		return CLPAC_OK;
	clpac__page_add(page, "h3", "All channels");
	clpac__text_add(page, "<div class=\"in\">\n");
	if (a.first.p)
		RETURN_IF_ERROR(add_shares(page, &a, err));
	RETURN_IF_ERROR(add_head(page, &a, err));
	clpac__text_add(page, "</div>\n");
	return CLPAC_OK;
}
