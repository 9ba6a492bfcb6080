/* The mean power of a series in short windows. */
#ifndef CLPAC_COUPLING_SIGNAL_WINDOW_POWER_H
#define CLPAC_COUPLING_SIGNAL_WINDOW_POWER_H

#include "coupling/signal/transform.h"

/* Windows of one length, tapered by Hann's: where they overlap by half it leaves neighbours nearly independent (Welch
 * 1967, IEEE Trans. Audio Electroacoust. 15:70).  One thread at a time. */
typedef struct clpac__windows {
	size_t length;		    /* samples; 0: none */
	clpac__transform transform; /* as long, or longer: zeros lie behind the samples.  Bin k is at k rate / its n */
	double *taper;		    /* owned: length */
	clpac__value *room;	    /* owned: transform.n */
} clpac__windows;

/* @param length above 0.  To be cleared.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__windows_make(size_t length, clpac__windows *out, clpac_error *err);
void clpac__windows_clear(clpac__windows *windows);

/* Windows of `length` samples, each beginning half a length behind the one before; 0 where the series is shorter. */
size_t clpac__window_count(size_t n_samples, size_t length);

/* Writes the mean power of n_windows windows, each beginning `hop` samples behind the one before, at the bins first to
 * first + n - 1, which lie above 0 and not above half the rate.
 * Errors: CLPAC_ERROR_CANCELLED.  Cost: a transform for two windows. */
clpac_status clpac__windows_power(const clpac__windows *windows, const double *x, size_t n_windows, size_t hop,
				  size_t first, size_t n, double *power, clpac_error *err);

/* The same of all windows that overlap by half, or in a long series of `most` that lie evenly in it.
 * @param n_samples at least a window.
 * @param most above 1. */
clpac_status clpac__windows_power_of(const clpac__windows *windows, const double *x, size_t n_samples, size_t most,
				     size_t first, size_t n, double *power, clpac_error *err);

#endif
