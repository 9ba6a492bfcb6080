/* The parts of a job, a problem each: channels and segments of which the same samples are used.  A segment of a channel
 * falls into stretches, between samples that are NaN, infinite, at one value, or rejected by an annotation. */
#ifndef CLPAC_ANALYSIS_STRETCHES_PARTS_H
#define CLPAC_ANALYSIS_STRETCHES_PARTS_H

#include <clpac/problem.h>
#include <clpac/recording.h>
#include "analysis/channels/channels.h"
#include "analysis/stretches/stretches.h"

/* Some channels of the job in some of its segments, which have one length. */
typedef struct clpac__job_part {
	size_t n_samples;	       /* of its segments */
	const clpac_window *stretches; /* those used, of the patterns; NULL: the whole segment */
	size_t n_stretches, n_used;    /* and their samples */
	size_t *channels, n_channels;  /* places among the job's channels */
	size_t *channel_numbers;       /* in the recording */
	size_t *places, n_segments;    /* places among the job's segments */
	size_t *segment_numbers;       /* for the random shifts */
	/* Epochs, counted from the channels' first sample, as stretches are then; NULL: there are none.  Each is a
	 * segment, or all are one. */
	const clpac_window *windows;
	size_t n_windows;
	bool are_separate;
	clpac_pair *pairs;     /* by its own channels; NULL: each with itself */
	size_t *rows, n_pairs; /* their places among the job's pairs */
} clpac__job_part;

/* The rows of a part's result: its channels, or its pairs, as places among those of the job. */
static inline const size_t *clpac__job_part_rows(const clpac__job_part *part, size_t *n)
{
	*n = part->pairs ? part->n_pairs : part->n_channels;
	return part->pairs ? part->rows : part->channels;
}

typedef struct clpac__job_parts {
	clpac__job_part *each; /* those with the longest segments first; the most samples first among these */
	size_t n;
	size_t *n_used;	       /* samples of each channel and segment, (c, s) */
	size_t *numbers;       /* owns the lists of all parts */
	clpac_window *windows; /* owns their stretches */
	clpac_pair *pairs;     /* owns their pairs, and */
	size_t *rows;
	clpac__counted_text *tallies; /* of what is rejected; NULL for samples that are no number, and
				       * clpac__flat_text for those at one value, stand behind the others */
	size_t n_tallies;
	size_t n_short; /* stretches that are shorter than their filters ask, of the channel with most in a segment */
	size_t least_samples; /* which these are */
} clpac__job_parts;

/* The text that counts flat runs. */
extern const char clpac__flat_text[];

/* Finds the parts.
 * @param missing of each channel; NULL: nothing.
 * @param problem of the job, for a segment of any length: its filters decide how long a stretch must be.  With
 * share_shifts, the family of the run, every shift, and pairs, all channels of a segment use the same samples.
 * Errors: CLPAC_ERROR_FORMAT if nothing is left of any channel; CLPAC_ERROR_ARGUMENT for options that no part can be
 * computed with, and for every shift of segments that have different numbers of them. */
clpac_status clpac__job_parts_find(const clpac_recording *recording, const clpac__chosen_channels *channels,
				   const clpac__job_segments *segments, const clpac__missing *missing,
				   const clpac_problem *problem, const clpac__analysis_settings *settings,
				   clpac__job_parts *out, clpac_error *err);

/* The samples below which a stretch is left out: three orders of the longest filter of a problem, and the edges.
 * @param[out] edge, reach nullable: samples dropped at each end, and the longest order. */
clpac_status clpac__job_parts_least(const clpac_problem *of_job, size_t *least, size_t *edge, size_t *reach,
				    clpac_error *err);

/* Gives each part the pairs of the job that have both channels in it; parts without a pair are left out. */
clpac_status clpac__job_parts_pair(clpac__job_parts *parts, const clpac_problem *of_job, clpac_error *err);

/* The problem of a part, made of that of the job.  It points into both. */
clpac_problem clpac__job_part_problem(const clpac__job_part *part, const clpac_problem *of_job);

/* Numbers where they are not 0, 1, ..., the default; else NULL, so that a problem's text stays short. */
const size_t *clpac__unless_counted(const size_t *numbers, size_t n);

/* The parts that were left out, since they cannot be computed. */
typedef struct clpac__parts_left_out {
	clpac__job_part first;
	clpac_error why;  /* of the first */
	size_t n;	  /* channels of segments */
	bool are_unequal; /* parts have another number of surrogates: those with n_used samples, and their number */
	size_t n_used[2], n_surrogates[2];
} clpac__parts_left_out;

/* Leaves out parts that cannot be computed, until one is met that has another number of surrogates.
 * @param n_segments of the job. */
clpac_status clpac__job_parts_sift(clpac__job_parts *parts, size_t n_segments, const clpac_problem *of_job,
				   clpac__parts_left_out *out, clpac_error *err);

/* "used 532 of 600 s; 3 stretches rejected: BAD_muscle 2, flat 1"; "" where nothing was rejected. */
enum { CLPAC__USED_SIZE = 400 };
void clpac__job_parts_sentence(const clpac__job_parts *parts, const clpac__chosen_channels *channels,
			       const clpac__job_segments *segments, char text[CLPAC__USED_SIZE]);
void clpac__job_parts_clear(clpac__job_parts *parts);

#endif
