/* The request that a result answers: a recording's content, and the options that decide the numbers.  It is recorded
 * in OUT.json, so that a later run knows what is done. */
#ifndef CLPAC_ANALYSIS_CHECKPOINTS_REQUEST_H
#define CLPAC_ANALYSIS_CHECKPOINTS_REQUEST_H

#include "analysis/settings.h"

/* The `request` of the settings, and the checksum of a table of pairs.
 * @param[out] text to be freed with clpac__free. */
clpac_status clpac__request_text(const clpac__analysis_settings *settings, char **text, clpac_error *err);

/* The checksums of the tables that are read with the recording, zero-terminated; "" where there is none. */
typedef struct clpac__request_tables {
	char channels[65], events[65], annotations[65];
} clpac__request_tables;

clpac_status clpac__request_tables_find(const clpac__analysis_settings *settings, clpac__request_tables *out,
					clpac_error *err);

/* Whether OUT.npz, with OUT.json beside it, is the whole answer to this request.  The checksum of the recording is
 * computed where all else agrees.
 * @param[out] why where it is not, in a few words that go behind "OUT.npz "; "" where the file is missing. */
clpac_status clpac__request_is_done(const clpac__analysis_settings *settings, const char *npz, const char *json,
				    bool *is_done, char why[400], clpac_error *err);

#endif
