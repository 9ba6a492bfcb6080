/* Channels that a comparison of conditions takes from a result, and the epochs of each that have values. */
#ifndef CLPAC_COUPLING_COMPARE_COMPARE_EPOCHS_H
#define CLPAC_COUPLING_COMPARE_COMPARE_EPOCHS_H

#include <stddef.h>
#include <clpac/compare.h>
#include "base/error.h"
#include "coupling/signal/permutations.h"

/* The epochs of one channel that have values, those of the first condition first. */
typedef struct clpac__epochs {
	size_t *segments;
	size_t n_first, n; /* n 0: a condition has fewer than two */
} clpac__epochs;

typedef struct clpac__compared_epochs {
	const clpac_comparison *asked;
	const clpac_result_shape *shape; /* of the epochs */
	size_t map;			 /* cells */
	size_t *channels, n_channels;
	clpac__epochs *of_channels;
	clpac__permutations *permutations; /* of each channel */
} clpac__compared_epochs;

/* Checks the comparison, and finds channels and epochs.
 * @param asked complete; must live as long.
 * @param[out] out to be cleared in any case. */
clpac_status clpac__compared_find(const clpac_comparison *asked, clpac__compared_epochs *out, clpac_error *err);
void clpac__compared_clear(clpac__compared_epochs *epochs);

#endif
