/* The parts of a job of epochs: channels that use the same stretches and epochs are one problem, whose filters see the
 * stretches and whose indices come from the epochs. */
#ifndef CLPAC_TOOL_EPOCH_PARTS_H
#define CLPAC_TOOL_EPOCH_PARTS_H

#include "tool/epochs.h"
#include "tool/job_parts.h"

typedef struct tool_epoch_source {
	const clpac_recording *recording;
	const tool_channels *channels;
	const tool_stretches *gaps;   /* of each channel */
	const tool_segments *pieces;  /* of the recording, which filters may see */
	const clpac_problem *problem; /* the method */
	const tool_call *call;
} tool_epoch_source;

/* Finds the parts, and what becomes of each epoch.
 * @param[out] segments of the result: epochs, or conditions.  @param[out] parts as tool_parts_find has them.
 * Errors: those of tool_parts_find; CLPAC_ERROR_FORMAT where no epoch is left. */
clpac_status tool_epoch_parts_find(tool_epochs *epochs, const tool_epoch_source *source, tool_segments *segments,
				   tool_parts *parts, clpac_error *err);

/* The problem of all parts together, as far as one problem can tell of them.  It points into the arguments. */
clpac_problem tool_epoch_parts_problem(const tool_parts *parts, const tool_channels *channels,
				       const tool_segments *segments, const clpac_problem *of_job);

#endif
