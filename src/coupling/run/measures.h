/* The measures of a batch, from its bins and amplitudes to the result.
 *
 * Measures take turns in the same buffers, each with all its surrogates before the next.  Surrogates that must be
 * filtered, permuted segments and random phases, are made once for all measures instead: these are computed side by
 * side, chunk by chunk, and each has the buffers of clpac__own_tensors for itself. */
#ifndef CLPAC_COUPLING_RUN_MEASURES_H
#define CLPAC_COUPLING_RUN_MEASURES_H

#include "coupling/run/execute.h"

/* Computes the measures of series first .. first + n - 1 and stores them in the run's result. */
clpac_status clpac__measures_batch(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
				   clpac__summing summing, clpac_error *err);

/* Computes surrogates number k .. k + n_shifts - 1 of n series for measures number i and up, as many as are computed
 * side by side, into their chunks, and adds them to their moments.  They have been observed, or are with_observed where
 * clpac__observes_with_surrogates says so and k is 0. */
clpac_status clpac__measures_surrogates(const clpac_plan *plan, clpac__batch *batch, size_t i, size_t n,
					clpac__summing summing, size_t k, size_t n_shifts, bool with_observed,
					clpac_error *err);

#endif
