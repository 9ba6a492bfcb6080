/* The panels of a figure.  Each is drawn into a box, with what belongs to it around the box. */
#ifndef CLPAC_IO_PLOT_PANELS_H
#define CLPAC_IO_PLOT_PANELS_H

#include "io/plot_axes.h"

/* A map of phase cells x amplitude cells. */
typedef struct clpac__map {
	const clpac__cells *phase, *amplitude;
	const float *values; /* (phase band, amplitude band), NaN where undefined */
	const float *p;	     /* the same for p, whose cells below significance are outlined; NULL: none are */
	double significance;
	const char *title;
	const char *unit; /* beside the colour bar */
} clpac__map;

void clpac__draw_map(cairo_t *cairo, clpac__box box, const clpac__map *map);

/* Mean amplitude per phase bin as shares of their sum, over two cycles; NaN for a bin without samples. */
typedef struct clpac__histogram {
	const float *amplitudes;
	size_t n_bins;
	const char *title;
} clpac__histogram;

void clpac__draw_histogram(cairo_t *cairo, clpac__box box, const clpac__histogram *histogram);

/* Room in points around a panel's box, in which its title, numbers and legend lie. */
extern const double clpac__room_above, clpac__room_below, clpac__room_at_left, clpac__room_at_map_right,
	clpac__room_at_histogram_right;

/* What draws the sample of a legend entry, a swatch or a line, into a box. */
typedef void clpac__draw_sample(cairo_t *cairo, clpac__box box);
typedef struct clpac__legend_entry {
	clpac__draw_sample *draw_sample;
	const char *text;
} clpac__legend_entry;

/* Below a panel, entries one beside the other, centred. */
void clpac__draw_legend(cairo_t *cairo, clpac__box box, const clpac__legend_entry *entries, size_t n);
/* Above it, and the text along its left side. */
void clpac__draw_panel_texts(cairo_t *cairo, clpac__box box, const char *title, const char *below, const char *at_left);

#endif
