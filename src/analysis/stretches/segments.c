/* --start, --stop, --segment: cuts the recording's stretches to a window and into segments.  A segment never crosses a
 * gap.  Times are on the recording's clock, gaps counted, as `clpac info` shows them. */

#include <math.h>
#include <stdlib.h>
#include "analysis/stretches/stretches.h"
#include "base/memory.h"
#include "base/number.h"

struct cut {
	double start_s, stop_s;
	double length_s, step_s; /* length 0: whole stretches */
};

static clpac_status read_segment_option(const char *text, struct cut *out, clpac_error *err)
{
	const char *end;
	if (clpac__parse_number(text, &out->length_s, &end) && out->length_s > 0) {
		out->step_s = out->length_s;
		if (!*end || (*end == ':' && clpac__parse_number(end + 1, &out->step_s, NULL) && out->step_s > 0))
			return CLPAC_OK;
	}
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--segment %s: give SECONDS or SECONDS:STEP, both above 0", text);
}

static clpac_status read_cut(const clpac__analysis_settings *settings, struct cut *out, clpac_error *err)
{
	const clpac__analysis_settings *v = settings;
	*out = (struct cut){.start_s = -INFINITY, .stop_s = INFINITY};
	if (clpac__analysis_is_given(settings, "start")) {
		if (v->start_s < 0)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--start %g: it must not be below 0 s", v->start_s);
		out->start_s = v->start_s;
	}
	if (clpac__analysis_is_given(settings, "stop"))
		out->stop_s = v->stop_s;
	if (!(out->start_s < out->stop_s) || out->stop_s <= 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--stop %g: it must be later than the start, %g s", out->stop_s,
			     fmax(out->start_s, 0));
	if (v->segment)
		RETURN_IF_ERROR(read_segment_option(v->segment, out, err));
	return CLPAC_OK;
}

static clpac_status add_segment(clpac__job_segments *segments, size_t *capacity, clpac__job_segment segment,
				clpac_error *err)
{
	RETURN_IF_ERROR(ROOM_FOR_ONE(segments->each, segments->n, *capacity, 16));
	segments->each[segments->n++] = segment;
	return CLPAC_OK;
}

/* Cuts one stretch.  Times of the cut are on the recording's clock, which counts gaps; sample numbers do not. */
static clpac_status cut_stretch(const clpac_stretch *stretch, size_t number, const clpac__chosen_channels *channels,
				const struct cut *cut, clpac__job_segments *segments, size_t *capacity,
				clpac_error *err)
{
	double rate_hz = channels->rate_hz, shift_s = stretch->first_seconds - stretch->onset_seconds;
	size_t begin = clpac__sample_at(stretch->first_seconds, rate_hz, channels->n_samples);
	size_t end = clpac__sample_at(stretch->first_seconds + stretch->seconds, rate_hz, channels->n_samples);
	if (cut->start_s > stretch->onset_seconds)
		begin = clpac__sample_at(cut->start_s + shift_s, rate_hz, end);
	if (cut->stop_s < stretch->onset_seconds + stretch->seconds)
		end = clpac__sample_at(cut->stop_s + shift_s, rate_hz, end);
	if (begin >= end)
		return CLPAC_OK;
	if (cut->length_s == 0) {
		return add_segment(segments, capacity,
				   (clpac__job_segment){begin, end - begin, (double)begin / rate_hz - shift_s, number},
				   err);
	}
	double length = floor(cut->length_s * rate_hz + 0.5);
	for (double k = 0;; k++) {
		double start = floor(k * cut->step_s * rate_hz + 0.5);
		if (start + length > (double)(end - begin))
			break;
		size_t at = begin + (size_t)start;
		RETURN_IF_ERROR(add_segment(
			segments, capacity,
			(clpac__job_segment){at, (size_t)length, (double)at / rate_hz - shift_s, segments->n}, err));
	}
	return CLPAC_OK;
}

static clpac_status cut_recording(const clpac_recording *recording, const clpac__chosen_channels *channels,
				  const clpac__analysis_settings *settings, clpac__job_segments *segments,
				  clpac_error *err)
{
	size_t n_stretches = clpac_recording_n_stretches(recording), capacity = 0;
	clpac_stretch whole = {0, 0, (double)channels->n_samples / channels->rate_hz};
	struct cut cut;
	RETURN_IF_ERROR(read_cut(settings, &cut, err));
	if (cut.length_s > 0 && cut.step_s * channels->rate_hz < 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--segment %s: at %g Hz a step is shorter than a sample",
			     settings->segment, channels->rate_hz);
	if (cut.length_s > 0 && cut.length_s * channels->rate_hz < 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--segment %s: at %g Hz it is shorter than a sample",
			     settings->segment, channels->rate_hz);
	for (size_t i = 0; i < (n_stretches ? n_stretches : 1); i++)
		RETURN_IF_ERROR(cut_stretch(n_stretches ? clpac_recording_stretch(recording, i) : &whole, i, channels,
					    &cut, segments, &capacity, err));

	const clpac_stretch *last = n_stretches ? clpac_recording_stretch(recording, n_stretches - 1) : &whole;
	double end_s = last->onset_seconds + last->seconds;
	if (segments->n == 0 && cut.length_s > 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--segment %s: no stretch of the recording is that long (%s has %g s%s)",
			     settings->segment, settings->input, end_s, n_stretches > 1 ? " with gaps" : "");
	if (segments->n == 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--start %g: no sample of %s lies between that and %g s; the recording ends at %g s",
			     fmax(cut.start_s, 0), settings->input, fmin(cut.stop_s, end_s), end_s);
	if (n_stretches > 1 && segments->n > 1 && cut.length_s == 0 && !settings->events)
		clpac__analysis_warn(settings, 1, "the recording has gaps: its %zu stretches are segments of their own",
				     segments->n);
	return CLPAC_OK;
}

typedef struct clpac__segment_length {
	size_t n_samples, place;
} segment_length;

static int longer_first(const void *a, const void *b)
{
	const segment_length *x = a, *y = b;
	if (x->n_samples != y->n_samples)
		return x->n_samples > y->n_samples ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Lists the segments by length.  Allocates nothing. */
static void list_lengths(clpac__job_segments *segments)
{
	const size_t n = segments->n;
	segment_length *by_length = segments->by_length;
	for (size_t s = 0; s < n; s++)
		by_length[s] = (segment_length){segments->each[s].n_samples, s};
	qsort(by_length, n, sizeof *by_length, longer_first);
	segments->n_lengths = 0;
	for (size_t k = 0; k < n; k++) {
		if (k == 0 || by_length[k].n_samples != by_length[k - 1].n_samples) {
			segments->firsts[segments->n_lengths] = k;
			segments->lengths[segments->n_lengths++] = by_length[k].n_samples;
		}
		segments->places[k] = by_length[k].place;
		segments->numbers[k] = segments->each[by_length[k].place].number;
	}
	segments->firsts[segments->n_lengths] = n;
}

static clpac_status find_lengths(clpac__job_segments *segments, clpac_error *err)
{
	const size_t n = segments->n;
	RETURN_IF_ERROR(NEW_ARRAY(segments->lengths, n));
	RETURN_IF_ERROR(NEW_ARRAY(segments->firsts, n + 1));
	RETURN_IF_ERROR(NEW_ARRAY(segments->places, n));
	RETURN_IF_ERROR(NEW_ARRAY(segments->numbers, n));
	RETURN_IF_ERROR(NEW_ARRAY(segments->by_length, n));
	list_lengths(segments);
	return CLPAC_OK;
}

clpac_status clpac__job_segments_make(clpac__job_segment **each, size_t n, clpac__job_segments *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job_segments made = {.each = *each, .n = n};
	*each = NULL;
	TRY(find_lengths(&made, err));
	*out = made;
	made = (clpac__job_segments){0};
done:
	clpac__job_segments_clear(&made);
	return st;
}

clpac_status clpac__job_segments_choose(const clpac_recording *recording, const clpac__chosen_channels *channels,
					const clpac__analysis_settings *settings, clpac__job_segments *out,
					clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job_segments made = {0};
	TRY(cut_recording(recording, channels, settings, &made, err));
	TRY(find_lengths(&made, err));
	*out = made;
	made = (clpac__job_segments){0};
done:
	clpac__job_segments_clear(&made);
	return st;
}

size_t clpac__job_segments_of(const clpac__job_segments *segments, size_t n_samples, const size_t **places,
			      const size_t **numbers)
{
	size_t at = 0, behind = segments->n_lengths;
	while (at < behind) {
		size_t middle = at + (behind - at) / 2;
		if (segments->lengths[middle] > n_samples)
			at = middle + 1;
		else
			behind = middle;
	}
	const bool is_there = at < segments->n_lengths && segments->lengths[at] == n_samples;
	const size_t first = is_there ? segments->firsts[at] : 0;
	const size_t n = is_there ? segments->firsts[at + 1] - first : 0;
	bool is_counted = true;
	for (size_t i = 0; i < n; i++)
		is_counted = is_counted && segments->numbers[first + i] == i;
	if (places)
		*places = segments->places + first;
	if (numbers)
		*numbers = is_counted ? NULL : segments->numbers + first;
	return n;
}

size_t clpac__job_segments_drop(clpac__job_segments *segments, size_t least_samples)
{
	size_t n_before = segments->n;
	segments->n = 0;
	for (size_t s = 0; s < n_before; s++)
		if (segments->each[s].n_samples >= least_samples)
			segments->each[segments->n++] = segments->each[s];
	list_lengths(segments);
	return n_before - segments->n;
}

void clpac__job_segments_clear(clpac__job_segments *segments)
{
	FREE_ALL(segments->each, segments->lengths, segments->firsts, segments->places, segments->numbers,
		 segments->by_length);
	*segments = (clpac__job_segments){0};
}
