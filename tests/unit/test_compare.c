/* Two conditions compared: by their definition, by laws, on epochs that do not differ, and refused. */
#include "runner.h"
#include "assertions.h"
#include "group_truth.h"
#include "oracle.h"
#include "results.h"
#include "coupling/signal/clusters.h"
#include "coupling/signal/draws.h"
#include "coupling/signal/statistics.h"

#include <clpac/compare.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_PHASE = 2, N_AMPLITUDE = 3, CELLS = N_PHASE * N_AMPLITUDE, N_BINS = 6, MOST_EPOCHS = 60 };

/* Epochs of "a" and "b" in turns, as long as there are of both, with noise in all bins, and coupling in some cells of
 * "a". */
static clpac_result *make_epochs(size_t n_channels, size_t n_first, size_t n_second, double effect,
				 unsigned long long *state)
{
	clpac_result *made = NULL;
	clpac_error err;
	const size_t n = n_first + n_second;
	assert_works(
		clpac_result_create(&(clpac_result_shape){n_channels, n, N_PHASE, N_AMPLITUDE, N_BINS, 1},
				    1 << CLPAC_MI | 1 << CLPAC_Z | 1 << CLPAC_DISTRIBUTION | 1u << CLPAC_BIN_COUNTS,
				    &made, &err),
		err);
	for (size_t ph = 0; ph < N_PHASE; ph++)
		clpac_result_phase_bands(made)[ph] = (clpac_band){2 + 2 * (double)ph, 4 + 2 * (double)ph};
	for (size_t am = 0; am < N_AMPLITUDE; am++)
		clpac_result_amplitude_bands(made)[am] = (clpac_band){60 + 10 * (double)am, 80 + 10 * (double)am};
	float *mi = clpac_result_array(made, CLPAC_MI, NULL), *z = clpac_result_array(made, CLPAC_Z, NULL);
	float *means = clpac_result_array(made, CLPAC_DISTRIBUTION, NULL);
	float *counts = clpac_result_array(made, CLPAC_BIN_COUNTS, NULL);
	for (size_t s = 0, left[2] = {n_first, n_second}; s < n; s++) {
		const int second = left[0] && (!left[1] || s % 2 == 0) ? 0 : 1;
		left[second]--;
		assert_works(clpac_result_set_condition(made, s, second ? "b" : "a", &err), err);
		for (size_t c = 0; c < n_channels; c++) {
			const size_t series = c * n + s;
			clpac_result_used_seconds(made)[series] = 1;
			for (size_t k = 0; k < N_PHASE * N_BINS; k++)
				counts[series * N_PHASE * N_BINS + k] = (float)(5 + random_below(state, 20));
			for (size_t cell = 0; cell < CELLS; cell++) {
				oracle_real distribution[N_BINS];
				for (size_t j = 0; j < N_BINS; j++) {
					const double coupled = second || cell > 1 ? 0 : effect * cos((double)j);
					const float mean = (float)(1 + coupled + 0.4 * random_unit(state));
					means[(series * CELLS + cell) * N_BINS + j] = mean;
					distribution[j] = mean;
				}
				mi[series * CELLS + cell] = (float)oracle_index_of_distribution(distribution, N_BINS);
				z[series * CELLS + cell] = (float)random_unit(state);
			}
		}
	}
	return made;
}

static clpac_result *compare(const clpac_comparison *asked)
{
	clpac_result *made = NULL;
	clpac_error err;
	assert_works(clpac_result_compare(asked, &made, &err), err);
	return made;
}

static clpac_comparison of(const clpac_result *epochs, bool is_pooled)
{
	return (clpac_comparison){.size = sizeof(clpac_comparison),
				  .result = epochs,
				  .first = "a",
				  .second = "b",
				  .is_pooled = is_pooled};
}

/* The epochs of a channel that have values, the first condition's first. */
static size_t list_epochs(const clpac_result *epochs, size_t channel, size_t *list, size_t *n_first)
{
	const size_t n = clpac_result_get_shape(epochs)->n_segments;
	size_t n_taken = 0;
	for (int second = 0; second < 2; second++) {
		for (size_t s = 0; s < n; s++)
			if (!strcmp(clpac_result_condition(epochs, s), second ? "b" : "a") &&
			    !isnan(results_value(epochs, CLPAC_MI, (channel * n + s) * CELLS)))
				list[n_taken++] = s;
		*n_first = second ? *n_first : n_taken;
	}
	return n_taken;
}

/* --- Means ------------------------------------------------------------------------------------------ */

SECONDS(300);

TEST_EACH(means_have_the_p_of_all_permutations, 9)
{
	static const size_t sizes[][2] = {{5, 5}, {3, 6}, {2, 4}};
	const size_t n_first = sizes[_i / 3][0], n_second = sizes[_i / 3][1], n = n_first + n_second;
	const clpac_side side = (clpac_side)(_i % 3);
	unsigned long long state = 40 + (unsigned long long)_i;
	clpac_result *epochs = make_epochs(2, n_first, n_second, 0.3, &state);
	clpac_result_valid(epochs)[4] = 0;
	clpac_comparison asked = of(epochs, false);
	asked.side = side;
	asked.of_z = _i % 2;
	clpac_result *result = compare(&asked);
	bool valid[CELLS] = {true, true, true, true, false, true};
	for (size_t c = 0; c < 2; c++) {
		size_t list[MOST_EPOCHS], found;
		double values[MOST_EPOCHS * CELLS], sums[2] = {0, 0};
		ck_assert_uint_eq(list_epochs(epochs, c, list, &found), n);
		ck_assert_uint_eq(found, n_first);
		for (size_t e = 0; e < n; e++)
			for (size_t cell = 0; cell < CELLS; cell++)
				values[e * CELLS + cell] = (double)results_value(
					epochs, asked.of_z ? CLPAC_Z : CLPAC_MI, (c * n + list[e]) * CELLS + cell);
		const group_truth truth = group_truth_of_all(&(group_map){
			.n_first = n_first,
			.n_second = n_second,
			.n_phase = N_PHASE,
			.n_amplitude = N_AMPLITUDE,
			.values = values,
			.valid = valid,
			.side = side,
			.limit = clpac__student_deviate(side == CLPAC_SIDE_BOTH ? 0.025 : 0.05, n - 2),
		});
		for (size_t cell = 0; cell < CELLS; cell++) {
			const size_t at = c * CELLS + cell;
			assert_close(results_value(result, CLPAC_T, at), (double)truth.t[cell],
				     1e-5 * fabs((double)truth.t[cell]));
			assert_close(results_value(result, CLPAC_P, at), truth.p[cell], 1e-7);
			ck_assert_int_eq(isnan(results_value(result, CLPAC_P_MAX, at)), cell == 4);
			if (cell == 4)
				continue;
			assert_close(results_value(result, CLPAC_P_MAX, at), truth.p_max[cell], 1e-7);
			assert_close(results_value(result, CLPAC_P_CLUSTER, at), truth.p_cluster[cell], 1e-7);
		}
		for (size_t e = 0; e < n; e++)
			sums[e >= n_first] += values[e * CELLS];
		if (asked.of_z)
			ck_assert_ptr_null(clpac_result_array(result, CLPAC_RATIO, NULL));
		else
			assert_close(results_value(result, CLPAC_RATIO, c * CELLS),
				     sums[0] / (double)n_first / (sums[1] / (double)n_second), 1e-5);
	}
	ck_assert_str_eq(clpac_result_condition(result, 0), "a - b");
	ck_assert_ptr_nonnull(strstr(clpac_result_problem(result), "compare=mean value="));
	ck_assert(clpac_result_used_seconds(result)[0] == (double)n);
	clpac_result_destroy(result);
	clpac_result_destroy(epochs);
}

/* --- Pooled ----------------------------------------------------------------------------------------- */

/* The pooled index of the epochs with a label, by its definition. */
static oracle_real pooled(const clpac_result *epochs, size_t channel, const size_t *list, const double *labels,
			  size_t n, double label, size_t cell)
{
	oracle_real distribution[N_BINS];
	const size_t n_segments = clpac_result_get_shape(epochs)->n_segments;
	for (size_t j = 0; j < N_BINS; j++) {
		oracle_real sum = 0, count = 0;
		for (size_t e = 0; e < n; e++) {
			const size_t series = channel * n_segments + list[e];
			if (labels[e] != label)
				continue;
			const oracle_real own = results_value(epochs, CLPAC_BIN_COUNTS,
							      (series * N_PHASE + cell / N_AMPLITUDE) * N_BINS + j);
			count += own;
			sum += own * results_value(epochs, CLPAC_DISTRIBUTION, (series * CELLS + cell) * N_BINS + j);
		}
		distribution[j] = sum / count;
	}
	return oracle_index_of_distribution(distribution, N_BINS);
}

static oracle_real sided(clpac_side side, oracle_real value)
{
	return side == CLPAC_SIDE_BOTH ? fabsl(value) : side == CLPAC_SIDE_LESS ? -value : value;
}

TEST_EACH(pooled_indices_have_the_p_of_all_permutations, 9)
{
	static const size_t sizes[][2] = {{4, 4}, {3, 5}, {2, 6}};
	enum { MOST_CHOICES = 70 };
	const size_t n_first = sizes[_i / 3][0], n_second = sizes[_i / 3][1], n = n_first + n_second;
	const clpac_side side = (clpac_side)(_i % 3);
	unsigned long long state = 90 + (unsigned long long)_i;
	clpac_result *epochs = make_epochs(2, n_first, n_second, 0.1, &state);
	clpac_result_valid(epochs)[3] = 0;
	clpac_comparison asked = of(epochs, true);
	asked.side = side;
	clpac_result *result = compare(&asked);
	const clpac__permutations all = clpac__permutations_choose(true, n_first, n, 10000, 0);
	ck_assert(all.is_exact && all.n_choices <= MOST_CHOICES);
	for (size_t c = 0; c < 2; c++) {
		static oracle_real statistic[MOST_CHOICES][CELLS];
		size_t list[MOST_EPOCHS], found;
		oracle_real highest[MOST_CHOICES];
		ck_assert_uint_eq(list_epochs(epochs, c, list, &found), n);
		for (size_t cell = 0; cell < CELLS; cell++) {
			oracle_real mean = 0, squares = 0;
			for (uint64_t k = 0; k < all.n_choices; k++) {
				double labels[MOST_EPOCHS];
				clpac__permutation(&all, k, labels);
				const oracle_real a = pooled(epochs, c, list, labels, n, 1, cell);
				const oracle_real b = pooled(epochs, c, list, labels, n, 0, cell);
				statistic[k][cell] = a - b;
				mean += (a - b) / (oracle_real)all.n_choices;
				if (k)
					continue;
				assert_close(results_value(result, CLPAC_EFFECT, c * CELLS + cell), (double)(a - b),
					     1e-8);
				assert_close(results_value(result, CLPAC_RATIO, c * CELLS + cell), (double)(a / b),
					     1e-5 * (double)(a / b));
			}
			for (uint64_t k = 0; k < all.n_choices; k++)
				squares += (statistic[k][cell] - mean) * (statistic[k][cell] - mean);
			for (uint64_t k = 0; k < all.n_choices; k++)
				statistic[k][cell] =
					(statistic[k][cell] - mean) / sqrtl(squares / (oracle_real)all.n_choices);
		}
		for (uint64_t k = 0; k < all.n_choices; k++) {
			highest[k] = -INFINITY;
			for (size_t cell = 0; cell < CELLS; cell++)
				highest[k] =
					cell == 3 ? highest[k] : fmaxl(highest[k], sided(side, statistic[k][cell]));
		}
		for (size_t cell = 0; cell < CELLS; cell++) {
			const size_t at = c * CELLS + cell;
			size_t reached = 0, highest_reached = 0;
			for (uint64_t k = 1; k < all.n_choices; k++) {
				const oracle_real least = sided(side, statistic[0][cell]) - 2e-6L;
				reached += sided(side, statistic[k][cell]) >= least;
				highest_reached += highest[k] >= least;
			}
			const double n_choices = (double)all.n_choices;
			assert_close(results_value(result, CLPAC_T, at), (double)statistic[0][cell], 2e-5);
			assert_close(results_value(result, CLPAC_P, at), (1 + (double)reached) / n_choices, 1e-7);
			if (cell == 3)
				ck_assert(isnan(results_value(result, CLPAC_P_MAX, at)));
			else
				assert_close(results_value(result, CLPAC_P_MAX, at),
					     (1 + (double)highest_reached) / n_choices, 1e-7);
		}
	}
	ck_assert_ptr_nonnull(strstr(clpac_result_problem(result), "compare=pooled value=mi epochs="));
	clpac_result_destroy(result);
	clpac_result_destroy(epochs);
}

/* --- Laws ------------------------------------------------------------------------------------------- */

TEST(conditions_that_change_places_change_the_sign_alone)
{
	unsigned long long state = 7;
	clpac_result *epochs = make_epochs(1, 5, 5, 0.2, &state);
	for (int is_pooled = 0; is_pooled < 2; is_pooled++) {
		clpac_comparison asked = of(epochs, is_pooled);
		clpac_result *one = compare(&asked);
		asked.first = "b";
		asked.second = "a";
		clpac_result *other = compare(&asked);
		for (size_t cell = 0; cell < CELLS; cell++) {
			assert_close(results_value(one, CLPAC_EFFECT, cell), -results_value(other, CLPAC_EFFECT, cell),
				     1e-7);
			assert_close(results_value(one, CLPAC_T, cell), -results_value(other, CLPAC_T, cell), 1e-4);
			assert_close(results_value(one, CLPAC_RATIO, cell) * results_value(other, CLPAC_RATIO, cell), 1,
				     1e-5);
			assert_close(results_value(one, CLPAC_P_MAX, cell), results_value(other, CLPAC_P_MAX, cell),
				     1e-7);
			assert_close(results_value(one, CLPAC_P_CLUSTER, cell),
				     results_value(other, CLPAC_P_CLUSTER, cell), 1e-7);
		}
		clpac_result_destroy(one);
		clpac_result_destroy(other);
	}
	clpac_result_destroy(epochs);
}

/* Without a value of channel 1 in two epochs, it is compared as if they were not there; in one family, both are. */
TEST(epochs_without_a_value_are_left_out)
{
	for (int is_pooled = 0; is_pooled < 2; is_pooled++) {
		unsigned long long state = 8;
		clpac_result *epochs = make_epochs(2, 6, 6, 0.2, &state);
		float *mi = clpac_result_array(epochs, CLPAC_MI, NULL);
		clpac_comparison asked = of(epochs, is_pooled);
		clpac_result *before = compare(&asked);
		for (size_t cell = 0; cell < CELLS; cell++)
			mi[(12 + 2) * CELLS + cell] = mi[(12 + 3) * CELLS + cell] = NAN;
		clpac_result *after = compare(&asked);
		asked.family = CLPAC_FAMILY_RUN;
		clpac_result *family = compare(&asked);
		for (size_t cell = 0; cell < CELLS; cell++) {
			ck_assert(results_value(before, CLPAC_P, cell) == results_value(after, CLPAC_P, cell));
			ck_assert(results_value(before, CLPAC_T, CELLS + cell) !=
				  results_value(after, CLPAC_T, CELLS + cell));
			ck_assert(results_value(family, CLPAC_T, CELLS + cell) ==
				  results_value(after, CLPAC_T, CELLS + cell));
			ck_assert(results_value(family, CLPAC_T, cell) != results_value(after, CLPAC_T, cell));
			ck_assert(results_value(family, CLPAC_P_MAX, CELLS + cell) >=
				  results_value(after, CLPAC_P_MAX, CELLS + cell));
		}
		ck_assert(clpac_result_used_seconds(after)[0] == 12 && clpac_result_used_seconds(after)[1] == 10);
		clpac_result_destroy(before);
		clpac_result_destroy(after);
		clpac_result_destroy(family);
		clpac_result_destroy(epochs);
	}
}

/* Of 400 sets of epochs that do not differ, 20 have a cell with p_max <= 0.05; of a binomial, 4.4 deviate by one
 * deviation, and more than 38 or fewer than 5 have a probability of 1e-4. */
TEST_EACH(epochs_that_do_not_differ_have_a_low_p_max_as_often_as_they_should, 2)
{
	enum { N = 400 };
	size_t n_low = 0, n_low_clusters = 0;
	for (size_t i = 0; i < N; i++) {
		unsigned long long state = 1000 + i;
		clpac_result *epochs = make_epochs(1, 9, 14, 0, &state);
		clpac_comparison asked = of(epochs, _i == 1);
		asked.n_permutations = 200;
		asked.seed = i;
		clpac_result *result = compare(&asked);
		float lowest = 1, lowest_cluster = 1;
		for (size_t cell = 0; cell < CELLS; cell++) {
			lowest = fminf(lowest, results_value(result, CLPAC_P_MAX, cell));
			lowest_cluster = fminf(lowest_cluster, results_value(result, CLPAC_P_CLUSTER, cell));
		}
		n_low += lowest <= 0.05f;
		n_low_clusters += lowest_cluster <= 0.05f;
		clpac_result_destroy(result);
		clpac_result_destroy(epochs);
	}
	if (getenv("CLPAC_TEST_VERBOSE"))
		fprintf(stderr, "%s: p_max <= 0.05 in %zu of %d, p_cluster in %zu\n", _i ? "pooled" : "means", n_low, N,
			n_low_clusters);
	ck_assert_msg(n_low >= 5 && n_low <= 38, "%zu of %d have p_max <= 0.05", n_low, N);
	ck_assert_msg(n_low_clusters <= 38, "%zu of %d have p_cluster <= 0.05", n_low_clusters, N);
}

/* 400 sets of epochs with one coupling in both conditions, 6 of one and 24 of the other: a distance from uniform of
 * more than 2.23 / sqrt(400) has a probability of 2 exp(-2 x 2.23^2), 1e-4, and steps of p add 1/200. */
TEST_EACH(p_is_uniform_where_both_conditions_are_coupled_alike, 2)
{
	enum { N = 400, N_EPOCHS = 30, N_FIRST = 6 };
	size_t at_most[N] = {0};
	for (size_t i = 0; i < N; i++) {
		unsigned long long state = 7000 + i;
		clpac_error err;
		clpac_result *epochs = make_epochs(1, N_EPOCHS, 0, 0.3, &state);
		for (size_t s = N_FIRST; s < N_EPOCHS; s++)
			assert_works(clpac_result_set_condition(epochs, s, "b", &err), err);
		clpac_comparison asked = of(epochs, _i == 1);
		asked.n_permutations = 200;
		asked.seed = i;
		clpac_result *result = compare(&asked);
		for (size_t k = 0; k < N; k++)
			at_most[k] += (double)results_value(result, CLPAC_P, 0) <= ((double)k + 1) / N + 1e-9;
		clpac_result_destroy(result);
		clpac_result_destroy(epochs);
	}
	for (size_t k = 0; k < N; k++)
		assert_close((double)at_most[k] / N, ((double)k + 1) / N, 2.23 / sqrt(N) + 1.0 / 200);
}

TEST_EACH(coupling_in_one_condition_is_found, 2)
{
	unsigned long long state = 3;
	clpac_result *epochs = make_epochs(1, 25, 30, 0.3, &state);
	clpac_comparison asked = of(epochs, _i == 1);
	asked.n_permutations = 1000;
	clpac_result *result = compare(&asked);
	ck_assert(results_value(result, CLPAC_P_MAX, 0) <= 0.01f && results_value(result, CLPAC_RATIO, 0) > 1.5f);
	ck_assert(results_value(result, CLPAC_P_MAX, 5) > 0.05f);
	ck_assert_uint_lt(clpac_result_peak(result, SIZE_MAX).amplitude, 2);
	clpac_result_destroy(result);
	clpac_result_destroy(epochs);
}

/* --- Refused ---------------------------------------------------------------------------------------- */

TEST(what_cannot_be_compared_is_refused)
{
	unsigned long long state = 5;
	clpac_error err;
	clpac_result *out = NULL, *bare = NULL, *epochs = make_epochs(2, 3, 3, 0, &state);
	clpac_result *few = make_epochs(1, 1, 5, 0, &state);
	assert_works(clpac_result_create(&(clpac_result_shape){1, 4, 1, 1, 0, 0}, 1 << CLPAC_MI, &bare, &err), err);
	for (size_t s = 0; s < 4; s++)
		assert_works(clpac_result_set_condition(bare, s, s % 2 ? "b" : "a", &err), err);
	static const char *const channels[] = {"7"}, *const nothing[] = {NULL};
	const clpac_comparison good = of(epochs, false);
	struct {
		clpac_comparison asked;
		const char *why;
	} wrong[16];
	size_t n = 0;
	for (size_t i = 0; i < COUNT(wrong); i++)
		wrong[i].asked = good;
#define WRONG(member, text)                                                                                            \
	do {                                                                                                           \
		clpac_comparison *c = &wrong[n].asked;                                                                 \
		wrong[n++].why = text;                                                                                 \
		member;                                                                                                \
	} while (0)
	WRONG(c->result = NULL, "result is NULL");
	WRONG(c->first = NULL, "first is NULL");
	WRONG(c->second = NULL, "second is NULL");
	WRONG(c->n_channels = 1, "channels is NULL");
	WRONG(c->side = (clpac_side)3, "side is 3");
	WRONG(c->family = (clpac_family)2, "family is 2");
	WRONG(c->cluster_alpha = 0.3, "cluster_alpha is 0.3");
	WRONG(c->n_permutations = 1, "n_permutations is 1");
	WRONG(c->second = "a", "give two conditions");
	WRONG((c->is_pooled = true, c->of_z = true), "is_pooled and of_z");
	WRONG(c->first = "c", "there is no condition \"c\": the result has \"a\", \"b\"");
	WRONG((c->channels = channels, c->n_channels = 1), "there is no channel 7");
	WRONG((c->channels = nothing, c->n_channels = 1), "channels[0] is NULL");
	WRONG(c->result = few, "\"a\" has 1 epoch with values");
	WRONG((c->result = bare, c->is_pooled = true), "keep_distributions");
	WRONG((c->result = bare, c->of_z = true), "holds no z");
	for (size_t i = 0; i < n; i++)
		assert_refused(clpac_result_compare(&wrong[i].asked, &out, &err), err, CLPAC_ERROR_ARGUMENT,
			       wrong[i].why);
	assert_works(clpac_result_set_measure(bare, CLPAC_MEASURE_GLM, &err), err);
	clpac_comparison linear = good;
	linear.result = bare;
	linear.is_pooled = true;
	assert_refused(clpac_result_compare(&linear, &out, &err), err, CLPAC_ERROR_ARGUMENT, "glm is none of bin sums");
	clpac_result_destroy(bare);
	clpac_result_destroy(few);
	clpac_result_destroy(epochs);
}

TEST_EACH(failing_allocations_are_told, 2)
{
	unsigned long long state = 5;
	clpac_result *epochs = make_epochs(2, 3, 4, 0, &state), *out = NULL;
	clpac_error err;
	const char *const channels[] = {"1"};
	clpac_comparison asked = of(epochs, _i == 1);
	asked.channels = channels;
	asked.n_channels = 1;
	assert_survives_failing_allocations(clpac_result_compare(&asked, &out, &err), clpac_result_destroy(out));
	clpac_result_destroy(epochs);
}

/* A p of just 0.05 can be reached: one in the 20 orders of 3 and 3 epochs. */
TEST(few_epochs_are_a_warning)
{
	static const struct {
		size_t n_first, n_second;
		clpac_side side;
		bool warns;
	} cases[] = {{2, 3, CLPAC_SIDE_BOTH, true},
		     {3, 3, CLPAC_SIDE_BOTH, true},
		     {3, 3, CLPAC_SIDE_GREATER, false},
		     {3, 3, CLPAC_SIDE_LESS, false},
		     {2, 4, CLPAC_SIDE_GREATER, true}};
	unsigned long long state = 5;
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_result *epochs = make_epochs(1, cases[i].n_first, cases[i].n_second, 0, &state);
		clpac_comparison asked = of(epochs, false);
		asked.side = cases[i].side;
		clpac_result *result = compare(&asked);
		const clpac_warning *warning = &clpac_result_report(result)->warnings[CLPAC_WARN_FEW_SUBJECTS];
		ck_assert_msg((warning->count == 1) == cases[i].warns, "case %zu: %s", i, warning->text);
		ck_assert(!cases[i].warns || strstr(warning->text, "give more epochs"));
		clpac_result_destroy(result);
		clpac_result_destroy(epochs);
	}
}
