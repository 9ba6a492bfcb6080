/* Tables of tabs and newlines, and the table of channels beside a recording (BIDS). */
#include "recording/read/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/number.h"
#include "recording/channel_kind.h"
#include "recording/file_text.h"
#include "recording/read/samples.h"
#include "recording/recording.h"

/* --- Rows and columns ------------------------------------------------------------------------- */

bool clpac__cell_says(clpac__cell cell, const char *word)
{
	return strlen(word) == cell.n && clpac__same_letters(word, cell.text, cell.n);
}

bool clpac__cell_number(clpac__cell cell, double *out)
{
	char text[64];
	if (!cell.n || cell.n >= sizeof text)
		return false;
	memcpy(text, cell.text, cell.n);
	text[cell.n] = 0;
	return clpac__parse_number(text, out, NULL) && isfinite(*out);
}

/* Takes one line; *n is its length without its end. */
static const char *take_line(clpac__tsv *table, size_t *n)
{
	const char *line = table->next, *newline = memchr(line, '\n', (size_t)(table->end - line));
	*n = (size_t)((newline ? newline : table->end) - line);
	table->next = newline ? newline + 1 : table->end;
	return line;
}

/* Cells of a line, from left to right. */
typedef struct cells {
	const char *at, *end; /* NULL behind the last */
	bool has_no_quote;    /* no quote ends a cell from here on */
} cells;

/* The end of a cell in quotes, the quote in front of a tab or of the line's end; NULL where there is none, and the cell
 * only begins with a quote. */
static const char *closing_quote(cells *line, const char *from)
{
	for (const char *at = from; !line->has_no_quote && at < line->end; at++) {
		if (*at != '"')
			continue;
		if (at + 1 < line->end && at[1] == '"') {
			at++;
			continue;
		}
		const char *behind = at + 1;
		while (behind < line->end && (*behind == ' ' || *behind == '\r'))
			behind++;
		if (behind == line->end || *behind == '\t')
			return at;
	}
	line->has_no_quote = true;
	return NULL;
}

/* The next cell without blanks and quotes around it.  False behind the last. */
static bool next_cell(cells *line, clpac__cell *out)
{
	const char *from = line->at, *quote = NULL;
	if (!from)
		return false;
	while (from < line->end && *from == ' ')
		from++;
	const bool has_quote = from < line->end && *from == '"' && (quote = closing_quote(line, from + 1));
	const char *behind = has_quote ? quote + 1 : from;
	const char *tab = memchr(behind, '\t', (size_t)(line->end - behind)), *to = tab ? tab : line->end;
	out->n = (size_t)((has_quote ? quote : to) - from);
	out->text = has_quote ? from + 1 : from;
	out->n -= has_quote;
	if (!has_quote)
		out->text = clpac__trim(from, &out->n);
	out->is_quoted = has_quote;
	line->at = tab ? tab + 1 : NULL;
	return true;
}

char *clpac__cell_text(clpac__cell cell)
{
	char *text = clpac__utf8(cell.text, cell.n, NULL), *to = text;
	for (const char *from = text; text && cell.is_quoted && (*to = *from); to++)
		from += from[0] == '"' && from[1] == '"' ? 2 : 1;
	return text;
}

/* Finds the columns in the line of names. */
static void find_columns(clpac__tsv *table, const char *line, size_t n)
{
	cells names = {.at = line, .end = line + n};
	clpac__cell cell;
	for (size_t column = 0; next_cell(&names, &cell); column++)
		for (size_t c = 0; c < table->n_columns; c++)
			if (table->at[c] == SIZE_MAX && table->names[c] && clpac__cell_says(cell, table->names[c]))
				table->at[c] = column;
}

clpac__tsv clpac__tsv_open(const char *text, size_t n, const char *const *names, size_t n_columns, size_t *at)
{
	const size_t mark = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	clpac__tsv made = {.next = text + mark, .end = text + n, .names = names, .n_columns = n_columns, .at = at};
	size_t length;
	for (size_t c = 0; c < n_columns; c++)
		at[c] = SIZE_MAX;
	if (made.next == made.end)
		return made;
	const char *line = take_line(&made, &length);
	find_columns(&made, line, length);
	return made;
}

/* Cuts a line at its tabs. */
static void cut_line(const clpac__tsv *table, const char *line, size_t n, clpac__cell *out)
{
	cells row = {.at = line, .end = line + n};
	clpac__cell cell;
	for (size_t c = 0; c < table->n_columns; c++)
		out[c] = (clpac__cell){"", 0, false};
	for (size_t column = 0; next_cell(&row, &cell); column++)
		for (size_t c = 0; c < table->n_columns; c++)
			if (table->at[c] == column)
				out[c] = cell;
}

bool clpac__tsv_next(clpac__tsv *table, clpac__cell *cells)
{
	while (table->next < table->end) {
		size_t n, content;
		const char *line = take_line(table, &n);
		content = n;
		clpac__trim(line, &content);
		if (!content)
			continue;
		cut_line(table, line, n, cells);
		return true;
	}
	return false;
}

/* --- Beside a recording ------------------------------------------------------------------------ */

/* The suffixes of BIDS, and others of signals, that tables beside a recording do not have in their names. */
static const char *const suffixes[] = {"eeg", "ieeg", "meg", "nirs", "emg", "ecog", "seeg", "lfp", "dbs", "motion"};

static bool is_suffix(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (strlen(suffixes[i]) == n && clpac__same_letters(suffixes[i], word, n))
			return true;
	return false;
}

/* Gives the path of the first `stem` bytes with an ending, where it is a file. */
static clpac_status find_beside(const char *path, size_t stem, const char *ending, char **out, clpac_error *err)
{
	const size_t bytes = strlen(ending) + 1;
	char *made;
	RETURN_IF_ERROR(NEW_BYTES(made, stem + bytes));
	memcpy(made, path, stem);
	memcpy(made + stem, ending, bytes);
	if (strcmp(made, path) != 0 && access(made, F_OK) == 0)
		*out = made;
	else
		clpac__free(made);
	return CLPAC_OK;
}

clpac_status clpac__tsv_beside(const char *path, const char *ending, char **out, clpac_error *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
	const char *stop = dot && dot != name ? dot : name + strlen(name), *suffix = stop;
	*out = NULL;
	RETURN_IF_ERROR(find_beside(path, (size_t)(stop - path), ending, out, err));
	while (suffix > name && *suffix != '_')
		suffix--;
	if (!*out && *suffix == '_' && is_suffix(suffix + 1, (size_t)(stop - suffix - 1)))
		return find_beside(path, (size_t)(suffix - path), ending, out, err);
	return CLPAC_OK;
}

clpac_status clpac__tables_find(const char *path, const char *root, const char *what, clpac__inherited *out,
				clpac_error *err)
{
	char ending[40], *beside = NULL;
	if (root)
		return clpac__inherited_find(path, root, what, out, err);
	snprintf(ending, sizeof ending, "_%s", what);
	RETURN_IF_ERROR(clpac__tsv_beside(path, ending, &beside, err));
	if (!beside)
		return CLPAC_OK;
	if (!(out->paths = clpac__alloc_array(1, sizeof *out->paths))) {
		clpac__free(beside);
		RETURN_NO_MEMORY(sizeof *out->paths);
	}
	out->paths[out->n++] = beside;
	return CLPAC_OK;
}

/* --- channels.tsv ----------------------------------------------------------------------------- */

clpac_status clpac_recording_sidecar(const char *path, char **out, clpac_error *err)
{
	NEED(path, out);
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
enum { NAME = 0, TYPE, STATUS, WHY, N_CHANNEL_COLUMNS };
static const char *const channel_columns[N_CHANNEL_COLUMNS] = {"name", "type", "status", "status_description"};

/* The first channel of a name among sorted ones; n where there is none. */
static size_t find_named(const named *channels, size_t n, const char *name)
{
	size_t first = 0, behind = n;
	while (first < behind) {
		const size_t middle = first + (behind - first) / 2;
		if (strcmp(channels[middle].name, name) < 0)
			first = middle + 1;
		else
			behind = middle;
	}
	return first < n && strcmp(channels[first].name, name) == 0 ? first : n;
}

/* Why a row calls its channel bad, to be freed; NULL where it does not. */
static clpac_status read_why(const clpac__cell cells[N_CHANNEL_COLUMNS], char **out, clpac_error *err)
{
	const bool has_why = cells[WHY].n && !clpac__cell_says(cells[WHY], "n/a");
	*out = NULL;
	if (clpac__cell_says(cells[STATUS], "bad") &&
	    !(*out = clpac__cell_text(has_why ? cells[WHY] : (clpac__cell){"it is bad", 9, false})))
		RETURN_NO_MEMORY(cells[WHY].n + 1);
	return CLPAC_OK;
}

/* Applies one row to the channels of its name. */
static clpac_status apply_row(const clpac__cell cells[N_CHANNEL_COLUMNS], named *channels, size_t n,
			      clpac_recording *recording, size_t *n_unknown, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *why = NULL, *name = clpac__cell_text(cells[NAME]);
	clpac_channel_kind kind = CLPAC_KIND_MISC;
	if (!name)
		FAIL_NO_MEMORY(cells[NAME].n + 1);
	size_t first = find_named(channels, n, name);
	*n_unknown += first == n;
	const bool has_type = cells[TYPE].n && !clpac__cell_says(cells[TYPE], "n/a");
	TRY(read_why(cells, &why, err));
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
	FREE_ALL(name, why);
	return st;
}

/* The channels by name, to be freed. */
static clpac_status sort_channels(const clpac_recording *recording, named **out, clpac_error *err)
{
	const size_t n = clpac_recording_n_channels(recording);
	RETURN_IF_ERROR(NEW_ARRAY(*out, n));
	for (size_t i = 0; i < n; i++)
		(*out)[i] = (named){clpac_recording_channel(recording, i)->name, i, false};
	qsort(*out, n, sizeof **out, by_name);
	return CLPAC_OK;
}

clpac_status clpac__channels_table_apply(const char *path, const char *text, size_t n, clpac_recording *recording,
					 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_channels = clpac_recording_n_channels(recording);
	size_t at[N_CHANNEL_COLUMNS], n_unknown = 0, n_missing = 0;
	clpac__cell cells[N_CHANNEL_COLUMNS];
	named *channels = NULL;
	TRY(sort_channels(recording, &channels, err));
	clpac__tsv table = clpac__tsv_open(text, n, channel_columns, N_CHANNEL_COLUMNS, at);
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

/* Takes from a table that another one is nearer than which channels are bad, as one that any table calls bad is. */
static clpac_status apply_bad_alone(const char *path, const char *text, size_t n, const char *nearest,
				    clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_channels = clpac_recording_n_channels(recording);
	size_t at[N_CHANNEL_COLUMNS];
	clpac__cell cells[N_CHANNEL_COLUMNS];
	named *channels = NULL;
	char *why = NULL, *name = NULL;
	TRY(sort_channels(recording, &channels, err));
	clpac__tsv table = clpac__tsv_open(text, n, channel_columns, N_CHANNEL_COLUMNS, at);
	while (clpac__tsv_next(&table, cells)) {
		FREE_ALL(why, name);
		name = NULL;
		TRY(read_why(cells, &why, err));
		if (!why)
			continue;
		if (!(name = clpac__cell_text(cells[NAME])))
			FAIL_NO_MEMORY(cells[NAME].n + 1);
		for (size_t i = find_named(channels, n_channels, name);
		     i < n_channels && strcmp(channels[i].name, name) == 0; i++) {
			const clpac_channel *channel = clpac_recording_channel(recording, channels[i].channel);
			char whole[600];
			if (channel->bad)
				continue;
			snprintf(whole, sizeof whole,
				 "%.200s (by %.150s, though %.150s, which is nearer, does not say so)", why,
				 clpac__name_of_path(path), clpac__name_of_path(nearest));
			TRY(clpac_recording_set_kind(recording, channels[i].channel, channel->kind, whole, err));
		}
	}
done:
	FREE_ALL(channels, why, name);
	return st;
}

/* Takes a table of channels; `nearest` is one that counts before it, NULL: none does. */
static clpac_status take_table(const char *path, const char *nearest, clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL;
	size_t n = 0;
	clpac_error why = {0};
	st = clpac__source_read_text(path, &text, &n, &why);
	if (st == CLPAC_ERROR_NO_MEMORY)
		FAIL(st, "%s", why.text);
	if (st != CLPAC_OK) {
		st = clpac_recording_warn(recording, err, "types of channels come from their names: %s", why.text);
		goto done;
	}
	TRY(clpac__recording_add_table(recording, "channels", path, err));
	TRY(nearest ? apply_bad_alone(path, text, n, nearest, recording, err)
		    : clpac__channels_table_apply(path, text, n, recording, err));
done:
	clpac__free(text);
	return st;
}

clpac_status clpac__kinds_settle(const char *path, const char *root, clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__inherited tables = {0};
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		/* A reader has set what its file says. */
		if (channel->kind == CLPAC_KIND_UNKNOWN)
			TRY(clpac_recording_set_kind(recording, i, clpac__kind_of_label(channel->name, channel->unit),
						     NULL, err));
	}
	TRY(clpac__tables_find(path, root, "channels.tsv", &tables, err));
	for (size_t i = 0; i < tables.n; i++)
		TRY(take_table(tables.paths[i], i ? tables.paths[0] : NULL, recording, err));
done:
	clpac__inherited_clear(&tables);
	return st;
}
