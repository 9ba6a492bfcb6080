/* The names of the checkpoints in a folder, listed once: a folder of results has thousands of names, and a run asks for
 * those of each recording and each of its channels. */
#ifndef CLPAC_ANALYSIS_CHECKPOINTS_KEPT_NAMES_H
#define CLPAC_ANALYSIS_CHECKPOINTS_KEPT_NAMES_H

#include <stddef.h>
#include <clpac/status.h>

/* Stands in a checkpoint's name between the recording's name and the numbers of the channels. */
#define CLPAC__KEPT_MIDDLE ".part"

typedef struct clpac__kept_names {
	char *folder; /* NULL: none is listed yet */
	char **each;  /* of checkpoints of whatever recording */
	size_t n;
} clpac__kept_names;

/* Lists a folder, unless its names are there already.  One that cannot be opened has none.
 * Errors: CLPAC_ERROR_NO_MEMORY, and then nothing is listed. */
clpac_status clpac__kept_names_list(clpac__kept_names *names, const char *folder, clpac_error *err);
void clpac__kept_names_clear(clpac__kept_names *names);

#endif
