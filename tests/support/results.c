/* Comparison of results. */
#include "results.h"

#include "test_thread.h"
#include <math.h>
#include <string.h>

void results_same_bits(const clpac_result *a, const clpac_result *b, const char *label, const char *replay)
{
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n_a, n_b;
		const float *x = clpac_result_array(a, (clpac_array)which, &n_a);
		const float *y = clpac_result_array(b, (clpac_array)which, &n_b);
		ck_assert_uint_eq(n_a, n_b);
		for (size_t i = 0; i < n_a; i++)
			ck_assert_msg(memcmp(&x[i], &y[i], sizeof *x) == 0, "%s: %s[%zu] is %.9g and %.9g; %s", label,
				      clpac_array_name((clpac_array)which), i, x[i], y[i], replay);
	}
	const clpac_result_shape *shape = clpac_result_get_shape(a);
	const size_t rows = shape->n_channels * shape->n_segments * shape->n_phase_bands;
	ck_assert_msg(memcmp(clpac_result_empty_bins(a), clpac_result_empty_bins(b), rows * sizeof(uint32_t)) == 0,
		      "%s: other empty bins; %s", label, replay);
}

/* Index in b of the value at index i of a. */
static size_t find(const clpac_result *a, const clpac_result *b, clpac_array which, const results_order *order,
		   size_t i)
{
	size_t from[5], to[5], index[5], at = 0;
	const size_t n = clpac_array_dimensions(clpac_result_get_shape(a), which, from);
	clpac_array_dimensions(clpac_result_get_shape(b), which, to);
	for (size_t d = n; d-- > 0;) {
		index[d] = i % from[d];
		i /= from[d];
	}
	const size_t phase = which == CLPAC_SURROGATES ? 3 : 2;
	if (order->channel)
		index[0] = order->channel[index[0]];
	if (order->phase)
		index[phase] = order->phase[index[phase]];
	if (order->amplitude)
		index[phase + 1] = order->amplitude[index[phase + 1]];
	for (size_t d = 0; d < n; d++)
		at = at * to[d] + index[d];
	return at;
}

/* How far a value of an array may move when every bin's relative height moves by d. */
static double reach(const clpac_result *result, clpac_array which, size_t i, double d)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const double value = fabs(clpac_result_array(result, which, NULL)[i]), entropy = log((double)shape->n_bins);
	const double of_index = sqrt(2 * value / entropy) * d + d * d / (2 * entropy);
	if (which == CLPAC_MI || which == CLPAC_SURROGATES || which == CLPAC_SURROGATE_MEAN)
		return of_index;
	if (which == CLPAC_P)
		return 1.01 / (1 + (double)shape->n_surrogates);
	if (which == CLPAC_DISTRIBUTION)
		return value * d;
	/* The deviation is about as large as the mean, so z moves by as many deviations. */
	const double mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL)[i];
	const double std = clpac_result_array(result, CLPAC_SURROGATE_STD, NULL)[i];
	const double mi = clpac_result_array(result, CLPAC_MI, NULL)[i];
	const double of_mean = sqrt(2 * mean / entropy) * d, of_mi = sqrt(2 * mi / entropy) * d;
	return which == CLPAC_SURROGATE_STD ? of_mean : (of_mi + of_mean * (1 + value)) / std;
}

static void compare(const clpac_result *a, const clpac_result *b, const results_order *order, double d,
		    const char *label, const char *replay)
{
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n_a, n_b;
		const float *x = clpac_result_array(a, (clpac_array)which, &n_a);
		const float *y = clpac_result_array(b, (clpac_array)which, &n_b);
		if (which == CLPAC_PEAK_DISTRIBUTION)
			continue;
		ck_assert_int_eq(n_a == 0, n_b == 0);
		for (size_t i = 0; i < n_a; i++) {
			const size_t at = find(a, b, (clpac_array)which, order, i);
			ck_assert_uint_lt(at, n_b);
			if (memcmp(&x[i], &y[at], sizeof *x) == 0)
				continue;
			const double limit = d > 0 ? reach(a, (clpac_array)which, i, d) : 0;
			ck_assert_msg(d > 0 && fabs((double)x[i] - (double)y[at]) <= limit,
				      "%s: %s[%zu] is %.9g and %.9g, %.2g apart, %.2g allowed; %s", label,
				      clpac_array_name((clpac_array)which), i, x[i], y[at],
				      (double)x[i] - (double)y[at], limit, replay);
		}
	}
}

void results_alike_in_order(const clpac_result *a, const clpac_result *b, const results_order *order, double units,
			    const char *label, const char *replay)
{
	compare(a, b, order, units * 0x1p-24, label, replay);
}

void results_same_bits_in_order(const clpac_result *a, const clpac_result *b, const results_order *order,
				const char *label, const char *replay)
{
	compare(a, b, order, 0, label, replay);
}
