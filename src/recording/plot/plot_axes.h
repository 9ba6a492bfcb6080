/* Axes: the place of a value on the page, and round numbers beside it. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_AXES_H
#define CLPAC_RECORDING_PLOT_PLOT_AXES_H

#include <cairo.h>
#include <clpac/bands.h>

#include "recording/plot/plot_cells.h"
#include "recording/plot/plot_text.h"

/* A rectangle on the page; y grows downwards. */
typedef struct clpac__box {
	double x, y, width, height;
} clpac__box;

/* Position in the range: 0 at lo, 1 at hi. */
double clpac__range_part(clpac__range range, double value);

typedef enum clpac__side { CLPAC__BOTTOM = 0, CLPAC__AT_LEFT, CLPAC__AT_RIGHT } clpac__side;

/* Ticks at round values along a side of the box, with their numbers divided by 10^power.  Returns the width of the
 * widest number. */
double clpac__draw_ticks(cairo_t *cairo, clpac__box box, clpac__side side, clpac__range range, int power);
/* The same for cells: round frequencies, or the names of the bands. */
void clpac__draw_cell_ticks(cairo_t *cairo, clpac__box box, clpac__side side, const clpac__cells *cells);
/* One tick with its text; returns the width of the text. */
double clpac__draw_tick(cairo_t *cairo, clpac__box box, clpac__side side, clpac__range range, double value,
			const char *text);

/* The frame of a panel, drawn last. */
void clpac__draw_frame(cairo_t *cairo, clpac__box box);

/* The power of ten to divide the numbers of an axis up to hi by; 0 where they read well as they are. */
int clpac__power_of(double hi);

/* The text of a band: "4.5-7.5" with an en dash. */
void clpac__band_text(char text[96], clpac_band band);

/* Sizes in points that every panel shares. */
extern const clpac__text_style clpac__label_style, clpac__tick_style;
extern const double clpac__line_width;

#endif
