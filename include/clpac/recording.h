/** @file recording.h
 *  A recording: channels of samples with their names, units and rates, the stretches of time that they cover, and
 *  annotations.
 *
 *  Readers fill it (clpac/io.h), or an application does.  One thread at a time may fill a recording; any number of
 *  threads may then read it.
 *
 *  NULL where a pointer is required: clpac/status.h has the rule.
 */
#ifndef CLPAC_RECORDING_H
#define CLPAC_RECORDING_H

#include <stddef.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How samples are stored. */
typedef enum clpac_sample_type { CLPAC_FLOAT32 = 0, CLPAC_FLOAT64 } clpac_sample_type;

/** A channel.  Texts and samples belong to the recording. */
typedef struct clpac_channel {
	const char *name;     /**< As in the file, UTF-8; never NULL. */
	const char *unit;     /**< As in the file ("uV"); "" where unknown. */
	const char *unusable; /**< Why the samples are meaningless; NULL for a usable channel. */
	double rate_hz;	      /**< Sampling rate; 0 where the file does not give one. */
	size_t n_samples;
	clpac_sample_type type;
	const void *samples; /**< n_samples values of type, in physical units. */
} clpac_channel;

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
/** Marks a channel as unusable, with the reason. */
clpac_status clpac_recording_disable_channel(clpac_recording *recording, size_t channel, const char *why,
					     clpac_error *err);
/** Sets the rate of every channel, for formats that hold none. */
clpac_status clpac_recording_set_rate(clpac_recording *recording, double rate_hz, clpac_error *err);
clpac_status clpac_recording_add_stretch(clpac_recording *recording, const clpac_stretch *stretch, clpac_error *err);
clpac_status clpac_recording_add_annotation(clpac_recording *recording, double onset_seconds, double seconds,
					    const char *text, clpac_error *err);
/** Adds a warning.  The same text again only raises its count. */
clpac_status clpac_recording_warn(clpac_recording *recording, clpac_error *err, const char *format, ...);

const char *clpac_recording_format(const clpac_recording *recording);
size_t clpac_recording_n_channels(const clpac_recording *recording);
/** The i-th channel, or NULL past the end.  The struct returned here and by the functions below is valid until the next
 *  of its kind is added; samples, names and texts live as long as the recording. */
const clpac_channel *clpac_recording_channel(const clpac_recording *recording, size_t i);
/** Duration of the longest channel in seconds, without gaps; 0 where the rate is unknown. */
double clpac_recording_seconds(const clpac_recording *recording);
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
