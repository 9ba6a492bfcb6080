/* The oracle for series of 10^5 samples: the same definitions in double, its sums computed by transforms of a power of
 * two that are written out here.  Its rounding is 10^9 times smaller than the tolerance of single precision. */
#ifndef CLPAC_TESTS_LONG_SERIES_H
#define CLPAC_TESTS_LONG_SERIES_H

#include <complex.h>
#include "oracle.h"

/* Transforms in place: n a power of two, unscaled, exp(sign 2 pi i k t / n). */
void long_transform(double complex *x, size_t n, int sign);

/* x + i Hilbert(x) of exactly n samples, by circular convolution with the Hilbert kernel of n samples. */
void long_hilbert(const double *x, size_t n, double complex *out);

/* Arguments as of oracle_analyse. */
oracle_signals *long_analyse(const clpac_problem *problem, const double *x, size_t fft_length);

#endif
