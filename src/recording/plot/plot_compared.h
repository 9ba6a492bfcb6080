/* The words of a comparison, of subjects (clpac/group.h) or of conditions (clpac/compare.h), in a figure, from the text
 * of its problem. */
#ifndef CLPAC_RECORDING_PLOT_PLOT_COMPARED_H
#define CLPAC_RECORDING_PLOT_PLOT_COMPARED_H

#include <stdbool.h>
#include <clpac/result.h>

typedef struct clpac__compared {
	const char *effect_title; /* of the panel of means or differences */
	char unit[40];		  /* of what was compared: "z", "MI" */
	char t_title[100];	  /* of the panel of t */
	const char *t_name;	  /* what the panel of t shows: "t", or "deviations" of pooled conditions */
	bool is_less;		  /* low t are looked for */
} clpac__compared;

clpac__compared clpac__compared_words(const clpac_result *result);

#endif
