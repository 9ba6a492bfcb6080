/* The permutation test of pooled indices: bin sums of epochs, added up anew for each way to deal out two labels. */
#ifndef CLPAC_COUPLING_COMPARE_POOLED_TESTS_H
#define CLPAC_COUPLING_COMPARE_POOLED_TESTS_H

#include <stddef.h>
#include <stdint.h>
#include <clpac/group.h>
#include "base/error.h"
#include "coupling/signal/permutations.h"

/* One map of epochs, those of the first condition first. */
typedef struct clpac__pooled_map {
	size_t n_phase, n_amplitude, n_bins;
	const float *sums;     /* (epoch, phase, amplitude, bin): of amplitudes */
	const float *counts;   /* (epoch, phase, bin): of samples */
	const uint8_t *valid;  /* (phase, amplitude): those that count for maxima and clusters */
	const uint32_t *links; /* (phase, amplitude): neighbours */
	clpac_measure measure; /* a binned one */
	clpac_average average;
} clpac__pooled_map;

typedef struct clpac__pooled_rule {
	clpac__permutations permutations;
	clpac_side side;
	double cluster_alpha;
} clpac__pooled_rule;

/* Outputs, the caller's: (phase, amplitude), and n_choices - 1 maxima and heaviest.  standing is where the difference
 * stands among those of all permutations: (d - mean) / deviation. */
typedef struct clpac__pooled_outcome {
	float *effect, *ratio, *standing, *p, *mass, *maxima, *heaviest;
} clpac__pooled_outcome;

clpac_status clpac__pooled_test(const clpac__pooled_map *map, const clpac__pooled_rule *rule,
				const clpac__pooled_outcome *outcome, clpac_error *err);

/* p_max of n cells by the maxima of n_others permutations; NaN where a cell does not count. */
void clpac__pooled_p_max(const float *standing, const uint8_t *valid, size_t n_cells, size_t n, clpac_side side,
			 const float *maxima, size_t n_others, float *p_max);

#endif
