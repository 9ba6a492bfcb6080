/* A series at another rate, by libsamplerate's band-limited interpolation (Erik de Castro Lopo; J. O. Smith and P.
 * Gossett 1984, ICASSP 9:112-115).
 *
 * Samples keep their times: new sample k lies at k / rate, as the old ones do.  What no stretch of finite samples
 * covers is NaN.  doc/maths.md has the errors. */
#ifndef CLPAC_RECORDING_RESAMPLE_H
#define CLPAC_RECORDING_RESAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/recording.h>

enum { CLPAC__MOST_RATIO = 1000000, CLPAC__MOST_TIMES = 256 };

/* New samples for old ones, in lowest terms. */
typedef struct clpac__ratio {
	uint64_t n_new, n_old;
} clpac__ratio;

/* False for rates that are no ratio of numbers up to CLPAC__MOST_RATIO, or too far apart. */
bool clpac__ratio_of(double new_hz, double old_hz, clpac__ratio *out);
/* The new samples that begin before n old ones end; false where they cannot be counted. */
bool clpac__ratio_count(const clpac__ratio *ratio, size_t n_old, size_t *n_new);

typedef struct clpac__series {
	clpac_sample_type type;
	const void *samples;
	size_t n_samples;
	double rate_hz;
} clpac__series;

/* Resamples a series; stretches, and the runs of finite samples in them, by themselves.
 * @param stretches of the recording; none: the whole series is one.
 * @param n_samples of the new series, as clpac__ratio_count has it.
 * @param[out] out of the same type, to be freed with clpac__free.
 * Errors: CLPAC_ERROR_UNSUPPORTED in a build without the library, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__resample(const clpac__series *series, const clpac_stretch *stretches, size_t n_stretches,
			     double rate_hz, size_t n_samples, void **out, clpac_error *err);

#endif
