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

/* How many times the power at a frequency exceeds the median of that 2 to 4 Hz away, in windows of 2 s; 0 where the
 * series has fewer than four of them, or frequency + 4 Hz lies above half the rate.
 * Errors: CLPAC_ERROR_NO_MEMORY.  Cost: 68 n_samples multiplications. */
clpac_status clpac__line_height(const double *x, size_t n_samples, double rate_hz, double frequency_hz, double *height,
				clpac_error *err);

/* The asymmetry of a wave's cycles: the mean of (rise - fall) / (rise + fall), where rise is the time from a trough to
 * the next peak and fall that from this peak to the next trough.  Cycles are those of the band-passed series, between
 * whose zero crossings the peaks and troughs of the series itself are found (Cole & Voytek 2019, J Neurophysiol
 * 122:849), smoothed over 1/16 cycle.
 * @param band_passed n_samples as x.
 * @return NaN where there are fewer than three cycles. */
double clpac__cycle_asymmetry(const double *x, const double *band_passed, size_t n_samples, double cycle_samples);

/* The median of n values, which are put in order; n is above 0. */
double clpac__median(double *values, size_t n);

/* Spectra of short stretches of a series, in double, at the frequencies that are wanted and no others. */

/* Windows of `length` samples, each beginning half a length behind the one before; 0 where the series is shorter. */
size_t clpac__window_count(size_t n_samples, size_t length);

/* Writes the spectra of all windows, each tapered by a Hann window, at (first + i) half bins of rate / (2 length).
 * With windows that overlap by half, such a taper leaves neighbours nearly independent: their correlation is 1/6, that
 * of their powers 1/36 (Welch 1967, IEEE Trans. Audio Electroacoust. 15:70).
 * @param length even, at least 2.
 * @param[out] spectra (window, n, 2): real and imaginary parts.
 * Errors: CLPAC_ERROR_NO_MEMORY.  Cost: 4 n n_samples multiplications. */
clpac_status clpac__window_spectra(const double *x, size_t n_samples, size_t length, size_t first, size_t n,
				   double *spectra, clpac_error *err);

/* Writes the mean power of all windows at whole bins first .. first + n - 1 of rate / length.
 * Errors: CLPAC_ERROR_NO_MEMORY.  Cost: as above. */
clpac_status clpac__window_power(const double *x, size_t n_samples, size_t length, size_t first, size_t n,
				 double *power, clpac_error *err);

#endif
