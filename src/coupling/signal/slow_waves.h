/* The slow waves of a series: their frequencies and phases. */
#ifndef CLPAC_COUPLING_SIGNAL_SLOW_WAVES_H
#define CLPAC_COUPLING_SIGNAL_SLOW_WAVES_H

#include <clpac/bands.h>

#include "base/error.h"

/* The power of a series at whole bins of windows of clpac__search_length samples, from bin 1 on; it serves all phase
 * bands whose four cycles fit the windows. */
typedef struct clpac__search_power {
	const double *power;
	size_t n;
} clpac__search_power;

/* Windows of 2 s; the whole series, where it is shorter. */
size_t clpac__search_length(size_t n_samples, double rate_hz);
/* The bins that the phase bands up to highest_hz need. */
size_t clpac__search_bins(size_t n_samples, double rate_hz, double highest_hz);

/* Finds the frequency at which the filtered series is strongest, which may be that of a wave beside the band, whose
 * skirt the filter lets through.  Filtering forward and backward takes |H|^2 of amplitudes.
 * @param shared its power for phase bands of 2 Hz and more; others look for themselves.
 * @param taps n_taps of the phase band's filter, for series at filter_rate_hz.
 * @param[out] frequency_hz 0 where the series is too short.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__wave_find(const double *x, size_t n_samples, double rate_hz, const clpac__search_power *shared,
			      clpac_band phase, const double *taps, size_t n_taps, double filter_rate_hz,
			      double *frequency_hz, clpac_error *err);

/* The phase of a series in a band, in turns that go on from cycle to cycle.  It is taken at 10 values a cycle and
 * interpolated between them.
 * @param[out] turns n_samples values, all 0 where the band does not fit the series.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED.  Cost: some ten multiplications a sample. */
clpac_status clpac__wave_turns(const double *x, size_t n_samples, double rate_hz, clpac_band band, double cycles,
			       double *turns, clpac_error *err);

/* Filters a series with an analytic filter (clpac__filter_make_analytic), as if zeros lay around it, at every step-th
 * sample.
 * @param half taps on each side of the middle one.
 * @param odd NULL: the filter is real.
 * @param[out] to n_samples / step values, rounded up; with odd (2, n): the real ones, behind them the imaginary ones.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED. */
clpac_status clpac__filter_series(const double *x, size_t n_samples, const double *even, const double *odd, size_t half,
				  size_t step, double *to, clpac_error *err);

#endif
