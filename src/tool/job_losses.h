/* Losses by samples that are rejected, NaN or infinite. */
#ifndef CLPAC_TOOL_JOB_LOSSES_H
#define CLPAC_TOOL_JOB_LOSSES_H

#include <clpac/result.h>
#include "tool/job.h"

/* Warns, channel by channel, of segments that such samples empty, and of channels of which less than half is used. */
void tool_warn_of_losses(const tool_job *job);
/* CLPAC_ERROR_FORMAT where no cell of any channel has a value. */
clpac_status tool_check_cells(const tool_job *job, const clpac_result *result, clpac_error *err);

#endif
