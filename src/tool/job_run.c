/* Computes a job: segments of one length are one problem, of a long job in groups of channels between checkpoints.
 * Where gaps leave several lengths, the results are stacked in the order of the recording. */
#include "tool/job_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <clpac/cautions.h>
#include "base/clock.h"
#include "base/memory.h"
#include "tool/channel_groups.h"
#include "tool/console.h"
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
	const clpac_device *device = clpac_context_device(job->contexts->each[0]);
	bool compiles = false;
	for (size_t i = 0; i < job->contexts->n; i++)
		compiles |= strcmp(clpac_context_device(job->contexts->each[i])->backend, "native") != 0;
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
		   job->contexts->n > 1 ? " and others" : "",
		   compiles ? "; the first run on a device compiles its kernels, which may take a minute" : "");
}

/* Seconds that a channel may take, before one has been measured: those of a core of 2020 by the cells, the surrogates
 * and the samples.  It only decides how many channels are computed before the first checkpoint. */
static double guess_seconds(const clpac_problem *problem)
{
	const double surrogates = problem->null == CLPAC_NULL_SHIFTS ? (double)problem->n_surrogates : 2000;
	return 1e-10 * (double)problem->n_samples * (double)problem->n_segments * (double)problem->n_phase_bands *
	       (double)problem->n_amplitude_bands * (100 + surrogates);
}

/* The channels from `first` on that are computed before the next checkpoint. */
static size_t group_size(const tool_checkpoints *checkpoints, double channel_s, size_t n_left)
{
	if (!checkpoints || !(channel_s * (double)n_left > checkpoints->interval_s))
		return n_left;
	const double n = floor(checkpoints->interval_s / channel_s);
	return n < 1 ? 1 : n < (double)n_left ? (size_t)n : n_left;
}

/* The channels of one length of segments, group after group. */
typedef struct groups {
	clpac_result **each;
	bool *is_kept; /* read from a checkpoint */
	size_t n, n_kept_channels;
} groups;

static void close_groups(groups *groups)
{
	for (size_t g = 0; groups->each && g < groups->n; g++)
		clpac_result_destroy(groups->each[g]);
	clpac__free(groups->each);
	clpac__free(groups->is_kept);
}

/* Reports of kept groups get the layout and device of one computed now; its number is returned. */
static clpac_status complete_reports(const groups *groups, size_t *model, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	*model = 0;
	while (*model + 1 < groups->n && groups->is_kept[*model])
		++*model;
	for (size_t g = 0; g < groups->n; g++) {
		if (!groups->is_kept[g])
			continue;
		*clpac_result_report(groups->each[g]) = *clpac_result_report(groups->each[*model]);
		TRY(tool_checkpoints_report(groups->each[g], clpac_result_report(groups->each[g]), err));
	}
done:
	return st;
}

/* A checkpoint that cannot be written must not end a long run. */
static void keep_group(tool_job *job, size_t length, size_t first, clpac_result *result)
{
	clpac_error why = {0};
	if (tool_checkpoints_keep(job->checkpoints, length, first, result, &why) == CLPAC_OK)
		return;
	tool_warn(job->call, 1, "the run goes on without checkpoints: %s", why.text);
	job->checkpoints->interval_s = INFINITY;
}

static clpac_status run_channels(tool_job *job, const clpac_problem *problem, const clpac_samples *samples,
				 size_t first, size_t n, clpac_result **out, clpac_error *err)
{
	clpac_problem part = *problem;
	clpac_samples part_samples = *samples;
	part.n_channels = n;
	part.channel_numbers = n == problem->n_channels ? problem->channel_numbers : job->channels.numbers + first;
	part_samples.channels += first;
	part_samples.names += first;
	return clpac_problem_run(job->contexts->each, job->contexts->n, &part, &job->plan_options, &part_samples, out,
				 err);
}

/* Channels that an earlier run has kept are read, the others computed.  The last group is computed in any case, since
 * checkpoints hold no filters, and it is not kept: the result comes next. */
static clpac_status run_groups(tool_job *job, size_t length, const clpac_problem *problem, const clpac_samples *samples,
			       tool_progress *progress, groups *groups, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = problem->n_channels;
	const double before = progress->before, part = progress->part;
	double channel_s = guess_seconds(problem);
	groups->each = clpac__alloc_array(n, sizeof(clpac_result *));
	groups->is_kept = clpac__alloc_array(n, sizeof *groups->is_kept);
	if (!groups->each || !groups->is_kept)
		FAIL_NO_MEMORY(n * (sizeof(clpac_result *) + sizeof *groups->is_kept));
	for (size_t first = 0, size; first < n; first += size) {
		clpac_result *made = NULL;
		size = 0;
		if (job->checkpoints)
			TRY(tool_checkpoints_find(job->checkpoints, length, first, n - first - 1, &made, err));
		groups->is_kept[groups->n] = made != NULL;
		if (made) {
			size = clpac_result_get_shape(made)->n_channels;
			groups->n_kept_channels += size;
			groups->each[groups->n++] = made;
			continue;
		}
		size = group_size(job->checkpoints, channel_s, n - first);
		progress->before = before + part * (double)first / (double)n;
		progress->part = part * (double)size / (double)n;
		const double started_s = clpac__clock_seconds();
		TRY(run_channels(job, problem, samples, first, size, &made, err));
		channel_s = (clpac__clock_seconds() - started_s) / (double)size;
		groups->each[groups->n++] = made;
		if (job->checkpoints && job->checkpoints->interval_s < INFINITY && first + size < n)
			keep_group(job, length, first, made);
	}
done:
	return st;
}

static clpac_status run_length(tool_job *job, size_t length, const sample_set *set, tool_progress *progress,
			       clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_samples = job->segments.lengths[length];
	clpac_problem problem = tool_job_problem(job, n_samples);
	clpac_result *joined = NULL;
	groups groups = {0};
	say_phase(job, &problem);
	const size_t *places = NULL, n = tool_segments_of(&job->segments, n_samples, &places, NULL);
	size_t *starts = clpac__alloc_array(n, sizeof *starts), model;
	if (!starts)
		FAIL_NO_MEMORY(n * sizeof *starts);
	for (size_t s = 0; s < n; s++)
		starts[s] = job->segments.each[places[s]].start;
	const clpac_samples samples = {
		.type = set->type, .channels = set->channels, .segment_starts = starts, .names = set->names};
	TRY(run_groups(job, length, &problem, &samples, progress, &groups, err));
	job->n_kept_channels += groups.n_kept_channels;
	if (groups.n > 1) {
		TRY(complete_reports(&groups, &model, err));
		TRY(tool_channel_groups_join(groups.each, groups.n, model, &problem, &joined, err));
	} else {
		joined = groups.each[0];
		groups.each[0] = NULL;
	}
	TRY(clpac_result_caution(joined, &problem, &samples, err));
	*out = joined;
	joined = NULL;
done:
	clpac_result_destroy(joined);
	close_groups(&groups);
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
		TRY(run_length(job, i, &set, progress, &parts[i], err));
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
