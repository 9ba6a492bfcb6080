/* A search for what looks like coupling, and is none. */
#ifndef CLPAC_COUPLING_CAUTIONS_CAUTION_SEARCH_H
#define CLPAC_COUPLING_CAUTIONS_CAUTION_SEARCH_H

#include <stdbool.h>

#include <clpac/plan.h>
#include <clpac/problem.h>
#include <clpac/result.h>

#include "base/error.h"
#include "coupling/signal/filter.h"
#include "coupling/signal/lines.h"
#include "coupling/signal/locking.h"
#include "coupling/signal/slow_waves.h"

/* The rows of a result by the channel that their amplitudes come from, since harmonics are looked for in that, or by
 * that of their phases.  All NULL in a result without pairs, where channel c has row c: samples that come group by
 * group make a call for each group. */
typedef struct clpac__caution_rows {
	size_t *firsts;	    /* of each channel, its first in `rows`; one more, the end of the last */
	size_t *rows;	    /* channel after channel, ascending in each */
	const char **names; /* of each channel, as the first of the pairs that has it says */
} clpac__caution_rows;

/* The filter of an amplitude band, which series share unless bands are tied. */
typedef struct clpac__caution_filter {
	clpac_band band;
	clpac__filter filter;
} clpac__caution_filter;

/* A line of the mains. */
typedef struct clpac__caution_line {
	double hz;
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
	clpac__line_search in_lines;	/* looks for lines in a series */
	clpac__caution_line *lines;	/* of the mains, in the bands in use */
	size_t n_lines;
	clpac__lock_windows events; /* none where no caution is due */
	clpac_window longest;	    /* stretch of each series, of n samples: all but jumps are looked for there */
	size_t n_maps;		    /* of a series: that of each separate window, or one */
	bool may_part;		    /* some of the longest stretch may stand for all of it */
	clpac__caution_rows by_channel, by_phase;
} clpac__caution_search;

/* One pass over the rows of pairs, whatever the number of channels.
 * @param by zeros, to be cleared also after an error.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__caution_rows_find(const clpac_problem *p, const clpac_result *result, clpac_band_use of,
				      clpac__caution_rows *by, clpac_error *err);
void clpac__caution_rows_clear(clpac__caution_rows *by);

/* A channel's rows are those at its first place to before the first of the next channel. */
size_t clpac__caution_rows_first(const clpac__caution_rows *by, size_t channel);
size_t clpac__caution_row_at(const clpac__caution_rows *by, size_t i);

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
