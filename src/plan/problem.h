/* The problem as the plan holds it: a copy that owns its arrays, with its defaults, checks and text form. */
#ifndef CLPAC_PLAN_PROBLEM_H
#define CLPAC_PLAN_PROBLEM_H

#include <clpac/problem.h>
#include <clpac/result.h>
#include "base/error.h"

struct clpac_problem_copy {
	clpac_problem problem; /* its pointers are the arrays below */
	clpac_band *bands[2];  /* by clpac_band_use */
	double *taps[2];
	size_t *shifts;
	size_t n_shifts; /* while a text is read: how many it holds */
};

/* Samples are counted in 32 bits on the devices, twice over and with room for the extension. */
enum { CLPAC__MAX_SAMPLES = 1 << 30 };

/* Fills in the defaults that need no memory: all but the bands. */
void clpac__problem_fill(clpac_problem *problem);

/* Checks a problem whose defaults are filled in, each member by name and number, and turns CLPAC_EDGE_AUTO into
 * samples. Besides what each member allows, the samples kept must
 *   - hold one period of every phase band's lower edge: of less than a cycle there is no distribution over phase (three
 *     periods and more are good practice; filters shortened by a short series are warned about and not refused),
 *   - be at least as many as phase bins. */
clpac_status clpac__problem_check(clpac_problem *problem, clpac_error *err);

/* Taps of the longest filter of the bank, designed or given.  Bands and cycles are filled in and good. */
size_t clpac__problem_longest_filter(const clpac_problem *problem);

/* Which arrays a result of the problem holds (bit 1 << clpac_array), and its shape. */
unsigned clpac__problem_arrays(const clpac_problem *problem, clpac_result_shape *shape);

#endif
