/* A job, from its options to its open devices. */
#include "tool/job.h"

#include <stdio.h>
#include "tool/arguments.h"
#include "tool/console.h"
#include "analysis/epochs/epoch_parts.h"
#include "tool/input.h"
#include "tool/option_words.h"
#include "tool/phase.h"
#include "analysis/stretches/rejects.h"
#include "tool/settings.h"

/* Numbers of channels and segments are given where they are not 0, 1, ..., the default, so that the problem's text
 * stays short. */
clpac_problem tool_job_problem(const tool_job *job, size_t n_samples)
{
	clpac_problem problem = job->method.problem;
	if (job->epochs.are_wanted) {
		problem = clpac__epoch_parts_problem(&job->parts, &job->channels, &job->segments, &problem);
		problem.pairs = job->pairs.each;
		problem.n_pairs = job->pairs.n;
		return problem;
	}
	problem.n_channels = job->channels.n;
	problem.n_samples = n_samples;
	problem.n_segments = clpac__job_segments_of(&job->segments, n_samples, NULL, &problem.segment_numbers);
	problem.channel_numbers = NULL;
	for (size_t c = 0; c < job->channels.n; c++)
		if (job->channels.numbers[c] != c)
			problem.channel_numbers = job->channels.numbers;
	problem.pairs = job->pairs.each;
	problem.n_pairs = job->pairs.n;
	problem.size = sizeof problem;
	return problem;
}

size_t tool_job_rows(const tool_job *job)
{
	return job->pairs.each ? job->pairs.n : job->channels.n;
}

static clpac_status check_length(const tool_job *job, size_t n_samples, clpac_error *err)
{
	clpac_problem problem = tool_job_problem(job, n_samples);
	clpac_problem_copy *complete = NULL;
	clpac_status st = clpac_problem_complete(&problem, &complete, err);
	if (st != CLPAC_OK)
		tool_name_options(err);
	clpac_problem_destroy(complete);
	return st;
}

static bool is_length_chosen(const tool_call *call)
{
	static const char *const names[] = {"start", "stop", "segment", "edge", "shifts", "min-shift"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (tool_is_given(call, names[i]))
			return true;
	return call->values.analysis.problem != NULL;
}

/* Leaves out segments that are too short to compute, which the ragged ends between two gaps often are.  The longest
 * must be computable.  An option that fails at every length is a wrong option (CLPAC_ERROR_ARGUMENT).  One that fails
 * only at the length that the file happens to have is the file's fault (CLPAC_ERROR_FORMAT), unless that length was
 * chosen. */
static clpac_status check_lengths(tool_job *job, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t *lengths = job->segments.lengths;
	/* In samples: longer than every filter of a plausible band. */
	const size_t ample = (size_t)1 << 30;
	clpac_error ignored;
	st = check_length(job, lengths[0], err);
	if (st == CLPAC_ERROR_ARGUMENT && !is_length_chosen(job->call) &&
	    check_length(job, ample, &ignored) == CLPAC_OK)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%.200s: %.800s", job->call->values.analysis.input,
			     err ? err->text : "");
	if (st != CLPAC_OK)
		return st;
	size_t n_usable = job->segments.n_lengths, n_before = job->segments.n;
	clpac_error why = {0};
	while (n_usable > 1 && check_length(job, lengths[n_usable - 1], &why) != CLPAC_OK)
		n_usable--;
	size_t n_dropped = clpac__job_segments_drop(&job->segments, lengths[n_usable - 1]);
	if (n_dropped)
		tool_warn(job->call, 1, "%zu of %zu stretches are too short and are left out: %s", n_dropped, n_before,
			  why.text);
	return st;
}

/* Warns of a --problem of another rate: its bands, in Hz, stay the same, but its shifts and edges are in samples. */
static void compare_rates(const tool_job *job)
{
	if (!job->method.base)
		return;
	double recorded_hz = clpac_problem_get(job->method.base)->rate_hz, rate_hz = job->channels.rate_hz;
	if (recorded_hz > 0 && recorded_hz != rate_hz)
		tool_warn(job->call, 1,
			  "--problem was recorded at %g Hz, %s has %g Hz: its shifts and edges are taken in samples",
			  recorded_hz, job->call->values.analysis.input, rate_hz);
}

clpac_status tool_job_prepare(tool_job *job, tool_call *call, clpac_error *err)
{
	job->call = call;
	bool is_rejected;
	tool_hold hold;
	RETURN_IF_ERROR(tool_hold_read(call, &hold, err));
	RETURN_IF_ERROR(clpac__annotation_is_rejected(&call->values.analysis, "", &is_rejected, err));
	job->plan_options.strategy = (clpac_strategy)call->values.analysis.strategy;
	RETURN_IF_ERROR(clpac__job_epochs_read(&job->epochs, &call->values.analysis, err));
	RETURN_IF_ERROR(tool_method_read(&job->method, call, err));
	RETURN_IF_ERROR(clpac__pairs_check(&call->values.analysis, &job->method.problem, err));
	if (job->epochs.are_sliding && job->method.problem.null == CLPAC_NULL_TRIALS)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"--null trials and --sliding: windows that follow each other are no trials; give another null");
	return tool_settings(call, &job->options, err);
}

/* Epochs take the place of the segments, which are the stretches that filters see. */
static clpac_status cut_epochs(tool_job *job, clpac_error *err)
{
	clpac__job_segments epochs = {0};
	clpac_problem problem = job->method.problem;
	problem.n_channels = job->channels.n;
	problem.pairs = job->pairs.each;
	problem.n_pairs = job->pairs.n;
	RETURN_IF_ERROR(clpac__epoch_parts_find(&job->epochs,
						&(clpac__epoch_source){.recording = job->recording,
								       .channels = &job->channels,
								       .gaps = job->samples.gaps,
								       .pieces = &job->segments,
								       .problem = &problem,
								       .settings = &job->call->values.analysis},
						&epochs, &job->parts, err));
	clpac__job_segments_clear(&job->segments);
	job->segments = epochs;
	return CLPAC_OK;
}

clpac_status tool_job_open(tool_job *job, tool_call *call, clpac_error *err)
{
	tool_hold hold;
	tool_phase("reading %s", call->values.analysis.input);
	RETURN_IF_ERROR(tool_input_read(call, &job->recording, err));
	tool_input_warn(call, job->recording);
	RETURN_IF_ERROR(clpac__pairs_choose(job->recording, &call->values.analysis, &job->channels, &job->pairs, err));
	compare_rates(job);
	RETURN_IF_ERROR(clpac__job_segments_choose(job->recording, &job->channels, &call->values.analysis,
						   &job->segments, err));
	if (job->epochs.are_wanted)
		RETURN_IF_ERROR(clpac__job_epochs_find(&job->epochs, job->recording, &job->channels, &job->segments,
						       &call->values.analysis, err));
	RETURN_IF_ERROR(tool_method_set_rate(&job->method, call, job->channels.rate_hz, err));
	RETURN_IF_ERROR(tool_hold_read(call, &hold, err));
	if (job->pairs.each)
		hold = (tool_hold){UINT64_MAX, UINT64_MAX};
	RETURN_IF_ERROR(tool_samples_open(job->recording, &job->channels, &hold, &job->samples, err));
	if (job->epochs.are_wanted) {
		RETURN_IF_ERROR(cut_epochs(job, err));
	} else {
		RETURN_IF_ERROR(check_lengths(job, err));
		const clpac_problem problem = tool_job_problem(job, job->segments.lengths[0]);
		RETURN_IF_ERROR(clpac__job_parts_find(job->recording, &job->channels, &job->segments, job->samples.gaps,
						      &problem, &call->values.analysis, &job->parts, err));
	}
	if (!job->contexts)
		job->contexts = &job->own_contexts;
	if (!job->contexts->n) {
		tool_phase("opening the device; drivers may take a while");
		RETURN_IF_ERROR(tool_contexts_open(&job->options, call, job->contexts, err));
	}
	return CLPAC_OK;
}

void tool_job_close(tool_job *job)
{
	tool_contexts_close(&job->own_contexts);
	tool_method_clear(&job->method);
	clpac__job_parts_clear(&job->parts);
	clpac__job_epochs_clear(&job->epochs);
	clpac__job_segments_clear(&job->segments);
	tool_samples_close(&job->samples);
	clpac__pairs_clear(&job->pairs);
	clpac__channels_clear(&job->channels);
	clpac_recording_destroy(job->recording);
	*job = (tool_job){0};
}
