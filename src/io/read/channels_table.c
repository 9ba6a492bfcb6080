#include "io/read/channels_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/channel_kind.h"
#include "io/file_text.h"
#include "io/read/source.h"

clpac_status clpac_recording_sidecar(const char *path, char **out, clpac_error *err)
{
	NEED(path);
	NEED(out);
	static const char ending[] = "_channels.tsv";
	clpac_status st = CLPAC_OK;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.'), *suffix = strrchr(name, '_');
	char *made = NULL;
	*out = NULL;
	if (!dot || !suffix || suffix > dot)
		goto done;
	const size_t stem = (size_t)(suffix - path);
	if (!(made = clpac__alloc(stem + sizeof ending)))
		FAIL_NO_MEMORY(stem + sizeof ending);
	memcpy(made, path, stem);
	memcpy(made + stem, ending, sizeof ending);
	if (strcmp(made, path) != 0 && access(made, F_OK) == 0) {
		*out = made;
		made = NULL;
	}
done:
	clpac__free(made);
	return st;
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

typedef struct cell {
	const char *text;
	size_t n;
} cell;

/* Cuts a line at its tabs: cells[c] is that of column at[c], empty where the line is shorter. */
static void cut_line(const char *line, size_t n, const size_t at[N_COLUMNS], cell cells[N_COLUMNS])
{
	size_t column = 0;
	for (int c = 0; c < N_COLUMNS; c++)
		cells[c] = (cell){"", 0};
	for (const char *from = line, *end = line + n; from <= end; column++) {
		const char *tab = memchr(from, '\t', (size_t)(end - from)), *to = tab ? tab : end;
		for (int c = 0; c < N_COLUMNS; c++)
			if (at[c] == column) {
				cells[c].n = (size_t)(to - from);
				cells[c].text = clpac__trim(from, &cells[c].n);
			}
		from = to + 1;
	}
}

static bool says(cell cell, const char *word)
{
	return strlen(word) == cell.n && clpac__same_letters(word, cell.text, cell.n);
}

/* Where the columns are: SIZE_MAX for one that is missing. */
static void find_columns(const char *line, size_t n, size_t at[N_COLUMNS])
{
	size_t column = 0;
	for (int c = 0; c < N_COLUMNS; c++)
		at[c] = SIZE_MAX;
	for (const char *from = line, *end = line + n; from <= end; column++) {
		const char *tab = memchr(from, '\t', (size_t)(end - from)), *to = tab ? tab : end;
		size_t length = (size_t)(to - from);
		const char *text = clpac__trim(from, &length);
		for (int c = 0; c < N_COLUMNS; c++)
			if (at[c] == SIZE_MAX && says((cell){text, length}, column_names[c]))
				at[c] = column;
		from = to + 1;
	}
}

/* Applies one row to the channels of its name. */
static clpac_status apply_row(const cell cells[N_COLUMNS], named *channels, size_t n, clpac_recording *recording,
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
	const bool has_type = cells[TYPE].n && !says(cells[TYPE], "n/a");
	if (says(cells[STATUS], "bad")) {
		const bool has_why = cells[WHY].n && !says(cells[WHY], "n/a");
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
	const char *end = text + n;
	named *channels = clpac__alloc_array(n_channels, sizeof *channels);
	if (!channels)
		FAIL_NO_MEMORY(n_channels * sizeof *channels);
	for (size_t i = 0; i < n_channels; i++)
		channels[i] = (named){clpac_recording_channel(recording, i)->name, i, false};
	qsort(channels, n_channels, sizeof *channels, by_name);
	if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3;
	bool is_first = true;
	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line)), *stop = newline ? newline : end;
		const size_t length = (size_t)(stop - line);
		size_t content = length;
		clpac__trim(line, &content);
		if (is_first) {
			find_columns(line, length, at);
			if (at[NAME] == SIZE_MAX || (at[TYPE] == SIZE_MAX && at[STATUS] == SIZE_MAX)) {
				TRY(clpac_recording_warn(
					recording, err,
					"%s has no columns \"name\" and \"type\" or \"status\": types of "
					"channels come from their names",
					path));
				goto done;
			}
			is_first = false;
		} else if (content) {
			cell cells[N_COLUMNS];
			cut_line(line, length, at, cells);
			TRY(apply_row(cells, channels, n_channels, recording, &n_unknown, err));
		}
		line = stop + 1;
	}
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
