/* Decides where a plan runs, and with which layout. */
#ifndef CLPAC_COUPLING_RUN_PLACE_H
#define CLPAC_COUPLING_RUN_PLACE_H

#include "coupling/passes/plan.h"

/* Decides the plan's context and layout and allocates its buffers.  Tries the layouts from the largest that fits the
 * budget to the smallest on the given context, then on a native context that the plan owns.  The report lists each
 * layout given up and the reason.  Plans for the caller's phases and amplitudes (without a problem copy) stay on their
 * device.  The plan's problem and filters must be set.  Errors: CLPAC_ERROR_NO_DEVICE_MEMORY, with the attempts, if
 * nothing fits anywhere. */
clpac_status clpac__plan_settle(clpac_plan *plan, clpac_context *context, clpac_error *err);

/* The plan that runs begin with now: itself, or the last that took its place. */
const clpac_plan *clpac__plan_now(const clpac_plan *plan);

/* Begins a run: gives the calling thread a batch of its own of the plan that runs begin with now.  Allocates where all
 * batches are in use; CLPAC_ERROR_NO_DEVICE_MEMORY and CLPAC_ERROR_NO_MEMORY then, with nothing taken. */
clpac_status clpac__plan_enter(clpac_plan *plan, clpac_plan **now, clpac__batch **batch, clpac_error *err);
/* Ends a run with a batch, which is kept for the next one. */
void clpac__plan_leave(clpac_plan *plan, clpac__batch *batch);

/* Continues downwards after a run was refused memory, why is the reason given: gives the run's batch up, and then a
 * smaller plan and device memory of that.  Runs of other threads go on with theirs.  After an error the batch has no
 * device memory. */
clpac_status clpac__plan_go_down(clpac_plan **plan, clpac__batch *batch, const char *why, clpac_error *err);

#endif
