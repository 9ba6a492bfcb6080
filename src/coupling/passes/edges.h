/* Edge lists: where the phase of a series crosses the edges of its bins. */
#ifndef CLPAC_COUPLING_PASSES_EDGES_H
#define CLPAC_COUPLING_PASSES_EDGES_H

#include "coupling/passes/plan.h"

/* Makes the edge lists of n series from their phase bins, with the counts and weights of bins.  Does not wait. */
clpac_status clpac__edges_find(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err);

#endif
