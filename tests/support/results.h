/* Results against each other. */
#ifndef CLPAC_TESTS_RESULTS_H
#define CLPAC_TESTS_RESULTS_H

#include <stdbool.h>
#include <clpac/result.h>

/* Fails the test unless both hold the same arrays with the same bits, and the same counts of empty bins. */
void results_same_bits(const clpac_result *a, const clpac_result *b, const char *label, const char *replay);

/* Which index of one result stands where in another: one entry per channel, phase band and amplitude band of a, the
 * index in b.  NULL: the same. */
typedef struct results_order {
	const size_t *channel, *phase, *amplitude;
} results_order;

/* The same where b's channels and bands stand in another order, or are more than a's.  Segments and surrogates as they
 * are. The peak's distribution is left out. */
void results_same_bits_in_order(const clpac_result *a, const clpac_result *b, const results_order *order,
				const char *label, const char *replay);

/* The same up to what the transforms of two ways may differ by, where a driver's transform rounds a row by its
 * neighbours: a relative height d of a bin by `units` roundings on either side, an index by sqrt(2 MI / ln N) d + d^2 /
 * (2 ln N), what is derived from surrogates by as much of its own size, and no rank by more than one. */
void results_alike_in_order(const clpac_result *a, const clpac_result *b, const results_order *order, double units,
			    const char *label, const char *replay);

#endif
