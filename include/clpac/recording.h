/** @file recording.h
 *  A recording: channels of samples with their names, units and rates, the stretches of time that they cover, and
 *  annotations.
 *
 *  Readers fill it (clpac/read.h), or an application does.  One thread at a time may fill a recording; any number of
 *  threads may then read it.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_RECORDING_H
#define CLPAC_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How samples are stored. */
typedef enum clpac_sample_type { CLPAC_FLOAT32 = 0, CLPAC_FLOAT64 } clpac_sample_type;

/** What a channel recorded, as far as the file says. */
typedef enum clpac_channel_kind {
	CLPAC_KIND_UNKNOWN = 0, /**< The file does not say, as .npy: taken for a signal of the brain. */
	CLPAC_KIND_EEG,
	CLPAC_KIND_SEEG,
	CLPAC_KIND_ECOG,
	CLPAC_KIND_MEG,
	CLPAC_KIND_LFP, /**< Local field potential, also of electrodes for deep brain stimulation (BIDS: DBS). */
	CLPAC_KIND_EOG,
	CLPAC_KIND_ECG,
	CLPAC_KIND_EMG,
	CLPAC_KIND_TRIGGER, /**< Triggers, status bits, clocks. */
	CLPAC_KIND_MISC,    /**< Anything else: breath, light, movement, temperature, a reference. */
	CLPAC_KIND_COUNT
} clpac_channel_kind;

/** "eeg", "seeg", "ecog", "meg", "lfp", "eog", "ecg", "emg", "trigger", "misc", and "" for an unknown kind.  Never
 *  NULL. */
const char *clpac_channel_kind_name(clpac_channel_kind kind);
/** Whether it is a signal of the brain, or may be one: unknown, EEG, SEEG, ECOG, MEG, LFP. */
bool clpac_channel_kind_is_brain(clpac_channel_kind kind);

/** A channel.  Texts and samples belong to the recording. */
typedef struct clpac_channel {
	const char *name;     /**< As in the file, UTF-8; never NULL. */
	const char *unit;     /**< As in the file ("uV"); "" where unknown. */
	const char *unusable; /**< Why the samples are meaningless; NULL for a usable channel. */
	double rate_hz;	      /**< Sampling rate; 0 where the file does not give one. */
	size_t n_samples;
	clpac_sample_type type;
	const void *samples; /**< n_samples values of type, in physical units; NULL where they are still in the file. */
	clpac_channel_kind kind;
	const char *bad; /**< Why the recording's makers call the channel bad; NULL for a good one.  It has samples. */
	size_t stride;	 /**< Values from one sample to the next: 1, but for samples of the application. */
} clpac_channel;

/** Where an electrode is: a direction from the middle of the head, of any length above 0, with x to the right ear, y to
 *  the nose and z to the vertex. */
typedef struct clpac_position {
	double x, y, z;
} clpac_position;

/** An uninterrupted stretch of a recording; a file without gaps is one stretch.  Sample i of a channel lies in the
 *  stretch when first_seconds <= i / rate_hz < first_seconds + seconds. */
typedef struct clpac_stretch {
	double onset_seconds; /**< On the recording's clock, including gaps. */
	double first_seconds; /**< Start of its samples among the stored ones, without gaps. */
	double seconds;	      /**< Duration. */
} clpac_stretch;

typedef struct clpac_annotation {
	double onset_seconds; /**< On the recording's clock. */
	double seconds;	      /**< Duration; 0 for an instant or unknown. */
	const char *text;     /**< UTF-8, never NULL. */
} clpac_annotation;

/** A table or an annotation file that was read with a recording.  Texts belong to the recording. */
typedef struct clpac_table {
	const char *use;  /**< "channels", "events" in place of the file's own, or "annotations" beside them. */
	const char *path; /**< As it was opened. */
} clpac_table;

/** A recording, which owns everything in it. */
typedef struct clpac_recording clpac_recording;

/** An empty recording.  @param format of the file that it comes from, as "EDF+"; copied. */
clpac_status clpac_recording_create(const char *format, clpac_recording **out, clpac_error *err);
/** NULL is fine. */
void clpac_recording_destroy(clpac_recording *recording);

/** Appends a channel with room for n_samples, to be filled by the caller.
 *  @param[out] samples nullable: the room, n_samples zeros of the given type, owned by the recording. */
clpac_status clpac_recording_add_channel(clpac_recording *recording, const char *name, const char *unit, double rate_hz,
					 size_t n_samples, clpac_sample_type type, void **samples, clpac_error *err);
/** The type of samples of an application. */
typedef enum clpac_value_type {
	CLPAC_VALUE_INT16 = 0,
	CLPAC_VALUE_INT32,
	CLPAC_VALUE_FLOAT32,
	CLPAC_VALUE_FLOAT64,
	CLPAC_VALUE_TYPE_COUNT
} clpac_value_type;

/** Samples of an application, where they lie. */
typedef struct clpac_borrowed {
	size_t size;	       /**< sizeof(clpac_borrowed), or 0: the members of clpac 0.1. */
	const void *first;     /**< The first sample; any alignment. */
	size_t n;	       /**< Samples. */
	clpac_value_type type; /**< Of each, in the byte order of the machine. */
	ptrdiff_t step;	       /**< Bytes from one sample to the next, also below 0; 0: they lie side by side. */
	double scale, offset;  /**< A value in units is scale * sample + offset; a scale of 0 is 1. */
} clpac_borrowed;

/** Appends a channel whose samples stay the application's, and must stay as they are as long as the recording lives.
 *
 *  float32 and float64 in physical units, a whole number of values apart, are read where they lie, by plans too. Others
 *  are converted when they are loaded (clpac_recording_load), and freed when they are unloaded: int16 and float32 to
 *  float32, int32 and float64 to float64, scaled in double precision.
 *  @param unit of a value in units; nullable.
 *  Errors: CLPAC_ERROR_ARGUMENT for a recording that was read from a file, and what clpac_recording_add_channel
 * refuses; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_recording_borrow_channel(clpac_recording *recording, const char *name, const char *unit,
					    double rate_hz, const clpac_borrowed *samples, clpac_error *err);
/** Marks a channel as unusable, with the reason. */
clpac_status clpac_recording_disable_channel(clpac_recording *recording, size_t channel, const char *why,
					     clpac_error *err);
/** Sets what a channel recorded, and whether it is bad.
 *  @param bad the reason, copied; NULL: the channel is good.
 *  Errors: CLPAC_ERROR_ARGUMENT for a channel or a kind that does not exist; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_recording_set_kind(clpac_recording *recording, size_t channel, clpac_channel_kind kind,
				      const char *bad, clpac_error *err);
/** Sets the rate of every channel, for formats that hold none. */
clpac_status clpac_recording_set_rate(clpac_recording *recording, double rate_hz, clpac_error *err);
clpac_status clpac_recording_add_stretch(clpac_recording *recording, const clpac_stretch *stretch, clpac_error *err);
clpac_status clpac_recording_add_annotation(clpac_recording *recording, double onset_seconds, double seconds,
					    const char *text, clpac_error *err);
/** Adds a warning.  The same text again only raises its count. */
clpac_status clpac_recording_warn(clpac_recording *recording, clpac_error *err, const char *format, ...);

/** Reads the samples of channels from the recording's file, where they are still in it
 *  (clpac_read_options.on_demand), or converts borrowed ones: those of all at once, in one pass.  Channels that have
 * their samples keep them. In EDF, BDF, .npy and channel-wise BrainVision files only their bytes are read; where the
 * channels of a sample lie side by side (multiplexed BrainVision, raw, .npy in Fortran order) all bytes are.
 *  @param channels n of them, in any order.
 *  Errors: CLPAC_ERROR_ARGUMENT for a channel that does not exist; CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT for a file that
 *  cannot be read any more, or is shorter than when it was opened; CLPAC_ERROR_NO_MEMORY.  No channel has got samples
 *  then.
 *  One thread at a time may load or unload; others may use channels meanwhile that have their samples and keep them. */
clpac_status clpac_recording_load(clpac_recording *recording, const size_t *channels, size_t n, clpac_error *err);
/** The bytes that clpac_recording_load would read of the recording's file for these channels: 0 where they have their
 *  samples, and where the file was read at once.
 *  @param channels n of them, in any order.
 *  Errors: CLPAC_ERROR_ARGUMENT for a channel that does not exist; CLPAC_ERROR_NO_MEMORY.
 *  Cost: by n and its logarithm; nothing is read.  Threads: as for reading a recording that nobody fills or loads. */
clpac_status clpac_recording_load_bytes(const clpac_recording *recording, const size_t *channels, size_t n,
					uint64_t *bytes, clpac_error *err);
/** Reads some samples of channels whose samples are in the recording's file into memory of the caller: what a piece of
 * a long recording takes, and no more.  Of EDF and BDF the records that hold it are read.  The channels get no samples
 * by it.
 *  @param channels n of them, in any order, each once.  @param first the first sample, counted from 0.
 *  @param rooms one for each channel, of n_samples values of its type, side by side.
 *  Errors: CLPAC_ERROR_UNSUPPORTED for a channel that has its samples, or whose samples are made of those of the file
 *  (clpac_read_options.resample_hz): load it; CLPAC_ERROR_ARGUMENT for a channel that does not exist, is named twice
 *  or is shorter; those of clpac_recording_load.  What is in the rooms then is not defined.  One thread at a time, as
 *  clpac_recording_load. */
clpac_status clpac_recording_read_part(clpac_recording *recording, const size_t *channels, size_t n, size_t first,
				       size_t n_samples, void *const *rooms, clpac_error *err);
/** The bytes of the recording's file that clpac_recording_read_part would read.
 *  Errors: as clpac_recording_read_part refuses; CLPAC_ERROR_NO_MEMORY.  Nothing is read. */
clpac_status clpac_recording_part_bytes(const clpac_recording *recording, const size_t *channels, size_t n,
					size_t first, size_t n_samples, uint64_t *bytes, clpac_error *err);
/** Frees the samples of channels that can be loaded again; others, and channels that do not exist, are passed over. */
void clpac_recording_unload(clpac_recording *recording, const size_t *channels, size_t n);
/** Whether no sample of a channel in the file can be NaN or infinite, since the file holds integers.  False where the
 *  samples tell. */
bool clpac_recording_is_finite(const clpac_recording *recording, size_t channel);
/** Told of a run of samples that are NaN or infinite: n of a channel from number `first` on.  Another status than
 * CLPAC_OK ends the search, which returns it. */
typedef clpac_status clpac_gap_found(void *user, size_t channel, size_t first, size_t n, clpac_error *err);
/** Finds such runs in channels whose samples are in the recording's file, or were loaded from it: reads in one pass
 * those that clpac_recording_is_finite cannot tell, and keeps none, so that it takes the memory of a mebibyte and not
 * of the channels.  `found` hears of the runs of each channel in the order of time, and of channels in any.
 *  @param channels n of them, in any order; one that is named twice is told once or twice.
 *  @param user handed to `found`.
 *  Errors: CLPAC_ERROR_UNSUPPORTED where samples are made anew from those of the file (resampled), or the file cannot
 * be searched: load the channels and look; CLPAC_ERROR_ARGUMENT for a channel that does not exist; those of
 *  clpac_recording_load; those of `found`.  One thread at a time, as clpac_recording_load. */
clpac_status clpac_recording_find_gaps(clpac_recording *recording, const size_t *channels, size_t n,
				       clpac_gap_found *found, void *user, clpac_error *err);
/** The bytes of the recording's files that were read so far, for header, annotations and samples; of .npz those of the
 *  archive. */
uint64_t clpac_recording_bytes_read(const clpac_recording *recording);

const char *clpac_recording_format(const clpac_recording *recording);
size_t clpac_recording_n_channels(const clpac_recording *recording);
/** The i-th channel, or NULL past the end.  The struct returned here and by the functions below is valid until the next
 *  of its kind is added; samples, names and texts live as long as the recording. */
const clpac_channel *clpac_recording_channel(const clpac_recording *recording, size_t i);
/** Duration of the longest channel in seconds, without gaps; 0 where the rate is unknown. */
double clpac_recording_seconds(const clpac_recording *recording);
/** The recording's clock at its first sample.  Onsets of stretches and annotations, and `start` and `stop` of an
 *  analysis, are on that clock, which counts from the file's date and time, gaps included; those of tables of events
 *  (BIDS) count from the first sample.  Above 0 where an EDF+ begins at a fraction of a second; 0 of most files. */
double clpac_recording_first_seconds(const clpac_recording *recording);
/** Frequency of the mains where it was recorded, in Hz, as a sidecar of BIDS tells (PowerLineFrequency); 0: unknown. */
double clpac_recording_mains_hz(const clpac_recording *recording);
/** The tables that were read with the recording, in the order in which they were. */
size_t clpac_recording_n_tables(const clpac_recording *recording);
/** The i-th table, or NULL past the end. */
const clpac_table *clpac_recording_table(const clpac_recording *recording, size_t i);
/** The number of stretches added.  0 means that the whole recording is one stretch. */
size_t clpac_recording_n_stretches(const clpac_recording *recording);
const clpac_stretch *clpac_recording_stretch(const clpac_recording *recording, size_t i);
size_t clpac_recording_n_annotations(const clpac_recording *recording);
const clpac_annotation *clpac_recording_annotation(const clpac_recording *recording, size_t i);
size_t clpac_recording_n_warnings(const clpac_recording *recording);
/** Text and count of the i-th warning; NULL past the end. */
const char *clpac_recording_warning(const clpac_recording *recording, size_t i, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
