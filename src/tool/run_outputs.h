/* The files that a run writes for one recording. */
#ifndef CLPAC_TOOL_RUN_OUTPUTS_H
#define CLPAC_TOOL_RUN_OUTPUTS_H

#include <clpac/write.h>
#include <clpac/result.h>
#include "analysis/run/job.h"
#include "tool/output_files.h"
#include "tool/tool.h"

/* A NULL path is not written. */
typedef struct tool_run_outputs {
	const char *npz; /* the caller's */
	char *json, *csv, *pictures[TOOL_N_PICTURES];
} tool_run_outputs;

/* Names the files by the options.  Zero `files` before; clear them in any case. */
clpac_status tool_run_outputs_name(const char *npz, tool_call *call, tool_run_outputs *files, clpac_error *err);
/* Whether all of them are there; of those that are not, *missing is the first. */
bool tool_run_outputs_are_there(const tool_run_outputs *files, const char **missing);
/* Fails where they cannot be written, or would replace the input, before the work starts. */
clpac_status tool_run_outputs_check(const tool_run_outputs *files, const char *input, tool_call *call,
				    clpac_error *err);
/* Writes all of them, or none. */
clpac_status tool_run_outputs_write(const tool_run_outputs *files, const clpac_result *result, const clpac__job *job,
				    tool_call *call, clpac_error *err);
/* The same for any result, whose input and provenance the options name. */
clpac_status tool_run_outputs_put(const tool_run_outputs *files, const clpac_result *result,
				  const clpac_write_options *options, tool_call *call, clpac_error *err);
void tool_run_outputs_clear(tool_run_outputs *files);

#endif
