/* A group's values that differ by nothing, or by roundings alone. */
#include "runner.h"
#include "assertions.h"
#include "some_subjects.h"
#include "coupling/compare/compare_parts.h"

#include <float.h>

/* Cells whose values do not differ have no t; where no cell is left nothing is NaN by accident. */
TEST(values_that_do_not_differ_have_no_t)
{
	enum { N = 6 };
	clpac_result *subjects[N];
	unsigned long long state = 17;
	make_subjects(subjects, N, (struct sizes){1, 1}, 0, &state);
	for (size_t i = 0; i < N; i++) {
		float *z = clpac_result_array(subjects[i], CLPAC_Z, NULL);
		z[0] = 0;
		z[1] = 0.1F;
		z[2] = i < 3 ? 0.1F : 0.3F; /* differs between groups alone */
		z[3] = i == 4 ? INFINITY : z[3];
	}
	for (int design = CLPAC_ONE_SAMPLE; design <= CLPAC_TWO_SAMPLE; design++) {
		const size_t n_first = design == CLPAC_ONE_SAMPLE ? N : N / 2;
		const clpac_group group = group_of((clpac_design)design, subjects, n_first, N - n_first);
		clpac_result *result = compare(&group);
		for (size_t cell = 0; cell < CELLS; cell++) {
			const bool is_lost = cell < 2 || (cell == 2 && design != CLPAC_ONE_SAMPLE) || cell == 3;
			ck_assert(!isnan(results_value(result, CLPAC_T, cell)) == !is_lost);
			ck_assert(!isnan(results_value(result, CLPAC_P, cell)) == !is_lost);
			ck_assert(!isnan(results_value(result, CLPAC_P_MAX, cell)) == !is_lost);
			ck_assert(!isnan(results_value(result, CLPAC_P_CLUSTER, cell)) == !is_lost);
			ck_assert(!isnan(results_value(result, CLPAC_Q_BH, cell)) == !is_lost);
		}
		ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_MISSING].count,
				  design == CLPAC_ONE_SAMPLE ? 3 : 4);
		clpac_result_destroy(result);
	}
	for (size_t i = 0; i < CELLS; i++)
		clpac_result_array(subjects[2], CLPAC_Z, NULL)[i] = NAN;
	const clpac_group group = group_of(CLPAC_ONE_SAMPLE, subjects, N, 0);
	clpac_result *result = compare(&group);
	ck_assert(!clpac_result_peak(result, SIZE_MAX).found);
	ck_assert(isnan(results_value(result, CLPAC_MAXIMA, 5)) &&
		  isnan(results_value(result, CLPAC_CLUSTER_MAXIMA, 5)));
	ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_MISSING].count, CELLS);
	clpac_result_destroy(result);
	destroy_subjects(subjects, N);
}

/* What one cell has. */
struct tested {
	float t, p, p_max;
};

enum { MOST_OTHERS = 400 };

static struct tested test_cell(const double *values, const clpac__group_rule *rule)
{
	static float maxima[MOST_OTHERS], heaviest[MOST_OTHERS];
	float effect, t, p, p_max, mass, p_cluster;
	const clpac__group_cells cells = {.n_maps = 1,
					  .n_phase = 1,
					  .n_amplitude = 1,
					  .values = values,
					  .valid = (const uint8_t[]){1},
					  .links = (const uint32_t[]){0}};
	clpac_error err;
	assert_works(
		clpac__group_test(&cells, rule,
				  &(clpac__group_outcome){&effect, &t, &p, &p_max, &mass, &p_cluster, maxima, heaviest},
				  &err),
		err);
	return (struct tested){t, p, p_max};
}

/* Equal values whose sums are rounded, so that they differ from their mean a little, and more the more there are. */
TEST(values_that_differ_by_rounding_alone_have_no_t)
{
	unsigned long long state = 5;
	for (size_t n = 4; n <= 60; n += 4) {
		double values[60];
		const double value = 0.1 + random_unit(&state);
		for (size_t i = 0; i < n; i++)
			values[i] = value;
		const clpac__group_rule rule = {.permutations = clpac__permutations_choose(true, n / 4, n, 20, 1),
						.degrees = n - 2,
						.cluster_alpha = 0.05};
		const struct tested cell = test_cell(values, &rule);
		ck_assert_msg(isnan(cell.t) && isnan(cell.p), "%zu times %.17g: t is %g", n, value, (double)cell.t);
	}
}

/* Values of one sample that are 1 but for the first have 1 - r^2 = d^2 (n - 1) / n^2, which is rounding up to four
 * times the reach of r, 2 (n + 3) units in the last place. */
TEST_EACH(values_a_little_beyond_rounding_have_a_t, 2)
{
	for (size_t n = 4; n <= 40; n += 4) {
		double values[40];
		const double count = (double)n, limit = 8 * (count + 3) * DBL_EPSILON;
		for (size_t i = 0; i < n; i++)
			values[i] = i ? 1 : 1 + sqrt((_i ? 1.5 : 0.6) * limit * count * count / (count - 1));
		const clpac__group_rule rule = {.permutations = clpac__permutations_choose(false, n, n, 20, 1),
						.degrees = n - 1,
						.cluster_alpha = 0.05};
		const float t = test_cell(values, &rule).t;
		ck_assert_msg(isnan(t) == !_i, "%zu subjects: t is %g", n, (double)t);
	}
}

/* Permutations with as many high values among the first subjects have the same r, in whatever order it is summed up. In
 * the given order the sum rises far, and falls back: each addition of the one value is rounded the same way, so that it
 * ends 1.4e-14 above those of permutations, more than a few numbers' rounding. */
TEST_EACH(the_same_sum_in_another_order_is_reached, 2)
{
	enum { N = 4000, N_HIGH = 2000, N_OTHERS = MOST_OTHERS };
	static double values[N], weights[N];
	const clpac__group_rule rule = {.permutations =
						clpac__permutations_choose(true, N / 2, N, 1 + (uint64_t)N_OTHERS, 3),
					.degrees = N - 2,
					.side = _i ? CLPAC_SIDE_LESS : CLPAC_SIDE_GREATER,
					.cluster_alpha = 0.05};
	size_t reached = 0;
	for (size_t i = 0; i < N; i++)
		values[i] = i % (N / 2) < N_HIGH / 2 ? 0.123 : 0.017;
	ck_assert_uint_eq(rule.permutations.n_choices, 1 + N_OTHERS);
	for (uint64_t k = 1; k <= N_OTHERS; k++) {
		size_t n_high = 0;
		clpac__permutation(&rule.permutations, k, weights);
		for (size_t i = 0; i < N; i++)
			n_high += weights[i] > 0 && values[i] > 0.1;
		reached += _i ? n_high <= N_HIGH / 2 : n_high >= N_HIGH / 2;
	}
	const struct tested cell = test_cell(values, &rule);
	const double truth = (1.0 + (double)reached) / (1.0 + N_OTHERS);
	ck_assert_msg(fabs((double)cell.p - truth) < 1e-6 && fabs((double)cell.p_max - truth) < 1e-6,
		      "p %.9g and p_max %.9g where %zu of %d permutations reach it", (double)cell.p, (double)cell.p_max,
		      reached, N_OTHERS);
}
