/* Coupling across the trials of a job: its epochs, which are of one condition. */
#ifndef CLPAC_ANALYSIS_RUN_TRIALS_H
#define CLPAC_ANALYSIS_RUN_TRIALS_H

#include <clpac/result.h>
#include "analysis/run/job.h"

/* Computes an opened job, group of samples after group.
 * @param step samples between points in time.  @param[out] out a result of all channels or pairs, whose segments are
 * the points in time. */
clpac_status clpac__job_trials_run(clpac__job *job, size_t step, clpac_result **out, clpac_error *err);

#endif
