/* Statistics of surrogates, in double (method, section 4): mean and deviation gathered one by one, z and p. */
#ifndef CLPAC_SIGNAL_STATISTICS_H
#define CLPAC_SIGNAL_STATISTICS_H

#include <stddef.h>

/* Gathered without storing the surrogates (Welford 1962; Chan et al. 1983 for the merge).  Zeroed is empty. */
typedef struct clpac__moments {
	size_t n;
	double mean;
	double m2;   /* sum of squared deviations from mean */
	size_t rank; /* how many surrogates are at or above the observed index */
} clpac__moments;

void clpac__moments_add(clpac__moments *moments, double surrogate, double observed);
/* As if b's surrogates had been added to a, which were measured against the same observed index. */
void clpac__moments_merge(clpac__moments *a, const clpac__moments *b);

/* sqrt(m2 / (n - ddof)); NaN where n <= ddof. */
double clpac__moments_std(double m2, size_t n, unsigned ddof);

/* (mi - mean) / std; NaN where std is not above 0, since equal surrogates say nothing. */
double clpac__z_score(double mi, double mean, double std);

/* (1 + rank) / (1 + n), rank being how many of n surrogates are at or above the observed index; NaN without surrogates.
 */
double clpac__p_value(size_t rank, size_t n);

#endif
