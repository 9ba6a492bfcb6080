/* The samples of a job's channels, in groups of channels that follow each other: all in one where they fit, else group
 * after group, the next of which is read while the present one is computed. */
#ifndef CLPAC_ANALYSIS_SAMPLES_SAMPLES_H
#define CLPAC_ANALYSIS_SAMPLES_SAMPLES_H

#include <pthread.h>
#include <clpac/memory/cancel.h>
#include <clpac/recording.h>
#include "analysis/channels/channels.h"
#include "analysis/samples/flats.h"
#include "analysis/samples/hold.h"
#include "analysis/stretches/stretches.h"

/* A group that is being read. */
typedef struct clpac__group_reading {
	struct clpac__job_samples *samples;
	size_t group;
	pthread_t thread;
	clpac_cancel *cancel; /* of the thread that computes; NULL: none */
	bool is_under_way, has_thread;
	clpac_status st;
	clpac_error why;
} clpac__group_reading;

typedef struct clpac__job_samples {
	clpac_recording *recording;		/* of the caller */
	const clpac__chosen_channels *channels; /* likewise */
	clpac_sample_type type;			/* of all, wider than the file's where it mixes types */
	size_t stride;				/* of all: values from one sample to the next */
	size_t first, n_samples; /* what is there of each channel: all of it, or what the job takes of a long file */
	bool is_part;		 /* the latter: `copies` own it, and the recording's channels have none */
	size_t per_group, n_groups;
	size_t present;	     /* the group that is there; SIZE_MAX: none */
	const void **values; /* of each channel of the present group, from `first` on, by its place in the job; NULL in
				others */
	void **copies; /* of a part; of channels that the recording holds in the narrower type or with another stride */
	clpac__stretches *gaps;	 /* of each channel: runs of samples that are NaN or infinite */
	clpac__stretches *flats; /* of each channel: runs at one value where data is missing */
	size_t *n_clipped;	 /* of each channel: samples at its highest or lowest value, where these are many */
	clpac__group_reading reading; /* of the group behind the present one */
} clpac__job_samples;

/* Takes the channels of a recording that was opened on demand, and finds their gaps and flat runs, for which samples
 * that do not fit are read once more, and those of floating-point files twice.  The samples must not be moved until
 * they are closed.
 * @param part the samples of each channel that the job takes.  Others are not read, and nothing is known of their gaps,
 * where the file has channels of which a part can be read; else whole channels are there.
 * @param flat what a flat run is; NULL: they are not looked for, nor is clipping.
 * @param hold what may be there at once; groups have one channel at least. */
clpac_status clpac__job_samples_open(clpac_recording *recording, const clpac__chosen_channels *channels,
				     const clpac_window *part, const clpac__flat_lengths *flat, const clpac__hold *hold,
				     clpac__job_samples *out, clpac_error *err);
/* The bytes that reading every group once takes, of those that are not there. */
clpac_status clpac__job_samples_bytes(const clpac__job_samples *samples, uint64_t *bytes, clpac_error *err);
/* The channels of a group: places `*first` to `*end` of the job's. */
void clpac__job_samples_group(const clpac__job_samples *samples, size_t group, size_t *first, size_t *end);
/* Makes a group present, in place of the one that was, and begins to read the next. */
clpac_status clpac__job_samples_take(clpac__job_samples *samples, size_t group, clpac_error *err);
/* A zeroed one is fine. */
void clpac__job_samples_close(clpac__job_samples *samples);

#endif
