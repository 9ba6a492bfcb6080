/* Indices of shifts: of the recording, and of its surrogates, in the way that a measure and a null take. */
#ifndef CLPAC_COUPLING_PASSES_INDICES_H
#define CLPAC_COUPLING_PASSES_INDICES_H

#include "coupling/passes/plan.h"
#include "coupling/passes/run_state.h"

/* Computes a measure's indices of n series for n_shifts shifts from number first_shift of each list on.  Number 0 is
 * the recording as it is: its indices go into the part of observed ones, with the distributions of measures of bins,
 * and those of the others into out.  One launch makes both only where clpac__observes_with_surrogates says so; else a
 * call for number 0 has n_shifts 1, and out is the part of observed indices. */
clpac_status clpac__indices(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
			    clpac__summing summing, size_t first_shift, size_t n_shifts, clpac_buffer *out,
			    clpac_error *err);

/* Whether a measure's observed indices come with the first chunk of its surrogates: those are shifts of the same sums,
 * and vectors have one band, so that an item takes one shift. */
bool clpac__observes_with_surrogates(const clpac__layout *layout, clpac_measure measure);

/* Computes a measure's observed indices of n series, and the distributions. */
clpac_status clpac__indices_observed(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				     clpac__summing summing, clpac_error *err);

#endif
