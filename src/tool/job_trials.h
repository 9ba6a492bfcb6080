/* Coupling across the trials of a job: its epochs, which are of one condition. */
#ifndef CLPAC_TOOL_JOB_TRIALS_H
#define CLPAC_TOOL_JOB_TRIALS_H

#include <clpac/result.h>
#include "tool/job.h"
#include "tool/progress.h"

/* Computes an opened job, group of samples after group.
 * @param step samples between points in time.  @param[out] out a result of all channels or pairs, whose segments are
 * the points in time. */
clpac_status tool_trials_run(tool_job *job, size_t step, tool_progress *progress, clpac_result **out, clpac_error *err);

#endif
