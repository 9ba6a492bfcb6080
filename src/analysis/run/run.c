/* Computes a job: each part is one problem, computed in pieces; of a long recording, the samples of some channels are
 * there at a time. */
#include "analysis/run/run.h"

#include <stdio.h>
#include <string.h>
#include "base/cancel.h"
#include "base/memory.h"

/* One phase for preparing and computing: a driver compiles in either. */
static void say_phase(const clpac__job *job, const clpac_problem *problem)
{
	const clpac_device *device = clpac_context_device(job->contexts->each[0]);
	bool compiles = false;
	for (size_t i = 0; i < job->contexts->n; i++)
		compiles |= strcmp(clpac_context_device(job->contexts->each[i])->backend, "native") != 0;
	char surrogates[60];
	if (problem->null == CLPAC_NULL_TRIALS)
		snprintf(surrogates, sizeof surrogates, "%zu permutations of segments", problem->n_surrogates);
	else if (problem->null == CLPAC_NULL_BLOCKS)
		snprintf(surrogates, sizeof surrogates, "%zu arrangements of time blocks", problem->n_surrogates);
	else if (problem->null == CLPAC_NULL_PHASES)
		snprintf(surrogates, sizeof surrogates, "%zu series with random phases", problem->n_surrogates);
	else if (problem->null == CLPAC_NULL_SHIFTS)
		snprintf(surrogates, sizeof surrogates, "%zu surrogates", problem->n_surrogates);
	else if (problem->shift_step <= 1)
		snprintf(surrogates, sizeof surrogates, "every shift");
	else
		snprintf(surrogates, sizeof surrogates, "every shift by a multiple of %zu samples",
			 problem->shift_step);
	clpac__analysis_phase(
		job->settings, "computing %zu series of %.4g s, %zu x %zu bands, %s, on %s%s%s",
		(problem->pairs ? problem->n_pairs : problem->n_channels) * problem->n_segments,
		clpac__used_samples(problem) / problem->rate_hz, problem->n_phase_bands, problem->n_amplitude_bands,
		surrogates, device->name, job->contexts->n > 1 ? " and others" : "",
		compiles ? "; the first run on a device compiles its kernels, which may take a minute" : "");
}

static double work_of(const clpac__job_part *part, size_t n_rows)
{
	return (double)part->n_used * (double)n_rows * (double)part->n_segments;
}

/* The channels of a part, or its pairs, that are in a group of samples: those from `first` up to the returned one.
 * Pairs need all samples, which are one group then. */
static size_t end_in_group(const clpac__job *job, const clpac__job_part *part, size_t group, size_t first)
{
	return part->pairs ? part->n_pairs : clpac__job_end_in_group(job, part, group, first);
}

/* Each group of samples is read once, and all parts that have channels in it are computed. */
static clpac_status run_parts(clpac__job *job, clpac__job_pieces *pieces, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__job_parts *parts = &job->parts;
	double all = 0, done_before = 0;
	size_t n_left = 0, *next = clpac__alloc_array(parts->n, sizeof *next);
	if (!next)
		FAIL_NO_MEMORY(parts->n * sizeof *next);
	for (size_t i = 0; i < parts->n; i++) {
		size_t n_rows;
		clpac__job_part_rows(&parts->each[i], &n_rows);
		all += work_of(&parts->each[i], n_rows);
		n_left += n_rows;
	}
	for (size_t group = 0; group < job->samples.n_groups; group++)
		for (size_t i = 0; i < parts->n; i++) {
			const clpac__job_part *part = &parts->each[i];
			const size_t end = end_in_group(job, part, group, next[i]), n = end - next[i];
			if (!n)
				continue;
			const clpac_problem problem = clpac__job_part_problem(part, &job->method.problem);
			job->progress.before = done_before;
			job->progress.part = work_of(part, n) / all;
			done_before += job->progress.part;
			n_left -= n;
			say_phase(job, &problem);
			TRY(clpac__job_pieces_run(job, i, next[i], end, n_left == 0, pieces, err));
			next[i] = end;
		}
done:
	clpac__free(next);
	return st;
}

/* Makes the result of finished pieces.  Where a job keeps checkpoints, which what was computed last is not in yet, a
 * wish to end comes too late for it: this takes seconds at most, and nothing is lost. */
static clpac_status end_parts(clpac__job *job, clpac__job_pieces *pieces, clpac_result **results, clpac_result **out,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_cancel *cancel = clpac_cancel_used();
	if (clpac__job_keeps_pieces(job))
		clpac_cancel_use(NULL);
	for (size_t i = 0; i < job->parts.n; i++)
		TRY(clpac__job_pieces_end(job, i, &pieces[i], &results[i], err));
	TRY(clpac__part_results_join(job, results, out, err));
done:
	clpac_cancel_use(cancel);
	return st;
}

clpac_status clpac__job_run(clpac__job *job, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__job_segments *segments = &job->segments;
	const clpac__job_parts *parts = &job->parts;
	clpac_result *result = NULL, **results = clpac__alloc_array(parts->n, sizeof(clpac_result *));
	clpac__job_pieces *pieces = clpac__alloc_array(parts->n, sizeof *pieces);
	if (!results || !pieces)
		FAIL_NO_MEMORY(parts->n * (sizeof(clpac_result *) + sizeof *pieces));
	job->plan_options.progress = clpac__job_tell_progress;
	job->plan_options.progress_user = job;
	job->progress.n_series = (job->shard.n ? job->shard.n_rows : clpac__job_rows(job)) * segments->n;
	st = run_parts(job, pieces, err);
	if (st == CLPAC_ERROR_CANCELLED)
		clpac__job_pieces_keep(job, pieces);
	TRY(st);
	TRY(end_parts(job, pieces, results, &result, err));
	for (size_t s = 0; s < segments->n; s++)
		clpac_result_segment_onsets(result)[s] = segments->each[s].onset_s;
	TRY(clpac__job_epochs_name(&job->epochs, result, err));
	*out = result, result = NULL;
done:
	clpac_result_destroy(result);
	for (size_t i = 0; i < parts->n; i++) {
		if (results)
			clpac_result_destroy(results[i]);
		if (pieces)
			clpac__job_pieces_clear(&pieces[i]);
	}
	FREE_ALL(results, pieces);
	return st;
}

void clpac__job_note_kept(const clpac__job *job)
{
	char text[160];
	size_t n = 0;
	bool are_channels = true;
	for (size_t i = 0; i < job->parts.n; i++) {
		size_t n_rows;
		clpac__job_part_rows(&job->parts.each[i], &n_rows);
		n += n_rows * job->parts.each[i].n_segments;
		are_channels = are_channels && job->parts.n == 1 && job->parts.each[i].n_segments == 1;
	}
	if (!job->n_kept_series)
		return;
	snprintf(text, sizeof text, "%zu of %zu %s were there from an earlier run, which had not ended",
		 job->n_kept_series, n, are_channels ? "channels" : "series of channels and segments");
	clpac__analysis_note(job->settings, text);
}
