/* Time-stamped annotation lists (TALs) of EDF+ and BDF+: "+12.5\x15" "0.25\x14text\x14" and a NUL, one list after
 * the other. */
#ifndef CLPAC_RECORDING_READ_EDF_ANNOTATIONS_H
#define CLPAC_RECORDING_READ_EDF_ANNOTATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/recording.h>

/* Adds every text of the n bytes to the recording.  An unreadable list is a warning, and reading goes on after the
 * next NUL.  *onset_seconds (nullable) becomes the time of the first list, the start of the record; untouched where
 * there is none. */
clpac_status clpac__edf_annotations_read(const char *bytes, size_t n, clpac_recording *recording, double *onset_seconds,
					 clpac_error *err);

#endif
