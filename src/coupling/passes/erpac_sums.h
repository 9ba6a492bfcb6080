/* The sums of circular-linear correlations across trials on a device (cl/erpac.cl), of one channel or pair. */
#ifndef CLPAC_COUPLING_PASSES_ERPAC_SUMS_H
#define CLPAC_COUPLING_PASSES_ERPAC_SUMS_H

#include <clpac/memory/context.h>
#include "base/error.h"

/* Phases and amplitudes of the trials, and the orders in which trials exchange these. */
typedef struct clpac__trials {
	size_t n, n_phase, n_amplitude, n_times, n_orders;
	const float *const *vectors;	/* of each trial (phase, time, 2): exp(i phase) */
	const float *const *amplitudes; /* of each trial (amplitude, time) */
	const uint32_t *orders;		/* (order, trial): the trial whose amplitude each trial takes */
	const uint8_t *valid;		/* (phase, amplitude): whether a cell counts for maxima */
	/* Asked between launches, with the share that is done: what is not CLPAC_OK ends the work.  NULL: nobody. */
	clpac_status (*advance)(void *user, double done, clpac_error *err);
	void *user;
} clpac__trials;

/* Sums over the trials.  Squares within clpac__trials_reach of a recorded one count as reaching it. */
typedef struct clpac__trial_sums {
	float *squares;	      /* (time, phase, amplitude): rho^2, 1 at most; NaN where it is not defined */
	float *counts;	      /* the same: orders whose square reaches it */
	float *maxima;	      /* of each order, over all times and valid cells */
	uint64_t taken_bytes; /* of device memory, at most at once */
	size_t times_at_once, orders_at_once;
} clpac__trial_sums;

extern const float clpac__trials_reach;

/* The most trials that a device other than the native one takes: a loop over more may be given up. */
enum { CLPAC__MOST_TRIALS = 9000 };

/* Computes them, some points in time and some orders at once, within so many bytes of device memory.
 * @param sums its arrays are the caller's, counts and maxima of no order are not touched and may be NULL then.
 * Errors: CLPAC_ERROR_NO_DEVICE_MEMORY if not even one vector of times fits; CLPAC_ERROR_UNSUPPORTED for more trials
 * than a device takes; CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_DEVICE, and those of advance. */
clpac_status clpac__trials_sum(clpac_context *context, uint64_t budget, const clpac__trials *trials,
			       clpac__trial_sums *sums, clpac_error *err);

#endif
