
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clean.h"
#include "base/memory.h"
#include "recording/plot/plot_parts.h"

enum { MOST_COLUMNS = 5000, TITLE_SIZE = 400 };

static const double panel_width = 300, panel_height = 122, gap = 8;

/* Segments along the axis, at their middles: as many columns as steps between the first and the last, of which some
 * may have no segment. */
struct columns {
	clpac__cells cells;
	size_t *segments; /* of each column; SIZE_MAX: none */
};

static void destroy_columns(struct columns *columns)
{
	clpac__cells_destroy(&columns->cells);
	clpac__free(columns->segments);
}

/* Whether segments are points in time about an event (clpac/erpac.h). */
static bool are_points(const clpac_result *result)
{
	return clpac_result_measure(result) == CLPAC_MEASURE_RHO;
}

/* The middle of a segment in seconds; NaN for one that is at no time, as a condition of several epochs. */
static double middle_of(const clpac_result *result, size_t channel, size_t segment)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	double used_s = 0;
	if (are_points(result))
		return clpac_result_segment_onsets(result)[segment];
	/* A segment that this channel does not have is as long as another channel's. */
	for (size_t ch = 0; ch < shape->n_channels; ch++) {
		const double own_s = clpac_result_used_seconds(result)[ch * shape->n_segments + segment];
		if (ch == channel && own_s > 0)
			used_s = own_s;
		else if (!(used_s > 0))
			used_s = own_s;
	}
	return clpac_result_segment_onsets(result)[segment] + used_s / 2;
}

static clpac_status place_columns(const clpac_result *result, size_t channel, struct columns *out, clpac_error *err)
{
	const size_t n_segments = clpac_result_get_shape(result)->n_segments;
	double first_s = INFINITY, last_s = -INFINITY, step_s = INFINITY;
	for (size_t s = 0; s < n_segments; s++) {
		const double at_s = middle_of(result, channel, s);
		if (!isfinite(at_s))
			continue;
		first_s = fmin(first_s, at_s);
		last_s = fmax(last_s, at_s);
		if (s && fabs(at_s - middle_of(result, channel, s - 1)) > 0)
			step_s = fmin(step_s, fabs(at_s - middle_of(result, channel, s - 1)));
	}
	if (!(last_s > first_s) || !isfinite(step_s))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "plot: a picture over time needs segments at two times or more, and the result has %zu "
			     "segment%s; "
			     "compute it with --sliding or --segment",
			     n_segments, n_segments == 1 ? "" : "s");
	step_s = fmax(step_s, (last_s - first_s) / (MOST_COLUMNS - 1));
	const size_t n = (size_t)floor((last_s - first_s) / step_s + 0.5) + 1;
	out->cells.n = n;
	RETURN_IF_ERROR(NEW_ARRAY(out->cells.order, n));
	RETURN_IF_ERROR(NEW_ARRAY(out->cells.edges, n + 1));
	RETURN_IF_ERROR(NEW_ARRAY(out->segments, n));
	for (size_t i = 0; i <= n; i++)
		out->cells.edges[i] = first_s + ((double)i - 0.5) * step_s;
	for (size_t i = 0; i < n; i++) {
		out->cells.order[i] = i;
		out->segments[i] = SIZE_MAX;
	}
	for (size_t s = 0; s < n_segments; s++) {
		const double at_s = middle_of(result, channel, s);
		if (isfinite(at_s))
			out->segments[(size_t)floor((at_s - first_s) / step_s + 0.5)] = s;
	}
	out->cells.range = (clpac__range){.lo = out->cells.edges[0], .hi = out->cells.edges[n]};
	return CLPAC_OK;
}

/* One panel: the bands of one use over time, at one band of the other. */
struct panel {
	clpac__cells bands;
	float *values, *p; /* (column, band) */
	uint8_t *valid;
	char title[160];
	const char *y_label;
};

static void destroy_panel(struct panel *panel)
{
	clpac__cells_destroy(&panel->bands);
	FREE_ALL(panel->values, panel->p, panel->valid);
}

/* The array that is drawn: t of a comparison, z, or without surrogates the index. */
static const float *drawn_of(const clpac_result *result)
{
	const float *t = clpac_result_array(result, CLPAC_T, NULL), *z = clpac_result_array(result, CLPAC_Z, NULL);
	return t ? t : z ? z : clpac_result_array(result, CLPAC_MI, NULL);
}

/* @param use whose bands are along the axis, at band `at` of the other use. */
static clpac_status fill_panel(const clpac_result *result, size_t channel, clpac_band_use use, size_t at,
			       const struct columns *columns, struct panel *out, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t n_phase = shape->n_phase_bands, n_amplitude = shape->n_amplitude_bands;
	const bool is_phase = use == CLPAC_PHASE;
	const size_t n = is_phase ? n_phase : n_amplitude, n_columns = columns->cells.n;
	const clpac_band *bands = is_phase ? clpac_result_phase_bands(result) : clpac_result_amplitude_bands(result);
	const float *values = drawn_of(result), *p_max = clpac_result_array(result, CLPAC_P_MAX, NULL);
	const float *p = p_max ? p_max : clpac_result_array(result, CLPAC_P, NULL);
	char band[96];
	RETURN_IF_ERROR(clpac__cells_create(bands, n, &out->bands, err));
	out->values = clpac__alloc_array(n_columns, n * sizeof *out->values);
	out->p = clpac__alloc_array(n_columns, n * sizeof *out->p);
	out->valid = clpac__alloc_array(n_columns, n * sizeof *out->valid);
	if (!out->values || !out->p || !out->valid)
		RETURN_NO_MEMORY(n_columns * n * (2 * sizeof(float) + 1));
	for (size_t c = 0; c < n_columns; c++)
		for (size_t b = 0; b < n; b++) {
			const size_t ph = is_phase ? b : at, am = is_phase ? at : b, segment = columns->segments[c];
			const size_t cell = ((channel * shape->n_segments + segment) * n_phase + ph) * n_amplitude + am;
			const bool is_there = segment != SIZE_MAX;
			out->values[c * n + b] = is_there ? values[cell] : NAN;
			out->p[c * n + b] = is_there && p ? p[cell] : NAN;
			out->valid[c * n + b] = clpac_result_valid(result)[ph * n_amplitude + am];
		}
	clpac__band_text(band,
			 is_phase ? clpac_result_amplitude_bands(result)[at] : clpac_result_phase_bands(result)[at]);
	snprintf(out->title, sizeof out->title, "%s at %s Hz", is_phase ? "Amplitude" : "Phase", band);
	out->y_label = is_phase ? "phase frequency (Hz)" : "amplitude frequency (Hz)";
	return CLPAC_OK;
}

static void draw_panel(cairo_t *cairo, clpac__box box, const clpac_result *result, const struct columns *columns,
		       const struct panel *panel, const clpac_plot_options *options)
{
	const bool has_z = clpac_result_array(result, CLPAC_Z, NULL) != NULL;
	const bool is_comparison = clpac_result_array(result, CLPAC_T, NULL) != NULL;
	const bool has_p_max = clpac_result_array(result, CLPAC_P_MAX, NULL) != NULL;
	clpac__drawn_map map = {
		.phase = &columns->cells,
		.amplitude = &panel->bands,
		.values = panel->values,
		.p = has_p_max || clpac_result_array(result, CLPAC_P, NULL) ? panel->p : NULL,
		.is_corrected = has_p_max,
		.significance = options->significance,
		.valid = panel->valid,
		.limits = {options->lowest, options->highest, false, false, 0},
		.colours = (int)options->colours,
		.is_smooth = options->smooth,
		.title = panel->title,
		.unit = is_comparison ? "t"
			: has_z	      ? "z-score"
				      : clpac_measure_words(clpac_result_measure(result)),
		.x_label = are_points(result) ? "time from the event (s)" : "time (s), middles of segments",
		.y_label = panel->y_label,
	};
	clpac__draw_map(cairo, box, &map);
}

static void write_titles(const clpac_result *result, const clpac_plot_options *options, const clpac_peak *peak,
			 char title[TITLE_SIZE], char subtitle[TITLE_SIZE])
{
	const char *phase = clpac_result_pair_channel(result, peak->channel, CLPAC_PHASE);
	const char *amplitude = clpac_result_pair_channel(result, peak->channel, CLPAC_AMPLITUDE);
	char band[96], other[96];
	if (options->title)
		snprintf(title, TITLE_SIZE, "%s", options->title);
	else if (phase && amplitude)
		snprintf(title, TITLE_SIZE, "Phase of %.150s, amplitude of %.150s", phase, amplitude);
	else
		snprintf(title, TITLE_SIZE, "Channel %.300s", clpac_result_channel_name(result, peak->channel));
	clpac__clean(title);
	clpac__band_text(band, clpac_result_phase_bands(result)[peak->phase]);
	clpac__band_text(other, clpac_result_cell_band(result, peak->phase, peak->amplitude));
	if (are_points(result)) {
		snprintf(subtitle, TITLE_SIZE, "%u trials; highest rho %.3g at %s Hz / %s Hz, %.4g s from the event",
			 (unsigned)clpac_result_n_stretches(
				 result)[peak->channel * clpac_result_get_shape(result)->n_segments + peak->segment],
			 (double)peak->mi, band, other, clpac_result_segment_onsets(result)[peak->segment]);
		return;
	}
	snprintf(subtitle, TITLE_SIZE, "%zu segments; highest %s %.3g at %s Hz / %s Hz, segment from %.6g s",
		 clpac_result_get_shape(result)->n_segments,
		 isnan(peak->z) ? clpac_measure_abbreviation(clpac_result_measure(result)) : "z",
		 (double)(isnan(peak->z) ? peak->mi : peak->z), band, other,
		 clpac_result_segment_onsets(result)[peak->segment]);
}

clpac_status clpac__plot_over_time(const clpac_result *result, const char *path, const clpac_plot_options *options,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct columns columns = {.segments = NULL};
	struct panel panels[2] = {{.y_label = NULL}, {.y_label = NULL}};
	clpac__page *page = NULL;
	char title[TITLE_SIZE], subtitle[TITLE_SIZE];
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	clpac_peak peak = clpac_result_peak(result, options->channel);
	if (options->channel != SIZE_MAX && options->channel >= shape->n_channels)
		FAIL(CLPAC_ERROR_ARGUMENT, "plot: channel %zu does not exist: there are %zu, counted from 0",
		     options->channel, shape->n_channels);
	if (options->grid || options->has_cell)
		FAIL(CLPAC_ERROR_ARGUMENT, "plot: a picture over time is of one channel, and of no cell: leave %s out",
		     options->grid ? "the grid" : "the cell");
	if (!drawn_of(result))
		FAIL(CLPAC_ERROR_ARGUMENT, "plot: the result holds no index to draw");
	if (!peak.found)
		peak = (clpac_peak){
			.channel = options->channel == SIZE_MAX ? 0 : options->channel, .mi = NAN, .z = NAN};
	TRY(place_columns(result, peak.channel, &columns, err));
	TRY(fill_panel(result, peak.channel, CLPAC_AMPLITUDE, peak.phase, &columns, &panels[0], err));
	TRY(fill_panel(result, peak.channel, CLPAC_PHASE, peak.amplitude, &columns, &panels[1], err));
	write_titles(result, options, &peak, title, subtitle);
	const double step = clpac__room_above + panel_height + clpac__room_below + gap;
	const double width = 2 * clpac__margin + clpac__room_at_left + panel_width + clpac__room_at_map_right;
	const clpac__output_way way = {options->overwrite, options->set, options->write, options->write_user};
	const clpac__page_size size = {width, 2 * clpac__margin + clpac__title_height + 2 * step, options->width_mm};
	TRY(clpac__page_open(path, &way, size, title, &page, err));
	cairo_t *cairo = clpac__page_cairo(page);
	clpac__draw_page_titles(cairo, &(clpac__panels){.width = width}, title, subtitle);
	for (int i = 0; i < 2; i++)
		draw_panel(cairo,
			   (clpac__box){clpac__margin + clpac__room_at_left,
					clpac__margin + clpac__title_height + clpac__room_above + i * step, panel_width,
					panel_height},
			   result, &columns, &panels[i], options);
	TRY(clpac__page_commit(page, err));
done:
	clpac__page_discard(page);
	destroy_columns(&columns);
	destroy_panel(&panels[0]);
	destroy_panel(&panels[1]);
	return st;
}
