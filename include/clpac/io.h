/** @file io.h
 *  Files: recordings in, results out, pictures.  In the library libclpac-io, beside libclpac.
 *
 *  Every function may be called from any thread on different objects.  Output files are written under a temporary name in
 *  the same folder and renamed, so that a failed or interrupted write leaves nothing behind and never half a file.
 */
#ifndef CLPAC_IO_H
#define CLPAC_IO_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/status.h>
#include <clpac/recording.h>
#include <clpac/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How to read a file.  Zero means: by its content and name. */
typedef struct clpac_read_options {
	double rate_hz;      /**< Sampling rate for formats that hold none; an error to give where the file says otherwise. */
	const char *raw;     /**< "f4:8": headerless samples of this type (i2, i4, f4, f8; big-endian as ">f4"), sample by sample over 8 channels; NULL: not raw. */
	const char *array;   /**< Name of the array to take from an .npz file; NULL: the only one, or "data". */
} clpac_read_options;

/** Reads a recording: .npy (1-D, or 2-D channel x sample), .npz, CSV, EDF, EDF+, BDF, BDF+, BrainVision (.vhdr, or the .eeg
 *  or .vmrk beside it), raw.  Values in float32 or float64 as the file has them, in physical units; channels without a name
 *  are called "0", "1", ...; in CSV a column named time, t or seconds gives the rate.
 *  Only what makes samples unreadable is refused.  Other faults are warnings of the recording, a channel that cannot mean
 *  anything is disabled, and gaps part the recording into stretches.
 *  @param options NULL for defaults.
 *  @return CLPAC_ERROR_IO (cannot be opened or read; native_code errno), CLPAC_ERROR_FORMAT (content), CLPAC_ERROR_ARGUMENT,
 *  CLPAC_ERROR_UNSUPPORTED (a build without the library it needs), CLPAC_ERROR_NO_MEMORY.
 *  Cost: one pass over the file; no more memory than the samples need, whatever the header claims. */
clpac_status clpac_recording_read(const char *path, const clpac_read_options *options, clpac_recording **out,
				  clpac_error *err);

/** Writes channel x sample float32 as .npy. */
clpac_status clpac_npy_write(const char *path, const float *samples, size_t n_channels, size_t n_samples, bool overwrite,
			     clpac_error *err);

/** How to write.  overwrite false: an existing file is CLPAC_ERROR_IO with native_code EEXIST and is left as it is. */
typedef struct clpac_write_options {
	bool overwrite;
	const char *input_name;     /**< JSON: where the recording came from; NULL leaves it out. */
	const char *input_checksum; /**< JSON: checksum of the input as text; NULL leaves it out. */
} clpac_write_options;

/** Writes the arrays of a result as .npz (NumPy's zip of .npy files; names of clpac_array_name, and n_empty_bins,
 *  phase_bands_hz, amplitude_bands_hz of shape (n, 2), channels (text), segment_onsets_s, and problem, the text that
 *  replays it, where it is set).
 *  Equal results are equal files, byte for byte. */
clpac_status clpac_result_write_npz(const clpac_result *result, const char *path, const clpac_write_options *options,
				    clpac_error *err);
/** Reads one back, without report.  Errors: CLPAC_ERROR_IO (native_code errno), CLPAC_ERROR_FORMAT with the array named.
 *  Nothing is allocated before what the file claims was compared with the bytes it has. */
clpac_status clpac_result_read_npz(const char *path, clpac_result **out, clpac_error *err);
/** Writes parameters, report, taps, warnings and input as JSON. */
clpac_status clpac_result_write_json(const clpac_result *result, const char *path, const clpac_write_options *options,
				     clpac_error *err);
/** Writes a line per cell: channel, segment, phase_lo_hz, phase_hi_hz, amplitude_lo_hz, amplitude_hi_hz, mi, z, p. */
clpac_status clpac_result_write_csv(const clpac_result *result, const char *path, const clpac_write_options *options,
				    clpac_error *err);

/** What to draw. */
typedef struct clpac_plot_options {
	size_t channel, segment;    /**< SIZE_MAX channel: the one with the peak (and its segment). */
	const char *title;          /**< NULL: channel and peak. */
	double significance;        /**< Cells with p below are outlined; 0 is 0.05. */
	bool overwrite;
} clpac_plot_options;

/** Draws comodulogram, z-map with significant cells outlined (where the result has surrogates) and the phase-amplitude
 *  histogram of the peak; .png, .svg or .pdf by the path's ending.
 *  @param options NULL: the channel with the peak, nothing overwritten.
 *  Errors: CLPAC_ERROR_ARGUMENT (ending, channel, segment, significance, bands), CLPAC_ERROR_IO, CLPAC_ERROR_UNSUPPORTED in
 *  a build without cairo. */
clpac_status clpac_result_plot(const clpac_result *result, const char *path, const clpac_plot_options *options,
			       clpac_error *err);

/** For a program that was told to end (Ctrl-C): removes the temporary files of every write that is under way, in any
 *  thread, and makes later writes of this process fail with CLPAC_ERROR_CANCELLED.  Call it from the signal handler and end
 *  the process, say with _exit; there is no way back.  Files that already have their name stay.
 *  Async-signal-safe; keeps errno; any thread; costs one system call for each file under way. */
void clpac_output_abandon(void);

/** SHA-256 of a file as 64 hexadecimal digits.  @param[out] text 65 bytes. */
clpac_status clpac_file_checksum(const char *path, char text[65], clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
