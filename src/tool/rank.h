/* --shard auto: the share of this process, by the variables of what started it. */
#ifndef CLPAC_TOOL_RANK_H
#define CLPAC_TOOL_RANK_H

#include "tool/tool.h"

/* Puts I/N in the place of "auto".  Elements of an array of Slurm's have a share each, and so have the processes of
 * each: 4 elements of 2 processes are 8 shards.
 * Errors: CLPAC_ERROR_ARGUMENT where no such variable is set, or one makes no sense. */
clpac_status tool_rank_take(tool_call *call, clpac_error *err);

#endif
