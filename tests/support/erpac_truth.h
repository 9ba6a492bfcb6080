/* The circular-linear correlation across trials from its definition, in long double. */
#ifndef CLPAC_TESTS_ERPAC_TRUTH_H
#define CLPAC_TESTS_ERPAC_TRUTH_H

#include <stdint.h>
#include "oracle.h"

enum { ERPAC_MOST_TRIALS = 64 };

/* The trials at one point in time. */
typedef struct erpac_point {
	size_t n;
	oracle_complex direction[ERPAC_MOST_TRIALS]; /* exp(i phase) */
	oracle_real strength[ERPAC_MOST_TRIALS];     /* modulus of the phase band */
	oracle_real amplitude[ERPAC_MOST_TRIALS];
} erpac_point;

/* rho, by the three correlations.  @param order the trial whose amplitude each trial takes; NULL: its own. */
oracle_real erpac_truth(const erpac_point *point, const uint32_t *order);

/* How far single precision may move rho, in any order: phases err by the noise of their band over their strength. */
oracle_real erpac_truth_limit(const erpac_point *point);

#endif
