/* Checks whether the stretches and windows of a problem can be computed. */
#include "coupling/problem/frames.h"

/* Refuses choices that cannot be computed of parts of a segment. */
static clpac_status check_choices(const clpac_problem *p, clpac_error *err)
{
	const char *name = p->stretches ? "stretches" : "windows";
	if (p->hilbert == CLPAC_HILBERT_TRIMMED)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "hilbert is CLPAC_HILBERT_TRIMMED, which takes all kept samples at once, and %s are "
			     "given: take "
			     "CLPAC_HILBERT_LOCAL",
			     name);
	if (p->stretches && p->null == CLPAC_NULL_PHASES && p->n_surrogates)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "null is CLPAC_NULL_PHASES, which needs the spectrum of a whole segment, "
			     "and stretches are given: take another null");
	for (size_t i = 0; i < p->n_measures; i++)
		if (p->measures[i] == CLPAC_MEASURE_PLV)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "a measure is plv, which filters the amplitudes of a whole segment once more, "
				     "and %s are given: take another measure",
				     name);
	return CLPAC_OK;
}

clpac_status clpac__problem_check_stretches(const clpac_problem *p, clpac_error *err)
{
	size_t end = 0;
	if (p->stretches || p->windows)
		RETURN_IF_ERROR(check_choices(p, err));
	for (size_t i = 0; p->stretches && i < p->n_stretches; i++) {
		const clpac_window at = p->stretches[i];
		if (!at.n_samples || at.start > p->n_samples || at.n_samples > p->n_samples - at.start)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "stretches[%zu] has %zu samples from number %zu on, and n_samples is %zu: a "
				     "stretch has "
				     "one "
				     "or more, and lies in the segment",
				     i, at.n_samples, at.start, p->n_samples);
		if (at.start < end)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "stretches[%zu] begins with sample %zu, and the one before ends before %zu: give "
				     "them in "
				     "the "
				     "order of time, without a common sample",
				     i, at.start, end);
		end = at.start + at.n_samples;
	}
	return CLPAC_OK;
}

/* The null of windows that are not joined. */
static clpac_status check_joined_null(const clpac_problem *p, clpac_error *err)
{
	if (!clpac__problem_has_own_null(p))
		return CLPAC_OK;
	if (p->null == CLPAC_NULL_ALL_SHIFTS || p->shifts)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s, and %zu windows are given, which take a shift each, drawn at random: set "
			     "joined_windows to "
			     "shift them as one row, or take CLPAC_NULL_SHIFTS without a list",
			     p->shifts ? "shifts are given" : "null is CLPAC_NULL_ALL_SHIFTS", p->n_windows);
	for (size_t i = 0; i < p->n_windows; i++) {
		const size_t n = p->windows[i].n_samples;
		if (p->null == CLPAC_NULL_SHIFTS && p->min_shift > n / 2)
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"min_shift is %zu samples and windows[%zu] has %zu: no shift lies in [min_shift, %zu - "
				"min_shift]; give at most %zu, longer windows, or joined_windows",
				p->min_shift, i, n, n, n / 2);
		if (p->null == CLPAC_NULL_TRIALS && n != p->windows[0].n_samples)
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"null is CLPAC_NULL_TRIALS, and windows[0] has %zu samples, windows[%zu] %zu: windows "
				"that "
				"are permuted have one length",
				p->windows[0].n_samples, i, n);
	}
	return CLPAC_OK;
}

/* Nulls that need windows of one kind. */
static clpac_status check_separate_null(const clpac_problem *p, size_t reach, clpac_error *err)
{
	const bool are_permuted = p->null == CLPAC_NULL_TRIALS;
	if (!p->n_surrogates || (!are_permuted && p->null != CLPAC_NULL_ALL_SHIFTS && p->null != CLPAC_NULL_PHASES))
		return CLPAC_OK;
	if (p->null == CLPAC_NULL_PHASES)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "null is CLPAC_NULL_PHASES, which needs the spectrum of a whole segment, and "
			     "separate_windows are given: take another null");
	for (size_t i = 0; i < p->n_windows; i++) {
		const clpac__framed own = clpac__frame_of(p, i, reach);
		if (own.used.n_samples != p->windows[0].n_samples)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "null is %s, and windows[0] has %zu samples, windows[%zu] %zu: give windows of "
				     "one length",
				     are_permuted ? "CLPAC_NULL_TRIALS" : "CLPAC_NULL_ALL_SHIFTS",
				     p->windows[0].n_samples, i, own.used.n_samples);
		const clpac_window in = clpac__problem_stretch(p, own.stretch);
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

static clpac_status check_separate(const clpac_problem *p, clpac_error *err)
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
	const size_t reach = clpac__frames_reach(p);
	if (p->stretches && p->n_stretches > 1 && clpac__frames_has_short_stretch(p, reach))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "stretches: the shortest has %zu samples, fewer than three orders of %zu of the longest "
			     "filter, "
			     "and windows are separate: leave it out",
			     clpac__problem_shortest(p), reach);
	for (size_t i = 0; i < p->n_windows; i++)
		if (clpac__frames_stretch(p, p->windows[i]) == clpac__problem_n_stretches(p))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "windows[%zu] has %zu samples from number %zu on: a window has one or more, and "
				     "lies in "
				     "one "
				     "stretch, of which edge_samples drops %zu at both ends",
				     i, p->windows[i].n_samples, p->windows[i].start, (size_t)p->edge_samples);
	return check_separate_null(p, reach, err);
}

clpac_status clpac__problem_check_windows(const clpac_problem *p, clpac_error *err)
{
	const size_t edge = (size_t)p->edge_samples;
	size_t stretch = 0;
	for (size_t i = 0; p->stretches && i < p->n_stretches; i++)
		if (edge >= (p->stretches[i].n_samples + 1) / 2)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "edge_samples is %zu at both ends and stretches[%zu] has %zu samples: nothing is "
				     "left of "
				     "it; "
				     "give a smaller edge, or leave the stretch out",
				     edge, i, p->stretches[i].n_samples);
	if (p->separate_windows) {
		return check_separate(p, err);
	}
	for (size_t i = 0; p->windows && i < p->n_windows; i++) {
		const clpac_window at = p->windows[i], *before = i ? &p->windows[i - 1] : NULL;
		clpac_window in = clpac__problem_stretch(p, stretch);
		if (before &&
		    (at.start <= before->start || at.start + at.n_samples <= before->start + before->n_samples))
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"windows[%zu] begins with sample %zu and has %zu, the one before begins with %zu and "
				"has "
				"%zu: give them in the order of time, each beginning and ending behind the one before",
				i, at.start, at.n_samples, before->start, before->n_samples);
		while (stretch + 1 < clpac__problem_n_stretches(p) && at.start >= in.start + in.n_samples)
			in = clpac__problem_stretch(p, ++stretch);
		if (!at.n_samples || at.start < in.start + edge || at.start > p->n_samples ||
		    at.n_samples > p->n_samples - at.start || at.start + at.n_samples + edge > in.start + in.n_samples)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "windows[%zu] has %zu samples from number %zu on: a window has one or more, and "
				     "lies in "
				     "one "
				     "stretch, here of %zu samples from number %zu on, of which edge_samples drops %zu "
				     "at both "
				     "ends",
				     i, at.n_samples, at.start, in.n_samples, in.start, edge);
	}
	if (p->windows && !clpac__problem_kept(p))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "windows: all %zu together have more than %d samples; give fewer at once", p->n_windows,
			     CLPAC__MAX_SAMPLES);
	return check_joined_null(p, err);
}
