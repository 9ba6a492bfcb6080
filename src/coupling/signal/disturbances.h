/* What other sources than nerve cells leave in a recording, and what a driven amplifier does to a wave: heartbeats,
 * spikes, muscles, and odd harmonics.  Each is in the fast bands and keeps step with a slow one, and is no shape of a
 * slow wave of its own. */
#ifndef CLPAC_COUPLING_SIGNAL_DISTURBANCES_H
#define CLPAC_COUPLING_SIGNAL_DISTURBANCES_H

#include <clpac/cautions.h>

#include "base/error.h"
#include "coupling/signal/slow_waves.h"

/* Spikes that come as regularly as those of a heart: at least ten, half of the intervals within a quarter of their
 * median, which is from 0.4 to 2 s, through three fifths of the series. */
typedef struct clpac__beats {
	size_t n; /* 0: there is no such thing */
	double interval_s, deviations;
} clpac__beats;

/* A spike is what lies 3.5 deviations from the mean of 30 ms, by the median of all such distances, at most one in 0.1
 * s. Errors: CLPAC_ERROR_NO_MEMORY.  Cost: some ten comparisons a
 * sample. */
clpac_status clpac__find_beats(const double *x, size_t n_samples, double rate_hz, clpac__beats *out, clpac_error *err);

/* Spikes and edges, regular or not: five or more, and one in 100 s, that lie 7 deviations from the mean of 30 ms, by
 * the mean distance in the half second around, so that noise with a gain has none; or a series whose distances from the
 * mean of 10 ms lie on one side, with a skewness above 0.25, as where small spikes come in each cycle of a wave. */
typedef struct clpac__spikes {
	size_t n;	   /* 0: there are none of 7 deviations */
	double deviations; /* of the highest */
	double skewness;   /* 0: it is small */
} clpac__spikes;

/* Errors: CLPAC_ERROR_NO_MEMORY.  Cost: some ten multiplications a sample. */
clpac_status clpac__find_spikes(const double *x, size_t n_samples, double rate_hz, clpac__spikes *out,
				clpac_error *err);

/* Bursts of noise in all fast bands at once, as of a muscle: at least eight eighths of a second, and no more than half
 * of the series, whose differences have more than 8 times the usual power, in four fifths of the frequencies of `range`
 * at least 4 times, and no lone spike in it. */
typedef struct clpac__bursts {
	double share; /* of the series; 0: there is no such thing */
	double times; /* power, by the usual one */
} clpac__bursts;

/* Errors: CLPAC_ERROR_NO_MEMORY.  Cost: some multiplications a sample. */
clpac_status clpac__find_bursts(const double *x, size_t n_samples, double rate_hz, clpac_band range, clpac__bursts *out,
				clpac_error *err);

/* The second and third harmonic of a wave, by its first, in the mean of its cycles. */
typedef struct clpac__wave_harmonics {
	double second;	     /* magnitude */
	double third;	     /* below 0: the wave is flattened; above: it is pointed */
	double third_chance; /* standard error of the third */
} clpac__wave_harmonics;

clpac__wave_harmonics clpac__find_wave_harmonics(const clpac__wave_turns *turns);

/* Whether a wave has odd harmonics and no even ones, which nothing but corners, cut tops or points make. */
bool clpac__has_odd_harmonics(clpac__wave_harmonics found);

/* Finds beats, bursts, and where there are neither, spikes, in a series whose values are finite.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__find_disturbances(const double *x, size_t n_samples, double rate_hz, clpac_band fast,
				      clpac_disturbances *out, clpac_error *err);

#endif
