/* Phases and amplitudes of windows on the host, as plans make them: of some points in time of each window. */
#ifndef CLPAC_COUPLING_RUN_ERPAC_SIGNALS_H
#define CLPAC_COUPLING_RUN_ERPAC_SIGNALS_H

#include "coupling/passes/plan.h"

typedef struct clpac__signals {
	size_t n_channels, n_windows, n_phase, n_amplitude;
	size_t n_times, step; /* every step-th sample of a window, from its first on */
	float *vectors;	      /* (channel, window, phase, time, 2): exp(i phase) */
	float *amplitudes;    /* (channel, window, amplitude, time), in the unit of the samples */
	uint8_t *are_fine;    /* (channel, window): 0 where samples are not finite or constant */
} clpac__signals;

/* The bytes of a channel's; false: more than memory can address. */
bool clpac__signals_bytes(const clpac__signals *signals, size_t *bytes);

/* Makes room for those of n_channels; the other sizes are set.  To be cleared in any case. */
clpac_status clpac__signals_create(clpac__signals *signals, size_t n_channels, clpac_error *err);
void clpac__signals_clear(clpac__signals *signals);

/* Filters the windows of a complete problem with separate_windows, without pairs and surrogates, and keeps the values.
 * @param[out] out a result of the windows without a value, for its report, names and warnings. */
clpac_status clpac__signals_filter(clpac_context *const *contexts, size_t n_contexts, const clpac_problem *whole,
				   const clpac_plan_options *options, const clpac_samples *samples,
				   clpac__signals *signals, clpac_result **out, clpac_error *err);

/* Runs a complete problem with separate_windows up to the consumer (problem_run.c). */
clpac_status clpac__problem_take(clpac_context *const *contexts, size_t n_contexts, const clpac_problem *whole,
				 const clpac_plan_options *options, const clpac_samples *samples,
				 const clpac__consumer *consumer, clpac_result **out, clpac_error *err);

#endif
