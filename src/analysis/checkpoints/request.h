/* The request that a result answers: a recording's content, and the options that decide the numbers.  It is recorded
 * in OUT.json, so that a later run knows what is done. */
#ifndef CLPAC_ANALYSIS_CHECKPOINTS_REQUEST_H
#define CLPAC_ANALYSIS_CHECKPOINTS_REQUEST_H

#include "analysis/settings.h"

/* The `request` of the settings, and the checksum of a table of pairs.
 * @param[out] text to be freed with clpac__free. */
clpac_status clpac__request_text(const clpac__analysis_settings *settings, char **text, clpac_error *err);

/* The checksums of the tables of channels and of events beside the recording; "" where there is none.  Zero-terminated.
 */
clpac_status clpac__request_sidecar(const char *input, char checksum[65], clpac_error *err);
clpac_status clpac__request_events(const char *input, char checksum[65], clpac_error *err);

/* Whether OUT.npz, with OUT.json beside it, is the whole answer to this request.  The checksum of the recording is
 * computed where all else agrees.
 * @param[out] why where it is not, in a few words that go behind "OUT.npz "; "" where the file is missing. */
clpac_status clpac__request_is_done(const clpac__analysis_settings *settings, const char *npz, const char *json,
				    bool *is_done, char why[400], clpac_error *err);

#endif
