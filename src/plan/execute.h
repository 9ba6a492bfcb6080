/* Computing one batch on the device: the method, stage by stage. */
#ifndef CLPAC_PLAN_EXECUTE_H
#define CLPAC_PLAN_EXECUTE_H

#include "plan/plan.h"

/* Where a run's time goes, one entry per piece of the method, and its progress. */
typedef struct clpac__run {
	clpac_result *result;
	clpac_report *report;
	const clpac_samples *samples;	    /* or */
	const struct clpac__arrays *arrays; /* phases and amplitudes of the caller's own */
	struct clpac__member *member;	    /* whose run it is */
	double stage_started;
} clpac__run;

/* Runs a plan on the run's input, batch after batch, into one new result. */
clpac_status clpac__run_plan(clpac_plan *plan, const clpac_samples *samples, const struct clpac__arrays *arrays,
			     clpac_result **out, clpac_error *err);

/* Computes series first .. first + n - 1 and stores them in the run's result. */
clpac_status clpac__execute_batch(clpac_plan *plan, clpac__run *run, size_t first, size_t n, clpac_error *err);

/* Counts what is done, in indices and surrogate indices of a series, tells it, and asks whether to go on:
 * CLPAC_ERROR_CANCELLED if not.  (team.c) */
clpac_status clpac__run_advance(clpac__run *run, size_t more, clpac_error *err);

/* Adds the time since the last call to a stage of the report (NULL: to none). */
void clpac__run_clock(clpac__run *run, const char *stage);

/* How bin sums are found.  Every way gives the same integers. */
typedef enum clpac__summing {
	CLPAC__BY_EDGES = 0, /* from edge lists, which all fit */
	CLPAC__DIRECTLY,     /* sample by sample */
	CLPAC__AS_FITS /* from edge lists, and sample by sample where they did not fit, which the device finds out */
} clpac__summing;

/* From the samples of n series in the plan's buffers to their indices and distributions; put into the queue and not
 * waited for. */
clpac_status clpac__execute_maps(clpac_plan *plan, size_t n, clpac__summing summing, clpac_error *err);

/* Computes the indices of n series for n_shifts of their shifts from number first_shift of the list on (0 is the
 * unshifted one) into out. */
clpac_status clpac__execute_indices(clpac_plan *plan, size_t n, clpac__summing summing, size_t first_shift,
				    size_t n_shifts, clpac_buffer *out, clpac_error *err);

/* Computes surrogates number k .. k + n_shifts - 1 of n series into the chunk's buffer and adds them to the moments. */
clpac_status clpac__execute_surrogates(clpac_plan *plan, size_t n, clpac__summing summing, size_t k, size_t n_shifts,
				       clpac_error *err);

/* All of a batch of the first n series but its surrogates, and nothing stored: for rehearsals. */
clpac_status clpac__execute_signals(clpac_plan *plan, const clpac_samples *samples, size_t n, clpac_error *err);

#endif
