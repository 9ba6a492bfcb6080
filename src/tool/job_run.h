/* Computes a job: one plan per length of segments, one result for all. */
#ifndef CLPAC_TOOL_JOB_RUN_H
#define CLPAC_TOOL_JOB_RUN_H

#include <clpac/result.h>
#include "tool/job.h"
#include "tool/progress.h"

/* @param[out] out the result with channel names and segment onsets, the caller's to destroy. */
clpac_status tool_job_run(tool_job *job, tool_progress *progress, clpac_result **out, clpac_error *err);

#endif
