/** @file recording_store.h
 *  Recordings, and what is derived from them, in a store of device memory.  In the library libclpac-io.
 *
 *  Every function may be called from any thread on different objects.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_RECORDING_STORE_H
#define CLPAC_RECORDING_STORE_H

#include <clpac/memory/store.h>
#include <clpac/read.h>
#include <clpac/recording.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Acquires a recording from a store.  The file is read where the store does not have it, or where its size or time of
 *  change differs from when it was read; a BrainVision recording when any of its files (.vhdr, .eeg, .vmrk) changed.
 *  The key is the real path with the options that are set, as "recording:/path?rate_hz=256".
 *  The entry's buffer lies in the store's first pool and holds the samples, channel after channel in the types of the
 *  recording, each at a multiple of 64 bytes.  Its type is "float32", "float64" or "mixed"; its shape is channels x
 *  samples (0 samples where channels differ in length); its text is the rest of the recording, for
 *  clpac_entry_recording.
 *  @param[out] out to be returned with clpac_entry_release.
 *  Errors: those of clpac_recording_read and clpac_store_fetch; CLPAC_ERROR_IO for a file that changed while it was
 *  read.
 *  Cost of an entry that is there: a look at size and time of the file. */
clpac_status clpac_store_recording(clpac_store *store, const char *path, const clpac_read_options *options,
				   clpac_entry **out, clpac_error *err);
/** The same with samples in half precision, in half the bytes of single precision.  The entry has a key of its own,
 *  "half:/path"; its type is "float16*2^k", a sample being the half times 2^k, with one k for the recording.  A sample
 * x comes back with an error of at most 2^-11 |x|, or of 2^-39 times the recording's largest magnitude if that is more;
 *  infinities and NaN come back as such.  Errors and cost: as for clpac_store_recording. */
clpac_status clpac_store_recording_half(clpac_store *store, const char *path, const clpac_read_options *options,
					clpac_entry **out, clpac_error *err);
/** Acquires data derived from a recording's file, such as spectra or analytic signals.  They are loaded where the store
 *  does not have them for the present state of the file.  The key is "derived:WHAT:/path" with the options that are
 * set.
 *  @param what everything that determines the data beside the file, such as "bands" with the text of a problem
 *  (clpac_problem_write).
 *  @param load makes the data, as for clpac_store_fetch; it may acquire the recording itself.
 *  Errors: as for clpac_store_recording. */
clpac_status clpac_store_derived(clpac_store *store, const char *path, const clpac_read_options *options,
				 const char *what, clpac_load_function *load, void *user, clpac_entry **out,
				 clpac_error *err);
/** Rebuilds the recording of an entry of clpac_store_recording, without reading the file again.
 *  @param entry acquired.  @param[out] out to be destroyed by the caller.
 *  Errors: CLPAC_ERROR_ARGUMENT (not on its device), CLPAC_ERROR_FORMAT (another kind of entry), CLPAC_ERROR_DEVICE,
 *  CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_entry_recording(clpac_entry *entry, clpac_recording **out, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
