/* Running mean and deviation of surrogates (Welford 1962), and the rank of the observed index among them. */
#ifndef CLPAC_TESTS_MOMENTS_H
#define CLPAC_TESTS_MOMENTS_H

#include <stddef.h>

/* Zeroed is empty. */
typedef struct moments {
	size_t n;
	double mean;
	double m2;   /* sum of squared deviations from mean */
	size_t rank; /* number of surrogates at or above the observed index */
} moments;

static inline void moments_add(moments *of, double surrogate, double observed)
{
	const double delta = surrogate - of->mean;
	of->mean += delta / (double)++of->n;
	of->m2 += delta * (surrogate - of->mean);
	of->rank += surrogate >= observed;
}

#endif
