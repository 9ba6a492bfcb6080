/* Outputs of a comparison: those of a run, whose input are other results. */
#include "tool/group_outputs.h"

#include <clpac/io.h>
#include "base/memory.h"
#include "analysis/run/provenance.h"

clpac_status tool_group_outputs_check(const tool_run_outputs *files, const tool_subjects *subjects, tool_call *call,
				      clpac_error *err)
{
	for (size_t i = 0; i < subjects->n; i++)
		RETURN_IF_ERROR(tool_run_outputs_check(files, subjects->paths[i], call, err));
	return CLPAC_OK;
}

/* The subjects' files, in which group they are, and what was in them. */
static clpac_status add_subjects(clpac__json_tree *json, const tool_subjects *subjects, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	json_t *array = json_array();
	for (size_t i = 0; i < subjects->n; i++) {
		char checksum[65];
		TRY(clpac_file_checksum(subjects->paths[i], checksum, err));
		json_t *one = json_object();
		clpac__json_tree_text(json, one, "name", subjects->paths[i]);
		clpac__json_tree_text(json, one, "checksum", checksum);
		clpac__json_tree_number(json, one, "group", i < subjects->n_first ? 1 : 2);
		clpac__json_tree_append(json, array, one);
	}
	clpac__json_tree_set(json, json->root, "subjects", array);
	array = NULL;
done:
	json_decref(array);
	return st;
}

clpac_status tool_group_outputs_write(const tool_run_outputs *files, const clpac_result *result,
				      const tool_subjects *subjects, tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree json = {.root = json_object()};
	char *provenance = NULL;
	call->direction = TOOL_INPUT;
	TRY(add_subjects(&json, subjects, err));
	TRY(clpac__provenance_add(&json, &call->values.analysis, err));
	TRY(clpac__json_tree_text_of(&json, &provenance, err));
	TRY(tool_run_outputs_put(files, result, &(clpac_write_options){.provenance = provenance}, call, err));
done:
	json_decref(json.root);
	clpac__free(provenance);
	return st;
}
