/* Decides where a plan runs, and with which layout. */
#ifndef CLPAC_COUPLING_PLAN_PLACE_H
#define CLPAC_COUPLING_PLAN_PLACE_H

#include "coupling/plan/plan.h"

/* Decides the plan's context and layout and allocates its buffers.  Tries the layouts from the largest that fits the
 * budget to the smallest on the given context, then on a native context that the plan owns.  The report lists each
 * layout given up and the reason.  Plans for the caller's phases and amplitudes (without a problem copy) stay on their
 * device.  The plan's problem and filters must be set.  Errors: CLPAC_ERROR_NO_DEVICE_MEMORY, with the attempts, if
 * nothing fits anywhere. */
clpac_status clpac__plan_settle(clpac_plan *plan, clpac_context *context, clpac_error *err);

/* Continues downwards from the plan's present layout after a run was refused memory; why is the reason given. */
clpac_status clpac__plan_go_down(clpac_plan *plan, const char *why, clpac_error *err);

#endif
