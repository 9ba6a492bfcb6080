/* Where the channels of a recording that run takes stay at one value, and which of them are clipped. */
#ifndef CLPAC_ANALYSIS_DESCRIBE_FLAT_RUNS_H
#define CLPAC_ANALYSIS_DESCRIBE_FLAT_RUNS_H

#include <clpac/recording.h>
#include "analysis/json_tree.h"
#include "analysis/settings.h"
#include "base/text.h"

typedef struct clpac__listed_flat {
	size_t channel;		       /* in the recording */
	double onset_seconds, seconds; /* on its clock */
	double value;
} clpac__listed_flat;

typedef struct clpac__listed_clip {
	size_t channel;
	double share; /* of its samples */
} clpac__listed_clip;

typedef struct clpac__flat_list {
	clpac__listed_flat *each; /* channel by channel, in the order of time */
	size_t n, most;
	size_t n_channels; /* that have any */
	clpac__listed_clip *clips;
	size_t n_clips, most_clips;
} clpac__flat_list;

/* Looks through the samples, for the default phase bands; channels of an unknown rate are passed over.
 * Errors: those of reading them. */
clpac_status clpac__flat_list_find(clpac_recording *recording, clpac__flat_list *out, clpac_error *err);
void clpac__flat_list_clear(clpac__flat_list *list);

/* Add nothing where there are none. */
void clpac__flat_list_print(const clpac__flat_list *list, const clpac_recording *recording,
			    const clpac__analysis_settings *settings, size_t most_lines, clpac__text *to);
void clpac__flat_list_json(const clpac__flat_list *list, const clpac__analysis_settings *settings,
			   clpac__json_tree *json);

#endif
