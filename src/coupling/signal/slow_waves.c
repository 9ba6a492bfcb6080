/* The slow waves of a series: their frequencies and phases. */
#include "coupling/signal/slow_waves.h"

#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "coupling/signal/artefacts.h"
#include "coupling/signal/filter.h"

enum { CYCLES = 4 };

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

clpac_status clpac__wave_find(const double *x, size_t n_samples, double rate_hz, const clpac__search_power *shared,
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

/* Values that are summed together, in registers. */
enum { TOGETHER = 8 };

/* TOGETHER values, the first of which is i, of a series laid so that those a step apart are neighbours.
 * @param places where the samples from half before the first value to half behind it lie. */
static void filter_some(const double *const *places, size_t i, const double *even, const double *odd, size_t half,
			double *restrict re, double *restrict im)
{
	for (int c = 0; c < TOGETHER; c++) {
		re[c] = even[0] * places[half][i + (size_t)c];
		im[c] = 0;
	}
	for (size_t k = 1; k <= half; k++) {
		const double *before = places[half - k] + i, *behind = places[half + k] + i;
		for (int c = 0; c < TOGETHER; c++) {
			re[c] += even[k] * (before[c] + behind[c]);
			im[c] += odd[k] * (before[c] - behind[c]);
		}
	}
}

static void filter_some_real(const double *const *places, size_t i, const double *even, size_t half,
			     double *restrict re)
{
	for (int c = 0; c < TOGETHER; c++)
		re[c] = even[0] * places[half][i + (size_t)c];
	for (size_t k = 1; k <= half; k++) {
		const double *before = places[half - k] + i, *behind = places[half + k] + i;
		for (int c = 0; c < TOGETHER; c++)
			re[c] += even[k] * (before[c] + behind[c]);
	}
}

clpac_status clpac__filter_series(const double *x, size_t n_samples, const double *even, const double *odd, size_t half,
				  size_t step, double *to, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = (n_samples + step - 1) / step, n_each = n + 2 * half / step + TOGETHER + 2;
	double *laid = NULL, re[TOGETHER], im[TOGETHER];
	const double **places = NULL;
	TRY(NEW_ARRAY(laid, step * n_each));
	TRY(NEW_ARRAY(places, 2 * half + 1));
	for (size_t first = 0; first < step; first++)
		for (size_t t = first, i = (first + half) / step; t < n_samples; t += step, i++)
			laid[(first + half) % step * n_each + i] = x[t];
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

clpac_status clpac__wave_turns(const double *x, size_t n_samples, double rate_hz, clpac_band band, double cycles,
			       double *turns, clpac_error *err)
{
	enum { PER_CYCLE = 10 };
	clpac_status st = CLPAC_OK;
	const size_t step = (size_t)fmax(1, rate_hz / (PER_CYCLE * band.hi_hz)), n = n_samples / step;
	double *means = NULL, *values = NULL;
	clpac__filter filter = {0};
	memset(turns, 0, n_samples * sizeof *turns);
	if (n < 8 || !(band.hi_hz < rate_hz / (double)step / 2) ||
	    clpac__filter_order(rate_hz / (double)step, band.lo_hz, cycles, n, NULL) < CLPAC__MIN_ORDER)
		goto done;
	TRY(NEW_ARRAY(means, n));
	TRY(NEW_ARRAY(values, 2 * n));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < step; k++)
			means[i] += x[i * step + k] / (double)step;
	TRY(clpac__filter_design(rate_hz / (double)step, band, cycles, n, &filter, err));
	TRY(clpac__filter_make_analytic(&filter, err));
	TRY(clpac__filter_series(means, n, filter.even, filter.odd, filter.n_taps - 1, 1, values, err));
	/* Of `means`, what went in is used up: the turns take its place. */
	for (size_t i = 0; i < n; i++) {
		const double turn = atan2(values[n + i], values[i]) / (2 * 3.14159265358979323846);
		means[i] = i ? turn + rint(means[i - 1] - turn) : turn;
	}
	const double middle = ((double)step - 1) / 2;
	for (size_t t = 0; t < n_samples; t++) {
		const double place = fmin(fmax(((double)t - middle) / (double)step, 0), (double)(n - 1));
		const size_t i = place < (double)(n - 1) ? (size_t)place : n - 2;
		turns[t] = means[i] + (place - (double)i) * (means[i + 1] - means[i]);
	}
done:
	FREE_ALL(means, values);
	clpac__filter_clear(&filter);
	return st;
}
