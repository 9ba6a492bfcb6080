/* What `run` and `plan` have in common: a recording, the channels and segments taken from it, and the problem. */
#ifndef CLPAC_TOOL_JOB_H
#define CLPAC_TOOL_JOB_H

#include <stddef.h>
#include <clpac/memory/context.h>
#include <clpac/plan.h>
#include <clpac/recording.h>
#include "tool/tool.h"

typedef struct tool_segment {
	size_t start, n_samples;
	double onset_s; /* on the recording's clock */
} tool_segment;

/* The method as given: bands and the rest of a problem but its rate and sizes.  Owns what the problem points to. */
typedef struct tool_method {
	clpac_problem problem;
	clpac_problem_copy *base; /* of --problem */
	clpac_band *phase, *amplitude;
	size_t *shifts;
} tool_method;

typedef struct tool_job {
	const char *path;
	clpac_options options;
	clpac_recording *recording;
	size_t *channels, n_channels; /* indices into the recording */
	double rate_hz;
	size_t n_samples;	/* of the shortest chosen channel */
	tool_segment *segments; /* never across a gap */
	size_t n_segments;
	tool_method method;
	size_t *lengths, n_lengths; /* the different segment lengths, longest first: a plan each */
	const tool_call *call;	    /* for warnings */
	clpac_context *contexts[CLPAC_MAX_DEVICES];
	size_t n_contexts;
	clpac_plan_options plan_options;
} tool_job;

/* Reads the options alone, so that a wrong one is told before anything is touched.  Zero the job before; close it in
 * any case. */
clpac_status tool_job_prepare(tool_job *job, tool_call *call, clpac_error *err);
/* Reads the recording and makes everything up to the context, warning on the way. */
clpac_status tool_job_open(tool_job *job, tool_call *call, clpac_error *err);
void tool_job_close(tool_job *job);

/* The problem for the segments of one length. */
clpac_problem tool_job_problem(const tool_job *job, size_t n_samples);

/* --- contexts.c: --device
 * --------------------------------------------------------------------------------------------- */

clpac_status tool_contexts_open(tool_job *job, const tool_call *call, clpac_error *err);
void tool_contexts_close(tool_job *job);

/* A plan on each context where there can be one; of several devices those that cannot are left out with a warning. */
typedef struct tool_plans {
	clpac_plan *each[CLPAC_MAX_DEVICES];
	size_t n;
} tool_plans;

clpac_status tool_plans_create(const tool_job *job, const clpac_problem *problem, tool_plans *out, clpac_error *err);
void tool_plans_destroy(tool_plans *plans);

/* --- channels.c: --channels
 * ------------------------------------------------------------------------------------------- */

clpac_status tool_channels_choose(tool_job *job, const tool_call *call, clpac_error *err);

/* --- segments.c: --start, --stop, --segment
 * --------------------------------------------------------------------------- */

clpac_status tool_segments_choose(tool_job *job, const tool_call *call, clpac_error *err);

/* --- method.c: --phase and all that follows
 * ---------------------------------------------------------------------------- */

clpac_status tool_method_read(tool_method *method, const tool_call *call, clpac_error *err);
/* Turns what was given in seconds into samples. */
clpac_status tool_method_set_rate(tool_method *method, const tool_call *call, double rate_hz, clpac_error *err);
void tool_method_clear(tool_method *method);

/* --- reading.c: used by info too
 * ---------------------------------------------------------------------------------------- */

/* Reads the recording that the call's operand names, by --rate, --raw and --array. */
clpac_status tool_recording_read(tool_call *call, clpac_recording **out, clpac_error *err);

#endif
