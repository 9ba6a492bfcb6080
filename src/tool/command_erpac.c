/* clpac erpac: coupling about an event, across trials, at each point in time. */
#include "analysis/run/run.h"
#include "analysis/sentences/sentences.h"
#include "tool/commands.h"
#include "tool/progress.h"
#include "tool/several.h"

static const clpac__option_group *const groups[] = {&clpac__options_trials,
						    &clpac__options_read,
						    &clpac__options_take,
						    &clpac__options_reject,
						    &clpac__options_trials_method,
						    &tool_group_trials_output,
						    &clpac__options_compute,
						    &tool_group_config,
						    &tool_group_common,
						    NULL};

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
	.examples = {"recording.edf --events go --window -0.2:0.5 -o erpac.npz",
		     "recording.edf --events stop --window 0:1 --step 0.05 -o coarse.npz",
		     "recording.edf --events any=go,any=stop --window 0:1 --surrogates 500 -o stop.npz"},
	.groups = groups,
	.run = erpac,
};
