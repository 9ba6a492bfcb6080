/* Statistics of surrogates: moments and ranks, and the highest standardized statistic of each. */
#ifndef CLPAC_COUPLING_PASSES_STATISTICS_H
#define CLPAC_COUPLING_PASSES_STATISTICS_H

#include "coupling/passes/plan.h"

/* Adds surrogates number k .. k + n_shifts - 1 of n series, which are in the chunk's buffer, to the moments.  Where the
 * plan fuses statistics (fused.h), that makes the maxima, too, and clpac__statistics_maxima nothing. */
clpac_status clpac__statistics_moments(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				       size_t k, size_t n_shifts, clpac_error *err);

/* Finds the highest standardized statistic (cl/surrogate_maxima.cl) of surrogates number k .. k + n_shifts - 1 of n
 * series, which are in the chunk's buffer and whose moments are complete. */
clpac_status clpac__statistics_maxima(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t k, size_t n_shifts,
				      clpac_error *err);

/* Whether one chunk holds all surrogates. */
bool clpac__surrogates_are_kept(const clpac__layout *layout);

#endif
