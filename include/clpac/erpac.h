/** @file erpac.h
 *  Event-related phase-amplitude coupling: at each point in time about an event, across trials.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_ERPAC_H
#define CLPAC_ERPAC_H

#include <stddef.h>
#include <clpac/memory/context.h>
#include <clpac/plan.h>
#include <clpac/problem.h>
#include <clpac/result.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CLPAC_ERPAC_LEAST_TRIALS = 5 /**< With fewer, phases explain any amplitudes. */ };

/** Trials whose amplitudes and phases are correlated.  Zero means default. */
typedef struct clpac_erpac {
	size_t size; /**< sizeof(clpac_erpac), or 0: the members of clpac 0.1. */
	/** The recording, its bands, and the trials: windows (clpac_problem), all of one length, each once, and no
	 * nearer to the ends of their stretches than an order of the longest filter.  separate_windows may be set or
	 * not. n_surrogates permutations of the trials are drawn by seed, channel_numbers (of pairs those of the
	 * amplitude), segment_numbers (of the windows) and their own number; with share_shifts, the same for all
	 * channels.  pairs take the phases of one channel with the amplitudes of another.  null is CLPAC_NULL_TRIALS or
	 * 0.  What is about bins, indices, shifts and deviations does not matter: n_bins, average, measures, ddof. */
	const clpac_problem *problem;
	double from_s;	       /**< Seconds from the event to the first sample of a window: -0.5. */
	size_t step;	       /**< Samples from one point in time to the next; 0: 1. */
	const char *condition; /**< The name of the trials in the result; NULL: none. */
} clpac_erpac;

/** Correlates amplitudes with phases across trials, at every step-th sample of their windows.
 *
 *  The continuous signal is filtered, and windows are cut behind the filters, as with separate_windows: phases and
 *  amplitudes are those of the recording, whatever the windows are.  At each point in time, rho is the circular-linear
 *  correlation of the trials' amplitudes A with their phases phi, from 0 to 1:
 *
 *      rho^2 = (r_ac^2 + r_as^2 - 2 r_ac r_as r_cs) / (1 - r_cs^2),
 *
 *  r_ac = corr(A, cos phi), r_as = corr(A, sin phi), r_cs = corr(cos phi, sin phi) (Voytek et al. 2013, NeuroImage
 *  64:416; Berens 2009, J Stat Softw 31:10).  It is the multiple correlation of A with cos phi and sin phi: without
 *  coupling, rho^2 of n trials is 2 / (n - 1) on average.
 *
 *  p is (1 + #{rho_k >= rho}) / (1 + K) over K permutations of trials, in which the amplitude of one trial meets the
 *  phase of another, in the same order at all points in time and in all bands.  p_max compares with the largest rho_k
 *  over all points in time and all valid cells of the channel.  What all trials have in common, as an evoked response,
 *  is in every permutation; what makes amplitude and phase vary together from trial to trial, as an evoked response of
 *  varying strength or latency, is not.  doc/maths.md says when not to believe it.
 *
 *  @param contexts n_contexts different contexts, 1 to CLPAC_MAX_DEVICES.  All of them filter (clpac_problem_run); the
 *         first correlates.
 *  @param erpac read, not kept.
 *  @param options NULL for defaults; strategy and memory_bytes hold for filters and correlations, and progress hears of
 *         the whole.
 *  @param samples as for clpac_problem_run of a problem with separate_windows.
 *  @param[out] out a result whose segments are the points in time: clpac_result_segment_onsets are their seconds from
 * the event.  Its measure is CLPAC_MEASURE_RHO, its arrays CLPAC_MI (rho), and with surrogates CLPAC_P and CLPAC_P_MAX,
 * which is NaN in cells that are not valid.  clpac_result_n_stretches has the number of trials that were used, and
 * clpac_result_used_seconds as many samples.  The problem text begins with "erpac=TRIALS from_s=SECONDS step=SAMPLES",
 * and goes on with the problem.  The caller's to destroy.
 *
 *  A trial with samples that are NaN or infinite, or constant, or with a stretch at one value, is left out of its
 * channel, with a warning; a channel with fewer than CLPAC_ERPAC_LEAST_TRIALS is NaN.  So is a cell at a time where
 * amplitudes or phases do not vary. CLPAC_WARN_FEW_SEGMENTS is about fewer than 30 trials, or trials that overlap.
 *  Errors: those of clpac_problem_run; CLPAC_ERROR_ARGUMENT for fewer trials than that, a trial given twice, and
 * members of the problem that ERPAC does not have: tied_amplitudes, CLPAC_HILBERT_TRIMMED, shifts, clusters,
 * gamma_tail, keep_surrogates, keep_distributions, joined_windows, CLPAC_FAMILY_RUN; CLPAC_ERROR_NO_DEVICE_MEMORY if
 * not even a few points in time fit on the first context; CLPAC_ERROR_UNSUPPORTED for more than 9000 trials on an
 * OpenCL device. Any thread, several at once. Cost: filtering as with separate_windows, then 2 multiplications for each
 * trial, cell, point in time and permutation, some 2e10 in a second of a core of an EPYC.  On the host, 4 bytes for
 * each trial, point in time and amplitude band, 8 for each phase band, of as many channels as fit in 256 MiB (with
 * pairs, of all); on the device, some points in time and permutations after the others, as memory allows. */
clpac_status clpac_erpac_run(clpac_context *const *contexts, size_t n_contexts, const clpac_erpac *erpac,
			     const clpac_plan_options *options, const clpac_samples *samples, clpac_result **out,
			     clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
