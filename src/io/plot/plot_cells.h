/* The cells that bands cover along an axis. */
#ifndef CLPAC_IO_PLOT_PLOT_CELLS_H
#define CLPAC_IO_PLOT_PLOT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <clpac/problem.h>

#include "base/error.h"

/* Values lo..hi; on a logarithmic axis both are above 0. */
typedef struct clpac__range {
	double lo, hi;
	bool is_logarithmic;
} clpac__range;

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

#endif
