/* Tables of channels and of events, as BIDS has them beside a recording: channels.tsv and events.tsv. */
#ifndef CLPAC_RECORDING_READ_TABLES_H
#define CLPAC_RECORDING_READ_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/read.h>
#include <clpac/recording.h>

#include "base/error.h"
#include "base/inherited.h"

/* Tables of BIDS: lines of cells between tabs, the first of them the columns' names. */

/* A cell without the blanks and quotes around it; points into the table. */
typedef struct clpac__cell {
	const char *text;
	size_t n;
	bool is_quoted; /* two quotes in it are one */
} clpac__cell;

/* A table that is read line by line. */
typedef struct clpac__tsv {
	const char *next, *end;
	const char *const *names; /* of the columns that are looked for; NULL: none has it */
	size_t n_columns;
	size_t *at; /* where each is; SIZE_MAX: missing */
} clpac__tsv;

/* Reads the first line of a text of n bytes.
 * @param names n_columns names.
 * @param[out] at n_columns places; both outlive the table. */
clpac__tsv clpac__tsv_open(const char *text, size_t n, const char *const *names, size_t n_columns, size_t *at);
/* Reads the next line that is not empty: cells[c] is that of column c, empty where it is missing.  False at the end. */
bool clpac__tsv_next(clpac__tsv *table, clpac__cell *cells);
/* Whether a cell is a word, in any case; "n/a" stands for an empty one. */
bool clpac__cell_says(clpac__cell cell, const char *word);
/* Whether a cell is a finite number and nothing else. */
bool clpac__cell_number(clpac__cell cell, double *out);
/* The text of a cell as UTF-8; two quotes in a quoted one are one.  To be freed with clpac__free; NULL: no memory left.
 */
char *clpac__cell_text(clpac__cell cell);

/* The path of a table beside a recording: for the ending "_channels.tsv" rat_01_channels.tsv beside rat_01.npy, or
 * A_channels.tsv beside A_ieeg.vhdr.  A word that is no suffix of BIDS belongs to the name: rat_01.npy is not described
 * by rat_channels.tsv.
 * @param[out] out NULL where there is none; to be freed with clpac__free.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__tsv_beside(const char *path, const char *ending, char **out, clpac_error *err);

/* The tables of a recording, as "channels.tsv": by inheritance where it lies in a dataset of BIDS, else the one beside
 * it.
 * @param root of the dataset; NULL: none.  @param[out] out zeroed; to be cleared in any case. */
clpac_status clpac__tables_find(const char *path, const char *root, const char *what, clpac__inherited *out,
				clpac_error *err);

/* The table of channels beside a recording (BIDS, channels.tsv): what each recorded, and which are bad. */

/* Sets the kind of every channel: by its table, else by name and unit.  A table that cannot be read or is none becomes
 * a warning of the recording.  Of several tables in a dataset, the nearest counts, and a channel that any of them calls
 * bad is bad.  Errors: CLPAC_ERROR_NO_MEMORY; those of clpac__tables_find. */
clpac_status clpac__kinds_settle(const char *path, const char *root, clpac_recording *recording, clpac_error *err);
/* Warns where the sidecars of a dataset (_eeg.json) tell another sampling frequency than the file.  One that cannot be
 * read is a warning, too. */
clpac_status clpac__sidecars_check(const char *path, const char *root, clpac_recording *recording, clpac_error *err);
/* The same with the text of a table, n bytes; `path` is its name. */
clpac_status clpac__channels_table_apply(const char *path, const char *text, size_t n, clpac_recording *recording,
					 clpac_error *err);

/* Events: the annotations of a recording, from its file, from a table, or from a channel of triggers. */

/* Settles which events a recording has: the rows of a table take the place of the file's own, as the options say; an
 * annotation file is joined.  A table beside the recording that cannot be read or is none becomes a warning.
 * @param recording with the events of its file, and its channels' kinds.
 * Errors: CLPAC_ERROR_ARGUMENT for a table or column that is asked for and missing; CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT
 * for one that cannot be read; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__events_settle(const char *path, const clpac_read_options *options, clpac_recording *recording,
				  clpac_error *err);
/* Adds the rows of a table, n bytes; `path` is its name.  Times count from the recording's first sample.
 * @param column which names the events; NULL: trial_type, else value.
 * @param[out] is_table false where no column is "onset", and nothing is added. */
clpac_status clpac__events_table_apply(const char *path, const char *text, size_t n, const char *column,
				       clpac_recording *recording, bool *is_table, clpac_error *err);

#endif
