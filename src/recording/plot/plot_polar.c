/* Wedges around the phase circle. */

#include <math.h>

#include "recording/plot/plot_parts.h"

static const double pi = 3.14159265358979324;
static const double circle_part = 0.42; /* radius of the largest wedge, of the box's width */

static void draw_wedge_sample(cairo_t *cairo, clpac__box box)
{
	cairo_save(cairo);
	clpac__set_colour(cairo, clpac__colour_ink);
	cairo_set_line_width(cairo, 0.7);
	cairo_set_dash(cairo, (double[]){3, 2}, 2, 0);
	cairo_move_to(cairo, box.x, box.y + box.height / 2);
	cairo_rel_line_to(cairo, box.width, 0);
	cairo_stroke(cairo);
	cairo_restore(cairo);
}

static void draw_vector_sample(cairo_t *cairo, clpac__box box)
{
	clpac__set_colour(cairo, clpac__colour_ink);
	cairo_set_line_width(cairo, 1.6);
	cairo_move_to(cairo, box.x, box.y + box.height / 2);
	cairo_rel_line_to(cairo, box.width, 0);
	cairo_stroke(cairo);
}

void clpac__draw_polar(cairo_t *cairo, clpac__box box, const clpac__histogram *histogram)
{
	const double x = box.x + box.width / 2, y = box.y + box.height / 2, radius = circle_part * box.width;
	const double step = 2 * pi / (double)histogram->n_bins;
	double sum = 0, highest = 0, re = 0, im = 0;
	for (size_t i = 0; i < histogram->n_bins; i++) {
		const double value = histogram->amplitudes[i], angle = -pi + step * ((double)i + 0.5);
		if (isnan(value))
			continue;
		sum += value;
		highest = fmax(highest, value);
		re += value * cos(angle);
		im += value * sin(angle);
	}
	for (size_t i = 0; i < histogram->n_bins; i++) {
		const double value = histogram->amplitudes[i], from = -pi + step * (double)i;
		cairo_new_path(cairo);
		cairo_move_to(cairo, x, y);
		/* The page's y grows downwards. */
		cairo_arc_negative(cairo, x, y, radius * (isnan(value) ? 1 : value / highest), -from, -from - step);
		cairo_close_path(cairo);
		clpac__set_colour(cairo, isnan(value) ? clpac__colour_undefined : clpac__colour_bar);
		cairo_fill_preserve(cairo);
		cairo_set_source_rgb(cairo, 1, 1, 1);
		cairo_set_line_width(cairo, 0.5);
		cairo_stroke(cairo);
	}
	cairo_save(cairo);
	clpac__set_colour(cairo, clpac__colour_ink);
	cairo_set_line_width(cairo, 0.7);
	cairo_set_dash(cairo, (double[]){3, 2}, 2, 0);
	cairo_new_path(cairo);
	cairo_arc(cairo, x, y, radius * sum / (double)histogram->n_bins / highest, 0, 2 * pi);
	cairo_stroke(cairo);
	cairo_restore(cairo);
	/* The direction alone: vectors of weak coupling would be too short to see. */
	if (re != 0 || im != 0) {
		const double direction = atan2(im, re);
		clpac__set_colour(cairo, clpac__colour_ink);
		cairo_set_line_width(cairo, 1.6);
		cairo_move_to(cairo, x, y);
		cairo_line_to(cairo, x + radius * cos(direction), y - radius * sin(direction));
		cairo_stroke(cairo);
	}
	static const struct {
		const char *text;
		double x, y;
		clpac__align align;
	} names[] = {{"0\u00b0", 1, 0, CLPAC__LEFT},
		     {"90\u00b0", 0, -1, CLPAC__CENTRE},
		     {"\u00b1180\u00b0", -1, 0, CLPAC__RIGHT},
		     {"\u221290\u00b0", 0, 1, CLPAC__CENTRE}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		clpac__text_style style = clpac__tick_style;
		style.align = names[i].align;
		const double away = radius + 3, below = names[i].y > 0	 ? style.size
							: names[i].y < 0 ? 0
									 : 0.36 * style.size;
		clpac__draw_text(cairo, style, x + away * names[i].x, y + away * names[i].y + below, names[i].text);
	}
	clpac__draw_panel_texts(cairo, box, histogram->title, "phase of the slow wave", "");
	clpac__draw_legend(
		cairo, box,
		(const clpac__legend_entry[]){{draw_wedge_sample, "uniform"}, {draw_vector_sample, "preferred"}}, 2);
}
