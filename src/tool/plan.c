/* clpac plan: what run would do, without doing it. */
#include <stdio.h>
#include "tool/commands.h"
#include "tool/job.h"

/* Options of run that write nothing have no meaning here; --quiet keeps warnings away. */
static const tool_option own_options[] = {
	{ "quiet", 'q', TOOL_FLAG, NULL, NULL, offsetof(tool_values, quiet), NULL, "no warnings" },
};
static const tool_group own_group = { .title = "The output", .options = own_options, .n_options = 1 };
static const tool_group *const groups[] = {
	&tool_group_read, &tool_group_take,   &tool_group_method, &tool_group_compute,
	&own_group,	  &tool_group_config, &tool_group_common, NULL,
};

static clpac_status explain_length(tool_job *job, size_t n_samples, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem problem = tool_job_problem(job, n_samples);
	clpac_plan *plan = NULL;
	char *text = NULL;
	double seconds;
	TRY(clpac_plan_create(job->context, &problem, &job->plan_options, &plan, err));
	TRY(clpac_plan_explain(plan, &text, err));
	TRY(clpac_plan_rehearse(plan, &seconds, err));
	if (job->n_lengths > 1)
		printf("segments of %g s: %zu\n", (double)n_samples / job->rate_hz, problem.n_segments);
	fputs(text, stdout);
	printf("time       about %.2g s, from one batch of noise\n", seconds);
done:
	clpac_text_free(text);
	clpac_plan_destroy(plan);
	return st;
}

static clpac_status plan(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	tool_job job = { 0 };
	TRY(tool_job_prepare(&job, call, err));
	TRY(tool_job_open(&job, call, err));
	for (size_t i = 0; i < job.n_lengths; i++) {
		if (i)
			putchar('\n');
		TRY(explain_length(&job, job.lengths[i], err));
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
	.summary = "say how run would do it, without doing it",
	.help = "Takes the options of clpac run and says what it would do: device, layout, FFT engine, strategy, "
		"memory and time.\n",
	.groups = groups,
	.run = plan,
};
