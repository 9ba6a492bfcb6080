/* Axes: where a value lies on the page, round numbers beside it, the cells that bands cover. */
#ifndef CLPAC_IO_PLOT_AXES_H
#define CLPAC_IO_PLOT_AXES_H

#include <stdbool.h>
#include <stddef.h>
#include <cairo.h>
#include <clpac/problem.h>

#include "base/error.h"
#include "io/plot_text.h"

/* A rectangle on the page; y grows downwards. */
typedef struct clpac__box {
	double x, y, width, height;
} clpac__box;

/* Values lo..hi; on a logarithmic axis both are above 0. */
typedef struct clpac__range {
	double lo, hi;
	bool is_logarithmic;
} clpac__range;

/* 0 at lo, 1 at hi. */
double clpac__range_part(clpac__range range, double value);

/* The cells of n bands along an axis, in the order of their centres: cell i lies between edges[i] and edges[i + 1] and
 * belongs to band order[i].  A cell reaches half way to its neighbours; bands that abut, or a band alone, are drawn as
 * wide as they are; centres that are evenly spaced in the logarithm get a logarithmic axis; and where two bands share a
 * centre, all stand side by side (is_named), with their limits written below in place of numbers. */
typedef struct clpac__cells {
	size_t n;
	const clpac_band *bands; /* the caller's */
	size_t *order;
	double *edges;
	clpac__range range;
	bool is_named;
} clpac__cells;

clpac_status clpac__cells_create(const clpac_band *bands, size_t n, clpac__cells *out, clpac_error *err);
/* A zeroed one is fine. */
void clpac__cells_destroy(clpac__cells *cells);

typedef enum clpac__side { CLPAC__BOTTOM = 0, CLPAC__AT_LEFT, CLPAC__AT_RIGHT } clpac__side;

/* Ticks at round values along a side of the box, with their numbers, which are divided by 10^power.  Returns the width
 * of the widest. */
double clpac__draw_ticks(cairo_t *cairo, clpac__box box, clpac__side side, clpac__range range, int power);
/* The same for cells: round frequencies, or the bands by name. */
void clpac__draw_cell_ticks(cairo_t *cairo, clpac__box box, clpac__side side, const clpac__cells *cells);
/* A tick with a text at one value; returns the width of the text. */
double clpac__draw_tick(cairo_t *cairo, clpac__box box, clpac__side side, clpac__range range, double value,
			const char *text);

/* The frame of a panel, drawn last. */
void clpac__draw_frame(cairo_t *cairo, clpac__box box);

/* The power of ten that takes the zeros off the ends of an axis up to hi; 0 for numbers that read well as they are. */
int clpac__power_of(double hi);

/* "4.5-7.5" with an en dash. */
void clpac__band_text(char text[96], clpac_band band);

/* Sizes in points that every panel shares. */
extern const clpac__text_style clpac__label_style, clpac__tick_style;
extern const double clpac__line_width;

#endif
