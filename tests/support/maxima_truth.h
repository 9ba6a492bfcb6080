/* The maxima of a map and the p corrected by them, by their definition and in double, from kept surrogates. */
#ifndef CLPAC_TESTS_MAXIMA_TRUTH_H
#define CLPAC_TESTS_MAXIMA_TRUTH_H

#include <stddef.h>
#include <stdint.h>

/* Fails unless the maxima of the valid ones of a map's n_cells cells and the p_max of these are those of its indices
 * and of its surrogates (n_surrogates, n_cells), as far as moments of single precision let it be known. */
void check_maxima(const float *mi, const float *surrogates, const uint8_t *valid, size_t n_cells, size_t n_surrogates,
		  const float *maxima, const float *p_max, const char *label);

#endif
