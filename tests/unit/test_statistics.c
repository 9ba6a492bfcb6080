/* Moments, z and p of surrogates. */
#include "runner.h"
#include "assertions.h"
#include "oracle.h"
#include "coupling/signal/statistics.h"
#include "moments.h"

TEST(moments_equal_the_definition)
{
	unsigned long long state = 1;
	for (int trial = 0; trial < 300; trial++) {
		oracle_real surrogates[500];
		size_t n = 2 + random_below(&state, 498);
		double scale = ldexp(1, -(int)random_below(&state, 20)), offset = random_unit(&state),
		       mi = offset + scale * 0.7;
		moments seen = {0};
		for (size_t k = 0; k < n; k++) {
			double value = offset + scale * random_unit(&state);
			surrogates[k] = value;
			moments_add(&seen, value, mi);
		}
		ck_assert_uint_eq(seen.n, n);
		for (unsigned ddof = 0; ddof < 2; ddof++) {
			double z = clpac__z_score(mi, seen.mean, clpac__moments_std(seen.m2, n, ddof));
			/* The mean is off by n epsilon * offset, compared with the deviation, about scale / 4. */
			assert_close(z, oracle_z(mi, surrogates, n, ddof), 64 * (double)n * 0x1p-52 / scale);
		}
		assert_close(clpac__p_value(seen.rank, n), oracle_p(mi, surrogates, n), 0x1p-52);
	}
}

TEST(two_known_surrogates_give_known_numbers)
{
	moments seen = {0};
	moments_add(&seen, 1, 3);
	moments_add(&seen, 3, 3);
	ck_assert(seen.mean == 2 && seen.m2 == 2 && seen.rank == 1);
	ck_assert(clpac__moments_std(seen.m2, 2, 0) == 1);
	ck_assert(clpac__moments_std(seen.m2, 2, 1) == sqrt(2));
	ck_assert(clpac__z_score(3, 2, 1) == 1);
	ck_assert(clpac__p_value(1, 2) == 2.0 / 3);
}

TEST(equal_surrogates_have_no_z)
{
	moments seen = {0};
	for (int k = 0; k < 100; k++)
		moments_add(&seen, 0.1, 0.2);
	ck_assert(clpac__moments_std(seen.m2, seen.n, 0) == 0);
	ck_assert(isnan(clpac__z_score(0.2, seen.mean, 0)));
	ck_assert(isnan(clpac__z_score(0.2, 0.1, NAN)));
	ck_assert(isnan(clpac__z_score(NAN, 0.1, 1)));
}

TEST(too_few_surrogates_have_no_deviation)
{
	ck_assert(isnan(clpac__moments_std(0, 0, 0)));
	ck_assert(isnan(clpac__moments_std(0, 1, 1)));
	ck_assert(clpac__moments_std(0, 1, 0) == 0);
	ck_assert(isnan(clpac__p_value(0, 0)));
}

TEST(p_is_never_zero_and_ties_count_against_the_index)
{
	ck_assert(clpac__p_value(0, 199) == 1.0 / 200);
	ck_assert(clpac__p_value(199, 199) == 1);
	moments seen = {0};
	moments_add(&seen, 0.5, 0.5);
	ck_assert_uint_eq(seen.rank, 1);
}

/* By the definition: mean and deviation of all K + 1 values, in which each stands alike. */
TEST(p_of_maxima_counts_those_that_reach_a_statistic)
{
	const float standardized[] = {0, 0.75f, 1.5f, NAN};
	const float maxima[] = {0.75f, 1, 1.5f, NAN};
	float p_max[4];
	clpac__p_of_maxima(standardized, 4, maxima, 4, p_max);
	ck_assert_float_eq(p_max[0], 4.0f / 5);
	ck_assert_float_eq(p_max[1], 4.0f / 5); /* ties count against the index, however they were rounded */
	ck_assert_float_eq(p_max[2], 2.0f / 5);
	ck_assert(isnan(p_max[3]));
}

TEST(a_map_without_cells_has_no_maximum)
{
	ck_assert_float_eq(clpac__maximum_or_nan(-1.5f), -1.5f);
	ck_assert_float_eq(clpac__maximum_or_nan(-2e38f), -2e38f);
	ck_assert(isnan(clpac__maximum_or_nan(-3e38f)));
	ck_assert(isnan(clpac__maximum_or_nan(NAN)));
}

/* Quantiles of the standard normal distribution, from a table. */
TEST(normal_scores_of_few_ranks_are_those_of_a_table)
{
	static const struct {
		size_t n, rank;
		double score;
	} known[] = {{1, 0, 0},
		     {3, 0, -0.674489750},
		     {3, 1, 0},
		     {3, 2, 0.674489750},
		     {4, 0, -0.841621234},
		     {4, 1, -0.253347103},
		     {4, 2, 0.253347103},
		     {4, 3, 0.841621234},
		     {9, 8, 1.281551566},
		     {19, 18, 1.644853627},
		     {39, 38, 1.959963985},
		     {39, 0, -1.959963985}};
	for (size_t i = 0; i < COUNT(known); i++) {
		float scores[40];
		clpac__normal_scores(scores, known[i].n);
		ck_assert_double_eq_tol(scores[known[i].rank], known[i].score, 3e-7);
	}
}

/* The share of a standard normal distribution below the score of a rank, and nothing beside the scores. */
TEST(normal_scores_divide_the_distribution_evenly)
{
	enum { MOST = 1000 };
	for (size_t n = 1; n <= MOST; n = n < 20 ? n + 1 : n * 3) {
		float room[MOST + 4];
		for (size_t i = 0; i < COUNT(room); i++)
			room[i] = 99;
		clpac__normal_scores(room + 2, n);
		for (size_t r = 0; r < n; r++) {
			const double below = 0.5 * erfc(-(double)room[r + 2] / sqrt(2));
			ck_assert_double_eq_tol(below * (double)(n + 1), (double)(r + 1), 1e-6 * (double)(n + 1));
			ck_assert(room[r + 2] == -room[n + 1 - r]);
		}
		ck_assert(room[0] == 99 && room[1] == 99 && room[n + 2] == 99 && room[n + 3] == 99);
	}
}
