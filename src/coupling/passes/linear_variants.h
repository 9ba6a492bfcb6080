/* Linear measures of surrogates whose amplitude is not the recorded one shifted (cl/linear_variants.cl). */
#ifndef CLPAC_COUPLING_PASSES_LINEAR_VARIANTS_H
#define CLPAC_COUPLING_PASSES_LINEAR_VARIANTS_H

#include "coupling/passes/plan.h"

/* Surrogates whose amplitudes are there: n_taken of each of n series from number `series` of the batch on, those from
 * number `surrogate` on, whose indices go to the places from `place` on among the n_shifts of a chunk.  The amplitudes
 * are those of n_matrices slots, the first of which holds segment first_matrix where segments are permuted; for blocks,
 * of the batch itself. */
typedef struct clpac__of_slots {
	size_t series, n, surrogate, place, n_taken, n_shifts, first_matrix, n_matrices;
} clpac__of_slots;

/* Computes their indices into out.  The vectors of the phase bands and what clpac__linear_indices finds for the
 * observed index of the measure are there.  are_new: the amplitudes are others than in the last call. */
clpac_status clpac__linear_of_slots(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure,
				    const clpac__of_slots *of, bool are_new, clpac_buffer *out, clpac_error *err);

#endif
