/* A signal with known coupling: the phase of a slow oscillation drives the amplitude of a fast one, in pink noise. */
#ifndef CLPAC_ANALYSIS_SYNTHETIC_H
#define CLPAC_ANALYSIS_SYNTHETIC_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/settings.h"
#include "base/error.h"

typedef enum clpac__driver {
	CLPAC__DRIVER_NOISE = 0, /* narrow-band noise: its phase drifts, as in a brain */
	CLPAC__DRIVER_SINE,	 /* a pure line, whose coupling circular shifts cannot break */
	CLPAC__DRIVER_SAWTOOTH	 /* a sawtooth whose cycles differ in length, and no fast oscillation at all */
} clpac__driver;

typedef struct clpac__synthetic {
	double rate_hz;
	double phase_hz;     /* centre of the driver */
	double amplitude_hz; /* the carrier */
	double strength;     /* 0 none .. 1 the fast oscillation vanishes in the driver's trough */
	double noise;	     /* root mean square of the background; the driver's is 1 */
	clpac__driver driver;
	uint64_t seed;
} clpac__synthetic;

/* Writes one channel.  The same numbers on every machine: only +, -, *, / and sqrt of doubles enter.
 * Errors: CLPAC_ERROR_CANCELLED. */
clpac_status clpac__synthetic_write(const clpac__synthetic *signal, uint64_t channel, float *samples, size_t n_samples,
				    clpac_error *err);

/* Reads the options of a recording that is made (clpac__options_synthetic).
 * Errors: CLPAC_ERROR_ARGUMENT; CLPAC_ERROR_NO_MEMORY where it would not fit in the computer. */
clpac_status clpac__synthetic_read(const clpac__analysis_settings *settings, clpac__synthetic *signal,
				   size_t *n_channels, size_t *n_samples, clpac_error *err);

#endif
