/* Lines of the mains. */
#ifndef CLPAC_COUPLING_SIGNAL_LINES_H
#define CLPAC_COUPLING_SIGNAL_LINES_H

#include <stdbool.h>

#include "coupling/signal/window_power.h"

enum { CLPAC__LINE_LOOKS = 2 }; /* in few windows first, and where these have a line, in many */

/* A search for lines in one series after the other, all of one length. */
typedef struct clpac__line_search {
	clpac__windows windows; /* of 2 s; none where series have fewer than four of them */
	double rate_hz;
	const double *x; /* the series, n_samples */
	size_t n_samples;
	double *powers[CLPAC__LINE_LOOKS]; /* owned: of all bins above 0, once they are known */
	bool are_known[CLPAC__LINE_LOOKS];
} clpac__line_search;

/* To be cleared.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__line_search_make(size_t n_samples, double rate_hz, clpac__line_search *out, clpac_error *err);
void clpac__line_search_clear(clpac__line_search *search);

/* Takes a series, which is read until the next one is taken. */
void clpac__line_search_take(clpac__line_search *search, const double *x);

/* How many times the power at a line exceeds the median of that 2 to 4 Hz away, in 64 windows at most, and in 8 where
 * that is below 3; 0 where the series is too short, or the line + 4 Hz lies above half the rate.
 * Errors: CLPAC_ERROR_CANCELLED. */
clpac_status clpac__line_height(clpac__line_search *search, double line_hz, double *height, clpac_error *err);

#endif
