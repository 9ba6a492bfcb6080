/* A plan's copy of a problem: it owns its arrays, and has defaults, checks and a text form. */
#ifndef CLPAC_PLAN_PROBLEM_H
#define CLPAC_PLAN_PROBLEM_H

#include <clpac/problem.h>
#include <clpac/result.h>
#include "base/error.h"

struct clpac_problem_copy {
	clpac_problem problem; /* its pointers are the arrays below */
	clpac_band *bands[2];  /* indexed by clpac_band_use */
	double *taps[2];
	size_t *shifts;
	size_t n_shifts; /* set while a text is read: number of shifts in it */
};

/* Devices count samples in 32 bits: twice the samples, plus the extension, must fit. */
enum { CLPAC__MAX_SAMPLES = 1 << 30 };

/* Fills in the defaults that need no allocation: all but the bands. */
void clpac__problem_fill(clpac_problem *problem);

/* Checks a problem with its defaults filled in, each member by name and number, and converts CLPAC_EDGE_AUTO to
 * samples.  The kept samples must
 *   - hold one period of every phase band's lower edge: less than a cycle has no distribution over phase.  (Three
 *     periods or more are good practice; filters shortened by a short series cause a warning, not an error.)
 *   - be at least as many as phase bins.
 */
clpac_status clpac__problem_check(clpac_problem *problem, clpac_error *err);

/* The number of taps of the longest filter, designed or given.  Bands and cycles must be filled in and valid. */
size_t clpac__problem_longest_filter(const clpac_problem *problem);

/* The arrays that a result of the problem holds (bits 1 << clpac_array), and its shape. */
unsigned clpac__problem_arrays(const clpac_problem *problem, clpac_result_shape *shape);

#endif
