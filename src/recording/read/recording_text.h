/* A recording without its samples as one line of JSON, and back. */
#ifndef CLPAC_RECORDING_READ_RECORDING_TEXT_H
#define CLPAC_RECORDING_READ_RECORDING_TEXT_H

#include <clpac/recording.h>

/* To be freed with clpac__free. */
clpac_status clpac__recording_to_text(const clpac_recording *recording, char **out, clpac_error *err);

/* A recording whose samples are zeros.  CLPAC_ERROR_FORMAT for a text not written by clpac__recording_to_text; name
 * stands in the error message. */
clpac_status clpac__recording_from_text(const char *name, const char *text, clpac_recording **out, clpac_error *err);

#endif
