/* The named workloads of the benchmarks, and their samples. */
#ifndef CLPAC_BENCH_WORKLOAD_H
#define CLPAC_BENCH_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include <clpac/bands.h>
#include <clpac/measure.h>

typedef struct workload {
	const char *name;
	size_t n_series, n_samples;
	double rate_hz;
	size_t n_phase, n_amplitude,
		n_surrogates; /* numbers of bands, with centres evenly over 2 to 20 and 60 to 160 Hz */
	clpac_measure measure;
} workload;

/* As a number of surrogates: every shift. */
#define ALL_SHIFTS (SIZE_MAX - 1)

/* Finds a workload by name; NULL if there is none. */
const workload *find_workload(const char *name);
/* The i-th workload; NULL past the end. */
const workload *get_workload(size_t i);

/* Fills (n_series, n_samples) float32: 1/f noise, in which an oscillation around 6 Hz sets the amplitude of one at 100
 * Hz.  The same bits on every machine and for every number of series.  Cost: about 30 ns per sample. */
void make_samples(const workload *w, float *samples);

/* Fills n_amplitude bands with centres evenly over 60 to 160 Hz, each a quarter as wide as its centre: the bands that
 * the other programs measure too. */
void make_amplitude_bands(const workload *w, clpac_band *bands);

/* Writes samples as an .npy file of shape (n_series, n_samples); returns 0 or errno. */
int write_samples(const workload *w, const float *samples, const char *path);

#endif
