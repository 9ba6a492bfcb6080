/* The peak of a spectrum in a band above what falls with frequency. */
#ifndef CLPAC_COUPLING_SIGNAL_SPECTRAL_PEAK_H
#define CLPAC_COUPLING_SIGNAL_SPECTRAL_PEAK_H

#include <clpac/bands.h>

#include "base/error.h"

/* The spectrum of a series for some bands: bin i of it is at (i + 1) bin_hz. */
typedef struct clpac__spectrum_of_bands {
	double *power; /* owned; NULL where the series is too short for its lowest band */
	size_t n, n_windows;
	double bin_hz;
} clpac__spectrum_of_bands;

/* Windows of four cycles of the lowest band edge, and of 2 s at least, that overlap by half; bins to three times the
 * highest one, where the rate has them.  To be cleared.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED.  Cost: four multiplications a bin for each sample of 256
 * windows at most, of a series that is brought down to eight samples a cycle of the highest bin. */
clpac_status clpac__spectrum_make(const double *x, size_t n_samples, double rate_hz, const clpac_band *bands,
				  size_t n_bands, clpac__spectrum_of_bands *out, clpac_error *err);
void clpac__spectrum_clear(clpac__spectrum_of_bands *spectrum);

typedef struct clpac__spectral_peak {
	double height_db; /* above the background; NaN where it cannot be told */
	double hz;	  /* where it is */
	double exponent;  /* the background falls as 1 / f^exponent */
} clpac__spectral_peak;

/* The filter of a band, as designed for series at a rate. */
typedef struct clpac__band_taps {
	const double *taps;
	size_t n;
	double rate_hz;
} clpac__band_taps;

/* The highest bin of the band, or what passes its filter, there and back, most strongly, if that is higher: a strong
 * rhythm beside the band is its wave, too.
 *
 * The background is a straight line in decibels over log f, from a third of the band's lower edge, at least 1 Hz, to
 * three times its upper one, each octave with the same weight; bins that rise 1 dB above it are left out, again and
 * again while half of the weights are left, so that neither the peak nor others beside it lift it (after Donoghue et
 * al. 2020, Nat Neurosci 23:1655). */
clpac__spectral_peak clpac__spectral_peak_of(const clpac__spectrum_of_bands *spectrum, clpac_band band,
					     const clpac__band_taps *filter);

/* Below how many decibels a peak is none: 2, and in short series what chance makes of the highest of some bins, 3.5
 * deviations of a mean over the windows. */
double clpac__least_peak_db(size_t n_windows);

#endif
