/* Recordings, beyond their public interface. */
#ifndef CLPAC_IO_RECORDING_H
#define CLPAC_IO_RECORDING_H

#include <stddef.h>
#include <clpac/recording.h>

/* Adds a warning that was given `count` times, or raises the count of the same text by it. */
clpac_status clpac__recording_warn_times(clpac_recording *recording, const char *text, size_t count, clpac_error *err);

#endif
