/* p adjusted for the rate of false discoveries. */
#include "coupling/signal/false_discovery.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

typedef struct ranked {
	float p;
	size_t place;
} ranked;

enum { DIGIT_BITS = 8, N_DIGITS = 32 / DIGIT_BITS, N_VALUES = 1 << DIGIT_BITS };

/* The bits of floats from 0 on are in the order of the floats. */
static size_t digit_of(float p, int digit)
{
	uint32_t bits;
	memcpy(&bits, &p, sizeof bits);
	return bits >> (digit * DIGIT_BITS) & (N_VALUES - 1);
}

/* Orders n values by their digits, the lowest first: p of a thousand cells in a fifth of the time that comparisons
 * take.  room is for n values; returns where the ordered ones are. */
static ranked *put_in_order(ranked *from, ranked *room, size_t n)
{
	size_t counts[N_DIGITS][N_VALUES] = {0};
	for (size_t i = 0; i < n; i++)
		for (int digit = 0; digit < N_DIGITS; digit++)
			counts[digit][digit_of(from[i].p, digit)]++;
	for (int digit = 0; digit < N_DIGITS; digit++) {
		size_t before = 0, *places = counts[digit];
		if (!n || places[digit_of(from[0].p, digit)] == n)
			continue;
		for (size_t value = 0; value < N_VALUES; value++) {
			const size_t count = places[value];
			places[value] = before;
			before += count;
		}
		for (size_t i = 0; i < n; i++)
			room[places[digit_of(from[i].p, digit)]++] = from[i];
		ranked *ordered = room;
		room = from;
		from = ordered;
	}
	return from;
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
	ranked *room = NULL;
	size_t bytes, m = 0;
	if (!clpac__size_mul(n ? n : 1, 2 * sizeof *room, &bytes) || !(room = clpac__alloc(bytes)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left to order %zu values of p", n);
	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			room[m++] = (ranked){p[i] > 0 ? p[i] : 0, i}; /* -0 has other bits than 0 */
		else
			q[i] = NAN;
	}
	const ranked *order = put_in_order(room, room + n, m);
	const double factor = (double)m * (rule == CLPAC_DISCOVERY_BY ? harmonic(m) : 1);
	double lowest = 1;
	for (size_t rank = m; rank > 0; rank--) {
		const double own = (double)order[rank - 1].p;
		lowest = fmin(lowest, own * (factor / (double)rank));
		/* No q is below its p, which it would be by a rounding of the quotient where all p are equal. */
		q[order[rank - 1].place] = (float)fmax(lowest, own);
	}
done:
	clpac__free(room);
	return st;
}

clpac_status clpac_signal_false_discovery(const float *p, size_t n, clpac_discovery rule, float *q, clpac_error *err)
{
	NEED(p);
	NEED(q);
	if ((unsigned)rule > CLPAC_DISCOVERY_BY)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "rule is %d: it is CLPAC_DISCOVERY_BH or CLPAC_DISCOVERY_BY",
			     (int)rule);
	for (size_t i = 0; i < n; i++)
		if (p[i] < 0 || p[i] > 1)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "p[%zu] is %g: a p is from 0 to 1, or NaN where there is none", i, (double)p[i]);
	return clpac__false_discovery(p, n, rule, q, err);
}
