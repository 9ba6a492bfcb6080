/* Computes a job: one plan per length of segments, one result for all. */
#ifndef CLPAC_ANALYSIS_RUN_RUN_H
#define CLPAC_ANALYSIS_RUN_RUN_H

#include <clpac/result.h>
#include "analysis/run/job.h"

/* @param[out] out the result with channel names and segment onsets, the caller's to destroy. */
clpac_status clpac__job_run(clpac__job *job, clpac_result **out, clpac_error *err);

/* Notes how much of a job that has run came from checkpoints, where some did. */
void clpac__job_note_kept(const clpac__job *job);

#endif
