#include "coupling/problem/frames.h"

#include <stdlib.h>
#include "base/memory.h"

size_t clpac__frames_reach(const clpac_problem *p)
{
	clpac_problem ample = *p;
	ample.stretches = NULL;
	ample.n_samples = CLPAC__MAX_SAMPLES;
	return clpac__problem_longest_filter(&ample) - 1;
}

bool clpac__frames_has_short_stretch(const clpac_problem *p, size_t reach)
{
	return clpac__problem_shortest(p) < 3 * reach;
}

size_t clpac__frames_stretch(const clpac_problem *p, clpac_window window)
{
	const size_t n = clpac__problem_n_stretches(p), edge = (size_t)p->edge_samples;
	size_t from = 0, to = n;
	while (to - from > 1) {
		const size_t middle = from + (to - from) / 2;
		if (clpac__problem_stretch(p, middle).start <= window.start)
			from = middle;
		else
			to = middle;
	}
	const clpac_window in = clpac__problem_stretch(p, from);
	const bool is_held = window.n_samples && window.start >= in.start && window.start - in.start >= edge &&
			     window.n_samples <= p->n_samples && window.start <= p->n_samples - window.n_samples &&
			     edge <= p->n_samples - window.n_samples - window.start &&
			     window.start + window.n_samples + edge <= in.start + in.n_samples;
	return is_held ? from : n;
}

clpac__framed clpac__frame_of(const clpac_problem *p, size_t number, size_t reach)
{
	const clpac_window window = p->windows[number];
	const size_t stretch = clpac__frames_stretch(p, window);
	const clpac_window in = clpac__problem_stretch(p, stretch);
	size_t wanted = window.n_samples + 2 * reach;
	wanted = wanted > 3 * reach ? wanted : 3 * reach;
	clpac_window whole = in;
	if (wanted < in.n_samples && !clpac__frames_has_short_stretch(p, reach)) {
		const size_t before = (wanted - window.n_samples) / 2, last = in.start + in.n_samples - wanted;
		whole.start = window.start - in.start > before ? window.start - before : in.start;
		whole.start = whole.start < last ? whole.start : last;
		whole.n_samples = wanted;
	}
	return (clpac__framed){
		.frame = whole,
		.used = {window.start - whole.start, window.n_samples},
		.stretch = stretch,
		.window = number,
	};
}

static int compare(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int by_kind(const clpac__framed *x, const clpac__framed *y)
{
	int order = compare(x->frame.n_samples, y->frame.n_samples);
	order = order ? order : compare(x->used.n_samples, y->used.n_samples);
	return order ? order : compare(x->used.start, y->used.start);
}

static int by_kind_and_window(const void *a, const void *b)
{
	const clpac__framed *x = a, *y = b;
	const int order = by_kind(x, y);
	return order ? order : compare(x->window, y->window);
}

static int by_size(const void *a, const void *b)
{
	const struct clpac__frame_group *x = a, *y = b;
	return x->n != y->n ? compare(y->n, x->n) : compare(x->first, y->first);
}

clpac_status clpac__frames_find(const clpac_problem *p, clpac__frames *out, clpac_error *err)
{
	const size_t n = p->n_windows, reach = clpac__frames_reach(p);
	*out = (clpac__frames){.each = clpac__alloc_array(n, sizeof *out->each),
			       .groups = clpac__alloc_array(n, sizeof *out->groups)};
	if (!out->each || !out->groups)
		RETURN_NO_MEMORY(n * (sizeof *out->each + sizeof *out->groups));
	for (size_t i = 0; i < n; i++)
		out->each[i] = clpac__frame_of(p, i, reach);
	qsort(out->each, n, sizeof *out->each, by_kind_and_window);
	for (size_t i = 0; i < n; i++) {
		if (!i || by_kind(&out->each[i], &out->each[i - 1]) != 0)
			out->groups[out->n_groups++].first = i;
		out->groups[out->n_groups - 1].n++;
	}
	qsort(out->groups, out->n_groups, sizeof *out->groups, by_size);
	return CLPAC_OK;
}

void clpac__frames_clear(clpac__frames *frames)
{
	FREE_ALL(frames->each, frames->groups);
	*frames = (clpac__frames){0};
}
