/* Statistics of surrogates, in double (method, section 4): running mean and deviation, z and p. */
#ifndef CLPAC_COUPLING_SIGNAL_STATISTICS_H
#define CLPAC_COUPLING_SIGNAL_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* Running moments; no surrogate is stored (Welford 1962; Chan et al. 1983 for the merge).  Zeroed is empty. */
typedef struct clpac__moments {
	size_t n;
	double mean;
	double m2;   /* sum of squared deviations from mean */
	size_t rank; /* number of surrogates at or above the observed index */
} clpac__moments;

void clpac__moments_add(clpac__moments *moments, double surrogate, double observed);
/* Adds the surrogates of b to a.  Both are ranked against the same observed index. */
void clpac__moments_merge(clpac__moments *a, const clpac__moments *b);

/* sqrt(m2 / (n - ddof)); NaN where n <= ddof. */
double clpac__moments_std(double m2, size_t n, unsigned ddof);

/* (mi - mean) / std; NaN where std is not above 0, since equal surrogates give no scale. */
double clpac__z_score(double mi, double mean, double std);

/* (1 + rank) / (1 + n), where rank of n surrogates are at or above the observed index; NaN where n is 0. */
double clpac__p_value(size_t rank, size_t n);

/* A maximum of cl/surrogate_maxima.cl; NaN where no cell has a standing. */
float clpac__maximum_or_nan(float maximum);

/* The p of each of n cells, corrected over all cells that entered the maxima of n_maxima surrogates (Nichols & Holmes
 * 2002): (1 + #{maximum >= standing}) / (1 + n_maxima).  NaN where a cell has no standing (standings.h); a maximum of
 * NaN reaches nothing.  Cost: n x n_maxima comparisons. */
void clpac__p_of_maxima(const float *standings, size_t n, const float *maxima, size_t n_maxima, float *p_max);

#endif
