/* Losses by samples that are rejected, NaN or infinite. */
#ifndef CLPAC_ANALYSIS_RUN_LOSSES_H
#define CLPAC_ANALYSIS_RUN_LOSSES_H

#include <clpac/result.h>
#include "analysis/run/job.h"

/* Warns, channel by channel, of segments that such samples empty, and of channels of which less than half is used. */
void clpac__job_warn_of_losses(const clpac__job *job);
/* Tells the warnings of a result, each with its count. */
void clpac__job_tell_warnings(const clpac__job *job, const clpac_result *result);
/* CLPAC_ERROR_FORMAT where no cell of any channel has a value. */
clpac_status clpac__job_check_cells(const clpac__job *job, const clpac_result *result, clpac_error *err);

#endif
