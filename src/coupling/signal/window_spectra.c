/* Discrete Fourier sums at chosen frequencies.  The inner loops run along the frequencies and windows, so that they
 * vectorise in the order in which they are written. */
#include "coupling/signal/window_spectra.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

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
	for (size_t w = 0; w < n_windows; w += WINDOWS)
		transform_some(x + w * (length / 2), n_windows - w < WINDOWS ? n_windows - w : WINDOWS, &waves, length,
			       n, spectra + w * 2 * n, spare);
done:
	clpac__free(waves.values);
	clpac__free(spare);
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
		const size_t n_here = n_windows - w < WINDOWS ? n_windows - w : WINDOWS;
		transform_some(x + w * (length / 2), n_here, &waves, length, n, sums, spare);
		for (size_t k = 0; k < n_here; k++)
			for (size_t i = 0; i < n; i++) {
				const double *sum = sums + 2 * (k * n + i);
				power[i] += (sum[0] * sum[0] + sum[1] * sum[1]) / (double)n_windows;
			}
	}
done:
	clpac__free(waves.values);
	clpac__free(sums);
	clpac__free(spare);
	return st;
}
