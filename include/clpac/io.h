/** @file io.h
 *  Files: reading recordings, writing results, drawing plots.  In the library libclpac-io, beside libclpac.
 *
 *  Every function may be called from any thread on different objects.  Output files are written under a temporary name
 *  in the same folder and then renamed: a failed or interrupted write leaves no file, let alone half of one.  Several
 *  files appear together in a set (clpac_output_set).  The next write of a file removes what killed processes left of
 *  it.
 *
 *  NULL where a pointer is required: clpac/status.h has the rule.
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

/** Options of reading.  With all zero, content and name of the file decide. */
typedef struct clpac_read_options {
	size_t size; /**< sizeof(clpac_read_options), or 0: the members of clpac 0.1. */
	/** Sampling rate, for formats without one.  An error where the file says another. */
	double rate_hz;
	/** Raw samples without a header, as "f4:8": the type (i1, u1, i2, u2, ... f4, f8; big-endian as ">f4") and the
	 *  number of channels, whose values lie side by side.  NULL: not raw. */
	const char *raw;
	/** Name of the array in an .npz file.  NULL: the only one, or "data". */
	const char *array;
	/** Leaves the samples in the file, of which clpac_recording_load reads those of the channels it is given.  The
	 * file stays open.  Of CSV and .npz, whose channels cannot be read alone, all samples are read at once in any
	 * case. */
	bool on_demand;
	/** Every channel of another rate is resampled to this one; 0: none is.  See clpac_resampling_is_available. */
	double resample_hz;
} clpac_read_options;

/** Reads a recording: .npy (1-D, or 2-D channel x sample), .npz, CSV, EDF, EDF+, BDF, BDF+, BrainVision (.vhdr, or the
 *  .eeg or .vmrk beside it), raw.  Values are float32 or float64 as in the file, in physical units; channels without a
 *  name are called "0", "1", ...; a CSV column named time, t or seconds gives the rate.
 *  What a channel recorded comes from the table of channels beside the file (BIDS, clpac_recording_sidecar), else from
 *  its name ("EEG Fp1", "HEOG", "Status"), else from its unit.  The events of the table beside the file (BIDS,
 *  clpac_recording_events) are annotations like its own, named by their trial_type, else by their value.  A third
 * dimension of an .npy array, the first, is epochs; those of .npz files are named by `sfreq` and `ch_names` in it. A
 * file is refused only for faults that make samples unreadable.  Other faults become warnings of the recording; a
 * channel without meaningful values is disabled; gaps divide the recording into stretches.
 *  @param options nullable.
 *  @return CLPAC_ERROR_IO (cannot be opened or read; native_code is errno), CLPAC_ERROR_FORMAT (content),
 *  CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_UNSUPPORTED (a build without the library it needs), CLPAC_ERROR_NO_MEMORY.
 *  Cost: one pass over the file, two for CSV; no more memory than the samples need, whatever the header claims. */
clpac_status clpac_recording_read(const char *path, const clpac_read_options *options, clpac_recording **out,
				  clpac_error *err);

/** Whether this build resamples; it does where it was configured with libsamplerate.
 *
 *  Resampling (clpac_read_options.resample_hz) is libsamplerate's best band-limited interpolation in single precision.
 *  Sample k of a channel lies at k / rate before and after it: there is no delay, and stretches and annotations keep
 *  their times.  A wave up to 0.9 of the lower of both Nyquist frequencies comes out as it was within 1e-5 of its
 *  amplitude, and one from 1.1 of it on leaves less than 1e-5 of its own.  Stretches, and the runs of
 *  finite samples in them, are resampled by themselves, and turned about their ends, where the errors are larger;
 *  what lies in no run is NaN. */
bool clpac_resampling_is_available(void);

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

/** Writes channel x sample float32 as .npy. */
clpac_status clpac_npy_write(const char *path, const float *samples, size_t n_channels, size_t n_samples,
			     bool overwrite, clpac_error *err);

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

/** Options of writing. */
typedef struct clpac_write_options {
	size_t size;		    /**< sizeof(clpac_write_options), or 0: the members of clpac 0.1. */
	bool overwrite;		    /**< If false, an existing file stays and is CLPAC_ERROR_IO with EEXIST. */
	const char *input_name;	    /**< JSON: the origin of the recording; NULL leaves it out. */
	const char *input_checksum; /**< JSON: checksum of the input as text; NULL leaves it out. */
	clpac_output_set *set;	    /**< The set that the file appears with; NULL: it appears by itself. */
	/** JSON: an object as text, written as "provenance": how the result came about, such as the command line and
	 * the computer.  NULL leaves it out. */
	const char *provenance;
} clpac_write_options;

/** Writes the arrays of a result as .npz (NumPy's zip of .npy files): those of clpac_array_name, and n_empty_bins,
 * valid, phase_bands_hz and amplitude_bands_hz of shape (n, 2), channels (text), segment_onsets_s, used_s and
 * n_stretches of shape (c, s), identity (text: the SHA-256 of the result, as in the JSON), and problem, where the
 * result has its problem text.
 *  Equal results give equal files, byte for byte. */
clpac_status clpac_result_write_npz(const clpac_result *result, const char *path, const clpac_write_options *options,
				    clpac_error *err);
/** Reads such a file; the result has no report.  Claimed sizes are checked against the file before anything is
 *  allocated.  A set that a killed run of this user left half in place is completed first, where the folder can be
 *  written.
 *  Errors: CLPAC_ERROR_IO (native_code is errno), CLPAC_ERROR_FORMAT, which names the array, or the JSON of another
 *  result that lies beside NAME.npz as NAME.json.  Files of versions without identities are read. */
clpac_status clpac_result_read_npz(const char *path, clpac_result **out, clpac_error *err);
/** Writes parameters, report, filter taps, warnings and input as JSON. */
clpac_status clpac_result_write_json(const clpac_result *result, const char *path, const clpac_write_options *options,
				     clpac_error *err);
/** Writes a line per cell: channel, segment, phase_lo_hz, phase_hi_hz, amplitude_lo_hz, amplitude_hi_hz, mi, z, p. */
clpac_status clpac_result_write_csv(const clpac_result *result, const char *path, const clpac_write_options *options,
				    clpac_error *err);

/** Colours of maps, all of them even in lightness: viridis (Smith, van der Walt and Firing 2015), grey, and each from
 *  bright to dark. */
typedef enum clpac_colours {
	CLPAC_VIRIDIS = 0,
	CLPAC_VIRIDIS_REVERSED,
	CLPAC_GREY,
	CLPAC_GREY_REVERSED,
	CLPAC_COLOURS_COUNT
} clpac_colours;

/** Options of plots. */
typedef struct clpac_plot_options {
	size_t size;		 /**< sizeof(clpac_plot_options), or 0: the members of clpac 0.1. */
	size_t channel, segment; /**< With channel SIZE_MAX, channel and segment of the peak. */
	const char *title;	 /**< NULL: channel and peak. */
	double significance;	 /**< Cells with p_max up to this are outlined; 0 stands for 0.05.  In a
				      result without p_max it is p, which the legend says. */
	bool overwrite;
	clpac_output_set *set; /**< As in clpac_write_options. */
	clpac_colours colours;
	/** Ends of the colours of z (without surrogates, of the index); both 0: from 0, or the lowest value below it,
	 * to the highest, with the lowest z of a significant cell in the middle, or a lower one where the others
	 * lie below, so that significant cells have upper colours; where there is none, colours tell how near it is. */
	double lowest, highest;
	/** With has_cell the third panel is the polar histogram of this cell, in place of the peak's histogram. Another
	 * cell than the peak needs kept distributions. */
	bool has_cell;
	size_t cell_phase, cell_amplitude;
	bool grid; /**< A small map of each channel, in the segment of `segment`, on one page, in place of one series.
		    */
	/** The segments of the channel over time, in place of one of them: the amplitude bands at the phase band of the
	 * channel's peak, and the phase bands at its amplitude band.  A time without a segment is drawn as undefined.
	 * Not with grid and has_cell. */
	bool over_time;
	/** An arrow in each cell of the index, or of each small map: its direction is the preferred phase, 0 to the
	 * right and 90 degrees upwards, its length the mean vector, beside the longest of the map.  Cells that are
	 * narrower than 5 points share one.  A result without preferred phases is CLPAC_ERROR_ARGUMENT.  Not with
	 * over_time. */
	bool arrows;
} clpac_plot_options;

/** Draws the comodulogram, the map of z with significant cells outlined, those that are not valid hatched, and those
 *  that harmonics reach dotted (where the result has surrogates) and the
 *  phase-amplitude histogram of the peak, as .png, .svg or .pdf by the ending of the path.
 *  @param options NULL: the channel with the peak, nothing overwritten.
 *  Errors: CLPAC_ERROR_ARGUMENT (ending, channel, segment, significance, bands, cell, colours), CLPAC_ERROR_IO,
 *  CLPAC_ERROR_UNSUPPORTED in a build without cairo. */
clpac_status clpac_result_plot(const clpac_result *result, const char *path, const clpac_plot_options *options,
			       clpac_error *err);

/** A snapshot of a pool (clpac_pool_snapshot, clpac_pool_options.snapshot), read from its file.  Opaque. */
typedef struct clpac_snapshot clpac_snapshot;

/** Reads a snapshot from a file that need not be trusted.
 *  @param[out] out to be destroyed with clpac_snapshot_destroy.
 *  Errors: CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT with the place and the fault (no JSON, another format, a newer version,
 *  more than 64 MiB, pieces that overlap or reach beyond their segment), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_snapshot_read(const char *path, clpac_snapshot **out, clpac_error *err);
/** What it says, in lines: the refusal, the sums, the segments, who holds how much, the last events.
 *  @param[out] text to be freed with clpac_text_free.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_snapshot_text(const clpac_snapshot *snapshot, char **text, clpac_error *err);
/** Draws it, as .png, .svg or .pdf by the ending of the path: the budget beside the request, each segment with its
 * pieces coloured by their owners' tags, who holds how much, and the last events.
 *  @param options title, overwrite and set are used; NULL: nothing overwritten.
 *  Errors: CLPAC_ERROR_ARGUMENT (ending), CLPAC_ERROR_IO, CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_UNSUPPORTED in a build
 *  without cairo. */
clpac_status clpac_snapshot_plot(const clpac_snapshot *snapshot, const char *path, const clpac_plot_options *options,
				 clpac_error *err);
/** Frees a snapshot.  NULL is fine. */
void clpac_snapshot_destroy(clpac_snapshot *snapshot);

/** Whether this build draws; it does where it was configured with cairo.  Async-signal-safe. */
bool clpac_plots_are_available(void);

/** The libraries behind this one and their versions, a line each.
 *  @param[out] text to be freed with clpac_text_free.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_io_parts(char **text, clpac_error *err);

/** For a program that was told to end (Ctrl-C): removes the temporary files of every write that is under way, in any
 *  thread, and makes later writes of this process fail with CLPAC_ERROR_CANCELLED.  Call it from the signal handler and
 *  end the process, say with _exit; there is no way back.  Several calls at once do no harm: when any of them returns,
 *  no temporary file is left.  A file that another thread is just creating or removing is waited for, at most a second,
 *  and a set that is being put in place, at most 10 s: it is then there as a whole.  Files that have their names stay.
 * Async-signal-safe; keeps errno; any thread; costs one system call for each file under way. */
void clpac_output_abandon(void);

/** Writes all known facts of a machine's platforms and devices as JSON, to be examined elsewhere.  doc/machines.md
 * lists the members.
 *  @param options only overwrite is used; NULL: an existing file is CLPAC_ERROR_IO with EEXIST.
 *  Errors: CLPAC_ERROR_IO (native_code is errno), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_devices_write(const clpac_device_list *list, const char *path, const clpac_write_options *options,
				 clpac_error *err);
/** The same as text.  @param[out] text to be freed with clpac_text_free.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_devices_json(const clpac_device_list *list, char **text, clpac_error *err);
/** Reads such a file: the list of devices of the machine that wrote it, in the same order and with the same marks, so
 *  that a selection can be tried on it.  Do not open its devices: their numbers stand for other devices here.
 *  @param[out] out to be destroyed with clpac_devices_destroy.
 *  Errors: CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT with the place and the fault (another format, a newer version of this
 *  one, an implausibly large list or file, a device twice), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_devices_read(const char *path, clpac_device_list **out, clpac_error *err);

/** Checksum of a recording: the SHA-256 of its file, or, where it has several (BrainVision: .vhdr, .eeg and, if there
 *  is one, .vmrk), the SHA-256 of their checksums, each a line of 64 digits, in this order.  So sha256sum can check it:
 *  sha256sum A.vhdr A.eeg A.vmrk | cut -c1-64 | sha256sum.
 *  @param options nullable; those that the recording is read with.  @param[out] text 65 bytes.
 *  Errors: CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT (the header of a BrainVision recording), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_recording_checksum(const char *path, const clpac_read_options *options, char text[65],
				      clpac_error *err);

/** The table of channels that belongs to a recording (BIDS): A_channels.tsv beside A_ieeg.vhdr, A_eeg.edf, A_meg.npy.
 *  @param[out] out its path, to be freed with clpac_text_free; NULL where there is none.
 *  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_recording_sidecar(const char *path, char **out, clpac_error *err);

/** The table of events that belongs to a recording (BIDS): A_events.tsv beside A_ieeg.vhdr, A_eeg.edf, A_meg.npy.
 *  @param[out] out its path, to be freed with clpac_text_free; NULL where there is none.
 *  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_recording_events(const char *path, char **out, clpac_error *err);

/** SHA-256 of a file as 64 hexadecimal digits.  @param[out] text 65 bytes. */
clpac_status clpac_file_checksum(const char *path, char text[65], clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
