/* The results that are compared with each other: one of each subject, of recordings that differ in nothing else. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "analysis/bids/bids.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"

/* "OUT/group/eeg/group_task-rest_desc-clpac_pac.npz" of a result "OUT/sub-01/eeg/sub-01_task-rest_desc-clpac_pac.npz".
 */
static clpac_status name_group(const clpac__bids_recording *recording, const char *out_folder, const char *result,
			       char **out, clpac_error *err)
{
	clpac__text text = {0};
	const char *name = clpac__name_of_path(recording->below), *datatype = name - 1;
	while (datatype > recording->below && datatype[-1] != '/')
		datatype--;
	clpac__text_add(&text, "%s/group/", out_folder);
	clpac__text_add_bytes(&text, datatype, (size_t)(name - datatype));
	clpac__text_add(&text, "group_%s", clpac__name_of_path(result) + strlen(recording->subject) + 1);
	return clpac__text_give(&text, "the name of a result", out, err);
}

/* The group of a name, made where there is none; the name is handed over. */
static clpac_status find_group(clpac__bids_groups *groups, char *name, clpac__bids_group **out, clpac_error *err)
{
	for (size_t i = 0; i < groups->n; i++)
		if (strcmp(groups->each[i].output, name) == 0) {
			clpac__free(name);
			*out = &groups->each[i];
			return CLPAC_OK;
		}
	const clpac_status st = ROOM_FOR_ONE(groups->each, groups->n, groups->capacity, 8);
	if (st != CLPAC_OK) {
		clpac__free(name);
		return st;
	}
	*out = &groups->each[groups->n++];
	**out = (clpac__bids_group){.output = name};
	return CLPAC_OK;
}

clpac_status clpac__bids_groups_find(const clpac__bids_dataset *dataset, const char *out_folder, const char *label,
				     clpac__bids_groups *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *result = NULL, *name = NULL;
	for (size_t i = 0; i < dataset->n; i++) {
		const clpac__bids_recording *recording = &dataset->each[i];
		clpac__bids_group *group;
		if (recording->fate != CLPAC__BIDS_CHOSEN)
			continue;
		clpac__free(result);
		result = NULL;
		TRY(clpac__bids_name_result(recording, out_folder, label, &result, err));
		if (access(result, F_OK) != 0) {
			out->first_missing = out->n_missing++ ? out->first_missing : recording->below;
			continue;
		}
		TRY(name_group(recording, out_folder, result, &name, err));
		TRY(find_group(out, name, &group, err));
		TRY(ROOM_FOR_ONE(group->paths, group->n, group->capacity, 16));
		group->paths[group->n++] = result;
		result = NULL;
	}
done:
	clpac__free(result);
	return st;
}

void clpac__bids_groups_clear(clpac__bids_groups *groups)
{
	for (size_t i = 0; i < groups->n; i++) {
		clpac__bids_group *group = &groups->each[i];
		for (size_t k = 0; k < group->n; k++)
			clpac__free(group->paths[k]);
		FREE_ALL(group->output, group->paths);
	}
	clpac__free(groups->each);
	*groups = (clpac__bids_groups){0};
}
