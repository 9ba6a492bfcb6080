/* A comparison of the results of subjects, and its files. */
#ifndef CLPAC_TOOL_COMPARISON_H
#define CLPAC_TOOL_COMPARISON_H

#include "tool/tool.h"

typedef struct tool_comparison {
	const char *const *paths; /* of results, those of the second group last */
	size_t n, n_first;
	const char *npz;	    /* to be written */
	const char *const *sources; /* the same results as URIs; NULL: these are not recorded */
} tool_comparison;

/* Compares, writes the files and says what was found. */
clpac_status tool_comparison_run(tool_call *call, const tool_comparison *what, clpac_error *err);

#endif
