/* Coupling across the trials of a job: its epochs, which are of one condition. */
#ifndef CLPAC_ANALYSIS_RUN_TRIALS_H
#define CLPAC_ANALYSIS_RUN_TRIALS_H

#include <clpac/result.h>
#include "analysis/run/job.h"

/* Refuses options that are not for trials. */
clpac_status clpac__job_trials_check(const clpac__analysis_settings *settings, clpac_error *err);
/* Opens a prepared job, whose epochs are trials then, and chooses its step. */
clpac_status clpac__job_trials_open(clpac__job *job, clpac_error *err);
/* Computes it, group of samples after group.
 * @param[out] out a result of all channels or pairs, whose segments are the points in time. */
clpac_status clpac__job_trials_run(clpac__job *job, clpac_result **out, clpac_error *err);

#endif
