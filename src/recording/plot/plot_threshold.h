/* The value in the middle of a map's colours, from its corrected p. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_THRESHOLD_H
#define CLPAC_RECORDING_PLOT_PLOT_THRESHOLD_H

#include <stddef.h>

/* A map of z, or of t, and what corrected it. */
typedef struct clpac__corrected_map {
	const float *values, *p_max; /* n_cells */
	const float *standings;	     /* n_cells, what p_max compares with the maxima; NULL: unknown */
	const float *maxima;	     /* n_surrogates */
	size_t n_cells, n_surrogates;
	double significance;
} clpac__corrected_map;

/* The t that p_max = significance asks for; 0 where nothing can reach it. */
double clpac__asked_of_t(const clpac__corrected_map *map);

/* The z in the middle of the colours; 0: none.
 *
 * p_max asks no single z for: cells that spread more than is usual for their phase band need less of it, since it
 * compares standings.  The lowest z of a significant cell is the middle, so that the others have upper colours; but
 * where all cells that are not significant lie lower, the highest of these stands to the middle as the highest standing
 * among them stands to the one that is asked for.  So colours tell how near to significance a map is, however short the
 * series, and show what lies below a cell that is far above. */
double clpac__middle_of_z(const clpac__corrected_map *map);

#endif
