/* clpac group: statistics over the results of several subjects. */
#include <string.h>
#include <clpac/write.h>
#include "analysis/group/subjects.h"
#include "analysis/run/results.h"
#include "analysis/sentences/sentences.h"
#include "base/memory.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/output_files.h"
#include "tool/progress.h"

static const clpac__option_group *const groups[] = {
	&clpac__options_design, &clpac__options_subjects, &tool_group_comparison_output,
	&tool_group_config,	&tool_group_common,	  NULL};

static bool is_operand(const tool_call *call, const char *word)
{
	for (size_t i = 0; i < call->n_operands; i++)
		if (call->every_operand[i] == word)
			return true;
	return false;
}

/* How many operands stand before --with on the command line.  Operands point to its words. */
static size_t count_first(const tool_call *call)
{
	const clpac__analysis_settings *v = &call->values.analysis;
	size_t n = 0;
	for (size_t i = 0; v->with && i < v->n_words; i++) {
		const bool is_one = is_operand(call, v->words[i]);
		if (!is_one && strcmp(v->words[i], "--with") == 0)
			break;
		n += is_one;
	}
	return v->with ? n : call->n_operands;
}

/* The files of a run, whose input are other results. */
static clpac_status write_files(tool_call *call, const tool_run_outputs *files, const clpac__subjects *subjects,
				const clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree json = {.root = json_object()};
	char *provenance = NULL;
	call->direction = TOOL_INPUT;
	TRY(clpac__subjects_record(subjects, &json, err));
	TRY(clpac__provenance_add(&json, &call->values.analysis, err));
	TRY(clpac__json_tree_text_of(&json, &provenance, err));
	TRY(tool_run_outputs_put(files, result, &(clpac_write_options){.provenance = provenance}, call, err));
done:
	json_decref(json.root);
	clpac__free(provenance);
	return st;
}

static clpac_status compare(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__analysis_settings *settings = &call->values.analysis;
	clpac__subjects subjects = {0};
	tool_run_outputs files = {0};
	clpac_group group;
	clpac_result *result = NULL;
	TRY(tool_interrupt_watch(call->command->name, err));
	TRY(clpac__subjects_find(settings, call->every_operand, call->n_operands, count_first(call), &subjects, err));
	if (!call->values.output)
		FAIL(CLPAC_ERROR_ARGUMENT, "where to?  give -o OUT.npz");
	TRY(tool_run_outputs_name(call->values.output, call, &files, err));
	for (size_t i = 0; i < subjects.n; i++)
		TRY(tool_run_outputs_check(&files, subjects.paths[i], call, err));
	call->direction = TOOL_INPUT;
	TRY(clpac__subjects_read(settings, &subjects, err));
	tool_progress_start(call, NULL);
	st = clpac__subjects_compare(settings, &subjects, &group, &result, err);
	tool_progress_end(call);
	TRY(st);
	TRY(write_files(call, &files, &subjects, result, err));
	tool_say(call, clpac__subjects_sentence(&group, result));
done:
	clpac_result_destroy(result);
	tool_run_outputs_clear(&files);
	clpac__subjects_clear(&subjects);
	return st;
}

const tool_command tool_command_group = {
	.name = "group",
	.usage = "RESULT.npz... [--with RESULT.npz...] -o OUT.npz [OPTIONS]",
	.min_operands = 1,
	.max_operands = TOOL_ANY_NUMBER,
	.operand = "result",
	.summary = "statistics over subjects: one sample, pairs, two groups",
	.help = "Compares results of clpac run, one of each subject, cell by cell: against 0, in pairs (--paired\n"
		"--with), or with those of a second group (--with).  t has its p by permutations, p_max and\n"
		"p_cluster corrected over the cells of each map.\n",
	.groups = groups,
	.run = compare,
};
