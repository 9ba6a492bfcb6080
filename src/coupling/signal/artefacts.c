/* Jumps, lines, and the shape of cycles. */
#include "coupling/signal/artefacts.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double clpac__median(double *values, size_t n)
{
	qsort(values, n, sizeof *values, ascending);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
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

clpac_status clpac__line_height(const double *x, size_t n_samples, double rate_hz, double frequency_hz, double *height,
				clpac_error *err)
{
	/* Half hertz: the line, and what lies 2, 2.5, 3, 3.5 and 4 Hz away at each side. */
	enum { WINDOW_S = 2, NEAREST = 4, FARTHEST = 8, BINS = 2 * FARTHEST + 1, FEWEST = 4 };
	const size_t length = 2 * (size_t)lround(WINDOW_S * rate_hz / 2);
	const size_t at = (size_t)lround(frequency_hz * (double)length / rate_hz);
	double power[BINS], around[2 * (FARTHEST - NEAREST + 1)];
	size_t n = 0;
	*height = 0;
	if (clpac__window_count(n_samples, length) < FEWEST || at <= FARTHEST || 2 * (at + FARTHEST) >= length)
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac__window_power(x, n_samples, length, at - FARTHEST, BINS, power, err));
	for (size_t i = NEAREST; i <= FARTHEST; i++) {
		around[n++] = power[FARTHEST - i];
		around[n++] = power[FARTHEST + i];
	}
	const double usual = clpac__median(around, n);
	*height = usual > 0 ? power[FARTHEST] / usual : 0;
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

/* Windows and values that are summed together: their sums stay in the 16 registers of two numbers that every x86-64
 * has, and each wave is read once for all of the windows. */
enum { WINDOWS = 4, VALUES = 4 };

/* Waves, as columns of VALUES numbers: (column, sample, VALUES), cosine and sine of a frequency side by side, zeros
 * behind the last. */
typedef struct waves {
	double *values;
	size_t n_columns;
} waves;

/* Tapered waves of `step` half bins from frequency to frequency; the caller's to free. */
static waves make_waves(size_t length, size_t first, size_t n, size_t step)
{
	const double turn = 3.14159265358979323846 / (double)length;
	waves made = {.n_columns = (2 * n + VALUES - 1) / VALUES};
	/* Phases are whole parts of a turn, and most of them come again and again. */
	double *turns = clpac__alloc_array(2 * length, 2 * sizeof *turns);
	made.values = turns ? clpac__alloc_array(made.n_columns * VALUES, length * sizeof *made.values) : NULL;
	for (size_t k = 0; made.values && k < 2 * length; k++) {
		turns[2 * k] = cos(turn * (double)k);
		turns[2 * k + 1] = sin(turn * (double)k);
	}
	for (size_t t = 0; made.values && t < length; t++) {
		const double taper = 0.5 - 0.5 * cos(2 * turn * ((double)t + 0.5));
		for (size_t i = 0; i < n; i++) {
			/* The phase in half turns of the length, without its whole turns. */
			const double *at = turns + 2 * ((first + i * step) * t % (2 * length));
			double *to = made.values + (2 * i / VALUES * length + t) * VALUES + 2 * i % VALUES;
			to[0] = taper * at[0];
			to[1] = -taper * at[1];
		}
	}
	clpac__free(turns);
	return made;
}

/* Sums one column over the samples of WINDOWS windows, `hop` apart: (WINDOWS, VALUES). */
static void sum_column(const double *restrict x, size_t hop, const double *restrict column, size_t length,
		       double sums[WINDOWS][VALUES])
{
	double s[WINDOWS][VALUES] = {{0}};
	/* Two samples at a time; lengths are even. */
	for (size_t t = 0; t < length; t += 2, column += 2 * VALUES)
		for (size_t w = 0; w < WINDOWS; w++)
			for (size_t i = 0; i < VALUES; i++)
				s[w][i] += x[w * hop + t] * column[i] + x[w * hop + t + 1] * column[VALUES + i];
	memcpy(sums, s, sizeof s);
}

/* The sums of WINDOWS windows, 2 n of each `stride` numbers apart. */
static void transform(const double *x, size_t hop, const waves *waves, size_t length, size_t n, double *sums,
		      size_t stride)
{
	double of_column[WINDOWS][VALUES];
	for (size_t c = 0; c < waves->n_columns; c++) {
		const size_t left = 2 * n - c * VALUES, n_values = left < VALUES ? left : VALUES;
		sum_column(x, hop, waves->values + c * length * VALUES, length, of_column);
		for (size_t w = 0; w < WINDOWS; w++)
			memcpy(sums + w * stride + c * VALUES, of_column[w], n_values * sizeof *sums);
	}
}

/* The sums of `n_windows` windows, at most WINDOWS.  Fewer pass one by one, each as often as there is room for windows,
 * so that all of them are summed in the same order. */
static void transform_some(const double *x, size_t n_windows, const waves *waves, size_t length, size_t n, double *sums,
			   double *spare)
{
	if (n_windows == WINDOWS) {
		transform(x, length / 2, waves, length, n, sums, 2 * n);
		return;
	}
	for (size_t w = 0; w < n_windows; w++) {
		transform(x + w * (length / 2), 0, waves, length, n, spare, 2 * n);
		memcpy(sums + w * 2 * n, spare, 2 * n * sizeof *sums);
	}
}

clpac_status clpac__window_spectra(const double *x, size_t n_samples, size_t length, size_t first, size_t n,
				   double *spectra, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_windows = clpac__window_count(n_samples, length);
	const waves waves = make_waves(length, first, n, 1);
	double *spare = clpac__alloc_array(n, 2 * WINDOWS * sizeof *spare);
	if (!waves.values || !spare)
		FAIL_NO_MEMORY((length + WINDOWS) * 2 * n * sizeof *spare);
	for (size_t w = 0; w < n_windows; w += WINDOWS) {
		TRY(clpac_cancel_check(err));
		transform_some(x + w * (length / 2), n_windows - w < WINDOWS ? n_windows - w : WINDOWS, &waves, length,
			       n, spectra + w * 2 * n, spare);
	}
done:
	FREE_ALL(waves.values, spare);
	return st;
}

clpac_status clpac__window_power(const double *x, size_t n_samples, size_t length, size_t first, size_t n,
				 double *power, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_windows = clpac__window_count(n_samples, length);
	const waves waves = make_waves(length, 2 * first, n, 2);
	double *sums = clpac__alloc_array(n, 2 * WINDOWS * sizeof *sums);
	double *spare = clpac__alloc_array(n, 2 * WINDOWS * sizeof *spare);
	if (!waves.values || !sums || !spare)
		FAIL_NO_MEMORY((length + 2 * WINDOWS) * 2 * n * sizeof *sums);
	memset(power, 0, n * sizeof *power);
	for (size_t w = 0; w < n_windows; w += WINDOWS) {
		TRY(clpac_cancel_check(err));
		const size_t n_here = n_windows - w < WINDOWS ? n_windows - w : WINDOWS;
		transform_some(x + w * (length / 2), n_here, &waves, length, n, sums, spare);
		for (size_t k = 0; k < n_here; k++)
			for (size_t i = 0; i < n; i++) {
				const double *sum = sums + 2 * (k * n + i);
				power[i] += (sum[0] * sum[0] + sum[1] * sum[1]) / (double)n_windows;
			}
	}
done:
	FREE_ALL(waves.values, sums, spare);
	return st;
}
