/* The amplitude bands of cells, and the lengths of a problem's filters. */
#include "coupling/problem/problem.h"

#include "coupling/signal/bands.h"
#include "coupling/signal/filter.h"

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
