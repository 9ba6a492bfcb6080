#include "coupling/plan/separate_windows.h"

#include <stdlib.h>
#include "base/memory.h"
#include "coupling/plan/load.h"

static clpac_window stretch_of(const clpac_problem *p, size_t number)
{
	return p->stretches ? p->stretches[number] : (clpac_window){0, p->n_samples};
}

static size_t n_stretches_of(const clpac_problem *p)
{
	return p->stretches ? p->n_stretches : 1;
}

/* The samples on each side of a value that it depends on, by filters that no short stretch has shortened. */
static size_t reach_of(const clpac_problem *p)
{
	clpac_problem ample = *p;
	ample.stretches = NULL;
	ample.n_samples = CLPAC__MAX_SAMPLES;
	return clpac__problem_longest_filter(&ample) - 1;
}

/* A series of three orders or more has filters of full length. */
static bool has_short_stretch(const clpac_problem *p, size_t reach)
{
	return clpac__problem_shortest(p) < 3 * reach;
}

/* The stretch that holds a window, edges left out; n_stretches_of(p) where there is none. */
static size_t stretch_around(const clpac_problem *p, clpac_window window)
{
	const size_t n = n_stretches_of(p), edge = (size_t)p->edge_samples;
	size_t from = 0, to = n;
	while (to - from > 1) {
		const size_t middle = from + (to - from) / 2;
		if (stretch_of(p, middle).start <= window.start)
			from = middle;
		else
			to = middle;
	}
	const clpac_window in = stretch_of(p, from);
	const bool is_held = window.n_samples && window.start >= in.start && window.start - in.start >= edge &&
			     window.n_samples <= p->n_samples && window.start <= p->n_samples - window.n_samples &&
			     edge <= p->n_samples - window.n_samples - window.start &&
			     window.start + window.n_samples + edge <= in.start + in.n_samples;
	return is_held ? from : n;
}

/* The window with what its filters see: all of its stretch, or as much as filters of full length ask. */
static clpac__framed frame(const clpac_problem *p, size_t number, size_t reach)
{
	const clpac_window window = p->windows[number];
	const size_t stretch = stretch_around(p, window);
	const clpac_window in = stretch_of(p, stretch);
	size_t wanted = window.n_samples + 2 * reach;
	wanted = wanted > 3 * reach ? wanted : 3 * reach;
	clpac_window whole = in;
	if (wanted < in.n_samples && !has_short_stretch(p, reach)) {
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
	const size_t n = p->n_windows, reach = reach_of(p);
	*out = (clpac__frames){.each = clpac__alloc_array(n, sizeof *out->each),
			       .groups = clpac__alloc_array(n, sizeof *out->groups)};
	if (!out->each || !out->groups)
		RETURN_NO_MEMORY(n * (sizeof *out->each + sizeof *out->groups));
	for (size_t i = 0; i < n; i++)
		out->each[i] = frame(p, i, reach);
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
	clpac__free(frames->each);
	clpac__free(frames->groups);
	*frames = (clpac__frames){0};
}

clpac_status clpac__frames_problem(const clpac_problem *whole, const clpac__frames *frames, size_t group,
				   clpac_problem_copy **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const struct clpac__frame_group *of = &frames->groups[group];
	const clpac__framed *first = &frames->each[of->first];
	size_t *numbers;
	TRY(NEW_ARRAY(numbers, of->n));
	for (size_t i = 0; i < of->n; i++)
		numbers[i] = whole->segment_numbers ? whole->segment_numbers[first[i].window] : first[i].window;
	clpac_problem part = *whole;
	part.separate_windows = false;
	part.stretches = NULL;
	part.n_stretches = 0;
	part.n_samples = first->frame.n_samples;
	part.edge_samples = 0;
	part.windows = &first->used;
	part.n_windows = 1;
	part.n_segments = of->n;
	part.segment_numbers = numbers;
	TRY(clpac_problem_complete(&part, out, err));
done:
	clpac__free(numbers);
	return st;
}

/* --- Checks ------------------------------------------------------------------------------------- */

/* Nulls that need windows of one kind. */
static clpac_status check_null(const clpac_problem *p, size_t reach, clpac_error *err)
{
	const bool are_permuted = p->null == CLPAC_NULL_TRIALS;
	if (!p->n_surrogates || (!are_permuted && p->null != CLPAC_NULL_ALL_SHIFTS && p->null != CLPAC_NULL_PHASES))
		return CLPAC_OK;
	if (p->null == CLPAC_NULL_PHASES)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"separate_windows are given and null is CLPAC_NULL_PHASES, which needs the spectrum of a whole "
			"segment: take another null");
	for (size_t i = 0; i < p->n_windows; i++) {
		const clpac__framed own = frame(p, i, reach);
		if (own.used.n_samples != p->windows[0].n_samples)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "null is %s, and windows[0] has %zu samples, windows[%zu] %zu: give windows of "
				     "one length",
				     are_permuted ? "CLPAC_NULL_TRIALS" : "CLPAC_NULL_ALL_SHIFTS",
				     p->windows[0].n_samples, i, own.used.n_samples);
		const clpac_window in = stretch_of(p, own.stretch);
		const size_t before = p->windows[i].start - in.start;
		if (are_permuted && (before < reach || in.n_samples - before - own.used.n_samples < reach))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "null is CLPAC_NULL_TRIALS, and windows[%zu] is less than %zu samples, the reach "
				     "of the "
				     "longest filter, from an end of its stretch: leave it out, or take another null",
				     i, reach);
	}
	return CLPAC_OK;
}

clpac_status clpac__problem_check_separate(const clpac_problem *p, clpac_error *err)
{
	if (!p->windows)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "separate_windows is set and there are no windows: give them");
	if (p->joined_windows)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "joined_windows and separate_windows: set one of them");
	if (p->n_segments != p->n_windows)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "n_segments is %zu and there are %zu separate windows, which are the segments: give their "
			     "number, "
			     "or 0",
			     p->n_segments, p->n_windows);
	const size_t reach = reach_of(p);
	if (p->stretches && p->n_stretches > 1 && has_short_stretch(p, reach))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "stretches: the shortest has %zu samples, fewer than three orders of %zu of the longest "
			     "filter, "
			     "and windows are separate: leave it out",
			     clpac__problem_shortest(p), reach);
	for (size_t i = 0; i < p->n_windows; i++)
		if (stretch_around(p, p->windows[i]) == n_stretches_of(p))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "windows[%zu] has %zu samples from number %zu on: a window has one or more, and "
				     "lies in "
				     "one "
				     "stretch, of which edge_samples drops %zu at both ends",
				     i, p->windows[i].n_samples, p->windows[i].start, (size_t)p->edge_samples);
	return check_null(p, reach, err);
}

clpac_status clpac_problem_of_windows(const clpac_problem *problem, size_t number, clpac_problem_copy **out,
				      clpac_error *err)
{
	NEED(problem);
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *whole = NULL, *made = NULL;
	clpac__frames frames = {0};
	TRY(clpac_problem_complete(problem, &whole, err));
	if (!clpac_problem_get(whole)->separate_windows)
		FAIL(CLPAC_ERROR_ARGUMENT, "clpac_problem_of_windows: the problem has no separate_windows");
	TRY(clpac__frames_find(clpac_problem_get(whole), &frames, err));
	if (number < frames.n_groups)
		TRY(clpac__frames_problem(clpac_problem_get(whole), &frames, number, &made, err));
	*out = made;
done:
	clpac__frames_clear(&frames);
	clpac_problem_destroy(whole);
	return st;
}

/* --- The run ------------------------------------------------------------------------------------ */

/* The mean of each stretch of each channel: (channel, stretch). */
static clpac_status find_means(const clpac_problem *p, const clpac_samples *samples, double **out, clpac_error *err)
{
	const size_t n = n_stretches_of(p), first = samples->segment_starts ? samples->segment_starts[0] : 0;
	double *means = clpac__alloc_array(p->n_channels, n * sizeof *means);
	if (!means)
		RETURN_NO_MEMORY(p->n_channels * n * sizeof *means);
	for (size_t i = 0; i < p->n_channels * n; i++) {
		clpac_window at = stretch_of(p, i % n);
		at.start += first;
		means[i] = clpac__mean_of(samples->channels[i / n], samples->type, at,
					  samples->sample_stride ? samples->sample_stride : 1);
	}
	*out = means;
	return CLPAC_OK;
}

/* Runs the windows of one group. */
static clpac_status run_group(clpac__frames_run *job, const clpac_problem *whole, const clpac__frames *frames,
			      size_t group, const clpac_samples *samples, const double *of_stretches,
			      clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const struct clpac__frame_group *of = &frames->groups[group];
	const clpac__framed *own = frames->each + of->first;
	const size_t first = samples->segment_starts ? samples->segment_starts[0] : 0;
	clpac_problem_copy *problem = NULL;
	clpac_samples at = *samples;
	size_t *starts = clpac__alloc_array(of->n, sizeof *starts);
	double *means = clpac__alloc_array(whole->n_channels, of->n * sizeof *means);
	if (!starts || !means)
		FAIL_NO_MEMORY(of->n * (sizeof *starts + whole->n_channels * sizeof *means));
	for (size_t i = 0; i < of->n; i++)
		starts[i] = first + own[i].frame.start;
	for (size_t i = 0; i < whole->n_channels * of->n; i++)
		means[i] = of_stretches[i / of->n * n_stretches_of(whole) + own[i % of->n].stretch];
	at.segment_starts = starts;
	TRY(clpac__frames_problem(whole, frames, group, &problem, err));
	job->n = of->n;
	TRY(job->run(job->user, clpac_problem_get(problem), &at, means, out, err));
done:
	clpac_problem_destroy(problem);
	clpac__free(starts);
	clpac__free(means);
	return st;
}

/* Warnings that follow from the problem alone are the same for all groups, and are said once. */
static void say_once(clpac_report *report, const clpac_report *of_first)
{
	static const clpac_warning_kind kinds[] = {CLPAC_WARN_NARROW_AMPLITUDE, CLPAC_WARN_OVERLAP,
						   CLPAC_WARN_MIN_SHIFT, CLPAC_WARN_SHORT_SERIES};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		report->warnings[kinds[i]] = of_first->warnings[kinds[i]];
}

static clpac_status join(const clpac_problem *whole, const clpac__frames *frames, clpac_result *const *results,
			 clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	char *text = NULL;
	size_t *places = clpac__alloc_array(whole->n_windows, sizeof *places), n = 0;
	if (!places)
		FAIL_NO_MEMORY(whole->n_windows * sizeof *places);
	for (size_t group = 0; group < frames->n_groups; group++)
		for (size_t i = 0; i < frames->groups[group].n; i++)
			places[n++] = frames->each[frames->groups[group].first + i].window;
	TRY(clpac_result_stack(results, frames->n_groups, places, &made, err));
	say_once(clpac_result_report(made), clpac_result_report(results[0]));
	TRY(clpac_problem_write(whole, &text, err));
	TRY(clpac_result_set_problem(made, text, err));
	if (whole->family == CLPAC_FAMILY_RUN)
		TRY(clpac_result_correct(made, whole, err));
	*out = made;
	made = NULL;
done:
	clpac_text_free(text);
	clpac__free(places);
	clpac_result_destroy(made);
	return st;
}

clpac_status clpac__run_separate(clpac__frames_run *job, const clpac_problem *whole, const clpac_samples *samples,
				 clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__frames frames = {0};
	clpac_result **results = NULL;
	double *means = NULL;
	TRY(clpac__frames_find(whole, &frames, err));
	if (!(results = clpac__alloc_array(frames.n_groups, sizeof(clpac_result *))))
		FAIL_NO_MEMORY(frames.n_groups * sizeof(clpac_result *));
	TRY(find_means(whole, samples, &means, err));
	job->before = 0;
	job->all = whole->n_windows;
	for (size_t group = 0; group < frames.n_groups; group++) {
		TRY(run_group(job, whole, &frames, group, samples, means, &results[group], err));
		job->before += job->n;
	}
	TRY(join(whole, &frames, results, out, err));
done:
	for (size_t group = 0; results && group < frames.n_groups; group++)
		clpac_result_destroy(results[group]);
	clpac__free(results);
	clpac__free(means);
	clpac__frames_clear(&frames);
	return st;
}
