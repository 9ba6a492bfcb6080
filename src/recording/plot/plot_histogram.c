/* Mean amplitude over phase, two cycles, with a cosine above that shows peak and trough of the slow wave. */
#include "recording/plot/plot_parts.h"

#include <math.h>

static const double pi = 3.14159265358979324;
/* Fractions of box height: cosine strip, part it fills. */
static const double cosine_part = 0.2, cosine_fill = 0.7;
static const double bar_fill = 0.9; /* of the width of a bin */

static const clpac__range degrees = {-180, 540, false, false, 0};

static double phase_x(clpac__box box, double phase_degrees)
{
	return box.x + box.width * clpac__range_part(degrees, phase_degrees);
}

static void draw_bars(cairo_t *cairo, clpac__box bars, const clpac__histogram *histogram, double sum, double top)
{
	double width = 360.0 / (double)histogram->n_bins;
	for (size_t i = 0; i < 2 * histogram->n_bins; i++) {
		double value = histogram->amplitudes[i % histogram->n_bins];
		double x = phase_x(bars, -180 + width * ((double)i + (1 - bar_fill) / 2));
		double next = phase_x(bars, -180 + width * ((double)i + (1 + bar_fill) / 2));
		double height = isnan(value) ? bars.height : bars.height * value / sum / top;
		clpac__set_colour(cairo, isnan(value) ? clpac__colour_undefined : clpac__colour_bar);
		cairo_rectangle(cairo, x, bars.y + bars.height - height, next - x, height);
		cairo_fill(cairo);
	}
}

static void draw_cosine(cairo_t *cairo, clpac__box box)
{
	double height = cosine_part * box.height, middle = box.y + height / 2;
	for (int degree = -180; degree <= 540; degree += 3)
		cairo_line_to(cairo, phase_x(box, degree), middle - cosine_fill * height / 2 * cos(degree * pi / 180));
	clpac__set_colour(cairo, clpac__colour_faint);
	cairo_set_line_width(cairo, 0.9);
	cairo_stroke(cairo);
}

static void set_dashes(cairo_t *cairo)
{
	clpac__set_colour(cairo, clpac__colour_ink);
	cairo_set_line_width(cairo, 0.7);
	cairo_set_dash(cairo, (double[]){3, 2}, 2, 0);
}

static void draw_level(cairo_t *cairo, double x, double width, double y)
{
	cairo_save(cairo);
	set_dashes(cairo);
	cairo_move_to(cairo, x, y);
	cairo_rel_line_to(cairo, width, 0);
	cairo_stroke(cairo);
	cairo_restore(cairo);
}

static void draw_uniform_sample(cairo_t *cairo, clpac__box box)
{
	draw_level(cairo, box.x, box.width, box.y + box.height / 2);
}

static void draw_cosine_sample(cairo_t *cairo, clpac__box box)
{
	for (int i = 0; i <= 24; i++)
		cairo_line_to(cairo, box.x + box.width * i / 24, box.y + box.height / 2 * (1 - cos(2 * pi * i / 24)));
	clpac__set_colour(cairo, clpac__colour_faint);
	cairo_set_line_width(cairo, 0.9);
	cairo_stroke(cairo);
}

static void draw_empty_sample(cairo_t *cairo, clpac__box box)
{
	clpac__set_colour(cairo, clpac__colour_undefined);
	cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
	cairo_fill(cairo);
}

void clpac__draw_histogram(cairo_t *cairo, clpac__box box, const clpac__histogram *histogram)
{
	double sum = 0, highest = 0;
	size_t n_empty = 0;
	for (size_t i = 0; i < histogram->n_bins; i++) {
		double value = histogram->amplitudes[i];
		n_empty += isnan(value) != 0;
		sum += isnan(value) ? 0 : value;
		highest = fmax(highest, value);
	}
	double top = 1.06 * highest / sum, uniform = 1 / (double)histogram->n_bins;
	clpac__box bars = {box.x, box.y + cosine_part * box.height, box.width, (1 - cosine_part) * box.height};

	cairo_save(cairo);
	cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
	cairo_clip(cairo);
	draw_bars(cairo, bars, histogram, sum, top);
	draw_level(cairo, bars.x, bars.width, bars.y + bars.height * (1 - uniform / top));
	draw_cosine(cairo, box);
	cairo_restore(cairo);

	clpac__draw_frame(cairo, box);
	clpac__draw_ticks(cairo, bars, CLPAC__AT_LEFT, (clpac__range){0, top, false, false, 0}, 0);
	static const struct {
		double value;
		const char *text;
	} ticks[] = {{-180, "\u2212180"}, {0, "0"}, {180, "180"}, {360, "360"}, {540, "540"}};
	for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++)
		clpac__draw_tick(cairo, box, CLPAC__BOTTOM, degrees, ticks[i].value, ticks[i].text);
	clpac__draw_panel_texts(cairo, box, histogram->title, "phase (degrees)", "share of amplitude");

	clpac__legend_entry entries[] = {
		{draw_uniform_sample, "uniform"}, {draw_cosine_sample, "cos(phase)"}, {draw_empty_sample, "empty"}};
	clpac__draw_legend(cairo, box, entries, n_empty ? 3 : 2);
}
