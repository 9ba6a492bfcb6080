/* Phases and amplitudes that are locked to events. */
#include "coupling/signal/locking.h"

#include <math.h>

#include "base/cancel.h"

static const double pi = 3.14159265358979323846, deviations = 5;

/* Powers of a band have a deviation of 1 in each independent value, of which a band has its width a second. */
static clpac__lock judge(double times, double seconds, clpac_band band)
{
	const double n_values = fmax(1, seconds * (band.hi_hz - band.lo_hz));
	return (clpac__lock){times, times > 1 + deviations / sqrt(n_values)};
}

clpac_status clpac__lock_of_phase(const clpac__wave_turns *turns, const clpac__lock_windows *windows, clpac_band band,
				  clpac__lock *out, clpac_error *err)
{
	*out = (clpac__lock){1, false};
	const size_t step = turns->step, n_lags = step ? windows->length / step : 0;
	double times = 0;
	if (!turns->n || !n_lags)
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac_cancel_check(err));
	for (size_t lag = 0; lag < n_lags; lag++) {
		double re = 0, im = 0;
		for (size_t w = 0; w < windows->n; w++) {
			const double turn = clpac__wave_turn_at(turns, (double)(windows->firsts[w] + lag * step));
			re += cos(2 * pi * turn);
			im += sin(2 * pi * turn);
		}
		times += (re * re + im * im) / (double)windows->n / (double)n_lags;
	}
	*out = judge(times, windows->seconds, band);
	return CLPAC_OK;
}

clpac_status clpac__lock_of_amplitude(const double *amplitudes, size_t step, const clpac__lock_windows *windows,
				      clpac_band band, clpac__lock *out, clpac_error *err)
{
	*out = (clpac__lock){1, false};
	const size_t n_lags = windows->length / step;
	const double n = (double)n_lags, n_windows = (double)windows->n;
	double sum = 0, squares = 0, of_windows = 0;
	if (n_lags < 2)
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac_cancel_check(err));
	for (size_t lag = 0; lag < n_lags; lag++) {
		double mean = 0;
		for (size_t w = 0; w < windows->n; w++)
			mean += amplitudes[windows->firsts[w] / step + lag] / n_windows;
		sum += mean;
		squares += mean * mean;
	}
	const double of_mean = squares / n - sum / n * (sum / n);
	for (size_t w = 0; w < windows->n; w++) {
		const double *of_window = amplitudes + windows->firsts[w] / step;
		sum = squares = 0;
		for (size_t lag = 0; lag < n_lags; lag++) {
			sum += of_window[lag];
			squares += of_window[lag] * of_window[lag];
		}
		of_windows += (squares / n - sum / n * (sum / n)) / n_windows;
	}
	if (of_windows > 0)
		*out = judge(n_windows * of_mean / of_windows, windows->seconds, band);
	return CLPAC_OK;
}
