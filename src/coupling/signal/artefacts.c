/* Jumps, lines, and the shape of cycles. */
#include "coupling/signal/artefacts.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/number.h"
#include "coupling/signal/pairs.h"

/* Brings the value to place k that would lie there in order, and none below it behind (Hoare 1961, Commun ACM 4:321).
 * Values that resist are sorted. */
static void select_place(double *values, size_t n, size_t k)
{
	size_t first = 0, end = n;
	for (size_t turns_left = 8 * sizeof n; end - first > 1; turns_left--) {
		if (!turns_left) {
			qsort(values + first, end - first, sizeof *values, clpac__compare_doubles);
			return;
		}
		const double pivot = values[first + (end - first - 1) / 2];
		size_t low = first, high = end - 1;
		for (;;) {
			while (values[low] < pivot)
				low++;
			while (values[high] > pivot)
				high--;
			if (low >= high)
				break;
			const double moved = values[low];
			values[low++] = values[high];
			values[high--] = moved;
		}
		/* Up to `high` all are at most the pivot; from the next on all are at least that. */
		if (k <= high)
			end = high + 1;
		else
			first = high + 1;
	}
}

double clpac__median(double *values, size_t n)
{
	select_place(values, n, n / 2);
	if (n % 2)
		return values[n / 2];
	double below = values[0];
	for (size_t i = 1; i < n / 2; i++)
		below = fmax(below, values[i]);
	return (below + values[n / 2]) / 2;
}

static double deviation_of(const double *x, size_t n)
{
	double mean = 0, squares = 0;
	for (size_t t = 0; t < n; t++)
		mean += x[t] / (double)n;
	for (size_t t = 0; t < n; t++)
		squares += (x[t] - mean) * (x[t] - mean);
	return sqrt(squares / (double)n);
}

static double range_of(const double *x, size_t n)
{
	double lowest = x[0], highest = x[0];
	for (size_t t = 1; t < n; t++) {
		lowest = x[t] < lowest ? x[t] : lowest;
		highest = x[t] > highest ? x[t] : highest;
	}
	return highest - lowest;
}

clpac_status clpac__find_jump(const double *x, size_t n_samples, double rate_hz, double *deviations, size_t *sample,
			      clpac_error *err)
{
	enum { SHORTEST = 32, FEWEST = 4 };
	clpac_status st = CLPAC_OK;
	const size_t each = (size_t)fmax(SHORTEST, rate_hz / 8), n = n_samples / each;
	double *of_stretches = NULL, largest = 0;
	size_t place = 0;
	*deviations = 0;
	*sample = 0;
	if (n < FEWEST)
		goto done;
	TRY(NEW_ARRAY(of_stretches, n));
	for (size_t i = 0; i < n; i++)
		of_stretches[i] = deviation_of(x + i * each, each);
	const double deviation = clpac__median(of_stretches, n);
	for (size_t i = 0; i + 1 < n; i++) {
		/* The samples behind the last whole stretch belong to it. */
		const size_t n_here = i + 2 == n ? n_samples - i * each : 2 * each;
		const double range = range_of(x + i * each, n_here);
		if (!(range > largest))
			continue;
		largest = range;
		place = i * each;
	}
	if (!(deviation > 0))
		goto done;
	*deviations = largest / deviation;
	const size_t end = place + 3 * each < n_samples ? place + 2 * each : n_samples;
	double step = 0;
	for (size_t t = place + 1; t < end; t++)
		if (fabs(x[t] - x[t - 1]) > step) {
			step = fabs(x[t] - x[t - 1]);
			*sample = t;
		}
done:
	clpac__free(of_stretches);
	return st;
}

/* Times what lies beside a line that are worth a closer look. */
static const double seen = 3;

/* Half hertz: the line, and what lies 2, 2.5, 3, 3.5 and 4 Hz away at each side. */
enum { LINE_WINDOW_S = 2, NEAREST = 4, FARTHEST = 8, LINE_BINS = 2 * FARTHEST + 1 };

clpac_status clpac__line_waves_make(size_t n_samples, double rate_hz, double frequency_hz, clpac__window_waves *out,
				    clpac_error *err)
{
	enum { FEWEST = 4 };
	const size_t length = 2 * (size_t)lround(LINE_WINDOW_S * rate_hz / 2);
	const size_t at = (size_t)lround(frequency_hz * (double)length / rate_hz);
	*out = (clpac__window_waves){.n = 0};
	if (clpac__window_count(n_samples, length) < FEWEST || at <= FARTHEST || 2 * (at + FARTHEST) >= length)
		return CLPAC_OK;
	return clpac__window_waves_make(length, at - FARTHEST, LINE_BINS, out, err);
}

clpac_status clpac__line_height(const double *x, size_t n_samples, const clpac__window_waves *line, double *height,
				clpac_error *err)
{
	enum { FIRST_WINDOWS = 8, LINE_WINDOWS = 64 };
	double power[LINE_BINS], around[2 * (FARTHEST - NEAREST + 1)];
	*height = 0;
	if (!line->n)
		return CLPAC_OK;
	/* A height that is low in the first windows is none: their noise makes a third of a line at most. */
	for (size_t most = FIRST_WINDOWS; most <= LINE_WINDOWS; most *= LINE_WINDOWS / FIRST_WINDOWS) {
		size_t n = 0;
		RETURN_IF_ERROR(clpac__window_power(x, n_samples, line, most, power, err));
		for (size_t i = NEAREST; i <= FARTHEST; i++) {
			around[n++] = power[FARTHEST - i];
			around[n++] = power[FARTHEST + i];
		}
		const double usual = clpac__median(around, n);
		*height = usual > 0 ? power[FARTHEST] / usual : 0;
		if (*height < seen)
			break;
	}
	return CLPAC_OK;
}

/* The mean of x over `half` samples at both sides of t. */
static double smoothed(const double *x, size_t n, size_t t, size_t half)
{
	const size_t first = t > half ? t - half : 0, end = t + half + 1 < n ? t + half + 1 : n;
	double sum = 0;
	for (size_t i = first; i < end; i++)
		sum += x[i];
	return sum / (double)(end - first);
}

double clpac__cycle_asymmetry(const double *x, const double *band_passed, size_t n_samples, double cycle_samples)
{
	enum { FEWEST = 3 };
	const size_t half = (size_t)(cycle_samples / 32);
	double sum = 0, before = 0, last = 0; /* the two extremes before */
	size_t n = 0, n_extremes = 0, start = 0;
	bool was_up = band_passed[0] > 0, is_whole = false;
	for (size_t t = 1; t < n_samples; t++) {
		const bool is_up = band_passed[t] > 0;
		if (is_up == was_up)
			continue;
		size_t place = start;
		double best = -INFINITY;
		for (size_t i = start; is_whole && i < t; i++) {
			const double value = smoothed(x, n_samples, i, half) * (was_up ? 1 : -1);
			if (value > best) {
				best = value;
				place = i;
			}
		}
		/* A trough that ends a cycle: trough, peak, trough. */
		if (is_whole && !was_up && n_extremes >= 2) {
			const double rise = last - before, fall = (double)place - last;
			if (rise + fall > 0) {
				sum += (rise - fall) / (rise + fall);
				n++;
			}
		}
		if (is_whole) {
			before = last;
			last = (double)place;
			n_extremes++;
		}
		is_whole = true;
		start = t;
		was_up = is_up;
	}
	return n >= FEWEST ? sum / (double)n : NAN;
}

/* --- Spectra of windows ----------------------------------------------------------------------- */

/* Discrete Fourier sums at chosen frequencies.  The inner loops run along the frequencies and windows, so that they
 * vectorise in the order in which they are written. */

size_t clpac__window_count(size_t n_samples, size_t length)
{
	return length < 2 || n_samples < length ? 0 : 1 + (n_samples - length) / (length / 2);
}

/* Windows and values that are summed together: their sums are eight pairs, half of the registers that every x86-64 has,
 * and each wave is read once for all of the windows. */
enum { WINDOWS = 4, VALUES = 4 };

clpac_status clpac__window_waves_make(size_t length, size_t first, size_t n, clpac__window_waves *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const double turn = 2 * 3.14159265358979323846 / (double)length;
	clpac__window_waves made = {.length = length, .n = n, .n_columns = (2 * n + VALUES - 1) / VALUES};
	/* Phases are whole parts of a turn, and most of them come again and again. */
	double *turns = NULL;
	TRY(NEW_ARRAY(turns, 2 * length));
	TRY(NEW_ARRAY(made.values, made.n_columns * VALUES * length));
	for (size_t k = 0; k < length; k++) {
		turns[2 * k] = cos(turn * (double)k);
		turns[2 * k + 1] = sin(turn * (double)k);
	}
	for (size_t t = 0; t < length; t++) {
		const double taper = 0.5 - 0.5 * cos(turn * ((double)t + 0.5));
		size_t place = first * t % length;
		for (size_t i = 0; i < n; i++, place = place + t < length ? place + t : place + t - length) {
			const double *at = turns + 2 * place;
			double *to = made.values + (2 * i / VALUES * length + t) * VALUES + 2 * i % VALUES;
			to[0] = taper * at[0];
			to[1] = -taper * at[1];
		}
	}
	*out = made, made.values = NULL;
done:
	FREE_ALL(turns, made.values);
	return st;
}

void clpac__window_waves_clear(clpac__window_waves *waves)
{
	clpac__free(waves->values);
	*waves = (clpac__window_waves){.n = 0};
}

/* Sums one column over the samples of WINDOWS windows, `hop` apart: (WINDOWS, VALUES). */
static void sum_column(const double *x, size_t hop, const double *column, size_t length, double sums[WINDOWS][VALUES])
{
	const clpac__pair none = {0, 0}, *waves = (const clpac__pair *)column;
	clpac__pair a_0 = none, a_1 = none, b_0 = none, b_1 = none, c_0 = none, c_1 = none, d_0 = none, d_1 = none;
	/* Two samples at a time; lengths are even. */
	for (size_t t = 0; t < length; t += 2, waves += 4) {
		const double *a = x + t, *b = a + hop, *c = b + hop, *d = c + hop;
		a_0 += a[0] * waves[0] + a[1] * waves[2];
		a_1 += a[0] * waves[1] + a[1] * waves[3];
		b_0 += b[0] * waves[0] + b[1] * waves[2];
		b_1 += b[0] * waves[1] + b[1] * waves[3];
		c_0 += c[0] * waves[0] + c[1] * waves[2];
		c_1 += c[0] * waves[1] + c[1] * waves[3];
		d_0 += d[0] * waves[0] + d[1] * waves[2];
		d_1 += d[0] * waves[1] + d[1] * waves[3];
	}
	const clpac__pair all[] = {a_0, a_1, b_0, b_1, c_0, c_1, d_0, d_1};
	memcpy(sums, all, sizeof all);
}

/* Adds the powers of n_windows windows, at most WINDOWS.  Room for more is filled with the first once more, so that all
 * are summed in the same order. */
static void add_powers(const double *x, size_t n_windows, size_t hop, const clpac__window_waves *waves, double *power)
{
	double sums[WINDOWS][VALUES];
	for (size_t w = 0; w < n_windows; w += n_windows < WINDOWS ? 1 : WINDOWS) {
		const size_t n_here = n_windows < WINDOWS ? 1 : WINDOWS;
		for (size_t c = 0; c < waves->n_columns; c++) {
			sum_column(x + w * hop, n_here == 1 ? 0 : hop, waves->values + c * waves->length * VALUES,
				   waves->length, sums);
			for (size_t i = 0; i < n_here; i++)
				for (size_t k = 0; k < VALUES && c * VALUES + k < 2 * waves->n; k++)
					power[(c * VALUES + k) / 2] += sums[i][k] * sums[i][k];
		}
	}
}

clpac_status clpac__window_power(const double *x, size_t n_samples, const clpac__window_waves *waves, size_t most,
				 double *power, clpac_error *err)
{
	const size_t n_all = clpac__window_count(n_samples, waves->length), n_windows = n_all < most ? n_all : most;
	const size_t hop = n_all > most ? (n_samples - waves->length) / (most - 1) : waves->length / 2;
	memset(power, 0, waves->n * sizeof *power);
	for (size_t w = 0; w < n_windows; w += WINDOWS) {
		RETURN_IF_ERROR(clpac_cancel_check(err));
		add_powers(x + w * hop, n_windows - w < WINDOWS ? n_windows - w : WINDOWS, hop, waves, power);
	}
	for (size_t i = 0; i < waves->n; i++)
		power[i] /= (double)n_windows;
	return CLPAC_OK;
}
