/* The mean power of a series in short windows. */
#include "coupling/signal/window_power.h"

#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"

static const double pi = 3.14159265358979323846;

clpac_status clpac__windows_make(size_t length, clpac__windows *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__windows made = {.length = length};
	TRY(clpac__transform_make(clpac__transform_length(length), &made.transform, err));
	TRY(NEW_ARRAY(made.taper, length));
	TRY(NEW_ARRAY(made.room, made.transform.n));
	for (size_t t = 0; t < length; t++)
		made.taper[t] = 0.5 - 0.5 * cos(2 * pi * ((double)t + 0.5) / (double)length);
	*out = made, made = (clpac__windows){.length = 0};
done:
	clpac__windows_clear(&made);
	return st;
}

void clpac__windows_clear(clpac__windows *windows)
{
	clpac__transform_clear(&windows->transform);
	FREE_ALL(windows->taper, windows->room);
	*windows = (clpac__windows){.length = 0};
}

size_t clpac__window_count(size_t n_samples, size_t length)
{
	return length < 2 || n_samples < length ? 0 : 1 + (n_samples - length) / (length / 2);
}

/* Adds the powers of two windows, of which the second may be NULL: each is a part of one complex series. */
static void add_powers(const clpac__windows *windows, const double *a, const double *b, size_t first, size_t n,
		       double *power)
{
	const double *taper = windows->taper;
	clpac__value *room = windows->room;
	const size_t length = windows->length, n_values = windows->transform.n;
	for (size_t t = 0; t < length; t++)
		room[t] = (clpac__value){taper[t] * a[t], b ? taper[t] * b[t] : 0};
	memset(room + length, 0, (n_values - length) * sizeof *room);
	clpac__transform_run(&windows->transform, room);
	for (size_t i = 0; i < n; i++) {
		const clpac__value here = room[first + i], mirrored = room[n_values - first - i];
		power[i] += (here.re * here.re + here.im * here.im + mirrored.re * mirrored.re +
			     mirrored.im * mirrored.im) /
			    2;
	}
}

clpac_status clpac__windows_power(const clpac__windows *windows, const double *x, size_t n_windows, size_t hop,
				  size_t first, size_t n, double *power, clpac_error *err)
{
	memset(power, 0, n * sizeof *power);
	for (size_t w = 0; w < n_windows; w += 2) {
		RETURN_IF_ERROR(clpac_cancel_check(err));
		add_powers(windows, x + w * hop, w + 1 < n_windows ? x + (w + 1) * hop : NULL, first, n, power);
	}
	for (size_t i = 0; i < n; i++)
		power[i] /= (double)n_windows;
	return CLPAC_OK;
}

clpac_status clpac__windows_power_of(const clpac__windows *windows, const double *x, size_t n_samples, size_t most,
				     size_t first, size_t n, double *power, clpac_error *err)
{
	const size_t length = windows->length, n_all = clpac__window_count(n_samples, length);
	const size_t hop = n_all > most ? (n_samples - length) / (most - 1) : length / 2;
	return clpac__windows_power(windows, x, clpac__smaller(n_all, most), hop, first, n, power, err);
}
