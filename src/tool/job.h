/* A job, the common part of `run`, `plan` and `memory`: a recording, the channels and segments taken from it, the
 * method, and the devices. */
#ifndef CLPAC_TOOL_JOB_H
#define CLPAC_TOOL_JOB_H

#include <clpac/memory/options.h>
#include <clpac/plan.h>
#include <clpac/recording.h>
#include "tool/checkpoints.h"
#include "analysis/channels/channels.h"
#include "tool/job_contexts.h"
#include "tool/job_method.h"
#include "analysis/channels/pairs.h"
#include "analysis/stretches/parts.h"
#include "tool/job_samples.h"
#include "analysis/stretches/segments.h"
#include "analysis/epochs/epochs.h"
#include "tool/tool.h"

typedef struct tool_job {
	const tool_call *call;
	clpac_options options;
	clpac_plan_options plan_options;
	tool_method method;
	clpac_recording *recording;
	clpac__chosen_channels channels;
	tool_samples samples; /* of these channels */
	clpac__pairs pairs;
	clpac__job_segments segments;
	clpac__job_epochs epochs; /* which are the segments then; none: they are the recording's */
	clpac__job_parts parts;	  /* what is used of them */
	tool_contexts *contexts;  /* of the caller, who closes them and may use them for another job; NULL: own ones */
	tool_contexts own_contexts;
	tool_checkpoints *checkpoints; /* of the caller; NULL: none */
	size_t n_kept_series;	       /* of channels and segments, read from checkpoints */
} tool_job;

/* Reads the options alone, so that a wrong one is reported before any file is touched.  Zero the job before; close it
 * in any case. */
clpac_status tool_job_prepare(tool_job *job, tool_call *call, clpac_error *err);
/* Reads the recording, makes everything else, and opens the devices, unless the caller's are open already; warns on
 * the way.  The job must not be
 * moved until it is closed. */
clpac_status tool_job_open(tool_job *job, tool_call *call, clpac_error *err);
void tool_job_close(tool_job *job);

/* The problem for the segments of one length.  It points into the job. */
clpac_problem tool_job_problem(const tool_job *job, size_t n_samples);

/* The channels of the job's result: its channels, or its pairs. */
size_t tool_job_rows(const tool_job *job);

#endif
