#include "analysis/run/positions.h"

#include <math.h>
#include <string.h>
#include <clpac/read.h>
#include "base/folder.h"
#include "base/inherited.h"
#include "base/memory.h"

static void add(const clpac_recording *recording, const clpac_position *positions, clpac__json_tree *json)
{
	json_t *all = json_object();
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		if (isnan(positions[i].x))
			continue;
		json_t *one = json_array();
		clpac__json_tree_append(json, one, json_real(positions[i].x));
		clpac__json_tree_append(json, one, json_real(positions[i].y));
		clpac__json_tree_append(json, one, json_real(positions[i].z));
		clpac__json_tree_set(json, all, clpac_recording_channel(recording, i)->name, one);
	}
	clpac__json_tree_set(json, json->root, "positions", all);
}

clpac_status clpac__positions_add(const clpac__job *job, clpac__json_tree *json, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__analysis_settings *v = job->settings;
	const size_t n = clpac_recording_n_channels(job->recording);
	clpac__inherited tables = {0};
	clpac_position *positions = NULL;
	const char **names = NULL;
	clpac_error why = {0};
	/* Electrodes in the brain have no place on a head. */
	if (!v->bids_root || !strstr(clpac__name_of_path(v->input), "_eeg."))
		goto done;
	TRY(clpac__inherited_find(v->input, v->bids_root, "electrodes.tsv", &tables, err));
	if (!tables.n)
		goto done;
	TRY(NEW_ARRAY(names, n));
	TRY(NEW_ARRAY(positions, n));
	for (size_t i = 0; i < n; i++)
		names[i] = clpac_recording_channel(job->recording, i)->name;
	st = clpac_electrodes_read(tables.paths[0], names, n, positions, &why);
	if (st == CLPAC_ERROR_NO_MEMORY)
		FAIL(st, "%s", why.text);
	if (st == CLPAC_OK)
		add(job->recording, positions, json);
	else
		clpac__analysis_warn(v, 1, "channels have the places of their names on the head: %s", why.text);
	st = CLPAC_OK;
done:
	clpac__inherited_clear(&tables);
	FREE_ALL(names, positions);
	return st;
}
