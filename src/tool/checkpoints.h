/* Checkpoints of a long run: finished channels, kept in hidden files beside the result, .OUT.part-LENGTH-FIRST-COUNT,
 * until the result is there.  A run of the same request on the same devices goes on from them. */
#ifndef CLPAC_TOOL_CHECKPOINTS_H
#define CLPAC_TOOL_CHECKPOINTS_H

#include <clpac/result.h>
#include "tool/tool.h"

typedef struct tool_checkpoints {
	double interval_s; /* of computing between two checkpoints; INFINITY: none are made */
	char *folder, *stem;
	char *key; /* request, recording, devices and version; NULL until it is needed */
	const tool_call *call;
	const char *device, *fft; /* the settings in force */
} tool_checkpoints;

/* Reads --checkpoint.  Errors: CLPAC_ERROR_ARGUMENT. */
clpac_status tool_checkpoints_interval(const tool_call *call, double *interval_s, clpac_error *err);

/* Begins; nothing is written yet.
 * @param device, fft the settings in force; must live as long. @param[out] out to be closed. */
clpac_status tool_checkpoints_open(const tool_call *call, const char *npz, const char *device, const char *fft,
				   tool_checkpoints *out, clpac_error *err);
/* The checkpoint whose channels begin at number `first` of the job's and are `most` at most; *out is NULL where there
 * is none for this key.  One that cannot be read is passed over.
 * @param length the number of the length of segments that it is for. */
clpac_status tool_checkpoints_find(tool_checkpoints *checkpoints, size_t length, size_t first, size_t most,
				   clpac_result **out, clpac_error *err);
/* Keeps the result of channels from `first` on.  The result is the same afterwards. */
clpac_status tool_checkpoints_keep(tool_checkpoints *checkpoints, size_t length, size_t first, clpac_result *result,
				   clpac_error *err);
/* Takes the warnings, times and shares that were kept with a result into a report. */
clpac_status tool_checkpoints_report(const clpac_result *kept, clpac_report *report, clpac_error *err);
/* Removes all of them, once the result is in its place.  Failures are passed over: the next run removes them. */
void tool_checkpoints_remove(const tool_checkpoints *checkpoints);
void tool_checkpoints_close(tool_checkpoints *checkpoints);

#endif
