/* A job, the common part of `run`, `plan` and `memory`: a recording, the channels and segments taken from it, the
 * method, and the devices. */
#ifndef CLPAC_ANALYSIS_RUN_JOB_H
#define CLPAC_ANALYSIS_RUN_JOB_H

#include <clpac/memory/context.h>
#include <clpac/memory/options.h>
#include <clpac/plan.h>
#include <clpac/problem.h>
#include <clpac/recording.h>
#include <clpac/result.h>

#include "analysis/settings.h"
#include "analysis/channels/channels.h"
#include "analysis/channels/pairs.h"
#include "analysis/checkpoints/checkpoints.h"
#include "analysis/epochs/epochs.h"
#include "analysis/run/shard.h"
#include "analysis/samples/samples.h"
#include "analysis/stretches/parts.h"
#include "analysis/stretches/stretches.h"

/* The devices of a job, opened, and the plans on them. */

/* One context, or several where --device names several devices. */
typedef struct clpac__job_contexts {
	clpac_context *each[CLPAC_MAX_DEVICES];
	size_t n;
	const clpac__analysis_settings *settings; /* for warnings */
} clpac__job_contexts;

/* Opens the best device, or of several that --device names those that can be opened, and warns of the rest.
 * @param out where the options have no log, must not be moved until it is closed: the contexts' log goes through it. */
clpac_status clpac__job_contexts_open(const clpac_options *options, const clpac__analysis_settings *settings,
				      clpac__job_contexts *out, clpac_error *err);
void clpac__job_contexts_close(clpac__job_contexts *contexts);
/* Gives the memory back that their pools keep: after a job, since the next one is of another length and would have it
 * beside its own. */
void clpac__job_contexts_trim(const clpac__job_contexts *contexts);

/* Sets the options that the settings name: device, memory, fft, probe. */
clpac_status clpac__contexts_options(const clpac__analysis_settings *settings, clpac_options *options,
				     clpac_error *err);

/* A plan on each context that has room for one. */
typedef struct clpac__job_plans {
	clpac_plan *each[CLPAC_MAX_DEVICES];
	size_t n;
} clpac__job_plans;

/* Warns of contexts that are left out; fails when none is left. */
clpac_status clpac__job_plans_create(const clpac__job_contexts *contexts, const clpac_problem *problem,
				     const clpac_plan_options *options, clpac__job_plans *out, clpac_error *err);
void clpac__job_plans_destroy(clpac__job_plans *plans);

/* --phase, --amplitude, --bins and the rest of the method, as a problem. */

/* The method as given: a problem without rate and sizes.  Owns the arrays that the problem points to. */
typedef struct clpac__method {
	clpac_problem problem;
	clpac_problem_copy *base; /* of --problem */
	clpac_band *bands[2];	  /* by use */
	size_t *shifts;
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	size_t n_measures;
} clpac__method;

/* Reads the options.  Zero the method before; clear it in any case. */
clpac_status clpac__method_read(clpac__method *method, const clpac__analysis_settings *settings, clpac_error *err);
/* Sets the rate, completes the bands for it, with a note on those that do not fit, and turns --edge and --min-shift
 * from seconds into samples. */
clpac_status clpac__method_set_rate(clpac__method *method, const clpac__analysis_settings *settings, double rate_hz,
				    clpac_error *err);
/* Takes permuted epochs for the null, which `trials` is. */
void clpac__method_permute(clpac_problem *problem);
void clpac__method_clear(clpac__method *method);

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
	clpac__missing missing;	    /* of these samples, which own it */
	clpac__pairs pairs;
	clpac__job_segments segments;
	clpac__job_epochs epochs; /* which are the segments then; none: they are the recording's */
	clpac__job_parts parts;	  /* what is used of them */
	clpac__job_shard shard;	  /* the rows that are computed, where these are not all */
	char *sentence;		  /* owned: of the result, for a record that keeps warnings; NULL: there is none */
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
/* Leaves an opened job, where it is a shard, the rows of that: its parts are then theirs alone.  `shard.n_rows` is 0
 * where there are more shards than channels and this one has none, and nothing is to be computed. */
clpac_status clpac__job_take_shard(clpac__job *job, clpac_error *err);
/* Lets an opened job keep checkpoints beside its result, which are removed with clpac__checkpoints_remove. */
clpac_status clpac__job_keep_checkpoints(clpac__job *job, const char *npz, clpac_error *err);
void clpac__job_close(clpac__job *job);

/* A clpac_progress_function; user is the job, whose progress goes to the sink with these. */
bool clpac__job_tell_progress(void *user, size_t done, size_t total);

/* The problem for the segments of one length.  It points into the job. */
clpac_problem clpac__job_problem(const clpac__job *job, size_t n_samples);

/* The problem of the whole job, whose text its result has. */
clpac_problem clpac__job_whole_problem(const clpac__job *job);

/* The channels of the whole job's result: its channels, or its pairs. */
size_t clpac__job_rows(const clpac__job *job);

/* Names channel number `at` of a result as a channel of the whole job's, or a pair. */
clpac_status clpac__job_name_row(const clpac__job *job, clpac_result *result, size_t row, size_t at, clpac_error *err);

/* The channels of a part that are in a group of samples: those from `first` up to the returned one. */
size_t clpac__job_end_in_group(const clpac__job *job, const clpac__job_part *part, size_t group, size_t first);

/* Losses by samples that are rejected, NaN, infinite or at one value. */

/* The channels that have many samples at their highest or lowest value.
 * @param[out] most the place of the one with the largest share of such samples, *share. */
size_t clpac__job_clipped(const clpac__job *job, size_t *most, double *share);
/* Warns of them. */
void clpac__job_warn_of_clipping(const clpac__job *job);
/* Warns, channel by channel, of segments that such samples empty, and of channels of which less than half is used. */
void clpac__job_warn_of_losses(const clpac__job *job);
/* Tells the warnings of a result, each with its count. */
void clpac__job_tell_warnings(const clpac__job *job, const clpac_result *result);
/* CLPAC_ERROR_FORMAT where no cell of any channel has a value. */
clpac_status clpac__job_check_cells(const clpac__job *job, const clpac_result *result, clpac_error *err);

#endif
