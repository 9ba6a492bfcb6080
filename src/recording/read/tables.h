/* The tables of BIDS beside a recording: channels.tsv and events.tsv. */
#ifndef CLPAC_RECORDING_READ_TABLES_H
#define CLPAC_RECORDING_READ_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/recording.h>

#include "base/error.h"

/* Tables of BIDS: lines of cells between tabs, the first of them the columns' names. */

/* A cell without the blanks around it; points into the table. */
typedef struct clpac__cell {
	const char *text;
	size_t n;
} clpac__cell;

/* A table that is read line by line. */
typedef struct clpac__tsv {
	const char *next, *end;
	const char *const *names; /* of the columns that are looked for */
	size_t n_columns;
	size_t *at; /* where each is; SIZE_MAX: missing */
} clpac__tsv;

/* The table of channels beside a recording (BIDS, channels.tsv): what each recorded, and which are bad. */

/* Sets the kind of every channel: by the table beside the file, else by name and unit.  A table that cannot be read or
 * is none becomes a warning of the recording.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__kinds_settle(const char *path, clpac_recording *recording, clpac_error *err);
/* The same with the text of a table, n bytes; `path` is its name. */
clpac_status clpac__channels_table_apply(const char *path, const char *text, size_t n, clpac_recording *recording,
					 clpac_error *err);

/* The table of events beside a recording (BIDS, events.tsv): annotations. */

/* Adds the events of the table beside the file, if there is one.  A table that cannot be read or is none becomes a
 * warning of the recording.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__events_add(const char *path, clpac_recording *recording, clpac_error *err);
/* The same with the text of a table, n bytes; `path` is its name. */
clpac_status clpac__events_table_apply(const char *path, const char *text, size_t n, clpac_recording *recording,
				       clpac_error *err);

#endif
