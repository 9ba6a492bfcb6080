/* Storing a batch: from the device's buffers to the result. */
#ifndef CLPAC_PLAN_FETCH_H
#define CLPAC_PLAN_FETCH_H

#include "plan/execute.h"

/* A phase that wanders less is taken for a pure line (cl/phase_line.cl), in cycles. */
extern const float clpac__line_wander;

/* Counts of samples per bin and of edge crossings: empty bins, and whether any edge list of the batch overflowed, so
 * that its rows have to be summed directly. */
clpac_status clpac__store_counts(clpac_plan *plan, clpac__run *run, size_t first, size_t n, bool *overflow,
				 clpac_error *err);

/* A chunk of surrogate indices, number k .. k + n_shifts - 1 of each series. */
clpac_status clpac__store_surrogates(clpac_plan *plan, clpac__run *run, size_t first, size_t n, size_t k,
				     size_t n_shifts, clpac_error *err);

/* Indices, surrogate statistics and distributions. */
clpac_status clpac__store_indices(clpac_plan *plan, clpac__run *run, size_t first, size_t n, clpac_error *err);

/* Warnings that only the whole run can word: which channels could not be used. */
void clpac__store_troubles(const clpac_plan *plan, clpac__run *run);

#endif
