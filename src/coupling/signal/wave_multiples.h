/* The part of a fast signal that is whole multiples of a slow wave's own phase.
 *
 * A wave that is no sine is a sum of multiples of its phase, in its size: each keeps one phase to the wave, cycle by
 * cycle, also where cycles differ in length.  A nested oscillation keeps none, since its own phase begins anew in every
 * cycle. */
#ifndef CLPAC_COUPLING_SIGNAL_WAVE_MULTIPLES_H
#define CLPAC_COUPLING_SIGNAL_WAVE_MULTIPLES_H

#include <stdbool.h>

#include <clpac/bands.h>

#include "base/error.h"
#include "coupling/signal/slow_waves.h"

/* The analytic signal of a band, at every step-th sample of the series. */
typedef struct clpac__band_signal {
	clpac_band band;
	size_t step, n;
	double *re, *im, *power; /* n each; power is |z|^2 */
} clpac__band_signal;

/* The phase and the size of a wave at the samples of a band. */
typedef struct clpac__wave_places {
	unsigned short *places; /* owned: parts of a cycle */
	double *sizes;		/* owned: in the mean one */
	size_t step;		/* that they are made for; 0: none */
	double squares;		/* sum of the squared sizes */
	double *sums;		/* owned: sums at each place, a form, and cosines and sines */
} clpac__wave_places;

void clpac__wave_places_clear(clpac__wave_places *places);

/* Takes off what the multiples share with a band, each that is above chance.
 * @param places zeros before the first call for a wave; made anew where the step is another.
 * @param[out] amplitudes signal->n; not written where nothing was taken off.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED.  Cost: some ten additions a sample of the band. */
clpac_status clpac__wave_multiples_take_off(const clpac__wave_turns *turns, clpac__wave_places *places,
					    const clpac__band_signal *signal, size_t n_samples, double rate_hz,
					    double *amplitudes, bool *is_locked, clpac_error *err);

#endif
