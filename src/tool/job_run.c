/* Computes a job: segments of one length are one problem.  Where gaps leave several lengths, the results are
 * stacked in the order of the recording. */
#include "tool/job_run.h"

#include <stdio.h>
#include <string.h>
#include <clpac/cautions.h>
#include "base/memory.h"
#include "tool/phase.h"

/* The samples of the chosen channels in one type; copied only if the file mixes types. */
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
		clpac__free(set->copies[c]);
	clpac__free(set->copies);
	clpac__free(set->channels);
	clpac__free(set->names);
	*set = (sample_set){0};
}

static clpac_status open_samples(const tool_job *job, sample_set *set, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	set->n = job->channels.n;
	set->channels = clpac__alloc_array(set->n, sizeof *set->channels);
	set->names = clpac__alloc_array(set->n, sizeof *set->names);
	set->copies = clpac__alloc_array(set->n, sizeof *set->copies);
	if (!set->channels || !set->names || !set->copies)
		FAIL_NO_MEMORY(set->n * sizeof *set->channels);
	set->type = CLPAC_FLOAT32;
	bool is_mixed = false;
	for (size_t c = 0; c < set->n; c++) {
		const clpac_channel *channel = clpac_recording_channel(job->recording, job->channels.numbers[c]);
		set->channels[c] = channel->samples;
		set->names[c] = channel->name;
		is_mixed = is_mixed || (c && (channel->type == CLPAC_FLOAT64) != (set->type == CLPAC_FLOAT64));
		if (channel->type == CLPAC_FLOAT64)
			set->type = CLPAC_FLOAT64;
	}
	for (size_t c = 0; is_mixed && c < set->n; c++) {
		const clpac_channel *channel = clpac_recording_channel(job->recording, job->channels.numbers[c]);
		if (channel->type == CLPAC_FLOAT64)
			continue;
		const float *from = channel->samples;
		set->copies[c] = clpac__alloc_array(channel->n_samples, sizeof(double));
		if (!set->copies[c])
			FAIL_NO_MEMORY(channel->n_samples * sizeof(double));
		for (size_t i = 0; i < channel->n_samples; i++)
			set->copies[c][i] = (double)from[i];
		set->channels[c] = set->copies[c];
	}
done:
	return st;
}

/* One phase for preparing and computing: a driver compiles in either. */
static void say_phase(const tool_job *job, const clpac_problem *problem)
{
	const clpac_device *device = clpac_context_device(job->contexts.each[0]);
	bool compiles = false;
	for (size_t i = 0; i < job->contexts.n; i++)
		compiles |= strcmp(clpac_context_device(job->contexts.each[i])->backend, "native") != 0;
	char surrogates[60];
	if (problem->null == CLPAC_NULL_TRIALS)
		snprintf(surrogates, sizeof surrogates, "%zu permutations of segments", problem->n_surrogates);
	else if (problem->null == CLPAC_NULL_BLOCKS)
		snprintf(surrogates, sizeof surrogates, "%zu arrangements of blocks", problem->n_surrogates);
	else if (problem->null == CLPAC_NULL_PHASES)
		snprintf(surrogates, sizeof surrogates, "%zu series with random phases", problem->n_surrogates);
	else if (problem->null == CLPAC_NULL_SHIFTS)
		snprintf(surrogates, sizeof surrogates, "%zu surrogates", problem->n_surrogates);
	else if (problem->shift_step <= 1)
		snprintf(surrogates, sizeof surrogates, "every shift");
	else
		snprintf(surrogates, sizeof surrogates, "every shift by a multiple of %zu samples",
			 problem->shift_step);
	tool_phase("computing %zu series of %.4g s, %zu x %zu bands, %s, on %s%s%s",
		   problem->n_channels * problem->n_segments, (double)problem->n_samples / problem->rate_hz,
		   problem->n_phase_bands, problem->n_amplitude_bands, surrogates, device->name,
		   job->contexts.n > 1 ? " and others" : "",
		   compiles ? "; the first run on a device compiles its kernels, which may take a minute" : "");
}

static clpac_status run_length(tool_job *job, size_t n_samples, const sample_set *set, clpac_result **out,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem problem = tool_job_problem(job, n_samples);
	say_phase(job, &problem);
	const size_t *places = NULL, n = tool_segments_of(&job->segments, n_samples, &places, NULL);
	size_t *starts = clpac__alloc_array(n, sizeof *starts);
	if (!starts)
		FAIL_NO_MEMORY(n * sizeof *starts);
	for (size_t s = 0; s < n; s++)
		starts[s] = job->segments.each[places[s]].start;
	const clpac_samples samples = {
		.type = set->type, .channels = set->channels, .segment_starts = starts, .names = set->names};
	TRY(clpac_problem_run(job->contexts.each, job->contexts.n, &problem, &job->plan_options, &samples, out, err));
	TRY(clpac_result_caution(*out, &problem, &samples, err));
done:
	clpac__free(starts);
	return st;
}

/* Progress that is known ends the phases. */
static bool report(void *user, size_t done, size_t total)
{
	if (done)
		tool_phases_stop();
	return tool_progress_report(user, done, total);
}

clpac_status tool_job_run(tool_job *job, tool_progress *progress, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const tool_segments *segments = &job->segments;
	clpac_result *result = NULL, **parts = clpac__alloc_array(segments->n_lengths, sizeof *parts);
	sample_set set = {0};
	double all = 0, done_before = 0;
	if (!parts)
		FAIL_NO_MEMORY(segments->n_lengths * sizeof *parts);
	TRY(open_samples(job, &set, err));
	for (size_t s = 0; s < segments->n; s++)
		all += (double)segments->each[s].n_samples;
	job->plan_options.progress = report;
	job->plan_options.progress_user = progress;
	progress->n_series = job->channels.n * segments->n;
	for (size_t i = 0; i < segments->n_lengths; i++) {
		const size_t n_samples = segments->lengths[i];
		progress->before = done_before;
		progress->part = (double)tool_job_problem(job, n_samples).n_segments * (double)n_samples / all;
		done_before += progress->part;
		TRY(run_length(job, n_samples, &set, &parts[i], err));
	}
	if (segments->n_lengths == 1) {
		result = parts[0];
		parts[0] = NULL;
	} else {
		const clpac_problem problem = tool_job_problem(job, segments->lengths[0]);
		TRY(clpac_result_stack(parts, segments->n_lengths, segments->places, &result, err));
		TRY(clpac_result_correct(result, &problem, err));
	}
	for (size_t s = 0; s < segments->n; s++)
		clpac_result_segment_onsets(result)[s] = segments->each[s].onset_s;
	*out = result;
	result = NULL;
done:
	clpac_result_destroy(result);
	for (size_t i = 0; parts && i < segments->n_lengths; i++)
		clpac_result_destroy(parts[i]);
	clpac__free(parts);
	close_samples(&set);
	return st;
}
