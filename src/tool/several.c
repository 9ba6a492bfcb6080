/* Recordings one after the other, on devices that stay open. */
#include "tool/several.h"

#include <errno.h>
#include <stdio.h>
#include "tool/console.h"
#include "tool/inputs.h"
#include "tool/interrupt.h"
#include "analysis/checkpoints/request.h"

clpac_status tool_several_check(const tool_call *call, clpac_error *err)
{
	if (call->values.skip_existing && call->values.analysis.no_checksum)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--skip-existing compares checksums, which --no-checksum leaves out; give one of them");
	return CLPAC_OK;
}

clpac_status tool_several_skip(const tool_run_outputs *files, tool_call *call, bool *is_done, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *missing;
	char why[400];
	*is_done = false;
	if (!call->values.skip_existing)
		return st;
	RETURN_IF_ERROR(clpac__request_is_done(&call->values.analysis, files->npz, files->json, is_done, why, err));
	if (*is_done && !tool_run_outputs_are_there(files, &missing)) {
		*is_done = false;
		snprintf(why, sizeof why, "is there, but %.300s is missing", missing);
	}
	if (*is_done && !call->values.quiet)
		tool_print(stderr, "clpac %s: %s is done already, from the same recording with the same options\n",
			   call->command->name, files->npz);
	if (*is_done || !*why || call->values.force)
		return st;
	call->direction = TOOL_OUTPUT;
	st = clpac__fail_native(err, CLPAC_ERROR_IO, EEXIST, "%.300s %s; --force replaces it", files->npz, why);
	return st;
}

/* The recordings that failed: how many, and the first of them, which decides the exit code. */
typedef struct failures {
	size_t n;
	const char *first;
	clpac_status st;
	int native_code;
	tool_direction direction;
	char why[CLPAC_ERROR_TEXT_SIZE];
} failures;

static clpac_status close_several(const tool_inputs *inputs, const size_t counts[TOOL_OUTCOME_COUNT],
				  const failures *failed, tool_call *call, clpac_error *err)
{
	char done[80];
	snprintf(done, sizeof done, "%zu computed, %zu done before", counts[TOOL_DONE], counts[TOOL_SKIPPED]);
	if (failed->n) {
		call->direction = failed->direction;
		return clpac__fail_native(err, failed->st, failed->native_code,
					  "%zu of %zu recordings failed, the first of them %.300s; %s (%.400s)",
					  failed->n, inputs->n, failed->first, done, failed->why);
	}
	if (!call->values.quiet)
		tool_print(stderr, "clpac %s: %zu recording%s: %s; results are in %s\n", call->command->name, inputs->n,
			   inputs->n == 1 ? "" : "s", done, inputs->folder);
	return CLPAC_OK;
}

/* Each recording of several by itself: one that fails is reported, and the next is begun. */
static clpac_status run_each(tool_call *call, tool_recording_run *run, const tool_inputs *inputs,
			     clpac__job_contexts *contexts, clpac_error *err)
{
	failures failed = {0};
	size_t counts[TOOL_OUTCOME_COUNT] = {0};
	for (size_t i = 0; i < inputs->n; i++) {
		const tool_input_file *file = &inputs->each[i];
		clpac_error why = {0};
		tool_outcome outcome = TOOL_FAILED;
		char place[64];
		snprintf(place, sizeof place, "file %zu of %zu", i + 1, inputs->n);
		call->values.analysis.input = file->path;
		call->direction = TOOL_INPUT;
		if (!call->values.quiet)
			tool_print(stderr, "clpac %s: %s: %s\n", call->command->name, place, file->path);
		clpac_status st = tool_folders_make(file->output, call, &why);
		if (st == CLPAC_OK)
			st = run(call, file->output, contexts, place, &outcome, &why);
		counts[outcome]++;
		if (outcome == TOOL_DONE)
			tool_interrupt_next();
		if (st == CLPAC_OK)
			continue;
		tool_print(stderr, "clpac %s: %s, %s, failed: %s\n", call->command->name, place, file->path, why.text);
		if (!failed.n++) {
			failed = (failures){1, file->path, st, why.native_code, call->direction, ""};
			snprintf(failed.why, sizeof failed.why, "%s", why.text);
		}
		/* A device that failed is opened anew. */
		if (st == CLPAC_ERROR_DEVICE)
			clpac__job_contexts_close(contexts);
	}
	return close_several(inputs, counts, &failed, call, err);
}

clpac_status tool_several_run(tool_call *call, tool_options_check *check, tool_recording_run *run, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	tool_inputs inputs = {0};
	clpac__job_contexts contexts = {0};
	tool_outcome outcome;
	TRY(tool_interrupt_watch(call->command->name, err));
	TRY(check(call, err));
	TRY(tool_inputs_find(call, &inputs, err));
	if (inputs.are_several) {
		TRY(run_each(call, run, &inputs, &contexts, err));
		goto done;
	}
	if (inputs.folder)
		TRY(tool_folders_make(inputs.each[0].output, call, err));
	TRY(run(call, inputs.each[0].output, &contexts, NULL, &outcome, err));
done:
	clpac__job_contexts_close(&contexts);
	tool_inputs_clear(&inputs);
	return st;
}
