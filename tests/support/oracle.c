/* The method in long double, straight from its definitions. */
#include "oracle.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const oracle_real doubt = 1e-13L; /* of the series */
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

static size_t power_of_two(size_t n)
{
	size_t length = 1;
	while (length < n)
		length *= 2;
	return length;
}

/* Without C's own care for infinities, which costs more than the product. */
static oracle_complex times(oracle_complex a, oracle_complex b)
{
	return creall(a) * creall(b) - cimagl(a) * cimagl(b) + I * (creall(a) * cimagl(b) + cimagl(a) * creall(b));
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

void oracle_quadrature(const oracle_real *taps, size_t n_taps, oracle_complex *quadrature)
{
	const long order = (long)n_taps - 1;
	oracle_real *twice = array(n_taps, sizeof *twice); /* the autocorrelation at lags 0 .. order; it is even */
	for (long lag = 0; lag <= order; lag++)
		for (long k = 0; k + lag <= order; k++)
			twice[lag] += taps[k] * taps[k + lag];
	for (long lag = 0; lag <= order; lag++) {
		oracle_real sum = 0;
		for (long from = -order; from <= order; from++)
			if ((lag - from) % 2 != 0)
				sum += twice[labs(from)] * 2 / (pi * (oracle_real)(lag - from));
		quadrature[lag] = twice[lag] + I * sum;
	}
	free(twice);
}

/* --- Analytic signal --- */

static size_t smallest_factor(size_t n)
{
	for (size_t p = 2; p * p <= n; p++)
		if (n % p == 0)
			return p;
	return n;
}

struct roots {
	size_t n;
	oracle_complex *of_one; /* exp(sign 2 pi i k / n) */
	oracle_complex *scratch;
};

/* Transforms n values, `stride` apart: p transforms of every p-th value, combined by the definition. */
static void transform(const oracle_complex *x, size_t stride, size_t n, const struct roots *roots, oracle_complex *out)
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
	struct roots roots = {n, array(n, sizeof(oracle_complex)), array(n, sizeof(oracle_complex))};
	for (size_t k = 0; k < n; k++) {
		oracle_real angle = 2 * pi * (oracle_real)k / (oracle_real)n;
		roots.of_one[k] = cosl(angle) + I * (sign * sinl(angle));
	}
	transform(x, 1, n, &roots, out);
	free(roots.of_one);
	free(roots.scratch);
}

/* exp(2 pi i k / (2 half)) at half + k, for every power of two `half` below n and k < half.  Kept for the next call: a
 * test transforms hundreds of rows of one length. */
static const oracle_complex *roots_for(size_t n)
{
	static oracle_complex *roots;
	static size_t n_roots;
	if (n <= n_roots)
		return roots;
	free(roots);
	roots = array(n, sizeof *roots);
	n_roots = n;
	for (size_t half = 1; half < n; half *= 2)
		for (size_t k = 0; k < half; k++) {
			const oracle_real angle = pi * (oracle_real)k / (oracle_real)half;
			roots[half + k] = cosl(angle) + I * sinl(angle);
		}
	return roots;
}

void oracle_transform(oracle_complex *x, size_t n, int sign)
{
	for (size_t i = 1, j = 0; i < n; i++) {
		size_t bit = n / 2;
		for (; j & bit; bit /= 2)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			const oracle_complex swap = x[i];
			x[i] = x[j];
			x[j] = swap;
		}
	}
	const oracle_complex *roots = roots_for(n);
	for (size_t half = 1; half < n; half *= 2)
		for (size_t first = 0; first < n; first += 2 * half)
			for (size_t k = 0; k < half; k++) {
				const oracle_complex root = roots[half + k], a = x[first + k];
				const oracle_complex b = times(sign < 0 ? conjl(root) : root, x[first + half + k]);
				x[first + k] = a + b;
				x[first + half + k] = a - b;
			}
}

oracle_real oracle_prepared(const double *x, size_t n, oracle_real *prepared)
{
	/* The sum and what its roundings lost, which is the exact sum to 128 bits. */
	oracle_real sum = 0, lost = 0;
	for (size_t t = 0; t < n; t++) {
		const oracle_real next = sum + x[t];
		lost += fabsl(sum) >= fabsl((oracle_real)x[t]) ? (sum - next) + x[t] : (x[t] - next) + sum;
		sum = next;
	}
	const double mean = (double)((sum + lost) / (oracle_real)n);
	double largest = 0;
	for (size_t t = 0; t < n; t++)
		largest = fmax(largest, fabs(x[t] - mean));
	const int exponent = largest > 0 ? -(ilogb(largest) + 1) : 0;
	for (size_t t = 0; t < n; t++)
		prepared[t] = (float)ldexpl(x[t] - mean, exponent);
	return ldexpl(1, exponent);
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

/* Tap j of the Hilbert kernel of n samples: the sum over its positive frequencies, in closed form. */
static oracle_real hilbert_tap(size_t j, size_t n)
{
	const oracle_real angle = pi * (oracle_real)j / (oracle_real)n;
	if (n % 2 == 0)
		return j % 2 ? 2 / tanl(angle) / (oracle_real)n : 0;
	return (1 / tanl(angle) - (j % 2 ? -1 : 1) / sinl(angle)) / (oracle_real)n;
}

/* Circular convolution: a becomes a * b, and b its own spectrum. */
static void convolve(oracle_complex *a, oracle_complex *b, size_t length)
{
	oracle_transform(a, length, -1);
	oracle_transform(b, length, -1);
	for (size_t k = 0; k < length; k++)
		a[k] = times(a[k], b[k]) / (oracle_real)length;
	oracle_transform(a, length, 1);
}

void oracle_hilbert_long(const oracle_real *x, size_t n, oracle_complex *out)
{
	const size_t length = power_of_two(2 * n);
	oracle_complex *series = array(length, sizeof *series), *kernel = array(length, sizeof *kernel);
	for (size_t t = 0; t < n; t++)
		series[t] = x[t];
	for (size_t j = 1; j < n; j++) {
		kernel[j] = hilbert_tap(j, n);
		kernel[length - j] = -kernel[j];
	}
	convolve(series, kernel, length);
	for (size_t t = 0; t < n; t++)
		out[t] = x[t] + I * creall(series[t]);
	free(series);
	free(kernel);
}

/* Sample i of the series extended oddly, -n < i < 2 n - 1. */
static oracle_real extended(const oracle_real *x, long n, long i)
{
	if (i < 0)
		return 2 * x[0] - x[-i];
	return i < n ? x[i] : 2 * x[n - 1] - x[2 * (n - 1) - i];
}

oracle_complex oracle_local(const oracle_complex *quadrature, size_t n_taps, const oracle_real *x, size_t n, size_t t)
{
	const long length = (long)n, at = (long)t;
	oracle_real re = creall(quadrature[0]) * x[t], im = 0;
	for (long k = 1; k < (long)n_taps; k++) {
		const oracle_real before = extended(x, length, at - k), after = extended(x, length, at + k);
		re += creall(quadrature[k]) * (before + after);
		im += cimagl(quadrature[k]) * (before - after);
	}
	return re + I * im;
}

void oracle_local_long(const oracle_complex *quadrature, size_t n_taps, const oracle_real *x, size_t n,
		       oracle_complex *out)
{
	/* The filter looks n_taps - 1 samples either way, and so far the extension must reach and the ends must not
	 * meet. */
	const size_t order = n_taps - 1, length = power_of_two(n + 2 * order);
	oracle_real *wide = array(n + 2 * order, sizeof *wide);
	oracle_complex *series = array(length, sizeof *series), *kernel = array(length, sizeof *kernel);
	oracle_odd_extension(x, n, order, wide);
	for (size_t t = 0; t < n + 2 * order; t++)
		series[t] = wide[t];
	kernel[0] = quadrature[0];
	for (size_t k = 1; k <= order; k++) {
		kernel[k] += quadrature[k];
		kernel[length - k] += conjl(quadrature[k]);
	}
	convolve(series, kernel, length);
	for (size_t t = 0; t < n; t++)
		out[t] = series[order + t];
	free(wide);
	free(series);
	free(kernel);
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

/* Root of the mean square. */
static oracle_real root_mean_square(const oracle_real *x, size_t n)
{
	oracle_real squares = 0;
	for (size_t t = 0; t < n; t++)
		squares += x[t] * x[t];
	return sqrtl(squares / (oracle_real)n);
}

/* Distance from a phase to the nearest edge of a bin, in radians. */
static oracle_real distance_from_edge(oracle_real phase, unsigned n_bins)
{
	const oracle_real width = 2 * pi / n_bins, in_bins = (phase + pi) / width;
	return fabsl(in_bins - roundl(in_bins)) * width;
}

/* Computes doubtful samples again, each by its own sum, and counts them. */
static size_t look_closely(const oracle_complex *quadrature, size_t n_taps, const oracle_real *x, size_t n, size_t edge,
			   unsigned n_bins, oracle_complex *band)
{
	oracle_real gain = 0;
	for (size_t k = 0; k < n_taps; k++)
		gain += (k ? 2 : 1) *
			(creall(quadrature[k]) * creall(quadrature[k]) + cimagl(quadrature[k]) * cimagl(quadrature[k]));
	/* Of noise as large as the series the band would have this size. */
	const oracle_real size = root_mean_square(x, n) * sqrtl(gain);
	size_t n_doubtful = 0;
	for (size_t t = edge; t < n - edge; t++)
		if (distance_from_edge(cargl(band[t]), n_bins) * cabsl(band[t]) <= doubt * size) {
			band[t] = oracle_local(quadrature, n_taps, x, n, t);
			n_doubtful++;
		}
	return n_doubtful;
}

/* The analytic signal of one band of the prepared series.  Returns how many of the kept samples are doubtful. */
static size_t analytic(const clpac_problem *problem, bool is_phase, size_t band, const oracle_real *x,
		       oracle_complex *out)
{
	oracle_real *taps;
	const size_t n_taps = taps_of(problem, is_phase, band, &taps), n = problem->n_samples;
	const size_t edge = (size_t)problem->edge_samples;
	size_t n_doubtful = 0;
	oracle_complex *quadrature = array(n_taps, sizeof *quadrature);
	oracle_quadrature(taps, n_taps, quadrature);
	oracle_local_long(quadrature, n_taps, x, n, out);
	if (problem->hilbert == CLPAC_HILBERT_LOCAL) {
		if (is_phase)
			n_doubtful = look_closely(quadrature, n_taps, x, n, edge, problem->n_bins, out);
	} else {
		oracle_real *filtered = array(n, sizeof *filtered);
		for (size_t t = 0; t < n; t++)
			filtered[t] = creall(out[t]);
		oracle_hilbert_long(filtered, n, out);
		free(filtered);
	}
	free(quadrature);
	free(taps);
	return n_doubtful;
}

oracle_signals *oracle_analyse(const clpac_problem *problem, const double *x)
{
	const size_t n = problem->n_samples, edge = (size_t)problem->edge_samples, kept = n - 2 * edge;
	oracle_signals *made = array(1, sizeof *made);
	*made = (oracle_signals){.n_phase = problem->n_phase_bands,
				 .n_amplitude = problem->n_amplitude_bands,
				 .kept = kept,
				 .n_bins = problem->n_bins,
				 .average = problem->average};
	made->phase = array(made->n_phase * kept, sizeof *made->phase);
	made->direction = array(made->n_phase * kept, sizeof *made->direction);
	made->strength = array(made->n_phase * kept, sizeof *made->strength);
	made->bins = array(made->n_phase * kept, sizeof *made->bins);
	made->amplitude = array(made->n_amplitude * kept, sizeof *made->amplitude);
	oracle_real *series = array(n, sizeof *series);
	oracle_complex *band = array(n, sizeof *band);
	const oracle_real scale = oracle_prepared(x, n, series);
	for (size_t b = 0; b < made->n_phase; b++) {
		made->n_doubtful += analytic(problem, true, b, series, band);
		for (size_t t = 0; t < kept; t++) {
			const oracle_real phase = cargl(band[edge + t]);
			made->phase[b * kept + t] = phase;
			made->direction[b * kept + t] = cosl(phase) + I * sinl(phase);
			made->strength[b * kept + t] = cabsl(band[edge + t]) / scale;
			made->bins[b * kept + t] = oracle_bin(phase, made->n_bins);
		}
	}
	for (size_t b = 0; b < made->n_amplitude; b++) {
		analytic(problem, false, b, series, band);
		for (size_t t = 0; t < kept; t++)
			made->amplitude[b * kept + t] = cabsl(band[edge + t]) / scale;
	}
	free(series);
	free(band);
	return made;
}

void oracle_signals_free(oracle_signals *signals)
{
	if (!signals)
		return;
	free(signals->phase);
	free(signals->direction);
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
