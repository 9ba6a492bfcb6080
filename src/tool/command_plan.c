/* clpac plan: explains a run without computing it. */
#include "analysis/describe/forecast.h"
#include "base/memory.h"
#include "tool/commands.h"
#include "tool/json_output.h"
#include "tool/study.h"

/* Nothing is written here, so that only --json and --quiet of the output options of run apply. */
static const clpac__option own_options[] = {
	{"study", 0, CLPAC__OPTION_FLAG, NULL, NULL, offsetof(tool_values, study), NULL,
	 "of all recordings together: core-hours, memory, files and bytes, from some that are computed"},
	{"json", 0, CLPAC__OPTION_FLAG, NULL, NULL, offsetof(tool_values, json), NULL, "print JSON instead"},
	{"quiet", 'q', CLPAC__OPTION_FLAG, NULL, NULL, offsetof(tool_values, quiet), NULL, "no warnings"},
};
static const clpac__option_group own_group = {.title = "The output", .options = own_options, .n_options = 3};
static const clpac__option_group *const groups[] = {
	CLPAC__OPTIONS_OF_RUNS, &own_group, &tool_group_config, &tool_group_common, NULL,
};

static clpac_status plan(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job job = {0};
	char *text = NULL;
	if (call->values.study)
		return tool_study_plan(call, err);
	if (call->n_operands > 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "\"%s\" is one too many; several recordings are for --study",
			     call->every_operand[1]);
	TRY(tool_job_prepare(&job, call, err));
	TRY(clpac__job_open(&job, err));
	TRY(clpac__job_forecast(&job, call->values.json, &text, err));
	st = tool_print_page(text, call->values.json, err);
done:
	clpac__free(text);
	clpac__job_close(&job);
	return st;
}

const tool_command tool_command_plan = {
	.name = "plan",
	.usage = "INPUT... [OPTIONS]",
	.min_operands = 1,
	.max_operands = TOOL_ANY_NUMBER,
	.operand = "recording",
	.summary = "show how run would compute, without computing",
	.help = "Takes the options of clpac run and shows how it would compute: device, layout, FFT engine,\n"
		"strategy, memory and time, and how many bytes of the recording it would read, in how many groups of\n"
		"channels.  With --study it computes some of the recordings, or a shard of a large one, and says what\n"
		"all of them take.\n",
	.examples = {"recording.edf", "recording.edf --surrogates 2000 --memory 1G",
		     "example.npy --rate 512 --device native --json"},
	.groups = groups,
	.run = plan,
};
