/** @file read.h
 *  Reads recordings, and what belongs to their files.  In the library libclpac-io, beside libclpac.
 *
 *  Every function may be called from any thread on different objects.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_READ_H
#define CLPAC_READ_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/recording.h>
#include <clpac/status.h>

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
	/** Name of the array in an .npz or .mat file.  NULL: the only one, or "data". */
	const char *array;
	/** Leaves the samples in the file, of which clpac_recording_load reads those of the channels it is given.  The
	 * file stays open.  Of CSV, .npz and compressed variables of
	 * MATLAB, whose channels cannot be read alone, all samples are read at once in any
	 * case. */
	bool on_demand;
	/** Every channel of another rate is resampled to this one; 0: none is.  See clpac_resampling_is_available. */
	double resample_hz;
	/** Whose events the recording has: "file", its own; "table", those of the table beside it; or the path of a
	 *  table.  NULL: those of the table beside it, which supersede the file's own, or where there is none these. */
	const char *events_from;
	/** The column of the table that names events.  NULL: trial_type, or where an event has none value.  Where no
	 *  table is read, the channel whose values are events. */
	const char *event_column;
	/** A file whose annotations are added: EDF+, BDF+, BrainVision, or a table of events.  NULL: the one that
	 *  belongs to the recording (clpac_recording_annotations), if there is one; "none": no file. */
	const char *annotations;
	/** The root of the BIDS dataset that the recording lies in, with which its path begins.  Tables are then those
	 * of the inheritance principle: of the recording's folder and those above it the nearest whose name has no
	 * entity that the recording's has not (task-rest_events.tsv), and a channel that any table of channels among
	 * them calls bad is bad.  A SamplingFrequency of the sidecars that is not the file's is a warning, and their
	 * PowerLineFrequency is clpac_recording_mains_hz.  NULL:
	 * tables are those beside the recording. */
	const char *bids_root;
} clpac_read_options;

/** Reads a recording: .npy (1-D, or 2-D channel x sample), .npz, CSV, EDF, EDF+, BDF, BDF+, BrainVision (.vhdr, or the
 *  .eeg or .vmrk beside it), EEGLAB (.set, with the .fdt beside it), .mat of versions 5 and 7.3, NWB, raw.  Values are
 * float32 or float64 as in the file, in physical units; channels without a name are called "0", "1", ...; a CSV column
 * of times gives the rate (man clpac, FILES). What a channel recorded comes from the table of channels beside the file
 * (BIDS, clpac_recording_sidecar), else from its name ("EEG Fp1", "HEOG", "Status"), else from its unit.  The events of
 * the table beside the file (BIDS, clpac_recording_events) are annotations in the place of its own, with a warning
 * where it has some; they are named by their trial_type, else by their value.  Channels of triggers are events where
 * EDF, BDF and CSV have no others: each change to another value than 0.  A third dimension of an .npy array, the first,
 * is epochs; those of .npz files are named by `sfreq` and `ch_names` in it.  A file is refused only for faults that
 * make samples unreadable.  Other faults become warnings of the recording; a channel without meaningful values is
 * disabled; gaps divide the recording into stretches.
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

/** Checksum of a recording: the SHA-256 of its file, or, where it has several (BrainVision: .vhdr, .eeg and, if there
 *  is one, .vmrk; EEGLAB: .set and .fdt), the SHA-256 of their checksums, each a line of 64 digits, in this order.  So
 *  sha256sum can check it: sha256sum A.vhdr A.eeg A.vmrk | cut -c1-64 | sha256sum.
 *  @param options nullable; those that the recording is read with.  @param[out] text 65 bytes.
 *  Errors: CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT (the header of a BrainVision recording), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_recording_checksum(const char *path, const clpac_read_options *options, char text[65],
				      clpac_error *err);

/** What tells that a recording is as it was, without reading it: a sum of size, number (inode) and times of
 *  modification and change of each of its files.  The system renews the time of change with every write and cannot be
 *  told another, so that the same state means the same content on the same file system; another state may have the same
 *  content.
 *  @param options nullable; those that the recording is read with.
 *  @param[out] text 65 bytes; "" where a file has changed within two seconds, since its next change may have the same
 *         time.
 *  Errors: as for clpac_recording_checksum. */
clpac_status clpac_recording_state(const char *path, const clpac_read_options *options, char text[65],
				   clpac_error *err);

/** The table of channels that belongs to a recording: NAME_channels.tsv beside NAME.edf, of any name; else that of
 *  BIDS, A_channels.tsv beside A_ieeg.vhdr, A_eeg.edf, A_meg.npy, where the word behind the last _ is a suffix.
 *  @param[out] out its path, to be freed with clpac_text_free; NULL where there is none.
 *  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_recording_sidecar(const char *path, char **out, clpac_error *err);

/** The table of events that belongs to a recording, as clpac_recording_sidecar: NAME_events.tsv, or A_events.tsv.
 *  @param[out] out its path, to be freed with clpac_text_free; NULL where there is none.
 *  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_recording_events(const char *path, char **out, clpac_error *err);

/** The annotation file that belongs to a recording: of Sleep-EDF, SC4001EC-Hypnogram.edf beside SC4001E0-PSG.edf.
 *  @param[out] out its path, to be freed with clpac_text_free; NULL where there is none.
 *  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_recording_annotations(const char *path, char **out, clpac_error *err);

/** Reads where electrodes are from a table of BIDS (A_electrodes.tsv: name, x, y, z), as directions from the middle of
 *  the sphere that is nearest to all of its positions (least squares).  Axes are x to the right and y to the nose, or,
 *  where A_coordsystem.json beside it names CTF, EEGLAB, EEGLAB-HJ, KitYokogawa or 4DBti as the EEGCoordinateSystem,
 *  x to the nose and y to the left.
 *  @param names n of them, of channels.  @param[out] positions n: of length 1, NaN for a name that the table does not
 *         have, or without a position.
 *  Errors: CLPAC_ERROR_IO; CLPAC_ERROR_FORMAT where it is no such table, or no sphere is near its positions: those of
 *  fewer than four electrodes, or in a plane; CLPAC_ERROR_NO_MEMORY.  Cost: one pass over the table, n looks at each
 *  row.  Any thread; nothing is kept. */
clpac_status clpac_electrodes_read(const char *path, const char *const *names, size_t n, clpac_position *positions,
				   clpac_error *err);

/** SHA-256 of a file as 64 hexadecimal digits.  @param[out] text 65 bytes. */
clpac_status clpac_file_checksum(const char *path, char text[65], clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
