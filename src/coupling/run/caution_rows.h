/* Which rows of a result have a channel's amplitudes, or its phases. */
#ifndef CLPAC_COUPLING_RUN_CAUTION_ROWS_H
#define CLPAC_COUPLING_RUN_CAUTION_ROWS_H

#include <clpac/result.h>
#include <clpac/problem.h>

#include "base/error.h"

/* The rows of a result by the channel that their amplitudes come from, since harmonics are looked for in that, or by
 * that of their phases.  All
 * NULL in a result without pairs, where channel c has row c: samples that come group by group make a call for each
 * group. */
typedef struct clpac__caution_rows {
	size_t *firsts;	    /* of each channel, its first in `rows`; one more, the end of the last */
	size_t *rows;	    /* channel after channel, ascending in each */
	const char **names; /* of each channel, as the first of the pairs that has it says */
} clpac__caution_rows;

/* One pass over the rows of pairs, whatever the number of channels.
 * @param by zeros, to be cleared also after an error.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__caution_rows_find(const clpac_problem *p, const clpac_result *result, clpac_band_use of,
				      clpac__caution_rows *by, clpac_error *err);
void clpac__caution_rows_clear(clpac__caution_rows *by);

/* A channel's rows are those at its first place to before the first of the next channel. */
size_t clpac__caution_rows_first(const clpac__caution_rows *by, size_t channel);
size_t clpac__caution_row_at(const clpac__caution_rows *by, size_t i);

#endif
