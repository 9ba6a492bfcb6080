/* Filtering one batch on the device: from samples to phase bins and amplitudes. */
#ifndef CLPAC_COUPLING_PASSES_FILTER_BANKS_H
#define CLPAC_COUPLING_PASSES_FILTER_BANKS_H

#include "coupling/passes/plan.h"

/* Computes the phase bins of n series from their samples in the plan's buffers. */
clpac_status clpac__banks_bins(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err);

/* Fills vectors, as CLPAC__TENSOR_VECTORS has them, with those of n series of as many samples as are kept, (n, kept)
 * f4, in the phase bands.  Layouts that are not trimmed only. */
clpac_status clpac__banks_vectors(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_buffer *series,
				  clpac_buffer *vectors, clpac_error *err);

/* Puts the amplitudes of kept samples from .. from + count - 1 of n series into rows first_row and up of the prefix
 * sums' buffer: filtered, or the caller's.  Rows behind them, fewer than a section's step, are overwritten. */
clpac_status clpac__banks_amplitudes(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t from, size_t count,
				     size_t first_row, clpac_error *err);

/* All amplitudes of n series whose phase bins were computed just before; streamed ones are made where they are needed
 * (slabs.c). */
clpac_status clpac__banks_all_amplitudes(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err);

#endif
