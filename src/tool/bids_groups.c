#include "tool/bids_groups.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "analysis/group/subjects.h"
#include "base/memory.h"
#include "tool/commands.h"
#include "tool/comparison.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/output_files.h"

/* --- Options ------------------------------------------------------------------------------------- */

static bool has_option(const clpac__option_group *group, const char *name)
{
	for (size_t i = 0; i < group->n_options; i++)
		if (strcmp(group->options[i].name, name) == 0)
			return true;
	return false;
}

clpac_status tool_bids_check_level(const tool_call *call, bool is_group, clpac_error *err)
{
	static const clpac__option_group *const shared[] = {&tool_group_dataset, &tool_group_study_output,
							    &tool_group_config, &tool_group_common};
	for (size_t i = 0; i < call->n_given; i++) {
		const char *name = call->given[i].option->name;
		bool is_known = !is_group && !has_option(&tool_group_level, name);
		for (size_t k = 0; k < sizeof shared / sizeof *shared; k++)
			is_known |= has_option(shared[k], name);
		is_known |= is_group && has_option(&clpac__options_subjects, name);
		if (!is_known && call->given[i].origin == TOOL_FROM_COMMAND_LINE)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--%s is an option of the level %s: leave it out", name,
				     is_group ? "participant" : "group");
	}
	return CLPAC_OK;
}

/* --- What is done -------------------------------------------------------------------------------- */

/* Whether two lists of subjects have the same files, wherever they lie. */
static bool are_same_subjects(const json_t *a, const json_t *b)
{
	if (json_array_size(a) != json_array_size(b))
		return false;
	for (size_t i = 0; i < json_array_size(a); i++)
		if (!json_equal(json_object_get(json_array_get(a, i), "checksum"),
				json_object_get(json_array_get(b, i), "checksum")))
			return false;
	return true;
}

/* Whether a group has its result, of the same files with the same options. */
static clpac_status find_whether_done(tool_call *call, const clpac__bids_group *group, bool *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree now = {.root = json_object()};
	tool_run_outputs files = {0};
	json_t *before = NULL;
	const char *missing;
	const clpac__subjects subjects = {
		.paths = (const char *const *)group->paths, .n = group->n, .n_first = group->n};
	*out = false;
	TRY(tool_run_outputs_name(group->output, call, &files, err));
	if (call->values.force || !tool_run_outputs_are_there(&files, &missing))
		goto done;
	TRY(clpac__json_tree_load(files.json, &before, err));
	TRY(clpac__subjects_record(&subjects, &now, err));
	const json_t *record = json_object_get(before, "provenance");
	const char *request = json_string_value(json_object_get(record, "request"));
	*out = request && strcmp(request, call->request) == 0 &&
	       are_same_subjects(json_object_get(record, "subjects"), json_object_get(now.root, "subjects"));
	if (!*out) {
		call->direction = TOOL_OUTPUT;
		st = clpac__fail_native(err, CLPAC_ERROR_IO, EEXIST,
					"%.300s was made of other results or with other options; --force replaces it",
					group->output);
	}
done:
	json_decref(now.root);
	json_decref(before);
	tool_run_outputs_clear(&files);
	return st;
}

/* --- Comparing ----------------------------------------------------------------------------------- */

/* The results of a group as URIs of their dataset: "bids::sub-01/eeg/...". */
static clpac_status name_sources(const clpac__bids_group *group, const char *out_folder, char **out, clpac_error *err)
{
	for (size_t i = 0; i < group->n; i++)
		RETURN_IF_ERROR(clpac__bids_uri("bids::", group->paths[i] + strlen(out_folder) + 1, &out[i], err));
	return CLPAC_OK;
}

static clpac_status compare(tool_call *call, const clpac__bids_group *group, const char *out_folder, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char **sources;
	bool is_done;
	TRY(NEW_ARRAY(sources, group->n));
	TRY(name_sources(group, out_folder, sources, err));
	TRY(find_whether_done(call, group, &is_done, err));
	if (is_done && !call->values.quiet)
		tool_print(stderr, "clpac bids: %s is done already, from the same results with the same options\n",
			   group->output);
	if (!is_done)
		TRY(tool_comparison_run(call,
					&(tool_comparison){.paths = (const char *const *)group->paths,
							   .n = group->n,
							   .n_first = group->n,
							   .npz = group->output,
							   .sources = (const char *const *)sources},
					err));
done:
	for (size_t i = 0; sources && i < group->n; i++)
		clpac__free(sources[i]);
	clpac__free(sources);
	return st;
}

/* Compares each group of two or more. */
static clpac_status compare_each(tool_call *call, const clpac__bids_groups *groups, const char *out_folder,
				 clpac_error *err)
{
	size_t n_compared = 0;
	for (size_t i = 0; i < groups->n; i++) {
		const clpac__bids_group *group = &groups->each[i];
		tool_interrupt_let_end();
		if (group->n < 2) {
			tool_warn(call, 1, "%s is left out: one subject alone has such a recording", group->output);
			continue;
		}
		clpac__text_clear(call->values.analysis.told);
		if (groups->n_missing)
			clpac__analysis_warn(&call->values.analysis, 1,
					     "%zu of the chosen recordings have no result, the first of them %.300s: "
					     "clpac bids ... participant computes what is missing",
					     groups->n_missing, groups->first_missing);
		RETURN_IF_ERROR(compare(call, group, out_folder, err));
		n_compared++;
	}
	if (!n_compared)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "no two subjects have results of the same kind in %.300s (%zu recordings have none): "
			     "compute them with clpac bids ... participant",
			     out_folder, groups->n_missing);
	return CLPAC_OK;
}

clpac_status tool_bids_compare(tool_call *call, const clpac__bids_dataset *dataset, const char *out_folder,
			       const char *label, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__bids_groups groups = {0};
	TRY(clpac__bids_groups_find(dataset, out_folder, label, &groups, err));
	TRY(compare_each(call, &groups, out_folder, err));
	call->direction = TOOL_OUTPUT;
	TRY(clpac__bids_write_page(out_folder, "group", err));
done:
	clpac__bids_groups_clear(&groups);
	return st;
}
