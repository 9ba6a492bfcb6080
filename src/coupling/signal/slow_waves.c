/* The slow waves of a series: their frequencies and phases. */
#include "coupling/signal/slow_waves.h"

#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "coupling/signal/filter.h"
#include "coupling/signal/pairs.h"

enum { CYCLES = 4, MOST_WINDOWS = 32 };

static const double pi = 3.14159265358979323846;
static const double search_s = 2; /* windows in which the wave's frequency is looked for */
/* Skirts of filters let through a wave an octave beyond their edges, where it is strong. */
static const double skirt = 2;

/* Samples of windows of some seconds, or of the whole series. */
static size_t window_length(const clpac__wave_search *search, double seconds)
{
	const size_t length = 2 * (size_t)(seconds * search->rate_hz / 2);
	return length > search->n_samples ? search->n_samples / 2 * 2 : length;
}

/* The last bin that a phase band may need, of windows whose transforms have n values. */
static size_t last_bin(const clpac__wave_search *search, size_t n, double highest_hz)
{
	return (size_t)(fmin(skirt * highest_hz, search->rate_hz / 4) * (double)n / search->rate_hz);
}

clpac_status clpac__wave_search_make(size_t n_samples, double rate_hz, double highest_hz, size_t n_bands,
				     clpac__wave_search *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t step = (size_t)fmax(1, rate_hz / (4 * skirt * highest_hz));
	clpac__wave_search made = {.n_samples = n_samples / step, .step = step, .rate_hz = rate_hz / (double)step};
	const size_t length = window_length(&made, search_s);
	TRY(NEW_ARRAY(made.slow, made.n_samples));
	TRY(NEW_ARRAY(made.power, made.n_samples));
	TRY(NEW_ARRAY(made.shared_power, made.n_samples));
	TRY(NEW_ARRAY(made.bands, n_bands));
	if (length >= 2 * CYCLES) {
		TRY(clpac__windows_make(length, &made.shared, err));
		made.n_shared = last_bin(&made, made.shared.transform.n, highest_hz);
	}
	*out = made, made = (clpac__wave_search){.n_bands = 0};
done:
	clpac__wave_search_clear(&made);
	return st;
}

void clpac__wave_search_clear(clpac__wave_search *search)
{
	for (size_t i = 0; i < search->n_bands; i++) {
		clpac__windows_clear(&search->bands[i].windows);
		clpac__free(search->bands[i].gains);
	}
	clpac__windows_clear(&search->shared);
	FREE_ALL(search->slow, search->power, search->shared_power, search->bands);
	*search = (clpac__wave_search){.n_bands = 0};
}

/* The power gain that means of `step` samples have at a frequency. */
static double power_of_means(double hz, double rate_hz, size_t step)
{
	const double turn = pi * hz / rate_hz, gain = sin(turn * (double)step) / ((double)step * sin(turn));
	return gain * gain;
}

clpac_status clpac__wave_search_add(clpac__wave_search *search, clpac_band phase, const double *taps, size_t n_taps,
				    double filter_rate_hz, clpac_error *err)
{
	clpac__band_search *band = &search->bands[search->n_bands++];
	const double seconds = fmax(search_s, CYCLES / phase.lo_hz);
	const size_t length = window_length(search, seconds);
	if (length < 2 * CYCLES)
		return CLPAC_OK;
	if (seconds > search_s)
		RETURN_IF_ERROR(clpac__windows_make(length, &band->windows, err));
	const size_t n_values = (seconds > search_s ? &band->windows : &search->shared)->transform.n;
	const size_t first = (size_t)fmax(1, ceil(phase.lo_hz / skirt * (double)n_values / search->rate_hz));
	const size_t last = last_bin(search, n_values, phase.hi_hz);
	band->n = last >= first ? last + 1 - first : 0;
	band->bin_hz = search->rate_hz / (double)n_values;
	band->first = first;
	RETURN_IF_ERROR(NEW_ARRAY(band->gains, band->n));
	for (size_t i = 0; i < band->n; i++)
		band->gains[i] = (double)(first + i) * band->bin_hz;
	clpac__filter_powers(taps, n_taps, filter_rate_hz, band->gains, band->n);
	for (size_t i = 0; i < band->n; i++) {
		const double hz = (double)(first + i) * band->bin_hz, gain = band->gains[i];
		band->gains[i] = gain * gain / power_of_means(hz, search->rate_hz * (double)search->step, search->step);
	}
	return CLPAC_OK;
}

clpac_status clpac__wave_search_take(clpac__wave_search *search, const double *x, clpac_error *err)
{
	for (size_t i = 0; i < search->n_samples; i++) {
		double sum = 0;
		for (size_t k = 0; k < search->step; k++)
			sum += x[i * search->step + k];
		search->slow[i] = sum / (double)search->step;
	}
	if (!search->shared.length)
		return CLPAC_OK;
	return clpac__windows_power_of(&search->shared, search->slow, search->n_samples, MOST_WINDOWS, 1,
				       search->n_shared, search->shared_power, err);
}

clpac_status clpac__wave_search_find(const clpac__wave_search *search, size_t number, double *frequency_hz,
				     clpac_error *err)
{
	const clpac__band_search *band = &search->bands[number];
	const double *power = search->power;
	double highest = 0;
	*frequency_hz = 0;
	if (band->windows.length)
		RETURN_IF_ERROR(clpac__windows_power_of(&band->windows, search->slow, search->n_samples, MOST_WINDOWS,
							band->first, band->n, search->power, err));
	else
		power = search->shared_power + (band->n ? band->first - 1 : 0);
	size_t best = 0;
	for (size_t i = 0; i < band->n; i++)
		if (power[i] * band->gains[i] > highest) {
			highest = power[i] * band->gains[i];
			best = i;
		}
	/* A band at the foot of a wave sees the wave. */
	while (best + 1 < band->n && power[best + 1] > power[best])
		best++;
	while (best && power[best - 1] > power[best])
		best--;
	if (highest > 0)
		*frequency_hz = (double)(band->first + best) * band->bin_hz;
	return CLPAC_OK;
}

/* Values that are summed together: four pairs. */
enum { TOGETHER = 8 };

/* TOGETHER values, the first of which is i, of a series laid so that those a step apart are neighbours.
 * @param places where the samples from half before the first value to half behind it lie. */
static void filter_some(const double *const *places, size_t i, const double *even, const double *odd, size_t half,
			double *re, double *im)
{
	const clpac__pair *x = (const clpac__pair *)(places[half] + i), none = {0, 0};
	clpac__pair re_0 = even[0] * x[0], re_1 = even[0] * x[1], re_2 = even[0] * x[2], re_3 = even[0] * x[3];
	clpac__pair im_0 = none, im_1 = none, im_2 = none, im_3 = none;
	for (size_t k = 1; k <= half; k++) {
		const clpac__pair *before = (const clpac__pair *)(places[half - k] + i);
		const clpac__pair *behind = (const clpac__pair *)(places[half + k] + i);
		re_0 += even[k] * (before[0] + behind[0]);
		im_0 += odd[k] * (before[0] - behind[0]);
		re_1 += even[k] * (before[1] + behind[1]);
		im_1 += odd[k] * (before[1] - behind[1]);
		re_2 += even[k] * (before[2] + behind[2]);
		im_2 += odd[k] * (before[2] - behind[2]);
		re_3 += even[k] * (before[3] + behind[3]);
		im_3 += odd[k] * (before[3] - behind[3]);
	}
	const clpac__pair all_re[] = {re_0, re_1, re_2, re_3}, all_im[] = {im_0, im_1, im_2, im_3};
	memcpy(re, all_re, sizeof all_re);
	memcpy(im, all_im, sizeof all_im);
}

static void filter_some_real(const double *const *places, size_t i, const double *even, size_t half, double *re)
{
	const clpac__pair *x = (const clpac__pair *)(places[half] + i);
	clpac__pair re_0 = even[0] * x[0], re_1 = even[0] * x[1], re_2 = even[0] * x[2], re_3 = even[0] * x[3];
	for (size_t k = 1; k <= half; k++) {
		const clpac__pair *before = (const clpac__pair *)(places[half - k] + i);
		const clpac__pair *behind = (const clpac__pair *)(places[half + k] + i);
		re_0 += even[k] * (before[0] + behind[0]);
		re_1 += even[k] * (before[1] + behind[1]);
		re_2 += even[k] * (before[2] + behind[2]);
		re_3 += even[k] * (before[3] + behind[3]);
	}
	const clpac__pair all[] = {re_0, re_1, re_2, re_3};
	memcpy(re, all, sizeof all);
}

/* Lays a series so that samples a step apart are neighbours, with zeros around it: (step, n_each). */
static void lay_series(const double *x, size_t n_samples, size_t half, size_t step, double *laid, size_t n_each)
{
	for (size_t first = 0; first < step; first++) {
		double *row = laid + (first + half) % step * n_each;
		const size_t from = (first + half) / step;
		size_t i = from;
		for (size_t t = first; t < n_samples; t += step)
			row[i++] = x[t];
		memset(row, 0, from * sizeof *row);
		memset(row + i, 0, (n_each - i) * sizeof *row);
	}
}

clpac_status clpac__filter_series(const double *x, size_t n_samples, const double *even, const double *odd, size_t half,
				  size_t step, double *to, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = (n_samples + step - 1) / step, n_each = n + 2 * half / step + TOGETHER + 2;
	double *laid = NULL, re[TOGETHER], im[TOGETHER];
	const double **places = NULL;
	TRY(NEW_BYTES(laid, step * n_each * sizeof *laid));
	TRY(NEW_ARRAY(places, 2 * half + 1));
	lay_series(x, n_samples, half, step, laid, n_each);
	for (size_t k = 0; k <= 2 * half; k++)
		places[k] = laid + k % step * n_each + k / step;
	for (size_t i = 0; i < n; i += TOGETHER) {
		TRY(clpac__cancel_check_at(i / TOGETHER, err));
		const size_t n_here = n - i < TOGETHER ? n - i : TOGETHER;
		if (odd)
			filter_some(places, i, even, odd, half, re, im);
		else
			filter_some_real(places, i, even, half, re);
		memcpy(to + i, re, n_here * sizeof *re);
		if (odd)
			memcpy(to + n + i, im, n_here * sizeof *im);
	}
done:
	FREE_ALL(laid, places);
	return st;
}

clpac_status clpac__wave_turns_make(const double *x, size_t n_samples, double rate_hz, clpac_band band, double cycles,
				    clpac__wave_turns *out, clpac_error *err)
{
	enum { PER_CYCLE = 6 };
	clpac_status st = CLPAC_OK;
	const size_t step = (size_t)fmax(1, rate_hz / (PER_CYCLE * band.hi_hz)), n = n_samples / step;
	clpac__wave_turns made = {.n = n, .step = step};
	double *values = NULL;
	clpac__filter filter = {0};
	*out = (clpac__wave_turns){.n = 0};
	if (n < 8 || !(band.hi_hz < rate_hz / (double)step / 2) ||
	    clpac__filter_order(rate_hz / (double)step, band.lo_hz, cycles, n, NULL) < CLPAC__MIN_ORDER)
		goto done;
	TRY(NEW_ARRAY(made.means, n));
	TRY(NEW_ARRAY(made.turns, n));
	TRY(NEW_ARRAY(made.sizes, n));
	TRY(NEW_ARRAY(values, 2 * n));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < step; k++)
			made.means[i] += x[i * step + k] / (double)step;
	TRY(clpac__filter_make_taps(rate_hz / (double)step, band, cycles, n, &filter, err));
	TRY(clpac__filter_make_analytic(&filter, err));
	TRY(clpac__filter_series(made.means, n, filter.even, filter.odd, filter.n_taps - 1, 1, values, err));
	for (size_t i = 0; i < n; i++) {
		const double turn = atan2(values[n + i], values[i]) / (2 * pi);
		made.turns[i] = i ? turn + rint(made.turns[i - 1] - turn) : turn;
		made.sizes[i] = sqrt(values[i] * values[i] + values[n + i] * values[n + i]);
	}
	*out = made, made = (clpac__wave_turns){.n = 0};
done:
	clpac__wave_turns_clear(&made);
	clpac__free(values);
	clpac__filter_clear(&filter);
	return st;
}

void clpac__wave_turns_clear(clpac__wave_turns *turns)
{
	FREE_ALL(turns->means, turns->turns, turns->sizes);
	*turns = (clpac__wave_turns){.n = 0};
}
