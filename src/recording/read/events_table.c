/* Events of BIDS: an onset and a duration in seconds from the recording's first sample, and a name, which is the
 * trial_type, or where a table has none the value. */
#include "recording/read/events_table.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <clpac/read.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "recording/file_text.h"
#include "recording/read/source.h"
#include "recording/read/tsv.h"

clpac_status clpac_recording_events(const char *path, char **out, clpac_error *err)
{
	NEED(path);
	NEED(out);
	return clpac__tsv_beside(path, "_events.tsv", out, err);
}

enum { ONSET = 0, DURATION, TRIAL_TYPE, VALUE, N_COLUMNS };
static const char *const column_names[N_COLUMNS] = {"onset", "duration", "trial_type", "value"};

static bool is_there(clpac__cell cell)
{
	return cell.n && !clpac__cell_says(cell, "n/a");
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

static clpac_status add_event(const clpac__cell cells[N_COLUMNS], clpac_recording *recording, size_t *n_wrong,
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
	size_t at[N_COLUMNS], n_wrong = 0;
	clpac__cell cells[N_COLUMNS];
	clpac__tsv table = clpac__tsv_open(text, n, column_names, N_COLUMNS, at);
	if (at[ONSET] == SIZE_MAX) {
		return clpac_recording_warn(recording, err, "%s has no column \"onset\": its events are left out",
					    path);
	}
	while (clpac__tsv_next(&table, cells))
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
	clpac_status st = CLPAC_OK;
	char *table = NULL, *text = NULL;
	size_t n = 0;
	clpac_error why = {0};
	TRY(clpac_recording_events(path, &table, err));
	if (!table)
		goto done;
	st = clpac__source_read_text(table, &text, &n, &why);
	if (st == CLPAC_ERROR_NO_MEMORY)
		FAIL(st, "%s", why.text);
	if (st != CLPAC_OK)
		TRY(clpac_recording_warn(recording, err, "events are left out: %s", why.text));
	else
		TRY(clpac__events_table_apply(table, text, n, recording, err));
done:
	clpac__free(text);
	clpac_text_free(table);
	return st;
}
