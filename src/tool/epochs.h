/* --events, --window, --pool: epochs around the events of a recording, and their conditions.  --sliding: epochs that
 * follow each other, whatever the events. */
#ifndef CLPAC_TOOL_EPOCHS_H
#define CLPAC_TOOL_EPOCHS_H

#include <clpac/recording.h>
#include <clpac/result.h>
#include "tool/job_channels.h"
#include "tool/job_segments.h"
#include "tool/tool.h"

/* The fate of an epoch. */
typedef enum tool_fate {
	TOOL_EPOCH_USED = 0,  /* in one channel at least */
	TOOL_EPOCH_OVER_END,  /* it begins or ends outside of the recording, or of what is taken of it, or in a gap */
	TOOL_EPOCH_REJECTED,  /* an annotation that is rejected touches it */
	TOOL_EPOCH_TWICE,     /* another one of its condition is at the same samples */
	TOOL_EPOCH_NO_NUMBER, /* in every channel it has samples that are NaN or infinite */
	TOOL_EPOCH_SHORT,     /* in a stretch that is shorter than its filters ask */
	TOOL_EPOCH_NEAR_END,  /* too near an end of its stretch, for --edge or --null trials */
	TOOL_FATE_COUNT
} tool_fate;

typedef struct tool_epoch {
	double onset_s;	  /* of the event */
	const char *text; /* of the event, the recording's */
	size_t condition;
	size_t start; /* first sample of the channels; where it is not over an end */
	tool_fate fate;
	const char *cause; /* text of the annotation that rejects it */
} tool_epoch;

typedef struct tool_epochs {
	bool are_wanted, are_pooled;
	bool are_sliding; /* one every step_s, around no event: they have no condition */
	double from_s, to_s, step_s;
	size_t n_samples; /* of each epoch */
	tool_epoch *each; /* in the order of their onsets */
	size_t n, n_overlapping;
	char **conditions; /* owned names, in the order of the patterns, then of their first event */
	size_t n_conditions;
	size_t *places; /* of the segments of the result, which epoch each is; or which condition */
	size_t n_places;
} tool_epochs;

/* Reads the options.  Errors: CLPAC_ERROR_ARGUMENT. */
clpac_status tool_epochs_read(tool_epochs *epochs, const tool_call *call, clpac_error *err);
/* Finds the events, and cuts their epochs from the pieces of the recording.
 * Errors: CLPAC_ERROR_ARGUMENT for a pattern that no event has, with the texts that there are. */
clpac_status tool_epochs_find(tool_epochs *epochs, const clpac_recording *recording, const tool_channels *channels,
			      const tool_segments *pieces, const tool_call *call, clpac_error *err);
/* The option that asks for them, "--events" or "--sliding". */
const char *tool_epochs_option(const tool_epochs *epochs);
/* Names the conditions of a result's segments. */
clpac_status tool_epochs_name(const tool_epochs *epochs, clpac_result *result, clpac_error *err);
/* "used 118 of 120 epochs of 1.5 s (planning 60, rest 58); dropped: BAD_muscle 1, over an end 1"; "" without epochs. */
enum { TOOL_EPOCHS_SIZE = 700 };
void tool_epochs_sentence(const tool_epochs *epochs, char text[TOOL_EPOCHS_SIZE]);
/* The fate in a word, as the sentence has it. */
const char *tool_epoch_fate(const tool_epoch *epoch);
void tool_epochs_clear(tool_epochs *epochs);

#endif
