/* Recordings, beyond their public interface. */
#ifndef CLPAC_RECORDING_RECORDING_H
#define CLPAC_RECORDING_RECORDING_H

#include <stddef.h>
#include <stdint.h>
#include <clpac/recording.h>

#include "recording/recording_parts.h"

/* Adds a warning that was given `count` times, or raises the count of the same text by it. */
clpac_status clpac__recording_warn_times(clpac_recording *recording, const char *text, size_t count, clpac_error *err);

/* Bytes of one sample. */
size_t clpac__sample_bytes(clpac_sample_type type);

/* Appends a channel without samples; a file given with clpac__recording_set_file has them.  Errors: those of
 * clpac_recording_add_channel. */
clpac_status clpac__recording_add_stored_channel(clpac_recording *recording, const char *name, const char *unit,
						 double rate_hz, size_t n_samples, clpac_sample_type type,
						 clpac_error *err);
/* Gives the recording the file of its channels' samples, which it owns from then on. */
void clpac__recording_set_file(clpac_recording *recording, clpac__sample_file *file);
/* Loads every channel, and closes the file. */
clpac_status clpac__recording_load_all(clpac_recording *recording, clpac_error *err);
/* Counts bytes of the recording's files that a reader has read. */
void clpac__recording_count_bytes(clpac_recording *recording, uint64_t n_bytes);

/* Lets every channel of another rate be resampled: those with samples at once, the others when they are loaded.
 * Errors: CLPAC_ERROR_ARGUMENT for a rate that cannot be reached, CLPAC_ERROR_UNSUPPORTED in a build without the
 * library for it, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__recording_resample(clpac_recording *recording, double rate_hz, clpac_error *err);

#endif
