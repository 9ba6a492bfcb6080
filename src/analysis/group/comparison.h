/* Two conditions of a recording, or of a result of its epochs, compared. */
#ifndef CLPAC_ANALYSIS_GROUP_COMPARISON_H
#define CLPAC_ANALYSIS_GROUP_COMPARISON_H

#include "analysis/run/job.h"

typedef struct clpac__comparison {
	clpac__analysis_settings settings; /* those of the caller; but --family is that of the comparison alone */
	unsigned family;
	clpac__job job;			 /* of a recording */
	const clpac_result *epochs;	 /* of all epochs: read or computed, or the caller's, set before */
	clpac_result *own_epochs, *made; /* the same where they are read or computed; and the comparison */
	const clpac_result *compared;	 /* the measure */
	json_t *facts[2];		 /* owned; the members of OUT.json of one or two results that were read */
	char *names, *channel_names;	 /* owned; texts of the conditions and channels */
	char *stems[2];			 /* owned; names of two results, which are conditions then */
	const char *conditions[2];
	const char **channels;
	size_t n_channels;
} clpac__comparison;

/* Whether a recording is given; else a result. */
bool clpac__comparison_is_of_recording(const clpac__analysis_settings *settings);
/* Whether an option, by its name, is about recordings alone, so that a result of epochs has answered it already. */
bool clpac__comparison_is_about_recordings(const char *name);
/* Refuses options that contradict each other. */
clpac_status clpac__comparison_check(const clpac__analysis_settings *settings, clpac_error *err);
/* Reads the options, of a recording those of its job too.  Zero the comparison before; close it in any case.  It must
 * not be moved until then. */
clpac_status clpac__comparison_prepare(clpac__comparison *c, const clpac__analysis_settings *settings,
				       clpac_error *err);
/* Opens the recording and its devices, or reads the result.  Refuses, before anything is computed, conditions of a
 * recording that cannot be compared. */
clpac_status clpac__comparison_open(clpac__comparison *c, clpac_error *err);
/* Computes the epochs of a recording. */
clpac_status clpac__comparison_compute(clpac__comparison *c, clpac_error *err);
/* Compares, and tells the warnings. */
clpac_status clpac__comparison_make(clpac__comparison *c, clpac_error *err);
/* Adds how good the signals of the results are that were compared (analysis/group/signals.h). */
clpac_status clpac__comparison_tell_signals(const clpac__comparison *c, clpac__json_tree *json, clpac_error *err);
void clpac__comparison_close(clpac__comparison *c);

#endif
