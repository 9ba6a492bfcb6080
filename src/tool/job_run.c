/* Computes a job: each part is one problem, of a long job in groups of channels between checkpoints. */
#include "tool/job_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <clpac/cautions.h>
#include "base/clock.h"
#include "base/memory.h"
#include "tool/channel_groups.h"
#include "tool/console.h"
#include "tool/part_results.h"
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

/* The samples of each series: epochs are all of one length. */
static double used_samples(const clpac_problem *problem)
{
	const clpac_window *epochs = problem->windows;
	if (!epochs)
		return (double)problem->n_samples;
	return (double)epochs->n_samples * (problem->separate_windows ? 1 : (double)problem->n_windows);
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
		   (problem->pairs ? problem->n_pairs : problem->n_channels) * problem->n_segments,
		   used_samples(problem) / problem->rate_hz, problem->n_phase_bands, problem->n_amplitude_bands,
		   surrogates, device->name, job->contexts->n > 1 ? " and others" : "",
		   compiles ? "; the first run on a device compiles its kernels, which may take a minute" : "");
}

/* Seconds that a channel may take, before one has been measured: those of a core of 2020 by the cells, the surrogates
 * and the samples.  It only decides how many channels are computed before the first checkpoint. */
static double guess_seconds(const clpac_problem *problem)
{
	const double surrogates = problem->null == CLPAC_NULL_SHIFTS ? (double)problem->n_surrogates : 2000;
	return 1e-10 * used_samples(problem) * (double)problem->n_segments * (double)problem->n_phase_bands *
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

/* The channels, or pairs, of one part, group after group.  Each group of pairs filters its channels anew. */
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
static void keep_group(tool_job *job, size_t number, size_t first, clpac_result *result)
{
	clpac_error why = {0};
	if (tool_checkpoints_keep(job->checkpoints, number, first, result, &why) == CLPAC_OK)
		return;
	tool_warn(job->call, 1, "the run goes on without checkpoints: %s", why.text);
	job->checkpoints->interval_s = INFINITY;
}

static clpac_status run_channels(tool_job *job, const tool_part *all, const clpac_problem *problem,
				 const clpac_samples *samples, size_t first, size_t n, clpac_result **out,
				 clpac_error *err)
{
	clpac_problem part = *problem;
	clpac_samples part_samples = *samples;
	if (part.pairs) {
		part.pairs += first;
		part.n_pairs = n;
		return clpac_problem_run(job->contexts->each, job->contexts->n, &part, &job->plan_options, samples, out,
					 err);
	}
	part.n_channels = n;
	part.channel_numbers = n == problem->n_channels ? problem->channel_numbers : all->channel_numbers + first;
	part_samples.channels += first;
	part_samples.names += first;
	return clpac_problem_run(job->contexts->each, job->contexts->n, &part, &job->plan_options, &part_samples, out,
				 err);
}

/* Channels that an earlier run has kept are read, the others computed.  The last group is computed in any case, since
 * checkpoints hold no filters, and it is not kept: the result comes next. */
static clpac_status run_groups(tool_job *job, size_t number, const clpac_problem *problem, const clpac_samples *samples,
			       tool_progress *progress, groups *groups, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = problem->pairs ? problem->n_pairs : problem->n_channels;
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
			TRY(tool_checkpoints_find(job->checkpoints, number, first, n - first - 1, &made, err));
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
		TRY(run_channels(job, &job->parts.each[number], problem, samples, first, size, &made, err));
		channel_s = (clpac__clock_seconds() - started_s) / (double)size;
		groups->each[groups->n++] = made;
		if (job->checkpoints && job->checkpoints->interval_s < INFINITY && first + size < n)
			keep_group(job, number, first, made);
	}
done:
	return st;
}

/* The samples of a part's channels, and where its segments begin. */
typedef struct part_samples {
	const void **channels;
	const char **names;
	size_t *starts;
} part_samples;

static void close_part(part_samples *samples)
{
	clpac__free(samples->channels);
	clpac__free(samples->names);
	clpac__free(samples->starts);
}

static clpac_status open_part(const tool_job *job, const tool_part *part, const sample_set *set, part_samples *out,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	out->starts = clpac__alloc_array(part->n_segments, sizeof *out->starts);
	out->channels = clpac__alloc_array(part->n_channels, sizeof *out->channels);
	out->names = clpac__alloc_array(part->n_channels, sizeof *out->names);
	if (!out->starts || !out->channels || !out->names)
		FAIL_NO_MEMORY(part->n_segments * sizeof *out->starts + part->n_channels * sizeof *out->channels);
	for (size_t k = 0; k < part->n_segments; k++)
		out->starts[k] = part->windows ? 0 : job->segments.each[part->places[k]].start;
	for (size_t c = 0; c < part->n_channels; c++) {
		out->channels[c] = set->channels[part->channels[c]];
		out->names[c] = set->names[part->channels[c]];
	}
done:
	return st;
}

static clpac_status run_part(tool_job *job, size_t number, const sample_set *set, tool_progress *progress,
			     clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const tool_part *part = &job->parts.each[number];
	const clpac_problem problem = tool_job_part_problem(job, part);
	clpac_result *joined = NULL;
	part_samples lists = {0};
	groups groups = {0};
	size_t model;
	say_phase(job, &problem);
	TRY(open_part(job, part, set, &lists, err));
	const clpac_samples samples = {
		.type = set->type, .channels = lists.channels, .segment_starts = lists.starts, .names = lists.names};
	TRY(run_groups(job, number, &problem, &samples, progress, &groups, err));
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
	close_part(&lists);
	return st;
}

/* Progress that is known ends the phases. */
static bool report(void *user, size_t done, size_t total)
{
	if (done)
		tool_phases_stop();
	return tool_progress_report(user, done, total);
}

static double work_of(const tool_part *part)
{
	size_t n_rows;
	tool_part_rows(part, &n_rows);
	return (double)part->n_used * (double)n_rows * (double)part->n_segments;
}

clpac_status tool_job_run(tool_job *job, tool_progress *progress, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const tool_segments *segments = &job->segments;
	const tool_parts *parts = &job->parts;
	clpac_result *result = NULL, **results = clpac__alloc_array(parts->n, sizeof *results);
	sample_set set = {0};
	double all = 0, done_before = 0;
	if (!results)
		FAIL_NO_MEMORY(parts->n * sizeof *results);
	TRY(open_samples(job, &set, err));
	for (size_t i = 0; i < parts->n; i++)
		all += work_of(&parts->each[i]);
	job->plan_options.progress = report;
	job->plan_options.progress_user = progress;
	progress->n_series = tool_job_rows(job) * segments->n;
	for (size_t i = 0; i < parts->n; i++) {
		progress->before = done_before;
		progress->part = work_of(&parts->each[i]) / all;
		done_before += progress->part;
		TRY(run_part(job, i, &set, progress, &results[i], err));
	}
	TRY(tool_part_results_join(job, results, &result, err));
	for (size_t s = 0; s < segments->n; s++)
		clpac_result_segment_onsets(result)[s] = segments->each[s].onset_s;
	TRY(tool_epochs_name(&job->epochs, result, err));
	*out = result;
	result = NULL;
done:
	clpac_result_destroy(result);
	for (size_t i = 0; results && i < parts->n; i++)
		clpac_result_destroy(results[i]);
	clpac__free(results);
	close_samples(&set);
	return st;
}
