/* Moments, z and p of surrogates. */
#include "signal/statistics.h"

#include <math.h>

void clpac__moments_add(clpac__moments *moments, double surrogate, double observed)
{
	moments->n++;
	double delta = surrogate - moments->mean;
	moments->mean += delta / (double)moments->n;
	moments->m2 += delta * (surrogate - moments->mean);
	moments->rank += surrogate >= observed;
}

void clpac__moments_merge(clpac__moments *a, const clpac__moments *b)
{
	if (!b->n)
		return;
	double delta = b->mean - a->mean, n = (double)(a->n + b->n);
	a->m2 += b->m2 + delta * delta * ((double)a->n / n) * (double)b->n;
	a->mean += delta * ((double)b->n / n);
	a->n += b->n;
	a->rank += b->rank;
}

double clpac__moments_std(double m2, size_t n, unsigned ddof)
{
	return n > ddof ? sqrt(m2 / (double)(n - ddof)) : NAN;
}

double clpac__z_score(double mi, double mean, double std)
{
	return std > 0 ? (mi - mean) / std : NAN;
}

double clpac__p_value(size_t rank, size_t n)
{
	return n ? (1 + (double)rank) / (1 + (double)n) : NAN;
}
