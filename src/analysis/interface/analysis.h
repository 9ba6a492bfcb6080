/* An analysis: the options that were set, by name and text. */
#ifndef CLPAC_ANALYSIS_INTERFACE_ANALYSIS_H
#define CLPAC_ANALYSIS_INTERFACE_ANALYSIS_H

#include <clpac/analysis.h>
#include "analysis/options/options.h"

typedef struct clpac__analysis_item {
	const clpac__option *option; /* of the first kind that has it; another kind may have other choices */
	char *text;		     /* owned; NULL for a flag */
} clpac__analysis_item;

struct clpac_analysis {
	clpac__analysis_item *items; /* each option once */
	size_t n, capacity;
};

/* Cuts the next word off a line, without its quotes: NULL behind the last.  *rest moves behind it. */
clpac_status clpac__next_word(char **rest, char **word, clpac_error *err);

#endif
