/* What `run` and `plan` have in common. */
#include "tool/job.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tool/console.h"

clpac_problem tool_job_problem(const tool_job *job, size_t n_samples)
{
	clpac_problem problem = job->method.problem;
	problem.n_channels = job->n_channels;
	problem.n_samples = n_samples;
	problem.n_segments = 0;
	for (size_t s = 0; s < job->n_segments; s++)
		problem.n_segments += job->segments[s].n_samples == n_samples;
	return problem;
}

static int longer_first(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return (x < y) - (x > y);
}

static clpac_status find_lengths(tool_job *job, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	free(job->lengths);
	job->n_lengths = 0;
	job->lengths = calloc(job->n_segments, sizeof *job->lengths);
	if (!job->lengths)
		FAIL_NO_MEMORY(job->n_segments * sizeof *job->lengths);
	for (size_t s = 0; s < job->n_segments; s++)
		job->lengths[s] = job->segments[s].n_samples;
	qsort(job->lengths, job->n_segments, sizeof *job->lengths, longer_first);
	for (size_t s = 0; s < job->n_segments; s++)
		if (job->n_lengths == 0 || job->lengths[job->n_lengths - 1] != job->lengths[s])
			job->lengths[job->n_lengths++] = job->lengths[s];
done:
	return st;
}

static clpac_status check_length(const tool_job *job, size_t n_samples, clpac_error *err)
{
	clpac_problem problem = tool_job_problem(job, n_samples);
	clpac_problem_copy *complete = NULL;
	clpac_status st = clpac_problem_complete(&problem, &complete, err);
	clpac_problem_destroy(complete);
	return st;
}

static bool is_length_chosen(const tool_call *call)
{
	static const char *const names[] = {"start", "stop", "segment", "edge", "shifts", "min-shift"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (tool_is_given(call, names[i]))
			return true;
	return call->values.problem != NULL;
}

/* Leaves out segments that are too short to compute, which the ragged ends between two gaps often are.  The longest
 * must do.  An option that is wrong whatever the length is a wrong option; what only fails at the length that the file
 * has is the file's fault, unless the length was chosen. */
static clpac_status check_lengths(tool_job *job, const tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t longest =
		(size_t)1 << 30; /* samples: at any rate of any recording there is, longer than every filter */
	TRY(check_length(job, longest > job->lengths[0] ? longest : job->lengths[0], err));
	st = check_length(job, job->lengths[0], err);
	if (st == CLPAC_ERROR_ARGUMENT && !is_length_chosen(call))
		FAIL(CLPAC_ERROR_FORMAT, "%.200s: %.800s", job->path, err ? err->text : "");
	if (st != CLPAC_OK)
		goto done;
	size_t shortest = job->n_lengths;
	clpac_error why = {0};
	while (shortest > 1 && check_length(job, job->lengths[shortest - 1], &why) != CLPAC_OK)
		shortest--;
	if (shortest == job->n_lengths)
		goto done;
	size_t kept = 0, n_before = job->n_segments;
	for (size_t s = 0; s < n_before; s++)
		if (job->segments[s].n_samples >= job->lengths[shortest - 1])
			job->segments[kept++] = job->segments[s];
	job->n_segments = kept;
	tool_warn(call, 1, "%zu of %zu stretches are too short and are left out: %s", n_before - kept, n_before,
		  why.text);
	TRY(find_lengths(job, err));
done:
	return st;
}

static void pass_on_warnings(const clpac_recording *recording, const tool_call *call)
{
	for (size_t i = 0; i < clpac_recording_n_warnings(recording); i++) {
		size_t count;
		const char *text = clpac_recording_warning(recording, i, &count);
		tool_warn(call, count, "%s", text);
	}
}

/* A problem recorded at one rate and used at another keeps its bands; what it has in samples means other seconds. */
static void compare_rates(const tool_job *job, const tool_call *call)
{
	if (!job->method.base)
		return;
	double recorded_hz = clpac_problem_get(job->method.base)->rate_hz;
	if (recorded_hz > 0 && recorded_hz != job->rate_hz)
		tool_warn(call, 1,
			  "--problem was recorded at %g Hz, %s has %g Hz: its shifts and edges are taken in samples",
			  recorded_hz, job->path, job->rate_hz);
}

clpac_status tool_job_prepare(tool_job *job, tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	job->path = call->operands[0];
	job->call = call;
	job->plan_options.strategy = (clpac_strategy)call->values.strategy;
	TRY(tool_method_read(&job->method, call, err));
	TRY(tool_settings(call, &job->options, err));
done:
	return st;
}

clpac_status tool_job_open(tool_job *job, tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(tool_recording_read(call, &job->recording, err));
	pass_on_warnings(job->recording, call);
	TRY(tool_channels_choose(job, call, err));
	compare_rates(job, call);
	TRY(tool_segments_choose(job, call, err));
	TRY(tool_method_set_rate(&job->method, call, job->rate_hz, err));
	TRY(find_lengths(job, err));
	TRY(check_lengths(job, call, err));
	TRY(tool_contexts_open(job, call, err));
done:
	return st;
}

void tool_job_close(tool_job *job)
{
	tool_contexts_close(job);
	tool_method_clear(&job->method);
	free(job->lengths);
	free(job->segments);
	free(job->channels);
	clpac_recording_destroy(job->recording);
	*job = (tool_job){0};
}
