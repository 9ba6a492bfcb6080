/* The table of workloads, and their samples: a counter-based generator and a few recursions. */
#include "bench/workload.h"
#include "tests/support/random.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const workload workloads[] = {
	{"small-0", 4, 2048, 512, 10, 10, 0, CLPAC_MEASURE_MI},
	{"small", 4, 2048, 512, 10, 10, 200, CLPAC_MEASURE_MI},
	{"default", 16, 2048, 512, 30, 30, 200, CLPAC_MEASURE_MI},
	{"wide", 16, 24000, 500, 50, 50, 200, CLPAC_MEASURE_MI},
	{"long", 1, 10000000, 1000, 10, 10, 200, CLPAC_MEASURE_MI},
	{"fast-sampled", 8, 300000, 30000, 20, 30, 200, CLPAC_MEASURE_MI},
	{"many-0", 1024, 2560, 512, 10, 10, 0, CLPAC_MEASURE_MI},
	{"many", 1024, 2560, 512, 10, 10, 1000, CLPAC_MEASURE_MI},
	{"recording", 64, 600000, 1000, 20, 20, 200, CLPAC_MEASURE_MI}, /* ten minutes of 64 channels */
	/* Every shift in place of 200. */
	{"small-all", 4, 2048, 512, 10, 10, ALL_SHIFTS, CLPAC_MEASURE_MI},
	{"default-all", 16, 2048, 512, 30, 30, ALL_SHIFTS, CLPAC_MEASURE_MI},
	{"default-glm", 16, 2048, 512, 30, 30, ALL_SHIFTS, CLPAC_MEASURE_GLM},
	{"default-gcmi", 16, 2048, 512, 30, 30, ALL_SHIFTS, CLPAC_MEASURE_GCMI},
};

const workload *get_workload(size_t i)
{
	return i < sizeof workloads / sizeof *workloads ? &workloads[i] : NULL;
}

const workload *find_workload(const char *name)
{
	const workload *w;
	for (size_t i = 0; (w = get_workload(i)) && strcmp(w->name, name) != 0; i++)
		;
	return w;
}

/* A uniform value in [-1, 1) from a keyed counter. */
static double uniform(uint64_t key, uint64_t counter)
{
	return (double)(int64_t)random_mix(key * 0xd1342543de82ef95u + counter * RANDOM_STEP) * 0x1p-63;
}

/* A vector that turns by (cosine, sine) and shrinks by keep: a noisy oscillation when noise drives it. */
typedef struct pointer {
	double re, im;
} pointer;

static pointer turn(pointer z, double cosine, double sine, double keep)
{
	return (pointer){keep * (z.re * cosine - z.im * sine), keep * (z.re * sine + z.im * cosine)};
}

static void make_series(uint64_t key, double rate_hz, size_t n, float *samples)
{
	static const double octave_hz[] = {0.25, 1, 4, 16, 64};
	enum { OCTAVES = sizeof octave_hz / sizeof *octave_hz };
	const double two_pi = 6.283185307179586, slow = two_pi * 6 / rate_hz, fast = two_pi * 100 / rate_hz;
	const double slow_cos = cos(slow), slow_sin = sin(slow), fast_cos = cos(fast), fast_sin = sin(fast);
	const double width = 1.0 / rate_hz, keep = 1 - two_pi * width; /* the driving oscillation is about 2 Hz wide */
	double pink[OCTAVES] = {0}, step[OCTAVES];
	pointer driver = {1, 0}, carrier = {1, 0};
	for (int i = 0; i < OCTAVES; i++)
		step[i] = fmin(1, two_pi * octave_hz[i] / rate_hz);
	for (size_t t = 0; t < n; t++) {
		const double white = uniform(key, 2 * t), push = uniform(key, 2 * t + 1);
		double sum = 0;
		for (int i = 0; i < OCTAVES; i++) {
			pink[i] += step[i] * (white / sqrt(step[i]) - pink[i]);
			sum += pink[i];
		}
		driver = turn(driver, slow_cos, slow_sin, keep);
		driver.re += push * sqrt(12 * width);
		carrier = turn(carrier, fast_cos, fast_sin, 1);
		const double cosine = driver.re / (sqrt(driver.re * driver.re + driver.im * driver.im) + 1e-9);
		samples[t] = (float)(driver.re + 0.3 * (1 + 0.8 * cosine) / 2 * carrier.re + 0.5 * sum + 0.1 * white);
	}
}

void make_samples(const workload *w, float *samples)
{
	for (size_t i = 0; i < w->n_series; i++)
		make_series(i + 1, w->rate_hz, w->n_samples, samples + i * w->n_samples);
}

int write_samples(const workload *w, const float *samples, const char *path)
{
	enum { HEAD_SIZE = 128 };
	char head[HEAD_SIZE + 1];
	/* Version 1.0, then the length of the header text, which ends in a newline on a multiple of 64. */
	memcpy(head, "\x93NUMPY\x01\x00", 8);
	head[8] = HEAD_SIZE - 10;
	head[9] = 0;
	const int text =
		snprintf(head + 10, sizeof head - 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu), }",
			 w->n_series, w->n_samples);
	const size_t used = 10 + (size_t)text;
	memset(head + used, ' ', HEAD_SIZE - used);
	head[HEAD_SIZE - 1] = '\n';
	FILE *file = fopen(path, "wb");
	if (!file)
		return errno;
	const size_t n = w->n_series * w->n_samples;
	int code = 0;
	if (fwrite(head, 1, HEAD_SIZE, file) != HEAD_SIZE || fwrite(samples, sizeof *samples, n, file) != n)
		code = errno;
	if (fclose(file) != 0 && !code)
		code = errno;
	return code;
}

void make_amplitude_bands(const workload *w, clpac_band *bands)
{
	const double first_hz = 60, last_hz = 160;
	const size_t n = w->n_amplitude;
	for (size_t i = 0; i < n; i++) {
		const double step_hz = n > 1 ? (last_hz - first_hz) / (double)(n - 1) : 0;
		const double centre_hz = i && i == n - 1 ? last_hz : first_hz + (double)i * step_hz;
		bands[i] = (clpac_band){centre_hz * (1 - 1.0 / 8), centre_hz * (1 + 1.0 / 8)};
	}
}
