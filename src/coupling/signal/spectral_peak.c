#include "coupling/signal/spectral_peak.h"

#include <math.h>
#include <stdbool.h>
#include <clpac/cautions.h>

#include "base/memory.h"
#include "coupling/signal/filter.h"
#include "coupling/signal/window_power.h"

static const double reach = 3; /* of the background beyond a band, as a factor */

/* --- Spectrum ----------------------------------------------------------------------------------- */

/* Means of step samples. */
static void bring_down(const double *x, size_t n, size_t step, double *to)
{
	for (size_t i = 0; i < n; i++) {
		double sum = 0;
		for (size_t k = 0; k < step; k++)
			sum += x[i * step + k];
		to[i] = sum / (double)step;
	}
}

clpac_status clpac__spectrum_make(const double *x, size_t n_samples, double rate_hz, const clpac_band *bands,
				  size_t n_bands, clpac__spectrum_of_bands *out, clpac_error *err)
{
	enum { LEAST_WINDOWS = 4, MOST_WINDOWS = 256 };
	clpac_status st = CLPAC_OK;
	double lowest = bands[0].lo_hz, highest = bands[0].hi_hz;
	double *brought = NULL;
	clpac__windows windows = {.length = 0};
	for (size_t i = 1; i < n_bands; i++) {
		lowest = fmin(lowest, bands[i].lo_hz);
		highest = fmax(highest, bands[i].hi_hz);
	}
	highest = fmin(reach * highest, 0.45 * rate_hz);
	const size_t step = (size_t)fmax(1, rate_hz / (8 * highest)), n = n_samples / step;
	const double rate = rate_hz / (double)step, seconds = fmax(2, 4 / lowest);
	const size_t length = clpac__transform_length((size_t)(seconds * rate));
	*out = (clpac__spectrum_of_bands){.bin_hz = rate / (double)length, .n_windows = clpac__window_count(n, length)};
	out->n = (size_t)(highest / out->bin_hz);
	if (out->n_windows < LEAST_WINDOWS || !out->n)
		goto done;
	TRY(NEW_BYTES(brought, n * sizeof *brought));
	bring_down(x, n, step, brought);
	TRY(NEW_ARRAY(out->power, out->n));
	TRY(clpac__windows_make(length, &windows, err));
	TRY(clpac__windows_power_of(&windows, brought, n, MOST_WINDOWS, 1, out->n, out->power, err));
	out->n_windows = clpac__smaller(out->n_windows, MOST_WINDOWS);
done:
	clpac__windows_clear(&windows);
	clpac__free(brought);
	return st;
}

void clpac__spectrum_clear(clpac__spectrum_of_bands *spectrum)
{
	clpac__free(spectrum->power);
	spectrum->power = NULL;
}

/* --- Background --------------------------------------------------------------------------------- */

/* A line through decibels over log10 f. */
typedef struct line {
	double level, slope;
} line;

static double above(const clpac__spectrum_of_bands *s, size_t bin, line of)
{
	const double hz = (double)(bin + 1) * s->bin_hz;
	return 10 * log10(s->power[bin]) - of.level - of.slope * log10(hz);
}

/* The line by least squares through bins from first to before end that rise less than 1 dB above another line, with
 * weights 1/f; that line itself where they have less than half of all weights.
 * @param other NULL: through all of them. */
static line fit(const clpac__spectrum_of_bands *s, size_t first, size_t end, const line *other)
{
	double all = 0, n = 0, x = 0, y = 0, xx = 0, xy = 0;
	for (size_t bin = first; bin < end; bin++) {
		const double hz = (double)(bin + 1) * s->bin_hz, weight = 1 / hz, at = log10(hz);
		all += weight;
		if (other && !(above(s, bin, *other) < 1))
			continue;
		const double db = 10 * log10(s->power[bin]);
		n += weight;
		x += weight * at;
		y += weight * db;
		xx += weight * at * at;
		xy += weight * at * db;
	}
	const double spread = n * xx - x * x;
	if (n < all / 2 || !(spread > 0))
		return other ? *other : (line){NAN, NAN};
	const double slope = (n * xy - x * y) / spread;
	return (line){(y - slope * x) / n, slope};
}

/* --- Peak --------------------------------------------------------------------------------------- */

/* The bin whose power is the highest after the filter, forward and backward: `end` where all are 0. */
static size_t strongest_of(const clpac__spectrum_of_bands *spectrum, const clpac__band_taps *filter, size_t first,
			   size_t end)
{
	enum { AT_ONCE = 16 };
	size_t strongest = end;
	double gains[AT_ONCE], most = 0;
	for (size_t from = first; from < end; from += AT_ONCE) {
		const size_t n = end - from < AT_ONCE ? end - from : AT_ONCE;
		for (size_t i = 0; i < n; i++)
			gains[i] = (double)(from + i + 1) * spectrum->bin_hz;
		clpac__filter_powers(filter->taps, filter->n, filter->rate_hz, gains, n);
		for (size_t i = 0; i < n; i++)
			if (spectrum->power[from + i] * gains[i] * gains[i] > most) {
				most = spectrum->power[from + i] * gains[i] * gains[i];
				strongest = from + i;
			}
	}
	return strongest;
}

clpac__spectral_peak clpac__spectral_peak_of(const clpac__spectrum_of_bands *spectrum, clpac_band band,
					     const clpac__band_taps *filter)
{
	enum { TURNS = 10 };
	clpac__spectral_peak peak = {NAN, NAN, NAN};
	if (!spectrum->power)
		return peak;
	const double lo_hz = fmax(1, band.lo_hz / reach), bin_hz = spectrum->bin_hz;
	const size_t first = (size_t)fmax(0, ceil(lo_hz / bin_hz - 1e-6) - 1);
	const size_t wanted = (size_t)(reach * band.hi_hz / bin_hz + 1e-6);
	const size_t end = wanted < spectrum->n ? wanted : spectrum->n;
	for (size_t bin = first; bin < end; bin++)
		if (!(spectrum->power[bin] > 0))
			return peak;
	line background = fit(spectrum, first, end, NULL);
	for (int turn = 0; turn < TURNS; turn++) {
		const line before = background;
		background = fit(spectrum, first, end, &before);
		/* It leaves out the same bins from here on. */
		if (background.level == before.level && background.slope == before.slope)
			break;
	}
	peak.exponent = -background.slope / 10;
	for (size_t bin = first; bin < end; bin++) {
		const double hz = (double)(bin + 1) * bin_hz;
		const bool is_inside = hz > band.lo_hz - 0.01 * bin_hz && hz < band.hi_hz + 0.01 * bin_hz;
		const double height = above(spectrum, bin, background);
		if (is_inside && !(height <= peak.height_db)) {
			peak.height_db = height;
			peak.hz = hz;
		}
	}
	const size_t strongest = strongest_of(spectrum, filter, first, end);
	if (strongest < end && above(spectrum, strongest, background) > peak.height_db) {
		peak.height_db = above(spectrum, strongest, background);
		peak.hz = (double)(strongest + 1) * bin_hz;
	}
	return peak;
}

double clpac__least_peak_db(size_t n_windows)
{
	return fmax(2, 3.5 * 10 / log(10) / sqrt((double)n_windows));
}

/* --- Of a series alone -------------------------------------------------------------------------- */

static const double cycles = 3; /* of filters for phases */

static bool are_finite(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return false;
	return true;
}

clpac_status clpac_signal_spectral_peaks(const double *x, size_t n_samples, double rate_hz, const clpac_band *bands,
					 size_t n_bands, double *height_db, double *peak_hz, double *least_db,
					 clpac_error *err)
{
	NEED(x, bands);
	NEED(height_db, peak_hz, least_db);
	clpac_status st = CLPAC_OK;
	clpac__spectrum_of_bands spectrum = {0};
	double *taps = NULL;
	if (!n_bands)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "n_bands is 0: give at least one band");
	for (size_t i = 0; i < n_bands; i++)
		if (!(bands[i].lo_hz > 0 && bands[i].lo_hz < bands[i].hi_hz && bands[i].hi_hz < rate_hz / 2))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "bands[%zu] is %g-%g Hz: at %g Hz give a band above 0 and below %g Hz", i,
				     bands[i].lo_hz, bands[i].hi_hz, rate_hz, rate_hz / 2);
	if (are_finite(x, n_samples))
		TRY(clpac__spectrum_make(x, n_samples, rate_hz, bands, n_bands, &spectrum, err));
	for (size_t i = 0; i < n_bands; i++) {
		const size_t n = 1 + clpac__filter_order(rate_hz, bands[i].lo_hz, cycles, n_samples, NULL);
		height_db[i] = peak_hz[i] = NAN;
		if (!spectrum.power)
			continue;
		clpac__free(taps);
		TRY(NEW_ARRAY(taps, n));
		clpac__filter_write_taps(taps, n, rate_hz, bands[i]);
		const clpac__spectral_peak peak =
			clpac__spectral_peak_of(&spectrum, bands[i], &(clpac__band_taps){taps, n, rate_hz});
		height_db[i] = peak.height_db;
		peak_hz[i] = peak.hz;
	}
	*least_db = clpac__least_peak_db(spectrum.n_windows ? spectrum.n_windows : 1);
done:
	clpac__free(taps);
	clpac__spectrum_clear(&spectrum);
	return st;
}

clpac_status clpac_signal_spectrum(const double *windows, size_t n_windows, size_t length, double rate_hz,
				   double *density, clpac_error *err)
{
	NEED(windows, density);
	clpac_status st = CLPAC_OK;
	clpac__windows hann = {.length = 0};
	if (!n_windows || length < 2 || clpac__transform_length(length) != length || !(rate_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%zu windows of %zu samples at %g Hz: give at least one, of an even length with no "
			     "factors but 2, 3 and 5, and a rate above 0",
			     n_windows, length, rate_hz);
	TRY(clpac__windows_make(length, &hann, err));
	TRY(clpac__windows_power(&hann, windows, n_windows, length, 1, length / 2, density, err));
	/* The mean square of a Hann window is 3/8; half the rate has no mirrored bin. */
	for (size_t i = 0; i < length / 2; i++)
		density[i] *= (i + 1 < length / 2 ? 2 : 1) / (0.375 * (double)length * rate_hz);
done:
	clpac__windows_clear(&hann);
	return st;
}
