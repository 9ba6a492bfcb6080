/* Loads a batch: from the caller's samples to the device's buffers. */
#ifndef CLPAC_COUPLING_PASSES_LOAD_H
#define CLPAC_COUPLING_PASSES_LOAD_H

#include <stdatomic.h>
#include <clpac/signal.h>
#include "coupling/passes/plan.h"

/* The caller's phases (n_series, n_phase, n_samples) and amplitudes (n_series, n_amplitude, n_samples). */
typedef struct clpac__loaded_arrays {
	clpac_values phase, amplitude;
} clpac__loaded_arrays;

/* How one series was scaled to float32: out[t] = (x[t] - mean) * 2^-exponent. */
typedef struct clpac__staged {
	double mean;
	int exponent;
	enum clpac__trouble trouble;
} clpac__staged;

/* Stages n samples, stride apart.  A series with trouble gives zeros; a constant one keeps its mean. */
clpac__staged clpac__stage_series(const void *samples, clpac_sample_type type, size_t n, size_t stride, float *out);

/* Stages series first .. first + n - 1, records their troubles, and writes samples and shifts to the plan's
 * buffers. */
clpac_status clpac__load_batch(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t first,
			       size_t n, clpac_error *err);

/* Stages series first .. first + n - 1 into the samples' buffer and records their troubles; exponents is nullable. */
clpac_status clpac__load_series(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t first,
				size_t n, int *exponents, clpac_error *err);

/* Stages one series of a plan; one with trouble becomes zeros.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED. */
clpac_status clpac__stage(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t series,
			  float *out, clpac__staged *staged, clpac_error *err);

/* The first failure of tasks that run beside each other.  Begins as { .has_failed = ATOMIC_FLAG_INIT }. */
typedef struct clpac__failure {
	atomic_flag has_failed;
	clpac_status st;
	clpac_error why;
} clpac__failure;

/* Takes a task's outcome. */
void clpac__failure_take(clpac__failure *failure, clpac_status st, const clpac_error *why);
/* The first failure, when all tasks have ended. */
clpac_status clpac__failure_tell(const clpac__failure *failure, clpac_error *err);

/* The mean of some samples of a channel; NaN or infinite where one of them is. */
double clpac__mean_of(const void *channel, clpac_sample_type type, clpac_window at, size_t stride);

/* Records the trouble of a series that is not staged.  Errors: those of clpac__stage. */
clpac_status clpac__find_trouble(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples,
				 size_t series, clpac_error *err);

/* Memory for samples that clpac__samples_write sends to the samples' buffer, n_samples for each series. */
clpac_status clpac__samples_room(const clpac_plan *plan, clpac__batch *batch, float **out, clpac_error *err);
clpac_status clpac__samples_write(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err);

/* The channel and the segment of the recording by which a series' surrogates are drawn; 0 and 0 where all series share
 * them. */
void clpac__draw_numbers(const clpac_problem *problem, size_t series, uint32_t *channel, uint32_t *segment);

/* Makes the lists of shifts of series first .. first + n - 1.  Element 0 of each is the unshifted index.  The shifts of
 * a chunk are in ascending order, so that neighbours read the same rows of the prefix sums at about the same time. */
clpac_status clpac__set_shifts(const clpac_plan *plan, size_t first, size_t n, clpac__shift *lists, clpac_error *err);

/* Makes those of a batch and writes them to the plan's buffer. */
clpac_status clpac__load_shifts(const clpac_plan *plan, clpac__batch *batch, size_t first, size_t n, clpac_error *err);

/* Loads the caller's phases and amplitudes of a batch: bins and shifts, and the amplitudes in the array buffer. */
clpac_status clpac__load_arrays(const clpac_plan *plan, clpac__batch *batch, const clpac__loaded_arrays *arrays,
				size_t first, size_t n, clpac_error *err);

#endif
