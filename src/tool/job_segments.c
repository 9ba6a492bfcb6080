/* --start, --stop, --segment: cuts the recording's stretches to a window and into segments.  A segment never crosses a
 * gap.  Times are on the recording's clock, gaps counted, as `clpac info` shows them. */
#include "tool/job_segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/number.h"
#include "tool/arguments.h"
#include "tool/console.h"

/* Tolerance in samples: a time meant to fall on a sample may miss it by rounding. */
static const double sample_slack = 1e-6;

typedef struct cut {
	double start_s, stop_s;
	double length_s, step_s; /* length 0: whole stretches */
} cut;

static clpac_status read_segment_option(const char *text, cut *out, clpac_error *err)
{
	const char *end;
	if (clpac__parse_number(text, &out->length_s, &end) && out->length_s > 0) {
		out->step_s = out->length_s;
		if (!*end || (*end == ':' && clpac__parse_number(end + 1, &out->step_s, NULL) && out->step_s > 0))
			return CLPAC_OK;
	}
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--segment %s: give SECONDS or SECONDS:STEP, both above 0", text);
}

static clpac_status read_cut(const tool_call *call, cut *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const tool_values *v = &call->values;
	*out = (cut){.start_s = -INFINITY, .stop_s = INFINITY};
	if (tool_is_given(call, "start")) {
		if (v->start_s < 0)
			FAIL(CLPAC_ERROR_ARGUMENT, "--start %g: it must not be below 0 s", v->start_s);
		out->start_s = v->start_s;
	}
	if (tool_is_given(call, "stop"))
		out->stop_s = v->stop_s;
	if (!(out->start_s < out->stop_s) || out->stop_s <= 0)
		FAIL(CLPAC_ERROR_ARGUMENT, "--stop %g: it must be later than the start, %g s", out->stop_s,
		     fmax(out->start_s, 0));
	if (v->segment)
		TRY(read_segment_option(v->segment, out, err));
done:
	return st;
}

static size_t sample_at(double seconds, double rate_hz, size_t most)
{
	double sample = ceil(seconds * rate_hz - sample_slack);
	return sample <= 0 ? 0 : sample >= (double)most ? most : (size_t)sample;
}

static clpac_status add_segment(tool_segments *segments, size_t *capacity, tool_segment segment, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (segments->n == *capacity) {
		size_t more = *capacity ? 2 * *capacity : 16;
		tool_segment *grown = clpac__realloc_array(segments->each, more, sizeof *grown);
		if (!grown)
			FAIL_NO_MEMORY(more * sizeof *grown);
		segments->each = grown;
		*capacity = more;
	}
	segments->each[segments->n++] = segment;
done:
	return st;
}

/* Cuts one stretch.  Times of the cut are on the recording's clock, which counts gaps; sample numbers do not. */
static clpac_status cut_stretch(const clpac_stretch *stretch, size_t number, const tool_channels *channels,
				const cut *cut, tool_segments *segments, size_t *capacity, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	double rate_hz = channels->rate_hz, shift_s = stretch->first_seconds - stretch->onset_seconds;
	size_t begin = sample_at(stretch->first_seconds, rate_hz, channels->n_samples);
	size_t end = sample_at(stretch->first_seconds + stretch->seconds, rate_hz, channels->n_samples);
	if (cut->start_s > stretch->onset_seconds)
		begin = sample_at(cut->start_s + shift_s, rate_hz, end);
	if (cut->stop_s < stretch->onset_seconds + stretch->seconds)
		end = sample_at(cut->stop_s + shift_s, rate_hz, end);
	if (begin >= end)
		goto done;
	if (cut->length_s == 0) {
		TRY(add_segment(segments, capacity,
				(tool_segment){begin, end - begin, (double)begin / rate_hz - shift_s, number}, err));
		goto done;
	}
	double length = floor(cut->length_s * rate_hz + 0.5);
	for (double k = 0;; k++) {
		double start = floor(k * cut->step_s * rate_hz + 0.5);
		if (start + length > (double)(end - begin))
			break;
		size_t at = begin + (size_t)start;
		TRY(add_segment(segments, capacity,
				(tool_segment){at, (size_t)length, (double)at / rate_hz - shift_s, segments->n}, err));
	}
done:
	return st;
}

static clpac_status cut_recording(const clpac_recording *recording, const tool_channels *channels,
				  const tool_call *call, tool_segments *segments, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n_stretches = clpac_recording_n_stretches(recording), capacity = 0;
	clpac_stretch whole = {0, 0, (double)channels->n_samples / channels->rate_hz};
	cut cut;
	TRY(read_cut(call, &cut, err));
	if (cut.length_s > 0 && cut.step_s * channels->rate_hz < 1)
		FAIL(CLPAC_ERROR_ARGUMENT, "--segment %s: at %g Hz a step is shorter than a sample",
		     call->values.segment, channels->rate_hz);
	if (cut.length_s > 0 && cut.length_s * channels->rate_hz < 1)
		FAIL(CLPAC_ERROR_ARGUMENT, "--segment %s: at %g Hz it is shorter than a sample", call->values.segment,
		     channels->rate_hz);
	for (size_t i = 0; i < (n_stretches ? n_stretches : 1); i++)
		TRY(cut_stretch(n_stretches ? clpac_recording_stretch(recording, i) : &whole, i, channels, &cut,
				segments, &capacity, err));

	const clpac_stretch *last = n_stretches ? clpac_recording_stretch(recording, n_stretches - 1) : &whole;
	double end_s = last->onset_seconds + last->seconds;
	if (segments->n == 0 && cut.length_s > 0)
		FAIL(CLPAC_ERROR_ARGUMENT, "--segment %s: no stretch of the recording is that long (%s has %g s%s)",
		     call->values.segment, call->operands[0], end_s, n_stretches > 1 ? " with gaps" : "");
	if (segments->n == 0)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "--start %g: no sample of %s lies between that and %g s; the recording ends at %g s",
		     fmax(cut.start_s, 0), call->operands[0], fmin(cut.stop_s, end_s), end_s);
	if (n_stretches > 1 && segments->n > 1 && cut.length_s == 0)
		tool_warn(call, 1, "the recording has gaps: its %zu stretches are segments of their own", segments->n);
done:
	return st;
}

static int longer_first(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return (x < y) - (x > y);
}

/* Lists the lengths, and the segments' numbers by length: segments that are dropped, the shortest, stand last. */
static clpac_status find_lengths(tool_segments *segments, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n = segments->n;
	size_t *lengths = segments->lengths = clpac__alloc_array(n, sizeof *lengths);
	if (!lengths)
		FAIL_NO_MEMORY(n * sizeof *lengths);
	for (size_t s = 0; s < n; s++)
		lengths[s] = segments->each[s].n_samples;
	qsort(lengths, n, sizeof *lengths, longer_first);
	for (size_t s = 0; s < n; s++)
		if (segments->n_lengths == 0 || lengths[segments->n_lengths - 1] != lengths[s])
			lengths[segments->n_lengths++] = lengths[s];
	segments->numbers = clpac__alloc_array(n, sizeof *segments->numbers);
	if (!segments->numbers)
		FAIL_NO_MEMORY(n * sizeof *segments->numbers);
	for (size_t i = 0, at = 0; i < segments->n_lengths; i++)
		for (size_t s = 0; s < n; s++)
			if (segments->each[s].n_samples == lengths[i])
				segments->numbers[at++] = segments->each[s].number;
done:
	return st;
}

clpac_status tool_segments_choose(const clpac_recording *recording, const tool_channels *channels,
				  const tool_call *call, tool_segments *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	tool_segments made = {0};
	TRY(cut_recording(recording, channels, call, &made, err));
	TRY(find_lengths(&made, err));
	*out = made;
	made = (tool_segments){0};
done:
	tool_segments_clear(&made);
	return st;
}

size_t tool_segments_of(const tool_segments *segments, size_t n_samples, const size_t **numbers)
{
	size_t n = 0, n_longer = 0;
	for (size_t s = 0; s < segments->n; s++) {
		n += segments->each[s].n_samples == n_samples;
		n_longer += segments->each[s].n_samples > n_samples;
	}
	*numbers = NULL;
	for (size_t i = 0; i < n; i++)
		if (segments->numbers[n_longer + i] != i)
			*numbers = segments->numbers + n_longer;
	return n;
}

size_t tool_segments_drop(tool_segments *segments, size_t least_samples)
{
	size_t n_before = segments->n;
	segments->n = 0;
	for (size_t s = 0; s < n_before; s++)
		if (segments->each[s].n_samples >= least_samples)
			segments->each[segments->n++] = segments->each[s];
	while (segments->n_lengths && segments->lengths[segments->n_lengths - 1] < least_samples)
		segments->n_lengths--;
	return n_before - segments->n;
}

void tool_segments_clear(tool_segments *segments)
{
	clpac__free(segments->each);
	clpac__free(segments->lengths);
	clpac__free(segments->numbers);
	*segments = (tool_segments){0};
}
