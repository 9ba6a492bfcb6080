/* Cross-correlations of amplitudes with phases at every shift, by Fourier transforms (cl/all_shifts.cl).
 *
 * A caller makes the rows of a batch's amplitudes and transforms them, then, for one phase band of a series after the
 * other, fills the sequences of the phase and transforms those.  Correlations of some amplitude bands at a time then
 * stand in CLPAC__PART_SHIFTED_PRODUCTS. */
#ifndef CLPAC_PLAN_CORRELATION_H
#define CLPAC_PLAN_CORRELATION_H

#include "plan/plan.h"

/* A phase band of a series of the batch. */
typedef struct clpac__phase_of_series {
	size_t series, phase, row;
} clpac__phase_of_series;

/* The place of row `row`, counted through all series. */
clpac__phase_of_series clpac__phase_of_row(const clpac_plan *plan, size_t row);

/* Fills the rows with the amplitudes of n series in fixed point. */
clpac_status clpac__correlation_rows(clpac_plan *plan, size_t n, clpac_error *err);
/* Transforms the rows. */
clpac_status clpac__correlation_amplitudes(clpac_plan *plan, size_t n, clpac_error *err);
/* Transforms n_sequences complex sequences of a phase band, at most shifted.n_pairs, in CLPAC__PART_SHIFTED_PHASES. */
clpac_status clpac__correlation_phases(clpac_plan *plan, size_t n_sequences, clpac_error *err);
/* Correlates n_bands amplitude bands, first_band and up, at most shifted.bands, with those sequences. */
clpac_status clpac__correlate(clpac_plan *plan, const clpac__phase_of_series *at, size_t n_sequences, size_t first_band,
			      size_t n_bands, clpac_error *err);

#endif
