#include "analysis/run/spectra.h"

#include <math.h>
#include <string.h>
#include <clpac/cautions.h>
#include "base/ascii.h"
#include "base/memory.h"

enum { MOST_WINDOWS = 64, MOST_POINTS = 120, LEAST_LENGTH = 16 };

/* --- Where windows lie --------------------------------------------------------------------------- */

/* Windows of a part, by their first samples. */
typedef struct windows {
	size_t starts[MOST_WINDOWS];
	size_t n, length;
} windows;

/* Calls a function for each run of samples that a part uses of its channels. */
typedef void run_function(void *user, size_t start, size_t n);

static void visit(const clpac__job *job, const clpac__job_part *part, run_function *take, void *user)
{
	const size_t n_outer = part->windows ? part->n_windows : part->n_segments;
	for (size_t i = 0; i < n_outer; i++) {
		const clpac__job_segment *segment = part->windows ? NULL : &job->segments.each[part->places[i]];
		const size_t start = segment ? segment->start : part->windows[i].start;
		const size_t n = segment ? segment->n_samples : part->windows[i].n_samples;
		if (!part->stretches)
			take(user, start, n);
		for (size_t k = 0; part->stretches && k < part->n_stretches; k++) {
			/* Stretches of epochs are counted from the channels' first sample. */
			const size_t from = part->stretches[k].start + (segment ? start : 0);
			const size_t first = from > start ? from : start;
			const size_t end = from + part->stretches[k].n_samples;
			const size_t last = end < start + n ? end : start + n;
			if (last > first)
				take(user, first, last - first);
		}
	}
}

static void find_longest(void *user, size_t start, size_t n)
{
	size_t *longest = user;
	(void)start;
	*longest = n > *longest ? n : *longest;
}

/* Places are counted, and then those that are wanted are kept: number i of n lies in the middle of its share. */
typedef struct choice {
	windows *to;
	size_t n_all, passed;
	bool is_counting;
} choice;

static void choose(void *user, size_t start, size_t n)
{
	choice *c = user;
	const size_t hop = c->to->length / 2;
	if (n < c->to->length)
		return;
	const size_t here = (n - c->to->length) / hop + 1;
	for (size_t k = 0; !c->is_counting && k < here; k++)
		if (c->to->n < MOST_WINDOWS &&
		    (c->n_all <= MOST_WINDOWS || c->passed + k == (2 * c->to->n + 1) * c->n_all / (2 * MOST_WINDOWS)))
			c->to->starts[c->to->n++] = start + k * hop;
	c->n_all += c->is_counting ? here : 0;
	c->passed += here;
}

/* The longest even length up to n without factors but 2, 3 and 5. */
static size_t even_length(size_t n)
{
	for (n -= n % 2; n > 2; n -= 2) {
		size_t rest = n;
		for (size_t factor = 2; factor <= 5; factor++)
			while (rest % factor == 0)
				rest /= factor;
		if (rest == 1)
			break;
	}
	return n;
}

static void find_windows(const clpac__job *job, const clpac__job_part *part, double lowest_hz, windows *out)
{
	size_t longest = 0;
	const double wanted = fmax(2, 4 / lowest_hz) * job->channels.rate_hz;
	visit(job, part, find_longest, &longest);
	*out = (windows){.length = even_length(wanted < (double)longest ? (size_t)wanted : longest)};
	if (out->length < LEAST_LENGTH)
		return;
	choice c = {.to = out, .is_counting = true};
	visit(job, part, choose, &c);
	c = (choice){.to = out, .n_all = c.n_all};
	visit(job, part, choose, &c);
}

/* --- Power --------------------------------------------------------------------------------------- */

/* Samples side by side, wherever they are. */
typedef struct samples {
	const void *values;
	size_t stride;
	clpac_sample_type type;
} samples;

/* Adds the density of one window without its mean.  @param x room for a window and its density. */
static clpac_status add_window(samples from, size_t length, double rate_hz, double *x, double *density,
			       clpac_error *err)
{
	double mean = 0, *own = x + length;
	for (size_t t = 0; t < length; t++) {
		x[t] = from.type == CLPAC_FLOAT64 ? ((const double *)from.values)[t * from.stride]
						  : (double)((const float *)from.values)[t * from.stride];
		mean += x[t] / (double)length;
	}
	for (size_t t = 0; t < length; t++)
		x[t] -= mean;
	RETURN_IF_ERROR(clpac_signal_spectrum(x, 1, length, rate_hz, own, err));
	for (size_t i = 0; i < length / 2; i++)
		density[i] += own[i];
	return CLPAC_OK;
}

/* The samples of a channel from a place on. */
static samples from_place(const void *values, size_t stride, clpac_sample_type type, size_t at)
{
	const size_t bytes = type == CLPAC_FLOAT64 ? sizeof(double) : sizeof(float);
	return (samples){(const char *)values + at * stride * bytes, stride, type};
}

/* Densities of a channel that is in memory, or comes there. */
static clpac_status add_whole(const clpac__job *job, size_t place, const windows *w, double *x, double *density,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__job_samples *held = &job->samples;
	const void *values = held->values ? held->values[place] : NULL;
	const size_t *number = &job->channels.numbers[place];
	const bool is_there = values || clpac_recording_channel(job->recording, *number)->samples;
	if (!is_there)
		RETURN_IF_ERROR(clpac_recording_load(job->recording, number, 1, err));
	const clpac_channel *channel = clpac_recording_channel(job->recording, *number);
	for (size_t k = 0; k < w->n; k++)
		TRY(add_window(values ? from_place(values, held->stride, held->type, w->starts[k] - held->first)
				      : from_place(channel->samples, channel->stride, channel->type, w->starts[k]),
			       w->length, job->channels.rate_hz, x, density, err));
done:
	if (!is_there)
		clpac_recording_unload(job->recording, number, 1);
	return st;
}

/* Channels of a part that are still in the file. */
typedef struct rest {
	size_t *rows, *numbers; /* of the part, and in the recording; owned */
	size_t n;
} rest;

/* Their densities, where windows of the file can be read: all of them at once. */
static clpac_status add_read(const clpac__job *job, const rest *of, const windows *w, double *x, double *density,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	void **rooms;
	TRY(NEW_ARRAY(rooms, of->n));
	for (size_t i = 0; i < of->n; i++)
		TRY(NEW_BYTES(rooms[i], w->length * sizeof(double)));
	for (size_t k = 0; k < w->n; k++) {
		TRY(clpac_recording_read_part(job->recording, of->numbers, of->n, w->starts[k], w->length, rooms, err));
		for (size_t i = 0; i < of->n; i++) {
			const clpac_sample_type type = clpac_recording_channel(job->recording, of->numbers[i])->type;
			TRY(add_window((samples){rooms[i], 1, type}, w->length, job->channels.rate_hz, x,
				       density + of->rows[i] * (w->length / 2), err));
		}
	}
done:
	for (size_t i = 0; rooms && i < of->n; i++)
		clpac__free(rooms[i]);
	clpac__free(rooms);
	return st;
}

/* @param[out] density (channel of the part, bin), sums of windows. */
static clpac_status find_density(const clpac__job *job, const clpac__job_part *part, const windows *w, double *density,
				 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_bins = w->length / 2;
	rest behind = {NULL, NULL, 0};
	uint64_t bytes;
	clpac_error refused = {0};
	double *x;
	TRY(NEW_ARRAY(x, w->length + n_bins));
	TRY(NEW_ARRAY(behind.rows, part->n_channels));
	TRY(NEW_ARRAY(behind.numbers, part->n_channels));
	for (size_t c = 0; c < part->n_channels; c++) {
		const size_t place = part->channels[c], number = job->channels.numbers[place];
		if ((job->samples.values && job->samples.values[place]) ||
		    clpac_recording_part_bytes(job->recording, &number, 1, w->starts[0], w->length, &bytes, &refused) !=
			    CLPAC_OK) {
			TRY(add_whole(job, place, w, x, density + c * n_bins, err));
			continue;
		}
		behind.rows[behind.n] = c;
		behind.numbers[behind.n++] = number;
	}
	if (behind.n)
		TRY(add_read(job, &behind, w, x, density, err));
done:
	FREE_ALL(x, behind.rows, behind.numbers);
	return st;
}

/* --- Told ---------------------------------------------------------------------------------------- */

/* The bins of each point: from ends[i] to before ends[i + 1]; bin i is at (i + 1) bin_hz. */
typedef struct points {
	size_t ends[MOST_POINTS + 1], n;
	double bin_hz;
} points;

static points find_points(double bin_hz, size_t n_bins, clpac_band span)
{
	points out = {.bin_hz = bin_hz};
	const double ratio = pow(span.hi_hz / span.lo_hz, 1.0 / MOST_POINTS);
	size_t bin = span.lo_hz > bin_hz ? (size_t)ceil(span.lo_hz / bin_hz) - 1 : 0;
	while (bin < n_bins && (double)(bin + 1) * bin_hz <= span.hi_hz && out.n < MOST_POINTS) {
		const size_t next = (size_t)round((double)(bin + 1) * ratio) - 1;
		out.ends[out.n++] = bin;
		bin = next > bin ? next : bin + 1;
	}
	out.ends[out.n] = bin < n_bins ? bin : n_bins;
	return out;
}

static void add_rounded(clpac__json_tree *json, json_t *list, double value, double unit)
{
	clpac__json_tree_append(json, list, isfinite(value) ? json_real(round(value / unit) * unit) : json_null());
}

static void add_part(const clpac__job *job, const clpac__job_part *part, const windows *w, const points *at,
		     const double *density, clpac__json_tree *json, json_t *to)
{
	json_t *one = json_object(), *names = json_array(), *units = json_array(), *hz = json_array(),
	       *db = json_array();
	for (size_t c = 0; c < part->n_channels; c++) {
		const clpac_channel *channel =
			clpac_recording_channel(job->recording, job->channels.numbers[part->channels[c]]);
		json_t *texts = json_object(), *list = json_array();
		clpac__json_tree_text(json, texts, "name", channel->name);
		clpac__json_tree_text(json, texts, "unit", channel->unit);
		clpac__json_tree_append(json, names, json_incref(json_object_get(texts, "name")));
		clpac__json_tree_append(json, units, json_incref(json_object_get(texts, "unit")));
		json_decref(texts);
		for (size_t i = 0; i < at->n; i++) {
			double sum = 0;
			for (size_t bin = at->ends[i]; bin < at->ends[i + 1]; bin++)
				sum += density[c * (w->length / 2) + bin];
			add_rounded(json, list,
				    10 * log10(sum / (double)(at->ends[i + 1] - at->ends[i]) / (double)w->n), 0.1);
		}
		clpac__json_tree_append(json, db, list);
	}
	for (size_t i = 0; i < at->n; i++)
		add_rounded(json, hz, (double)(at->ends[i] + 1 + at->ends[i + 1]) / 2 * at->bin_hz, 0.001);
	clpac__json_tree_set(json, one, "channels", names);
	clpac__json_tree_set(json, one, "units", units);
	clpac__json_tree_number(json, one, "window_s", (double)w->length / job->channels.rate_hz);
	clpac__json_tree_number(json, one, "n_windows", (double)w->n);
	clpac__json_tree_set(json, one, "hz", hz);
	clpac__json_tree_set(json, one, "db", db);
	clpac__json_tree_append(json, to, one);
}

static clpac_band span_of(const clpac_problem *problem)
{
	clpac_band span = {INFINITY, 0};
	for (size_t i = 0; i < problem->n_phase_bands; i++)
		span.lo_hz = fmin(span.lo_hz, problem->phase_bands[i].lo_hz / 2);
	for (size_t i = 0; i < problem->n_amplitude_bands; i++)
		span.hi_hz = fmax(span.hi_hz, 1.3 * problem->amplitude_bands[i].hi_hz);
	return span;
}

clpac_status clpac__spectra_add(const clpac__job *job, clpac__json_tree *json, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_band span = span_of(&job->method.problem);
	json_t *all = json_array();
	double *density = NULL;
	for (size_t i = 0; i < job->parts.n && span.hi_hz > span.lo_hz; i++) {
		const clpac__job_part *part = &job->parts.each[i];
		windows w;
		find_windows(job, part, 2 * span.lo_hz, &w);
		if (!w.n)
			continue;
		clpac__free(density);
		TRY(NEW_ARRAY(density, part->n_channels * (w.length / 2)));
		TRY(find_density(job, part, &w, density, err));
		const points at = find_points(job->channels.rate_hz / (double)w.length, w.length / 2, span);
		if (at.n > 1)
			add_part(job, part, &w, &at, density, json, all);
	}
	clpac__json_tree_set(json, json->root, "spectra", all);
	all = NULL;
done:
	json_decref(all);
	clpac__free(density);
	return st;
}

bool clpac__spectra_find(const json_t *spectra, const char *name, int group, size_t *part, size_t *place)
{
	for (*part = 0; name && *part < json_array_size(spectra); ++*part) {
		const json_t *own = json_array_get(spectra, *part), *names = json_object_get(own, "channels");
		for (*place = 0; *place < json_array_size(names); ++*place) {
			const char *one = json_string_value(json_array_get(names, *place));
			if (one && json_integer_value(json_object_get(own, "group")) == group &&
			    clpac__same_word(one, name))
				return true;
		}
	}
	return false;
}
