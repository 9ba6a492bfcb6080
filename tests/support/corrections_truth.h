/* The corrections of p by their definitions: q of every cell by comparing it with all others, and the gamma tail by
 * quadrature of the density, from kept surrogates.  Nothing is shared with the library. */
#ifndef CLPAC_TESTS_CORRECTIONS_TRUTH_H
#define CLPAC_TESTS_CORRECTIONS_TRUTH_H

#include <clpac/result.h>
#include <clpac/signal.h>
#include <stddef.h>

/* q of n values of p; NaN where p is.  Exact to a few roundings of a double. */
void discovery_truth(const float *p, size_t n, clpac_discovery rule, double *q);

/* The probability that a gamma distribution with this mean and deviation exceeds a value, to 1e-13 of itself
 * (test_corrections.c compares it with scipy's). */
double gamma_truth(double value, double mean, double deviation);

/* Fails unless every q of a result is that of the p beside it. */
void check_discoveries(const clpac_result *result, clpac_family family, const char *label);

/* Fails unless every p_gamma of a result is the tail of its index in the distribution that has the mean of the cell's
 * kept surrogates and their variance without bias, as far as moments of single precision let it be known.
 * @return the number of cells with a tail from 1e-38 to 1, which a constant does not pass for. */
size_t check_gamma_tails(const clpac_result *result, const char *label);

#endif
