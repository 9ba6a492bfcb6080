/* Marks of a recording that are no signal of a brain: jumps, and lines of the mains. */
#ifndef CLPAC_COUPLING_SIGNAL_ARTEFACTS_H
#define CLPAC_COUPLING_SIGNAL_ARTEFACTS_H

#include <stddef.h>

#include "base/error.h"

/* The largest spike or step, in deviations.  The series is cut into stretches of 1/8 s, at least 32 samples; the
 * deviation is the median of theirs, so that neither slow drift nor the jump itself is part of it.  A jump is the range
 * of two neighbouring stretches.
 * @param[out] sample where the step from one sample to the next is largest in that range.
 * @return 0 for a series of fewer than four stretches, and where half of them are constant.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__find_jump(const double *x, size_t n_samples, double rate_hz, double *deviations, size_t *sample,
			      clpac_error *err);

/* The asymmetry of a wave's cycles: the mean of (rise - fall) / (rise + fall), where rise is the time from a trough to
 * the next peak and fall that from this peak to the next trough.  Cycles are those of the band-passed series, between
 * whose zero crossings the peaks and troughs of the series itself are found (Cole & Voytek 2019, J Neurophysiol
 * 122:849), smoothed over 1/16 cycle.
 * @param band_passed n_samples as x.
 * @return NaN where there are fewer than three cycles. */
double clpac__cycle_asymmetry(const double *x, const double *band_passed, size_t n_samples, double cycle_samples);

/* The median of n values, whose order changes; n is above 0.  Cost: some 4 n comparisons. */
double clpac__median(double *values, size_t n);

/* Spectra of short stretches of a series, in double, at the frequencies that are wanted and no others. */

/* Windows of `length` samples, each beginning half a length behind the one before; 0 where the series is shorter. */
size_t clpac__window_count(size_t n_samples, size_t length);

/* The waves of some frequencies, tapered by a Hann window: with windows that overlap by half it leaves neighbours
 * nearly independent (Welch 1967, IEEE Trans. Audio Electroacoust. 15:70). */
typedef struct clpac__window_waves {
	size_t length, n; /* samples, frequencies */
	size_t n_columns;
	double *values; /* owned: (column, sample, 4), cosine and sine of a frequency side by side, zeros behind the
			   last */
} clpac__window_waves;

/* Waves of whole bins first .. first + n - 1 of rate / length.
 * @param length even, at least 2.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__window_waves_make(size_t length, size_t first, size_t n, clpac__window_waves *out,
				      clpac_error *err);
void clpac__window_waves_clear(clpac__window_waves *waves);

/* Writes the mean power at each frequency, of all windows, or in a long series of `most` that lie evenly in it.
 * @param n_samples at least the waves' length.
 * @param most above 1.
 * Errors: CLPAC_ERROR_CANCELLED.  Cost: 4 n multiplications for each sample of the windows. */
clpac_status clpac__window_power(const double *x, size_t n_samples, const clpac__window_waves *waves, size_t most,
				 double *power, clpac_error *err);

/* Waves of a line of the mains and of what lies 2 to 4 Hz away, in windows of 2 s; none where series have fewer than
 * four of them, or frequency + 4 Hz lies above half the rate.  To be cleared. Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__line_waves_make(size_t n_samples, double rate_hz, double frequency_hz, clpac__window_waves *out,
				    clpac_error *err);

/* How many times the power at the line exceeds the median of that 2 to 4 Hz away, in 64 windows at most, and in 8 where
 * that is below 3; 0 where there are no waves.
 * Errors: CLPAC_ERROR_CANCELLED. */
clpac_status clpac__line_height(const double *x, size_t n_samples, const clpac__window_waves *line, double *height,
				clpac_error *err);

#endif
