/** @file signal.h
 *  Each stage of the method by itself: filter bank, analytic signal, Hilbert transform, phase and amplitude, and the
 *  modulation index from phases and amplitudes of the caller's own.
 *
 *  Use them to divide the method differently, or to see values between stages.  A plan (clpac/plan.h) runs the whole
 *  method at once and is faster: here every call uploads, computes and downloads.
 *
 *  Arrays are float32 and row-major, on the host or in a buffer of the context's device.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_SIGNAL_H
#define CLPAC_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/memory/context.h>
#include <clpac/problem.h>
#include <clpac/result.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An array on the host or on the device: exactly one of the two is set.  Not owned.
 *
 *  Samples on the host are freed of their mean and scaled near 1 by a power of two before the device computes in
 *  float32, and results are scaled back.  Values in a buffer are taken as they are. */
typedef struct clpac_values {
	float *host;	      /**< Values on the host; only read where the function takes them as input. */
	clpac_buffer *buffer; /**< Values at the start of a buffer of the context's own pool. */
} clpac_values;

/** Designs a filter: taps of a linear-phase band-pass, windowed sinc with a Hamming window, unit gain at the band's
 *  centre.  They equal scipy.signal.firwin(order + 1, [lo, hi], window="hamming", pass_zero=False, scale=True, fs=rate)
 *  to 1e-12.
 *  @param order taps - 1, 2 or more.
 *  @param[out] taps order + 1 values, the caller's.
 *  Errors: CLPAC_ERROR_ARGUMENT for a band outside (0, rate/2) or an order below 2.
 *  Any thread.  Cost: microseconds. */
clpac_status clpac_signal_design(double rate_hz, clpac_band band, size_t order, double *taps, clpac_error *err);

/** The order of the default filters: cycles * floor(rate / lo), or (n_samples - 1) / 3 where n_samples is below three
 *  such orders.  Any thread. */
size_t clpac_signal_order(double rate_hz, double lo_hz, double cycles, size_t n_samples);

/** A bank of linear-phase filters. */
typedef struct clpac_bank {
	size_t n_bands;
	const double *const *taps; /**< Taps of each band. */
	const size_t *n_taps;	   /**< Number of taps of each band; each below n_samples. */
	size_t extension; /**< Samples of odd extension at both ends; 0: the longest filter's order, the least. */
} clpac_bank;

/** Filters forward and backward: zero phase, response |H|^2, after odd extension at both ends; as
 *  scipy.signal.filtfilt(taps, 1, x - mean(x), padtype="odd", padlen=extension).  The mean of samples on the host is
 *  taken off first and stays off; samples in a buffer are filtered as they are.
 *  @param samples (n_series, n_samples); NaN or infinite samples give a series of NaN.
 *  @param[out] filtered (n_series, bank.n_bands, n_samples), in the samples' units.
 *  Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_NO_DEVICE_MEMORY, CLPAC_ERROR_DEVICE.
 *  Any thread, several at once on one context; a buffer is given to one at a time.
 *  Cost: a transform per series and one per band. */
clpac_status clpac_signal_filter(clpac_context *context, const clpac_bank *bank, clpac_values samples, size_t n_series,
				 size_t n_samples, clpac_values filtered, clpac_error *err);

/** Filter bank and Hilbert transform in one step: 2 order + 1 complex taps per band (`local`, doc/maths.md), so that a
 *  value depends on the samples within an order of it and on nothing else.
 *  @param[out] analytic (n_series, bank.n_bands, n_samples, 2): real and imaginary parts, in the samples' units.
 *  Everything else as for clpac_signal_filter. */
clpac_status clpac_signal_analytic(clpac_context *context, const clpac_bank *bank, clpac_values samples,
				   size_t n_series, size_t n_samples, clpac_values analytic, clpac_error *err);

/** Analytic signal of rows of exactly n_samples, any number of them from 2 on, as scipy.signal.hilbert(x).
 *  @param samples (n_rows, n_samples).
 *  @param[out] analytic (n_rows, n_samples, 2), in the samples' units.
 *  Errors and threads as for clpac_signal_filter. */
clpac_status clpac_signal_hilbert(clpac_context *context, clpac_values samples, size_t n_rows, size_t n_samples,
				  clpac_values analytic, clpac_error *err);

/** Computes the phase in radians, (-pi, pi], and the modulus of n complex values on the host.
 *  @param phase n values, or NULL.
 *  @param amplitude n values, or NULL.
 *  Any thread.  Cost: about 20 ns per value. */
void clpac_signal_phase_amplitude(const float *analytic, size_t n, float *phase, float *amplitude);

/** Sizes and options of a coupling.  Members of clpac_problem's names mean the same, and zero means default. */
typedef struct clpac_coupling {
	size_t n_series, n_phase, n_amplitude, n_samples;
	unsigned n_bins;
	clpac_average average;
	size_t n_surrogates;
	const size_t *shifts; /**< Each below n_samples. */
	size_t min_shift;
	uint64_t seed;
	bool share_shifts;
	unsigned ddof;
	bool keep_surrogates, keep_distributions;
} clpac_coupling;

/** Modulation index of every phase with every amplitude of a series, with distributions and surrogates.
 *  @param phase (n_series, n_phase, n_samples) in radians, of magnitude below 10^6; outside [-pi, pi] taken
 *         modulo 2 pi.
 *  @param amplitude (n_series, n_amplitude, n_samples), 0 or more.
 *  A series with a value on the host that is not finite, or an amplitude below 0, gives NaN and a warning.  Values in
 *  a buffer are not checked.
 *  @param[out] out the result, the caller's to destroy; channels are the series, bands are {0, 0}.
 *  Errors and threads as for clpac_signal_filter. */
clpac_status clpac_signal_modulation_index(clpac_context *context, const clpac_coupling *coupling, clpac_values phase,
					   clpac_values amplitude, clpac_result **out, clpac_error *err);

/** What clpac_signal_coupling computes beside the modulation index with drawn shifts.  Members of clpac_problem's names
 *  mean the same, and zero means default. */
typedef struct clpac_coupling_options {
	size_t size;		       /**< sizeof(clpac_coupling_options), or 0: the members of clpac 0.1. */
	const clpac_measure *measures; /**< Any but CLPAC_MEASURE_PLV and CLPAC_MEASURE_PAC_GLM, each at most once;
					* NULL: CLPAC_MEASURE_MI. */
	size_t n_measures;
	clpac_null null;   /**< CLPAC_NULL_SHIFTS, CLPAC_NULL_ALL_SHIFTS or CLPAC_NULL_BLOCKS. */
	size_t shift_step; /**< Of CLPAC_NULL_ALL_SHIFTS. */
	size_t n_blocks;   /**< Time blocks of CLPAC_NULL_BLOCKS. */
} clpac_coupling_options;

/** Measures of every phase with every amplitude of a series, with distributions and surrogates of a null.
 *  clpac_signal_modulation_index is this without options, bit by bit.
 *  @param coupling with CLPAC_NULL_ALL_SHIFTS no shifts, and n_surrogates 0 or their number; with CLPAC_NULL_BLOCKS no
 *         shifts and no min_shift.
 *  @param options NULL: the defaults.
 *  @param[out] out the result of the first measure, the caller's to destroy; clpac_result_of has the others.
 *  Errors: CLPAC_ERROR_UNSUPPORTED for CLPAC_MEASURE_PLV, which filters amplitudes in the phase bands, for
 *  CLPAC_MEASURE_PAC_GLM, which needs amplitudes of phase bands, and for
 *  CLPAC_NULL_TRIALS and CLPAC_NULL_PHASES, which need segments and samples; CLPAC_ERROR_ARGUMENT for what is
 *  contradictory; others, values, threads and all else as for clpac_signal_modulation_index.
 *  Cost: with all shifts N / 2 transforms of a series for each pair, N bins; of a linear measure one, whatever the
 *  shifts. */
clpac_status clpac_signal_coupling(clpac_context *context, const clpac_coupling *coupling,
				   const clpac_coupling_options *options, clpac_values phase, clpac_values amplitude,
				   clpac_result **out, clpac_error *err);

/** Rules of clpac_signal_false_discovery. */
typedef enum clpac_discovery {
	CLPAC_DISCOVERY_BH = 0, /**< Benjamini & Hochberg 1995, J R Stat Soc B 57:289. */
	CLPAC_DISCOVERY_BY	/**< Benjamini & Yekutieli 2001, Ann Stat 29:1165. */
} clpac_discovery;

/** Adjusts p for the rate of false discoveries.  If all cells with q <= 0.05 are called coupled, at most 5 % of them
 * are wrong on average, over many maps: with BH where the cells are independent or depend on each other positively, as
 *  cells of overlapping bands do; with BY, whose q is 1 + 1/2 + ... + 1/m times as large, however they do.
 *
 *  With the m values in ascending order, q of the i-th is the least of 1 and m p(j) / j among all j >= i, times that
 * sum for BY; scipy.stats.false_discovery_control gives the same.  No q is below its p.  A p of K surrogates is at
 * least 1 / (1 + K), so that one coupled cell among m has a q of m / (1 + K) or more: surrogates should outnumber cells
 * by far.
 *  @param p n values from 0 to 1; NaN: such a cell does not count.
 *  @param[out] q n values, NaN where p is; may be p.
 *  Errors: CLPAC_ERROR_ARGUMENT for a p outside 0 to 1, q is untouched then; CLPAC_ERROR_NO_MEMORY.
 *  Any thread.  Cost: a sort of n values. */
clpac_status clpac_signal_false_discovery(const float *p, size_t n, clpac_discovery rule, float *q, clpac_error *err);

/** The probability that a gamma distribution with this mean and deviation reaches a value.
 *
 *  An approximation of p for indices far above all their surrogates, from the surrogates' mean and deviation.  Indices
 *  without coupling have about this distribution, so that it is closer than 1 / (1 + K), but nothing makes it exact:
 *  doc/measurements/calibration.md says how far it is off.
 *  @return 0 to 1, to some 1e-12 of itself where the deviation is that of an index; NaN where mean or deviation is not
 *  above 0, not finite, or the deviation below 1e-4 of the mean.
 *  Any thread.  Cost: under a microsecond for a deviation above a tenth of the mean; up to milliseconds below. */
double clpac_signal_gamma_tail(double value, double mean, double deviation);

#ifdef __cplusplus
}
#endif
#endif
