/* Lines of the mains. */
#include "coupling/signal/lines.h"

#include <math.h>
#include <clpac/cautions.h>

#include "base/memory.h"
#include "coupling/signal/artefacts.h"

/* Times what lies beside a line that are worth a closer look. */
static const double seen = 3;
static const size_t looks[CLPAC__LINE_LOOKS] = {8, 64}; /* windows */

/* Less than this part of the power of all bins is rounding. */
static const double rounding = 1e-24;

/* Half hertz: the line, and what lies 2, 2.5, 3, 3.5 and 4 Hz away at each side. */
enum { WINDOW_S = 2, NEAREST = 4, FARTHEST = 8 };

clpac_status clpac__line_search_make(size_t n_samples, double rate_hz, clpac__line_search *out, clpac_error *err)
{
	enum { FEWEST = 4 };
	clpac_status st = CLPAC_OK;
	const size_t length = 2 * (size_t)lround(WINDOW_S * rate_hz / 2);
	clpac__line_search made = {.rate_hz = rate_hz, .n_samples = n_samples};
	if (clpac__window_count(n_samples, length) >= FEWEST) {
		TRY(clpac__windows_make(length, &made.windows, err));
		for (int look = 0; look < CLPAC__LINE_LOOKS; look++)
			TRY(NEW_ARRAY(made.powers[look], made.windows.transform.n / 2));
	}
	*out = made, made = (clpac__line_search){.n_samples = 0};
done:
	clpac__line_search_clear(&made);
	return st;
}

void clpac__line_search_clear(clpac__line_search *search)
{
	clpac__windows_clear(&search->windows);
	FREE_ALL(search->powers[0], search->powers[1]);
	*search = (clpac__line_search){.n_samples = 0};
}

void clpac__line_search_take(clpac__line_search *search, const double *x)
{
	search->x = x;
	for (int look = 0; look < CLPAC__LINE_LOOKS; look++)
		search->are_known[look] = false;
}

/* @param power of all n_bins bins above 0. */
static double height_of(const double *power, size_t n_bins, size_t at)
{
	double around[2 * (FARTHEST - NEAREST + 1)], all = 0;
	size_t n = 0;
	for (size_t i = 0; i < n_bins; i++)
		all += power[i];
	if (!(power[at - 1] > rounding * all))
		return 0;
	for (size_t i = NEAREST; i <= FARTHEST; i++) {
		around[n++] = power[at - i - 1];
		around[n++] = power[at + i - 1];
	}
	const double usual = clpac__median(around, n);
	return usual > 0 ? power[at - 1] / usual : 0;
}

clpac_status clpac__line_height(clpac__line_search *search, double line_hz, double *height, clpac_error *err)
{
	const clpac__windows *windows = &search->windows;
	const size_t n_bins = windows->transform.n / 2;
	const double place = line_hz * (double)windows->transform.n / search->rate_hz;
	*height = 0;
	if (!windows->length || !(place < (double)n_bins))
		return CLPAC_OK;
	const size_t at = (size_t)lround(place);
	if (at <= FARTHEST || at + FARTHEST >= n_bins)
		return CLPAC_OK;
	/* A height that is low in the first windows is none: their noise makes a third of a line at most. */
	for (int look = 0; look < CLPAC__LINE_LOOKS; look++) {
		if (!search->are_known[look])
			RETURN_IF_ERROR(clpac__windows_power_of(windows, search->x, search->n_samples, looks[look], 1,
								n_bins, search->powers[look], err));
		search->are_known[look] = true;
		*height = height_of(search->powers[look], n_bins, at);
		if (*height < seen)
			break;
	}
	return CLPAC_OK;
}

clpac_status clpac_signal_line(const double *x, size_t n_samples, double rate_hz, double line_hz, double *height,
			       clpac_error *err)
{
	NEED(x, height);
	clpac_status st = CLPAC_OK;
	clpac__line_search search = {.n_samples = 0};
	if (!(rate_hz > 0 && line_hz > 0 && isfinite(rate_hz) && isfinite(line_hz)))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "rate_hz is %g and line_hz %g: give numbers above 0", rate_hz,
			     line_hz);
	*height = 0;
	for (size_t t = 0; t < n_samples; t++)
		if (!isfinite(x[t]))
			return CLPAC_OK;
	TRY(clpac__line_search_make(n_samples, rate_hz, &search, err));
	clpac__line_search_take(&search, x);
	TRY(clpac__line_height(&search, line_hz, height, err));
done:
	clpac__line_search_clear(&search);
	return st;
}
