/* The tables of BIDS beside a recording. */
#include "recording/read/tables.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <clpac/read.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "recording/channel_kind.h"
#include "recording/file_text.h"
#include "recording/read/samples.h"

/* --- Rows and columns ------------------------------------------------------------------------- */

/* Whether a cell is a word, in any case; "n/a" stands for an empty one. */
static bool cell_says(clpac__cell cell, const char *word)
{
	return strlen(word) == cell.n && clpac__same_letters(word, cell.text, cell.n);
}

/* Takes one line; *n is its length without its end. */
static const char *take_line(clpac__tsv *table, size_t *n)
{
	const char *line = table->next, *newline = memchr(line, '\n', (size_t)(table->end - line));
	*n = (size_t)((newline ? newline : table->end) - line);
	table->next = newline ? newline + 1 : table->end;
	return line;
}

/* Finds the columns in the line of names. */
static void find_columns(clpac__tsv *table, const char *line, size_t n)
{
	size_t column = 0;
	for (const char *from = line, *end = line + n; from <= end; column++) {
		const char *tab = memchr(from, '\t', (size_t)(end - from)), *to = tab ? tab : end;
		clpac__cell cell = {from, (size_t)(to - from)};
		cell.text = clpac__trim(from, &cell.n);
		for (size_t c = 0; c < table->n_columns; c++)
			if (table->at[c] == SIZE_MAX && cell_says(cell, table->names[c]))
				table->at[c] = column;
		from = to + 1;
	}
}

/* Reads the first line of a text of n bytes.
 * @param names n_columns names.
 * @param[out] at n_columns places; both outlive the table. */
static clpac__tsv tsv_open(const char *text, size_t n, const char *const *names, size_t n_columns, size_t *at)
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
static void cut_line(const clpac__tsv *table, const char *line, size_t n, clpac__cell *cells)
{
	size_t column = 0;
	for (size_t c = 0; c < table->n_columns; c++)
		cells[c] = (clpac__cell){"", 0};
	for (const char *from = line, *end = line + n; from <= end; column++) {
		const char *tab = memchr(from, '\t', (size_t)(end - from)), *to = tab ? tab : end;
		for (size_t c = 0; c < table->n_columns; c++)
			if (table->at[c] == column) {
				cells[c].n = (size_t)(to - from);
				cells[c].text = clpac__trim(from, &cells[c].n);
			}
		from = to + 1;
	}
}

/* Reads the next line that is not empty: cells[c] is that of column c, empty where it is missing.  False at the end. */
static bool tsv_next(clpac__tsv *table, clpac__cell *cells)
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

/* The path of a table beside a recording: A_channels.tsv beside A_ieeg.vhdr, for the ending "_channels.tsv".
 * @param[out] out NULL where there is none; to be freed with clpac__free.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
static clpac_status tsv_beside(const char *path, const char *ending, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.'), *suffix = strrchr(name, '_');
	char *made = NULL;
	*out = NULL;
	if (!dot || !suffix || suffix > dot)
		goto done;
	const size_t stem = (size_t)(suffix - path), bytes = strlen(ending) + 1;
	TRY(NEW_BYTES(made, stem + bytes));
	memcpy(made, path, stem);
	memcpy(made + stem, ending, bytes);
	if (strcmp(made, path) != 0 && access(made, F_OK) == 0) {
		*out = made, made = NULL;
	}
done:
	clpac__free(made);
	return st;
}

/* --- channels.tsv ----------------------------------------------------------------------------- */

clpac_status clpac_recording_sidecar(const char *path, char **out, clpac_error *err)
{
	NEED(path, out);
	return tsv_beside(path, "_channels.tsv", out, err);
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

/* Applies one row to the channels of its name. */
static clpac_status apply_row(const clpac__cell cells[N_CHANNEL_COLUMNS], named *channels, size_t n,
			      clpac_recording *recording, size_t *n_unknown, clpac_error *err)
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
	const bool has_type = cells[TYPE].n && !cell_says(cells[TYPE], "n/a");
	if (cell_says(cells[STATUS], "bad")) {
		const bool has_why = cells[WHY].n && !cell_says(cells[WHY], "n/a");
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
	FREE_ALL(name, why);
	return st;
}

clpac_status clpac__channels_table_apply(const char *path, const char *text, size_t n, clpac_recording *recording,
					 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_channels = clpac_recording_n_channels(recording);
	size_t at[N_CHANNEL_COLUMNS], n_unknown = 0, n_missing = 0;
	clpac__cell cells[N_CHANNEL_COLUMNS];
	named *channels;
	TRY(NEW_ARRAY(channels, n_channels));
	for (size_t i = 0; i < n_channels; i++)
		channels[i] = (named){clpac_recording_channel(recording, i)->name, i, false};
	qsort(channels, n_channels, sizeof *channels, by_name);
	clpac__tsv table = tsv_open(text, n, channel_columns, N_CHANNEL_COLUMNS, at);
	if (n && (at[NAME] == SIZE_MAX || (at[TYPE] == SIZE_MAX && at[STATUS] == SIZE_MAX))) {
		TRY(clpac_recording_warn(recording, err,
					 "%s has no columns \"name\" and \"type\" or \"status\": types of "
					 "channels come from their names",
					 path));
		goto done;
	}
	while (tsv_next(&table, cells))
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

/* Applies a table, whose path is freed; NULL: there is none.  Of one that cannot be read, a warning says what is
 * missing. */
static clpac_status apply_table(char *path, const char *missing,
				clpac_status apply(const char *, const char *, size_t, clpac_recording *,
						   clpac_error *),
				clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL;
	size_t n = 0;
	clpac_error why = {0};
	if (!path)
		return CLPAC_OK;
	st = clpac__source_read_text(path, &text, &n, &why);
	if (st == CLPAC_ERROR_NO_MEMORY)
		FAIL(st, "%s", why.text);
	if (st != CLPAC_OK)
		TRY(clpac_recording_warn(recording, err, "%s: %s", missing, why.text));
	else
		TRY(apply(path, text, n, recording, err));
done:
	clpac__free(text);
	clpac_text_free(path);
	return st;
}

clpac_status clpac__kinds_settle(const char *path, clpac_recording *recording, clpac_error *err)
{
	char *sidecar = NULL;
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		RETURN_IF_ERROR(clpac_recording_set_kind(
			recording, i, clpac__kind_of_label(channel->name, channel->unit), NULL, err));
	}
	RETURN_IF_ERROR(clpac_recording_sidecar(path, &sidecar, err));
	return apply_table(sidecar, "types of channels come from their names", clpac__channels_table_apply, recording,
			   err);
}

/* --- events.tsv ------------------------------------------------------------------------------- */

/* Events of BIDS: an onset and a duration in seconds from the recording's first sample, and a name, which is the
 * trial_type, or where a table has none the value. */

clpac_status clpac_recording_events(const char *path, char **out, clpac_error *err)
{
	NEED(path, out);
	return tsv_beside(path, "_events.tsv", out, err);
}

enum { ONSET = 0, DURATION, TRIAL_TYPE, VALUE, N_EVENT_COLUMNS };
static const char *const event_columns[N_EVENT_COLUMNS] = {"onset", "duration", "trial_type", "value"};

static bool is_there(clpac__cell cell)
{
	return cell.n && !cell_says(cell, "n/a");
}

/* A finite number and nothing else. */
static bool read_number(clpac__cell cell, double *out)
{
	char text[64];
	if (!cell.n || cell.n >= sizeof text)
		return false;
	memcpy(text, cell.text, cell.n);
	text[cell.n] = 0;
	return clpac__parse_number(text, out, NULL) && isfinite(*out);
}

static clpac_status add_event(const clpac__cell cells[N_EVENT_COLUMNS], clpac_recording *recording, size_t *n_wrong,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	double onset_s, seconds = 0;
	const clpac__cell name = is_there(cells[TRIAL_TYPE]) ? cells[TRIAL_TYPE] : cells[VALUE];
	char *text = NULL;
	if (!read_number(cells[ONSET], &onset_s) ||
	    (is_there(cells[DURATION]) && (!read_number(cells[DURATION], &seconds) || seconds < 0))) {
		++*n_wrong;
		goto done;
	}
	if (!(text = clpac__utf8(is_there(name) ? name.text : "", is_there(name) ? name.n : 0, NULL)))
		FAIL_NO_MEMORY(name.n + 1);
	TRY(clpac_recording_add_annotation(recording, onset_s, seconds, text, err));
done:
	clpac__free(text);
	return st;
}

clpac_status clpac__events_table_apply(const char *path, const char *text, size_t n, clpac_recording *recording,
				       clpac_error *err)
{
	size_t at[N_EVENT_COLUMNS], n_wrong = 0;
	clpac__cell cells[N_EVENT_COLUMNS];
	clpac__tsv table = tsv_open(text, n, event_columns, N_EVENT_COLUMNS, at);
	if (at[ONSET] == SIZE_MAX) {
		return clpac_recording_warn(recording, err, "%s has no column \"onset\": its events are left out",
					    path);
	}
	while (tsv_next(&table, cells))
		RETURN_IF_ERROR(add_event(cells, recording, &n_wrong, err));
	if (n_wrong)
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err,
			"%s: %zu events are left out, whose onset is no number, or whose duration is none of 0 or more",
			path, n_wrong));
	return CLPAC_OK;
}

clpac_status clpac__events_add(const char *path, clpac_recording *recording, clpac_error *err)
{
	char *table = NULL;
	RETURN_IF_ERROR(clpac_recording_events(path, &table, err));
	return apply_table(table, "events are left out", clpac__events_table_apply, recording, err);
}
