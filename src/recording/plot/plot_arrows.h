/* Preferred phases and mean vectors of the cells of a map, as arrows. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_ARROWS_H
#define CLPAC_RECORDING_PLOT_PLOT_ARROWS_H

#include "recording/plot/plot_axes.h"

/* Both as the values of a map, (phase band, amplitude band), NaN where undefined.  phases NULL: no arrows. */
typedef struct clpac__arrows {
	const float *phases, *lengths;
} clpac__arrows;

/* The longest mean vector among n cells; 0 without any. */
double clpac__longest_arrow(const clpac__arrows *arrows, size_t n);

/* Draws the arrow of a cell, or of n x n cells that are too small for arrows of their own, around the middle of `box`.
 * A phase of 0 points to the right and one of 90 degrees upwards, as in the polar histogram.
 * @param longest the mean vector whose arrow fills the box. */
void clpac__draw_arrow(cairo_t *cairo, clpac__box box, double phase, double length, double longest);

/* How many neighbouring cells of n in a side of `side` points share an arrow: 1 where each has room for its own. */
size_t clpac__cells_of_an_arrow(size_t n, double side);

#endif
