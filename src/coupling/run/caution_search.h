/* A search for what looks like coupling, and is none. */
#ifndef CLPAC_COUPLING_RUN_CAUTION_SEARCH_H
#define CLPAC_COUPLING_RUN_CAUTION_SEARCH_H

#include <stdbool.h>

#include <clpac/plan.h>

#include "base/error.h"
#include "coupling/run/caution_rows.h"
#include "coupling/signal/artefacts.h"
#include "coupling/signal/filter.h"
#include "coupling/signal/locking.h"
#include "coupling/signal/slow_waves.h"

/* The filter of an amplitude band, which series share unless bands are tied. */
typedef struct clpac__caution_filter {
	clpac_band band;
	clpac__filter filter;
} clpac__caution_filter;

/* A line of the mains. */
typedef struct clpac__caution_line {
	double hz;
	clpac__window_waves waves;
	size_t n_phase, n_cells; /* phase bands, and cells with amplitude bands, that hold it */
} clpac__caution_line;

/* A search for what looks like coupling, in one series after the other. */
typedef struct clpac__caution_search {
	const clpac_problem *problem; /* complete */
	const clpac_samples *samples;
	clpac_result *result;
	double *x;	/* a series, without its mean */
	double *coarse; /* means of `step` samples of it */
	double *passed; /* the signs of the same in a phase band */
	size_t n, n_coarse, step;
	double rate_hz, lowest_hz, top_hz; /* of the coarse samples; lowest and highest amplitude frequency */
	clpac__wave_search waves;
	clpac__caution_filter *filters; /* of each amplitude band */
	clpac__caution_line *lines;	/* of the mains, in the bands in use */
	size_t n_lines;
	clpac__lock_windows events; /* none where no caution is due */
	clpac_window longest;	    /* stretch of each series, of n samples: all but jumps are looked for there */
	size_t n_maps;		    /* of a series: that of each separate window, or one */
	bool may_part;		    /* some of the longest stretch may stand for all of it */
	clpac__caution_rows by_channel, by_phase;
} clpac__caution_search;

/* Counts a warning, and keeps the first one's text. */
void clpac__caution_warn(clpac__caution_search *s, clpac_warning_kind kind, const char *format, ...)
	CLPAC__PRINTF(3, 4);

/* The name of a channel, which in a result of pairs is part of theirs. */
const char *clpac__caution_name_of(const clpac__caution_search *s, size_t channel);

/* Makes the lines of the mains that lie in a band in use.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__caution_prepare_lines(clpac__caution_search *s, clpac_error *err);

/* Warns where the series that is loaded has such a line.  Errors: CLPAC_ERROR_CANCELLED. */
clpac_status clpac__caution_look_for_mains(clpac__caution_search *s, size_t channel, clpac_error *err);

#endif
