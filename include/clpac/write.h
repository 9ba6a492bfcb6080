/** @file write.h
 *  Writes results, and reads them again.  In the library libclpac-io, beside libclpac.
 *
 *  Every function may be called from any thread on different objects.  Output files are written under a temporary name
 *  in the same folder and then renamed: a failed or interrupted write leaves no file, let alone half of one.  Several
 *  files appear together in a set (clpac_output_set).  The next write of a file removes what killed processes left of
 *  it.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_WRITE_H
#define CLPAC_WRITE_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/result.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Output files that appear together: all of them, or none, whose predecessors then stay. */
typedef struct clpac_output_set clpac_output_set;

/** Begins a set.  Writers that are given it in their options write and sync their files under temporary names.
 *  @param[out] out to be closed.
 *  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_output_set_open(clpac_output_set **out, clpac_error *err);
/** Creates a file of the set that the caller writes by other means, as clpac_trace_begin.
 *  @param overwrite false: an existing file of this name is an error.
 *  @param[out] temporary where to write it: a name beside `path`, valid as long as the set.  The commit syncs the file
 *  and gives it its name; it must be complete and closed by then.
 *  Errors: CLPAC_ERROR_IO (native_code is errno), CLPAC_ERROR_ARGUMENT for a device, a pipe or a file that is in the
 * set already, CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED. */
clpac_status clpac_output_set_create(clpac_output_set *set, const char *path, bool overwrite, const char **temporary,
				     clpac_error *err);
/** Puts all files of the set in their places.  A process that is killed meanwhile leaves a hidden list beside the first
 *  file (.NAME.clpac-set): the next write of any of these files, and the next clpac_result_read_npz, completes the set.
 *  Sets of one first file are placed one after the other, so that files of two writers never mix.  Where the files lie
 * in several folders there is no list, and where the file system has no hard links a file that is refused in the middle
 *  leaves those before it.
 *  Errors: CLPAC_ERROR_IO (native_code is errno; the text says whether all files are as they were),
 *  CLPAC_ERROR_CANCELLED after clpac_output_abandon.
 *  Cost: three syncs of the folder. */
clpac_status clpac_output_set_commit(clpac_output_set *set, clpac_error *err);
/** Frees a set, and removes the files that were not put in place.  NULL is fine. */
void clpac_output_set_close(clpac_output_set *set);

/** Takes the next bytes of what is written: a pipe, a part of memory, a request that is answered.  Returns false where
 *  it takes no more: CLPAC_ERROR_IO. */
typedef bool clpac_write_function(void *user, const void *data, size_t bytes);

/** Options of writing. */
typedef struct clpac_write_options {
	size_t size;	/**< sizeof(clpac_write_options), or 0: the members of clpac 0.1. */
	bool overwrite; /**< If false, an existing file stays and is CLPAC_ERROR_IO with EEXIST. */
	/** JSON: the origin of the recording.  CSV: the columns recording, subject and session, the latter two those of
	 *  BIDS in its name or in a folder's (sub- and ses-), else empty.  NULL leaves all three out. */
	const char *input_name;
	const char *input_checksum; /**< JSON: checksum of the input as text; NULL leaves it out. */
	clpac_output_set *set;	    /**< The set that the file appears with; NULL: it appears by itself. */
	/** JSON: an object as text, written as "provenance": how the result came about, such as the command line and
	 * the computer.  NULL: that of the result (clpac_result_provenance), where it has one. */
	const char *provenance;
	/** JSON: also what the .npz holds: the taps of each filter, and for each cell "valid", "cell_bands_hz",
	 *  "preferred_phase_rad" and "mean_vector". */
	bool json_full;
	/** Takes the whole file in place of the file system, from the first byte to the last, once it is complete;
	 * nothing where that fails.  The path is then a name for errors, and the ending of a picture; `overwrite` is
	 * not used, and `set` must be NULL.  Cost: the file in memory. */
	clpac_write_function *write;
	void *write_user;
	/** .npz: a text that is put beside the arrays as "report.json"; it may tell times, so that equal results have
	 *  different files.  NULL: none. */
	const char *report;
	/** JSON: "Sources": where what the result was made from lies, as datasets of BIDS have it
	 * ("bids:raw:sub-01/..."). n_sources 0 leaves it out. */
	const char *const *sources;
	size_t n_sources;
} clpac_write_options;

/** Writes the arrays of a result as .npz (NumPy's zip of .npy files): those of clpac_array_name, and format_version
 * (without dimensions: the number of the format, as in the JSON; doc/releases.md has what it means), n_empty_bins,
 * valid, phase_bands_hz and amplitude_bands_hz of shape (n, 2), channels (text), segment_onsets_s, used_s and
 * n_stretches of shape (c, s), identity (text: the SHA-256 of the result, as in the JSON), and problem, where the
 * result has its problem text.  Where it has filters: filters_hz (lo and hi of the band, and of the bandwidth), filters
 * (use, edge_samples, is_shortened, n_taps), each of shape (n, 4), and the taps of all, one filter after the other.
 *  Equal results give equal files, byte for byte. */
clpac_status clpac_result_write_npz(const clpac_result *result, const char *path, const clpac_write_options *options,
				    clpac_error *err);
/** Writes what clpac_result_write_npz does as a .mat file of version 5, for MATLAB and GNU Octave: mi(c, s, p, a) has
 * the same dimensions in the same order, valid is logical, texts are characters, and lists of them cells.  Letters of
 * names that MATLAB does not have are _.  Errors: those of clpac_result_write_npz; CLPAC_ERROR_UNSUPPORTED for an array
 * of 2 GiB or more, which such a file cannot hold. */
clpac_status clpac_result_write_mat(const clpac_result *result, const char *path, const clpac_write_options *options,
				    clpac_error *err);
/** Reads a file of clpac_result_write_npz; the result has its filters, and no report.  Claimed sizes are checked
 * against the file before anything is allocated.  A set that a killed run of this user left half in place is completed
 * first, where the folder can be written. Errors: CLPAC_ERROR_IO (native_code is errno), CLPAC_ERROR_FORMAT, which
 * names the array, the JSON of another result that lies beside NAME.npz as NAME.json, or a format that is newer than
 * this version.  Files of versions without identities or without a number of their format are read. */
clpac_status clpac_result_read_npz(const char *path, clpac_result **out, clpac_error *err);
/** Reads such a file as some channels of a larger result, straight into its arrays.
 *  @param[in,out] channel the first of them in the result; becomes the one behind the last.
 *  @param n_channels of the result.
 *  @param folder as in clpac_result_create_in; NULL: in memory.
 *  @param[in,out] whole NULL before the first file: the result is made then, with the file's bands, valid cells,
 *         filters, segments and problem; channels that no file has are NaN, and named by their numbers.  Of further
 *         files channels alone are read.  The caller's to destroy; after an error some channels may have been read.
 *  Errors: those of clpac_result_read_npz; CLPAC_ERROR_FORMAT for a file of other arrays or axes, or of channels that
 *  the result does not have; CLPAC_ERROR_ARGUMENT for another n_channels than that of the result. */
clpac_status clpac_result_join_npz(const char *path, size_t *channel, size_t n_channels, const char *folder,
				   clpac_result **whole, clpac_error *err);
/** Reads the text "report.json" of an .npz, which clpac_write_options.report put there.
 *  @param[out] text freed with clpac_text_free; NULL where there is none.
 *  Errors: CLPAC_ERROR_IO (native_code is errno), CLPAC_ERROR_FORMAT for no .npz, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_result_read_report(const char *path, char **text, clpac_error *err);
/** Writes parameters, report, filters, warnings and input as JSON. */
clpac_status clpac_result_write_json(const clpac_result *result, const char *path, const clpac_write_options *options,
				     clpac_error *err);
/** Writes a line per cell: channel, segment, phase_lo_hz, phase_hi_hz, amplitude_lo_hz, amplitude_hi_hz, mi, z, p. */
clpac_status clpac_result_write_csv(const clpac_result *result, const char *path, const clpac_write_options *options,
				    clpac_error *err);

/** Writes channel x sample float32 as .npy. */
clpac_status clpac_npy_write(const char *path, const float *samples, size_t n_channels, size_t n_samples,
			     bool overwrite, clpac_error *err);

/** For a program that was told to end (Ctrl-C): removes the temporary files of every write that is under way, in any
 *  thread, and makes later writes of this process fail with CLPAC_ERROR_CANCELLED.  Call it from the signal handler and
 *  end the process, say with _exit; there is no way back.  Several calls at once do no harm: when any of them returns,
 *  no temporary file is left.  A file that another thread is just creating or removing is waited for, at most a second,
 *  and a set that is being put in place, at most 10 s: it is then there as a whole.  Files that have their names stay.
 * Async-signal-safe; keeps errno; any thread; costs one system call for each file under way. */
void clpac_output_abandon(void);

/** The libraries behind this one and their versions, a line each.
 *  @param[out] text to be freed with clpac_text_free.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_io_parts(char **text, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
