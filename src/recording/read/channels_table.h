/* The table of channels beside a recording (BIDS, channels.tsv): what each recorded, and which are bad. */
#ifndef CLPAC_RECORDING_READ_CHANNELS_TABLE_H
#define CLPAC_RECORDING_READ_CHANNELS_TABLE_H

#include <clpac/recording.h>

/* Sets the kind of every channel: by the table beside the file, else by name and unit.  A table that cannot be read or
 * is none becomes a warning of the recording.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__kinds_settle(const char *path, clpac_recording *recording, clpac_error *err);
/* The same with the text of a table, n bytes; `path` is its name. */
clpac_status clpac__channels_table_apply(const char *path, const char *text, size_t n, clpac_recording *recording,
					 clpac_error *err);

#endif
