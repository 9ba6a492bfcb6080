/* The results that `group` compares, one for each subject. */
#ifndef CLPAC_TOOL_GROUP_SUBJECTS_H
#define CLPAC_TOOL_GROUP_SUBJECTS_H

#include <clpac/group.h>
#include "tool/tool.h"

typedef struct tool_subjects {
	const char **paths;	       /* the operands, those behind --with last */
	clpac_result **whole;	       /* their results, owned */
	const clpac_result **compared; /* the measure of each that is compared */
	size_t n, n_first;
	char *names;	       /* owned; the texts of `channels` */
	const char **channels; /* NULL: all of the first result */
	size_t n_channels;
} tool_subjects;

/* Divides the operands into groups, and reads the list of channels.
 * Errors: CLPAC_ERROR_ARGUMENT for an empty name.
 * @param[out] out zeroed; to be cleared in any case. */
clpac_status tool_subjects_find(tool_call *call, tool_subjects *out, clpac_error *err);
/* Reads the results.
 * Errors: CLPAC_ERROR_ARGUMENT for the same file twice and a measure that a result does not hold; those of
 * clpac_result_read_npz. */
clpac_status tool_subjects_read(tool_call *call, tool_subjects *subjects, clpac_error *err);
/* A zeroed one is fine. */
void tool_subjects_clear(tool_subjects *subjects);

#endif
