/* Bicoherence of a wave with itself, in steps of half an octave. */
#include "coupling/signal/harmonics.h"

#include <math.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "coupling/signal/filter.h"
#include "coupling/signal/draws.h"
#include "coupling/signal/artefacts.h"

/* Half bins of the wave itself, in windows of CYCLES of its cycles. */
enum { CYCLES = 4, WAVE = 2 * CYCLES, DIRECTIONS = 256, MIN_WINDOWS = 8 };

static const double alpha = 0.05;
static const double search_s = 2; /* windows in which the wave's frequency is looked for */

size_t clpac__search_length(size_t n_samples, double rate_hz)
{
	const size_t length = 2 * (size_t)(search_s * rate_hz / 2);
	return length > n_samples ? n_samples / 2 * 2 : length;
}

/* Skirts of filters let through a wave an octave beyond their edges, where it is strong. */
static const double skirt = 2;

static size_t bins_up_to(size_t length, double rate_hz, double highest_hz)
{
	return (size_t)(fmin(skirt * highest_hz, rate_hz / 4) * (double)length / rate_hz);
}

size_t clpac__search_bins(size_t n_samples, double rate_hz, double highest_hz)
{
	return bins_up_to(clpac__search_length(n_samples, rate_hz), rate_hz, highest_hz);
}

/* The frequency at which the filtered series is strongest; 0 where the series is too short.  Filtering forward and
 * backward takes |H|^2 of amplitudes. */
static clpac_status find_wave(const double *x, size_t n_samples, double rate_hz, const clpac__search_power *shared,
			      clpac_band phase, const double *taps, size_t n_taps, double filter_rate_hz,
			      double *frequency_hz, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t length = clpac__search_length(n_samples, rate_hz), n = shared->n;
	double *own = NULL, highest = 0;
	const double *power = shared->power;
	*frequency_hz = 0;
	if (CYCLES / phase.lo_hz > search_s) {
		length = 2 * (size_t)(CYCLES / phase.lo_hz * rate_hz / 2);
		length = length > n_samples ? n_samples / 2 * 2 : length;
		n = bins_up_to(length, rate_hz, phase.hi_hz);
	}
	if (length < 2 * CYCLES || !n)
		goto done;
	if (CYCLES / phase.lo_hz > search_s) {
		power = own = clpac__alloc_array(n, sizeof *own);
		if (!own)
			FAIL_NO_MEMORY(n * sizeof *own);
		TRY(clpac__window_power(x, n_samples, length, 1, n, own, err));
	}
	const size_t last = bins_up_to(length, rate_hz, phase.hi_hz);
	for (size_t bin = 1; bin <= n && bin <= last; bin++) {
		const double hz = (double)bin * rate_hz / (double)length;
		if (hz < phase.lo_hz / skirt)
			continue;
		const double gain = clpac__filter_power(taps, n_taps, filter_rate_hz, hz);
		if (power[bin - 1] * gain * gain > highest) {
			highest = power[bin - 1] * gain * gain;
			*frequency_hz = hz;
		}
	}
done:
	clpac__free(own);
	return st;
}

/* Directions of all windows in all draws, as numbers of DIRECTIONS-ths of a turn: (draw, window). */
static void draw_directions(clpac__series_key key, size_t n_windows, uint8_t *directions)
{
	/* Another key than that of the shifts, whose counters are the same. */
	const uint32_t words[2] = {(uint32_t)key.seed ^ 0x68617276u, (uint32_t)(key.seed >> 32)};
	for (uint32_t k = 0; k < CLPAC__HARMONIC_DRAWS; k++)
		for (size_t w = 0; w < n_windows; w += 16) {
			const uint32_t counter[4] = {k, key.channel, key.segment, (uint32_t)(w / 16)};
			uint32_t bits[4];
			clpac__philox(counter, words, bits);
			for (size_t i = 0; i < 16 && w + i < n_windows; i++)
				directions[k * n_windows + w + i] = (uint8_t)(bits[i / 4] >> 8 * (i % 4));
		}
}

typedef struct turns {
	double re[DIRECTIONS], im[DIRECTIONS];
} turns;

static turns make_turns(void)
{
	turns made;
	for (int i = 0; i < DIRECTIONS; i++) {
		made.re[i] = cos(2 * 3.14159265358979323846 * i / DIRECTIONS);
		made.im[i] = sin(2 * 3.14159265358979323846 * i / DIRECTIONS);
	}
	return made;
}

/* The p of a sum over windows of products (window, 2). */
static double p_of_sum(const double *products, size_t n_windows, const uint8_t *directions, const turns *turns)
{
	double re = 0, im = 0;
	size_t reached = 0;
	for (size_t w = 0; w < n_windows; w++) {
		re += products[2 * w];
		im += products[2 * w + 1];
	}
	const double sum = re * re + im * im;
	for (size_t k = 0; k < CLPAC__HARMONIC_DRAWS; k++) {
		re = im = 0;
		for (size_t w = 0; w < n_windows; w++) {
			const uint8_t d = directions[k * n_windows + w];
			re += products[2 * w] * turns->re[d] - products[2 * w + 1] * turns->im[d];
			im += products[2 * w] * turns->im[d] + products[2 * w + 1] * turns->re[d];
		}
		reached += re * re + im * im >= sum;
	}
	return (1 + (double)reached) / (1 + CLPAC__HARMONIC_DRAWS);
}

/* X(f) sum of X(g - f) conj(X(g)) over half bins g = lo .. hi, for each window; the spectra begin at half bin `first`.
 */
static void multiply(const double *spectra, size_t n_windows, size_t n, size_t first, size_t lo, size_t hi,
		     double *products)
{
	for (size_t w = 0; w < n_windows; w++) {
		const double *x = spectra + w * 2 * n, *f = x + 2 * (WAVE - first);
		double re = 0, im = 0;
		for (size_t g = lo; g <= hi; g++) {
			const double *a = x + 2 * (g - WAVE - first), *b = x + 2 * (g - first);
			re += a[0] * b[0] + a[1] * b[1];
			im += a[1] * b[0] - a[0] * b[1];
		}
		products[2 * w] = f[0] * re - f[1] * im;
		products[2 * w + 1] = f[0] * im + f[1] * re;
	}
}

clpac_status clpac__harmonics_find(const double *x, size_t n_samples, double rate_hz, const clpac__search_power *shared,
				   clpac_band phase, const double *taps, size_t n_taps, double filter_rate_hz,
				   double top_hz, clpac__series_key key, clpac__harmonics *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	double *spectra = NULL, *products = NULL, wave_hz;
	uint8_t *directions = NULL;
	*out = (clpac__harmonics){0};
	TRY(find_wave(x, n_samples, rate_hz, shared, phase, taps, n_taps, filter_rate_hz, &wave_hz, err));
	const size_t length = wave_hz > 0 ? 2 * (size_t)lround(CYCLES * rate_hz / wave_hz / 2) : 0;
	const size_t n_windows = clpac__window_count(n_samples, length);
	if (n_windows < MIN_WINDOWS)
		goto done;
	const double half_bin_hz = rate_hz / (2 * (double)length);
	/* The second harmonic comes with the half bins beside it, since the cycles differ in length. */
	const size_t first = WAVE - 1, last = (size_t)(fmin(top_hz, rate_hz / 2) / half_bin_hz);
	if (last < 2 * WAVE + 1)
		goto done;
	out->frequency_hz = WAVE * half_bin_hz;
	products = clpac__alloc_array(n_windows, 2 * sizeof *products);
	directions = clpac__alloc_array(n_windows, CLPAC__HARMONIC_DRAWS);
	if (!products || !directions)
		FAIL_NO_MEMORY(n_windows * (2 * sizeof *products + CLPAC__HARMONIC_DRAWS));
	draw_directions(key, n_windows, directions);
	const turns turns = make_turns();
	double lo_hz = 2 * out->frequency_hz;
	size_t lo = 2 * WAVE - 1, hi = 2 * WAVE + 1;
	while (lo <= last && out->n_steps < CLPAC__HARMONIC_STEPS) {
		TRY(clpac_cancel_check(err));
		/* Most series have no second harmonic, and need no spectrum beyond it. */
		if (out->n_steps < 2) {
			const size_t n = (out->n_steps ? last : hi) - first + 1;
			clpac__free(spectra);
			spectra = clpac__alloc_array(n_windows, 2 * n * sizeof *spectra);
			if (!spectra)
				FAIL_NO_MEMORY(n_windows * 2 * n * sizeof *spectra);
			TRY(clpac__window_spectra(x, n_samples, length, first, n, spectra, err));
		}
		multiply(spectra, n_windows, (out->n_steps ? last : hi) - first + 1, first, lo, hi, products);
		out->steps[out->n_steps].lo_hz = lo_hz;
		out->steps[out->n_steps].hi_hz = lo_hz * sqrt(2);
		const double p = p_of_sum(products, n_windows, directions, &turns);
		out->steps[out->n_steps].p = p;
		if (p > (out->n_steps++ ? alpha : 1.0 / (1 + CLPAC__HARMONIC_DRAWS)))
			break;
		lo_hz *= sqrt(2);
		lo = hi + 1;
		const size_t end = (size_t)(lo_hz * sqrt(2) / half_bin_hz);
		hi = end > last ? last : end < lo ? lo : end;
	}
done:
	FREE_ALL(spectra, products, directions);
	return st;
}

bool clpac__harmonics_reach(const clpac__harmonics *h, clpac_band amplitude)
{
	if (!h->n_steps || h->steps[0].p > 1.0 / (1 + CLPAC__HARMONIC_DRAWS) ||
	    floor(amplitude.hi_hz / h->frequency_hz) * h->frequency_hz < amplitude.lo_hz)
		return false;
	bool is_within = false;
	for (size_t i = 0; i < h->n_steps; i++) {
		if (h->steps[i].p > alpha)
			break;
		is_within |= h->steps[i].lo_hz < amplitude.hi_hz && h->steps[i].hi_hz > amplitude.lo_hz;
	}
	return is_within;
}
