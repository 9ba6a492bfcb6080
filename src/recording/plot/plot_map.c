/* A comodulogram, or another map of the same cells, with its colour bar. */
#include "base/number.h"

#include <math.h>
#include <stdio.h>

#include "recording/plot/plot_parts.h"

enum { SMOOTH_SIDE = 256 };
static const double bar_gap = 6, bar_width = 7, unit_gap = 12;
static const double outline_width = 0.8, outline_shade = 1.8, peak_radius = 1.8;

/* Colours start at 0, or at the lowest value below it, so that a map without coupling does not look like one with
 * coupling. */
clpac__range clpac__colour_range(const clpac__drawn_map *map, bool *is_defined)
{
	clpac__range range = {0};
	*is_defined = false;
	const float *values = map->extremes ? map->extremes : map->values;
	const size_t n = map->extremes ? 2 : map->phase->n * map->amplitude->n;
	for (size_t i = 0; i < n; i++) {
		if (isfinite(values[i])) {
			range.lo = fmin(range.lo, values[i]);
			range.hi = fmax(range.hi, values[i]);
			*is_defined = true;
		}
	}
	/* Where nothing reaches the threshold, only the lower half of the colours is used. */
	if (map->threshold > 0) {
		range.hi = fmax(range.hi, 2 * map->threshold);
		range.centre = map->threshold;
		range.has_centre = range.centre > range.lo;
	}
	if (!(range.hi > range.lo))
		range.hi = range.lo + 1;
	if (map->limits.hi > map->limits.lo)
		range = map->limits;
	return range;
}

static size_t value_index(const clpac__drawn_map *map, size_t column, size_t row)
{
	return map->phase->order[column] * map->amplitude->n + map->amplitude->order[row];
}

/* Edges of the cells on the page. */
static double edge_x(clpac__box box, const clpac__cells *cells, size_t i)
{
	return box.x + box.width * clpac__range_part(cells->range, cells->edges[i]);
}

static double edge_y(clpac__box box, const clpac__cells *cells, size_t i)
{
	return box.y + box.height * (1 - clpac__range_part(cells->range, cells->edges[i]));
}

/* Each cell is painted to the right and upper end of the map, and the next ones over it, so that no viewer shows
 * hairlines between neighbours. */
static void draw_cells(cairo_t *cairo, clpac__box box, const clpac__drawn_map *map, clpac__range range)
{
	cairo_save(cairo);
	cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
	cairo_clip(cairo);
	cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE);
	for (size_t column = 0; column < map->phase->n; column++) {
		double x = edge_x(box, map->phase, column), width = box.x + box.width - x;
		for (size_t row = 0; row < map->amplitude->n; row++) {
			double y = edge_y(box, map->amplitude, row), value = map->values[value_index(map, column, row)];
			clpac__set_colour(
				cairo, isnan(value) ? clpac__colour_undefined
						    : clpac__colour_of(map->colours, clpac__range_part(range, value)));
			cairo_rectangle(cairo, x, box.y, width, y - box.y);
			cairo_fill(cairo);
		}
	}
	cairo_restore(cairo);
}

/* Where a place along an axis, 0 to 1, lies between the middles of two cells; behind the outer ones they are one. */
struct between {
	size_t cell, beside; /* the cell that it lies in */
	double share;	     /* of the other */
};

static double middle_of(const clpac__cells *cells, size_t i)
{
	return (clpac__range_part(cells->range, cells->edges[i]) +
		clpac__range_part(cells->range, cells->edges[i + 1])) /
	       2;
}

static struct between find_between(const clpac__cells *cells, double at)
{
	size_t cell = 0;
	while (cell + 1 < cells->n && clpac__range_part(cells->range, cells->edges[cell + 1]) <= at)
		cell++;
	const double middle = middle_of(cells, cell);
	if (at < middle ? cell == 0 : cell + 1 == cells->n)
		return (struct between){cell, cell, 0};
	const size_t beside = at < middle ? cell - 1 : cell + 1;
	return (struct between){cell, beside, (at - middle) / (middle_of(cells, beside) - middle)};
}

struct smooth {
	const clpac__drawn_map *map;
	clpac__range range;
};

/* Bilinear between the middles of four cells, along the axes as they are drawn.  Where one of them has no value, that
 * of the cell itself. */
static clpac__colour smooth_colour(const void *user, double x, double y)
{
	const struct smooth *s = user;
	const struct between column = find_between(s->map->phase, x), row = find_between(s->map->amplitude, y);
	const size_t columns[] = {column.cell, column.beside}, rows[] = {row.cell, row.beside};
	const double across[] = {1 - column.share, column.share}, up[] = {1 - row.share, row.share};
	double value = 0;
	for (int c = 0; c < 2; c++)
		for (int r = 0; r < 2; r++)
			if (across[c] * up[r] > 0)
				value += across[c] * up[r] * s->map->values[value_index(s->map, columns[c], rows[r])];
	if (isnan(value))
		value = s->map->values[value_index(s->map, column.cell, row.cell)];
	return isnan(value) ? clpac__colour_undefined
			    : clpac__colour_of(s->map->colours, clpac__range_part(s->range, value));
}

/* In single precision, in which 10/200 equals 0.05 as it should.  False for NaN. */
static bool is_small(const clpac__drawn_map *map, size_t cell)
{
	return map->p[cell] <= (float)map->significance;
}

static bool is_significant(const clpac__drawn_map *map, size_t column, size_t row)
{
	return column < map->phase->n && row < map->amplitude->n && is_small(map, value_index(map, column, row));
}

/* On the frame, the whole line has to lie inside it. */
static double within(double value, double start, double length)
{
	return fmin(fmax(value, start + outline_shade / 2), start + length - outline_shade / 2);
}

static double outline_x(clpac__box box, const clpac__drawn_map *map, size_t column)
{
	return within(edge_x(box, map->phase, column), box.x, box.width);
}

static double outline_y(clpac__box box, const clpac__drawn_map *map, size_t row)
{
	return within(edge_y(box, map->amplitude, row), box.y, box.height);
}

/* The sides between significant cells and others.  Column -1 is SIZE_MAX, which is no column. */
static void trace_outline(cairo_t *cairo, clpac__box box, const clpac__drawn_map *map)
{
	for (size_t column = 0; column <= map->phase->n; column++) {
		for (size_t row = 0; row <= map->amplitude->n; row++) {
			bool is_inside = is_significant(map, column, row);
			double x = outline_x(box, map, column), y = outline_y(box, map, row);
			if (row < map->amplitude->n && is_inside != is_significant(map, column - 1, row)) {
				cairo_move_to(cairo, x, y);
				cairo_line_to(cairo, x, outline_y(box, map, row + 1));
			}
			if (column < map->phase->n && is_inside != is_significant(map, column, row - 1)) {
				cairo_move_to(cairo, x, y);
				cairo_line_to(cairo, outline_x(box, map, column + 1), y);
			}
		}
	}
}

/* White on a darker line, visible on every colour of the map. */
void clpac__stroke_outline(cairo_t *cairo)
{
	cairo_set_line_cap(cairo, CAIRO_LINE_CAP_SQUARE);
	cairo_set_line_width(cairo, outline_shade);
	cairo_set_source_rgb(cairo, 0, 0, 0);
	cairo_stroke_preserve(cairo);
	cairo_set_line_width(cairo, outline_width);
	cairo_set_source_rgb(cairo, 1, 1, 1);
	cairo_stroke(cairo);
	cairo_set_line_cap(cairo, CAIRO_LINE_CAP_BUTT);
}

/* A ring in the cell of the peak, drawn as outlines are. */
static void draw_peak(cairo_t *cairo, clpac__box box, const clpac__drawn_map *map)
{
	for (size_t column = 0; column < map->phase->n; column++)
		for (size_t row = 0; row < map->amplitude->n; row++) {
			if (map->phase->order[column] != map->peak_phase ||
			    map->amplitude->order[row] != map->peak_amplitude)
				continue;
			const double left = edge_x(box, map->phase, column),
				     right = edge_x(box, map->phase, column + 1);
			const double low = edge_y(box, map->amplitude, row),
				     high = edge_y(box, map->amplitude, row + 1);
			cairo_new_path(cairo);
			cairo_arc(cairo, (left + right) / 2, (low + high) / 2, peak_radius, 0, 2 * acos(-1));
			clpac__stroke_outline(cairo);
		}
}

/* As many steps as the bar has dots at 300 per inch, painted upwards over one another as the cells are. */
static void draw_colour_bar(cairo_t *cairo, clpac__box box, const clpac__drawn_map *map, clpac__range range)
{
	enum { STEPS = 256 };
	clpac__box bar = {box.x + box.width + bar_gap, box.y, bar_width, box.height};
	cairo_save(cairo);
	cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE);
	for (int i = 0; i < STEPS; i++) {
		clpac__set_colour(cairo, clpac__colour_of(map->colours, (double)i / (STEPS - 1)));
		cairo_rectangle(cairo, bar.x, bar.y, bar.width, bar.height * (STEPS - i) / STEPS);
		cairo_fill(cairo);
	}
	cairo_restore(cairo);
	/* The value from which cells are significant. */
	if (range.has_centre) {
		cairo_move_to(cairo, bar.x, bar.y + bar.height / 2);
		cairo_rel_line_to(cairo, bar.width, 0);
		clpac__stroke_outline(cairo);
	}
	int power = clpac__power_of(fmax(range.hi, -range.lo));
	double numbers = clpac__draw_ticks(cairo, bar, CLPAC__AT_RIGHT, range, power);
	clpac__draw_frame(cairo, bar);
	clpac__draw_text_upwards(cairo, clpac__label_style, bar.x + bar.width + numbers + unit_gap,
				 bar.y + bar.height / 2, map->unit, power);
}

static bool is_hatched(const clpac__drawn_map *map, size_t cell)
{
	return map->valid && !map->valid[cell] && !isnan(map->values[cell]);
}

static bool is_dotted(const clpac__drawn_map *map, size_t cell)
{
	return map->harmonic && map->harmonic[cell] > 0;
}

/* Slanted lines, white on darker ones as outlines are. */
static void hatch(cairo_t *cairo, clpac__box box)
{
	const double step = 3.2;
	cairo_save(cairo);
	cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
	cairo_clip(cairo);
	/* One family of lines for the whole page, so that neighbours' lines meet. */
	for (double at = floor((box.x - box.y - box.height) / step) * step; at < box.x + box.width - box.y;
	     at += step) {
		cairo_move_to(cairo, at + box.y, box.y);
		cairo_line_to(cairo, at + box.y + box.height, box.y + box.height);
	}
	cairo_set_line_width(cairo, 0.9);
	cairo_set_source_rgb(cairo, 0, 0, 0);
	cairo_stroke_preserve(cairo);
	cairo_set_line_width(cairo, 0.45);
	cairo_set_source_rgb(cairo, 1, 1, 1);
	cairo_stroke(cairo);
	cairo_restore(cairo);
}

static double dot_radius(const clpac__drawn_map *map, size_t cell)
{
	static const double usual = 0.75, smallest = 0.5, largest = 1.3;
	if (!map->remaining || isnan(map->remaining[cell]))
		return usual;
	return largest - (largest - smallest) * fmin((double)map->remaining[cell], 1);
}

static void dot(cairo_t *cairo, double x, double y, double radius)
{
	cairo_new_path(cairo);
	cairo_arc(cairo, x, y, radius, 0, 2 * acos(-1));
	cairo_set_source_rgb(cairo, 1, 1, 1);
	cairo_fill_preserve(cairo);
	cairo_set_line_width(cairo, 0.4);
	cairo_set_source_rgb(cairo, 0, 0, 0);
	cairo_stroke(cairo);
}

/* Hatches cells that are not valid, and puts a dot near the corner of those that the shape of a wave makes, beside the
 * peak's ring: the larger, the less of the coupling remains without that shape. */
static void draw_marks(cairo_t *cairo, clpac__box box, const clpac__drawn_map *map)
{
	for (size_t column = 0; column < map->phase->n; column++)
		for (size_t row = 0; row < map->amplitude->n; row++) {
			const double left = edge_x(box, map->phase, column);
			const double right = edge_x(box, map->phase, column + 1);
			const double low = edge_y(box, map->amplitude, row),
				     high = edge_y(box, map->amplitude, row + 1);
			const size_t cell = value_index(map, column, row);
			if (is_hatched(map, cell))
				hatch(cairo, (clpac__box){left, high, right - left, low - high});
			if (is_dotted(map, cell))
				dot(cairo, left + 0.2 * (right - left), high + 0.2 * (low - high),
				    dot_radius(map, cell));
		}
}

/* In points; a head beside the shaft at this angle to it. */
static const double least_side = 5, head_part = 0.4, head_angle = 0.5, shade_width = 1.5, line_width = 0.7;

/* The longest mean vector among n cells; 0 without any. */
static double longest_arrow(const clpac__arrows *arrows, size_t n)
{
	double longest = 0;
	for (size_t i = 0; arrows->phases && i < n; i++)
		if (!isnan(arrows->phases[i]))
			longest = fmax(longest, arrows->lengths[i]);
	return longest;
}

/* How many neighbouring cells of n in a side of `side` points share an arrow: 1 where each has room for its own. */
static size_t cells_of_an_arrow(size_t n, double side)
{
	const double each = side / (double)n;
	return each >= least_side ? 1 : (size_t)ceil(least_side / each);
}

/* Draws the arrow of a cell, or of n x n cells that are too small for arrows of their own, around the middle of `box`.
 * A phase of 0 points to the right and one of 90 degrees upwards, as in the polar histogram.
 * @param longest the mean vector whose arrow fills the box. */
static void draw_arrow(cairo_t *cairo, clpac__box box, double phase, double length, double longest)
{
	const double half = 0.45 * fmin(box.width, box.height) * length / longest;
	const double x = box.x + box.width / 2, y = box.y + box.height / 2;
	/* The page's y grows downwards. */
	const double tip_x = x + half * cos(phase), tip_y = y - half * sin(phase), head = 2 * half * head_part;
	cairo_save(cairo);
	cairo_new_path(cairo);
	cairo_move_to(cairo, x - half * cos(phase), y + half * sin(phase));
	cairo_line_to(cairo, tip_x, tip_y);
	for (int side = -1; side <= 1; side += 2) {
		const double back = phase + side * head_angle;
		cairo_move_to(cairo, tip_x, tip_y);
		cairo_line_to(cairo, tip_x - head * cos(back), tip_y + head * sin(back));
	}
	/* White on a darker line, visible on every colour of the map. */
	cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
	cairo_set_line_width(cairo, shade_width);
	cairo_set_source_rgb(cairo, 0, 0, 0);
	cairo_stroke_preserve(cairo);
	cairo_set_line_width(cairo, line_width);
	cairo_set_source_rgb(cairo, 1, 1, 1);
	cairo_stroke(cairo);
	cairo_restore(cairo);
}

static void draw_arrows(cairo_t *cairo, clpac__box box, const clpac__drawn_map *map)
{
	const double longest = longest_arrow(&map->arrows, map->phase->n * map->amplitude->n);
	const size_t columns = cells_of_an_arrow(map->phase->n, box.width);
	const size_t rows = cells_of_an_arrow(map->amplitude->n, box.height);
	if (!(longest > 0))
		return;
	for (size_t column = columns / 2; column < map->phase->n; column += columns)
		for (size_t row = rows / 2; row < map->amplitude->n; row += rows) {
			const size_t cell = value_index(map, column, row);
			const double left = edge_x(box, map->phase, column), low = edge_y(box, map->amplitude, row);
			const double width = edge_x(box, map->phase, column + 1) - left;
			const double height = low - edge_y(box, map->amplitude, row + 1);
			const double wide = width * (double)columns, high = height * (double)rows;
			if (!isnan(map->values[cell]) && !isnan(map->arrows.phases[cell]))
				draw_arrow(
					cairo,
					(clpac__box){left + (width - wide) / 2, low - (height + high) / 2, wide, high},
					map->arrows.phases[cell], map->arrows.lengths[cell], longest);
		}
}

static void fill(cairo_t *cairo, clpac__box box, clpac__colour colour)
{
	clpac__set_colour(cairo, colour);
	cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
	cairo_fill(cairo);
}

static void draw_hatched_sample(cairo_t *cairo, clpac__box box)
{
	fill(cairo, box, clpac__viridis(0.4));
	hatch(cairo, box);
}

static void draw_dotted_sample(cairo_t *cairo, clpac__box box)
{
	fill(cairo, box, clpac__viridis(0.4));
	dot(cairo, box.x + box.width / 2, box.y + box.height / 2, 0.75);
}

static void draw_undefined_sample(cairo_t *cairo, clpac__box box)
{
	fill(cairo, box, clpac__colour_undefined);
	clpac__draw_frame(cairo, box);
}

static void draw_arrow_sample(cairo_t *cairo, clpac__box box)
{
	fill(cairo, box, clpac__viridis(0.4));
	draw_arrow(cairo, (clpac__box){box.x, box.y - box.width / 2, box.width, box.height + box.width}, 0, 1, 1);
}

static void draw_outline_sample(cairo_t *cairo, clpac__box box)
{
	clpac__set_colour(cairo, clpac__viridis(0.6));
	cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
	cairo_fill_preserve(cairo);
	clpac__stroke_outline(cairo);
}

static void draw_map_legend(cairo_t *cairo, clpac__box box, const clpac__drawn_map *map)
{
	clpac__legend_entry entries[5];
	size_t n = 0, n_undefined = 0, n_significant = 0, n_invalid = 0, n_harmonic = 0;
	char number[CLPAC__NUMBER_SIZE], text[64], arrow_text[96];
	const double longest = longest_arrow(&map->arrows, map->phase->n * map->amplitude->n);
	for (size_t i = 0; i < map->phase->n * map->amplitude->n; i++) {
		n_undefined += isnan(map->values[i]) != 0;
		n_significant += map->p && is_small(map, i);
		n_invalid += is_hatched(map, i);
		n_harmonic += is_dotted(map, i);
	}
	/* Readers have to know whether each cell is tested separately, and that a map without outlines was tested. */
	clpac__write_general(map->significance, 4, number);
	snprintf(text, sizeof text, "%s \u2264 %s%s%s", map->is_corrected ? "p_max" : "p", number,
		 map->is_corrected ? "" : ", uncorrected", n_significant ? "" : ": no cell");
	if (map->p)
		entries[n++] = (clpac__legend_entry){draw_outline_sample, text};
	if (n_undefined)
		entries[n++] = (clpac__legend_entry){draw_undefined_sample, "undefined"};
	if (n_invalid)
		entries[n++] = (clpac__legend_entry){draw_hatched_sample, "not valid"};
	if (n_harmonic)
		entries[n++] = (clpac__legend_entry){draw_dotted_sample, "harmonic?"};
	if (longest > 0) {
		clpac__write_general(longest, 2, number);
		snprintf(arrow_text, sizeof arrow_text, "preferred phase 0\u00b0; mean vector up to %s", number);
		entries[n++] = (clpac__legend_entry){draw_arrow_sample, arrow_text};
	}
	clpac__draw_legend(cairo, box, entries, n);
}

void clpac__draw_map(cairo_t *cairo, clpac__box box, const clpac__drawn_map *map)
{
	bool is_defined;
	clpac__range range = clpac__colour_range(map, &is_defined);
	if (map->is_smooth)
		clpac__draw_dots(cairo, box, SMOOTH_SIDE, smooth_colour, &(struct smooth){map, range});
	else
		draw_cells(cairo, box, map, range);
	draw_marks(cairo, box, map);
	clpac__draw_frame(cairo, box);
	if (map->p) {
		trace_outline(cairo, box, map);
		clpac__stroke_outline(cairo);
	}
	if (map->arrows.phases)
		draw_arrows(cairo, box, map);
	if (map->has_peak)
		draw_peak(cairo, box, map);
	if (map->parts == CLPAC__MAP_ALONE)
		return;
	clpac__draw_cell_ticks(cairo, box, CLPAC__BOTTOM, map->phase);
	clpac__draw_cell_ticks(cairo, box, CLPAC__AT_LEFT, map->amplitude);
	if (map->parts == CLPAC__MAP_WITH_AXES) {
		clpac__draw_panel_texts(cairo, box, "", "phase (Hz)",
					map->amplitude->is_tied ? "\u00b1 phase (Hz)" : "amplitude (Hz)");
		return;
	}
	clpac__draw_panel_texts(cairo, box, map->title, map->x_label ? map->x_label : "phase frequency (Hz)",
				map->y_label		  ? map->y_label
				: map->amplitude->is_tied ? "amplitude \u00b1 phase frequency (Hz)"
							  : "amplitude frequency (Hz)");
	if (is_defined)
		draw_colour_bar(cairo, box, map, range);
	draw_map_legend(cairo, box, map);
}

void clpac__draw_map_colours(cairo_t *cairo, clpac__box box, const clpac__drawn_map *map)
{
	bool is_defined;
	const clpac__range range = clpac__colour_range(map, &is_defined);
	if (is_defined)
		draw_colour_bar(cairo, box, map, range);
}
