/* p adjusted for false discoveries, the gamma tail, and results corrected by them. */
#include "runner.h"
#include "assertions.h"
#include "corrections_truth.h"
#include "made_result.h"
#include "maxima_truth.h"
#include "random.h"
#include "vectors.h"
#include "base/memory.h"

#include <clpac/plan.h>
#include <clpac/signal.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *skip_reason(void)
{
	return vectors_missing();
}

TEST(q_is_that_of_scipy)
{
	vectors *file = vectors_load("corrections.json");
	const vectors *cases = vectors_get(file, "discoveries");
	static const char *const keys[] = {[CLPAC_DISCOVERY_BH] = "bh", [CLPAC_DISCOVERY_BY] = "by"};
	ck_assert_uint_eq(vectors_count(cases), 6);
	for (size_t i = 0; i < vectors_count(cases); i++) {
		size_t n;
		double *p = vectors_numbers(vectors_get(vectors_at(cases, i), "p"), &n);
		for (int rule = CLPAC_DISCOVERY_BH; rule <= CLPAC_DISCOVERY_BY; rule++) {
			double *wanted = vectors_numbers(vectors_get(vectors_at(cases, i), keys[rule]), NULL);
			float values[300];
			clpac_error err;
			ck_assert_uint_le(n, 300);
			for (size_t k = 0; k < n; k++)
				values[k] = (float)p[k];
			assert_works(clpac_signal_false_discovery(values, n, (clpac_discovery)rule, values, &err), err);
			for (size_t k = 0; k < n; k++)
				assert_close(values[k], wanted[k], 0x1p-24 * wanted[k]);
			free(wanted);
		}
		free(p);
	}
	vectors_free(file);
}

static float any_p(unsigned long long *state)
{
	switch (random_below(state, 16)) {
	case 0:
		return 0;
	case 1:
		return -0.0f; /* equal to 0, with other bits */
	case 2:
		return ldexpf((float)random_unit(state), -(int)random_below(state, 150));
	default:
		return (float)(1 + random_below(state, 201)) / 201;
	}
}

/* p in steps of 1/201, as those of 200 surrogates, with ties, some of any size, and some cells without one. */
static size_t draw(unsigned long long *state, float *p, size_t most)
{
	const size_t n = 1 + random_below(state, most);
	for (size_t i = 0; i < n; i++)
		p[i] = random_below(state, 8) ? any_p(state) : NAN;
	return n;
}

TEST(q_keeps_the_order_of_p_and_is_never_below_it)
{
	unsigned long long state = 5;
	for (int trial = 0; trial < 500; trial++) {
		float p[80], q[2][80];
		clpac_error err;
		const size_t n = draw(&state, p, 80);
		for (int rule = 0; rule < 2; rule++)
			assert_works(clpac_signal_false_discovery(p, n, (clpac_discovery)rule, q[rule], &err), err);
		for (size_t i = 0; i < n; i++) {
			ck_assert_int_eq(isnan(p[i]) != 0, isnan(q[0][i]) != 0);
			ck_assert_int_eq(isnan(p[i]) != 0, isnan(q[1][i]) != 0);
			if (isnan(p[i]))
				continue;
			ck_assert(q[0][i] >= p[i] && q[1][i] >= q[0][i] && q[1][i] <= 1);
			for (size_t k = 0; k < n; k++)
				for (int rule = 0; rule < 2; rule++)
					ck_assert(isnan(p[k]) || p[k] > p[i] || q[rule][k] <= q[rule][i]);
		}
	}
}

/* The definition: at a level a, the largest i of p in ascending order with p(i) <= a i / m; all up to it are called. */
TEST(cells_with_q_up_to_a_level_are_those_that_the_rule_calls)
{
	unsigned long long state = 6;
	for (int trial = 0; trial < 300; trial++) {
		float p[40], q[40];
		clpac_error err;
		const size_t n = draw(&state, p, 40);
		const double level = 0.02 + 0.9 * random_unit(&state);
		assert_works(clpac_signal_false_discovery(p, n, CLPAC_DISCOVERY_BH, q, &err), err);
		size_t m = 0;
		double limit = -1;
		for (size_t i = 0; i < n; i++)
			m += !isnan(p[i]);
		for (size_t i = 0; i < n; i++) {
			size_t rank = 0;
			for (size_t k = 0; k < n; k++)
				rank += p[k] <= p[i];
			if (p[i] <= level * (double)rank / (double)m && p[i] > limit)
				limit = p[i];
		}
		for (size_t i = 0; i < n; i++)
			if (!isnan(p[i]))
				ck_assert_int_eq(q[i] <= level, p[i] <= limit);
	}
}

TEST(equal_p_are_their_own_q_and_cells_without_p_do_not_count)
{
	float p[50], q[50];
	clpac_error err;
	for (size_t i = 0; i < 50; i++)
		p[i] = i % 3 ? 0.3f : NAN;
	assert_works(clpac_signal_false_discovery(p, 50, CLPAC_DISCOVERY_BH, q, &err), err);
	for (size_t i = 0; i < 50; i++)
		ck_assert(i % 3 ? q[i] == 0.3f : isnan(q[i]));
	/* Three cells with one at 0.01 among any number without a value. */
	for (size_t i = 0; i < 50; i++)
		p[i] = i == 7 ? 0.01f : i == 8 || i == 40 ? 0.5f : NAN;
	assert_works(clpac_signal_false_discovery(p, 50, CLPAC_DISCOVERY_BH, q, &err), err);
	assert_close(q[7], 0.03, 1e-8);
	assert_works(clpac_signal_false_discovery(p, 50, CLPAC_DISCOVERY_BY, q, &err), err);
	assert_close(q[7], 0.03 * (1 + 0.5 + 1.0 / 3), 1e-8);
	assert_works(clpac_signal_false_discovery(p, 0, CLPAC_DISCOVERY_BH, q, &err), err);
	p[0] = NAN;
	assert_works(clpac_signal_false_discovery(p, 1, CLPAC_DISCOVERY_BY, q, &err), err);
	ck_assert(isnan(q[0]));
}

TEST(what_is_no_p_is_refused)
{
	const float wrong[] = {-0.1f, 1.5f, INFINITY};
	for (size_t i = 0; i < 3; i++) {
		float p[] = {0.5f, wrong[i]}, q[] = {7, 7};
		clpac_error err;
		ck_assert_int_eq(clpac_signal_false_discovery(p, 2, CLPAC_DISCOVERY_BH, q, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(err.text, "p[1]"));
		ck_assert(q[0] == 7 && q[1] == 7);
	}
	float p = 0.5f;
	clpac_error err;
	ck_assert_int_eq(clpac_signal_false_discovery(&p, 1, (clpac_discovery)2, &p, &err), CLPAC_ERROR_ARGUMENT);
	clpac__fail_allocation(1, false);
	ck_assert_int_eq(clpac_signal_false_discovery(&p, 1, CLPAC_DISCOVERY_BH, &p, &err), CLPAC_ERROR_NO_MEMORY);
	clpac__fail_allocation(0, false);
	ck_assert_float_eq(p, 0.5f);
}

TEST(the_gamma_tail_is_that_of_scipy)
{
	vectors *file = vectors_load("corrections.json");
	const vectors *tails = vectors_get(file, "tails");
	ck_assert_uint_gt(vectors_count(tails), 40);
	for (size_t i = 0; i < vectors_count(tails); i++) {
		size_t n;
		double *t = vectors_numbers(vectors_at(tails, i), &n);
		ck_assert_uint_eq(n, 4);
		/* Roundings of value, mean and deviation move the exponent of the tail, -ln of it, by their size. */
		assert_close(clpac_signal_gamma_tail(t[0], t[1], t[2]), t[3],
			     t[3] * (1e-11 * (1 - log(t[3])) + 1e-15 * t[1] / t[2] * (t[1] / t[2])));
		/* The quadrature that tests compare with, too. */
		assert_close(gamma_truth(t[0], t[1], t[2]), t[3],
			     t[3] * (1e-13 * (1 - log(t[3])) + 1e-15 * t[1] / t[2] * (t[1] / t[2])));
		free(t);
	}
	vectors_free(file);
}

TEST(the_gamma_tail_falls_from_one_and_has_closed_forms)
{
	/* Shape 1 is exponential; shape 2 is (1 + x) exp(-x). */
	for (double x = 0.01; x < 100; x *= 1.3) {
		assert_close(clpac_signal_gamma_tail(x, 1, 1), exp(-x), 1e-12 * (1 + x) * exp(-x));
		assert_close(clpac_signal_gamma_tail(x, 2, sqrt(2)), (1 + x) * exp(-x),
			     1e-12 * (1 + x) * (1 + x) * exp(-x));
	}
	for (double shape = 0.1; shape < 1e7; shape *= 7) {
		double before = 1;
		for (double reach = 0.01; reach < 4; reach += 0.01) {
			const double tail = clpac_signal_gamma_tail(reach, 1, 1 / sqrt(shape));
			ck_assert_msg(tail <= before * (1 + 1e-9) && tail >= 0, "shape %g, %g: %g after %g", shape,
				      reach, tail, before);
			before = tail;
		}
	}
	ck_assert(clpac_signal_gamma_tail(0, 1, 1) == 1 && clpac_signal_gamma_tail(-3, 1, 1) == 1);
	ck_assert(clpac_signal_gamma_tail(INFINITY, 1, 1) == 0);
	const double undefined[][3] = {{NAN, 1, 1}, {1, 0, 1},	  {1, -1, 1},	    {1, 1, 0},	     {1, 1, NAN},
				       {1, NAN, 1}, {1, 1, 9e-5}, {1, 1, INFINITY}, {1, INFINITY, 1}};
	for (size_t i = 0; i < COUNT(undefined); i++)
		ck_assert(isnan(clpac_signal_gamma_tail(undefined[i][0], undefined[i][1], undefined[i][2])));
}

/* Indices and surrogates as of a run: a gamma distribution of shape 4 each, as the sum of four exponentials; the cells
 * stand from amid their surrogates to far beyond them.  Mean, deviation and p follow in double. */
static void draw_surrogates(clpac_result *result, unsigned ddof, unsigned long long *state)
{
	const size_t map = MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS, K = MADE_SURROGATES;
	float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL);
	for (size_t i = 0; i < MADE_CHANNELS * MADE_SEGMENTS * map; i++) {
		float *own = surrogates + i / map * K * map + i % map;
		double mean = 0, squares = 0;
		size_t reached = 1;
		for (size_t k = 0; k < K; k++) {
			double sum = 0;
			for (int part = 0; part < 4; part++)
				sum -= log(1 - random_unit(state));
			own[k * map] = (float)(1e-3 * sum);
			mean += own[k * map] / (double)K;
		}
		const float mi = (float)(mean * (0.2 + 6 * pow(random_unit(state), 2)));
		for (size_t k = 0; k < K; k++) {
			squares += (own[k * map] - mean) * (own[k * map] - mean);
			reached += own[k * map] >= mi;
		}
		clpac_result_array(result, CLPAC_MI, NULL)[i] = mi;
		clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL)[i] = (float)mean;
		clpac_result_array(result, CLPAC_SURROGATE_STD, NULL)[i] = (float)sqrt(squares / (double)(K - ddof));
		clpac_result_array(result, CLPAC_P, NULL)[i] = (float)((double)reached / (double)(K + 1));
	}
}

/* Cells whose tails are extreme: an index beyond all numbers, none, and surrogates that are all the same. */
static void make_extremes(clpac_result *result)
{
	const size_t map = MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS;
	clpac_result_array(result, CLPAC_MI, NULL)[3] = 10;
	clpac_result_array(result, CLPAC_MI, NULL)[4] = NAN;
	clpac_result_array(result, CLPAC_SURROGATE_STD, NULL)[5] = 0;
	for (size_t k = 0; k < MADE_SURROGATES; k++)
		clpac_result_array(result, CLPAC_SURROGATES, NULL)[k * map + 5] = 0.5f;
	clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL)[5] = 0.5f;
}

/* By the definition: an end is where the excess is 1.96 of the deviations that an index has there, s^2 (1 + 2 e / m).
 */
static void check_ends(const clpac_result *result, unsigned ddof)
{
	size_t n, n_at_zero = 0;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	const float *mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL);
	const float *std = clpac_result_array(result, CLPAC_SURROGATE_STD, NULL);
	const float *lo = clpac_result_array(result, CLPAC_EXCESS_LO, NULL);
	const float *hi = clpac_result_array(result, CLPAC_EXCESS_HI, &n);
	for (size_t i = 0; i < n; i++) {
		const double excess = (double)mi[i] - mean[i];
		const double squared = pow(1.959964 * std[i], 2) * (MADE_SURROGATES - ddof) / (MADE_SURROGATES - 1.0);
		ck_assert(clpac_result_array(result, CLPAC_EXCESS, NULL)[i] == (float)excess || isnan(excess));
		ck_assert(isnan(lo[i]) == isnan(hi[i]) && isnan(lo[i]) == (isnan(excess) || !(std[i] > 0)));
		if (isnan(lo[i]))
			continue;
		const double above = sqrt(squared * fmax(0, 1 + 2 * hi[i] / mean[i]));
		const double below = sqrt(squared * (1 + 2 * lo[i] / mean[i]));
		n_at_zero += lo[i] == 0;
		/* Of a float that was a difference, in the units of what it was made of. */
		const double tolerance = 4e-7 * (fabs(excess) + hi[i] + sqrt(squared));
		ck_assert_msg(hi[i] == 0 || fabs(hi[i] - excess - above) <= tolerance,
			      "cell %zu: %g is not above %g by %g", i, (double)hi[i], excess, above);
		ck_assert_msg(lo[i] > 0 ? fabs(excess - lo[i] - below) <= tolerance : excess <= below + tolerance,
			      "cell %zu: %g is not below %g by %g", i, (double)lo[i], excess, below);
	}
	ck_assert(n_at_zero > 0 && n_at_zero < n);
}

TEST(an_excess_has_an_interval_by_the_spread_of_its_null)
{
	clpac_result *result = make_result(MADE_MAPS | 1 << CLPAC_SURROGATES | 1 << CLPAC_EXCESS |
					   1 << CLPAC_EXCESS_LO | 1 << CLPAC_EXCESS_HI);
	unsigned long long state = 23;
	clpac_error err;
	for (unsigned ddof = 0; ddof < 2; ddof++) {
		const clpac_problem problem = {.ddof = ddof};
		draw_surrogates(result, ddof, &state);
		make_extremes(result);
		assert_works(clpac_result_correct(result, &problem, &err), err);
		check_ends(result, ddof);
	}
	/* The length of a vector varies by its components; heights have no interval. */
	assert_works(clpac_result_set_measure(result, CLPAC_MEASURE_MVL, &err), err);
	assert_works(clpac_result_correct(result, &(clpac_problem){.ddof = 1}, &err), err);
	const double excess = clpac_result_array(result, CLPAC_EXCESS, NULL)[3];
	const double mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL)[3];
	const double std = clpac_result_array(result, CLPAC_SURROGATE_STD, NULL)[3];
	const double half = 1.959964 * sqrt((mean * mean + std * std) / 2);
	assert_close(clpac_result_array(result, CLPAC_EXCESS_LO, NULL)[3], excess - half, 1e-6 * excess);
	assert_close(clpac_result_array(result, CLPAC_EXCESS_HI, NULL)[3], excess + half, 1e-6 * excess);
	assert_works(clpac_result_set_measure(result, CLPAC_MEASURE_HR, &err), err);
	assert_works(clpac_result_correct(result, &(clpac_problem){0}, &err), err);
	ck_assert(clpac_result_array(result, CLPAC_EXCESS, NULL)[3] == (float)excess);
	ck_assert(isnan(clpac_result_array(result, CLPAC_EXCESS_LO, NULL)[3]));
	ck_assert(isnan(clpac_result_array(result, CLPAC_EXCESS_HI, NULL)[3]));
	clpac_result_destroy(result);
}

TEST(a_result_is_corrected_map_by_map)
{
	clpac_result *result =
		make_result(MADE_MAPS | 1 << CLPAC_SURROGATES | 1 << CLPAC_Q_BH | 1 << CLPAC_Q_BY | 1 << CLPAC_P_GAMMA);
	const size_t cells = MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS, maps = MADE_CHANNELS * MADE_SEGMENTS;
	unsigned long long state = 17;
	clpac_error err;
	ck_assert_ptr_nonnull(memchr(clpac_result_valid(result), 0, cells)); /* such a cell has no q */
	for (unsigned ddof = 0; ddof < 2; ddof++) {
		const clpac_problem problem = {.ddof = ddof};
		draw_surrogates(result, ddof, &state);
		make_extremes(result);
		assert_works(clpac_result_correct(result, &problem, &err), err);
		check_discoveries(result, CLPAC_FAMILY_MAP, "map by map");
		ck_assert_uint_ge(check_gamma_tails(result, "map by map"), cells * maps - 20);
		const float *tails = clpac_result_array(result, CLPAC_P_GAMMA, NULL);
		ck_assert_float_eq(tails[3], 1e-38f);
		ck_assert(isnan(tails[4]) && isnan(tails[5]));
	}
	clpac_result_destroy(result);
	/* Nothing to correct from: arrays stay as they are. */
	result = make_result(1 << CLPAC_Q_BH | 1 << CLPAC_P_GAMMA);
	assert_works(clpac_result_correct(result, &(clpac_problem){0}, &err), err);
	ck_assert_float_eq(clpac_result_array(result, CLPAC_Q_BH, NULL)[0], made_value(CLPAC_Q_BH, 0));
	ck_assert_float_eq(clpac_result_array(result, CLPAC_P_GAMMA, NULL)[0], made_value(CLPAC_P_GAMMA, 0));
	clpac_result_destroy(result);
}

/* By the definition: the highest of all maxima of a surrogate, and one list of all cells. */
TEST(a_family_of_the_run_reaches_over_all_maps)
{
	clpac_result *result = make_result(MADE_MAPS | 1 << CLPAC_MAXIMA | 1 << CLPAC_Q_BH | 1 << CLPAC_Q_BY |
					   1 << CLPAC_P_CLUSTER | 1 << CLPAC_CLUSTER_MASS | 1 << CLPAC_CLUSTER_MAXIMA);
	enum { CELLS = MADE_CHANNELS * MADE_SEGMENTS * MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS };
	enum { SERIES = MADE_CHANNELS * MADE_SEGMENTS, K = MADE_SURROGATES };
	unsigned long long state = 12;
	float *arrays[CLPAC_ARRAY_COUNT], before[CELLS];
	clpac_error err;
	for (int a = 0; a < CLPAC_ARRAY_COUNT; a++)
		arrays[a] = clpac_result_array(result, (clpac_array)a, NULL);
	memset(clpac_result_valid(result), 1, MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS);
	for (size_t i = 0; i < CELLS; i++) {
		arrays[CLPAC_MI][i] = (float)(1 + 3 * random_unit(&state));
		arrays[CLPAC_SURROGATE_MEAN][i] = 1;
		arrays[CLPAC_SURROGATE_STD][i] = 1;
		arrays[CLPAC_CLUSTER_MASS][i] = (float)(random_below(&state, 4) * random_unit(&state));
	}
	for (size_t i = 0; i < SERIES * K; i++) {
		arrays[CLPAC_MAXIMA][i] = (float)(2 * random_unit(&state));
		arrays[CLPAC_CLUSTER_MAXIMA][i] = (float)(3 * random_unit(&state));
	}
	/* One series cannot be used, and one surrogate has no map at all. */
	for (size_t k = 0; k < K; k++)
		arrays[CLPAC_MAXIMA][2 * K + k] = arrays[CLPAC_CLUSTER_MAXIMA][2 * K + k] = NAN;
	for (size_t series = 0; series < SERIES; series++)
		arrays[CLPAC_MAXIMA][series * K + 3] = NAN;
	memcpy(before, arrays[CLPAC_P_MAX], sizeof before);
	assert_works(clpac_result_correct(result, &(clpac_problem){0}, &err), err);
	ck_assert_int_eq(memcmp(before, arrays[CLPAC_P_MAX], sizeof before), 0);
	for (unsigned ddof = 0; ddof < 2; ddof++) {
		const clpac_problem problem = {.family = CLPAC_FAMILY_RUN, .ddof = ddof};
		assert_works(clpac_result_correct(result, &problem, &err), err);
		enum { MAP = MADE_PHASE_BANDS * MADE_AMPLITUDE_BANDS };
		const judged_map map = {clpac_result_valid(result), MADE_PHASE_BANDS, MADE_AMPLITUDE_BANDS, K, false};
		double variances[CELLS], spreads[CELLS];
		for (size_t i = 0; i < CELLS; i++)
			variances[i] = true_variance(arrays[CLPAC_MI][i], 1, 1, K, ddof);
		for (size_t i = 0; i < CELLS; i += MAP)
			true_spreads(&map, variances + i, spreads + i);
		for (size_t i = 0; i < CELLS; i++) {
			const double distance = (arrays[CLPAC_MI][i] - 1) * K / (K + 1.0);
			const double statistic = distance / sqrt(spreads[i]);
			size_t reached = 1, heavier = 1;
			for (size_t k = 0; k < K; k++) {
				double highest = -INFINITY, heaviest = -INFINITY;
				for (size_t series = 0; series < SERIES; series++) {
					highest = fmax(highest, arrays[CLPAC_MAXIMA][series * K + k]);
					heaviest = fmax(heaviest, arrays[CLPAC_CLUSTER_MAXIMA][series * K + k]);
				}
				reached += highest >= statistic;
				heavier += heaviest >= arrays[CLPAC_CLUSTER_MASS][i];
			}
			if (!isnan(statistic))
				assert_close(arrays[CLPAC_P_MAX][i], (double)reached / (K + 1), 1e-7);
			assert_close(arrays[CLPAC_P_CLUSTER][i], (double)heavier / (K + 1), 1e-7);
		}
		check_discoveries(result, CLPAC_FAMILY_RUN, "over the run");
	}
	/* Every allocation may fail. */
	clpac_status st = CLPAC_ERROR_NO_MEMORY;
	unsigned long failing = 1;
	for (; st == CLPAC_ERROR_NO_MEMORY; failing++) {
		clpac__fail_allocation(failing, false);
		st = clpac_result_correct(result, &(clpac_problem){.family = CLPAC_FAMILY_RUN}, &err);
		clpac__fail_allocation(0, false);
	}
	ck_assert_int_eq(st, CLPAC_OK);
	ck_assert_uint_eq(failing, 10);
	clpac_result_destroy(result);
}

/* Without shifts in common a maximum over series means nothing. */
TEST(a_family_of_the_run_needs_shifts_in_common)
{
	static const size_t shifts[] = {3, 5};
	clpac_problem problem = {.rate_hz = 250, .n_channels = 2, .n_samples = 1000, .n_surrogates = 2};
	const struct {
		bool shares;
		const size_t *shifts;
		size_t n_surrogates;
		clpac_status st;
	} cases[] = {{false, NULL, 2, CLPAC_ERROR_ARGUMENT},
		     {true, NULL, 2, CLPAC_OK},
		     {false, shifts, 2, CLPAC_OK},
		     {false, NULL, 0, CLPAC_OK}};
	problem.family = CLPAC_FAMILY_RUN;
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_problem_copy *copy = NULL;
		clpac_error err = {.text = ""};
		problem.share_shifts = cases[i].shares;
		problem.shifts = cases[i].shifts;
		problem.n_surrogates = cases[i].n_surrogates;
		ck_assert_int_eq(clpac_problem_complete(&problem, &copy, &err), cases[i].st);
		ck_assert(cases[i].st == CLPAC_OK || strstr(err.text, "set share_shifts"));
		clpac_problem_destroy(copy);
	}
}
