/* clpac erpac: coupling about an event, across trials, at each point in time. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <clpac/erpac.h>
#include "base/clock.h"
#include "base/memory.h"
#include "tool/arguments.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "analysis/run/losses.h"
#include "analysis/run/trials.h"
#include "tool/option_groups.h"
#include "tool/option_words.h"
#include "tool/phase.h"
#include "tool/progress.h"
#include "tool/run_outputs.h"
#include "tool/settings.h"
#include "tool/several.h"

#define VALUE(member) offsetof(tool_values, member)

/* clang-format off */
static const tool_option trial_options[] = {
	{ "events", 0, TOOL_TEXT, "LIST", NULL, VALUE(analysis.events), NULL,
	  "a trial about each event whose text is this, or one of several as NAME=PATTERN: go, all=go*" },
	{ "window", 0, TOOL_TEXT, "A:B", NULL, VALUE(analysis.window), NULL,
	  "a trial, from A to B seconds after its event: -0.5:1.5" },
	{ "step", 0, TOOL_NUMBER, "S", "0.01, or a sample", VALUE(step_s), NULL,
	  "correlate at a point in time every S seconds" },
};
static const tool_option method_options[] = {
	{ "phase", 0, TOOL_TEXT, "SPEC", "2:20:10", VALUE(analysis.phase), NULL,
	  "phase bands: LO:HI:COUNT[:log|/WIDTH] or LO-HI,..." },
	{ "amplitude", 0, TOOL_TEXT, "SPEC", "60:160:10", VALUE(analysis.amplitude), NULL,
	  "amplitude bands, written the same way" },
	{ "surrogates", 0, TOOL_TEXT, "K", "200", VALUE(analysis.surrogates), NULL,
	  "permutations of trials; 0: rho alone" },
	{ "seed", 0, TOOL_COUNT, "N", "42", VALUE(analysis.seed), NULL,
	  "seed of the permutations" },
	{ "share-shifts", 0, TOOL_FLAG, NULL, NULL, VALUE(analysis.share_shifts), NULL,
	  "the same permutations for all channels" },
	{ "allow-narrow", 0, TOOL_FLAG, NULL, NULL, VALUE(analysis.allow_narrow), NULL,
	  "let cells be peaks whose amplitude band is too narrow for the phase or overlaps it" },
};
/* clang-format on */
#define GROUP(title_, rows)                                                                                            \
	{                                                                                                              \
		.title = title_, .options = rows, .n_options = sizeof rows / sizeof *rows                              \
	}
static const tool_group trial_group = GROUP("The trials", trial_options);
static const tool_group method_group = GROUP("The method", method_options);
static const tool_group *const groups[] = {&trial_group,	&tool_group_read,
					   &tool_group_take,	&tool_group_reject,
					   &method_group,	&tool_group_trials_output,
					   &tool_group_compute, &tool_group_config,
					   &tool_group_common,	NULL};

static const double patience_s = 1, usual_step_s = 0.01;

static clpac_status check(tool_call *call, clpac_error *err)
{
	const tool_values *v = &call->values;
	if (!v->analysis.events)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "about which events?  give --events and --window, as --events go --window -0.5:1.5");
	if (v->analysis.segment)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--segment: trials are cut around --events; leave it out");
	if (tool_is_given(call, "step") && !(v->step_s > 0 && isfinite(v->step_s)))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--step %g: give seconds above 0", v->step_s);
	return tool_several_check(call, err);
}

/* Reports wrong options once, before any recording. */
static clpac_status check_options(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job job = {0};
	tool_run_outputs files = {0};
	TRY(check(call, err));
	TRY(tool_job_prepare(&job, call, err));
	TRY(tool_run_outputs_name("", call, &files, err));
done:
	tool_run_outputs_clear(&files);
	clpac__job_close(&job);
	return st;
}

/* The step in samples. */
static clpac_status choose_step(const tool_call *call, const clpac__job *job, size_t *step, clpac_error *err)
{
	const double rate_hz = job->channels.rate_hz, window_s = job->epochs.to_s - job->epochs.from_s;
	const bool is_given = tool_is_given(call, "step");
	const double step_s = is_given ? call->values.step_s : usual_step_s, samples = floor(step_s * rate_hz + 0.5);
	if (is_given && samples < 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--step %g: at %g Hz this is shorter than a sample", step_s,
			     rate_hz);
	if (is_given && step_s >= window_s)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--step %g: a window of %g s has one point in time; give a shorter step", step_s,
			     window_s);
	*step = samples < 1 ? 1 : (size_t)samples;
	return CLPAC_OK;
}

static clpac_status check_conditions(const clpac__job *job, clpac_error *err)
{
	const clpac__job_epochs *epochs = &job->epochs;
	if (epochs->n_conditions > 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--events %.200s: there are %zu conditions (\"%.60s\", \"%.60s\"%s), and coupling is "
			     "across the "
			     "trials "
			     "of one: name one, or gather them, as --events all=PATTERN",
			     job->settings->events, epochs->n_conditions, epochs->conditions[0], epochs->conditions[1],
			     epochs->n_conditions > 2 ? ", ..." : "");
	return CLPAC_OK;
}

static void print_time(const clpac_result *result, size_t segment)
{
	const double at_s = clpac_result_segment_onsets(result)[segment];
	const char *condition = clpac_result_condition(result, segment);
	if (at_s < 0)
		tool_print(stderr, "%.4g s before ", -at_s);
	else
		tool_print(stderr, "%.4g s after ", at_s);
	tool_print_column(stderr, condition ? condition : "the event", 0);
}

static void print_channel(const clpac_result *result, size_t channel)
{
	const char *phase = clpac_result_pair_channel(result, channel, CLPAC_PHASE);
	const char *amplitude = clpac_result_pair_channel(result, channel, CLPAC_AMPLITUDE);
	if (phase && amplitude) {
		tool_print(stderr, "peak between the phase of ");
		tool_print_column(stderr, phase, 0);
		tool_print(stderr, " and the amplitude of ");
		tool_print_column(stderr, amplitude, 0);
	} else {
		tool_print(stderr, "peak in channel ");
		tool_print_column(stderr, clpac_result_channel_name(result, channel), 0);
	}
}

static void print_summary(const clpac__job *job, const clpac_result *result, double seconds)
{
	char epochs[CLPAC__EPOCHS_SIZE];
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	tool_print(stderr, "clpac erpac: ");
	if (peak.found) {
		const clpac_band phase = clpac_result_phase_bands(result)[peak.phase];
		const clpac_band amplitude = clpac_result_amplitude_bands(result)[peak.amplitude];
		print_channel(result, peak.channel);
		tool_print(stderr, ", ");
		print_time(result, peak.segment);
		tool_print(stderr, ", at phase %.4g-%.4g Hz, amplitude %.4g-%.4g Hz: rho %.3g", phase.lo_hz,
			   phase.hi_hz, amplitude.lo_hz, amplitude.hi_hz, (double)peak.mi);
		if (!isnan(peak.p_max))
			tool_print(stderr, ", p_max %.2g%s", (double)peak.p_max,
				   peak.p_max > 0.05f ? " (no point in time of its channel is significant)" : "");
	} else {
		tool_print(stderr, "no valid cell has a value");
	}
	clpac__job_epochs_sentence(&job->epochs, epochs);
	tool_print(stderr, "; ");
	tool_print_column(stderr, epochs, 0);
	tool_print(stderr, "; %zu points in time", shape->n_segments);
	if (shape->n_surrogates)
		tool_print(stderr, ", %zu permutations of trials", shape->n_surrogates);
	tool_print(stderr, "; %zu channel%s in %.3g s on %s\n", shape->n_channels, shape->n_channels == 1 ? "" : "s",
		   seconds, clpac_result_report(result)->device);
}

static clpac_status compute(tool_call *call, clpac__job *job, const char *place, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t step = 1;
	const size_t n_surrogates = job->method.problem.n_surrogates;
	job->epochs.are_trials = true;
	/* A problem of epochs does not permute those of pairs. */
	job->method.problem.n_surrogates = 0;
	TRY(clpac__job_open(job, err));
	job->method.problem.n_surrogates = n_surrogates;
	TRY(check_conditions(job, err));
	TRY(choose_step(call, job, &step, err));
	clpac__job_warn_of_losses(job);
	tool_progress_start(call, place);
	st = clpac__job_trials_run(job, step, out, err);
	if (st == CLPAC_ERROR_ARGUMENT)
		tool_name_options(err);
	tool_progress_end(call);
	TRY(st);
done:
	tool_phases_end();
	return st;
}

static clpac_status run_recording(tool_call *call, const char *npz, clpac__job_contexts *contexts, const char *place,
				  tool_outcome *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job job = {.contexts = contexts};
	tool_run_outputs files = {0};
	clpac_result *result = NULL;
	const double started_s = clpac__clock_seconds();
	bool is_done = false;
	*out = TOOL_FAILED;
	if (!call->values.quiet)
		tool_phases_start(call->command->name, patience_s);
	TRY(tool_job_prepare(&job, call, err));
	TRY(tool_run_outputs_name(npz, call, &files, err));
	TRY(tool_several_skip(&files, call, &is_done, err));
	if (is_done) {
		*out = TOOL_SKIPPED;
		goto done;
	}
	TRY(tool_run_outputs_check(&files, call->values.analysis.input, call, err));
	TRY(compute(call, &job, place, &result, err));
	for (int k = 0; k < CLPAC_WARN_KIND_COUNT; k++)
		if (clpac_result_report(result)->warnings[k].count)
			tool_warn(call, clpac_result_report(result)->warnings[k].count, "%s",
				  clpac_result_report(result)->warnings[k].text);
	TRY(clpac__job_check_cells(&job, result, err));
	TRY(tool_run_outputs_write(&files, result, &job, call, err));
	if (!call->values.quiet)
		print_summary(&job, result, clpac__clock_seconds() - started_s);
	*out = TOOL_DONE;
done:
	tool_phases_end();
	clpac_result_destroy(result);
	clpac__job_close(&job);
	tool_run_outputs_clear(&files);
	return st;
}

static clpac_status erpac(tool_call *call, clpac_error *err)
{
	return tool_several_run(call, check_options, run_recording, err);
}

const tool_command tool_command_erpac = {
	.name = "erpac",
	.usage = "RECORDING... --events NAME --window A:B -o OUT.npz|FOLDER [OPTIONS]",
	.min_operands = 1,
	.max_operands = TOOL_ANY_NUMBER,
	.operand = "recording",
	.summary = "coupling about an event, across trials",
	.help = "Correlates amplitudes with phases across the trials about an event, at each point in time "
		"(event-related\n"
		"phase-amplitude coupling): rho, with p from permutations of trials, and p_max over all cells and "
		"points in\n"
		"time of a channel.  The continuous signal is filtered first.  clpac plot --time draws it.\n"
		"Several recordings, or folders of them, get one result each, in the folder that -o names.\n",
	.groups = groups,
	.run = erpac,
};
