/* The oracle for series of 10^5 samples: the same definitions in double, its sums by transforms of a power of two
 * written down here.  Rounding is 10^9 times smaller than what single precision is allowed. */
#ifndef CLPAC_TESTS_LONG_SERIES_H
#define CLPAC_TESTS_LONG_SERIES_H

#include <complex.h>
#include "oracle.h"

/* In place, n a power of two, unscaled, exp(sign 2 pi i k t / n). */
void long_transform(double complex *x, size_t n, int sign);

/* x + i Hilbert(x) of exactly n samples: the Hilbert kernel of n samples, circularly. */
void long_hilbert(const double *x, size_t n, double complex *out);

/* As oracle_analyse. */
oracle_signals *long_analyse(const clpac_problem *problem, const double *x, size_t fft_length);

#endif
