/* The method in long double, straight from its definitions. */
#include "oracle.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const oracle_real pi = 3.141592653589793238462643383279502884L;

static void *array(size_t n, size_t each)
{
	void *made = calloc(n ? n : 1, each);
	if (!made) {
		fprintf(stderr, "oracle: no memory for %zu values\n", n);
		exit(EXIT_FAILURE);
	}
	return made;
}

/* --- Filters --- */

size_t oracle_order(double rate_hz, double lo_hz, double cycles, size_t n_samples)
{
	oracle_real order = floorl(cycles * floorl((oracle_real)rate_hz / lo_hz));
	return (oracle_real)n_samples >= 3 * order ? (size_t)order : (n_samples - 1) / 3;
}

static oracle_real sinc(oracle_real x)
{
	return x == 0 ? 1 : sinl(pi * x) / (pi * x);
}

void oracle_firwin(double rate_hz, clpac_band band, size_t order, oracle_real *taps)
{
	oracle_real lo = 2 * (oracle_real)band.lo_hz / rate_hz, hi = 2 * (oracle_real)band.hi_hz / rate_hz, gain = 0;
	for (size_t k = 0; k <= order; k++) {
		oracle_real m = (oracle_real)k - (oracle_real)order / 2;
		oracle_real hamming = 0.54L - 0.46L * cosl(2 * pi * (oracle_real)k / (oracle_real)order);
		taps[k] = hamming * (hi * sinc(hi * m) - lo * sinc(lo * m));
		gain += taps[k] * cosl(pi * m * (lo + hi) / 2);
	}
	for (size_t k = 0; k <= order; k++)
		taps[k] /= gain;
}

oracle_real oracle_power(const oracle_real *taps, size_t n_taps, double rate_hz, oracle_real frequency_hz)
{
	oracle_real re = 0, im = 0;
	for (size_t k = 0; k < n_taps; k++) {
		oracle_real angle = 2 * pi * frequency_hz / rate_hz * (oracle_real)k;
		re += taps[k] * cosl(angle);
		im -= taps[k] * sinl(angle);
	}
	return re * re + im * im;
}

void oracle_odd_extension(const oracle_real *x, size_t n, size_t pad, oracle_real *wide)
{
	for (size_t i = 0; i < pad; i++) {
		wide[i] = 2 * x[0] - x[pad - i];
		wide[pad + n + i] = 2 * x[n - 1] - x[n - 2 - i];
	}
	for (size_t t = 0; t < n; t++)
		wide[pad + t] = x[t];
}

void oracle_filtfilt(const oracle_real *taps, size_t n_taps, const oracle_real *x, size_t n, oracle_real *out)
{
	size_t pad = n_taps - 1, length = n + 2 * pad;
	oracle_real *wide = array(length, sizeof *wide), *forward = array(length, sizeof *forward);
	oracle_odd_extension(x, n, pad, wide);
	/* Zero beyond the extension; no kept sample sees that far. */
	for (size_t t = 0; t < length; t++)
		for (size_t k = 0; k < n_taps && k <= t; k++)
			forward[t] += taps[k] * wide[t - k];
	for (size_t t = 0; t < n; t++) {
		out[t] = 0;
		for (size_t k = 0; k < n_taps; k++)
			out[t] += taps[k] * forward[pad + t + k];
	}
	free(wide);
	free(forward);
}

/* --- Analytic signal --- */

static size_t smallest_factor(size_t n)
{
	for (size_t p = 2; p * p <= n; p++)
		if (n % p == 0)
			return p;
	return n;
}

typedef struct roots {
	size_t n;
	oracle_complex *of_one; /* exp(sign 2 pi i k / n) */
	oracle_complex *scratch;
} roots;

/* Transforms n values, `stride` apart: p transforms of every p-th value, combined by the definition. */
static void transform(const oracle_complex *x, size_t stride, size_t n, const roots *roots, oracle_complex *out)
{
	if (n == 1) {
		out[0] = x[0];
		return;
	}
	size_t p = smallest_factor(n), m = n / p, step = roots->n / n;
	for (size_t r = 0; r < p; r++)
		transform(x + r * stride, stride * p, m, roots, out + r * m);
	for (size_t k = 0; k < m; k++) {
		for (size_t r = 0; r < p; r++)
			roots->scratch[r] = out[r * m + k];
		for (size_t q = 0; q < p; q++) {
			oracle_complex sum = 0;
			for (size_t r = 0; r < p; r++)
				sum += roots->scratch[r] * roots->of_one[r * (k + q * m) % n * step];
			out[k + q * m] = sum;
		}
	}
}

void oracle_dft(const oracle_complex *x, size_t n, int sign, oracle_complex *out)
{
	roots roots = {n, array(n, sizeof(oracle_complex)), array(n, sizeof(oracle_complex))};
	for (size_t k = 0; k < n; k++) {
		oracle_real angle = 2 * pi * (oracle_real)k / (oracle_real)n;
		roots.of_one[k] = cosl(angle) + I * (sign * sinl(angle));
	}
	transform(x, 1, n, &roots, out);
	free(roots.of_one);
	free(roots.scratch);
}

/* One-sided mask: 2 for positive frequencies, 0 for negative ones, 1 for 0 and, where it exists, for half the rate. */
static int one_sided(size_t k, size_t n)
{
	if (k == 0 || 2 * k == n)
		return 1;
	return 2 * k < n ? 2 : 0;
}

void oracle_hilbert(const oracle_real *x, size_t n, oracle_complex *out)
{
	oracle_complex *spectrum = array(n, sizeof *spectrum), *values = array(n, sizeof *values);
	for (size_t t = 0; t < n; t++)
		values[t] = x[t];
	oracle_dft(values, n, -1, spectrum);
	for (size_t k = 0; k < n; k++)
		spectrum[k] *= one_sided(k, n);
	oracle_dft(spectrum, n, 1, out);
	for (size_t t = 0; t < n; t++)
		out[t] /= (oracle_real)n;
	free(spectrum);
	free(values);
}

void oracle_fused(const oracle_real *taps, size_t n_taps, const oracle_real *x, size_t n, size_t pad, size_t fft_length,
		  oracle_complex *out)
{
	oracle_fused_beyond(taps, n_taps, x, n, pad, fft_length, 0, out);
}

void oracle_fused_beyond(const oracle_real *taps, size_t n_taps, const oracle_real *x, size_t n, size_t pad,
			 size_t fft_length, oracle_real beyond, oracle_complex *out)
{
	oracle_real *wide = array(n + 2 * pad, sizeof *wide);
	oracle_complex *values = array(fft_length, sizeof *values), *spectrum = array(fft_length, sizeof *spectrum);
	oracle_complex *response = array(fft_length, sizeof *response);
	oracle_odd_extension(x, n, pad, wide);
	for (size_t k = 0; k < n_taps; k++)
		values[k % fft_length] += taps[k];
	oracle_dft(values, fft_length, -1, response);
	for (size_t t = 0; t < fft_length; t++)
		values[t] = t < n + 2 * pad ? wide[t] : beyond;
	oracle_dft(values, fft_length, -1, spectrum);
	for (size_t k = 0; k < fft_length; k++)
		spectrum[k] *= response[k] * conjl(response[k]) * one_sided(k, fft_length);
	oracle_dft(spectrum, fft_length, 1, values);
	for (size_t t = 0; t < n; t++)
		out[t] = values[pad + t] / (oracle_real)fft_length;
	free(wide);
	free(values);
	free(spectrum);
	free(response);
}

/* --- Phase bins, index, statistics --- */

unsigned oracle_bin(oracle_real phase, unsigned n_bins)
{
	oracle_real bin = floorl((phase + pi) * n_bins / (2 * pi));
	return bin < 0 ? 0 : bin >= n_bins ? n_bins - 1 : (unsigned)bin;
}

void oracle_distribution(const unsigned *bins, const oracle_real *amplitude, size_t n, size_t shift, unsigned n_bins,
			 clpac_average average, oracle_real *distribution)
{
	for (unsigned j = 0; j < n_bins; j++) {
		size_t count = 0;
		distribution[j] = 0;
		for (size_t t = 0; t < n; t++) {
			if (bins[t] != j)
				continue;
			distribution[j] += amplitude[(t + shift) % n];
			count++;
		}
		if (count && average == CLPAC_AVERAGE_MEAN)
			distribution[j] /= (oracle_real)count;
	}
}

oracle_real oracle_index_of_distribution(const oracle_real *distribution, unsigned n_bins)
{
	oracle_real total = 0, sum = 0;
	for (unsigned j = 0; j < n_bins; j++)
		total += distribution[j];
	if (!(total > 0))
		return NAN;
	for (unsigned j = 0; j < n_bins; j++) {
		oracle_real q = distribution[j] / total;
		if (q > 0)
			sum += q * logl(q);
	}
	return 1 + sum / logl(n_bins);
}

oracle_real oracle_modulation_index(const unsigned *bins, const oracle_real *amplitude, size_t n, size_t shift,
				    unsigned n_bins, clpac_average average)
{
	oracle_real distribution[CLPAC_MAX_BINS];
	oracle_distribution(bins, amplitude, n, shift, n_bins, average, distribution);
	return oracle_index_of_distribution(distribution, n_bins);
}

oracle_real oracle_z(oracle_real mi, const oracle_real *surrogates, size_t n, unsigned ddof)
{
	oracle_real mean = 0, variance = 0;
	for (size_t k = 0; k < n; k++)
		mean += surrogates[k] / (oracle_real)n;
	for (size_t k = 0; k < n; k++)
		variance += (surrogates[k] - mean) * (surrogates[k] - mean) / (oracle_real)(n - ddof);
	return variance > 0 ? (mi - mean) / sqrtl(variance) : NAN;
}

oracle_real oracle_p(oracle_real mi, const oracle_real *surrogates, size_t n)
{
	size_t rank = 0;
	for (size_t k = 0; k < n; k++)
		rank += surrogates[k] >= mi;
	return (1 + (oracle_real)rank) / (1 + (oracle_real)n);
}

/* --- A whole series --- */

/* The taps of one band, designed or the caller's; returns their number. */
static size_t taps_of(const clpac_problem *problem, bool is_phase, size_t band, oracle_real **taps)
{
	const clpac_taps *own = is_phase ? &problem->phase_taps : &problem->amplitude_taps;
	clpac_band edges = is_phase ? problem->phase_bands[band] : problem->amplitude_bands[band];
	double cycles = is_phase ? problem->phase_cycles : problem->amplitude_cycles;
	size_t order =
		own->taps ? own->n_taps - 1 : oracle_order(problem->rate_hz, edges.lo_hz, cycles, problem->n_samples);
	*taps = array(order + 1, sizeof **taps);
	if (!own->taps)
		oracle_firwin(problem->rate_hz, edges, order, *taps);
	else
		for (size_t k = 0; k <= order; k++)
			(*taps)[k] = own->taps[band * own->n_taps + k];
	return order + 1;
}

static size_t longest_order(const clpac_problem *problem)
{
	size_t longest = 0;
	for (int is_phase = 0; is_phase < 2; is_phase++) {
		size_t n = is_phase ? problem->n_phase_bands : problem->n_amplitude_bands;
		for (size_t b = 0; b < n; b++) {
			oracle_real *taps;
			size_t order = taps_of(problem, is_phase, b, &taps) - 1;
			longest = order > longest ? order : longest;
			free(taps);
		}
	}
	return longest;
}

static void analytic(const clpac_problem *problem, bool is_phase, size_t band, const oracle_real *x, size_t pad,
		     size_t fft_length, oracle_real beyond, oracle_complex *out)
{
	oracle_real *taps;
	size_t n_taps = taps_of(problem, is_phase, band, &taps), n = problem->n_samples;
	if (problem->hilbert == CLPAC_HILBERT_LOCAL) {
		oracle_fused_beyond(taps, n_taps, x, n, pad, fft_length, beyond, out);
	} else {
		oracle_real *filtered = array(n, sizeof *filtered);
		oracle_filtfilt(taps, n_taps, x, n, filtered);
		oracle_hilbert(filtered, n, out);
		free(filtered);
	}
	free(taps);
}

static oracle_signals *analyse(const clpac_problem *problem, const double *x, size_t fft_length, oracle_real beyond)
{
	size_t n = problem->n_samples, edge = (size_t)problem->edge_samples, pad = longest_order(problem);
	oracle_signals *made = array(1, sizeof *made);
	*made = (oracle_signals){problem->n_phase_bands,
				 problem->n_amplitude_bands,
				 n - 2 * edge,
				 problem->n_bins,
				 problem->average,
				 NULL,
				 NULL,
				 NULL,
				 NULL};
	made->phase = array(made->n_phase * made->kept, sizeof *made->phase);
	made->strength = array(made->n_phase * made->kept, sizeof *made->strength);
	made->bins = array(made->n_phase * made->kept, sizeof *made->bins);
	made->amplitude = array(made->n_amplitude * made->kept, sizeof *made->amplitude);
	if (!fft_length)
		for (fft_length = 1; fft_length < n + 3 * pad;)
			fft_length *= 2;
	oracle_real *series = array(n, sizeof *series);
	oracle_complex *band = array(n, sizeof *band);
	for (size_t t = 0; t < n; t++)
		series[t] = x[t];
	for (size_t b = 0; b < made->n_phase; b++) {
		analytic(problem, true, b, series, pad, fft_length, beyond, band);
		for (size_t t = 0; t < made->kept; t++) {
			oracle_real phase = cargl(band[edge + t]);
			made->phase[b * made->kept + t] = phase;
			made->strength[b * made->kept + t] = cabsl(band[edge + t]);
			made->bins[b * made->kept + t] = oracle_bin(phase, made->n_bins);
		}
	}
	for (size_t b = 0; b < made->n_amplitude; b++) {
		analytic(problem, false, b, series, pad, fft_length, beyond, band);
		for (size_t t = 0; t < made->kept; t++)
			made->amplitude[b * made->kept + t] = cabsl(band[edge + t]);
	}
	free(series);
	free(band);
	return made;
}

oracle_signals *oracle_analyse(const clpac_problem *problem, const double *x, size_t fft_length)
{
	return analyse(problem, x, fft_length, 0);
}

oracle_signals *oracle_analyse_levelled(const clpac_problem *problem, const double *x, size_t fft_length)
{
	oracle_real mean = 0;
	for (size_t t = 0; t < problem->n_samples; t++)
		mean += (oracle_real)x[t] / (oracle_real)problem->n_samples;
	return analyse(problem, x, fft_length, mean);
}

void oracle_signals_free(oracle_signals *signals)
{
	if (!signals)
		return;
	free(signals->phase);
	free(signals->strength);
	free(signals->bins);
	free(signals->amplitude);
	free(signals);
}

oracle_real oracle_cell(const oracle_signals *signals, size_t phase, size_t amplitude, size_t shift)
{
	return oracle_modulation_index(signals->bins + phase * signals->kept,
				       signals->amplitude + amplitude * signals->kept, signals->kept, shift,
				       signals->n_bins, signals->average);
}
