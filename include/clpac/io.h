/** @file io.h
 *  Files: recordings in, results out, pictures.  In the library libclpac-io, beside libclpac.
 *
 *  Every function may be called from any thread on different objects.  Output files are written under a temporary name
 * in the same folder and renamed, so that a failed or interrupted write leaves nothing behind and never half a file.
 */
#ifndef CLPAC_IO_H
#define CLPAC_IO_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/memory/device.h>
#include <clpac/status.h>
#include <clpac/recording.h>
#include <clpac/result.h>
#include <clpac/memory/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How to read a file.  Zero means: by its content and name. */
typedef struct clpac_read_options {
	double rate_hz;	 /**< Sampling rate for formats that hold none; an error to give where the file says otherwise.
			  */
	const char *raw; /**< "f4:8": headerless samples of this type (i2, i4, f4, f8; big-endian as ">f4"), sample by
			    sample over 8 channels; NULL: not raw. */
	const char *array; /**< Name of the array to take from an .npz file; NULL: the only one, or "data". */
} clpac_read_options;

/** Reads a recording: .npy (1-D, or 2-D channel x sample), .npz, CSV, EDF, EDF+, BDF, BDF+, BrainVision (.vhdr, or the
 * .eeg or .vmrk beside it), raw.  Values in float32 or float64 as the file has them, in physical units; channels
 * without a name are called "0", "1", ...; in CSV a column named time, t or seconds gives the rate. Only what makes
 * samples unreadable is refused.  Other faults are warnings of the recording, a channel that cannot mean anything is
 * disabled, and gaps part the recording into stretches.
 *  @param options NULL for defaults.
 *  @return CLPAC_ERROR_IO (cannot be opened or read; native_code errno), CLPAC_ERROR_FORMAT (content),
 * CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_UNSUPPORTED (a build without the library it needs), CLPAC_ERROR_NO_MEMORY. Cost:
 * one pass over the file; no more memory than the samples need, whatever the header claims. */
clpac_status clpac_recording_read(const char *path, const clpac_read_options *options, clpac_recording **out,
				  clpac_error *err);

/** Acquires a recording from a store: read from its file where the store does not have it, or where the file's size or
 * time of change is another than when it was read.  Keyed by the real path and what is set of the options, as
 * "recording:/path?rate_hz=256". The entry's buffer, in the store's first pool, has the samples, channel after channel
 * in the recording's types, each beginning at a multiple of 64 bytes; its type is "float32", "float64" or "mixed", its
 * shape channels x samples (0 samples where the channels' numbers differ), its text the rest of the recording for
 * clpac_entry_recording. A BrainVision recording is read anew when any of the files of its name (.vhdr, .eeg, .vmrk)
 * changed.
 *  @param[out] out to be given back with clpac_entry_release.
 *  Errors: those of clpac_recording_read and clpac_store_fetch; CLPAC_ERROR_IO for a file that changed while it was
 * read. Cost: the entry found: a look at the file's facts. */
clpac_status clpac_store_recording(clpac_store *store, const char *path, const clpac_read_options *options,
				   clpac_entry **out, clpac_error *err);
/** Acquires what is derived from a recording's file, say spectra or analytic bands: loaded where the store does not
 * have it for this file as it is now.  Keyed as "derived:WHAT:/path", and the options.
 *  @param what says all that decides about it beside the file, "bands" with the text of a problem, say
 * (clpac_problem_write).
 *  @param load makes it, as for clpac_store_fetch; it may ask for the recording itself.
 *  Errors: as for clpac_store_recording. */
clpac_status clpac_store_derived(clpac_store *store, const char *path, const clpac_read_options *options,
				 const char *what, clpac_load_function *load, void *user, clpac_entry **out,
				 clpac_error *err);
/** The recording of an entry of clpac_store_recording, as it was read from the file, without reading the file.
 *  @param entry acquired.  @param[out] out the caller's to destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT (not on its device), CLPAC_ERROR_FORMAT (another kind of entry), CLPAC_ERROR_DEVICE,
 *  CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_entry_recording(clpac_entry *entry, clpac_recording **out, clpac_error *err);

/** Writes channel x sample float32 as .npy. */
clpac_status clpac_npy_write(const char *path, const float *samples, size_t n_channels, size_t n_samples,
			     bool overwrite, clpac_error *err);

/** How to write.  overwrite false: an existing file is CLPAC_ERROR_IO with native_code EEXIST and is left as it is. */
typedef struct clpac_write_options {
	bool overwrite;
	const char *input_name;	    /**< JSON: where the recording came from; NULL leaves it out. */
	const char *input_checksum; /**< JSON: checksum of the input as text; NULL leaves it out. */
} clpac_write_options;

/** Writes the arrays of a result as .npz (NumPy's zip of .npy files; names of clpac_array_name, and n_empty_bins,
 *  phase_bands_hz, amplitude_bands_hz of shape (n, 2), channels (text), segment_onsets_s, and problem, the text that
 *  replays it, where it is set).
 *  Equal results are equal files, byte for byte. */
clpac_status clpac_result_write_npz(const clpac_result *result, const char *path, const clpac_write_options *options,
				    clpac_error *err);
/** Reads one back, without report.  Errors: CLPAC_ERROR_IO (native_code errno), CLPAC_ERROR_FORMAT with the array
 * named. Nothing is allocated before what the file claims was compared with the bytes it has. */
clpac_status clpac_result_read_npz(const char *path, clpac_result **out, clpac_error *err);
/** Writes parameters, report, taps, warnings and input as JSON. */
clpac_status clpac_result_write_json(const clpac_result *result, const char *path, const clpac_write_options *options,
				     clpac_error *err);
/** Writes a line per cell: channel, segment, phase_lo_hz, phase_hi_hz, amplitude_lo_hz, amplitude_hi_hz, mi, z, p. */
clpac_status clpac_result_write_csv(const clpac_result *result, const char *path, const clpac_write_options *options,
				    clpac_error *err);

/** What to draw. */
typedef struct clpac_plot_options {
	size_t channel, segment; /**< SIZE_MAX channel: the one with the peak (and its segment). */
	const char *title;	 /**< NULL: channel and peak. */
	double significance;	 /**< Cells with p below are outlined; 0 is 0.05. */
	bool overwrite;
} clpac_plot_options;

/** Draws comodulogram, z-map with significant cells outlined (where the result has surrogates) and the phase-amplitude
 *  histogram of the peak; .png, .svg or .pdf by the path's ending.
 *  @param options NULL: the channel with the peak, nothing overwritten.
 *  Errors: CLPAC_ERROR_ARGUMENT (ending, channel, segment, significance, bands), CLPAC_ERROR_IO,
 * CLPAC_ERROR_UNSUPPORTED in a build without cairo. */
clpac_status clpac_result_plot(const clpac_result *result, const char *path, const clpac_plot_options *options,
			       clpac_error *err);

/** For a program that was told to end (Ctrl-C): removes the temporary files of every write that is under way, in any
 *  thread, and makes later writes of this process fail with CLPAC_ERROR_CANCELLED.  Call it from the signal handler and
 *  end the process, say with _exit; there is no way back.  Several calls at once do no harm: when any of them returns,
 *  no temporary file is left.  A file that another thread is just creating or removing is waited for, at most a second.
 *  Files that already have their name stay.  Async-signal-safe; keeps errno; any thread; costs one system call for each
 *  file under way. */
void clpac_output_abandon(void);

/** Writes all that is known of a machine's platforms and devices, so that it can be looked at elsewhere.
 *  @param options only overwrite is looked at; NULL: an existing file is CLPAC_ERROR_IO with EEXIST.
 *  Errors: CLPAC_ERROR_IO (native_code errno), CLPAC_ERROR_NO_MEMORY.  doc/machines.md has the members. */
clpac_status clpac_devices_write(const clpac_device_list *list, const char *path, const clpac_write_options *options,
				 clpac_error *err);
/** The same as text.  @param[out] text the caller's, freed with free().  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_devices_json(const clpac_device_list *list, char **text, clpac_error *err);
/** Reads such a file: the list of the machine where it was written, sorted and marked as there, to ask it what would be
 *  chosen.  Do not open its devices: their numbers mean others here.
 *  @param[out] out the caller's; clpac_devices_destroy.
 *  Errors: CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT with the place and what is wrong there (another format, a newer version
 * of this one, a list or a file too large to be believed, a device twice), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_devices_read(const char *path, clpac_device_list **out, clpac_error *err);

/** SHA-256 of a file as 64 hexadecimal digits.  @param[out] text 65 bytes. */
clpac_status clpac_file_checksum(const char *path, char text[65], clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
