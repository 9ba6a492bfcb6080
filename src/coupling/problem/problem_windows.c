/* The stretches of segments, each filtered as if recorded alone, and the windows of samples that are used: what they
 * add up to, and the shifts that fit. */
#include "coupling/problem/problem.h"

#include "base/memory.h"

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
