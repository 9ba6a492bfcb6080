/* Surrogates whose amplitude is not the recorded one shifted: rearranged time blocks, other segments, random phases
 * (cl/variants.cl). */
#ifndef CLPAC_COUPLING_PASSES_VARIANTS_H
#define CLPAC_COUPLING_PASSES_VARIANTS_H

#include <clpac/signal.h>
#include "coupling/passes/run_state.h"

/* Makes the host's memory for the layout's null, and writes what the slots' scales are made from; nothing for shifts.
 */
clpac_status clpac__variants_prepare(const clpac_plan *plan, clpac__batch *batch, clpac_error *err);
/* Frees that memory. */
void clpac__variants_dismiss(clpac__batch *batch);

/* Draws blocks or permutations of series first .. first + n - 1: n x clpac__variants_draws numbers, as
 * CLPAC__TENSOR_DRAWS has them.  Permutations need the troubles of all segments of these series' channels in the plan.
 */
clpac_status clpac__variants_draw(const clpac_plan *plan, clpac__batch *batch, size_t first, size_t n, uint32_t *draws,
				  clpac_error *err);
/* The numbers of one series; 0 if none are drawn beforehand. */
size_t clpac__variants_draws(const clpac__layout *layout);

/* Begins a batch whose samples are loaded: draws, and writes what was drawn to the device. */
clpac_status clpac__variants_begin(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples,
				   size_t first, size_t n, clpac_error *err);

/* Computes indices of n series into out, as clpac__execute_indices; first_shift is at least 1.  Overwrites the samples
 * of the batch. */
clpac_status clpac__variants_indices(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				     clpac__summing summing, size_t first_shift, size_t n_shifts, clpac_buffer *out,
				     clpac_error *err);

/* The same for all measures of a layout that shares slots, each into its own chunk (measures.h): every slot is filled
 * once for all of them. */
clpac_status clpac__variants_of_measures(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac__summing summing,
					 size_t first_shift, size_t n_shifts, clpac_error *err);

#endif
