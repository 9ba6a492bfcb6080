/* Computing a job.  Segments of one length go through one plan.  Where gaps left several lengths, the results are
 * stacked in the order of the recording: every map has the same shape whatever the length. */
#include "tool/job_run.h"

#include <stdlib.h>

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

/* Stacks the results of all lengths in the order of the recording. */
static clpac_status stack(const tool_job *job, clpac_result *const *parts, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t *places = calloc(job->n_segments, sizeof *places), n = 0;
	if (!places)
		FAIL_NO_MEMORY(job->n_segments * sizeof *places);
	for (size_t i = 0; i < job->n_lengths; i++)
		for (size_t s = 0; s < job->n_segments; s++)
			if (job->segments[s].n_samples == job->lengths[i])
				places[n++] = s;
	TRY(clpac_result_stack(parts, job->n_lengths, places, out, err));
done:
	free(places);
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
