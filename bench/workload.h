/* The named workloads of the benchmarks, and the samples that they are computed from. */
#ifndef CLPAC_BENCH_WORKLOAD_H
#define CLPAC_BENCH_WORKLOAD_H

#include <stddef.h>

typedef struct workload {
	const char *name;
	size_t n_series, n_samples;
	double rate_hz;
	size_t n_phase, n_amplitude, n_surrogates; /* bands: centres spread evenly over 2 to 20 and 60 to 160 Hz */
} workload;

/* NULL when there is none of that name. */
const workload *find_workload(const char *name);
/* The i-th, NULL past the end. */
const workload *get_workload(size_t i);

/* Fills (n_series, n_samples) float32: noise that falls off as 1/f, in which a driver around 6 Hz sets the height of a
 * 100 Hz oscillation.  The same bits on every machine and for every number of series.  Cost: some 30 ns a sample. */
void make_samples(const workload *w, float *samples);

/* Writes them as an .npy file of shape (n_series, n_samples); 0, or errno. */
int write_samples(const workload *w, const float *samples, const char *path);

#endif
