/* Loading a batch: from the caller's samples to the device's. */
#ifndef CLPAC_PLAN_LOAD_H
#define CLPAC_PLAN_LOAD_H

#include "plan/plan.h"

/* Stages series first .. first + n - 1, notes what is wrong with them, and puts samples, offsets and shifts into the
 * plan's buffers. */
clpac_status clpac__load_batch(clpac_plan *plan, const clpac_samples *samples, size_t first, size_t n, clpac_error *err);

#endif
