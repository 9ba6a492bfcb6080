/* Flat runs: samples that follow each other with one value.  Recorders, converters and editors write them where they
 * have no data, as zeros, as the last value held, as padding; a signal stays at one value only as long as its
 * resolution makes it.  Beside them, clipping: many samples at the highest or the lowest value. */
#ifndef CLPAC_BASE_FLAT_H
#define CLPAC_BASE_FLAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cancel.h"
#include "base/error.h"

/* The bounds of a run of one value, by the phase bands that would see it. */
typedef struct clpac__flat_lengths {
	size_t least;	     /* samples: more than half a cycle of the highest, and four; 0: no run is looked for */
	size_t longest_clip; /* samples: half a cycle of the lowest */
} clpac__flat_lengths;

clpac__flat_lengths clpac__flat_lengths_of(double rate_hz, double lowest_hz, double highest_hz);

typedef struct clpac__flat_run {
	size_t first, n; /* samples */
	double value;
	bool is_turn; /* the runs before and behind are nearly as long: a slow wave turns, in coarse steps */
	bool is_missing;
} clpac__flat_run;

typedef struct clpac__flat_level {
	double value;
	size_t n; /* samples */
} clpac__flat_level;

/* A series that is seen piece by piece, as far as it is known.  Begins as zeros but for the first two. */
typedef struct clpac__flat_search {
	size_t least;	       /* samples: a shorter run is none */
	size_t longest_clip;   /* samples: a run at a clipped end that is shorter is a wave that was cut */
	clpac__flat_run *runs; /* ascending */
	size_t n_runs, most_runs;
	size_t n_samples, n_repeats; /* seen, and those of the value before them */
	double value;		     /* of the run that goes on; NAN: none does */
	size_t since, before;	     /* its first sample, and the samples of the run before it */
	/* Of the runs of `least` / 2 or more: how many; how often they went on where they could end, before `least`;
	 * and how often they could. */
	size_t n_half, n_continued, n_tried;
	bool is_followed;			 /* the last of `runs` waits for the one behind it */
	clpac__flat_level highest[2], lowest[2]; /* with the next value inside */
	size_t n_clipped;			 /* samples at the ends, of a series that is clipped there */
} clpac__flat_search;

/* The probability at most with which a run that counts came about by chance in its series. */
extern const double clpac__flat_chance;

/* Whether n samples, `stride` apart, have a run of `least` or more: quick where values seldom repeat. */
bool clpac__flat_is_possible(const void *values, bool are_double, size_t stride, size_t n, size_t least);

/* Looks at the next samples of the series: n of float or double, `stride` apart.  NaN and infinite ones are no run. */
clpac_status clpac__flat_look_at(clpac__flat_search *search, const void *values, bool are_double, size_t stride,
				 size_t n, clpac_error *err);

/* The same in pieces, between which a call ends that is cancelled. */
static inline clpac_status clpac__flat_look(clpac__flat_search *search, const void *values, bool are_double,
					    size_t stride, size_t n, clpac_error *err)
{
	enum { AT_ONCE = 1 << 20 };
	const size_t bytes = stride * (are_double ? sizeof(double) : sizeof(float));
	for (size_t at = 0; at < n; at += AT_ONCE) {
		RETURN_IF_ERROR(clpac_cancel_check(err));
		RETURN_IF_ERROR(clpac__flat_look_at(search, (const char *)values + at * bytes, are_double, stride,
						    n - at < AT_ONCE ? n - at : AT_ONCE, err));
	}
	return CLPAC_OK;
}

/* Ends the search: `runs` are those where data is missing, and n_clipped is known.
 *
 * A run is missing data where it is longer than chance allows: where such runs are expected less than once in a
 * thousand series.  A sample repeats the one before it with a probability p, that of all samples outside such runs, so
 * that n samples have n p^(L - 1) runs of L or more.  Some values repeat more often than others: of the runs that last
 * half as long as `least`, N, a share q goes on for another sample, so that N q^(L - least / 2) have L or more; where N
 * is at least 8 that counts too.  With the resolution of floating-point numbers p is 0; in steps as coarse as the
 * signal it is near 1, and only very long runs count.  A series that never changes has no runs. */
clpac_status clpac__flat_end(clpac__flat_search *search, clpac_error *err);

void clpac__flat_clear(clpac__flat_search *search);

#endif
