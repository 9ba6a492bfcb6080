/* Clusters of a map and their p, by their definition and in double, from kept surrogates. */
#ifndef CLPAC_TESTS_CLUSTERS_TRUTH_H
#define CLPAC_TESTS_CLUSTERS_TRUTH_H

#include <clpac/problem.h>
#include <stdbool.h>
#include <stddef.h>

/* Adds up a cluster and what it touches: the cells of standardized statistics (n_phase, n_amplitude) above 0 that are
 * joined with cell `start` through neighbours; each is marked in `seen`.
 * @param joins_left, joins_up of each cell: whether it touches the one before it in its row, in its column. */
double flood(const double *standardized, const bool *joins_left, const bool *joins_up, size_t n_phase,
	     size_t n_amplitude, size_t start, bool *seen);

/* Fails unless masses, heaviest clusters and p of a complete problem's map are those of its indices and of its
 * surrogates (k, cell).  Where single precision leaves open whether a cell enters a cluster, the map is left out.
 * @return the number of maps compared, of n_surrogates + 1. */
size_t check_clusters(const clpac_problem *problem, const float *mi, const float *surrogates, const float *mass,
		      const float *heaviest, const float *p, const char *label);

#endif
