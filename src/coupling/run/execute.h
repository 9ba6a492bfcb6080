/* Computing one batch on the device: the method, stage by stage. */
#ifndef CLPAC_COUPLING_RUN_EXECUTE_H
#define CLPAC_COUPLING_RUN_EXECUTE_H

#include "coupling/passes/run_state.h"

/* The input of a run. */
typedef struct clpac__input {
	const clpac_samples *samples;	    /* or NULL if arrays are given */
	const struct clpac__arrays *arrays; /* the caller's phases and amplitudes, or NULL */
	const double *means;		    /* to take off each series; NULL: its own */
	const clpac__taker *taker;	    /* in place of indices, or NULL */
} clpac__input;

/* Runs plans for one problem on an input, batch after batch, into one new result. */
clpac_status clpac__plans_run(clpac_plan *const *plans, size_t n_plans, const clpac__input *input, clpac_result **out,
			      clpac_error *err);

/* Loads series first .. first + n - 1 of the run's samples and puts their work up to edge lists and prefix sums into
 * the queue.  Does not wait. */
clpac_status clpac__execute_beginning(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first,
				      size_t n, clpac_error *err);

/* Computes series first .. first + n - 1 and stores them in the run's result. */
clpac_status clpac__execute_batch(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
				  clpac_error *err);

/* Enqueues the work from the samples of n series in the plan's buffers to the edge lists of their phases and the prefix
 * sums of their amplitudes. Does not wait. */
clpac_status clpac__execute_sums(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err);

/* Computes a measure's indices of n series for n_shifts shifts from number first_shift of each list on.  Number 0 is
 * the recording as it is: its indices go into the part of observed ones, with the distributions of measures of bins,
 * and those of the others into out.  One launch makes both only where clpac__observes_with_surrogates says so; else a
 * call for number 0 has n_shifts 1, and out is the part of observed indices. */
clpac_status clpac__execute_indices(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				    clpac__summing summing, size_t first_shift, size_t n_shifts, clpac_buffer *out,
				    clpac_error *err);

/* Whether a measure's observed indices come with the first chunk of its surrogates: those are shifts of the same sums,
 * and vectors have one band, so that an item takes one shift. */
bool clpac__observes_with_surrogates(const clpac__layout *layout, clpac_measure measure);

/* Computes a measure's observed indices of n series, and the distributions. */
clpac_status clpac__execute_observed(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				     clpac__summing summing, clpac_error *err);

/* Adds surrogates number k .. k + n_shifts - 1 of n series, which are in the chunk's buffer, to the moments.  Where the
 * plan fuses statistics (fused.h), that makes the maxima, too, and clpac__execute_maxima nothing. */
clpac_status clpac__execute_moments(const clpac_plan *plan, clpac__batch *batch, clpac_measure measure, size_t n,
				    size_t k, size_t n_shifts, clpac_error *err);

/* Finds the highest standing (cl/surrogate_maxima.cl) of surrogates number k .. k + n_shifts - 1 of n series, which are
 * in the chunk's buffer and whose moments are complete. */
clpac_status clpac__execute_maxima(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t k, size_t n_shifts,
				   clpac_error *err);

/* Whether one chunk holds all surrogates. */
bool clpac__surrogates_are_kept(const clpac__layout *layout);

/* Loads and filters the first n series, and no more: for rehearsals. */
clpac_status clpac__execute_filters(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t n,
				    clpac_error *err);

/* Computes the first n series without surrogates and stores nothing: for rehearsals. */
clpac_status clpac__execute_signals(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t n,
				    clpac_error *err);

#endif
