/* The table of events beside a recording (BIDS, events.tsv): annotations. */
#ifndef CLPAC_RECORDING_READ_EVENTS_TABLE_H
#define CLPAC_RECORDING_READ_EVENTS_TABLE_H

#include <clpac/recording.h>

/* Adds the events of the table beside the file, if there is one.  A table that cannot be read or is none becomes a
 * warning of the recording.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__events_add(const char *path, clpac_recording *recording, clpac_error *err);
/* The same with the text of a table, n bytes; `path` is its name. */
clpac_status clpac__events_table_apply(const char *path, const char *text, size_t n, clpac_recording *recording,
				       clpac_error *err);

#endif
