/** @file recording.h
 *  A recording: channels of samples with their names, units and rates, the stretches of time they cover, and
 * annotations.
 *
 *  Readers fill it (clpac/io.h); an application may fill one itself.  A recording is used by one thread while it is
 * filled, by any number of threads once it is only read.
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

/** A channel as seen from outside; the strings and samples belong to the recording. */
typedef struct clpac_channel {
	const char *name;     /**< Never NULL; as in the file, UTF-8. */
	const char *unit;     /**< As in the file ("uV"), "" unknown. */
	const char *unusable; /**< NULL, or why the channel's samples mean nothing. */
	double rate_hz;	      /**< Sampling rate; 0 where the file does not tell. */
	size_t n_samples;
	clpac_sample_type type;
	const void *samples; /**< n_samples values of type, in physical units. */
} clpac_channel;

/** A stretch of uninterrupted recording.  A file without gaps is one stretch.  Sample i of a channel lies in the
 * stretch when first_seconds <= i / rate_hz < first_seconds + seconds. */
typedef struct clpac_stretch {
	double onset_seconds; /**< On the recording's clock, gaps counted. */
	double first_seconds; /**< Where its samples start among those stored, gaps not counted. */
	double seconds;	      /**< How long it lasts. */
} clpac_stretch;

typedef struct clpac_annotation {
	double onset_seconds; /**< On the recording's clock. */
	double seconds;	      /**< Duration; 0 for an instant or unknown. */
	const char *text;     /**< UTF-8, never NULL. */
} clpac_annotation;

/** Opaque; owns everything in it. */
typedef struct clpac_recording clpac_recording;

/** An empty recording.  @param format what it was read from, as "EDF+", kept as a copy; NULL is "". */
clpac_status clpac_recording_create(const char *format, clpac_recording **out, clpac_error *err);
/** NULL is fine. */
void clpac_recording_destroy(clpac_recording *recording);

/** Appends a channel with room for n_samples and hands out that room, to be filled by the caller.
 *  @param name NULL is "".  @param unit NULL is "".
 *  @param[out] samples n_samples zeros of the given type, owned by the recording.  NULL: not wanted. */
clpac_status clpac_recording_add_channel(clpac_recording *recording, const char *name, const char *unit, double rate_hz,
					 size_t n_samples, clpac_sample_type type, void **samples, clpac_error *err);
/** Says that a channel's samples mean nothing, and why. */
clpac_status clpac_recording_disable_channel(clpac_recording *recording, size_t channel, const char *why,
					     clpac_error *err);
/** Sets the rate of every channel (for formats that hold none). */
clpac_status clpac_recording_set_rate(clpac_recording *recording, double rate_hz, clpac_error *err);
clpac_status clpac_recording_add_stretch(clpac_recording *recording, const clpac_stretch *stretch, clpac_error *err);
clpac_status clpac_recording_add_annotation(clpac_recording *recording, double onset_seconds, double seconds,
					    const char *text, clpac_error *err);
/** Adds a warning, once per text: the same text again only counts. */
clpac_status clpac_recording_warn(clpac_recording *recording, clpac_error *err, const char *format, ...);

const char *clpac_recording_format(const clpac_recording *recording);
size_t clpac_recording_n_channels(const clpac_recording *recording);
/** The i-th channel, or NULL past the end.  What this and the functions below point to is valid until the next of its
 * kind is added; samples, names and texts as long as the recording. */
const clpac_channel *clpac_recording_channel(const clpac_recording *recording, size_t i);
/** Longest channel in seconds, gaps not counted; 0 where the rate is unknown. */
double clpac_recording_seconds(const clpac_recording *recording);
/** Stretches; a recording to which none was added has none, which means: one, all of it. */
size_t clpac_recording_n_stretches(const clpac_recording *recording);
const clpac_stretch *clpac_recording_stretch(const clpac_recording *recording, size_t i);
size_t clpac_recording_n_annotations(const clpac_recording *recording);
const clpac_annotation *clpac_recording_annotation(const clpac_recording *recording, size_t i);
size_t clpac_recording_n_warnings(const clpac_recording *recording);
/** The i-th warning's text and how often it came; NULL past the end. */
const char *clpac_recording_warning(const clpac_recording *recording, size_t i, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
