/* The part of an axis that each band takes. */
#include "recording/plot/plot_parts.h"
#include "base/memory.h"

#include <math.h>

/* Tolerance of even spacing.  Centres typed as decimals or computed from a logarithmic list are much closer. */
static const double same_spacing = 0.01, same_frequency = 1e-9;

static double centre(const clpac__cells *cells, size_t i)
{
	clpac_band band = cells->bands[cells->order[i]];
	return (band.lo_hz + band.hi_hz) / 2;
}

/* Insertion sort: lists of bands are short and almost always in order. */
static void sort(clpac__cells *cells)
{
	for (size_t i = 0; i < cells->n; i++) {
		size_t at = i;
		cells->order[i] = i;
		for (double mine = centre(cells, i); at > 0 && centre(cells, at - 1) > mine; at--)
			cells->order[at] = cells->order[at - 1];
		cells->order[at] = i;
	}
}

static bool have_a_common_centre(const clpac__cells *cells)
{
	for (size_t i = 0; i + 1 < cells->n; i++)
		if (centre(cells, i + 1) - centre(cells, i) <= same_frequency * centre(cells, i + 1))
			return true;
	return false;
}

static bool do_abut(const clpac__cells *cells)
{
	for (size_t i = 0; i + 1 < cells->n; i++) {
		double hi = cells->bands[cells->order[i]].hi_hz, lo = cells->bands[cells->order[i + 1]].lo_hz;
		if (fabs(hi - lo) > same_frequency * hi)
			return false;
	}
	return true;
}

/* Evenly spaced in the logarithm, and not also linearly, as two or nearly equal centres are. */
static bool is_geometric(const clpac__cells *cells)
{
	if (cells->n < 3 || !(centre(cells, 0) > 0))
		return false;
	double ratio = log(centre(cells, 1) / centre(cells, 0)), step = centre(cells, 1) - centre(cells, 0);
	bool is_even = true;
	for (size_t i = 1; i + 1 < cells->n; i++) {
		double a = centre(cells, i), b = centre(cells, i + 1);
		if (fabs(log(b / a) - ratio) > same_spacing * ratio)
			return false;
		is_even &= fabs(b - a - step) <= same_spacing * step;
	}
	return !is_even;
}

static void place_named(clpac__cells *cells)
{
	for (size_t i = 0; i <= cells->n; i++)
		cells->edges[i] = (double)i;
	cells->is_named = true;
}

static void place_as_wide_as_bands(clpac__cells *cells)
{
	cells->edges[0] = cells->bands[cells->order[0]].lo_hz;
	for (size_t i = 0; i < cells->n; i++)
		cells->edges[i + 1] = cells->bands[cells->order[i]].hi_hz;
}

/* Edges half way between centres, as the axis measures; outer cells extend outwards as far as inwards. */
static void place_around_centres(clpac__cells *cells)
{
	size_t n = cells->n;
	bool is_log = cells->range.is_logarithmic;
	for (size_t i = 0; i + 1 < n; i++) {
		double a = centre(cells, i), b = centre(cells, i + 1);
		cells->edges[i + 1] = is_log ? sqrt(a * b) : (a + b) / 2;
	}
	double first = centre(cells, 0), last = centre(cells, n - 1);
	cells->edges[0] = is_log ? first * first / cells->edges[1] : fmax(2 * first - cells->edges[1], 0);
	cells->edges[n] = is_log ? last * last / cells->edges[n - 1] : 2 * last - cells->edges[n - 1];
}

clpac_status clpac__cells_create(const clpac_band *bands, size_t n, clpac__cells *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__cells made = {.n = n, .bands = bands};
	made.order = clpac__alloc_array(n, sizeof *made.order);
	made.edges = clpac__alloc_array(n + 1, sizeof *made.edges);
	if (!made.order || !made.edges)
		FAIL(CLPAC_ERROR_NO_MEMORY, "plot: the host has no memory left for the places of %zu bands", n);
	/* Bands from a file may be anything; no axis can be drawn through these. */
	for (size_t i = 0; i < n; i++)
		if (!(bands[i].lo_hz >= 0) || !(bands[i].hi_hz > bands[i].lo_hz) || !isfinite(bands[i].hi_hz))
			FAIL(CLPAC_ERROR_ARGUMENT, "plot: band %zu is %g to %g Hz: a band needs 0 <= lo < hi", i,
			     bands[i].lo_hz, bands[i].hi_hz);
	sort(&made);
	if (have_a_common_centre(&made)) {
		place_named(&made);
	} else if (do_abut(&made)) {
		place_as_wide_as_bands(&made);
	} else {
		made.range.is_logarithmic = is_geometric(&made);
		place_around_centres(&made);
	}
	made.range.lo = made.edges[0];
	made.range.hi = made.edges[n];
	*out = made;
	made = (clpac__cells){0};
done:
	clpac__cells_destroy(&made);
	return st;
}

void clpac__cells_destroy(clpac__cells *cells)
{
	FREE_ALL(cells->order, cells->edges);
	*cells = (clpac__cells){0};
}
