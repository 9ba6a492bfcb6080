/* Making plans and batches, and what they are made of. */
#ifndef CLPAC_COUPLING_RUN_MAKING_H
#define CLPAC_COUPLING_RUN_MAKING_H

#include "coupling/passes/plan.h"

/* Copies options and problem into the plan, completed and checked. */
clpac_status clpac__plan_ask(clpac_plan *plan, const clpac_problem *problem, const clpac_plan_options *options,
			     clpac_error *err);

/* Makes the plan able to run with its layout, in a batch without device memory: transforms, buffers, kernels,
 * constants, spectra.  An estimate has no batch.  CLPAC_ERROR_NO_DEVICE_MEMORY: the layout is too large after all; call
 * clpac__plan_dismiss before the next attempt. */
clpac_status clpac__plan_equip(clpac_plan *plan, clpac__batch *batch, clpac_error *err);
/* Frees everything that clpac__plan_equip made. */
void clpac__plan_dismiss(clpac_plan *plan, clpac__batch *batch);

/* Makes a batch without device memory. */
clpac_status clpac__batch_create(size_t n_series, clpac__batch **out, clpac_error *err);
void clpac__batch_destroy(clpac__batch *batch);

/* Makes the batch's buffers, in descending order of their sizes with those of the plan's constants that are not there
 * yet, and clears what no kernel writes.  The batch's transforms are there. */
clpac_status clpac__batch_allocate(const clpac_plan *plan, clpac__batch *batch, clpac_error *err);
/* Makes the host's memory of a batch whose buffers are there. */
clpac_status clpac__batch_reach(const clpac_plan *plan, clpac__batch *batch, clpac_error *err);
/* Gives a batch device memory for a plan that has its constants: for a further thread. */
clpac_status clpac__batch_equip(const clpac_plan *plan, clpac__batch *batch, clpac_error *err);
/* Frees everything of a layout: what is left is what a run keeps while the layout changes. */
void clpac__batch_dismiss(const clpac_plan *plan, clpac__batch *batch);

/* The bytes that the buffers of a plan and of one batch take, in the pool's size classes.  A run allocates nothing, so
 * this is also its peak, whatever else uses the context's pool meanwhile. */
uint64_t clpac__batch_taken(const clpac__batch *batch);

#endif
