/* Recordings, beyond their public interface. */
#ifndef CLPAC_RECORDING_RECORDING_H
#define CLPAC_RECORDING_RECORDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/recording.h>

/* The members of a recording, and the file that samples of channels are loaded from on demand. */

typedef struct clpac__warning {
	char *text;
	size_t count;
} clpac__warning;

/* The place of every warning by the hash of its text, in a table that is at most half full: 0 where there is none,
 * otherwise its number from 1. */
typedef struct clpac__text_index {
	size_t *places;
	size_t n_places; /* a power of two */
} clpac__text_index;

/* Samples of a channel, counted from its first. */
typedef struct clpac__sample_part {
	size_t first, n;
} clpac__sample_part;

/* A file that holds the samples of all channels, or memory of the application.  Readers begin their own struct with it.
 */
typedef struct clpac__sample_file clpac__sample_file;
struct clpac__sample_file {
	/* Reads channels, or some samples of them.
	 * @param channels n of them, ascending.  @param part which every channel has; NULL: whole channels.
	 * @param rooms one for each channel, of what is read of it, in its type in the file.
	 * @param[in,out] n_bytes grows by the bytes that were read from the file. */
	clpac_status (*read)(clpac__sample_file *file, const size_t *channels, size_t n, const clpac__sample_part *part,
			     void *const *rooms, uint64_t *n_bytes, clpac_error *err);
	/* Looks through whole channels for NaN and infinite numbers, as clpac_recording_find_gaps; NULL: it cannot.
	 * @param channels n of them, ascending. */
	clpac_status (*find_gaps)(clpac__sample_file *file, const size_t *channels, size_t n, clpac_gap_found *found,
				  void *user, uint64_t *n_bytes, clpac_error *err);
	/* Adds to *n_bytes what reading these channels, or this part of them, together would read of the file.
	 * @param channels n of them, ascending.  @param part as of `read`. */
	clpac_status (*count_bytes)(const clpac__sample_file *file, const size_t *channels, size_t n,
				    const clpac__sample_part *part, uint64_t *n_bytes, clpac_error *err);
	/* Whether no sample of a channel can be NaN or infinite, whatever the file holds. */
	bool (*is_finite)(const clpac__sample_file *file, size_t channel);
	void (*destroy)(clpac__sample_file *file);
};

/* Where a channel's samples are from. */
typedef enum clpac__origin {
	CLPAC__ORIGIN_OWNED = 0, /* of the recording, which cannot make them again */
	CLPAC__ORIGIN_STORED,	 /* of the recording's file, while it is open */
	CLPAC__ORIGIN_LENT	 /* of the application, where they lie */
} clpac__origin;

/* How the file holds a channel that is resampled. */
typedef struct clpac__stored_channel {
	double rate_hz;
	size_t n_samples;
} clpac__stored_channel;

struct clpac_recording {
	char *format;
	bool has_start;
	double mains_hz;     /* 0: unknown */
	double start_s;	     /* where it has one: the date and time from which its clock counts, in seconds */
	clpac_table *tables; /* that were read with it */
	size_t n_tables;
	clpac_channel *channels;
	unsigned char *origins; /* of each channel: clpac__origin */
	size_t n_channels;
	clpac_stretch *stretches;
	size_t n_stretches;
	clpac_annotation *annotations;
	size_t n_annotations;
	clpac__warning *warnings;
	size_t n_warnings;
	clpac__text_index index;
	clpac__sample_file *file;      /* NULL: every channel has its samples */
	clpac__stored_channel *stored; /* of each channel; NULL: no channel is resampled */
	_Atomic uint64_t n_bytes_read;
};

/* Adds a warning that was given `count` times, or raises the count of the same text by it. */
clpac_status clpac__recording_warn_times(clpac_recording *recording, const char *text, size_t count, clpac_error *err);

/* Notes a table that was read with a recording. */
clpac_status clpac__recording_add_table(clpac_recording *recording, const char *use, const char *path,
					clpac_error *err);
/* Takes out the first n annotations. */
void clpac__recording_drop_annotations(clpac_recording *recording, size_t n);
/* The recording's clock at a time among the stored samples, which counts no gaps. */
double clpac__recording_time_of(const clpac_recording *recording, double stored_seconds);

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

/* A recording without its samples as one line of JSON, and back. */

/* To be freed with clpac__free. */
clpac_status clpac__recording_to_text(const clpac_recording *recording, char **out, clpac_error *err);

/* A recording whose samples are zeros.  CLPAC_ERROR_FORMAT for a text not written by clpac__recording_to_text; name
 * stands in the error message. */
clpac_status clpac__recording_from_text(const char *name, const char *text, clpac_recording **out, clpac_error *err);

#endif
