#include "oracle_pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static clpac_window stretch_of(const clpac_problem *p, size_t number)
{
	return p->stretches ? p->stretches[number] : (clpac_window){0, p->n_samples};
}

static size_t n_stretches(const clpac_problem *p)
{
	return p->stretches ? p->n_stretches : 1;
}

bool oracle_is_usable(const clpac_problem *p, const double *x)
{
	bool is_constant = true;
	for (size_t s = 0; s < n_stretches(p); s++) {
		const clpac_window at = stretch_of(p, s);
		for (size_t t = at.start; t < at.start + at.n_samples; t++) {
			if (!isfinite(x[t]))
				return false;
			is_constant = is_constant && x[t] == x[at.start];
		}
	}
	return !is_constant;
}

/* Copies samples from .. from + n - 1 of the bands of a stretch to `place` of all that are used. */
static void copy(const oracle_signals *part, size_t from, size_t n, oracle_signals *all, size_t place)
{
	for (size_t b = 0; b < all->n_phase; b++) {
		const size_t to = b * all->kept + place, at = b * part->kept + from;
		memcpy(all->phase + to, part->phase + at, n * sizeof *all->phase);
		memcpy(all->direction + to, part->direction + at, n * sizeof *all->direction);
		memcpy(all->strength + to, part->strength + at, n * sizeof *all->strength);
		memcpy(all->bins + to, part->bins + at, n * sizeof *all->bins);
	}
	for (size_t b = 0; b < all->n_amplitude; b++)
		memcpy(all->amplitude + b * all->kept + place, part->amplitude + b * part->kept + from,
		       n * sizeof *all->amplitude);
}

oracle_signals *oracle_pieces(const clpac_problem *p, const double *x)
{
	if (!p->stretches && !p->windows)
		return oracle_analyse(p, x);
	const size_t edge = (size_t)p->edge_samples;
	oracle_signals *all = calloc(1, sizeof *all);
	*all = (oracle_signals){.n_phase = p->n_phase_bands,
				.n_amplitude = p->n_amplitude_bands,
				.n_bins = p->n_bins,
				.average = p->average};
	for (size_t s = 0; !p->windows && s < n_stretches(p); s++)
		all->kept += stretch_of(p, s).n_samples - 2 * edge;
	for (size_t w = 0; p->windows && w < p->n_windows; w++)
		all->kept += p->windows[w].n_samples;
	all->phase = calloc(all->n_phase * all->kept, sizeof *all->phase);
	all->direction = calloc(all->n_phase * all->kept, sizeof *all->direction);
	all->strength = calloc(all->n_phase * all->kept, sizeof *all->strength);
	all->bins = calloc(all->n_phase * all->kept, sizeof *all->bins);
	all->amplitude = calloc(all->n_amplitude * all->kept, sizeof *all->amplitude);
	size_t place = 0;
	for (size_t s = 0, w = 0; s < n_stretches(p); s++) {
		const clpac_window at = stretch_of(p, s);
		clpac_problem alone = *p;
		alone.stretches = alone.windows = NULL;
		alone.n_samples = at.n_samples;
		alone.edge_samples = 0;
		oracle_signals *part = oracle_analyse(&alone, x + at.start);
		all->n_doubtful += part->n_doubtful;
		if (!p->windows) {
			copy(part, edge, at.n_samples - 2 * edge, all, place);
			place += at.n_samples - 2 * edge;
		}
		for (; p->windows && w < p->n_windows && p->windows[w].start < at.start + at.n_samples; w++) {
			copy(part, p->windows[w].start - at.start, p->windows[w].n_samples, all, place);
			place += p->windows[w].n_samples;
		}
		oracle_signals_free(part);
	}
	return all;
}
