/* Comparison of results with each other. */
#ifndef CLPAC_TESTS_RESULTS_H
#define CLPAC_TESTS_RESULTS_H

#include <stdbool.h>
#include <clpac/memory/device.h>
#include <clpac/result.h>

/* Value i of an array, which the result has. */
float results_value(const clpac_result *result, clpac_array which, size_t i);

/* Fails the test unless both hold the same measures, arrays and counts of empty bins, bit for bit. */
void results_same_bits(const clpac_result *a, const clpac_result *b, const char *label, const char *replay);

/* The same of one measure: that whose arrays a and b themselves give. */
void results_same_measure(const clpac_result *a, const clpac_result *b, const char *label, const char *replay);

/* As results_same_bits for two kernels of a device that do the same to other items, side by side or apart.  Intel's
 * compiler for CPUs computes most items in vectors and the others alone, with other quotients and logarithms: there
 * heights of bins may be four roundings apart, and what follows from them as far as they move it, but no p, no q and no
 * count. */
void results_same_in_items(const clpac_device *device, const clpac_result *a, const clpac_result *b, const char *label,
			   const char *replay);

/* Index in b of each channel, phase band and amplitude band of a; one entry each.  NULL: the same index. */
typedef struct results_order {
	const size_t *channel, *phase, *amplitude;
} results_order;

/* The same where b's channels and bands stand in another order, or are more than a's; segments and surrogates must be
 * the same.  The peak's distribution is not compared. */
void results_same_bits_in_order(const clpac_result *a, const clpac_result *b, const results_order *order,
				const char *label, const char *replay);

/* The same within the differences of two transforms, where a driver's transform rounds a row by its neighbours: a
 * relative height d of a bin by `units` roundings on either side, an index by sqrt(2 MI / ln N) d + d^2 / (2 ln N),
 * statistics of surrogates by as much relative to their own size, and no rank by more than one.  q, gamma tails and
 * clusters are held against each result's own indices and surrogates; the latter two need these to be kept. */
void results_alike_in_order(const clpac_result *a, const clpac_result *b, const results_order *order, double units,
			    const char *label, const char *replay);

#endif
