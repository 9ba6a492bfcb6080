#include "tool/comparison.h"

#include <clpac/write.h>
#include "analysis/group/subjects.h"
#include "analysis/run/results.h"
#include "analysis/sentences/sentences.h"
#include "base/memory.h"
#include "tool/console.h"
#include "tool/output_files.h"
#include "tool/progress.h"

/* The record of the comparison; of a dataset also what tells a rerun that it is done, and what a page shows. */
static clpac_status write_record(const tool_call *call, const clpac__subjects *subjects, const clpac_result *result,
				 const char *sentence, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__analysis_settings *settings = &call->values.analysis;
	clpac__json_tree json = {.root = json_object()};
	TRY(clpac__subjects_record(subjects, &json, err));
	TRY(clpac__subjects_tell_signals(subjects, result, &json, err));
	TRY(clpac__provenance_add(&json, settings, err));
	if (settings->request)
		clpac__json_tree_text(&json, json.root, "request", settings->request);
	clpac__provenance_tell(&json, settings, sentence);
	TRY(clpac__json_tree_text_of(&json, out, err));
done:
	json_decref(json.root);
	return st;
}

/* The files of a run, whose input are other results. */
static clpac_status write_files(tool_call *call, const tool_comparison *what, const tool_run_outputs *files,
				const clpac__subjects *subjects, const clpac_result *result, const char *sentence,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *provenance = NULL;
	call->direction = TOOL_INPUT;
	TRY(write_record(call, subjects, result, sentence, &provenance, err));
	TRY(tool_run_outputs_put(files, result,
				 &(clpac_write_options){.provenance = provenance,
							.sources = what->sources,
							.n_sources = what->sources ? what->n : 0},
				 call, err));
done:
	clpac__free(provenance);
	return st;
}

clpac_status tool_comparison_run(tool_call *call, const tool_comparison *what, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__analysis_settings *settings = &call->values.analysis;
	clpac__subjects subjects = {0};
	tool_run_outputs files = {0};
	clpac_group group;
	clpac_result *result = NULL;
	char *sentence = NULL;
	TRY(clpac__subjects_find(settings, what->paths, what->n, what->n_first, &subjects, err));
	if (!what->npz)
		FAIL(CLPAC_ERROR_ARGUMENT, "where to?  give -o OUT.npz");
	TRY(tool_run_outputs_name(what->npz, call, &files, err));
	for (size_t i = 0; i < subjects.n; i++)
		TRY(tool_run_outputs_check(&files, subjects.paths[i], call, err));
	call->direction = TOOL_INPUT;
	TRY(clpac__subjects_read(settings, &subjects, err));
	tool_progress_start(call, NULL);
	st = clpac__subjects_compare(settings, &subjects, &group, &result, err);
	tool_progress_end(call);
	TRY(st);
	sentence = clpac__subjects_sentence(&group, result);
	TRY(write_files(call, what, &files, &subjects, result, sentence, err));
	tool_say(call, sentence);
	sentence = NULL;
done:
	clpac__free(sentence);
	clpac_result_destroy(result);
	tool_run_outputs_clear(&files);
	clpac__subjects_clear(&subjects);
	return st;
}
