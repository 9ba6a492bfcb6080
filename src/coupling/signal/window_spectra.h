/* Spectra of short stretches of a series, in double, at the frequencies that are wanted and no others. */
#ifndef CLPAC_COUPLING_SIGNAL_WINDOW_SPECTRA_H
#define CLPAC_COUPLING_SIGNAL_WINDOW_SPECTRA_H

#include <stddef.h>
#include "base/error.h"

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
