#include "analysis/stretches/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/signal.h>
#include "analysis/options/words.h"
#include "base/memory.h"
#include "base/text.h"

/* The stretches of a channel in a segment, as a place in the table of all of them. */
struct entry {
	size_t channel, segment; /* places among the job's */
	const clpac_window *stretches;
	size_t n, n_samples; /* n 0: nothing is used */
};

/* An annotation that is rejected.  Those before it in the order of onsets have ended at `all_end_s`. */
typedef struct rejected {
	clpac_annotation annotation;
	double all_end_s;
	bool is_met; /* in a segment */
} rejected;

typedef struct search {
	const clpac_recording *recording;
	const clpac__chosen_channels *channels;
	const clpac__job_segments *segments;
	const clpac__missing *missing;
	size_t least; /* samples of a stretch */
	bool are_shared, are_permuted;
	rejected *rejects;
	size_t n_rejects;
	clpac__stretches *of_channels; /* of one segment */
	struct entry *entries;	       /* (segment, channel), later sorted */
	size_t n_entries, n_gaps, n_flats;
	clpac__job_parts *out;
	clpac__stretches numbers; /* of a channel in a segment, flat runs and all */
	clpac__stretches windows; /* of all entries */
	size_t *firsts;		  /* of each entry among them */
} search;

/* --- What is rejected --------------------------------------------------------------------------- */

static int by_onset(const void *a, const void *b)
{
	const rejected *x = a, *y = b;
	return (x->annotation.onset_seconds > y->annotation.onset_seconds) -
	       (x->annotation.onset_seconds < y->annotation.onset_seconds);
}

static clpac_status find_rejects(search *s, const clpac__analysis_settings *settings, clpac_error *err)
{
	const size_t n = clpac_recording_n_annotations(s->recording);
	bool is_rejected;
	double end_s = -INFINITY;
	RETURN_IF_ERROR(NEW_ARRAY(s->rejects, n + 1));
	RETURN_IF_ERROR(clpac__annotation_is_rejected(settings, "", &is_rejected,
						      err)); /* the options, whatever is annotated */
	for (size_t i = 0; i < n; i++) {
		const clpac_annotation *annotation = clpac_recording_annotation(s->recording, i);
		RETURN_IF_ERROR(clpac__annotation_is_rejected(settings, annotation->text, &is_rejected, err));
		if (is_rejected)
			s->rejects[s->n_rejects++] = (rejected){.annotation = *annotation};
	}
	qsort(s->rejects, s->n_rejects, sizeof *s->rejects, by_onset);
	for (size_t i = 0; i < s->n_rejects; i++) {
		/* Two samples more than it lasts: no annotation is shorter than one. */
		const double own_s = s->rejects[i].annotation.onset_seconds +
				     fmax(s->rejects[i].annotation.seconds, 0) + 2 / s->channels->rate_hz;
		end_s = s->rejects[i].all_end_s = fmax(end_s, own_s);
	}
	return CLPAC_OK;
}

/* The samples of a segment that no annotation rejects.
 * @param[in,out] first the first annotation that has not ended before this segment, nor before later ones. */
static clpac_status without_annotations(search *s, const clpac__job_segment *segment, size_t *first,
					clpac__stretches *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const double rate_hz = s->channels->rate_hz, end_s = segment->onset_s + (double)segment->n_samples / rate_hz;
	clpac__stretches bad = {0};
	while (*first < s->n_rejects && s->rejects[*first].all_end_s <= segment->onset_s)
		++*first;
	for (size_t i = *first; i < s->n_rejects && s->rejects[i].annotation.onset_seconds < end_s; i++) {
		size_t from, to;
		if (!clpac__annotated_samples(&s->rejects[i].annotation, segment->onset_s, rate_hz, segment->n_samples,
					      &from, &to))
			continue;
		s->rejects[i].is_met = true;
		clpac_window *last = bad.n ? &bad.each[bad.n - 1] : NULL;
		const size_t known = last ? last->start + last->n_samples : 0;
		if (last && from <= known)
			last->n_samples = (to > known ? to : known) - last->start;
		else
			TRY(clpac__stretches_add(&bad, (clpac_window){from, to - from}, err));
	}
	TRY(clpac__stretches_without(&bad, segment->n_samples, out, err));
done:
	clpac__stretches_clear(&bad);
	return st;
}

/* --- What is used ------------------------------------------------------------------------------- */

/* Takes for every channel what all channels have that have anything. */
static clpac_status share(search *s, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__stretches common = {0}, next = {0};
	bool has_any = false;
	for (size_t c = 0; c < s->channels->n; c++) {
		const clpac__stretches *own = &s->of_channels[c];
		if (!own->n)
			continue;
		TRY(clpac__stretches_common(has_any ? &common : own, own, &next, err));
		has_any = true;
		clpac__stretches_clear(&common);
		common = next;
		next = (clpac__stretches){0};
	}
	for (size_t c = 0; c < s->channels->n; c++) {
		clpac__stretches *own = &s->of_channels[c];
		if (!own->n)
			continue;
		own->n = 0;
		for (size_t i = 0; i < common.n; i++)
			TRY(clpac__stretches_add(own, common.each[i], err));
	}
done:
	clpac__stretches_clear(&common);
	clpac__stretches_clear(&next);
	return st;
}

static clpac_status add_entry(search *s, size_t channel, size_t segment, const clpac__stretches *own, clpac_error *err)
{
	size_t n_used = 0;
	s->firsts[s->n_entries] = s->windows.n;
	for (size_t i = 0; i < own->n; i++) {
		RETURN_IF_ERROR(clpac__stretches_add(&s->windows, own->each[i], err));
		n_used += own->each[i].n_samples;
	}
	s->entries[s->n_entries++] =
		(struct entry){.channel = channel, .segment = segment, .n = own->n, .n_samples = n_used};
	s->out->n_used[channel * s->segments->n + segment] = n_used;
	return CLPAC_OK;
}

/* Takes out what is too short.  Permutations give a segment the amplitudes of another, sample by sample, so that all of
 * it must be there.  Returns how many were too short. */
static size_t keep_stretches(const search *s, clpac__stretches *own)
{
	if (s->are_permuted) {
		own->n = 0;
		return 0;
	}
	return clpac__stretches_keep_long(own, s->least);
}

/* The stretches of a channel in a segment.  @param quiet those that no annotation rejects. */
static clpac_status without_missing(search *s, size_t c, size_t start, const clpac__stretches *quiet, clpac_error *err)
{
	const clpac__missing *missing = s->missing;
	clpac__stretches *own = &s->of_channels[c];
	own->n = s->numbers.n = 0;
	if (!missing || !missing->flats)
		return clpac__stretches_finite(quiet, missing ? &missing->gaps[c] : NULL, start, own, &s->n_gaps, err);
	RETURN_IF_ERROR(clpac__stretches_finite(quiet, &missing->gaps[c], start, &s->numbers, &s->n_gaps, err));
	return clpac__stretches_finite(&s->numbers, &missing->flats[c], start, own, &s->n_flats, err);
}

static clpac_status find_stretches(search *s, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_channels = s->channels->n;
	clpac__stretches quiet = {0};
	size_t first = 0;
	for (size_t place = 0; place < s->segments->n; place++) {
		const clpac__job_segment *segment = &s->segments->each[place];
		TRY(without_annotations(s, segment, &first, &quiet, err));
		for (size_t c = 0; c < n_channels; c++)
			TRY(without_missing(s, c, segment->start, &quiet, err));
		if (s->are_shared)
			TRY(share(s, err));
		size_t most_short = 0;
		for (size_t c = 0; c < n_channels; c++) {
			size_t n_short = 0;
			/* A segment that is as short as it was cut is whole. */
			if (s->of_channels[c].n > 1 ||
			    (s->of_channels[c].n == 1 && s->of_channels[c].each[0].n_samples < segment->n_samples))
				n_short = keep_stretches(s, &s->of_channels[c]);
			most_short = n_short > most_short ? n_short : most_short;
			TRY(add_entry(s, c, place, &s->of_channels[c], err));
		}
		s->out->n_short += most_short;
		quiet.n = 0;
	}
	for (size_t i = 0; i < s->n_entries && s->windows.n; i++) /* none at all have no table */
		s->entries[i].stretches = s->windows.each + s->firsts[i];
done:
	clpac__stretches_clear(&quiet);
	return st;
}

/* --- Parts -------------------------------------------------------------------------------------- */

static int compare_stretches(const struct entry *x, const struct entry *y)
{
	if (x->n_samples != y->n_samples) /* the most first */
		return x->n_samples > y->n_samples ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	for (size_t i = 0; i < x->n; i++) {
		const clpac_window *a = &x->stretches[i], *b = &y->stretches[i];
		if (a->start != b->start)
			return a->start < b->start ? -1 : 1;
		if (a->n_samples != b->n_samples)
			return a->n_samples < b->n_samples ? -1 : 1;
	}
	return 0;
}

/* An entry with the length of its segment, which qsort's function cannot see otherwise. */
typedef struct sorted {
	struct entry entry;
	size_t segment_samples;
} sorted;

static int by_stretches(const void *a, const void *b)
{
	const sorted *x = a, *y = b;
	if (x->segment_samples != y->segment_samples)
		return x->segment_samples > y->segment_samples ? -1 : 1;
	const int order = compare_stretches(&x->entry, &y->entry);
	if (order)
		return order;
	if (x->entry.segment != y->entry.segment)
		return x->entry.segment < y->entry.segment ? -1 : 1;
	return (x->entry.channel > y->entry.channel) - (x->entry.channel < y->entry.channel);
}

/* The channels of one segment that have the same stretches: n entries that follow each other. */
typedef struct run {
	const sorted *first;
	size_t n;
} run;

static int by_channels(const void *a, const void *b)
{
	const run *x = a, *y = b;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	for (size_t i = 0; i < x->n; i++)
		if (x->first[i].entry.channel != y->first[i].entry.channel)
			return x->first[i].entry.channel < y->first[i].entry.channel ? -1 : 1;
	return (x->first->entry.segment > y->first->entry.segment) -
	       (x->first->entry.segment < y->first->entry.segment);
}

static bool have_the_same_channels(const run *x, const run *y)
{
	for (size_t i = 0; x->n == y->n && i < x->n; i++)
		if (x->first[i].entry.channel != y->first[i].entry.channel)
			return false;
	return x->n == y->n;
}

/* Makes the part of segments that have the same channels. */
static void add_part(search *s, const run *runs, size_t n_runs, size_t *numbers)
{
	const struct entry *model = &runs->first->entry;
	const clpac__job_segment *segment = &s->segments->each[model->segment];
	clpac__job_part *part = &s->out->each[s->out->n++];
	*part = (clpac__job_part){
		.n_samples = segment->n_samples,
		.n_used = model->n_samples,
		.n_channels = runs->n,
		.n_segments = n_runs,
		.channels = numbers,
		.channel_numbers = numbers + runs->n,
		.places = numbers + 2 * runs->n,
		.segment_numbers = numbers + 2 * runs->n + n_runs,
	};
	if (model->n_samples < segment->n_samples) {
		part->stretches = model->stretches;
		part->n_stretches = model->n;
	}
	for (size_t i = 0; i < runs->n; i++) {
		part->channels[i] = runs->first[i].entry.channel;
		part->channel_numbers[i] = s->channels->numbers[part->channels[i]];
	}
	for (size_t i = 0; i < n_runs; i++) {
		part->places[i] = runs[i].first->entry.segment;
		part->segment_numbers[i] = s->segments->each[part->places[i]].number;
	}
}

/* Sorts entries by their stretches, these by their segments, and segments by their channels. */
static clpac_status make_parts(search *s, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n_numbers = 0, n_runs;
	sorted *all = clpac__alloc_array(s->n_entries, sizeof *all);
	run *runs = clpac__alloc_array(s->n_entries, sizeof *runs);
	s->out->each = clpac__alloc_array(s->n_entries, sizeof *s->out->each);
	s->out->numbers = clpac__alloc_array(s->n_entries, 4 * sizeof *s->out->numbers);
	if (!all || !runs || !s->out->each || !s->out->numbers)
		FAIL_NO_MEMORY(s->n_entries * sizeof *all);
	for (size_t i = 0; i < s->n_entries; i++)
		all[i] = (sorted){s->entries[i], s->segments->each[s->entries[i].segment].n_samples};
	qsort(all, s->n_entries, sizeof *all, by_stretches);
	for (size_t from = 0, to; from < s->n_entries; from = to) {
		for (to = from + 1; to < s->n_entries && all[to].segment_samples == all[from].segment_samples &&
				    compare_stretches(&all[to].entry, &all[from].entry) == 0;)
			to++;
		if (!all[from].entry.n)
			continue;
		n_runs = 0;
		for (size_t i = from; i < to; i++) {
			if (i == from || all[i].entry.segment != all[i - 1].entry.segment)
				runs[n_runs++] = (run){&all[i], 0};
			runs[n_runs - 1].n++;
		}
		qsort(runs, n_runs, sizeof *runs, by_channels);
		for (size_t first = 0, end; first < n_runs; first = end) {
			for (end = first + 1; end < n_runs && have_the_same_channels(&runs[end], &runs[first]);)
				end++;
			add_part(s, runs + first, end - first, s->out->numbers + n_numbers);
			n_numbers += 2 * (runs[first].n + end - first);
		}
	}
done:
	FREE_ALL(all, runs);
	return st;
}

/* Gives a part the pairs of the job that have both channels in it.
 * @param places of the job's channels, one more than their places in the part; 0: not in it. */
static void pair_part(clpac__job_part *part, const clpac_problem *of_job, size_t *places)
{
	memset(places, 0, of_job->n_channels * sizeof *places);
	for (size_t c = 0; c < part->n_channels; c++)
		places[part->channels[c]] = c + 1;
	for (size_t i = 0; i < of_job->n_pairs; i++) {
		const clpac_pair pair = of_job->pairs[i];
		if (!places[pair.phase] || !places[pair.amplitude])
			continue;
		part->rows[part->n_pairs] = i;
		part->pairs[part->n_pairs++] = (clpac_pair){places[pair.phase] - 1, places[pair.amplitude] - 1};
	}
}

clpac_status clpac__job_parts_pair(clpac__job_parts *parts, const clpac_problem *of_job, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_before = parts->n, n_pairs = of_job->n_pairs;
	size_t *places = NULL, n;
	if (!of_job->pairs || !n_before)
		goto done;
	if (!clpac__size_mul(n_before, n_pairs, &n) || !(parts->pairs = clpac__alloc_array(n, sizeof *parts->pairs)) ||
	    !(parts->rows = clpac__alloc_array(n, sizeof *parts->rows)) ||
	    !(places = clpac__alloc_array(of_job->n_channels, sizeof *places)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for %zu pairs in %zu parts", n_pairs,
		     n_before);
	parts->n = 0;
	for (size_t i = 0; i < n_before; i++) {
		clpac__job_part part = parts->each[i];
		part.pairs = parts->pairs + i * n_pairs;
		part.rows = parts->rows + i * n_pairs;
		pair_part(&part, of_job, places);
		if (part.n_pairs)
			parts->each[parts->n++] = part;
	}
done:
	clpac__free(places);
	return st;
}

const char clpac__flat_text[] = "flat";

/* --- Counts ------------------------------------------------------------------------------------- */

static clpac_status count_rejects(search *s, clpac_error *err)
{
	clpac__job_parts *out = s->out;
	size_t n_met = 0;
	clpac__counted_text *tallies = out->tallies = clpac__alloc_array(s->n_rejects + 2, sizeof *out->tallies);
	if (!tallies)
		RETURN_NO_MEMORY((s->n_rejects + 2) * sizeof *tallies);
	for (size_t i = 0; i < s->n_rejects; i++)
		if (s->rejects[i].is_met)
			tallies[n_met++] = (clpac__counted_text){s->rejects[i].annotation.text, 1};
	out->n_tallies = clpac__texts_count(tallies, n_met);
	if (s->n_gaps)
		tallies[out->n_tallies++] = (clpac__counted_text){NULL, s->n_gaps};
	if (s->n_flats)
		tallies[out->n_tallies++] = (clpac__counted_text){clpac__flat_text, s->n_flats};
	return CLPAC_OK;
}

/* Three orders of the longest filter of a problem whose bands are given, and what is dropped at both ends. */
static size_t least_of(const clpac_problem *p)
{
	const size_t ample = (size_t)1 << 30;
	size_t longest = 0;
	for (size_t b = 0; b < p->n_phase_bands + p->n_amplitude_bands; b++) {
		const bool is_phase = b < p->n_phase_bands;
		const double lo_hz =
			is_phase ? p->phase_bands[b].lo_hz : p->amplitude_bands[b - p->n_phase_bands].lo_hz;
		const size_t order =
			clpac_signal_order(p->rate_hz, lo_hz, is_phase ? p->phase_cycles : p->amplitude_cycles, ample);
		longest = order > longest ? order : longest;
	}
	return 3 * longest + 2 * (size_t)p->edge_samples;
}

clpac_status clpac__job_parts_least(const clpac_problem *of_job, size_t *least, size_t *edge, size_t *reach,
				    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *whole = NULL, *part = NULL;
	TRY(clpac_problem_complete(of_job, &whole, err));
	const clpac_problem *p = clpac_problem_get(whole);
	*least = 0;
	for (size_t ph = 0; ph < (p->tied_amplitudes ? p->n_phase_bands : 1); ph++) {
		if (p->tied_amplitudes)
			TRY(clpac_problem_part(p, ph, &part, err));
		if (p->tied_amplitudes && !part)
			continue;
		const size_t of_part = least_of(part ? clpac_problem_get(part) : p);
		*least = of_part > *least ? of_part : *least;
		clpac_problem_destroy(part);
		part = NULL;
	}
	if (edge)
		*edge = (size_t)p->edge_samples;
	if (reach)
		*reach = (*least - 2 * (size_t)p->edge_samples) / 3;
done:
	clpac_problem_destroy(part);
	clpac_problem_destroy(whole);
	return st;
}

static clpac_status prepare(search *s, clpac_error *err)
{
	const size_t n_channels = s->channels->n, n = n_channels * s->segments->n;
	RETURN_IF_ERROR(NEW_ARRAY(s->of_channels, n_channels));
	RETURN_IF_ERROR(NEW_ARRAY(s->entries, n));
	RETURN_IF_ERROR(NEW_ARRAY(s->firsts, n));
	RETURN_IF_ERROR(NEW_ARRAY(s->out->n_used, n));
	return CLPAC_OK;
}

/* Whether a part cannot be computed because of how little is left of it: one that is used whole could. */
static bool is_too_short(const clpac__job_part *part, const clpac_problem *of_job)
{
	const clpac_window whole = {0, part->n_samples};
	clpac_problem problem = clpac__job_part_problem(part, of_job);
	clpac_problem_copy *complete = NULL;
	problem.stretches = &whole;
	problem.n_stretches = 1;
	const clpac_status st = clpac_problem_complete(&problem, &complete, NULL);
	clpac_problem_destroy(complete);
	return st == CLPAC_OK;
}

clpac_status clpac__job_parts_sift(clpac__job_parts *parts, size_t n_segments, const clpac_problem *of_job,
				   clpac__parts_left_out *out, clpac_error *err)
{
	const size_t n_before = parts->n;
	size_t n_surrogates = 0;
	parts->n = 0;
	*out = (clpac__parts_left_out){0};
	for (size_t i = 0; i < n_before; i++) {
		const clpac__job_part part = parts->each[i];
		const clpac_problem problem = clpac__job_part_problem(&part, of_job);
		clpac_problem_copy *complete = NULL;
		clpac_error why = {0};
		const clpac_status st = clpac_problem_complete(&problem, &complete, &why);
		const size_t n_here = st == CLPAC_OK ? clpac_problem_get(complete)->n_surrogates : 0;
		clpac_problem_destroy(complete);
		if (st == CLPAC_ERROR_NO_MEMORY)
			RETURN_ERROR(st, "%s", why.text);
		if (st == CLPAC_OK && parts->n && n_here != n_surrogates) {
			out->are_unequal = true;
			out->n_used[0] = parts->each[0].n_used;
			out->n_used[1] = part.n_used;
			out->n_surrogates[0] = n_surrogates;
			out->n_surrogates[1] = n_here;
			return CLPAC_OK;
		}
		if (st == CLPAC_OK) {
			n_surrogates = n_here;
			parts->each[parts->n++] = part;
			continue;
		}
		if (!out->n) {
			out->first = part;
			out->why = why;
		}
		out->n += part.n_channels * part.n_segments;
		for (size_t c = 0; c < part.n_channels; c++)
			for (size_t k = 0; k < part.n_segments; k++)
				parts->n_used[part.channels[c] * n_segments + part.places[k]] = 0;
	}
	return CLPAC_OK;
}

/* Leaves out parts that cannot be computed, with the reason. */
static clpac_status check_parts(search *s, const clpac_problem *of_job, const clpac__analysis_settings *settings,
				clpac_error *err)
{
	const clpac__job_parts *parts = s->out;
	clpac__parts_left_out out;
	RETURN_IF_ERROR(clpac__job_parts_sift(s->out, s->segments->n, of_job, &out, err));
	if (out.are_unequal)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--null shift=all: segments of which %zu and %zu samples are used have %zu and %zu "
			     "shifts; a run takes segments of one length: give --segment, --keep-bad, or another "
			     "null",
			     out.n_used[0], out.n_used[1], out.n_surrogates[0], out.n_surrogates[1]);
	clpac__name_options(&out.why);
	if (!parts->n && out.n)
		RETURN_ERROR(is_too_short(&out.first, of_job) ? CLPAC_ERROR_FORMAT : CLPAC_ERROR_ARGUMENT,
			     "%.200s: %.700s; --keep-bad rejects no annotation%s", settings->input, out.why.text,
			     s->n_flats ? ", --keep-flat uses samples at one value" : "");
	if (!parts->n)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%.200s: nothing is left of any channel: all samples are rejected by annotations, NaN%s "
			     "infinite%s%s; "
			     "--reject and --keep-bad choose the annotations, %s--start, --stop and --segment the time",
			     settings->input, s->n_flats ? "," : " or", s->n_flats ? " or at one value" : "",
			     s->are_permuted ? ", or in a segment with such samples" : "",
			     s->n_flats ? "--keep-flat uses samples at one value, " : "");
	if (out.n)
		clpac__analysis_warn(settings, out.n, "%zu of %zu segments of channels are left out: %s", out.n,
				     s->n_entries, out.why.text);
	return CLPAC_OK;
}

clpac_status clpac__job_parts_find(const clpac_recording *recording, const clpac__chosen_channels *channels,
				   const clpac__job_segments *segments, const clpac__missing *missing,
				   const clpac_problem *problem, const clpac__analysis_settings *settings,
				   clpac__job_parts *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job_parts made = {0};
	search s = {.recording = recording,
		    .channels = channels,
		    .segments = segments,
		    .missing = missing,
		    .are_shared = problem->share_shifts || problem->family == CLPAC_FAMILY_RUN ||
				  problem->null == CLPAC_NULL_ALL_SHIFTS || problem->pairs,
		    .are_permuted = problem->null == CLPAC_NULL_TRIALS && problem->n_surrogates,
		    .out = &made};
	TRY(clpac__job_parts_least(problem, &s.least, NULL, NULL, err));
	made.least_samples = s.least;
	TRY(prepare(&s, err));
	TRY(find_rejects(&s, settings, err));
	TRY(find_stretches(&s, err));
	TRY(make_parts(&s, err));
	TRY(clpac__job_parts_pair(&made, problem, err));
	TRY(count_rejects(&s, err));
	made.windows = s.windows.each;
	s.windows = (clpac__stretches){0};
	TRY(check_parts(&s, problem, settings, err));
	*out = made;
	made = (clpac__job_parts){0};
done:
	for (size_t c = 0; s.of_channels && c < channels->n; c++)
		clpac__stretches_clear(&s.of_channels[c]);
	clpac__stretches_clear(&s.numbers);
	clpac__stretches_clear(&s.windows);
	FREE_ALL(s.of_channels, s.entries, s.firsts, s.rejects);
	clpac__job_parts_clear(&made);
	return st;
}

void clpac__job_parts_clear(clpac__job_parts *parts)
{
	FREE_ALL(parts->pairs, parts->rows, parts->each, parts->n_used, parts->numbers, parts->windows, parts->tallies);
	*parts = (clpac__job_parts){0};
}

/* --- What is made of them ----------------------------------------------------------------------- */

const size_t *clpac__unless_counted(const size_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (numbers[i] != i)
			return numbers;
	return NULL;
}

clpac_problem clpac__job_part_problem(const clpac__job_part *part, const clpac_problem *of_job)
{
	clpac_problem problem = *of_job;
	problem.size = sizeof problem;
	problem.n_samples = part->n_samples;
	problem.n_channels = part->n_channels;
	problem.n_segments = part->n_segments;
	problem.channel_numbers = clpac__unless_counted(part->channel_numbers, part->n_channels);
	problem.segment_numbers = clpac__unless_counted(part->segment_numbers, part->n_segments);
	problem.stretches = part->stretches;
	problem.n_stretches = part->n_stretches;
	problem.pairs = part->pairs;
	problem.n_pairs = part->n_pairs;
	if (part->windows) {
		problem.windows = part->windows;
		problem.n_windows = part->n_windows;
		problem.separate_windows = part->are_separate;
		problem.joined_windows = !part->are_separate && problem.null == CLPAC_NULL_ALL_SHIFTS;
	}
	return problem;
}

static bool look_alike(double a, double b, int digits)
{
	char x[40], y[40];
	snprintf(x, sizeof x, "%.*g", digits, a);
	snprintf(y, sizeof y, "%.*g", digits, b);
	return strcmp(x, y) == 0;
}

void clpac__job_parts_sentence(const clpac__job_parts *parts, const clpac__chosen_channels *channels,
			       const clpac__job_segments *segments, char text[CLPAC__USED_SIZE])
{
	enum { MOST_TEXTS = 5 };
	size_t all = 0, least = SIZE_MAX, most = 0, n_rejected = 0, n_others = 0;
	*text = 0;
	for (size_t t = 0; t < parts->n_tallies; t++)
		n_rejected += parts->tallies[t].count;
	if (!n_rejected)
		return;
	for (size_t s = 0; s < segments->n; s++)
		all += segments->each[s].n_samples;
	for (size_t c = 0; c < channels->n; c++) {
		size_t used = 0;
		for (size_t s = 0; s < segments->n; s++)
			used += parts->n_used[c * segments->n + s];
		least = used < least ? used : least;
		most = used > most ? used : most;
	}
	/* As many digits as tell the least from all: a sample is little of an hour. */
	const double least_s = (double)least / channels->rate_hz, most_s = (double)most / channels->rate_hz;
	const double all_s = (double)all / channels->rate_hz;
	int digits = 4;
	while (digits < 15 && least < all && look_alike(least_s, all_s, digits))
		digits++;
	if (least < most)
		clpac__append(text, CLPAC__USED_SIZE, "used %.*g to ", digits, least_s);
	else
		clpac__append(text, CLPAC__USED_SIZE, "used ");
	clpac__append(text, CLPAC__USED_SIZE, "%.*g of %.*g s; %zu stretch%s rejected: ", digits, most_s, digits, all_s,
		      n_rejected, n_rejected == 1 ? "" : "es");
	for (size_t t = 0; t < parts->n_tallies; t++) {
		const clpac__counted_text *tally = &parts->tallies[t];
		if (t >= MOST_TEXTS && tally->text && tally->text != clpac__flat_text) {
			n_others += tally->count;
			continue;
		}
		clpac__append(text, CLPAC__USED_SIZE, "%s%.60s %zu", t ? ", " : "",
			      tally->text ? tally->text : "not a number", tally->count);
	}
	if (n_others)
		clpac__append(text, CLPAC__USED_SIZE, ", others %zu", n_others);
	if (parts->n_short)
		clpac__append(text, CLPAC__USED_SIZE, "; %zu between them shorter than %.4g s", parts->n_short,
			      (double)parts->least_samples / channels->rate_hz);
}
