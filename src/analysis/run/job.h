/* A job, the common part of `run`, `plan` and `memory`: a recording, the channels and segments taken from it, the
 * method, and the devices. */
#ifndef CLPAC_ANALYSIS_RUN_JOB_H
#define CLPAC_ANALYSIS_RUN_JOB_H

#include <clpac/memory/options.h>
#include <clpac/plan.h>
#include <clpac/recording.h>
#include <clpac/result.h>
#include "analysis/channels/channels.h"
#include "analysis/channels/pairs.h"
#include "analysis/checkpoints/checkpoints.h"
#include "analysis/epochs/epochs.h"
#include "analysis/run/contexts.h"
#include "analysis/run/method.h"
#include "analysis/samples/samples.h"
#include "analysis/stretches/parts.h"
#include "analysis/stretches/segments.h"

/* How far a job is.  It computes in turns, some channels of some segments each. */
typedef struct clpac__job_progress {
	double before, part; /* in 0..1: the share of the job that is done before this turn, and this turn's share */
	size_t n_series;     /* of the whole job */
} clpac__job_progress;

typedef struct clpac__job {
	const clpac__analysis_settings *settings;
	clpac_options options;
	clpac_plan_options plan_options;
	clpac__method method;
	clpac_recording *recording;
	bool is_lent; /* the recording is the caller's, set before the job is opened */
	clpac__chosen_channels channels;
	clpac__job_samples samples; /* of these channels */
	clpac__pairs pairs;
	clpac__job_segments segments;
	clpac__job_epochs epochs; /* which are the segments then; none: they are the recording's */
	clpac__job_parts parts;	  /* what is used of them */
	clpac__job_contexts
		*contexts; /* of the caller, who closes them and may use them for another job; NULL: own ones */
	clpac__job_contexts own_contexts;
	clpac__checkpoints *checkpoints; /* its own, where clpac__job_keep_checkpoints was called; NULL: none */
	clpac__checkpoints own_checkpoints;
	size_t n_kept_series;	      /* of channels and segments, read from checkpoints */
	clpac__job_progress progress; /* where the run is */
	size_t step;		      /* of trials: samples between points in time */
} clpac__job;

/* Reads the options alone, so that a wrong one is reported before any file is touched.  Zero the job before; close it
 * in any case. */
clpac_status clpac__job_prepare(clpac__job *job, const clpac__analysis_settings *settings, clpac_error *err);
/* Reads the recording, makes everything else, and opens the devices, unless the caller's are open already; warns on
 * the way.  The job must not be
 * moved until it is closed. */
clpac_status clpac__job_open(clpac__job *job, clpac_error *err);
/* Lets an opened job keep checkpoints beside its result, which are removed with clpac__checkpoints_remove. */
clpac_status clpac__job_keep_checkpoints(clpac__job *job, const char *npz, clpac_error *err);
void clpac__job_close(clpac__job *job);

/* A clpac_progress_function; user is the job, whose progress goes to the sink with these. */
bool clpac__job_tell_progress(void *user, size_t done, size_t total);

/* The problem for the segments of one length.  It points into the job. */
clpac_problem clpac__job_problem(const clpac__job *job, size_t n_samples);

/* The channels of the job's result: its channels, or its pairs. */
size_t clpac__job_rows(const clpac__job *job);

/* Names a channel of a result of the job, of whole channels or pairs. */
clpac_status clpac__job_name_row(const clpac__job *job, clpac_result *result, size_t row, clpac_error *err);

/* The channels of a part that are in a group of samples: those from `first` up to the returned one. */
size_t clpac__job_end_in_group(const clpac__job *job, const clpac__job_part *part, size_t group, size_t first);

#endif
