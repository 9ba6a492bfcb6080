/* Computing a job.  Segments of one length go through one plan.  Where gaps left several lengths, the results are
 * stacked in the order of the recording: every map has the same shape whatever the length. */
#include "tool/compute.h"

#include <stdlib.h>
#include <string.h>

/* The samples of the chosen channels as one type, without a copy where the file had one type. */
typedef struct sample_set {
	clpac_sample_type type;
	const void **channels;
	const char **names;
	double **copies;
	size_t n;
} sample_set;

static void close_samples(sample_set *set)
{
	for (size_t c = 0; set->copies && c < set->n; c++)
		free(set->copies[c]);
	free(set->copies);
	free(set->channels);
	free(set->names);
	*set = (sample_set){0};
}

static clpac_status open_samples(const tool_job *job, sample_set *set, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	set->n = job->n_channels;
	set->channels = calloc(set->n, sizeof *set->channels);
	set->names = calloc(set->n, sizeof *set->names);
	set->copies = calloc(set->n, sizeof *set->copies);
	if (!set->channels || !set->names || !set->copies)
		FAIL_NO_MEMORY(set->n * sizeof *set->channels);
	set->type = CLPAC_FLOAT32;
	bool is_mixed = false;
	for (size_t c = 0; c < set->n; c++) {
		const clpac_channel *channel = clpac_recording_channel(job->recording, job->channels[c]);
		set->channels[c] = channel->samples;
		set->names[c] = channel->name;
		is_mixed = is_mixed || (c && (channel->type == CLPAC_FLOAT64) != (set->type == CLPAC_FLOAT64));
		if (channel->type == CLPAC_FLOAT64)
			set->type = CLPAC_FLOAT64;
	}
	for (size_t c = 0; is_mixed && c < set->n; c++) {
		const clpac_channel *channel = clpac_recording_channel(job->recording, job->channels[c]);
		if (channel->type == CLPAC_FLOAT64)
			continue;
		const float *from = channel->samples;
		set->copies[c] = malloc(channel->n_samples * sizeof(double));
		if (!set->copies[c])
			FAIL_NO_MEMORY(channel->n_samples * sizeof(double));
		for (size_t i = 0; i < channel->n_samples; i++)
			set->copies[c][i] = (double)from[i];
		set->channels[c] = set->copies[c];
	}
done:
	return st;
}

static clpac_status run_length(tool_job *job, size_t n_samples, const sample_set *set, clpac_result **out,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem problem = tool_job_problem(job, n_samples);
	tool_plans plans = {0};
	size_t *starts = calloc(problem.n_segments, sizeof *starts), n = 0;
	if (!starts)
		FAIL_NO_MEMORY(problem.n_segments * sizeof *starts);
	for (size_t s = 0; s < job->n_segments; s++)
		if (job->segments[s].n_samples == n_samples)
			starts[n++] = job->segments[s].start;
	TRY(tool_plans_create(job, &problem, &plans, err));
	TRY(clpac_plan_run_several(
		plans.each, plans.n,
		&(clpac_samples){
			.type = set->type, .channels = set->channels, .segment_starts = starts, .names = set->names},
		out, err));
done:
	tool_plans_destroy(&plans);
	free(starts);
	return st;
}

/* Copies rows (channel, segment) of a part to their places in the whole; `row` values of `size` bytes each. */
static void copy_rows(const tool_job *job, size_t n_samples, char *to, const char *from, size_t bytes)
{
	for (size_t c = 0; c < job->n_channels; c++)
		for (size_t s = 0; s < job->n_segments; s++)
			if (job->segments[s].n_samples == n_samples) {
				memcpy(to + (c * job->n_segments + s) * bytes, from, bytes);
				from += bytes;
			}
}

/* A device is one and the same in all parts, if it could take part in all. */
static void add_devices(clpac_report *to, const clpac_report *from)
{
	for (size_t i = 0; i < from->n_devices; i++) {
		const clpac_device_report *more = &from->devices[i];
		size_t at = 0;
		while (at < to->n_devices && strcmp(to->devices[at].selection, more->selection) != 0)
			at++;
		if (at == CLPAC_MAX_DEVICES)
			continue;
		clpac_device_report *sum = &to->devices[at];
		if (at == to->n_devices) {
			*sum = *more;
			to->n_devices++;
			continue;
		}
		sum->n_series += more->n_series;
		sum->n_batches += more->n_batches;
		sum->seconds += more->seconds;
		if (more->peak_bytes > sum->peak_bytes)
			sum->peak_bytes = more->peak_bytes;
		if (more->has_failed && !sum->has_failed)
			memcpy(sum->failure, more->failure, sizeof sum->failure);
		sum->has_failed |= more->has_failed;
	}
}

static void add_report(clpac_report *to, const clpac_report *from)
{
	to->seconds += from->seconds;
	add_devices(to, from);
	to->n_series += from->n_series;
	to->n_cpu_fallbacks += from->n_cpu_fallbacks;
	if (!to->n_steps)
		memcpy(to->steps, from->steps, sizeof to->steps);
	to->n_steps += from->n_steps;
	to->n_overflowing_series += from->n_overflowing_series;
	if (from->peak_bytes > to->peak_bytes)
		to->peak_bytes = from->peak_bytes;
	for (size_t i = 0; i < from->n_stages && i < to->n_stages; i++)
		to->stages[i].seconds += from->stages[i].seconds;
	for (int k = 0; k < CLPAC_WARN_KIND_COUNT; k++) {
		if (to->warnings[k].count == 0)
			to->warnings[k] = from->warnings[k];
		else
			to->warnings[k].count += from->warnings[k].count;
	}
}

/* Puts the results of all lengths, longest first, into one.  Filters, layout and problem text are those of the longest.
 */
static clpac_status stack(const tool_job *job, clpac_result *const *parts, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *whole = NULL;
	clpac_result_shape shape = *clpac_result_get_shape(parts[0]);
	unsigned arrays = 0;
	size_t n, unused;
	shape.n_segments = job->n_segments;
	for (int a = 0; a < CLPAC_ARRAY_COUNT; a++)
		if (clpac_result_array(parts[0], (clpac_array)a, &n))
			arrays |= 1u << a;
	TRY(clpac_result_create(&shape, arrays, &whole, err));
	memcpy(clpac_result_phase_bands(whole), clpac_result_phase_bands(parts[0]),
	       shape.n_phase_bands * sizeof(clpac_band));
	memcpy(clpac_result_amplitude_bands(whole), clpac_result_amplitude_bands(parts[0]),
	       shape.n_amplitude_bands * sizeof(clpac_band));
	*clpac_result_report(whole) = *clpac_result_report(parts[0]);
	const clpac_band_report *reports = clpac_result_band_reports(parts[0], &n);
	TRY(clpac_result_set_band_reports(whole, reports, n, err));
	TRY(clpac_result_set_problem(whole, clpac_result_problem(parts[0]), err));

	for (size_t i = 0; i < job->n_lengths; i++) {
		if (i)
			add_report(clpac_result_report(whole), clpac_result_report(parts[i]));
		copy_rows(job, job->lengths[i], (char *)clpac_result_empty_bins(whole),
			  (char *)clpac_result_empty_bins(parts[i]), shape.n_phase_bands * sizeof(uint32_t));
		for (int a = 0; a < CLPAC_ARRAY_COUNT; a++) {
			float *to = clpac_result_array(whole, (clpac_array)a, &n);
			if (to)
				copy_rows(job, job->lengths[i], (char *)to,
					  (char *)clpac_result_array(parts[i], (clpac_array)a, &unused),
					  n / (shape.n_channels * shape.n_segments) * sizeof(float));
		}
	}
	*out = whole;
	whole = NULL;
done:
	clpac_result_destroy(whole);
	return st;
}

clpac_status tool_compute(tool_job *job, tool_progress *progress, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *result = NULL, **parts = calloc(job->n_lengths, sizeof *parts);
	sample_set set = {0};
	double all = 0, done_before = 0;
	if (!parts)
		FAIL_NO_MEMORY(job->n_lengths * sizeof *parts);
	TRY(open_samples(job, &set, err));
	for (size_t s = 0; s < job->n_segments; s++)
		all += (double)job->segments[s].n_samples;
	job->plan_options.progress = tool_progress_report;
	job->plan_options.progress_user = progress;
	progress->n_series = job->n_channels * job->n_segments;
	for (size_t i = 0; i < job->n_lengths; i++) {
		progress->before = done_before;
		progress->part =
			(double)tool_job_problem(job, job->lengths[i]).n_segments * (double)job->lengths[i] / all;
		done_before += progress->part;
		TRY(run_length(job, job->lengths[i], &set, &parts[i], err));
	}
	if (job->n_lengths == 1) {
		result = parts[0];
		parts[0] = NULL;
	} else {
		TRY(stack(job, parts, &result, err));
	}
	for (size_t c = 0; c < job->n_channels; c++)
		TRY(clpac_result_set_channel_name(
			result, c, clpac_recording_channel(job->recording, job->channels[c])->name, err));
	for (size_t s = 0; s < job->n_segments; s++)
		clpac_result_segment_onsets(result)[s] = job->segments[s].onset_s;
	*out = result;
	result = NULL;
done:
	clpac_result_destroy(result);
	for (size_t i = 0; parts && i < job->n_lengths; i++)
		clpac_result_destroy(parts[i]);
	free(parts);
	close_samples(&set);
	return st;
}
