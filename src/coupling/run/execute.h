/* Computing one batch on the device: the method, stage by stage. */
#ifndef CLPAC_COUPLING_RUN_EXECUTE_H
#define CLPAC_COUPLING_RUN_EXECUTE_H

#include "coupling/passes/run_state.h"

/* The input of a run. */
typedef struct clpac__input {
	const clpac_samples *samples;		   /* or NULL if arrays are given */
	const struct clpac__loaded_arrays *arrays; /* the caller's phases and amplitudes, or NULL */
	const double *means;			   /* to take off each series; NULL: its own */
	const clpac__consumer *consumer;	   /* in place of indices, or NULL */
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

/* Loads and filters the first n series, and no more: for rehearsals. */
clpac_status clpac__execute_filters(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t n,
				    clpac_error *err);

/* Computes the first n series without surrogates and stores nothing: for rehearsals. */
clpac_status clpac__execute_signals(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t n,
				    clpac_error *err);

#endif
