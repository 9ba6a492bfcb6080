/* --hold: the samples that a job may have in memory at once. */
#ifndef CLPAC_TOOL_HOLD_H
#define CLPAC_TOOL_HOLD_H

#include "tool/tool.h"

typedef struct tool_hold {
	uint64_t bytes; /* of samples, two groups of channels together */
	uint64_t most;	/* likewise, where a file is read anew for each group; not below `bytes` */
} tool_hold;

/* Reads --hold: a number of bytes for both; without one, `bytes` is 256M and `most` a share of the memory that is free
 * now.
 * Errors: CLPAC_ERROR_ARGUMENT.  Cost: less than a millisecond. */
clpac_status tool_hold_read(const tool_call *call, tool_hold *out, clpac_error *err);

#endif
