/* The recordings of a call, each with a result of its own: one that is named, or several and folders of them. */
#ifndef CLPAC_TOOL_SEVERAL_H
#define CLPAC_TOOL_SEVERAL_H

#include "analysis/run/contexts.h"
#include "tool/run_outputs.h"
#include "tool/tool.h"

/* The fate of a recording. */
typedef enum tool_outcome { TOOL_FAILED = 0, TOOL_DONE, TOOL_SKIPPED, TOOL_OUTCOME_COUNT } tool_outcome;

/* Computes the recording that is the call's operand.
 * @param npz the result to write. @param contexts opened where they are not, and kept open for the next recording.
 * @param place "file 2 of 40"; NULL: the only one. */
typedef clpac_status tool_recording_run(tool_call *call, const char *npz, clpac__job_contexts *contexts,
					const char *place, tool_outcome *out, clpac_error *err);

/* Checks a call's options before any recording is read. */
typedef clpac_status tool_options_check(tool_call *call, clpac_error *err);

/* Checks the options, finds the recordings of a call and computes each.  Of several, one that fails is reported and the
 * next is begun; the error is that of the first then, with their number. */
clpac_status tool_several_run(tool_call *call, tool_options_check *check, tool_recording_run *run, clpac_error *err);

/* Whether --skip-existing leaves the recording out, which is said.  A result of another request stays, too, unless
 * --force is given: CLPAC_ERROR_IO. */
clpac_status tool_several_skip(const tool_run_outputs *files, tool_call *call, bool *is_done, clpac_error *err);

/* Refuses --skip-existing with --no-checksum. */
clpac_status tool_several_check(const tool_call *call, clpac_error *err);

#endif
