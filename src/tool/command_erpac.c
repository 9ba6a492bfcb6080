/* clpac erpac: coupling about an event, across trials, at each point in time. */
#include "analysis/run/trials.h"
#include "analysis/sentences/sentences.h"
#include "tool/commands.h"
#include "tool/option_groups.h"
#include "tool/progress.h"
#include "tool/several.h"

#define VALUE(member) offsetof(tool_values, member)

/* clang-format off */
static const tool_option trial_options[] = {
	{ "events", 0, TOOL_TEXT, "LIST", NULL, VALUE(analysis.events), NULL,
	  "a trial about each event whose text is this, or one of several as NAME=PATTERN: go, all=go*" },
	{ "window", 0, TOOL_TEXT, "A:B", NULL, VALUE(analysis.window), NULL,
	  "a trial, from A to B seconds after its event: -0.5:1.5" },
	{ "step", 0, TOOL_NUMBER, "S", "0.01, or a sample", VALUE(analysis.step_s), NULL,
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

static clpac_status check(tool_call *call, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__job_trials_check(&call->values.analysis, err));
	return tool_several_check(call, err);
}

static clpac_status compute(tool_call *call, clpac__job *job, const char *npz, const char *place, clpac_result **out,
			    clpac_error *err)
{
	(void)npz;
	RETURN_IF_ERROR(clpac__job_trials_open(job, err));
	tool_progress_start(call, place);
	const clpac_status st = clpac__job_trials_run(job, out, err);
	tool_progress_end(call);
	return st;
}

static clpac_status erpac(tool_call *call, clpac_error *err)
{
	static const tool_computation computation = {
		.check = check, .compute = compute, .sentence = clpac__trials_sentence};
	return tool_several_run(call, &computation, err);
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
