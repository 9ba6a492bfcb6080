/* Linear measures: cross-correlations of amplitudes with vectors of the phase (cl/linear_measures.cl). */
#ifndef CLPAC_COUPLING_PASSES_LINEAR_H
#define CLPAC_COUPLING_PASSES_LINEAR_H

#include "coupling/passes/plan.h"

/* Writes what runs need beside their vectors: the normal scores, where a measure takes ranks. */
clpac_status clpac__linear_write(const clpac_plan *plan, clpac_error *err);

/* Rows of floats that get the scores of sorted keys: each begins at first + its number x row_stride, and its values are
 * stride apart; the first n_again of them once more behind its end. */
typedef struct clpac__scored {
	clpac_buffer *buffer;
	size_t n, first, stride, row_stride, n_again;
} clpac__scored;

/* Sorts the keys of some rows, as many as there is room for, and puts the scores of their ranks into the places of
 * their values. */
clpac_status clpac__linear_score(const clpac_plan *plan, clpac__batch *batch, const clpac__scored *rows,
				 clpac_error *err);

/* The vectors that a measure correlates amplitudes with. */
clpac_buffer *clpac__linear_vectors(const clpac__batch *batch, clpac_measure measure);
/* The number by which kernels know its formula (cl/shared/measures.h). */
unsigned clpac__linear_formula(clpac_measure measure);

/* Computes a linear measure of n series into out, as clpac__execute_indices.  The vectors of the phase bands and the
 * prefix sums of whole series are there.  For surrogates that are shifts; all transforms are made anew in every call.
 */
clpac_status clpac__linear_indices(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				   size_t first_shift, size_t n_shifts, clpac_buffer *out, clpac_error *err);

#endif
