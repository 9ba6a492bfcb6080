/* clpac info: lists the contents of a recording. */
#include "analysis/describe/contents.h"
#include "analysis/inputs.h"
#include "analysis/stretches/stretches.h"
#include "base/memory.h"
#include "tool/commands.h"
#include "tool/json_output.h"

static const clpac__option_group *const groups[] = {&clpac__options_read, &clpac__options_reject, &tool_group_json,
						    &tool_group_common, NULL};

static clpac_status info(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__analysis_settings *settings = &call->values.analysis;
	clpac_recording *recording = NULL;
	char *text = NULL;
	bool is_rejected;
	TRY(clpac__annotation_is_rejected(settings, "", &is_rejected, err));
	TRY(clpac__input_read(settings, &recording, err));
	clpac__input_warn(settings, recording);
	TRY(clpac__recording_contents(recording, settings, call->values.json, &text, err));
	st = tool_print_page(text, call->values.json, err);
done:
	clpac__free(text);
	clpac_recording_destroy(recording);
	return st;
}

const tool_command tool_command_info = {
	.name = "info",
	.usage = "FILE [OPTIONS]",
	.min_operands = 1,
	.max_operands = 1,
	.operand = "recording",
	.summary = "list the contents of a recording",
	.help = "Lists the channels with their types, rates and units, and whether run takes them, gaps and "
		"annotations.  Warnings of the reader go to\n"
		"standard error, and with --json into the list as well.\n",
	.examples = {"recording.edf", "recording.edf --json", "example.npy --rate 512"},
	.groups = groups,
	.run = info,
};
