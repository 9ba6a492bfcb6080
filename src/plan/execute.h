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
	size_t done, total;		    /* surrogate indices and indices, in units of a whole map */
	double stage_started;
} clpac__run;

/* Runs a plan on the run's input, batch after batch, into one new result. */
clpac_status clpac__run_plan(clpac_plan *plan, const clpac_samples *samples, const struct clpac__arrays *arrays,
			     clpac_result **out, clpac_error *err);

/* Computes series first .. first + n - 1 and stores them in the run's result. */
clpac_status clpac__execute_batch(clpac_plan *plan, clpac__run *run, size_t first, size_t n, clpac_error *err);

/* Adds the time since the last call to a stage of the report (NULL: to none). */
void clpac__run_clock(clpac__run *run, const char *stage);

/* Computes the indices of n series for n_shifts of their shifts from number first_shift of the list on (0 is the
 * unshifted one) into out, from edge lists or, where those overflowed, from the bins. */
clpac_status clpac__execute_indices(clpac_plan *plan, size_t n, bool is_direct, size_t first_shift, size_t n_shifts,
				    clpac_buffer *out, clpac_error *err);

/* Computes surrogates number k .. k + n_shifts - 1 of n series into the chunk's buffer and adds them to the moments. */
clpac_status clpac__execute_surrogates(clpac_plan *plan, size_t n, bool is_direct, size_t k, size_t n_shifts,
				       clpac_error *err);

/* All of a batch of the first n series but its surrogates, and nothing stored: for rehearsals. */
clpac_status clpac__execute_signals(clpac_plan *plan, const clpac_samples *samples, size_t n, clpac_error *err);

#endif
