/* Discrete Fourier sums at chosen frequencies.  The inner loops run along the frequencies, so that they vectorise in
 * the order in which they are written. */
#include "signal/window_spectra.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

size_t clpac__window_count(size_t n_samples, size_t length)
{
	return length < 2 || n_samples < length ? 0 : 1 + (n_samples - length) / (length / 2);
}

/* Tapered waves of `step` half bins from frequency to frequency: (sample, n, 2), the caller's to free. */
static double *make_waves(size_t length, size_t first, size_t n, size_t step)
{
	const double turn = 3.14159265358979323846 / (double)length;
	double *waves = clpac__alloc_array(length, 2 * n * sizeof *waves);
	for (size_t t = 0; waves && t < length; t++) {
		const double taper = 0.5 - 0.5 * cos(2 * turn * ((double)t + 0.5));
		for (size_t i = 0; i < n; i++) {
			/* The phase in half turns of the length, without its whole turns. */
			const double angle = turn * (double)((first + i * step) * t % (2 * length));
			waves[2 * (t * n + i)] = taper * cos(angle);
			waves[2 * (t * n + i) + 1] = -taper * sin(angle);
		}
	}
	return waves;
}

static void transform(const double *x, const double *waves, size_t length, size_t n, double *sums)
{
	memset(sums, 0, 2 * n * sizeof *sums);
	/* Two samples at a time halve the traffic of the sums; lengths are even. */
	for (size_t t = 0; t < length; t += 2) {
		const double *wave = waves + 2 * t * n, *next = wave + 2 * n;
		for (size_t i = 0; i < 2 * n; i++)
			sums[i] += x[t] * wave[i] + x[t + 1] * next[i];
	}
}

clpac_status clpac__window_spectra(const double *x, size_t n_samples, size_t length, size_t first, size_t n,
				   double *spectra, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_windows = clpac__window_count(n_samples, length);
	double *waves = make_waves(length, first, n, 1);
	if (!waves)
		FAIL_NO_MEMORY(length * 2 * n * sizeof *waves);
	for (size_t w = 0; w < n_windows; w++)
		transform(x + w * (length / 2), waves, length, n, spectra + w * 2 * n);
done:
	clpac__free(waves);
	return st;
}

clpac_status clpac__window_power(const double *x, size_t n_samples, size_t length, size_t first, size_t n,
				 double *power, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_windows = clpac__window_count(n_samples, length);
	double *waves = make_waves(length, 2 * first, n, 2), *sums = clpac__alloc_array(n, 2 * sizeof *sums);
	if (!waves || !sums)
		FAIL_NO_MEMORY((length + 1) * 2 * n * sizeof *waves);
	memset(power, 0, n * sizeof *power);
	for (size_t w = 0; w < n_windows; w++) {
		transform(x + w * (length / 2), waves, length, n, sums);
		for (size_t i = 0; i < n; i++)
			power[i] += (sums[2 * i] * sums[2 * i] + sums[2 * i + 1] * sums[2 * i + 1]) / (double)n_windows;
	}
done:
	clpac__free(waves);
	clpac__free(sums);
	return st;
}
