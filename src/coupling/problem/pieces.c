#include "coupling/problem/pieces.h"

#include "base/memory.h"
#include "coupling/problem/problem.h"

size_t clpac__staged_gap(const clpac_problem *p)
{
	return p->stretches ? 2 * (clpac__problem_longest_filter(p) - 1) : 0;
}

size_t clpac__staged_samples(const clpac_problem *p)
{
	size_t n = 0, gaps;
	if (!clpac__size_mul(clpac__problem_n_stretches(p) - 1, clpac__staged_gap(p), &gaps))
		return 0;
	for (size_t i = 0; i < clpac__problem_n_stretches(p); i++)
		n += clpac__problem_stretch(p, i).n_samples;
	return clpac__size_add(n, gaps, &n) ? n : 0;
}

clpac__pieces clpac__pieces_begin(const clpac_problem *p)
{
	return (clpac__pieces){.problem = p, .gap = clpac__staged_gap(p)};
}

static void go_on(clpac__pieces *walk)
{
	walk->staged += clpac__problem_stretch(walk->problem, walk->stretch).n_samples + walk->gap;
	walk->stretch++;
}

bool clpac__pieces_next(clpac__pieces *walk, clpac__piece *out)
{
	const clpac_problem *p = walk->problem;
	const size_t n = p->windows ? p->n_windows : clpac__problem_n_stretches(p), edge = (size_t)p->edge_samples;
	if (walk->next == n)
		return false;
	if (p->windows) {
		const clpac_window window = p->windows[walk->next];
		clpac_window in = clpac__problem_stretch(p, walk->stretch);
		while (window.start >= in.start + in.n_samples) {
			go_on(walk);
			in = clpac__problem_stretch(p, walk->stretch);
		}
		*out = (clpac__piece){walk->staged + window.start - in.start, window.n_samples, walk->place};
	} else {
		if (walk->next)
			go_on(walk);
		*out = (clpac__piece){walk->staged + edge,
				      clpac__problem_stretch(p, walk->stretch).n_samples - 2 * edge, walk->place};
	}
	walk->next++;
	walk->place += out->n;
	return true;
}
