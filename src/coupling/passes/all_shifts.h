/* The binned indices of all circular shifts, by Fourier transforms (cl/all_shifts.cl). */
#ifndef CLPAC_COUPLING_PASSES_ALL_SHIFTS_H
#define CLPAC_COUPLING_PASSES_ALL_SHIFTS_H

#include "coupling/passes/plan.h"

/* The part of itself by which an index may differ from that of the exact sums, for indices near the mean of all shifts
 * and above. */
extern const double clpac__all_shifts_error;

/* Computes indices of n series into out, as clpac__execute_indices; first_shift is at least 1.  All transforms are made
 * anew in every call, for n_shifts of their values. */
clpac_status clpac__all_shifts_indices(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				       size_t first_shift, size_t n_shifts, clpac_buffer *out, clpac_error *err);

#endif
