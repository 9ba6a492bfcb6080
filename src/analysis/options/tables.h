/* The options of an analysis: the groups that runs, trials, comparisons and statistics over subjects share.  Their
 * offsets are those of clpac__analysis_settings. */
#ifndef CLPAC_ANALYSIS_OPTIONS_TABLES_H
#define CLPAC_ANALYSIS_OPTIONS_TABLES_H

#include <clpac/analysis.h>
#include "analysis/options/options.h"

extern const clpac__option_group clpac__options_read;	/* rate, raw, array, resample */
extern const clpac__option_group clpac__options_take;	/* channels, pairs, start, stop, segment */
extern const clpac__option_group clpac__options_reject; /* reject, keep-bad, keep-flat */
extern const clpac__option_group clpac__options_epochs; /* sliding, events, window, pool */
extern const clpac__option_group clpac__options_method;
extern const clpac__option_group clpac__options_compute; /* device, memory, hold, fft, probe, strategy */
/* The groups that decide numbers of a run; and all that runs have. */
#define CLPAC__OPTIONS_OF_NUMBERS                                                                                      \
	&clpac__options_read, &clpac__options_take, &clpac__options_reject, &clpac__options_epochs,                    \
		&clpac__options_method
#define CLPAC__OPTIONS_OF_RUNS CLPAC__OPTIONS_OF_NUMBERS, &clpac__options_compute

extern const clpac__option_group clpac__options_comparison;    /* of two conditions */
extern const clpac__option_group clpac__options_design;	       /* with */
extern const clpac__option_group clpac__options_subjects;      /* of statistics over subjects */
extern const clpac__option_group clpac__options_trials;	       /* events, window, step */
extern const clpac__option_group clpac__options_trials_method; /* those of the method that trials have */
extern const clpac__option_group clpac__options_synthetic;     /* of a recording that is made */

/* The groups of a kind of analysis, in the order of the program's help; NULL behind the last. */
const clpac__option_group *const *clpac__options_of(clpac_analysis_kind kind);

#endif
