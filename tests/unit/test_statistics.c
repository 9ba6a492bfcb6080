/* Moments, z and p of surrogates. */
#include "runner.h"
#include "assertions.h"
#include "oracle.h"
#include "signal/statistics.h"

START_TEST(moments_equal_the_definition)
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
END_TEST

START_TEST(merged_parts_equal_the_whole)
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
END_TEST

START_TEST(two_known_surrogates_give_known_numbers)
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
END_TEST

START_TEST(equal_surrogates_have_no_z)
{
	clpac__moments moments = {0};
	for (int k = 0; k < 100; k++)
		clpac__moments_add(&moments, 0.1, 0.2);
	ck_assert(clpac__moments_std(moments.m2, moments.n, 0) == 0);
	ck_assert(isnan(clpac__z_score(0.2, moments.mean, 0)));
	ck_assert(isnan(clpac__z_score(0.2, 0.1, NAN)));
	ck_assert(isnan(clpac__z_score(NAN, 0.1, 1)));
}
END_TEST

START_TEST(too_few_surrogates_have_no_deviation)
{
	ck_assert(isnan(clpac__moments_std(0, 0, 0)));
	ck_assert(isnan(clpac__moments_std(0, 1, 1)));
	ck_assert(clpac__moments_std(0, 1, 0) == 0);
	ck_assert(isnan(clpac__p_value(0, 0)));
}
END_TEST

START_TEST(p_is_never_zero_and_ties_count_against_the_index)
{
	ck_assert(clpac__p_value(0, 199) == 1.0 / 200);
	ck_assert(clpac__p_value(199, 199) == 1);
	clpac__moments moments = {0};
	clpac__moments_add(&moments, 0.5, 0.5);
	ck_assert_uint_eq(moments.rank, 1);
}
END_TEST

/* By the definition: mean and deviation of all K + 1 values, in which each stands alike. */
START_TEST(a_standing_is_among_the_index_and_its_surrogates)
{
	unsigned long long state = 3;
	for (int trial = 0; trial < 300; trial++) {
		double values[60];
		const size_t n = 2 + random_below(&state, 57);
		clpac__moments moments = {0};
		double mean = 0, squares = 0;
		for (size_t k = 0; k <= n; k++) {
			values[k] = random_unit(&state) + (k ? 0 : 2 * random_unit(&state));
			mean += values[k] / (double)(n + 1);
			if (k)
				clpac__moments_add(&moments, values[k], values[0]);
		}
		for (size_t k = 0; k <= n; k++)
			squares += (values[k] - mean) * (values[k] - mean);
		for (unsigned ddof = 0; ddof < 2; ddof++)
			assert_close(clpac__standing(values[0], moments.mean, clpac__moments_std(moments.m2, n, ddof),
						     n, ddof),
				     (values[0] - mean) / sqrt(squares / (double)(n + 1)), 1e-11);
	}
	ck_assert(isnan(clpac__standing(1, 0, 0, 5, 0)));
	ck_assert(isnan(clpac__standing(1, 0, NAN, 1, 1)));
	ck_assert(isnan(clpac__standing(NAN, 0, 1, 5, 0)));
}
END_TEST

START_TEST(maxima_correct_p_over_the_cells_that_entered_them)
{
	/* Standings of z = 0, 1, 3, and one without. */
	const float mi[] = {5, 6, 8, 5}, mean[] = {5, 5, 5, 5}, std[] = {1, 1, 1, 0};
	const double one = clpac__standing(6, 5, 1, 4, 0), three = clpac__standing(8, 5, 1, 4, 0);
	const float maxima[] = {(float)one, (float)(one + three) / 2, (float)three, NAN};
	uint8_t valid[] = {1, 1, 1, 1};
	float p_max[4];
	clpac__p_of_maxima(mi, mean, std, valid, 4, maxima, 4, 0, p_max);
	ck_assert_float_eq(p_max[0], 4.0f / 5);
	ck_assert_float_eq(p_max[1], 4.0f / 5); /* ties count against the index, however they were rounded */
	ck_assert_float_eq(p_max[2], 2.0f / 5);
	ck_assert(isnan(p_max[3]));
	valid[1] = 0;
	clpac__p_of_maxima(mi, mean, std, valid, 4, maxima, 4, 0, p_max);
	ck_assert(isnan(p_max[1]) && p_max[2] == 2.0f / 5);
}
END_TEST

/* Any of the K + 1 maps of a null may be the observed one: exactly as many of them have a p_max of at most r / (K + 1)
 * as r says.  This holds for standings, and not for z. */
START_TEST(each_map_of_a_null_is_as_likely_to_be_the_highest)
{
	enum { K = 39, CELLS = 12 };
	unsigned long long state = 4;
	uint8_t valid[CELLS];
	memset(valid, 1, sizeof valid);
	float values[K + 1][CELLS], maxima[K];
	for (int trial = 0; trial < 20; trial++) {
		size_t counts[K + 2] = {0};
		for (size_t k = 0; k <= K; k++)
			for (size_t cell = 0; cell < CELLS; cell++)
				values[k][cell] = (float)(random_unit(&state) * random_unit(&state));
		for (size_t observed = 0; observed <= K; observed++) {
			float mi[CELLS], mean[CELLS], std[CELLS], p_max[CELLS], lowest = 1;
			for (size_t cell = 0; cell < CELLS; cell++) {
				clpac__moments moments = {0};
				for (size_t k = 0; k <= K; k++)
					if (k != observed)
						clpac__moments_add(&moments, values[k][cell], values[observed][cell]);
				mi[cell] = values[observed][cell];
				mean[cell] = (float)moments.mean;
				std[cell] = (float)clpac__moments_std(moments.m2, K, 0);
			}
			for (size_t k = 0, at = 0; k <= K; k++) {
				float highest = -INFINITY;
				for (size_t cell = 0; k != observed && cell < CELLS; cell++) {
					const double all = K + 1, d = mi[cell] - mean[cell];
					const double m = mean[cell] + d / all;
					const double s = sqrt((K * std[cell] * std[cell] + d * d * K / all) / all);
					highest = fmaxf(highest, (float)((values[k][cell] - m) / s));
				}
				if (k != observed)
					maxima[at++] = highest;
			}
			clpac__p_of_maxima(mi, mean, std, valid, CELLS, maxima, K, 0, p_max);
			for (size_t cell = 0; cell < CELLS; cell++)
				lowest = fminf(lowest, p_max[cell]);
			counts[(size_t)lroundf(lowest * (K + 1))]++;
		}
		for (size_t r = 1; r <= K + 1; r++)
			ck_assert_uint_eq(counts[r], 1);
	}
}
END_TEST

START_TEST(the_highest_of_lanes_leaves_out_lanes_without_cells)
{
	const float lanes[] = {-3e38f, -1.5f, 0.25f, NAN}, none[] = {-3e38f, NAN};
	ck_assert_float_eq(clpac__highest_of_lanes(lanes, 4), 0.25f);
	ck_assert_float_eq(clpac__highest_of_lanes(lanes, 2), -1.5f);
	ck_assert(isnan(clpac__highest_of_lanes(none, 2)));
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("statistics");
	TCase *t = tcase_create("statistics");
	tcase_add_test(t, moments_equal_the_definition);
	tcase_add_test(t, merged_parts_equal_the_whole);
	tcase_add_test(t, two_known_surrogates_give_known_numbers);
	tcase_add_test(t, equal_surrogates_have_no_z);
	tcase_add_test(t, too_few_surrogates_have_no_deviation);
	tcase_add_test(t, p_is_never_zero_and_ties_count_against_the_index);
	tcase_add_test(t, a_standing_is_among_the_index_and_its_surrogates);
	tcase_add_test(t, maxima_correct_p_over_the_cells_that_entered_them);
	tcase_add_test(t, each_map_of_a_null_is_as_likely_to_be_the_highest);
	tcase_add_test(t, the_highest_of_lanes_leaves_out_lanes_without_cells);
	suite_add_tcase(s, t);
	return s;
}
