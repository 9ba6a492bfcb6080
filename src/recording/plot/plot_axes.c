/* Ticks and frames. */
#include "recording/plot/plot_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

const clpac__text_style clpac__label_style = {.size = 8, .align = CLPAC__CENTRE};
const clpac__text_style clpac__tick_style = {.size = 7.5, .align = CLPAC__CENTRE};
static const double line_width = 0.6;

static const double tick_length = 2.5, tick_gap = 2.5;
/* At most one number per so many points along the axis, and at least so much room between two. */
static const double room_per_tick = 20, room_between = 5;
static const double slack =
	1e-9; /* of the range: an end that misses a round number by rounding alone still has its tick */

double clpac__range_part(clpac__range range, double value)
{
	if (range.has_centre)
		return value < range.centre ? (value - range.lo) / (range.centre - range.lo) / 2
					    : 0.5 + (value - range.centre) / (range.hi - range.centre) / 2;
	return range.is_logarithmic ? log(value / range.lo) / log(range.hi / range.lo)
				    : (value - range.lo) / (range.hi - range.lo);
}

int clpac__power_of(double hi)
{
	int power = hi > 0 && isfinite(hi) ? (int)floor(log10(hi)) : 0;
	return power < -2 || power > 3 ? power : 0;
}

/* A minus sign, as wide as a plus, not a hyphen. */
static void write_number(char text[64], double value, int decimals)
{
	char digits[CLPAC__NUMBER_SIZE];
	clpac__write_fixed(fabs(value), decimals, digits);
	bool is_zero = !digits[strspn(digits, "0.")];
	snprintf(text, 64, "%s%s", value < 0 && !is_zero ? "\u2212" : "", digits);
}

/* Three digits, or all before the point, without zeros at the end: 2.25, 91.4, 117, 1250. */
static void write_frequency(char text[CLPAC__NUMBER_SIZE], double hz)
{
	clpac__write_fixed(hz, hz < 9.995 ? 2 : hz < 99.95 ? 1 : 0, text);
	if (strchr(text, '.')) {
		size_t length = strlen(text);
		while (text[length - 1] == '0')
			text[--length] = 0;
		if (text[length - 1] == '.')
			text[--length] = 0;
	}
}

void clpac__band_text(char text[96], clpac_band band)
{
	char lo[CLPAC__NUMBER_SIZE], hi[CLPAC__NUMBER_SIZE];
	write_frequency(lo, band.lo_hz);
	write_frequency(hi, band.hi_hz);
	snprintf(text, 96, "%s\u2013%s", lo, hi);
}

double clpac__draw_tick(cairo_t *cairo, clpac__box box, clpac__side side, clpac__range range, double value,
			const char *text)
{
	/* Per side: its start, the directions of its values and ticks, the alignment of its numbers. */
	const struct {
		double x, y, along_x, along_y, out_x, out_y;
		clpac__align align;
	} sides[] = {
		[CLPAC__BOTTOM] = {box.x, box.y + box.height, box.width, 0, 0, 1, CLPAC__CENTRE},
		[CLPAC__AT_LEFT] = {box.x, box.y + box.height, 0, -box.height, -1, 0, CLPAC__RIGHT},
		[CLPAC__AT_RIGHT] = {box.x + box.width, box.y + box.height, 0, -box.height, 1, 0, CLPAC__LEFT},
	};
	double part = clpac__range_part(range, value);
	double x = sides[side].x + part * sides[side].along_x, y = sides[side].y + part * sides[side].along_y;
	clpac__text_style style = clpac__tick_style;
	style.align = sides[side].align;

	cairo_set_line_width(cairo, line_width);
	clpac__set_colour(cairo, clpac__colour_ink);
	cairo_move_to(cairo, x, y);
	cairo_rel_line_to(cairo, sides[side].out_x * tick_length, sides[side].out_y * tick_length);
	cairo_stroke(cairo);
	x += sides[side].out_x * (tick_length + tick_gap);
	y += sides[side].out_y ? tick_length + tick_gap + 2 * clpac__text_middle(style) : clpac__text_middle(style);
	clpac__draw_text(cairo, style, x, y, text);
	return clpac__text_width(cairo, style, text);
}

/* The smallest of 1, 2 or 5 times a power of ten that is not less than this. */
static double round_step(double least)
{
	double power = pow(10, floor(log10(least)));
	static const double steps[] = {1, 2, 5};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (steps[i] * power >= least * (1 - slack))
			return steps[i] * power;
	return 10 * power;
}

static double draw_linear_ticks(cairo_t *cairo, clpac__box box, clpac__side side, clpac__range range, double factor)
{
	double length = side == CLPAC__BOTTOM ? box.width : box.height;
	double lo = range.lo / factor, hi = range.hi / factor;
	double step = round_step((hi - lo) / floor(length / room_per_tick));
	int decimals = (int)fmax(0, -floor(log10(step) + slack));
	double widest = 0;
	char text[64];
	for (double k = ceil(lo / step - slack); k <= hi / step + slack; k++) {
		write_number(text, k * step, decimals);
		widest = fmax(widest, clpac__draw_tick(cairo, box, side, range, k * step * factor, text));
	}
	return widest;
}

/* Ticks at 1, 2, 5, 10, 20, 50 ...: returns how many lie in the range, and draws them where `widest` is not NULL. */
static int go_through_decades(cairo_t *cairo, clpac__box box, clpac__side side, clpac__range range, double *widest)
{
	static const double steps[] = {1, 2, 5};
	int n = 0;
	for (double decade = floor(log10(range.lo)); decade <= ceil(log10(range.hi)); decade++) {
		for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
			double value = steps[i] * pow(10, decade);
			if (value < range.lo * (1 - slack) || value > range.hi * (1 + slack))
				continue;
			n++;
			if (widest) {
				char text[64];
				write_number(text, value, (int)fmax(0, -decade));
				*widest = fmax(*widest, clpac__draw_tick(cairo, box, side, range, value, text));
			}
		}
	}
	return n;
}

double clpac__draw_ticks(cairo_t *cairo, clpac__box box, clpac__side side, clpac__range range, int power)
{
	enum { FEWEST = 3 };
	double widest = 0;
	double length = side == CLPAC__BOTTOM ? box.width : box.height;
	int n = range.is_logarithmic ? go_through_decades(cairo, box, side, range, NULL) : 0;
	if (n >= FEWEST && n * room_per_tick * 0.6 <= length)
		go_through_decades(cairo, box, side, range, &widest);
	else
		widest = draw_linear_ticks(cairo, box, side, range, pow(10, power));
	return widest;
}

/* Leaves out names that would run into the one before. */
static void draw_names(cairo_t *cairo, clpac__box box, clpac__side side, const clpac__cells *cells)
{
	double free_from = -HUGE_VAL;
	char text[96];
	for (size_t i = 0; i < cells->n; i++) {
		const clpac_band band = cells->bands[cells->order[i]];
		if (cells->is_tied)
			write_frequency(text, (band.lo_hz + band.hi_hz) / 2);
		else
			clpac__band_text(text, band);
		double along = side == CLPAC__BOTTOM ? box.width : box.height;
		double at = along * clpac__range_part(cells->range, (double)i + 0.5);
		double half = side == CLPAC__BOTTOM ? clpac__text_width(cairo, clpac__tick_style, text) / 2
						    : clpac__tick_style.size / 2;
		if (at - half < free_from)
			continue;
		clpac__draw_tick(cairo, box, side, cells->range, (double)i + 0.5, text);
		free_from = at + half + room_between;
	}
}

void clpac__draw_cell_ticks(cairo_t *cairo, clpac__box box, clpac__side side, const clpac__cells *cells)
{
	if (cells->is_named)
		draw_names(cairo, box, side, cells);
	else
		clpac__draw_ticks(cairo, box, side, cells->range, 0);
}

void clpac__draw_frame(cairo_t *cairo, clpac__box box)
{
	cairo_set_line_width(cairo, line_width);
	clpac__set_colour(cairo, clpac__colour_ink);
	cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
	cairo_stroke(cairo);
}

/* --- Panels ----------------------------------------------------------------------------------- */

/* Titles, texts along the axes and legends of panels. */

const double clpac__room_above = 14, clpac__room_below = 44, clpac__room_at_left = 42, clpac__room_at_map_right = 56;
static const double room_at_histogram_right = 18;

static const clpac__text_style title_style = {.size = 8.5, .is_bold = true, .align = CLPAC__CENTRE};
static const clpac__text_style legend_style = {.size = 7.5};
/* Distances in points: from the box to baselines, and within a legend. */
static const double title_rise = 6, label_drop = 25, label_left = 34, legend_drop = 40;
static const double sample_width = 12, sample_height = 6, sample_gap = 4, entry_gap = 9;
/* A legend's lines reach as far to each side of the box as numbers and texts do at its left. */
static const double beside = 42, line_step = 9;

void clpac__draw_panel_texts(cairo_t *cairo, clpac__box box, const char *title, const char *below, const char *at_left)
{
	clpac__draw_text(cairo, title_style, box.x + box.width / 2, box.y - title_rise, title);
	clpac__draw_text(cairo, clpac__label_style, box.x + box.width / 2, box.y + box.height + label_drop, below);
	clpac__draw_text_upwards(cairo, clpac__label_style, box.x - label_left, box.y + box.height / 2, at_left, 0);
}

static double width_of(cairo_t *cairo, const clpac__legend_entry *entry)
{
	return sample_width + sample_gap + clpac__text_width(cairo, legend_style, entry->text);
}

/* How many entries fit side by side, at least one; *width is theirs. */
static size_t count_of_line(cairo_t *cairo, double widest, const clpac__legend_entry *entries, size_t n, double *width)
{
	size_t fitting = 1;
	*width = width_of(cairo, &entries[0]);
	for (; fitting < n; fitting++) {
		const double wider = *width + entry_gap + width_of(cairo, &entries[fitting]);
		if (wider > widest)
			break;
		*width = wider;
	}
	return fitting;
}

void clpac__draw_legend(cairo_t *cairo, clpac__box box, const clpac__legend_entry *entries, size_t n)
{
	double baseline = box.y + box.height + legend_drop;
	for (size_t first = 0; first < n;) {
		double width;
		const size_t end =
			first + count_of_line(cairo, box.width + 2 * beside, entries + first, n - first, &width);
		double x = box.x + (box.width - width) / 2;
		for (; first < end; first++) {
			const clpac__box sample = {x, baseline - clpac__text_middle(legend_style) - sample_height / 2,
						   sample_width, sample_height};
			entries[first].draw_sample(cairo, sample);
			clpac__draw_text(cairo, legend_style, x + sample_width + sample_gap, baseline,
					 entries[first].text);
			x += width_of(cairo, &entries[first]) + entry_gap;
		}
		baseline += line_step;
	}
}

/* --- Pages ------------------------------------------------------------------------------------ */

const double clpac__margin = 8, clpac__title_height = 34;
const clpac__text_style clpac__title_style = {.size = 10, .is_bold = true};

static const double box_size = 122, row_gap = 12;

static double width_of_columns(size_t columns, bool ends_with_histogram)
{
	const double step = clpac__room_at_left + box_size + clpac__room_at_map_right;
	const double last = clpac__room_at_left + box_size + room_at_histogram_right;
	return 2 * clpac__margin + (double)(columns - ends_with_histogram) * step + ends_with_histogram * last;
}

static double row_step(void)
{
	return clpac__room_above + box_size + clpac__room_below + row_gap;
}

clpac__panels clpac__lay_out(size_t n_panels, bool ends_with_histogram, double width_mm)
{
	static const double smallest = 0.7;
	const double wanted = clpac__points_of(width_mm);
	size_t columns = n_panels;
	while (width_mm && columns > 1 &&
	       wanted < smallest * width_of_columns(columns, ends_with_histogram && columns == n_panels))
		columns--;
	const size_t rows = (n_panels + columns - 1) / columns;
	return (clpac__panels){columns, width_of_columns(columns, ends_with_histogram && columns == n_panels),
			       2 * clpac__margin + clpac__title_height + (double)rows * row_step() - row_gap};
}

clpac__box clpac__box_of_panel(const clpac__panels *layout, size_t panel)
{
	const double step = clpac__room_at_left + box_size + clpac__room_at_map_right;
	return (clpac__box){clpac__margin + clpac__room_at_left + (double)(panel % layout->columns) * step,
			    clpac__margin + clpac__title_height + clpac__room_above +
				    (double)(panel / layout->columns) * row_step(),
			    box_size, box_size};
}

void clpac__draw_page_titles(cairo_t *cairo, const clpac__panels *layout, const char *title, const char *subtitle)
{
	static const double least_size = 5;
	const double width = layout->width - 2 * clpac__margin;
	/* A number that is cut would be another one. */
	clpac__text_style fitting = {.size = 8};
	clpac__draw_text_within(cairo, clpac__title_style, clpac__margin, clpac__margin + 10, width, title);
	while (fitting.size > least_size && clpac__text_width(cairo, fitting, subtitle) > width)
		fitting.size -= 0.5;
	clpac__draw_text_within(cairo, fitting, clpac__margin, clpac__margin + 22, width, subtitle);
}
