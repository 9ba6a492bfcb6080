/* What of a fast signal is the shape of a slow wave.
 *
 * A wave that is no sine has fast parts of its own: an edge, a corner, a spike, at one phase of each cycle.  They look
 * like the amplitude of a fast oscillation that follows the wave (Kramer, Tort, Kopell 2008, J Neurosci Methods
 * 170:352; Aru et al. 2015, Curr Opin Neurobiol 31:51), and have what no such oscillation has: the same form in every
 * cycle, up to its size and a small delay.  So the cycles are laid upon each other, and what they share in a fast band
 * is taken off each of them.  A nested oscillation, whose own phase begins anew in every cycle, has no mean there, and
 * stays as it is.
 *
 * Cycles are aligned on what lies between the wave and the fast band, and on nothing in it: a nested oscillation would
 * align on itself, and be taken off.  There are three ways to place them: by the whole cycle, around its
 * middle or its ends, and by its highest and its lowest point, each of which then has a form of its own.
 *
 * A wave whose corners lie all over the cycle, and whose cycles differ in length, has no form at one time that holds
 * for all of it: what is taken off first, since it costs least, are whole multiples of its phase (wave_multiples.h). */
#ifndef CLPAC_COUPLING_SIGNAL_WAVE_SHAPE_H
#define CLPAC_COUPLING_SIGNAL_WAVE_SHAPE_H

#include <stdbool.h>

#include <clpac/bands.h>

#include "base/error.h"
#include "coupling/signal/disturbances.h"
#include "coupling/signal/wave_multiples.h"

typedef struct clpac__wave_shape clpac__wave_shape;

enum { CLPAC__SHAPE_WAYS = 4 };

/* The waves of a series, by their frequencies.
 * @param x n_samples, read while the object lives.
 * @param lowest_hz the least lower edge of the bands that will be given.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED. */
clpac_status clpac__wave_shape_create(const double *x, size_t n_samples, double rate_hz, double lowest_hz,
				      const double *waves_hz, size_t n_waves, clpac__wave_shape **out,
				      clpac_error *err);
void clpac__wave_shape_destroy(clpac__wave_shape *shape);

/* The second and third harmonic of a wave, in the mean of its cycles.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED. */
clpac_status clpac__wave_shape_harmonics(clpac__wave_shape *shape, size_t wave, clpac__wave_harmonics *harmonics,
					 clpac_error *err);

/* The amplitude of a band without the shape of one wave.
 * @param[out] amplitudes signal->n; not written where nothing was taken off.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED.  Cost: some 10 multiplications a sample of the band where
 * nothing is taken off, five times that elsewhere; more where the band's lower edge is far from that of the call
 * before. */
clpac_status clpac__wave_shape_take_off(clpac__wave_shape *shape, size_t wave, int way,
					const clpac__band_signal *signal, double *amplitudes, bool *is_locked,
					clpac_error *err);

#endif
