/* Facts that follow from a problem's members. */
#include "coupling/problem/problem.h"

#include "base/memory.h"
#include "coupling/signal/bands.h"
#include "coupling/signal/filter.h"

/* --- Stretches and windows -------------------------------------------------------------------- */

/* The stretches of segments, each filtered as if recorded alone, and the windows of samples that are used: what they
 * add up to, and the shifts that fit. */

size_t clpac__problem_shortest(const clpac_problem *p)
{
	size_t shortest = p->n_samples;
	for (size_t i = 0; p->stretches && i < p->n_stretches; i++)
		if (p->stretches[i].n_samples < shortest)
			shortest = p->stretches[i].n_samples;
	return shortest;
}

static size_t shortest_window(const clpac_problem *p)
{
	size_t shortest = SIZE_MAX;
	for (size_t i = 0; i < p->n_windows; i++)
		shortest = p->windows[i].n_samples < shortest ? p->windows[i].n_samples : shortest;
	return p->n_windows ? shortest : 0;
}

bool clpac__problem_has_own_null(const clpac_problem *p)
{
	return p->windows && p->n_windows > 1 && !p->joined_windows && !p->separate_windows && p->n_surrogates;
}

size_t clpac__problem_kept(const clpac_problem *p)
{
	const size_t edge = p->edge_samples > 0 ? (size_t)p->edge_samples : 0;
	size_t kept = 0;
	if (p->windows && p->separate_windows)
		return shortest_window(p);
	for (size_t i = 0; p->windows && i < p->n_windows; i++)
		if (!clpac__size_add(kept, p->windows[i].n_samples, &kept) || kept > CLPAC__MAX_SAMPLES)
			return 0;
	for (size_t i = 0; !p->windows && i < clpac__problem_n_stretches(p); i++) {
		const size_t n = clpac__problem_stretch(p, i).n_samples;
		if (edge > n / 2 || !clpac__size_add(kept, n - 2 * edge, &kept))
			return 0;
	}
	return kept;
}

bool clpac__problem_shifts_windows(const clpac_problem *p)
{
	return clpac__problem_has_own_null(p) && p->null == CLPAC_NULL_SHIFTS;
}

bool clpac__problem_permutes_windows(const clpac_problem *p)
{
	return clpac__problem_has_own_null(p) && p->null == CLPAC_NULL_TRIALS;
}

size_t clpac__problem_first_shift(const clpac_problem *p)
{
	return (p->min_shift + p->shift_step - 1) / p->shift_step * p->shift_step;
}

size_t clpac__problem_all_shifts(const clpac_problem *p)
{
	const size_t kept = p->edge_samples < 0 ? 0 : clpac__problem_kept(p);
	if (!kept || p->min_shift > kept / 2 || p->shift_step > p->n_samples)
		return 0;
	const size_t first = clpac__problem_first_shift(p), last = kept - p->min_shift;
	return first <= last ? (last - first) / p->shift_step + 1 : 0;
}

/* --- Bands of cells, and lengths of filters --------------------------------------------------- */

/* The amplitude bands of cells, and the lengths of a problem's filters. */

bool clpac__problem_cell_band(const clpac_problem *problem, size_t phase, size_t amplitude, clpac_band *band)
{
	*band = problem->amplitude_bands[amplitude];
	if (!problem->tied_amplitudes)
		return true;
	*band = clpac__band_tied(problem->phase_bands[phase], *band);
	return clpac__band_fits(*band, problem->rate_hz);
}

size_t clpac__problem_cell_order(const clpac_problem *p, size_t ph, size_t am, clpac_band *band)
{
	if (!clpac__problem_cell_band(p, ph, am, band))
		return 0;
	return clpac__filter_order(p->rate_hz, band->lo_hz, p->amplitude_cycles, clpac__problem_shortest(p), NULL);
}

/* Taps of the longest filter of a use's bands. */
static size_t longest_of(const clpac_problem *p, const clpac_band *bands, size_t n, double cycles, clpac_taps taps)
{
	size_t longest = 0;
	for (size_t b = 0; b < n; b++) {
		size_t n_taps = taps.n_taps;
		if (!n_taps)
			n_taps = 1 + clpac__filter_order(p->rate_hz, bands[b].lo_hz, cycles, clpac__problem_shortest(p),
							 NULL);
		longest = n_taps > longest ? n_taps : longest;
	}
	return longest;
}

static size_t longest_of_cells(const clpac_problem *p)
{
	size_t longest = 0;
	for (size_t cell = 0; cell < p->n_phase_bands * p->n_amplitude_bands; cell++) {
		clpac_band band;
		const size_t n_taps = 1 + clpac__problem_cell_order(p, cell / p->n_amplitude_bands,
								    cell % p->n_amplitude_bands, &band);
		longest = n_taps > longest ? n_taps : longest;
	}
	return longest;
}

size_t clpac__problem_longest_filter(const clpac_problem *p)
{
	const size_t phase = longest_of(p, p->phase_bands, p->n_phase_bands, p->phase_cycles, p->phase_taps);
	const size_t amplitude = p->tied_amplitudes ? longest_of_cells(p)
						    : longest_of(p, p->amplitude_bands, p->n_amplitude_bands,
								 p->amplitude_cycles, p->amplitude_taps);
	return phase > amplitude ? phase : amplitude;
}

/* --- Measures --------------------------------------------------------------------------------- */

/* Facts about the measures of a problem. */

bool clpac__problem_has_linear(const clpac_problem *problem)
{
	for (size_t i = 0; i < problem->n_measures; i++)
		if (clpac_measure_is_linear(problem->measures[i]))
			return true;
	return false;
}

bool clpac__problem_has_binned(const clpac_problem *problem)
{
	if (!problem->n_measures) /* the default is filled in later */
		return true;
	for (size_t i = 0; i < problem->n_measures; i++)
		if (!clpac_measure_is_linear(problem->measures[i]))
			return true;
	return false;
}

bool clpac__problem_has_locking(const clpac_problem *p)
{
	for (size_t i = 0; i < p->n_measures; i++)
		if (p->measures[i] == CLPAC_MEASURE_PLV)
			return true;
	return false;
}

bool clpac__measure_has_unit(clpac_measure measure)
{
	return measure == CLPAC_MEASURE_MVL || measure == CLPAC_MEASURE_DPAC;
}
