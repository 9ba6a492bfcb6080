/* Jumps, and the shape of cycles. */
#include "coupling/signal/artefacts.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"

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
