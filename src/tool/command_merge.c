/* clpac merge: the result of a recording from those of its shards. */
#include <libgen.h>
#include <string.h>
#include <clpac/write.h>
#include "analysis/merge/merge.h"
#include "base/memory.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/output_files.h"

static const clpac__option_group *const groups[] = {&tool_group_comparison_output, &tool_group_config,
						    &tool_group_common, NULL};

static clpac_status merge(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__analysis_settings *settings = &call->values.analysis;
	tool_run_outputs files = {0};
	clpac__merged merged = {0};
	char *path = NULL;
	TRY(tool_interrupt_watch(call->command->name, err));
	if (!call->values.output)
		FAIL(CLPAC_ERROR_ARGUMENT, "where to?  give -o OUT.npz");
	TRY(tool_run_outputs_name(call->values.output, call, &files, err));
	for (size_t i = 0; i < call->n_operands; i++)
		TRY(tool_run_outputs_check(&files, call->every_operand[i], call, err));
	TRY(NEW_COPY(path, call->values.output));
	TRY(clpac__merge(settings, call->every_operand, call->n_operands, dirname(path), &merged, err));
	TRY(tool_run_outputs_put(&files, merged.result,
				 &(clpac_write_options){.input_name = merged.input,
							.input_checksum = *merged.checksum ? merged.checksum : NULL,
							.provenance = clpac_result_provenance(merged.result)},
				 call, err));
	tool_say(call, clpac__strdup(clpac_result_sentence(merged.result)));
done:
	clpac__merged_clear(&merged);
	tool_run_outputs_clear(&files);
	clpac__free(path);
	return st;
}

const tool_command tool_command_merge = {
	.name = "merge",
	.usage = "SHARD.npz... -o OUT.npz [OPTIONS]",
	.min_operands = 1,
	.max_operands = TOOL_ANY_NUMBER,
	.operand = "shard",
	.summary = "put the shards of a recording together",
	.help = "Makes one result of those of clpac run --shard, from 1/N to N/N: OUT.npz is, byte for byte, that of\n"
		"an undivided run.  Shards of other options, recordings, versions or engines are refused.\n",
	.examples = {"part.shard-1-of-2.npz part.shard-2-of-2.npz -o whole.npz",
		     "part.shard-*-of-2.npz -o merged.npz --csv", "part.shard-*-of-2.npz -o drawn.npz --plot svg"},
	.groups = groups,
	.run = merge,
};
