/* Computes a job: one plan per length of segments, one result for all. */
#ifndef CLPAC_ANALYSIS_RUN_RUN_H
#define CLPAC_ANALYSIS_RUN_RUN_H

#include <clpac/result.h>

#include "analysis/run/job.h"
#include "analysis/run/results.h"

/* @param[out] out the result with channel names and segment onsets, the caller's to destroy. */
clpac_status clpac__job_run(clpac__job *job, clpac_result **out, clpac_error *err);

/* Notes how much of a job that has run came from checkpoints, where some did. */
void clpac__job_note_kept(const clpac__job *job);

/* Coupling across the trials of a job: its epochs, which are of one condition. */

/* Refuses options that are not for trials. */
clpac_status clpac__job_trials_check(const clpac__analysis_settings *settings, clpac_error *err);
/* Opens a prepared job, whose epochs are trials then, and chooses its step. */
clpac_status clpac__job_trials_open(clpac__job *job, clpac_error *err);
/* Computes it, group of samples after group.
 * @param[out] out a result of all channels or pairs, whose segments are the points in time. */
clpac_status clpac__job_trials_run(clpac__job *job, clpac_result **out, clpac_error *err);

/* The pieces in which a job's parts are computed: some channels, or some segments of one channel, between two
 * checkpoints. */

/* The samples of each series of a problem: epochs are all of one length. */
double clpac__used_samples(const clpac_problem *problem);

/* The pieces of one part so far. */
typedef struct clpac__job_pieces {
	clpac__job_piece *each;
	size_t n, capacity;
	size_t n_kept; /* those before are in checkpoints */
} clpac__job_pieces;

/* Computes channels `first` to `end` of a part, whose samples are there, or takes them from checkpoints.
 * @param number of the part.
 * @param is_last whether nothing of the job comes behind them: no checkpoint is made then, since the result comes next.
 * @param[in,out] job the `before` and `part` of its progress are those of these channels.
 * @param[in,out] pieces of all parts, as many as the job has; those of this part get theirs. */
clpac_status clpac__job_pieces_run(clpac__job *job, size_t number, size_t first, size_t end, bool is_last,
				   clpac__job_pieces *pieces, clpac_error *err);
/* Keeps what no checkpoint has, where the job keeps any, of a job that was cancelled. */
void clpac__job_pieces_keep(clpac__job *job, clpac__job_pieces *pieces);
/* Whether the job keeps checkpoints. */
bool clpac__job_keeps_pieces(const clpac__job *job);
/* Puts all pieces of a part together, and looks for what only the whole can tell.  Other channels' samples are read for
 * it where the family is the run. */
clpac_status clpac__job_pieces_end(clpac__job *job, size_t number, clpac__job_pieces *pieces, clpac_result **out,
				   clpac_error *err);
/* A zeroed one is fine. */
void clpac__job_pieces_clear(clpac__job_pieces *pieces);

#endif
