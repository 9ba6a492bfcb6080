/* clpac plan: explains a run without computing it. */
#include <stdio.h>
#include "tool/commands.h"
#include "tool/job.h"
#include "tool/option_groups.h"
#include "tool/console.h"

/* Nothing is written here, so that only --quiet of the output options of run applies. */
static const tool_option own_options[] = {
	{"quiet", 'q', TOOL_FLAG, NULL, NULL, offsetof(tool_values, quiet), NULL, "no warnings"},
};
static const tool_group own_group = {.title = "The output", .options = own_options, .n_options = 1};
static const tool_group *const groups[] = {
	&tool_group_read, &tool_group_take,   &tool_group_method, &tool_group_compute,
	&own_group,	  &tool_group_config, &tool_group_common, NULL,
};

/* The run that plans predict. */
typedef struct forecast {
	double seconds;
	size_t n_devices;
} forecast;

/* Explains the plans of a problem, one on each device, and adds the time that they take together. */
static clpac_status explain_plans(tool_job *job, const clpac_problem *problem, forecast *forecast, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	tool_plans plans = {0};
	char *text = NULL;
	double rate = 0; /* runs per second, all devices together */
	TRY(tool_plans_create(job->contexts, problem, &job->plan_options, &plans, err));
	for (size_t i = 0; i < plans.n; i++) {
		double seconds;
		TRY(clpac_plan_explain(plans.each[i], &text, err));
		TRY(clpac_plan_rehearse(plans.each[i], &seconds, err));
		tool_print_lines(stdout, text);
		clpac_text_free(text);
		text = NULL;
		if (plans.n > 1)
			tool_print(stdout, "alone      about %.2g s\n\n", seconds);
		rate += 1 / seconds;
	}
	forecast->seconds += 1 / rate;
	forecast->n_devices = plans.n;
done:
	clpac_text_free(text);
	tool_plans_destroy(&plans);
	return st;
}

/* Explains the plans of each phase band, which run one after the other. */
static clpac_status explain_tied(tool_job *job, const clpac_problem *problem, forecast *forecast, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *part = NULL;
	for (size_t ph = 0; ph < problem->n_phase_bands; ph++) {
		TRY(clpac_problem_part(problem, ph, &part, err));
		if (!part)
			continue;
		tool_print(stdout, "phase band %g-%g Hz, with its amplitude bands\n", problem->phase_bands[ph].lo_hz,
			   problem->phase_bands[ph].hi_hz);
		TRY(explain_plans(job, clpac_problem_get(part), forecast, err));
		tool_print(stdout, "\n");
		clpac_problem_destroy(part);
		part = NULL;
	}
done:
	clpac_problem_destroy(part);
	return st;
}

static clpac_status explain_length(tool_job *job, size_t n_samples, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem problem = tool_job_problem(job, n_samples);
	forecast forecast = {0};
	if (job->segments.n_lengths > 1)
		tool_print(stdout, "segments of %g s: %zu\n", (double)n_samples / job->channels.rate_hz,
			   problem.n_segments);
	if (problem.tied_amplitudes)
		TRY(explain_tied(job, &problem, &forecast, err));
	else
		TRY(explain_plans(job, &problem, &forecast, err));
	tool_print(stdout, "time       about %.2g s, from one batch of noise%s%s\n", forecast.seconds,
		   problem.tied_amplitudes ? " for each phase band" : "",
		   forecast.n_devices > 1 ? " on each device, if they do not slow each other down" : "");
done:
	return st;
}

static clpac_status plan(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	tool_job job = {0};
	TRY(tool_job_prepare(&job, call, err));
	TRY(tool_job_open(&job, call, err));
	for (size_t i = 0; i < job.segments.n_lengths; i++) {
		if (i)
			tool_print(stdout, "\n");
		TRY(explain_length(&job, job.segments.lengths[i], err));
	}
done:
	tool_job_close(&job);
	return st;
}

const tool_command tool_command_plan = {
	.name = "plan",
	.usage = "INPUT [OPTIONS]",
	.min_operands = 1,
	.max_operands = 1,
	.operand = "recording",
	.summary = "show how run would compute, without computing",
	.help = "Takes the options of clpac run and shows how it would compute: device, layout, FFT engine,\n"
		"strategy, memory and time.\n",
	.groups = groups,
	.run = plan,
};
