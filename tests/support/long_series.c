/* The oracle of long series: double precision, transforms of a power of two. */
#include "long_series.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static void *array(size_t n, size_t each)
{
	void *made = calloc(n ? n : 1, each);
	if (!made) {
		fprintf(stderr, "long series: no memory for %zu values\n", n);
		exit(EXIT_FAILURE);
	}
	return made;
}

static size_t power_of_two(size_t n)
{
	size_t length = 1;
	while (length < n)
		length *= 2;
	return length;
}

void long_transform(double complex *x, size_t n, int sign)
{
	for (size_t i = 1, j = 0; i < n; i++) {
		size_t bit = n / 2;
		for (; j & bit; bit /= 2)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			double complex swap = x[i];
			x[i] = x[j];
			x[j] = swap;
		}
	}
	double complex *roots = array(n / 2, sizeof *roots);
	for (size_t k = 0; k < n / 2; k++)
		roots[k] = cos(2 * pi * (double)k / (double)n) + I * (sign * sin(2 * pi * (double)k / (double)n));
	for (size_t half = 1; half < n; half *= 2)
		for (size_t first = 0; first < n; first += 2 * half)
			for (size_t k = 0; k < half; k++) {
				double complex root = roots[k * (n / (2 * half))], a = x[first + k],
					       b = x[first + half + k];
				double re = creal(root) * creal(b) - cimag(root) * cimag(b);
				double im = creal(root) * cimag(b) + cimag(root) * creal(b);
				x[first + k] = a + (re + I * im);
				x[first + half + k] = a - (re + I * im);
			}
	free(roots);
}

/* Tap j of the Hilbert transform of n samples: the sum over its positive frequencies, in closed form. */
static double hilbert_tap(size_t j, size_t n)
{
	const double angle = pi * (double)j / (double)n;
	if (n % 2 == 0)
		return j % 2 ? 2 / tan(angle) / (double)n : 0;
	return (1 / tan(angle) - (j % 2 ? -1 : 1) / sin(angle)) / (double)n;
}

void long_hilbert(const double *x, size_t n, double complex *out)
{
	const size_t length = power_of_two(2 * n);
	double complex *series = array(length, sizeof *series), *kernel = array(length, sizeof *kernel);
	for (size_t t = 0; t < n; t++)
		series[t] = x[t];
	for (size_t j = 1; j < n; j++) {
		kernel[j] = hilbert_tap(j, n);
		kernel[length - j] = -kernel[j];
	}
	long_transform(series, length, -1);
	long_transform(kernel, length, -1);
	for (size_t k = 0; k < length; k++)
		series[k] *= kernel[k];
	long_transform(series, length, 1);
	for (size_t t = 0; t < n; t++)
		out[t] = x[t] + I * (creal(series[t]) / (double)length);
	free(series);
	free(kernel);
}

typedef struct bank {
	size_t n, longest;
	size_t *n_taps;
	double **taps;
} bank;

/* The bands' taps, phase bands first.  Designed filters only. */
static bank design(const clpac_problem *p)
{
	bank made = {.n = p->n_phase_bands + p->n_amplitude_bands};
	made.n_taps = array(made.n, sizeof *made.n_taps);
	made.taps = array(made.n, sizeof *made.taps);
	for (size_t i = 0; i < made.n; i++) {
		const bool is_phase = i < p->n_phase_bands;
		const clpac_band band = is_phase ? p->phase_bands[i] : p->amplitude_bands[i - p->n_phase_bands];
		const size_t order = oracle_order(p->rate_hz, band.lo_hz,
						  is_phase ? p->phase_cycles : p->amplitude_cycles, p->n_samples);
		oracle_real *taps = array(order + 1, sizeof *taps);
		oracle_firwin(p->rate_hz, band, order, taps);
		made.n_taps[i] = order + 1;
		made.taps[i] = array(order + 1, sizeof **made.taps);
		for (size_t k = 0; k <= order; k++)
			made.taps[i][k] = (double)taps[k];
		made.longest = order > made.longest ? order : made.longest;
		free(taps);
	}
	return made;
}

static void bank_free(bank *bank)
{
	for (size_t i = 0; i < bank->n; i++)
		free(bank->taps[i]);
	free(bank->taps);
	free(bank->n_taps);
}

/* State of analysing the bands of one series, one after the other. */
typedef struct analysis {
	size_t n, pad, length;
	bool is_fused;
	double complex *spectrum, *work;
} analysis;

static void analyse_band(const analysis *a, const double *taps, size_t n_taps, double complex *out)
{
	double complex *response = array(a->length, sizeof *response);
	for (size_t k = 0; k < n_taps; k++)
		response[k] = taps[k];
	long_transform(response, a->length, -1);
	for (size_t k = 0; k < a->length; k++) {
		const double gain = creal(response[k]) * creal(response[k]) + cimag(response[k]) * cimag(response[k]);
		const double sides = k == 0 || 2 * k == a->length ? 1 : 2 * k < a->length ? 2 : 0;
		a->work[k] = a->spectrum[k] * (gain * (a->is_fused ? sides : 1));
	}
	long_transform(a->work, a->length, 1);
	for (size_t t = 0; t < a->n; t++)
		out[t] = a->work[a->pad + t] / (double)a->length;
	if (!a->is_fused) {
		double *filtered = array(a->n, sizeof *filtered);
		for (size_t t = 0; t < a->n; t++)
			filtered[t] = creal(out[t]);
		long_hilbert(filtered, a->n, out);
		free(filtered);
	}
	free(response);
}

oracle_signals *long_analyse(const clpac_problem *p, const double *x, size_t fft_length)
{
	const size_t edge = (size_t)p->edge_samples, kept = p->n_samples - 2 * edge;
	bank filters = design(p);
	analysis a = {.n = p->n_samples, .pad = filters.longest, .is_fused = p->hilbert == CLPAC_HILBERT_LOCAL};
	a.length = fft_length ? fft_length : power_of_two(a.n + 3 * a.pad);
	a.spectrum = array(a.length, sizeof *a.spectrum);
	a.work = array(a.length, sizeof *a.work);
	oracle_real *series = array(a.n, sizeof *series), *wide = array(a.n + 2 * a.pad, sizeof *wide);
	for (size_t t = 0; t < a.n; t++)
		series[t] = x[t];
	oracle_odd_extension(series, a.n, a.pad, wide);
	for (size_t t = 0; t < a.n + 2 * a.pad; t++)
		a.spectrum[t] = (double)wide[t];
	long_transform(a.spectrum, a.length, -1);

	oracle_signals *made = array(1, sizeof *made);
	*made = (oracle_signals){.n_phase = p->n_phase_bands,
				 .n_amplitude = p->n_amplitude_bands,
				 .kept = kept,
				 .n_bins = p->n_bins,
				 .average = p->average};
	made->phase = array(made->n_phase * kept, sizeof *made->phase);
	made->strength = array(made->n_phase * kept, sizeof *made->strength);
	made->bins = array(made->n_phase * kept, sizeof *made->bins);
	made->amplitude = array(made->n_amplitude * kept, sizeof *made->amplitude);
	double complex *band = array(a.n, sizeof *band);
	for (size_t i = 0; i < filters.n; i++) {
		analyse_band(&a, filters.taps[i], filters.n_taps[i], band);
		for (size_t t = 0; t < kept; t++) {
			const double complex z = band[edge + t];
			const size_t at = i * kept + t;
			if (i < made->n_phase) {
				made->phase[at] = carg(z);
				made->strength[at] = cabs(z);
				made->bins[at] = oracle_bin(made->phase[at], made->n_bins);
			} else {
				made->amplitude[at - made->n_phase * kept] = cabs(z);
			}
		}
	}
	free(band);
	free(series);
	free(wide);
	free(a.spectrum);
	free(a.work);
	bank_free(&filters);
	return made;
}
