/* The prefix sums of amplitudes: made at once, or, for long series, slab by slab. */
#ifndef CLPAC_COUPLING_PASSES_SLABS_H
#define CLPAC_COUPLING_PASSES_SLABS_H

#include "coupling/passes/plan.h"

/* Decides levels and scales of the amplitudes of n series, whose samples in the fullest bins are known, and makes their
 * prefix sums unless they are streamed. */
clpac_status clpac__slabs_prefix(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err);

/* clpac__execute_indices for a layout of several spans. */
clpac_status clpac__slabs_indices(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				  size_t first_shift, size_t n_shifts, clpac_buffer *out, clpac_error *err);

/* The samples from number `from` on whose amplitudes are filtered in one call: all, or of a streamed series those of
 * two spans first, and then of one after the other.  Whoever filters a series again begins where these pieces begin:
 * then each amplitude has the same bits. */
size_t clpac__slabs_piece(const clpac__layout *layout, size_t from);

#endif
