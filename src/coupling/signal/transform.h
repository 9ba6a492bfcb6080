/* The discrete Fourier transform in double, for what is computed once on the host. */
#ifndef CLPAC_COUPLING_SIGNAL_TRANSFORM_H
#define CLPAC_COUPLING_SIGNAL_TRANSFORM_H

#include <stddef.h>

#include "base/error.h"

typedef struct clpac__value {
	double re, im;
} clpac__value;

/* A length, with what transforms of it need.  One thread at a time. */
typedef struct clpac__transform {
	size_t n;
	clpac__value *roots; /* owned: exp(-2 pi i k / n), n of them */
	clpac__value *room;  /* owned: n */
} clpac__transform;

/* The shortest even length, n or more, that has no factors but 2, 3 and 5. */
size_t clpac__transform_length(size_t n);

/* @param n above 0, with no factors but 2, 3 and 5.  To be cleared.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__transform_make(size_t n, clpac__transform *out, clpac_error *err);
void clpac__transform_clear(clpac__transform *transform);

/* Transforms n values in place: x[k] = sum x[t] exp(-2 pi i k t / n).  Cost: some 8 n multiplications for each factor
 * of n. */
void clpac__transform_run(const clpac__transform *transform, clpac__value *x);

#endif
