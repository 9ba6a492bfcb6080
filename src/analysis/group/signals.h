/* The quality and the spectra of the signals behind results that are compared, for those who look at the comparison. */
#ifndef CLPAC_ANALYSIS_GROUP_SIGNALS_H
#define CLPAC_ANALYSIS_GROUP_SIGNALS_H

#include <clpac/result.h>
#include "analysis/json_tree.h"

/* A result that is compared. */
typedef struct clpac__signals_of {
	const char *name;    /* a path, or a text that tells it from the others */
	const json_t *facts; /* the members of its OUT.json (analysis/describe/facts.h) */
	int group;	     /* 1 or 2: a group of subjects, or a condition */
} clpac__signals_of;

/* Adds the members of a record of a comparison:
 *
 * "recordings", an object for each of n results: "name", "group", "used_s" (the least and the most of a channel),
 * "rejected" and "warnings" as its OUT.json has them, and "mains_hz" where that is known.
 *
 * Where results have spectra (analysis/run/spectra.h), "spectra", an object for each group, as those of a run but for
 * "group" in the place of "n_windows" and "window_s": means of decibels over the recordings that have a channel of the
 * comparison, and "deviation_db", their standard deviations, null for one recording alone.  "recording_spectra" has
 * the means over these channels of each recording, whose names stand in the place of channels'.  The frequencies are
 * those of the first recording with spectra; others' are interpolated, and null where they do not reach.
 * Units that differ are null.
 *
 * Time is linear in recordings, and in channels squared, whose names are looked up.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__signals_add(const clpac__signals_of *each, size_t n, const clpac_result *made,
				clpac__json_tree *json, clpac_error *err);

#endif
