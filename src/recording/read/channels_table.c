#include "recording/read/channels_table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/read.h>

#include "base/error.h"
#include "base/memory.h"
#include "recording/channel_kind.h"
#include "recording/file_text.h"
#include "recording/read/source.h"
#include "recording/read/tsv.h"

clpac_status clpac_recording_sidecar(const char *path, char **out, clpac_error *err)
{
	NEED(path);
	NEED(out);
	return clpac__tsv_beside(path, "_channels.tsv", out, err);
}

typedef struct named {
	const char *name;
	size_t channel;
	bool is_found;
} named;

static int by_name(const void *a, const void *b)
{
	const named *x = a, *y = b;
	const int order = strcmp(x->name, y->name);
	return order ? order : (x->channel > y->channel) - (x->channel < y->channel);
}

/* The columns that count, by their names in the first row. */
enum { NAME = 0, TYPE, STATUS, WHY, N_COLUMNS };
static const char *const column_names[N_COLUMNS] = {"name", "type", "status", "status_description"};

/* Applies one row to the channels of its name. */
static clpac_status apply_row(const clpac__cell cells[N_COLUMNS], named *channels, size_t n, clpac_recording *recording,
			      size_t *n_unknown, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *why = NULL, *name = clpac__utf8(cells[NAME].text, cells[NAME].n, NULL);
	clpac_channel_kind kind = CLPAC_KIND_MISC;
	size_t first = 0, behind = n;
	if (!name)
		FAIL_NO_MEMORY(cells[NAME].n + 1);
	while (first < behind) {
		const size_t middle = first + (behind - first) / 2;
		if (strcmp(channels[middle].name, name) < 0)
			first = middle + 1;
		else
			behind = middle;
	}
	*n_unknown += first == n || strcmp(channels[first].name, name) != 0;
	const bool has_type = cells[TYPE].n && !clpac__cell_says(cells[TYPE], "n/a");
	if (clpac__cell_says(cells[STATUS], "bad")) {
		const bool has_why = cells[WHY].n && !clpac__cell_says(cells[WHY], "n/a");
		why = clpac__utf8(has_why ? cells[WHY].text : "it is bad", has_why ? cells[WHY].n : 9, NULL);
		if (!why)
			FAIL_NO_MEMORY(cells[WHY].n + 1);
	}
	for (; first < n && strcmp(channels[first].name, name) == 0; first++) {
		const clpac_channel *channel = clpac_recording_channel(recording, channels[first].channel);
		if (!has_type)
			kind = channel->kind;
		else if (!clpac__kind_of_word(cells[TYPE].text, cells[TYPE].n, &kind))
			kind = CLPAC_KIND_MISC;
		TRY(clpac_recording_set_kind(recording, channels[first].channel, kind, why, err));
		channels[first].is_found = true;
	}
done:
	clpac__free(name);
	clpac__free(why);
	return st;
}

clpac_status clpac__channels_table_apply(const char *path, const char *text, size_t n, clpac_recording *recording,
					 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_channels = clpac_recording_n_channels(recording);
	size_t at[N_COLUMNS], n_unknown = 0, n_missing = 0;
	clpac__cell cells[N_COLUMNS];
	named *channels;
	TRY(NEW_ARRAY(channels, n_channels));
	for (size_t i = 0; i < n_channels; i++)
		channels[i] = (named){clpac_recording_channel(recording, i)->name, i, false};
	qsort(channels, n_channels, sizeof *channels, by_name);
	clpac__tsv table = clpac__tsv_open(text, n, column_names, N_COLUMNS, at);
	if (n && (at[NAME] == SIZE_MAX || (at[TYPE] == SIZE_MAX && at[STATUS] == SIZE_MAX))) {
		TRY(clpac_recording_warn(recording, err,
					 "%s has no columns \"name\" and \"type\" or \"status\": types of "
					 "channels come from their names",
					 path));
		goto done;
	}
	while (clpac__tsv_next(&table, cells))
		TRY(apply_row(cells, channels, n_channels, recording, &n_unknown, err));
	for (size_t i = 0; i < n_channels; i++)
		n_missing += !channels[i].is_found;
	if (n_unknown || n_missing)
		TRY(clpac_recording_warn(
			recording, err,
			"%s names %zu channels that the recording does not have, and not %zu that it has", path,
			n_unknown, n_missing));
done:
	clpac__free(channels);
	return st;
}

clpac_status clpac__kinds_settle(const char *path, clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *sidecar = NULL, *text = NULL;
	size_t n = 0;
	clpac_error why = {0};
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		TRY(clpac_recording_set_kind(recording, i, clpac__kind_of_label(channel->name, channel->unit), NULL,
					     err));
	}
	TRY(clpac_recording_sidecar(path, &sidecar, err));
	if (!sidecar)
		goto done;
	st = clpac__source_read_text(sidecar, &text, &n, &why);
	if (st == CLPAC_ERROR_NO_MEMORY)
		FAIL(st, "%s", why.text);
	if (st != CLPAC_OK)
		TRY(clpac_recording_warn(recording, err, "types of channels come from their names: %s", why.text));
	else
		TRY(clpac__channels_table_apply(sidecar, text, n, recording, err));
done:
	clpac__free(text);
	clpac_text_free(sidecar);
	return st;
}
