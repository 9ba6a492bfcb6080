/* Checkpoints of a long run: finished channels, and segments of a channel, kept in hidden files beside the result,
 * .OUT.part-PART-CHANNEL-COUNT and .OUT.part-PART-CHANNEL-1-SEGMENT-COUNT, until the result is there.  A run of the
 * same request on the same devices goes on from them. */
#ifndef CLPAC_ANALYSIS_CHECKPOINTS_CHECKPOINTS_H
#define CLPAC_ANALYSIS_CHECKPOINTS_CHECKPOINTS_H

#include <clpac/result.h>
#include "analysis/checkpoints/kept_names.h"
#include "analysis/settings.h"

typedef struct clpac__checkpoints {
	double interval_s; /* of computing between two checkpoints; INFINITY: none are made */
	double kept_s;	   /* by clpac__clock_seconds, when the last one was made, or the run began */
	char *folder, *stem;
	char *key; /* request, recording, devices and version; NULL until it is needed */
	const clpac__analysis_settings *settings;
	const char *device, *fft; /* the settings in force */
	clpac__kept_names names;  /* of the folder, as the run found it */
} clpac__checkpoints;

/* Reads --checkpoint.  Errors: CLPAC_ERROR_ARGUMENT. */
clpac_status clpac__checkpoints_interval(const clpac__analysis_settings *settings, double *interval_s,
					 clpac_error *err);

/* Begins; nothing is written yet.
 * @param device, fft the settings in force; must live as long. @param[out] out to be closed. */
clpac_status clpac__checkpoints_open(const clpac__analysis_settings *settings, const char *npz, const char *device,
				     const char *fft, clpac__checkpoints *out, clpac_error *err);
/* Some channels in some segments of a part of the job, by their first ones. */
typedef struct clpac__checkpoint_place {
	size_t part, channel, n_channels, segment, n_segments;
	bool is_whole; /* all segments of the part */
} clpac__checkpoint_place;

/* The checkpoint that begins at a place and has at most its channels and segments: whole channels, or one of them in
 * some of its segments.  *out is NULL where there is none for this key.  One that cannot be read, was made for another
 * place or has changed since is passed over with a note.
 * @param n_segments of the whole part. */
clpac_status clpac__checkpoints_find(clpac__checkpoints *checkpoints, const clpac__checkpoint_place *place,
				     size_t n_segments, clpac_result **out, clpac_error *err);
/* Keeps the result of a place, whose report and filters a run that finds it takes over.  The result is the same
 * afterwards. */
clpac_status clpac__checkpoints_keep(clpac__checkpoints *checkpoints, const clpac__checkpoint_place *place,
				     clpac_result *result, clpac_error *err);
/* Whether names of checkpoints, which are listed where they are another folder's, have one of this recording. */
bool clpac__checkpoints_are_among(const clpac__checkpoints *checkpoints, clpac__kept_names *names);
/* Removes all of them, once the result is in its place.  Failures are passed over: the next run removes them. */
void clpac__checkpoints_remove(const clpac__checkpoints *checkpoints);
/* Writes what tells the recording from others: its checksum, else its size and the time of its last change. */
clpac_status clpac__checkpoints_identify(const clpac__analysis_settings *settings, char text[65], clpac_error *err);
void clpac__checkpoints_close(clpac__checkpoints *checkpoints);

#endif
