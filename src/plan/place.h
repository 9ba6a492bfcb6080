/* Where a plan runs, and with which layout. */
#ifndef CLPAC_PLAN_PLACE_H
#define CLPAC_PLAN_PLACE_H

#include "plan/plan.h"

/* Decides the plan's context and layout, and equips it: tries the layouts from the largest that fits the budget to the
 * smallest on the given context, then on a native context that the plan owns.  What was left on the way, and why, lies
 * in the report.  The plan's problem and filters are there already.  Phases and amplitudes of the caller's own
 * (without a problem copy) stay on their device.
 * Errors: CLPAC_ERROR_NO_DEVICE_MEMORY, with what was tried, when nothing fits anywhere. */
clpac_status clpac__plan_settle(clpac_plan *plan, clpac_context *context, clpac_error *err);

/* The same from where the plan stands, when a run was refused memory for the reason given. */
clpac_status clpac__plan_go_down(clpac_plan *plan, const char *why, clpac_error *err);

#endif
