/* Cross-correlations of amplitudes with phases at every shift, by Fourier transforms (cl/all_shifts.cl).
 *
 * A caller makes the rows of a batch's amplitudes and transforms them, then, for some phase bands of a series after the
 * other, fills the sequences of the phases and transforms those.  Correlations of some amplitude bands at a time then
 * stand in CLPAC__TENSOR_SHIFTED_PRODUCTS. */
#ifndef CLPAC_COUPLING_PASSES_CORRELATION_H
#define CLPAC_COUPLING_PASSES_CORRELATION_H

#include "coupling/passes/plan.h"

/* Phase bands of a series of the batch that follow each other: n, from `phase` on. */
typedef struct clpac__phases_of_series {
	size_t series, phase, n;
	size_t row; /* the first one's, counted through all series */
} clpac__phases_of_series;

/* The phase bands from row `row` on that are correlated at once. */
clpac__phases_of_series clpac__phases_from(const clpac_plan *plan, size_t row);

/* Fills the rows with the amplitudes of n series in fixed point. */
clpac_status clpac__correlation_rows(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err);
/* Transforms the rows. */
clpac_status clpac__correlation_amplitudes(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err);
/* Transforms the first n_sequences in CLPAC__TENSOR_SHIFTED_PHASES: at most shifted.n_pairs for each phase band. */
clpac_status clpac__correlation_phases(clpac__batch *batch, size_t n_sequences, clpac_error *err);
/* Correlates n_bands amplitude bands, first_band and up, at most shifted.bands, with those sequences. */
clpac_status clpac__correlate(const clpac_plan *plan, clpac__batch *batch, const clpac__phases_of_series *at,
			      size_t n_sequences, size_t first_band, size_t n_bands, clpac_error *err);

#endif
