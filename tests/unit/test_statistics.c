/* Moments, z and p of surrogates. */
#include "runner.h"
#include "assertions.h"
#include "oracle.h"
#include "coupling/signal/statistics.h"

TEST(moments_equal_the_definition)
{
	unsigned long long state = 1;
	for (int trial = 0; trial < 300; trial++) {
		oracle_real surrogates[500];
		size_t n = 2 + random_below(&state, 498);
		double scale = ldexp(1, -(int)random_below(&state, 20)), offset = random_unit(&state),
		       mi = offset + scale * 0.7;
		clpac__moments moments = {0};
		for (size_t k = 0; k < n; k++) {
			double value = offset + scale * random_unit(&state);
			surrogates[k] = value;
			clpac__moments_add(&moments, value, mi);
		}
		ck_assert_uint_eq(moments.n, n);
		for (unsigned ddof = 0; ddof < 2; ddof++) {
			double z = clpac__z_score(mi, moments.mean, clpac__moments_std(moments.m2, n, ddof));
			/* The mean is off by n epsilon * offset, compared with the deviation, about scale / 4. */
			assert_close(z, oracle_z(mi, surrogates, n, ddof), 64 * (double)n * 0x1p-52 / scale);
		}
		assert_close(clpac__p_value(moments.rank, n), oracle_p(mi, surrogates, n), 0x1p-52);
	}
}

TEST(merged_parts_equal_the_whole)
{
	unsigned long long state = 2;
	for (int trial = 0; trial < 300; trial++) {
		clpac__moments whole = {0}, merged = {0};
		for (int part = 0; part < 5; part++) {
			clpac__moments piece = {0};
			for (size_t k = random_below(&state, 40); k > 0; k--) {
				double value = random_unit(&state);
				clpac__moments_add(&whole, value, 0.9);
				clpac__moments_add(&piece, value, 0.9);
			}
			clpac__moments_merge(&merged, &piece);
		}
		ck_assert_uint_eq(merged.n, whole.n);
		ck_assert_uint_eq(merged.rank, whole.rank);
		/* Both are sums of at most 200 values below 1. */
		assert_close(merged.mean, whole.mean, 200 * 0x1p-52);
		assert_close(merged.m2, whole.m2, 200 * 0x1p-50);
	}
}

TEST(two_known_surrogates_give_known_numbers)
{
	clpac__moments moments = {0};
	clpac__moments_add(&moments, 1, 3);
	clpac__moments_add(&moments, 3, 3);
	ck_assert(moments.mean == 2 && moments.m2 == 2 && moments.rank == 1);
	ck_assert(clpac__moments_std(moments.m2, 2, 0) == 1);
	ck_assert(clpac__moments_std(moments.m2, 2, 1) == sqrt(2));
	ck_assert(clpac__z_score(3, 2, 1) == 1);
	ck_assert(clpac__p_value(1, 2) == 2.0 / 3);
}

TEST(equal_surrogates_have_no_z)
{
	clpac__moments moments = {0};
	for (int k = 0; k < 100; k++)
		clpac__moments_add(&moments, 0.1, 0.2);
	ck_assert(clpac__moments_std(moments.m2, moments.n, 0) == 0);
	ck_assert(isnan(clpac__z_score(0.2, moments.mean, 0)));
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
	clpac__moments moments = {0};
	clpac__moments_add(&moments, 0.5, 0.5);
	ck_assert_uint_eq(moments.rank, 1);
}

/* By the definition: mean and deviation of all K + 1 values, in which each stands alike. */
TEST(p_of_maxima_counts_those_that_reach_a_standing)
{
	const float standings[] = {0, 0.75f, 1.5f, NAN};
	const float maxima[] = {0.75f, 1, 1.5f, NAN};
	float p_max[4];
	clpac__p_of_maxima(standings, 4, maxima, 4, p_max);
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
