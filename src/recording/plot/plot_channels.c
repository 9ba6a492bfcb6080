/* The figure of all channels of a result: the head with values between its channels, or what its channels have in
 * common. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/electrode.h"
#include "base/head.h"
#include "base/memory.h"
#include "base/number.h"
#include "recording/plot/plot_parts.h"
#include "recording/result_words.h"

enum { TITLE_SIZE = 400, LEAST_PLACED = 4 };

/* What is drawn: one segment of a result. */
struct channels {
	const clpac_result *result;
	const clpac_plot_options *options;
	size_t segment, n, n_cells;
	bool is_comparison;
	clpac__compared compared;	 /* of a comparison */
	const float *index, *tested, *p; /* whole arrays: index or effect; z or t; p_max or p; NULL: none */
	bool is_corrected;
	char title[TITLE_SIZE], subtitle[TITLE_SIZE];
};

static float value_of(const struct channels *c, const float *array, size_t ch, size_t cell)
{
	const size_t n_segments = clpac_result_get_shape(c->result)->n_segments;
	return array[(ch * n_segments + c->segment) * c->n_cells + cell];
}

static bool is_significant(const struct channels *c, size_t ch, size_t cell)
{
	return c->p && value_of(c, c->p, ch, cell) <= (float)c->options->significance;
}

static clpac_status take(const clpac_result *result, const clpac_plot_options *options, struct channels *out,
			 clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	const char *odd = options->population && options->topography ? "topography"
			  : options->grid			     ? "the grid"
			  : options->over_time			     ? "the picture over time"
			  : options->arrows			     ? "arrows"
			  : options->has_cell && options->population ? "the cell"
								     : NULL;
	if (odd)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "plot: a picture of all channels is of its own: leave %s out", odd);
	*out = (struct channels){.result = result, .options = options, .n = shape->n_channels};
	out->n_cells = shape->n_phase_bands * shape->n_amplitude_bands;
	out->segment = options->channel != SIZE_MAX ? options->segment : peak.found ? peak.segment : 0;
	if (out->segment >= shape->n_segments)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "plot: segment %zu does not exist: there are %zu, counted from 0",
			     out->segment, shape->n_segments);
	out->is_comparison = clpac_result_array(result, CLPAC_T, NULL) != NULL;
	if (out->is_comparison)
		out->compared = clpac__compared_words(result);
	out->index = clpac_result_array(result, out->is_comparison ? CLPAC_EFFECT : CLPAC_MI, NULL);
	out->tested = clpac_result_array(result, out->is_comparison ? CLPAC_T : CLPAC_Z, NULL);
	out->p = clpac_result_array(result, CLPAC_P_MAX, NULL);
	out->is_corrected = out->p != NULL;
	if (!out->p)
		out->p = clpac_result_array(result, CLPAC_P, NULL);
	if (!out->index)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "plot: the result holds no index to draw");
	snprintf(out->title, sizeof out->title, "%s", options->title ? options->title : "");
	return CLPAC_OK;
}

static const char *index_words(const struct channels *c)
{
	return c->is_comparison ? c->compared.unit : clpac_measure_words(clpac_result_measure(c->result));
}

static const char *tested_words(const struct channels *c)
{
	return c->is_comparison ? c->compared.t_name : "z-score";
}

/* "19 channels, segment 2": behind the beginning of a title. */
static void add_segment(const struct channels *c, char title[TITLE_SIZE])
{
	const size_t length = strlen(title);
	if (clpac_result_get_shape(c->result)->n_segments > 1)
		snprintf(title + length, TITLE_SIZE - length, ", segment %zu", c->segment);
	const char *condition = clpac_result_condition(c->result, c->segment);
	const size_t now = strlen(title);
	if (condition)
		snprintf(title + now, TITLE_SIZE - now, ", %.100s", condition);
}

static void write_bands(const struct channels *c, size_t cell, char text[200])
{
	const size_t n_amplitude = clpac_result_get_shape(c->result)->n_amplitude_bands;
	char phase[96], amplitude[96];
	clpac__band_text(phase, clpac_result_phase_bands(c->result)[cell / n_amplitude]);
	clpac__band_text(amplitude, clpac_result_cell_band(c->result, cell / n_amplitude, cell % n_amplitude));
	snprintf(text, 200, "%s Hz / %s Hz", phase, amplitude);
}

/* --- Population ---------------------------------------------------------------------------------- */

/* In percent, of the channels whose p is known; NaN where none is. */
static float share_of(const struct channels *c, size_t cell)
{
	size_t n = 0, n_significant = 0;
	for (size_t ch = 0; ch < c->n; ch++) {
		n += !isnan(value_of(c, c->p, ch, cell));
		n_significant += is_significant(c, ch, cell);
	}
	return n ? (float)(100.0 * (double)n_significant / (double)n) : NAN;
}

static float mean_of(const struct channels *c, const float *array, size_t cell)
{
	double sum = 0;
	size_t n = 0;
	for (size_t ch = 0; ch < c->n; ch++) {
		const double value = value_of(c, array, ch, cell);
		sum += isnan(value) ? 0 : value;
		n += !isnan(value);
	}
	return n ? (float)(sum / (double)n) : NAN;
}

static void write_population(struct channels *c, const float *shares)
{
	size_t most = 0;
	char bands[200], number[CLPAC__NUMBER_SIZE];
	if (!c->options->title) {
		snprintf(c->title, sizeof c->title, "%zu %s", c->n,
			 clpac__result_has_pairs(c->result) ? "pairs of channels" : "channels");
		add_segment(c, c->title);
	}
	clpac__clean(c->title);
	for (size_t cell = 1; c->p && cell < c->n_cells; cell++)
		if (shares[cell] > shares[most] || isnan(shares[most]))
			most = cell;
	if (!c->p || !(shares[most] > 0)) {
		snprintf(c->subtitle, sizeof c->subtitle, "%s", c->p ? "No cell is significant in any channel" : "");
		return;
	}
	write_bands(c, most, bands);
	clpac__write_general(shares[most], 3, number);
	snprintf(c->subtitle, sizeof c->subtitle, "Most channels at %s: %s %% of them", bands, number);
}

static clpac_status draw_population(struct channels *c, const char *path, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_result_shape *shape = clpac_result_get_shape(c->result);
	const clpac_plot_options *o = c->options;
	clpac__cells phase = {0}, amplitude = {0};
	clpac__page *page = NULL;
	float *shares = NULL, *means = NULL;
	char number[CLPAC__NUMBER_SIZE], title[80];
	const float *excess = clpac_result_array(c->result, CLPAC_EXCESS, NULL);
	const bool has_excess = excess && !c->is_comparison;
	const float *meant = has_excess ? excess : c->tested ? c->tested : c->index;
	TRY(NEW_ARRAY(shares, c->n_cells));
	TRY(NEW_ARRAY(means, c->n_cells));
	for (size_t cell = 0; cell < c->n_cells; cell++) {
		shares[cell] = c->p ? share_of(c, cell) : NAN;
		means[cell] = mean_of(c, meant, cell);
	}
	write_population(c, shares);
	TRY(clpac__cells_create(clpac_result_phase_bands(c->result), shape->n_phase_bands, &phase, err));
	TRY(clpac__cells_create(clpac_result_amplitude_bands(c->result), shape->n_amplitude_bands, &amplitude, err));
	amplitude.is_tied = clpac_result_cell_bands(c->result) != NULL;
	const clpac__panels layout = clpac__lay_out(1 + (c->p != NULL), false, o->width_mm);
	TRY(clpac__page_open(path, &(clpac__output_way){o->overwrite, o->set, o->write, o->write_user},
			     (clpac__page_size){layout.width, layout.height, o->width_mm}, c->title, &page, err));
	cairo_t *cairo = clpac__page_cairo(page);
	clpac__draw_page_titles(cairo, &layout, c->title, c->subtitle);
	clpac__drawn_map map = {.phase = &phase,
				.amplitude = &amplitude,
				.values = shares,
				.significance = o->significance,
				.valid = clpac_result_valid(c->result),
				.colours = (int)o->colours,
				.is_smooth = o->smooth,
				.title = title,
				.unit = "channels (%)"};
	size_t panel = 0;
	clpac__write_general(o->significance, 4, number);
	snprintf(title, sizeof title, "Share with %s \u2264 %s", c->is_corrected ? "p_max" : "p", number);
	if (c->p)
		clpac__draw_map(cairo, clpac__box_of_panel(&layout, panel++), &map);
	map.values = means;
	map.limits = (clpac__range){o->lowest, o->highest, false, false, 0};
	map.title = has_excess ? "Mean excess over channels" : "Mean over channels";
	map.unit = meant == c->tested ? tested_words(c) : index_words(c);
	clpac__draw_map(cairo, clpac__box_of_panel(&layout, panel), &map);
	TRY(clpac__page_commit(page, err));
done:
	clpac__page_discard(page);
	clpac__cells_destroy(&phase);
	clpac__cells_destroy(&amplitude);
	FREE_ALL(shares, means);
	return st;
}

/* --- The head ------------------------------------------------------------------------------------ */

/* The channels that have a place. */
struct placed {
	size_t n, cell;
	size_t *channels;	 /* n: which they are */
	double (*directions)[3]; /* n */
	double reach;		 /* of the disc that is drawn: 1, or up to the farthest channel */
};

static void clear(struct placed *placed)
{
	FREE_ALL(placed->channels, placed->directions);
}

static bool find_direction(const struct channels *c, size_t ch, double out[3])
{
	const clpac_position *given = c->options->positions ? &c->options->positions[ch] : NULL;
	const double length = given ? sqrt(given->x * given->x + given->y * given->y + given->z * given->z) : 0;
	if (!(length > 0) || !isfinite(length))
		return clpac__electrode_direction(clpac_result_channel_name(c->result, ch), out);
	out[0] = given->x / length, out[1] = given->y / length, out[2] = given->z / length;
	return true;
}

static clpac_status place(const struct channels *c, struct placed *out, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(c->result);
	const clpac_plot_options *o = c->options;
	const clpac_peak peak = clpac_result_peak(c->result, o->channel);
	if (clpac__result_has_pairs(c->result))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "plot: a pair of channels has no place on the head: draw pairs as a grid");
	if (o->has_cell && (o->cell_phase >= shape->n_phase_bands || o->cell_amplitude >= shape->n_amplitude_bands))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "plot: cell %zu, %zu does not exist: there are %zu x %zu, counted from 0", o->cell_phase,
			     o->cell_amplitude, shape->n_phase_bands, shape->n_amplitude_bands);
	const size_t of_phase = o->has_cell ? o->cell_phase : peak.found ? peak.phase : 0;
	const size_t of_amplitude = o->has_cell ? o->cell_amplitude : peak.found ? peak.amplitude : 0;
	out->cell = of_phase * shape->n_amplitude_bands + of_amplitude;
	out->reach = 1;
	RETURN_IF_ERROR(NEW_ARRAY(out->channels, c->n));
	RETURN_IF_ERROR(NEW_ARRAY(out->directions, c->n));
	size_t n_values = 0;
	for (size_t ch = 0; ch < c->n; ch++) {
		if (!find_direction(c, ch, out->directions[out->n]))
			continue;
		const clpac__head_place at = clpac__head_place_of(out->directions[out->n]);
		out->reach = fmax(out->reach, hypot(at.x, at.y));
		n_values += !isnan(value_of(c, c->index, ch, out->cell));
		out->channels[out->n++] = ch;
	}
	if (n_values < LEAST_PLACED)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "plot: a map of the head needs %d channels with a place and a value, and %zu of %zu have "
			     "them: name channels as the 10-20 system does, as Cz, or give positions",
			     LEAST_PLACED, n_values, c->n);
	return CLPAC_OK;
}

struct head {
	const clpac__head_values *values;
	const clpac__drawn_map *colours;
	clpac__range range;
	double reach;
};

static clpac__colour colour_of_place(const void *user, double x, double y)
{
	const struct head *head = user;
	double direction[3];
	if (!head->values->n)
		return clpac__colour_undefined;
	clpac__head_direction_of((clpac__head_place){(2 * x - 1) * head->reach, (2 * y - 1) * head->reach}, direction);
	return clpac__colour_of(head->colours->colours,
				clpac__range_part(head->range, clpac__head_value_at(head->values, direction)));
}

/* A disc of the page. */
struct disc {
	double x, y, radius; /* radius of the head's circle */
};

static void set_ink(cairo_t *cairo)
{
	clpac__set_colour(cairo, clpac__colour_ink);
}

static void draw_outline(cairo_t *cairo, struct disc head)
{
	const double r = head.radius;
	set_ink(cairo);
	cairo_set_line_width(cairo, 1);
	cairo_new_path(cairo);
	cairo_arc(cairo, head.x, head.y, r, 0, 2 * acos(-1));
	/* The nose, and an ear at each side. */
	cairo_move_to(cairo, head.x - 0.1 * r, head.y - 0.995 * r);
	cairo_line_to(cairo, head.x, head.y - 1.13 * r);
	cairo_line_to(cairo, head.x + 0.1 * r, head.y - 0.995 * r);
	for (int side = -1; side <= 1; side += 2) {
		cairo_move_to(cairo, head.x + side * 0.985 * r, head.y - 0.17 * r);
		cairo_curve_to(cairo, head.x + side * 1.1 * r, head.y - 0.2 * r, head.x + side * 1.1 * r,
			       head.y + 0.2 * r, head.x + side * 0.985 * r, head.y + 0.17 * r);
	}
	cairo_stroke(cairo);
}

/* A dot for each channel, empty where there is no value; a ring in place of those that are significant. */
static void draw_electrodes(cairo_t *cairo, struct disc head, const struct channels *c, const struct placed *placed,
			    const float *values)
{
	for (size_t i = 0; i < placed->n; i++) {
		const clpac__head_place at = clpac__head_place_of(placed->directions[i]);
		const double x = head.x + head.radius * at.x, y = head.y - head.radius * at.y;
		cairo_new_path(cairo);
		if (values == c->tested && is_significant(c, placed->channels[i], placed->cell)) {
			cairo_arc(cairo, x, y, 2, 0, 2 * acos(-1));
			clpac__stroke_outline(cairo);
			continue;
		}
		cairo_arc(cairo, x, y, 0.9, 0, 2 * acos(-1));
		if (!isnan(value_of(c, values, placed->channels[i], placed->cell))) {
			cairo_set_source_rgb(cairo, 1, 1, 1);
			cairo_fill_preserve(cairo);
		}
		set_ink(cairo);
		cairo_set_line_width(cairo, 0.4);
		cairo_stroke(cairo);
	}
}

static void draw_ring_sample(cairo_t *cairo, clpac__box box)
{
	cairo_new_path(cairo);
	cairo_arc(cairo, box.x + box.width / 2, box.y + box.height / 2, 2, 0, 2 * acos(-1));
	clpac__stroke_outline(cairo);
}

static void draw_dot_sample(cairo_t *cairo, clpac__box box)
{
	cairo_new_path(cairo);
	cairo_arc(cairo, box.x + box.width / 2, box.y + box.height / 2, 0.9, 0, 2 * acos(-1));
	set_ink(cairo);
	cairo_set_line_width(cairo, 0.4);
	cairo_stroke(cairo);
}

/* One panel: the values of an array in the cell, at the channels and between them. */
static clpac_status draw_head(cairo_t *cairo, clpac__box box, const struct channels *c, const struct placed *placed,
			      const float *values, const clpac__drawn_map *colours, clpac_error *err)
{
	enum { DOTS = 128 };
	clpac_status st = CLPAC_OK;
	clpac__head_values between = {0};
	double(*directions)[3] = NULL, *known = NULL;
	size_t n = 0, n_significant = 0;
	bool is_defined;
	char number[CLPAC__NUMBER_SIZE], text[80];
	/* The nose and the ears stand out. */
	const double radius = box.width / 2 / fmax(placed->reach, 1.14);
	const struct disc head = {box.x + box.width / 2, box.y + box.height / 2, radius};
	TRY(NEW_ARRAY(directions, placed->n));
	TRY(NEW_ARRAY(known, placed->n));
	for (size_t i = 0; i < placed->n; i++) {
		const double value = value_of(c, values, placed->channels[i], placed->cell);
		n_significant += is_significant(c, placed->channels[i], placed->cell);
		if (isnan(value))
			continue;
		for (int k = 0; k < 3; k++)
			directions[n][k] = placed->directions[i][k];
		known[n++] = value;
	}
	TRY(clpac__head_values_create((const double(*)[3])directions, known, n, &between, err));
	const struct head drawn = {&between, colours, clpac__colour_range(colours, &is_defined), placed->reach};
	const double reach = radius * placed->reach;
	cairo_save(cairo);
	cairo_arc(cairo, head.x, head.y, reach, 0, 2 * acos(-1));
	cairo_clip(cairo);
	clpac__draw_dots(cairo, (clpac__box){head.x - reach, head.y - reach, 2 * reach, 2 * reach}, DOTS,
			 colour_of_place, &drawn);
	cairo_restore(cairo);
	draw_outline(cairo, head);
	draw_electrodes(cairo, head, c, placed, values);
	clpac__draw_panel_texts(cairo, box, colours->title, "", "");
	clpac__draw_map_colours(cairo, box, colours);
	clpac__write_general(c->options->significance, 4, number);
	snprintf(text, sizeof text, "%s \u2264 %s: %zu of %zu", c->is_corrected ? "p_max" : "p", number, n_significant,
		 placed->n);
	clpac__draw_legend(cairo, box,
			   (const clpac__legend_entry[]){{draw_dot_sample, "channel"}, {draw_ring_sample, text}},
			   1 + (values == c->tested && c->p));
done:
	clpac__head_values_destroy(&between);
	FREE_ALL(directions, known);
	return st;
}

/* The colours of a panel, from the lowest value of its channels, or 0, to the highest. */
static clpac__drawn_map colours_of(const struct channels *c, const struct placed *placed, const float *values,
				   float extremes[2])
{
	extremes[0] = extremes[1] = NAN;
	for (size_t i = 0; i < placed->n; i++) {
		const float value = value_of(c, values, placed->channels[i], placed->cell);
		extremes[0] = fminf(extremes[0], value);
		extremes[1] = fmaxf(extremes[1], value);
	}
	const clpac_plot_options *o = c->options;
	const bool is_index = values == c->index;
	clpac__drawn_map map = {.colours = (int)o->colours, .extremes = extremes};
	map.title = is_index	       ? c->is_comparison ? c->compared.effect_title : "Index"
		    : c->is_comparison ? c->compared.t_title
				       : "Compared with surrogates";
	map.unit = is_index ? index_words(c) : tested_words(c);
	if (!is_index || !c->tested)
		map.limits = (clpac__range){o->lowest, o->highest, false, false, 0};
	return map;
}

static void write_topography(struct channels *c, const struct placed *placed)
{
	const float *values = c->tested ? c->tested : c->index;
	size_t best = SIZE_MAX;
	char bands[200], number[CLPAC__NUMBER_SIZE];
	write_bands(c, placed->cell, bands);
	if (!c->options->title) {
		snprintf(c->title, sizeof c->title, "%s", bands);
		add_segment(c, c->title);
	}
	clpac__clean(c->title);
	for (size_t i = 0; i < placed->n; i++) {
		const float value = value_of(c, values, placed->channels[i], placed->cell);
		if (!isnan(value) &&
		    (best == SIZE_MAX || value > value_of(c, values, placed->channels[best], placed->cell)))
			best = i;
	}
	if (best == SIZE_MAX)
		return;
	clpac__write_general(value_of(c, values, placed->channels[best], placed->cell), 3, number);
	snprintf(c->subtitle, sizeof c->subtitle, "%zu of %zu channels have places; highest %s %s at %.100s", placed->n,
		 c->n, c->tested ? tested_words(c) : index_words(c), number,
		 clpac_result_channel_name(c->result, placed->channels[best]));
	clpac__clean(c->subtitle);
}

static clpac_status draw_topography(struct channels *c, const char *path, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_plot_options *o = c->options;
	struct placed placed = {.n = 0};
	clpac__page *page = NULL;
	TRY(place(c, &placed, err));
	write_topography(c, &placed);
	const float *const panels[] = {c->index, c->tested};
	const size_t n = 1 + (c->tested != NULL);
	const clpac__panels layout = clpac__lay_out(n, false, o->width_mm);
	TRY(clpac__page_open(path, &(clpac__output_way){o->overwrite, o->set, o->write, o->write_user},
			     (clpac__page_size){layout.width, layout.height, o->width_mm}, c->title, &page, err));
	cairo_t *cairo = clpac__page_cairo(page);
	clpac__draw_page_titles(cairo, &layout, c->title, c->subtitle);
	for (size_t i = 0; i < n; i++) {
		float extremes[2];
		const clpac__drawn_map colours = colours_of(c, &placed, panels[i], extremes);
		TRY(draw_head(cairo, clpac__box_of_panel(&layout, i), c, &placed, panels[i], &colours, err));
	}
	TRY(clpac__page_commit(page, err));
done:
	clpac__page_discard(page);
	clear(&placed);
	return st;
}

clpac_status clpac__plot_channels(const clpac_result *result, const char *path, const clpac_plot_options *options,
				  clpac_error *err)
{
	struct channels channels;
	RETURN_IF_ERROR(take(result, options, &channels, err));
	return options->topography ? draw_topography(&channels, path, err) : draw_population(&channels, path, err);
}
