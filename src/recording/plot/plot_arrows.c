#include "recording/plot/plot_arrows.h"

#include <math.h>

/* In points; a head beside the shaft at this angle to it. */
static const double least_side = 5, head_part = 0.4, head_angle = 0.5, shade_width = 1.5, line_width = 0.7;

double clpac__longest_arrow(const clpac__arrows *arrows, size_t n)
{
	double longest = 0;
	for (size_t i = 0; arrows->phases && i < n; i++)
		if (!isnan(arrows->phases[i]))
			longest = fmax(longest, arrows->lengths[i]);
	return longest;
}

size_t clpac__cells_of_an_arrow(size_t n, double side)
{
	const double each = side / (double)n;
	return each >= least_side ? 1 : (size_t)ceil(least_side / each);
}

void clpac__draw_arrow(cairo_t *cairo, clpac__box box, double phase, double length, double longest)
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
