/* Moments, z and p of surrogates. */
#include "coupling/signal/statistics.h"

#include <math.h>

#include "shared/maps.h"

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

float clpac__maximum_or_nan(float maximum)
{
	return maximum > CLPAC_NO_MAXIMUM ? maximum : NAN;
}

/* How many of n values reach the least.  Sixteen at a time, a constant number, which compilers vectorise: each cell
 * passes all maxima. */
static size_t count_from(float least, const float *values, size_t n)
{
	enum { AT_ONCE = 16 };
	uint32_t reached[AT_ONCE] = {0};
	size_t sum = 0, k = 0;
	for (; k + AT_ONCE <= n; k += AT_ONCE)
		for (int i = 0; i < AT_ONCE; i++)
			reached[i] += values[k + (size_t)i] >= least;
	for (; k < n; k++)
		sum += values[k] >= least;
	for (int i = 0; i < AT_ONCE; i++)
		sum += reached[i];
	return sum;
}

void clpac__p_of_maxima(const float *standings, size_t n, const float *maxima, size_t n_maxima, float *p_max)
{
	for (size_t i = 0; i < n; i++) {
		const double standing = standings[i];
		const float least = (float)(standing - CLPAC_REACH * fmax(fabs(standing), 1));
		p_max[i] = isnan(standings[i]) ? NAN
					       : (float)clpac__p_value(count_from(least, maxima, n_maxima), n_maxima);
	}
}
