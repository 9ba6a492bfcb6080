/* A comparison of subjects by its definition: t of each permutation anew, in long double, one cell after the other. */
#ifndef CLPAC_TESTS_GROUP_TRUTH_H
#define CLPAC_TESTS_GROUP_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <clpac/group.h>

enum { TRUTH_MOST_CELLS = 64, TRUTH_MOST_SUBJECTS = 24 };

/* One map of subjects: values (subject, phase, amplitude), whose bands all adjoin.  NaN: no t. */
typedef struct group_map {
	size_t n_first, n_second; /* n_second 0: values against 0 */
	size_t n_phase, n_amplitude;
	const double *values;
	const bool *valid; /* (phase, amplitude) */
	clpac_side side;
	long double limit; /* of |t|, beyond which cells enter clusters */
} group_map;

typedef struct group_truth {
	long double effect[TRUTH_MOST_CELLS], t[TRUTH_MOST_CELLS], mass[TRUTH_MOST_CELLS];
	double p[TRUTH_MOST_CELLS], p_max[TRUTH_MOST_CELLS], p_cluster[TRUTH_MOST_CELLS];
	size_t n_permutations;
} group_truth;

/* By all permutations: every set of flipped signs, every choice of the first group. */
group_truth group_truth_of_all(const group_map *map);
/* By the n given ones, (permutation, subject) of 1 and -1, or 1 and 0; the given order counts beside them. */
group_truth group_truth_of(const group_map *map, const double *weights, size_t n);

#endif
