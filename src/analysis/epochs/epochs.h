/* --events, --window, --pool: epochs around the events of a recording, and their conditions.  --sliding: epochs that
 * follow each other, whatever the events. */
#ifndef CLPAC_ANALYSIS_EPOCHS_EPOCHS_H
#define CLPAC_ANALYSIS_EPOCHS_EPOCHS_H

#include <clpac/recording.h>
#include <clpac/result.h>

#include "analysis/channels/channels.h"
#include "analysis/stretches/stretches.h"
#include "analysis/stretches/parts.h"

/* The fate of an epoch. */
typedef enum clpac__fate {
	CLPAC__EPOCH_USED = 0,	/* in one channel at least */
	CLPAC__EPOCH_OVER_END,	/* it begins or ends outside of the recording, or of what is taken of it, or in a gap */
	CLPAC__EPOCH_REJECTED,	/* an annotation that is rejected touches it */
	CLPAC__EPOCH_TWICE,	/* another one of its condition is at the same samples */
	CLPAC__EPOCH_NO_NUMBER, /* in every channel it has samples that are NaN or infinite */
	CLPAC__EPOCH_FLAT,	/* in every channel it has samples that stay at one value, or none there are */
	CLPAC__EPOCH_SHORT,	/* in a stretch that is shorter than its filters ask */
	CLPAC__EPOCH_NEAR_END,	/* too near an end of its stretch, for --edge or --null trials */
	CLPAC__EPOCH_NO_SPAN,	/* of an event without a duration, with --window all */
	CLPAC__EPOCH_BRIEF,	/* shorter than a cycle, with --window all */
	CLPAC__FATE_COUNT
} clpac__fate;

typedef struct clpac__job_epoch {
	double onset_s;	  /* of the event, or of the piece of its span */
	double seconds;	  /* that the event lasts */
	const char *text; /* of the event, the recording's */
	size_t condition;
	size_t start, n_samples; /* of the channels; where it is not over an end */
	clpac__fate fate;
	const char *cause; /* text of the annotation that rejects it */
} clpac__job_epoch;

typedef struct clpac__job_epochs {
	bool are_wanted, are_pooled;
	bool are_trials;  /* of one condition each part, and no nearer to ends than filters reach */
	bool are_sliding; /* one every step_s, around no event: they have no condition */
	bool are_spans;	  /* of the length of their events, each its own */
	bool are_pieces;  /* of the spans of events, from their begin on, to_s long */
	double from_s, to_s, step_s;
	size_t n_samples;	/* of each epoch; 0 of spans */
	clpac__job_epoch *each; /* in the order of their onsets */
	size_t n, n_overlapping;
	char **conditions; /* owned names, in the order of the patterns, then of their first event */
	size_t n_conditions;
	size_t *places; /* of the segments of the result, which epoch each is; or which condition */
	size_t n_places;
} clpac__job_epochs;

/* Reads the options.  Errors: CLPAC_ERROR_ARGUMENT. */
clpac_status clpac__job_epochs_read(clpac__job_epochs *epochs, const clpac__analysis_settings *settings,
				    clpac_error *err);
/* Finds the events, and cuts their epochs from the pieces of the recording.
 * Errors: CLPAC_ERROR_ARGUMENT for a pattern that no event has, with the texts that there are. */
clpac_status clpac__job_epochs_find(clpac__job_epochs *epochs, const clpac_recording *recording,
				    const clpac__chosen_channels *channels, const clpac__job_segments *pieces,
				    const clpac__analysis_settings *settings, clpac_error *err);
/* The option that asks for them, "--events" or "--sliding". */
const char *clpac__job_epochs_option(const clpac__job_epochs *epochs);
/* Names the conditions of a result's segments. */
clpac_status clpac__job_epochs_name(const clpac__job_epochs *epochs, clpac_result *result, clpac_error *err);
/* "used 118 of 120 epochs of 1.5 s (planning 60, rest 58); dropped: BAD_muscle 1, over an end 1"; "" without epochs. */
enum { CLPAC__EPOCHS_SIZE = 700 };
void clpac__job_epochs_sentence(const clpac__job_epochs *epochs, char text[CLPAC__EPOCHS_SIZE]);
/* The fate in a word, as the sentence has it. */
const char *clpac__epoch_fate(const clpac__job_epoch *epoch);
void clpac__job_epochs_clear(clpac__job_epochs *epochs);

/* The parts of a job of epochs: channels that use the same stretches and epochs are one problem, whose filters see the
 * stretches and whose indices come from the epochs. */

typedef struct clpac__epoch_source {
	const clpac_recording *recording;
	const clpac__chosen_channels *channels;
	const clpac__missing *missing;	   /* of each channel; NULL: nothing */
	const clpac__job_segments *pieces; /* of the recording, which filters may see */
	const clpac_problem *problem;	   /* the method */
	const clpac__analysis_settings *settings;
} clpac__epoch_source;

/* Finds the parts, and what becomes of each epoch.
 * @param[out] segments of the result: epochs, or conditions.  @param[out] parts as clpac__job_parts_find has them.
 * Errors: those of clpac__job_parts_find; CLPAC_ERROR_FORMAT where no epoch is left. */
clpac_status clpac__epoch_parts_find(clpac__job_epochs *epochs, const clpac__epoch_source *source,
				     clpac__job_segments *segments, clpac__job_parts *parts, clpac_error *err);

/* The problem of all parts together, as far as one problem can tell of them.  It points into the arguments. */
clpac_problem clpac__epoch_parts_problem(const clpac__job_parts *parts, const clpac__chosen_channels *channels,
					 const clpac__job_segments *segments, const clpac_problem *of_job);

#endif
