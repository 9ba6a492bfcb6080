#include "analysis/epochs/epochs.h"
#include "analysis/options/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/stretches/stretches.h"
#include "base/memory.h"

/* Samples that an annotation rejects, counted from the channels' first. */
typedef struct bad {
	clpac_window at;
	const char *text;
} bad;

/* Stretches and epochs that one channel uses. */
struct own {
	clpac__stretches stretches;
	clpac__fate *fates; /* of each epoch here */
};

typedef struct search {
	clpac__job_epochs *epochs;
	const clpac__epoch_source *from;
	size_t least, edge, reach; /* samples: of a stretch, and from its ends to an epoch */
	bool is_shared, is_by_condition;
	bad *bads;
	size_t n_bads, most_bads;
	clpac__stretches quiet;
	struct own *of_channels;
	size_t *segment_of; /* each epoch's place in the result; SIZE_MAX: none */
	clpac__job_segments *segments;
	clpac__job_parts *out;
	size_t n_windows, n_numbers; /* used of the parts' blocks */
} search;

/* --- What is rejected --------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const bad *x = a, *y = b;
	return (x->at.start > y->at.start) - (x->at.start < y->at.start);
}

static clpac_status find_bads(search *s, clpac_error *err)
{
	const clpac_recording *recording = s->from->recording;
	for (size_t i = 0; i < clpac_recording_n_annotations(recording); i++) {
		const clpac_annotation *annotation = clpac_recording_annotation(recording, i);
		bool is_rejected;
		RETURN_IF_ERROR(clpac__annotation_is_rejected(s->from->settings, annotation->text, &is_rejected, err));
		for (size_t p = 0; p < s->from->pieces->n && is_rejected; p++) {
			const clpac__job_segment *piece = &s->from->pieces->each[p];
			size_t first, end;
			if (!clpac__annotated_samples(annotation, piece->onset_s, s->from->channels->rate_hz,
						      piece->n_samples, &first, &end))
				continue;
			if (s->n_bads == s->most_bads) {
				s->most_bads = s->most_bads ? 2 * s->most_bads : 16;
				RETURN_IF_ERROR(GROW(s->bads, s->most_bads));
			}
			s->bads[s->n_bads++] = (bad){{piece->start + first, end - first}, annotation->text};
		}
	}
	if (s->n_bads)
		qsort(s->bads, s->n_bads, sizeof *s->bads, by_start);
	return CLPAC_OK;
}

/* The pieces without what is rejected. */
static clpac_status find_quiet(search *s, clpac_error *err)
{
	for (size_t p = 0; p < s->from->pieces->n; p++) {
		const clpac__job_segment *piece = &s->from->pieces->each[p];
		const size_t end = piece->start + piece->n_samples;
		size_t at = piece->start;
		for (size_t i = 0; i < s->n_bads && s->bads[i].at.start < end; i++) {
			const clpac_window b = s->bads[i].at;
			if (b.start + b.n_samples <= at)
				continue;
			if (b.start > at)
				RETURN_IF_ERROR(clpac__stretches_add(&s->quiet, (clpac_window){at, b.start - at}, err));
			at = b.start + b.n_samples;
		}
		if (at < end)
			RETURN_IF_ERROR(clpac__stretches_add(&s->quiet, (clpac_window){at, end - at}, err));
	}
	for (size_t e = 0; e < s->epochs->n; e++) {
		clpac__job_epoch *epoch = &s->epochs->each[e];
		for (size_t i = 0; i < s->n_bads && epoch->fate == CLPAC__EPOCH_USED; i++) {
			const clpac_window b = s->bads[i].at;
			if (b.start >= epoch->start + epoch->n_samples || b.start + b.n_samples <= epoch->start)
				continue;
			epoch->fate = CLPAC__EPOCH_REJECTED;
			epoch->cause = s->bads[i].text;
		}
	}
	return CLPAC_OK;
}

/* --- What each channel uses --------------------------------------------------------------------- */

/* Whether an epoch lies in one of these stretches, `margin` or more from its ends. */
static bool is_in(const clpac__stretches *stretches, const clpac__job_epochs *epochs, size_t e, size_t margin)
{
	const size_t start = epochs->each[e].start, n = epochs->each[e].n_samples;
	for (size_t i = 0; i < stretches->n; i++) {
		const clpac_window at = stretches->each[i];
		if (start >= at.start && start - at.start >= margin && at.n_samples >= margin &&
		    start - at.start + n <= at.n_samples - margin)
			return true;
	}
	return false;
}

/* Whether an epoch lies in the stretches of each of n channels, but for those without any. */
static bool is_in_each(const clpac__stretches *channels, size_t n, const clpac__job_epochs *epochs, size_t e)
{
	for (size_t c = 0; c < n; c++)
		if (channels[c].n && !is_in(&channels[c], epochs, e, 0))
			return false;
	return true;
}

/* @param numbers the stretches whose samples are numbers, flat or not, of n channels that share their samples.
 * @param finite those that are not flat either. */
static clpac_status look_at_channel(search *s, struct own *own, const clpac__stretches *numbers, size_t n,
				    const clpac__stretches *finite, clpac_error *err)
{
	const clpac__job_epochs *epochs = s->epochs;
	for (size_t i = 0; i < finite->n; i++)
		RETURN_IF_ERROR(clpac__stretches_add(&own->stretches, finite->each[i], err));
	clpac__stretches_keep_long(&own->stretches, s->least);
	for (size_t e = 0; e < epochs->n; e++) {
		const clpac__fate before = epochs->each[e].fate;
		own->fates[e] = before != CLPAC__EPOCH_USED		      ? before
				: is_in(&own->stretches, epochs, e, s->reach) ? CLPAC__EPOCH_USED
				: is_in(&own->stretches, epochs, e, 0)	      ? CLPAC__EPOCH_NEAR_END
				: is_in(finite, epochs, e, 0)		      ? CLPAC__EPOCH_SHORT
				: is_in_each(numbers, n, epochs, e)	      ? CLPAC__EPOCH_FLAT
									      : CLPAC__EPOCH_NO_NUMBER;
	}
	return CLPAC_OK;
}

/* Spans of which no index can be made alone: shorter than a cycle, than phase bins, or than two of the least shifts. */
static void drop_brief(search *s)
{
	const clpac_problem *p = s->from->problem;
	double least = fmax(p->n_bins, 2.0 * (double)p->min_shift);
	if (!s->epochs->are_spans || s->epochs->are_pooled)
		return;
	for (size_t b = 0; b < p->n_phase_bands; b++)
		least = fmax(least, p->rate_hz / p->phase_bands[b].lo_hz);
	for (size_t e = 0; e < s->epochs->n; e++)
		if (s->epochs->each[e].fate == CLPAC__EPOCH_USED && (double)s->epochs->each[e].n_samples < least)
			s->epochs->each[e].fate = CLPAC__EPOCH_BRIEF;
}

static clpac_status look_at_channels(search *s, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = s->from->channels->n, n_epochs = s->epochs->n;
	const clpac__missing *missing = s->from->missing;
	clpac__stretches *finite = clpac__alloc_array(n, sizeof *finite), common = {0}, next = {0};
	clpac__stretches *numbers = clpac__alloc_array(n, sizeof *numbers);
	size_t n_gaps = 0;
	bool has_any = false;
	if (!finite || !numbers || !(s->of_channels = clpac__alloc_array(n, sizeof *s->of_channels)))
		FAIL_NO_MEMORY(n * (2 * sizeof *finite + sizeof *s->of_channels));
	for (size_t c = 0; c < n; c++) {
		TRY(NEW_ARRAY(s->of_channels[c].fates, n_epochs + 1));
		TRY(clpac__stretches_finite(&s->quiet, missing ? &missing->gaps[c] : NULL, 0, &numbers[c], &n_gaps,
					    err));
		TRY(clpac__stretches_finite(&numbers[c], missing && missing->flats ? &missing->flats[c] : NULL, 0,
					    &finite[c], &n_gaps, err));
		if (!s->is_shared || !finite[c].n)
			continue;
		TRY(clpac__stretches_common(has_any ? &common : &finite[c], &finite[c], &next, err));
		has_any = true;
		clpac__stretches_clear(&common);
		common = next;
		next = (clpac__stretches){0};
	}
	for (size_t c = 0; c < n; c++)
		TRY(s->is_shared && finite[c].n
			    ? look_at_channel(s, &s->of_channels[c], numbers, n, &common, err)
			    : look_at_channel(s, &s->of_channels[c], &numbers[c], 1, &finite[c], err));
	for (size_t e = 0; e < n_epochs; e++) {
		clpac__fate fate = s->of_channels[0].fates[e];
		for (size_t c = 1; c < n && fate != CLPAC__EPOCH_USED; c++)
			fate = s->of_channels[c].fates[e] == CLPAC__EPOCH_USED ? CLPAC__EPOCH_USED : fate;
		s->epochs->each[e].fate = fate;
	}
done:
	for (size_t c = 0; finite && c < n; c++)
		clpac__stretches_clear(&finite[c]);
	for (size_t c = 0; numbers && c < n; c++)
		clpac__stretches_clear(&numbers[c]);
	FREE_ALL(finite, numbers);
	clpac__stretches_clear(&common);
	clpac__stretches_clear(&next);
	return st;
}

/* --- Segments of the result --------------------------------------------------------------------- */

static bool is_used(const search *s, size_t e)
{
	return s->epochs->each[e].fate == CLPAC__EPOCH_USED;
}

static clpac_status make_segments(search *s, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job_epochs *epochs = s->epochs;
	const size_t most = epochs->are_pooled ? epochs->n_conditions : epochs->n;
	clpac__job_segment *each = clpac__alloc_array(most + 1, sizeof *each);
	epochs->places = clpac__alloc_array(most + 1, sizeof *epochs->places);
	s->segment_of = clpac__alloc_array(epochs->n + 1, sizeof *s->segment_of);
	if (!each || !epochs->places || !s->segment_of)
		FAIL_NO_MEMORY((most + 1) * (sizeof *each + sizeof *epochs->places));
	for (size_t i = 0; i < most; i++) {
		const size_t at = epochs->n_places;
		const clpac__job_epoch *own = &epochs->each[epochs->are_pooled ? 0 : i];
		size_t n = 0;
		for (size_t e = epochs->are_pooled ? 0 : i; e < (epochs->are_pooled ? epochs->n : i + 1); e++) {
			const bool is_here = is_used(s, e) && (!epochs->are_pooled || epochs->each[e].condition == i);
			n += is_here ? epochs->each[e].n_samples : 0;
			if (is_here)
				s->segment_of[e] = at;
		}
		if (!n)
			continue;
		each[at] = epochs->are_pooled ? (clpac__job_segment){0, n, NAN, i}
					      : (clpac__job_segment){own->start, n, own->onset_s, i};
		epochs->places[epochs->n_places++] = i;
	}
	if (!epochs->n_places) {
		char why[CLPAC__EPOCHS_SIZE];
		clpac__job_epochs_sentence(epochs, why);
		FAIL(CLPAC_ERROR_FORMAT, "%.200s: no epoch is left: %s", s->from->settings->input, why);
	}
	TRY(clpac__job_segments_make(&each, epochs->n_places, s->segments, err));
done:
	clpac__free(each);
	return st;
}

/* --- Parts -------------------------------------------------------------------------------------- */

static bool are_alike(const search *s, size_t a, size_t b)
{
	const struct own *x = &s->of_channels[a], *y = &s->of_channels[b];
	if (x->stretches.n != y->stretches.n)
		return false;
	for (size_t i = 0; i < x->stretches.n; i++)
		if (x->stretches.each[i].start != y->stretches.each[i].start ||
		    x->stretches.each[i].n_samples != y->stretches.each[i].n_samples)
			return false;
	for (size_t e = 0; e < s->epochs->n; e++)
		if ((x->fates[e] == CLPAC__EPOCH_USED) != (y->fates[e] == CLPAC__EPOCH_USED))
			return false;
	return true;
}

/* Adds the part of the channels that are alike to one, with the epochs of a condition, or all (SIZE_MAX). */
static void add_part(search *s, size_t model, size_t condition, size_t n_channels, size_t *channels)
{
	const clpac__job_epochs *epochs = s->epochs;
	const struct own *own = &s->of_channels[model];
	clpac__job_part part = {.n_samples = s->from->channels->n_samples,
				.n_channels = n_channels,
				.channels = channels,
				.channel_numbers = channels + n_channels,
				.are_separate = !epochs->are_pooled};
	clpac_window *windows = s->out->windows + s->n_windows;
	size_t *places = s->out->numbers + s->n_numbers, *numbers = places + epochs->n;
	const clpac_window whole = own->stretches.n ? own->stretches.each[0] : (clpac_window){0, 0};
	if (own->stretches.n > 1 || whole.n_samples < part.n_samples) {
		if (own->stretches.n)
			memcpy(windows, own->stretches.each, own->stretches.n * sizeof *windows);
		part.stretches = windows;
		part.n_stretches = own->stretches.n;
		windows += own->stretches.n;
	}
	size_t n_used = 0;
	part.windows = windows;
	part.places = places;
	part.segment_numbers = numbers;
	for (size_t e = 0; e < epochs->n; e++) {
		if (own->fates[e] != CLPAC__EPOCH_USED ||
		    (condition != SIZE_MAX && epochs->each[e].condition != condition))
			continue;
		windows[part.n_windows++] = (clpac_window){epochs->each[e].start, epochs->each[e].n_samples};
		n_used += epochs->each[e].n_samples;
		if (epochs->are_pooled && part.n_segments)
			continue;
		places[part.n_segments] = s->segment_of[e];
		numbers[part.n_segments++] = epochs->are_pooled ? condition : e;
	}
	if (!part.n_windows)
		return;
	part.n_used = epochs->are_pooled ? n_used : n_used / part.n_windows;
	for (size_t i = 0; i < n_channels; i++)
		for (size_t k = 0; k < part.n_segments; k++)
			s->out->n_used[channels[i] * s->segments->n + places[k]] =
				epochs->are_pooled ? n_used : windows[k].n_samples;
	s->n_windows += own->stretches.n + part.n_windows;
	s->n_numbers += 2 * epochs->n;
	s->out->each[s->out->n++] = part;
}

static clpac_status make_room(search *s, clpac_error *err)
{
	clpac__job_parts *out = s->out;
	const size_t n_channels = s->from->channels->n, n_epochs = s->epochs->n;
	const size_t n_sets = s->is_by_condition ? s->epochs->n_conditions : 1;
	size_t n_parts, n_windows = n_epochs, n_numbers;
	for (size_t c = 0; c < n_channels; c++)
		n_windows += s->of_channels[c].stretches.n * n_sets + n_epochs;
	if (!clpac__size_mul(n_channels, n_sets, &n_parts) || !clpac__size_mul(n_parts, n_epochs, &n_numbers) ||
	    !(out->each = clpac__alloc_array(n_parts, sizeof *out->each)) ||
	    !(out->n_used = clpac__alloc_array(n_channels, s->segments->n * sizeof *out->n_used)) ||
	    !(out->numbers = clpac__alloc_array(n_epochs + n_numbers + n_channels, 2 * sizeof *out->numbers)) ||
	    !(out->windows = clpac__alloc_array(n_windows, sizeof *out->windows)))
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%zu epochs of %zu channels: the host has no memory left", n_epochs,
			     n_channels);
	/* All of them first, for clpac__epoch_parts_problem. */
	for (size_t i = 0; i < s->segments->n; i++) {
		const clpac__job_segment *own = &s->segments->each[i];
		out->windows[i] = (clpac_window){own->start, own->n_samples};
		out->numbers[i] = own->number;
	}
	s->n_windows = n_epochs;
	s->n_numbers = n_epochs;
	return CLPAC_OK;
}

static clpac_status make_parts(search *s, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = s->from->channels->n;
	const size_t n_sets = s->is_by_condition ? s->epochs->n_conditions : 1;
	bool *is_taken;
	TRY(NEW_ARRAY(is_taken, n));
	TRY(make_room(s, err));
	for (size_t c = 0; c < n; c++) {
		size_t *channels = s->out->numbers + s->n_numbers, n_alike = 0;
		for (size_t k = c; k < n && !is_taken[c]; k++)
			n_alike += are_alike(s, c, k);
		if (!n_alike)
			continue;
		for (size_t k = n, at = n_alike; k-- > c;)
			if (are_alike(s, c, k)) {
				is_taken[k] = true;
				channels[--at] = k;
				channels[n_alike + at] = s->from->channels->numbers[k];
			}
		s->n_numbers += 2 * n_alike;
		for (size_t set = 0; set < n_sets; set++)
			add_part(s, c, s->is_by_condition ? set : SIZE_MAX, n_alike, channels);
	}
done:
	clpac__free(is_taken);
	return st;
}

/* Leaves out parts that cannot be computed, with the reason. */
static clpac_status check_parts(search *s, clpac_error *err)
{
	clpac__parts_left_out out;
	RETURN_IF_ERROR(clpac__job_parts_sift(s->out, s->segments->n, s->from->problem, &out, err));
	if (out.are_unequal)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--null shift=all: conditions have %zu and %zu samples, and so many shifts; take another "
			     "null",
			     out.n_used[0], out.n_used[1]);
	clpac__name_options(&out.why);
	if (!s->out->n)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s: epochs of %g s: %s%s", clpac__job_epochs_option(s->epochs),
			     (double)s->segments->lengths[0] / s->from->channels->rate_hz, out.why.text,
			     s->epochs->are_pooled || s->epochs->are_sliding
				     ? ""
				     : "; --pool computes one index of all epochs of a condition");
	if (out.n)
		clpac__analysis_warn(s->from->settings, out.n, "%zu of %zu epochs of channels are left out: %s", out.n,
				     s->segments->n * s->from->channels->n, out.why.text);
	return CLPAC_OK;
}

/* The problem of the longest piece without surrogates: what filters ask of a stretch does not depend on them. */
static clpac_status find_least(search *s, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem p = *s->from->problem;
	size_t reach = 0;
	p.size = sizeof p;
	p.n_samples = s->from->pieces->lengths[0];
	p.n_channels = p.n_segments = 1;
	p.channel_numbers = p.segment_numbers = NULL;
	p.null = CLPAC_NULL_SHIFTS;
	p.n_surrogates = p.min_shift = 0;
	p.shifts = NULL;
	p.pairs = NULL;
	p.n_pairs = 0;
	p.cluster_alpha = 0;
	st = clpac__job_parts_least(&p, &s->least, &s->edge, &reach, err);
	if (st != CLPAC_OK)
		clpac__name_options(err);
	s->reach = s->edge;
	if (s->is_by_condition && !s->epochs->are_pooled)
		s->reach = reach > s->edge ? reach : s->edge;
	return st;
}

clpac_status clpac__epoch_parts_find(clpac__job_epochs *epochs, const clpac__epoch_source *from,
				     clpac__job_segments *segments, clpac__job_parts *parts, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = from->problem;
	clpac__job_parts made = {0};
	clpac__job_segments cut = {0};
	search s = {.epochs = epochs, .from = from, .segments = &cut, .out = &made};
	s.is_shared = p->share_shifts || p->family == CLPAC_FAMILY_RUN || p->null == CLPAC_NULL_ALL_SHIFTS || p->pairs;
	s.is_by_condition =
		epochs->are_pooled || epochs->are_trials || (p->null == CLPAC_NULL_TRIALS && p->n_surrogates);
	TRY(find_least(&s, err));
	made.least_samples = s.least;
	TRY(find_bads(&s, err));
	TRY(find_quiet(&s, err));
	drop_brief(&s);
	TRY(look_at_channels(&s, err));
	TRY(make_segments(&s, err));
	TRY(make_parts(&s, err));
	TRY(clpac__job_parts_pair(&made, p, err));
	TRY(check_parts(&s, err));
	*segments = cut;
	*parts = made;
	cut = (clpac__job_segments){0};
	made = (clpac__job_parts){0};
done:
	for (size_t c = 0; s.of_channels && c < from->channels->n; c++) {
		clpac__stretches_clear(&s.of_channels[c].stretches);
		clpac__free(s.of_channels[c].fates);
	}
	FREE_ALL(s.of_channels, s.bads, s.segment_of);
	clpac__stretches_clear(&s.quiet);
	clpac__job_segments_clear(&cut);
	clpac__job_parts_clear(&made);
	return st;
}

clpac_problem clpac__epoch_parts_problem(const clpac__job_parts *parts, const clpac__chosen_channels *channels,
					 const clpac__job_segments *segments, const clpac_problem *of_job)
{
	clpac_problem problem = clpac__job_part_problem(&parts->each[0], of_job);
	problem.n_channels = channels->n;
	problem.channel_numbers = clpac__unless_counted(channels->numbers, channels->n);
	if (!parts->each[0].are_separate && segments->n == 1)
		return problem;
	problem.stretches = NULL;
	problem.n_stretches = 0;
	problem.n_segments = segments->n;
	problem.segment_numbers = clpac__unless_counted(parts->numbers, segments->n);
	problem.windows = problem.separate_windows ? parts->windows : NULL;
	problem.n_windows = problem.separate_windows ? segments->n : 0;
	problem.joined_windows = false;
	return problem;
}
