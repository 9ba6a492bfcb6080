/* p adjusted for the rate of false discoveries. */
#include "signal/false_discovery.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct ranked {
	double p;
	size_t place;
} ranked;

static int by_p(const void *a, const void *b)
{
	const ranked *x = a, *y = b;
	return (x->p > y->p) - (x->p < y->p);
}

/* 1 + 1/2 + ... + 1/n, the smallest terms first. */
static double harmonic(size_t n)
{
	double sum = 0;
	for (size_t i = n; i > 0; i--)
		sum += 1 / (double)i;
	return sum;
}

clpac_status clpac__false_discovery(const float *p, size_t n, clpac_discovery rule, float *q, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	ranked *order = NULL;
	size_t bytes, m = 0;
	if (!clpac__size_mul(n ? n : 1, sizeof *order, &bytes) || !(order = clpac__alloc(bytes)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left to order %zu values of p", n);
	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			order[m++] = (ranked){(double)p[i], i};
		else
			q[i] = NAN;
	}
	qsort(order, m, sizeof *order, by_p);
	const double factor = (double)m * (rule == CLPAC_DISCOVERY_BY ? harmonic(m) : 1);
	double lowest = 1;
	for (size_t rank = m; rank > 0; rank--) {
		lowest = fmin(lowest, order[rank - 1].p * (factor / (double)rank));
		/* No q is below its p, which it would be by a rounding of the quotient where all p are equal. */
		q[order[rank - 1].place] = (float)fmax(lowest, order[rank - 1].p);
	}
done:
	clpac__free(order);
	return st;
}

clpac_status clpac_signal_false_discovery(const float *p, size_t n, clpac_discovery rule, float *q, clpac_error *err)
{
	NEED(p);
	NEED(q);
	clpac_status st = CLPAC_OK;
	if ((unsigned)rule > CLPAC_DISCOVERY_BY)
		FAIL(CLPAC_ERROR_ARGUMENT, "rule is %d: it is CLPAC_DISCOVERY_BH or CLPAC_DISCOVERY_BY", (int)rule);
	for (size_t i = 0; i < n; i++)
		if (p[i] < 0 || p[i] > 1)
			FAIL(CLPAC_ERROR_ARGUMENT, "p[%zu] is %g: a p is from 0 to 1, or NaN where there is none", i,
			     (double)p[i]);
	TRY(clpac__false_discovery(p, n, rule, q, err));
done:
	return st;
}
