/* The results of several subjects, and their comparison: with 0, in pairs, or of two groups. */
#ifndef CLPAC_ANALYSIS_GROUP_SUBJECTS_H
#define CLPAC_ANALYSIS_GROUP_SUBJECTS_H

#include <clpac/group.h>
#include "analysis/json_tree.h"
#include "analysis/settings.h"

typedef struct clpac__subjects {
	const char *const *paths;      /* of the results, or names, those of the second group last */
	clpac_result **whole;	       /* their results, owned */
	const clpac_result **compared; /* the measure of each that is compared */
	json_t **facts;		       /* the members of their OUT.json, owned */
	size_t n, n_first;
	char *names;	       /* owned; the texts of `channels` */
	const char **channels; /* NULL: all of the first result */
	size_t n_channels;
} clpac__subjects;

/* Takes the paths, and reads the list of channels.
 * Errors: CLPAC_ERROR_ARGUMENT for an empty name, and for options and numbers of results that suit no design.
 * @param paths must live as long. @param[out] out zeroed; to be cleared in any case. */
clpac_status clpac__subjects_find(const clpac__analysis_settings *settings, const char *const *paths, size_t n,
				  size_t n_first, clpac__subjects *out, clpac_error *err);
/* Reads the results.
 * Errors: CLPAC_ERROR_ARGUMENT for the same file twice and a measure that a result does not hold; those of
 * clpac_result_read_npz and clpac__facts_beside. */
clpac_status clpac__subjects_read(const clpac__analysis_settings *settings, clpac__subjects *subjects,
				  clpac_error *err);
/* Takes the results themselves, in the place of reading them, which stay the caller's.
 * Errors: CLPAC_ERROR_ARGUMENT for a measure that a result does not hold; those of clpac__facts_of_result. */
clpac_status clpac__subjects_take(const clpac__analysis_settings *settings, clpac__subjects *subjects,
				  const clpac_result *const *results, clpac_error *err);
/* Compares them, and warns of what shows nothing.
 * @param[out] group what was asked of clpac_result_group; it points into the subjects.
 * Errors: those of clpac_result_group; CLPAC_ERROR_FORMAT where no cell has a value. */
clpac_status clpac__subjects_compare(const clpac__analysis_settings *settings, const clpac__subjects *subjects,
				     clpac_group *group, clpac_result **out, clpac_error *err);
/* Adds their files to a record: in which group they are, and what was in them. */
clpac_status clpac__subjects_record(const clpac__subjects *subjects, clpac__json_tree *json, clpac_error *err);
/* Adds how good their signals are (analysis/group/signals.h). @param made the comparison. */
clpac_status clpac__subjects_tell_signals(const clpac__subjects *subjects, const clpac_result *made,
					  clpac__json_tree *json, clpac_error *err);
/* A zeroed one is fine. */
void clpac__subjects_clear(clpac__subjects *subjects);

#endif
