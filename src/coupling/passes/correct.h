/* p corrected over the cells of maps, from a complete result. */
#ifndef CLPAC_COUPLING_PASSES_CORRECT_H
#define CLPAC_COUPLING_PASSES_CORRECT_H

#include <clpac/problem.h>
#include <clpac/result.h>

/* Writes p_max of all series, by the maxima of each, or by `highest`, those of a family that reaches over all of them.
 * Standardized statistics are those that the result holds, or else those of its indices.  Without the arrays that it
 * needs nothing is written. */
clpac_status clpac__correct_maps(const clpac_problem *problem, clpac_result *result, const float *highest,
				 clpac_error *err);

#endif
