/* The permutation tests of a comparison, on values of subjects. */
#ifndef CLPAC_COUPLING_COMPARE_GROUP_TESTS_H
#define CLPAC_COUPLING_COMPARE_GROUP_TESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/group.h>
#include "base/error.h"
#include "coupling/signal/permutations.h"

/* Maps of cells, one after the other, all with the same bands. */
typedef struct clpac__group_cells {
	size_t n_maps, n_phase, n_amplitude;
	const double *values;  /* (subject, map, phase, amplitude); not finite: the cell has no t */
	const uint8_t *valid;  /* (phase, amplitude): those that count for p_max, q and clusters */
	const uint32_t *links; /* (phase, amplitude): neighbours, as for surrogate_clusters */
} clpac__group_cells;

typedef struct clpac__group_rule {
	clpac__permutations permutations;
	size_t degrees; /* of freedom */
	clpac_side side;
	bool is_one_family; /* all maps together; otherwise each is one */
	double cluster_alpha;
} clpac__group_rule;

/* Outputs, the caller's; (map, phase, amplitude), and (map, n_choices - 1) for maxima and heaviest. */
typedef struct clpac__group_outcome {
	float *effect, *t, *p, *p_max, *mass, *p_cluster, *maxima, *heaviest;
} clpac__group_outcome;

clpac_status clpac__group_test(const clpac__group_cells *cells, const clpac__group_rule *rule,
			       const clpac__group_outcome *outcome, clpac_error *err);

#endif
