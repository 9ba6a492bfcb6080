/* The cells that bands cover along an axis. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_CELLS_H
#define CLPAC_RECORDING_PLOT_PLOT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <clpac/bands.h>

#include "base/error.h"

/* The values lo to hi, both above 0 on a logarithmic axis. */
typedef struct clpac__range {
	double lo, hi;
	bool is_logarithmic;
	bool has_centre;
	double centre; /* of a colour scale: the value in its middle, each half of which is even */
} clpac__range;

/* The cells of n bands along an axis, in the order of their centres: cell i lies between edges[i] and edges[i + 1]
 * and belongs to band order[i].  A cell reaches half way to its neighbours; adjoining bands and single bands are
 * drawn as wide as they are.  Centres evenly spaced in the logarithm give a logarithmic axis.  Where two bands share a
 * centre, all cells are equally wide (is_named), with the limits of the bands in place of numbers.  Bands whose widths
 * are tied to the other axis (is_tied) have no limits of their own, and their centres in that place. */
typedef struct clpac__cells {
	size_t n;
	const clpac_band *bands; /* the caller's */
	size_t *order;
	double *edges;
	clpac__range range;
	bool is_named, is_tied;
} clpac__cells;

clpac_status clpac__cells_create(const clpac_band *bands, size_t n, clpac__cells *out, clpac_error *err);
/* A zeroed one is fine. */
void clpac__cells_destroy(clpac__cells *cells);

#endif
