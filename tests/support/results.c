/* Comparison of results. */
#include "results.h"

#include <math.h>
#include <string.h>

#include "assertions.h"
#include "clusters_truth.h"
#include "corrections_truth.h"
#include "test_thread.h"

float results_value(const clpac_result *result, clpac_array which, size_t i)
{
	size_t n;
	const float *values = clpac_result_array(result, which, &n);
	ck_assert_msg(values && i < n, "%s lacks value %zu", clpac_array_name(which), i);
	return values[i];
}

static void same_bits_of(const clpac_result *a, const clpac_result *b, clpac_array which, const char *label,
			 const char *replay)
{
	size_t n_a, n_b;
	const float *x = clpac_result_array(a, which, &n_a);
	const float *y = clpac_result_array(b, which, &n_b);
	ck_assert_uint_eq(n_a, n_b);
	for (size_t i = 0; i < n_a; i++)
		ck_assert_msg(memcmp(&x[i], &y[i], sizeof *x) == 0, "%s, %s: %s[%zu] is %.9g and %.9g; %s", label,
			      clpac_measure_text(clpac_result_measure(a)), clpac_array_name(which), i, x[i], y[i],
			      replay);
}

void results_same_measure(const clpac_result *a, const clpac_result *b, const char *label, const char *replay)
{
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++)
		same_bits_of(a, b, (clpac_array)which, label, replay);
	const clpac_result_shape *shape = clpac_result_get_shape(a);
	const size_t rows = shape->n_channels * shape->n_segments * shape->n_phase_bands;
	ck_assert_msg(memcmp(clpac_result_empty_bins(a), clpac_result_empty_bins(b), rows * sizeof(uint32_t)) == 0,
		      "%s: other empty bins; %s", label, replay);
}

void results_same_bits(const clpac_result *a, const clpac_result *b, const char *label, const char *replay)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT], others[CLPAC_MEASURE_COUNT];
	const size_t n_measures = clpac_result_measures(a, measures);
	ck_assert_uint_eq(n_measures, clpac_result_measures(b, others));
	for (size_t m = 0; m < n_measures; m++) {
		ck_assert_int_eq(measures[m], others[m]);
		results_same_measure(clpac_result_of(a, measures[m]), clpac_result_of(b, measures[m]), label, replay);
	}
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
	const size_t phase = which == CLPAC_SURROGATES ? 3 : 2, n_of_maxima = 3;
	if (order->channel)
		index[0] = order->channel[index[0]];
	if (order->phase && (n > n_of_maxima || which == CLPAC_PHASE_NONUNIFORMITY))
		index[phase] = order->phase[index[phase]];
	if (order->amplitude && n > n_of_maxima && which != CLPAC_BIN_COUNTS)
		index[phase + 1] = order->amplitude[index[phase + 1]];
	for (size_t d = 0; d < n; d++)
		at = at * to[d] + index[d];
	return at;
}

/* The deviation of surrogates is about as large as their mean, so a z or a standardized statistic of this size moves by
 * as many deviations. */
static double reach_of_z(const clpac_result *result, size_t cell, double size, double d)
{
	const double entropy = log((double)clpac_result_get_shape(result)->n_bins);
	const double mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL)[cell];
	const double std = clpac_result_array(result, CLPAC_SURROGATE_STD, NULL)[cell];
	const double mi = clpac_result_array(result, CLPAC_MI, NULL)[cell];
	return (sqrt(2 * mi / entropy) * d + sqrt(2 * mean / entropy) * d * (1 + size)) / std;
}

/* The same of maximum i, which may be that of any cell of its map. */
static double reach_of_maximum(const clpac_result *result, size_t i, double d)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t cells = shape->n_phase_bands * shape->n_amplitude_bands, first = i / shape->n_surrogates * cells;
	const double size = fabs(clpac_result_array(result, CLPAC_MAXIMA, NULL)[i]);
	double farthest = 0;
	for (size_t cell = first; cell < first + cells; cell++)
		farthest = fmax(farthest, reach_of_z(result, cell, size, d));
	return farthest;
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
	if (which == CLPAC_P_MAX) /* the index passes one maximum, and another passes the index */
		return 2.01 / (1 + (double)shape->n_surrogates);
	if (which == CLPAC_DISTRIBUTION)
		return value * d;
	if (which == CLPAC_BIN_COUNTS || which == CLPAC_PHASE_NONUNIFORMITY)
		return 0;
	if (which == CLPAC_MAXIMA)
		return reach_of_maximum(result, i, d);
	if (which == CLPAC_MEAN_VECTOR)
		return d;
	if (which == CLPAC_PREFERRED_PHASE) /* 1.6: the arc over its sine */
		return 1.6 * d / clpac_result_array(result, CLPAC_MEAN_VECTOR, NULL)[i];
	const double mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL)[i];
	return which == CLPAC_SURROGATE_STD ? sqrt(2 * mean / entropy) * d : reach_of_z(result, i, value, d);
}

/* What no two values of an array can be apart by: a tolerance that reaches it would be a check that cannot fail. */
static double farthest_of(clpac_array which)
{
	switch (which) {
	case CLPAC_P:
	case CLPAC_P_MAX:
	case CLPAC_MEAN_VECTOR:
		return 1;
	case CLPAC_PREFERRED_PHASE:
		return acos(-1);
	default:
		return HUGE_VAL;
	}
}

/* Corrections leap where a p, a cell at the limit of a cluster or a thin tail moves a little: each result's follow from
 * its own indices instead. */
static bool is_correction(clpac_array which)
{
	return which == CLPAC_Q_BH || which == CLPAC_Q_BY || which == CLPAC_P_GAMMA || which == CLPAC_P_CLUSTER ||
	       which == CLPAC_CLUSTER_MASS || which == CLPAC_CLUSTER_MAXIMA ||
	       (which >= CLPAC_EXCESS && which <= CLPAC_EXCESS_HI);
}

/* An excess is the index less the mean of its surrogates, and its interval reaches around it. */
static void check_excess(const clpac_result *result, const char *label)
{
	size_t n;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	const float *mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL);
	const float *excess = clpac_result_array(result, CLPAC_EXCESS, &n);
	const float *lo = clpac_result_array(result, CLPAC_EXCESS_LO, NULL);
	const float *hi = clpac_result_array(result, CLPAC_EXCESS_HI, NULL);
	for (size_t i = 0; excess && mi && mean && i < n; i++) {
		const float own = (float)((double)mi[i] - mean[i]);
		ck_assert_msg(excess[i] == own || (isnan(excess[i]) && isnan(own)),
			      "%s: the excess of cell %zu is %g: it is %g", label, i, (double)excess[i], (double)own);
		ck_assert_msg(isnan(lo[i]) || (lo[i] >= 0 && lo[i] <= fmaxf(own, 0) && hi[i] >= own),
			      "%s: the interval of cell %zu is %g to %g about %g", label, i, (double)lo[i],
			      (double)hi[i], (double)own);
	}
}

/* Fails unless the corrections of a result are those of its own indices, surrogates and p. */
static void check_corrections(const clpac_result *result, const char *label)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t cells = shape->n_phase_bands * shape->n_amplitude_bands, K = shape->n_surrogates;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	const float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL);
	const float *mass = clpac_result_array(result, CLPAC_CLUSTER_MASS, NULL);
	const float *heaviest = clpac_result_array(result, CLPAC_CLUSTER_MAXIMA, NULL);
	const float *p_cluster = clpac_result_array(result, CLPAC_P_CLUSTER, NULL);
	clpac_problem_copy *problem = NULL;
	clpac_error err;
	size_t n_compared = 0;
	check_excess(result, label);
	if (!clpac_result_array(result, CLPAC_P, NULL))
		return;
	assert_works(clpac_problem_read(clpac_result_problem(result), &problem, &err), err);
	check_discoveries(result, clpac_problem_get(problem)->family, label);
	if (clpac_result_array(result, CLPAC_P_GAMMA, NULL))
		ck_assert_uint_gt(check_gamma_tails(result, label), 0);
	ck_assert(!p_cluster || (surrogates && mass && heaviest)); /* without surrogates nothing would be compared */
	for (size_t series = 0; p_cluster && series < shape->n_channels * shape->n_segments; series++)
		n_compared +=
			check_clusters(clpac_problem_get(problem), mi + series * cells, surrogates + series * K * cells,
				       mass + series * cells, heaviest + series * K, p_cluster + series * cells, label);
	ck_assert(!p_cluster || n_compared > 0);
	clpac_problem_destroy(problem);
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
		if (d > 0 && is_correction((clpac_array)which))
			continue;
		for (size_t i = 0; i < n_a; i++) {
			const size_t at = find(a, b, (clpac_array)which, order, i);
			ck_assert_uint_lt(at, n_b);
			if (memcmp(&x[i], &y[at], sizeof *x) == 0)
				continue;
			const double limit = d > 0 ? reach(a, (clpac_array)which, i, d) : 0;
			ck_assert_msg(limit < farthest_of((clpac_array)which),
				      "%s: nothing is farther apart than the %.2g that %s may be", label, limit,
				      clpac_array_name((clpac_array)which));
			const double apart = which == CLPAC_PREFERRED_PHASE
						     ? remainder((double)x[i] - (double)y[at], 2 * acos(-1))
						     : (double)x[i] - (double)y[at];
			ck_assert_msg(d > 0 && fabs(apart) <= limit,
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
	check_corrections(a, label);
	check_corrections(b, label);
}

void results_same_bits_in_order(const clpac_result *a, const clpac_result *b, const results_order *order,
				const char *label, const char *replay)
{
	compare(a, b, order, 0, label, replay);
}

void results_same_in_items(const clpac_device *device, const clpac_result *a, const clpac_result *b, const char *label,
			   const char *replay)
{
	static const results_order same_order;
	static const clpac_array of_ranks[] = {CLPAC_P, CLPAC_P_MAX, CLPAC_Q_BH, CLPAC_Q_BY, CLPAC_BIN_COUNTS};
	if (strcmp(device->platform_name, "Intel(R) OpenCL") != 0) { /* its GPUs have another platform */
		results_same_bits(a, b, label, replay);
		return;
	}
	/* A unit in the last place, 2^-23 of the value, for each quotient in the mean of a bin: two in the level, 1
	 * over the samples of a tile and of the series, and two in the bin's distance from it, 1 over its scale and
	 * over its samples.  That runtime does not round quotients correctly, and says so. */
	results_alike_in_order(a, b, &same_order, 8, label, replay);
	for (size_t i = 0; i < COUNT(of_ranks); i++)
		same_bits_of(a, b, of_ranks[i], label, replay);
}
