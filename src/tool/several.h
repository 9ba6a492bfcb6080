/* The recordings of a call, each with a result of its own: one that is named, or several and folders of them. */
#ifndef CLPAC_TOOL_SEVERAL_H
#define CLPAC_TOOL_SEVERAL_H

#include "analysis/inputs.h"
#include "analysis/run/job.h"
#include "tool/tool.h"

/* The computing of a command for each recording. */
typedef struct tool_computation {
	/* Checks options that other commands do not have; NULL: there are none. */
	clpac_status (*check)(tool_call *call, clpac_error *err);
	/* Opens a prepared job and computes it, with progress. */
	clpac_status (*compute)(tool_call *call, clpac__job *job, const char *npz, const char *place,
				clpac_result **out, clpac_error *err);
	char *(*sentence)(const clpac__job *job, const clpac_result *result, double seconds);
} tool_computation;

/* Checks the options, finds the recordings of a call, computes each, on devices that stay open, and writes its files.
 * Of several, one that fails is reported and the next is begun; the error is that of the first then, with their
 * number. */
clpac_status tool_several_run(tool_call *call, const tool_computation *what, clpac_error *err);

/* The two parts of it: what is checked before recordings are looked for, and the recordings that were found.  Why one
 * of several failed is in its `failure`. */
clpac_status tool_several_prepare(tool_call *call, const tool_computation *what, clpac_error *err);
clpac_status tool_several_compute(tool_call *call, const tool_computation *what, clpac__inputs *inputs,
				  clpac_error *err);

/* That of clpac run. */
extern const tool_computation tool_computation_run;

/* Refuses --skip-existing with --no-checksum. */
clpac_status tool_several_check(const tool_call *call, clpac_error *err);

#endif
