/* Computing one batch on the device: the method, stage by stage. */
#ifndef CLPAC_COUPLING_PLAN_EXECUTE_H
#define CLPAC_COUPLING_PLAN_EXECUTE_H

#include "coupling/plan/plan.h"
#include "coupling/plan/profile.h"

/* State of one run: input, result, report, progress. */
typedef struct clpac__run {
	clpac_result *result;
	clpac_report *report;
	const clpac_samples *samples;	    /* or NULL if arrays are given */
	const struct clpac__arrays *arrays; /* the caller's phases and amplitudes, or NULL */
	struct clpac__member *member;	    /* the member that runs */
	size_t next, n_next;		    /* the batch behind the present one; n_next 0: none, or not known yet */
	clpac__profile profile;
} clpac__run;

/* What runs are made on. */
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

/* Adds `more` finished indices and surrogate indices to the progress, reports it, and asks whether to go on;
 * CLPAC_ERROR_CANCELLED if not.  (team.c) */
clpac_status clpac__run_advance(clpac__run *run, size_t more, clpac_error *err);

/* How bin sums are computed.  All three ways give the same integers. */
typedef enum clpac__summing {
	CLPAC__BY_EDGES = 0, /* from edge lists, all of which fit */
	CLPAC__DIRECTLY,     /* sample by sample */
	CLPAC__AS_FITS /* from edge lists, or sample by sample for rows whose lists overflowed; the device decides */
} clpac__summing;

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
