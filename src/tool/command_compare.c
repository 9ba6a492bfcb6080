/* clpac compare: two conditions of one recording, or of a result of its epochs. */
#include <clpac/read.h>
#include <clpac/write.h>
#include "analysis/group/comparison.h"
#include "analysis/run/results.h"
#include "analysis/sentences/sentences.h"
#include "base/memory.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/progress.h"
#include "tool/output_files.h"

static const clpac__option_group *const groups[] = {&clpac__options_comparison,
						    CLPAC__OPTIONS_OF_NUMBERS,
						    &tool_group_comparison_output,
						    &clpac__options_compute,
						    &tool_group_config,
						    &tool_group_common,
						    NULL};

enum { Z = 1 }; /* of --value */

static bool is_of_recording(const tool_call *call)
{
	return clpac__comparison_is_of_recording(&call->values.analysis);
}

/* Options that a result has answered already. */
static clpac_status check_options_of_result(const tool_call *call, clpac_error *err)
{
	for (size_t i = 0; i < call->n_given; i++) {
		const char *name = call->given[i].option->name;
		if (call->given[i].origin < TOOL_FROM_FILE)
			continue;
		if (clpac__comparison_is_about_recordings(name))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "--%s is about a recording: give a recording and --events, or leave it out", name);
	}
	return CLPAC_OK;
}

static clpac_status check(const tool_call *call, clpac_error *err)
{
	if (call->values.analysis.other && is_of_recording(call))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "two recordings are compared by their results: compute each with clpac run --segment, and "
			     "give both results without --events");
	if (!is_of_recording(call))
		RETURN_IF_ERROR(check_options_of_result(call, err));
	RETURN_IF_ERROR(clpac__comparison_check(&call->values.analysis, err));
	if (!call->values.output)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "where to?  give -o OUT.npz");
	return CLPAC_OK;
}

static clpac_status compute_epochs(tool_call *call, clpac__comparison *c, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char used[CLPAC__EPOCHS_SIZE];
	tool_progress_expect(call);
	TRY(clpac__comparison_open(c, err));
	tool_progress_start(call, NULL);
	st = clpac__comparison_compute(c, err);
	tool_progress_end(call);
	TRY(st);
	clpac__job_epochs_sentence(&c->job.epochs, used);
	if (!call->values.quiet) {
		tool_print(stderr, "clpac compare: ");
		tool_print_column(stderr, used, 0);
		tool_print(stderr, "\n");
	}
done:
	tool_progress_end(call);
	return st;
}

/* The second of two results, beside the first, which is the input. */
static clpac_status add_other(clpac__json_tree *json, tool_call *call, clpac_error *err)
{
	char checksum[65];
	json_t *other = json_object();
	const clpac_status st = clpac_file_checksum(call->values.analysis.other, checksum, err);
	clpac__json_tree_text(json, other, "name", call->values.analysis.other);
	clpac__json_tree_text(json, other, "checksum", st == CLPAC_OK ? checksum : "");
	clpac__json_tree_set(json, json->root, "other_input", other);
	return st;
}

static clpac_status write_files(tool_call *call, const tool_run_outputs *files, const clpac__comparison *c,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree json = {.root = json_object()};
	char *provenance = NULL, checksum[65];
	if (is_of_recording(call)) {
		TRY(tool_run_outputs_write(files, c->made, &c->job, call, err));
		goto done;
	}
	call->direction = TOOL_INPUT;
	TRY(clpac_file_checksum(call->values.analysis.input, checksum, err));
	call->direction = TOOL_OUTPUT;
	if (call->values.analysis.other)
		TRY(add_other(&json, call, err));
	TRY(clpac__comparison_tell_signals(c, &json, err));
	TRY(clpac__provenance_add(&json, &call->values.analysis, err));
	TRY(clpac__json_tree_text_of(&json, &provenance, err));
	TRY(tool_run_outputs_put(files, c->made,
				 &(clpac_write_options){.input_name = call->values.analysis.input,
							.input_checksum = checksum,
							.provenance = provenance},
				 call, err));
done:
	json_decref(json.root);
	clpac__free(provenance);
	return st;
}

static clpac_status compare(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__comparison c = {0};
	tool_run_outputs files = {0};
	call->values.analysis.other = call->n_operands > 1 ? call->every_operand[1] : NULL;
	TRY(tool_interrupt_watch(call->command->name, err));
	TRY(check(call, err));
	TRY(tool_request_make(call, err));
	TRY(tool_run_outputs_name(call->values.output, call, &files, err));
	TRY(clpac__comparison_prepare(&c, &call->values.analysis, err));
	if (is_of_recording(call))
		TRY(tool_settings(call, &c.job.options, err));
	TRY(tool_run_outputs_check(&files, call->values.analysis.input, call, err));
	if (call->values.analysis.other)
		TRY(tool_run_outputs_check(&files, call->values.analysis.other, call, err));
	if (is_of_recording(call))
		TRY(compute_epochs(call, &c, err));
	else
		TRY(clpac__comparison_open(&c, err));
	tool_progress_start(call, NULL);
	st = clpac__comparison_make(&c, err);
	tool_progress_end(call);
	TRY(st);
	TRY(write_files(call, &files, &c, err));
	tool_say(call, clpac__comparison_sentence(&c));
done:
	clpac__comparison_close(&c);
	tool_run_outputs_clear(&files);
	return st;
}

const tool_command tool_command_compare = {
	.name = "compare",
	.usage = "RECORDING|RESULT.npz [RESULT.npz] -o OUT.npz [OPTIONS]",
	.min_operands = 1,
	.max_operands = 2,
	.operand = "recording or result",
	.summary = "two conditions of a recording, labels of epochs permuted",
	.help = "Compares two conditions of a recording (--events, --window), of a result of clpac run --events, or "
		"the\n"
		"segments of two results of clpac run --segment, as of two sessions,\n"
		"cell by cell: the means of the epochs' indices, or pooled indices (--pool).  p compares with the\n"
		"labels of epochs permuted; p_max and p_cluster are corrected over the cells of each map.\n",
	.examples = {"recording.edf --events go,stop --window 0:1 -o compared.npz",
		     "epochs.npz -o again.npz --plot png", "before.npz after.npz -o change.npz"},
	.groups = groups,
	.run = compare,
};
