/* Where a plan runs, and with which layout. */
#ifndef CLPAC_PLAN_PLACE_H
#define CLPAC_PLAN_PLACE_H

#include "plan/plan.h"

/* Decides the plan's context and layout: the given context's device where a single series fits its budget, else a
 * native context that the plan owns, with a warning in the report.  The plan's problem and filters are there already.
 * Errors: CLPAC_ERROR_NO_DEVICE_MEMORY when not even the native backend has the memory. */
clpac_status clpac__decide_place(clpac_plan *plan, clpac_context *context, clpac_error *err);

#endif
