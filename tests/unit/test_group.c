/* Statistics over subjects: by their definition, by laws, with what results lack, and refused. */
#include "runner.h"
#include "assertions.h"
#include "group_truth.h"
#include "coupling/compare/compare_parts.h"
#include "coupling/signal/draws.h"
#include "coupling/signal/statistics.h"

#include <clpac/group.h>
#include <clpac/signal.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_PHASE = 4, N_AMPLITUDE = 5, CELLS = N_PHASE * N_AMPLITUDE, MOST = TRUTH_MOST_SUBJECTS };

struct sizes {
	size_t n_channels, n_segments;
};

/* A result with z and indices of NaN, and bands that adjoin. */
static clpac_result *make_subject(struct sizes sizes)
{
	clpac_result *made = NULL;
	clpac_error err;
	assert_works(clpac_result_create(
			     &(clpac_result_shape){sizes.n_channels, sizes.n_segments, N_PHASE, N_AMPLITUDE, 18, 10},
			     1 << CLPAC_MI | 1 << CLPAC_Z, &made, &err),
		     err);
	for (size_t ph = 0; ph < N_PHASE; ph++)
		clpac_result_phase_bands(made)[ph] = (clpac_band){2 + 2 * (double)ph, 4 + 2 * (double)ph};
	for (size_t am = 0; am < N_AMPLITUDE; am++)
		clpac_result_amplitude_bands(made)[am] = (clpac_band){60 + 10 * (double)am, 80 + 10 * (double)am};
	return made;
}

/* Subjects whose z is noise, alike in neighbouring cells, with an effect in some. */
static void make_subjects(clpac_result **subjects, size_t n, struct sizes sizes, double effect,
			  unsigned long long *state)
{
	for (size_t i = 0; i < n; i++) {
		size_t n_values;
		subjects[i] = make_subject(sizes);
		float *z = clpac_result_array(subjects[i], CLPAC_Z, &n_values);
		float *mi = clpac_result_array(subjects[i], CLPAC_MI, NULL);
		double drift = 0;
		for (size_t k = 0; k < n_values; k++) {
			z[k] = (float)(random_drifting(state, &drift) - 0.5 + (k % CELLS < 3 ? effect : 0));
			mi[k] = (float)random_unit(state);
		}
	}
}

static void destroy(clpac_result **subjects, size_t n)
{
	for (size_t i = 0; i < n; i++)
		clpac_result_destroy(subjects[i]);
}

static clpac_group group_of(clpac_design design, clpac_result **subjects, size_t n_first, size_t n_second)
{
	return (clpac_group){
		.size = sizeof(clpac_group),
		.design = design,
		.first = (const clpac_result *const *)subjects,
		.n_first = n_first,
		.second = n_second ? (const clpac_result *const *)subjects + n_first : NULL,
		.n_second = n_second,
	};
}

static clpac_result *compare(const clpac_group *group)
{
	clpac_result *made = NULL;
	clpac_error err;
	assert_works(clpac_result_group(group, &made, &err), err);
	return made;
}

static float value_of(const clpac_result *result, clpac_array which, size_t i)
{
	size_t n;
	const float *values = clpac_result_array(result, which, &n);
	ck_assert_msg(values && i < n, "%s lacks value %zu", clpac_array_name(which), i);
	return values[i];
}

/* Both NaN, or within a share of the truth. */
static void assert_same(double value, long double truth, double share)
{
	if (isnan(truth) || isnan(value))
		ck_assert_msg(isnan(truth) && isnan(value), "%g where the truth is %Lg", value, truth);
	else
		assert_close(value, (double)truth, share * fabs((double)truth));
}

/* The values of one map of subjects, differences where they are pairs. */
static void take_map(const clpac_group *group, size_t map, double *values)
{
	const size_t n = group->n_first + (group->design == CLPAC_PAIRED ? 0 : group->n_second);
	for (size_t i = 0; i < n; i++)
		for (size_t cell = 0; cell < CELLS; cell++) {
			const clpac_result *own =
				i < group->n_first ? group->first[i] : group->second[i - group->n_first];
			values[i * CELLS + cell] = (double)value_of(own, CLPAC_Z, map * CELLS + cell);
			if (group->design == CLPAC_PAIRED)
				values[i * CELLS + cell] -=
					(double)value_of(group->second[i], CLPAC_Z, map * CELLS + cell);
		}
}

/* Compares a map of a result with the truth.  t is single precision of a correlation near its limits: 1e-6. */
static void assert_is_truth(const clpac_result *result, size_t map, const group_truth *truth)
{
	for (size_t cell = 0; cell < CELLS; cell++) {
		const size_t at = map * CELLS + cell;
		assert_same(value_of(result, CLPAC_EFFECT, at), truth->effect[cell], 1e-6);
		assert_same(value_of(result, CLPAC_T, at), truth->t[cell], 1e-6);
		assert_same(value_of(result, CLPAC_P, at), truth->p[cell], 1e-7);
		assert_same(value_of(result, CLPAC_P_MAX, at), truth->p_max[cell], 1e-7);
		assert_same(value_of(result, CLPAC_CLUSTER_MASS, at), truth->mass[cell], 1e-5);
		assert_same(value_of(result, CLPAC_P_CLUSTER, at), truth->p_cluster[cell], 1e-7);
	}
}

static void assert_q(const clpac_result *result)
{
	static const clpac_array arrays[] = {
		[CLPAC_DISCOVERY_BH] = CLPAC_Q_BH,
		[CLPAC_DISCOVERY_BY] = CLPAC_Q_BY,
	};
	clpac_error err;
	for (int rule = CLPAC_DISCOVERY_BH; rule <= CLPAC_DISCOVERY_BY; rule++) {
		float p[CELLS], q[CELLS];
		for (size_t cell = 0; cell < CELLS; cell++)
			p[cell] = isnan(value_of(result, CLPAC_P_MAX, cell)) ? NAN : value_of(result, CLPAC_P, cell);
		assert_works(clpac_signal_false_discovery(p, CELLS, (clpac_discovery)rule, q, &err), err);
		for (size_t cell = 0; cell < CELLS; cell++)
			assert_same(value_of(result, arrays[rule], cell), q[cell], 0);
	}
}

SECONDS(120);

/* Every design and side, with few subjects: all permutations, found anew. */
TEST_EACH(few_subjects_have_the_p_of_all_permutations, 6 * CLPAC_SIDE_COUNT)
{
	static const struct {
		clpac_design design;
		size_t n_first, n_second;
	} designs[] = {{CLPAC_ONE_SAMPLE, 2, 0}, {CLPAC_ONE_SAMPLE, 9, 0}, {CLPAC_PAIRED, 8, 8},
		       {CLPAC_TWO_SAMPLE, 5, 5}, {CLPAC_TWO_SAMPLE, 3, 7}, {CLPAC_TWO_SAMPLE, 2, 2}};
	clpac_result *subjects[MOST];
	unsigned long long state = 100 + (unsigned long long)_i;
	const clpac_side side = (clpac_side)(_i % CLPAC_SIDE_COUNT);
	const size_t d = (size_t)_i / CLPAC_SIDE_COUNT;
	const bool is_labelled = designs[d].design == CLPAC_TWO_SAMPLE;
	const size_t n_results = designs[d].n_first + designs[d].n_second;
	make_subjects(subjects, n_results, (struct sizes){2, 2}, 1.5, &state);
	for (size_t i = 0; i < designs[d].n_first && side == CLPAC_SIDE_LESS; i++)
		for (size_t k = 0; k < 4 * CELLS; k++)
			clpac_result_array(subjects[i], CLPAC_Z, NULL)[k] *= -1;
	/* A cell that is not valid in one subject, and one that is NaN in another. */
	clpac_result_valid(subjects[1])[7] = 0;
	clpac_result_array(subjects[0], CLPAC_Z, NULL)[3 * CELLS + 11] = NAN;
	clpac_group group = group_of(designs[d].design, subjects, designs[d].n_first, designs[d].n_second);
	group.side = side;
	group.cluster_alpha = 0.1;
	clpac_result *result = compare(&group);
	bool valid[CELLS], is_exact;
	for (size_t cell = 0; cell < CELLS; cell++)
		valid[cell] = cell != 7;
	const size_t n = is_labelled ? n_results : group.n_first;
	const double alpha = side == CLPAC_SIDE_BOTH ? 0.05 : 0.1;
	for (size_t map = 0; map < 4; map++) {
		double values[MOST * CELLS];
		take_map(&group, map, values);
		const group_truth truth = group_truth_of_all(&(group_map){
			.n_first = group.n_first,
			.n_second = is_labelled ? group.n_second : 0,
			.n_phase = N_PHASE,
			.n_amplitude = N_AMPLITUDE,
			.values = values,
			.valid = valid,
			.side = side,
			.limit = clpac__student_deviate(alpha, n - (is_labelled ? 2 : 1)),
		});
		assert_is_truth(result, map, &truth);
		ck_assert_uint_eq(truth.n_permutations,
				  clpac_group_permutations(group.design, group.n_first, group.n_second, 0, &is_exact));
		ck_assert(is_exact);
	}
	assert_q(result);
	ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_MISSING].count, 1);
	ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_NOT_VALID].count, 4);
	clpac_result_destroy(result);
	destroy(subjects, n_results);
}

/* --- Subjects' own surrogates ------------------------------------------------------------------- */

enum { N_SURROGATES = 30, N_INDICES = N_SURROGATES + 1 };

/* A subject of one map with surrogates: skewed noise, of which the first is that of the recording, with some ties. */
static clpac_result *make_with_surrogates(double effect, unsigned long long *state)
{
	clpac_result *made = NULL;
	clpac_error err;
	assert_works(clpac_result_create(&(clpac_result_shape){1, 1, N_PHASE, N_AMPLITUDE, 18, N_SURROGATES},
					 1 << CLPAC_MI | 1 << CLPAC_Z | 1 << CLPAC_SURROGATES, &made, &err),
		     err);
	float *surrogates = clpac_result_array(made, CLPAC_SURROGATES, NULL);
	for (size_t cell = 0; cell < CELLS; cell++) {
		for (size_t k = 0; k < N_SURROGATES; k++)
			surrogates[k * CELLS + cell] = (float)(floor(300 * pow(random_unit(state), 3)) / 300);
		clpac_result_array(made, CLPAC_MI, NULL)[cell] =
			(float)(floor(300 * pow(random_unit(state), 3)) / 300 + (cell < 3 ? effect : 0));
		clpac_result_array(made, CLPAC_Z, NULL)[cell] = (float)random_unit(state);
	}
	return made;
}

static float index_of(const clpac_result *subject, size_t member, size_t cell)
{
	return member ? value_of(subject, CLPAC_SURROGATES, (member - 1) * CELLS + cell)
		      : value_of(subject, CLPAC_MI, cell);
}

/* The score of one index of a cell among all of them: the mean score of those that are equal to it. */
static double score_of(const clpac_result *subject, size_t member, size_t cell)
{
	float scores[N_INDICES];
	size_t below = 0, equal = 0;
	clpac__normal_scores(scores, N_INDICES);
	for (size_t k = 0; k < N_INDICES; k++) {
		below += index_of(subject, k, cell) < index_of(subject, member, cell);
		equal += index_of(subject, k, cell) == index_of(subject, member, cell);
	}
	if (!equal) /* no number */
		return NAN;
	const size_t last = below + equal - 1;
	return ((double)scores[(below + last) / 2] + (double)scores[(below + last + 1) / 2]) / 2;
}

/* Sums over the root of n, of one draw. */
static void sum_scores(clpac_result **subjects, size_t n, const uint32_t *members, double *sums)
{
	for (size_t cell = 0; cell < CELLS; cell++) {
		sums[cell] = 0;
		for (size_t i = 0; i < n; i++)
			sums[cell] += score_of(subjects[i], members[i], cell) / sqrt((double)n);
	}
}

static double by_side(clpac_side side, double value)
{
	return side == CLPAC_SIDE_BOTH ? fabs(value) : side == CLPAC_SIDE_LESS ? -value : value;
}

TEST_EACH(subjects_with_surrogates_are_compared_with_draws_of_them, CLPAC_SIDE_COUNT)
{
	enum { N = 5, DRAWS = 200 };
	clpac_result *subjects[N];
	unsigned long long state = 900 + (unsigned long long)_i;
	uint32_t n_of[N], members[N] = {0};
	double observed[CELLS], drawn[CELLS];
	size_t reached[CELLS] = {0}, reached_max[CELLS] = {0};
	const clpac_side side = (clpac_side)_i;
	for (size_t i = 0; i < N; i++) {
		subjects[i] = make_with_surrogates(0.3, &state);
		n_of[i] = N_INDICES;
	}
	clpac_group group = group_of(CLPAC_ONE_SAMPLE, subjects, N, 0);
	group.side = side;
	group.seed = 7;
	group.n_permutations = DRAWS;
	/* A surrogate that is no number: the cell has no score. */
	clpac_result_array(subjects[2], CLPAC_SURROGATES, NULL)[4 * CELLS + 9] = NAN;
	clpac_result *result = compare(&group);
	sum_scores(subjects, N, members, observed);
	for (uint64_t k = 1; k < DRAWS; k++) {
		double highest = -INFINITY;
		clpac__draw_members(7, k, n_of, N, members);
		sum_scores(subjects, N, members, drawn);
		for (size_t cell = 0; cell < CELLS; cell++)
			if (cell != 9)
				highest = fmax(highest, by_side(side, drawn[cell]));
		/* Sums in double of scores in float: equal draws differ by roundings here. */
		for (size_t cell = 0; cell < CELLS; cell++) {
			reached[cell] += by_side(side, drawn[cell]) >= by_side(side, observed[cell]) - 1e-6;
			reached_max[cell] += highest >= by_side(side, observed[cell]) - 1e-6;
		}
	}
	for (size_t cell = 0; cell < CELLS; cell++) {
		if (cell == 9)
			ck_assert(isnan(value_of(result, CLPAC_T, cell)));
		else
			assert_close((double)value_of(result, CLPAC_T, cell), observed[cell], 1e-6);
		assert_same(value_of(result, CLPAC_P, cell),
			    cell == 9 ? (double)NAN : clpac__p_value(reached[cell], DRAWS - 1), 1e-7);
		assert_same(value_of(result, CLPAC_P_MAX, cell),
			    cell == 9 ? (double)NAN : clpac__p_value(reached_max[cell], DRAWS - 1), 1e-7);
	}
	ck_assert_ptr_nonnull(strstr(clpac_result_problem(result), "null=surrogates"));
	clpac_result_destroy(result);
	destroy(subjects, N);
}

/* Of 300 studies of skewed noise a share of 0.05 has a cell, within three and a half standard errors. */
TEST_EACH(draws_of_surrogates_keep_their_level, CLPAC_SIDE_COUNT)
{
	enum { N = 5, STUDIES = 300 };
	unsigned long long state = 4000 + (unsigned long long)_i;
	size_t n_found = 0;
	for (size_t study = 0; study < STUDIES; study++) {
		clpac_result *subjects[N];
		bool is_found = false;
		for (size_t i = 0; i < N; i++)
			subjects[i] = make_with_surrogates(0, &state);
		clpac_group group = group_of(CLPAC_ONE_SAMPLE, subjects, N, 0);
		group.side = (clpac_side)_i;
		group.seed = study;
		group.n_permutations = 100;
		clpac_result *result = compare(&group);
		for (size_t cell = 0; cell < CELLS; cell++)
			is_found = is_found || value_of(result, CLPAC_P_MAX, cell) <= 0.05F;
		n_found += is_found;
		clpac_result_destroy(result);
		destroy(subjects, N);
	}
	const double error = sqrt(0.05 * 0.95 / STUDIES);
	assert_close((double)n_found / STUDIES, 0.05, 3.5 * error);
}

TEST(indices_of_unequal_lengths_are_refused)
{
	clpac_result *subjects[4];
	unsigned long long state = 5;
	clpac_error err;
	clpac_result *made = NULL;
	make_subjects(subjects, 4, (struct sizes){1, 1}, 0, &state);
	for (size_t i = 0; i < 4; i++)
		clpac_result_used_seconds(subjects[i])[0] = i == 3 ? 10 : 60;
	for (int design = CLPAC_PAIRED; design <= CLPAC_TWO_SAMPLE; design++) {
		clpac_group group = group_of((clpac_design)design, subjects, 2, 2);
		clpac_result_destroy(compare(&group));
		group.of_index = true;
		ck_assert_int_eq(clpac_result_group(&group, &made, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(err.text, "second[1] uses 10 s where first["));
		ck_assert_ptr_nonnull(strstr(err.text, "compare z"));
	}
	clpac_result_used_seconds(subjects[3])[0] = 59.5;
	clpac_group group = group_of(CLPAC_PAIRED, subjects, 2, 2);
	group.of_index = true;
	clpac_result_destroy(compare(&group));
	destroy(subjects, 4);
}

/* More subjects: the permutations that are drawn, with t found anew. */
TEST_EACH(many_subjects_have_the_p_of_drawn_permutations, 2)
{
	enum { N = 20, DRAWN = 300 };
	clpac_result *subjects[N];
	unsigned long long state = 9;
	const bool is_labelled = _i;
	make_subjects(subjects, N, (struct sizes){1, 1}, 0.6, &state);
	clpac_group group = group_of(is_labelled ? CLPAC_TWO_SAMPLE : CLPAC_ONE_SAMPLE, subjects, is_labelled ? 9 : N,
				     is_labelled ? N - 9 : 0);
	group.n_permutations = DRAWN;
	group.seed = 77;
	clpac_result *result = compare(&group), *again = compare(&group);
	double *weights = malloc(DRAWN * N * sizeof *weights);
	const clpac__permutations drawn =
		clpac__permutations_choose(is_labelled, is_labelled ? 9 : N, N, DRAWN, group.seed);
	for (size_t k = 1; k < DRAWN; k++)
		clpac__permutation(&drawn, k, weights + (k - 1) * N);
	double values[N * CELLS];
	bool valid[CELLS];
	take_map(&group, 0, values);
	for (size_t cell = 0; cell < CELLS; cell++)
		valid[cell] = true;
	const group_truth truth = group_truth_of(
		&(group_map){
			.n_first = group.n_first,
			.n_second = group.n_second,
			.n_phase = N_PHASE,
			.n_amplitude = N_AMPLITUDE,
			.values = values,
			.valid = valid,
			.limit = clpac__student_deviate(0.025, N - (is_labelled ? 2 : 1)),
		},
		weights, DRAWN - 1);
	assert_is_truth(result, 0, &truth);
	assert_q(result);
	ck_assert_uint_eq(clpac_result_get_shape(result)->n_surrogates, DRAWN - 1);
	ck_assert_mem_eq(clpac_result_array(result, CLPAC_P_MAX, NULL), clpac_result_array(again, CLPAC_P_MAX, NULL),
			 CELLS * sizeof(float));
	ck_assert_str_eq(clpac_result_problem(result),
			 is_labelled
				 ? "group=two-sample value=z subjects=9+11 df=18 side=both permutations=300 exact=0 "
				   "seed=77 clusters=0.05 family=map"
				 : "group=one-sample value=z subjects=20 df=19 side=both permutations=300 exact=0 "
				   "seed=77 clusters=0.05 family=map");
	free(weights);
	clpac_result_destroy(result);
	clpac_result_destroy(again);
	destroy(subjects, N);
}

/* Whether arrays of two comparisons are the same, up to a factor and roundings of single precision. */
static void assert_alike(const clpac_result *a, const clpac_result *b, clpac_array which, double factor)
{
	size_t n;
	clpac_result_array(a, which, &n);
	for (size_t i = 0; i < n; i++)
		assert_same(value_of(b, which, i), (long double)(factor * (double)value_of(a, which, i)), 1e-6);
}

TEST_EACH(the_order_of_subjects_changes_nothing, 2)
{
	enum { N = 9 };
	static const size_t orders[][N] = {{4, 2, 0, 1, 3, 5, 6, 7, 8}, {3, 1, 4, 0, 2, 8, 7, 6, 5}};
	static const clpac_array arrays[] = {CLPAC_EFFECT, CLPAC_T, CLPAC_P, CLPAC_P_MAX, CLPAC_P_CLUSTER, CLPAC_Q_BH};
	clpac_result *subjects[N], *moved[N];
	unsigned long long state = 3;
	make_subjects(subjects, N, (struct sizes){1, 2}, 1, &state);
	for (size_t i = 0; i < N; i++)
		moved[i] = subjects[orders[_i][i]];
	const size_t n_first = _i ? 5 : N;
	const clpac_design design = _i ? CLPAC_TWO_SAMPLE : CLPAC_ONE_SAMPLE;
	const clpac_group one = group_of(design, subjects, n_first, N - n_first);
	const clpac_group other = group_of(design, moved, n_first, N - n_first);
	clpac_result *a = compare(&one), *b = compare(&other);
	for (size_t i = 0; i < COUNT(arrays); i++)
		assert_alike(a, b, arrays[i], 1);
	clpac_result_destroy(a);
	clpac_result_destroy(b);
	destroy(subjects, N);
}

/* The first group less the second is the second less the first, with another sign; sides change places. */
TEST(groups_that_change_places_flip_the_sign)
{
	enum { N = 6 };
	static const clpac_array kept[] = {CLPAC_P, CLPAC_P_MAX, CLPAC_P_CLUSTER, CLPAC_CLUSTER_MASS};
	clpac_result *subjects[2 * N], *moved[2 * N];
	unsigned long long state = 12;
	make_subjects(subjects, 2 * N, (struct sizes){2, 1}, 1, &state);
	for (size_t i = 0; i < 2 * N; i++)
		moved[i] = subjects[(i + N) % (2 * N)];
	for (int design = CLPAC_PAIRED; design <= CLPAC_TWO_SAMPLE; design++)
		for (int side = 0; side < CLPAC_SIDE_COUNT; side++) {
			static const clpac_side turned[] = {CLPAC_SIDE_BOTH, CLPAC_SIDE_LESS, CLPAC_SIDE_GREATER};
			clpac_group one = group_of((clpac_design)design, subjects, N, N);
			clpac_group other = group_of((clpac_design)design, moved, N, N);
			one.side = (clpac_side)side;
			other.side = turned[side];
			clpac_result *a = compare(&one), *b = compare(&other);
			assert_alike(a, b, CLPAC_EFFECT, -1);
			assert_alike(a, b, CLPAC_T, -1);
			for (size_t i = 0; i < COUNT(kept); i++)
				assert_alike(a, b, kept[i], 1);
			clpac_result_destroy(a);
			clpac_result_destroy(b);
		}
	destroy(subjects, 2 * N);
}

/* t does not depend on the unit, and pairs on nothing that both have. */
TEST(units_and_what_pairs_share_do_not_count)
{
	enum { N = 7 };
	clpac_result *subjects[2 * N];
	unsigned long long state = 13;
	make_subjects(subjects, 2 * N, (struct sizes){1, 1}, 1, &state);
	const clpac_group group = group_of(CLPAC_PAIRED, subjects, N, N);
	clpac_result *a = compare(&group);
	for (size_t i = 0; i < 2 * N; i++)
		for (size_t cell = 0; cell < CELLS; cell++)
			clpac_result_array(subjects[i], CLPAC_Z, NULL)[cell] *= 1024;
	clpac_result *b = compare(&group);
	assert_alike(a, b, CLPAC_EFFECT, 1024);
	assert_alike(a, b, CLPAC_T, 1);
	assert_alike(a, b, CLPAC_P_MAX, 1);
	clpac_result_destroy(b);
	for (size_t i = 0; i < 2 * N; i++)
		for (size_t cell = 0; cell < CELLS; cell++) {
			float *z = clpac_result_array(subjects[i], CLPAC_Z, NULL) + cell;
			/* In steps that both keep exactly. */
			*z = roundf(*z) + (float)(1000 * (i % N));
		}
	b = compare(&group);
	for (size_t i = 0; i < 2 * N; i++)
		for (size_t cell = 0; cell < CELLS; cell++)
			clpac_result_array(subjects[i], CLPAC_Z, NULL)[cell] -= (float)(1000 * (i % N));
	clpac_result_destroy(a);
	a = compare(&group);
	assert_alike(a, b, CLPAC_T, 1);
	assert_alike(a, b, CLPAC_P_MAX, 1);
	clpac_result_destroy(a);
	clpac_result_destroy(b);
	destroy(subjects, 2 * N);
}

/* One family is the map with all cells; a family of the run asks more of each. */
TEST(families_are_maps_or_the_run)
{
	enum { N = 8 };
	clpac_result *subjects[N];
	unsigned long long state = 14;
	make_subjects(subjects, N, (struct sizes){3, 2}, 1.2, &state);
	clpac_group group = group_of(CLPAC_ONE_SAMPLE, subjects, N, 0);
	clpac_result *maps = compare(&group);
	group.family = CLPAC_FAMILY_RUN;
	clpac_result *run = compare(&group);
	const size_t n_others = clpac_result_get_shape(maps)->n_surrogates;
	for (size_t i = 0; i < 6 * CELLS; i++) {
		const double t = fabs((double)value_of(run, CLPAC_T, i));
		size_t reached = 0;
		for (size_t k = 0; k < n_others; k++) {
			double highest = 0;
			for (size_t map = 0; map < 6; map++)
				highest = fmax(highest, value_of(run, CLPAC_MAXIMA, map * n_others + k));
			reached += highest >= t * (1 - 1e-6);
		}
		assert_close(value_of(run, CLPAC_P_MAX, i), (1.0 + (double)reached) / (1.0 + (double)n_others), 1e-7);
		ck_assert(value_of(run, CLPAC_P_MAX, i) >= value_of(maps, CLPAC_P_MAX, i));
		ck_assert(value_of(run, CLPAC_P_CLUSTER, i) >= value_of(maps, CLPAC_P_CLUSTER, i));
		ck_assert(value_of(run, CLPAC_P, i) == value_of(maps, CLPAC_P, i));
	}
	clpac_result_destroy(maps);
	clpac_result_destroy(run);
	destroy(subjects, N);
}

/* Of maps without an effect as many have a cell with p_max <= 0.05 as exactness says: the share of permutations, 12 of
 * 256 with both signs, within three standard errors; and p_cluster likewise, at most. */
TEST(noise_is_significant_as_often_as_p_says)
{
	enum { N = 8, MAPS = 4000 };
	clpac_result *subjects[N];
	unsigned long long state = 15;
	make_subjects(subjects, N, (struct sizes){1, MAPS}, 0, &state);
	const clpac_group group = group_of(CLPAC_ONE_SAMPLE, subjects, N, 0);
	clpac_result *result = compare(&group);
	size_t n_max = 0, n_cluster = 0;
	for (size_t map = 0; map < MAPS; map++) {
		bool is_max = false, is_cluster = false;
		for (size_t i = map * CELLS; i < (map + 1) * CELLS; i++) {
			is_max = is_max || value_of(result, CLPAC_P_MAX, i) <= 0.05F;
			is_cluster = is_cluster || value_of(result, CLPAC_P_CLUSTER, i) <= 0.05F;
		}
		n_max += is_max;
		n_cluster += is_cluster;
	}
	const double share = 12.0 / 256, error = sqrt(share * (1 - share) / MAPS);
	assert_close((double)n_max / MAPS, share, 3 * error);
	ck_assert_msg((double)n_cluster / MAPS <= share + 3 * error, "%zu of %d maps have a cluster", n_cluster, MAPS);
	ck_assert_msg((double)n_cluster / MAPS >= share / 2, "%zu of %d maps have a cluster", n_cluster, MAPS);
	clpac_result_destroy(result);
	destroy(subjects, N);
}

TEST(an_effect_is_found_where_it_is)
{
	enum { N = 12 };
	clpac_result *subjects[N];
	unsigned long long state = 16;
	make_subjects(subjects, N, (struct sizes){2, 1}, 2, &state);
	const clpac_group group = group_of(CLPAC_ONE_SAMPLE, subjects, N, 0);
	clpac_result *result = compare(&group);
	const clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	ck_assert(peak.found);
	ck_assert_uint_eq(peak.phase, 0);
	ck_assert_uint_lt(peak.amplitude, 3);
	ck_assert(peak.p_max <= 0.01F);
	for (size_t cell = 0; cell < 3; cell++)
		ck_assert(value_of(result, CLPAC_P_CLUSTER, cell) <= 0.01F);
	/* The peak has the lowest p_max, and of several the largest |t|. */
	const size_t at = peak.channel * CELLS + peak.phase * N_AMPLITUDE + peak.amplitude;
	for (size_t i = 0; i < 2 * CELLS; i++) {
		ck_assert(value_of(result, CLPAC_P_MAX, i) >= peak.p_max);
		if (value_of(result, CLPAC_P_MAX, i) == peak.p_max)
			ck_assert(fabsf(value_of(result, CLPAC_T, i)) <= fabsf(value_of(result, CLPAC_T, at)));
	}
	clpac_result_destroy(result);
	destroy(subjects, N);
}

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
			ck_assert(!isnan(value_of(result, CLPAC_T, cell)) == !is_lost);
			ck_assert(!isnan(value_of(result, CLPAC_P, cell)) == !is_lost);
			ck_assert(!isnan(value_of(result, CLPAC_P_MAX, cell)) == !is_lost);
			ck_assert(!isnan(value_of(result, CLPAC_P_CLUSTER, cell)) == !is_lost);
			ck_assert(!isnan(value_of(result, CLPAC_Q_BH, cell)) == !is_lost);
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
	ck_assert(isnan(value_of(result, CLPAC_MAXIMA, 5)) && isnan(value_of(result, CLPAC_CLUSTER_MAXIMA, 5)));
	ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_MISSING].count, CELLS);
	clpac_result_destroy(result);
	destroy(subjects, N);
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
		float effect, t, p, p_max, mass, p_cluster, maxima[20], heaviest[20];
		clpac_error err;
		const clpac__group_rule rule = {.permutations = clpac__permutations_choose(true, n / 4, n, 20, 1),
						.degrees = n - 2,
						.cluster_alpha = 0.05};
		assert_works(clpac__group_test(&(clpac__group_cells){.n_maps = 1,
								     .n_phase = 1,
								     .n_amplitude = 1,
								     .values = values,
								     .valid = (const uint8_t[]){1},
								     .links = (const uint32_t[]){0}},
					       &rule,
					       &(clpac__group_outcome){&effect, &t, &p, &p_max, &mass, &p_cluster,
								       maxima, heaviest},
					       &err),
			     err);
		ck_assert_msg(isnan(t) && isnan(p), "%zu times %.17g: t is %g", n, value, (double)t);
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
		float effect, t, p, p_max, mass, p_cluster, maxima[20], heaviest[20];
		clpac_error err;
		const clpac__group_rule rule = {.permutations = clpac__permutations_choose(false, n, n, 20, 1),
						.degrees = n - 1,
						.cluster_alpha = 0.05};
		assert_works(clpac__group_test(&(clpac__group_cells){.n_maps = 1,
								     .n_phase = 1,
								     .n_amplitude = 1,
								     .values = values,
								     .valid = (const uint8_t[]){1},
								     .links = (const uint32_t[]){0}},
					       &rule,
					       &(clpac__group_outcome){&effect, &t, &p, &p_max, &mass, &p_cluster,
								       maxima, heaviest},
					       &err),
			     err);
		ck_assert_msg(isnan(t) == !_i, "%zu subjects: t is %g", n, (double)t);
	}
}

/* Permutations with as many high values among the first subjects have the same r, in whatever order it is summed up. In
 * the given order the sum rises far, and falls back: each addition of the one value is rounded the same way, so that it
 * ends 1.4e-14 above those of permutations, more than a few numbers' rounding. */
TEST_EACH(the_same_sum_in_another_order_is_reached, 2)
{
	enum { N = 4000, N_HIGH = 2000, N_OTHERS = 400 };
	static double values[N], weights[N];
	static float maxima[N_OTHERS], heaviest[N_OTHERS];
	const clpac__group_rule rule = {.permutations =
						clpac__permutations_choose(true, N / 2, N, 1 + (uint64_t)N_OTHERS, 3),
					.degrees = N - 2,
					.side = _i ? CLPAC_SIDE_LESS : CLPAC_SIDE_GREATER,
					.cluster_alpha = 0.05};
	float effect, t, p, p_max, mass, p_cluster;
	clpac_error err;
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
	assert_works(
		clpac__group_test(&(clpac__group_cells){.n_maps = 1,
							.n_phase = 1,
							.n_amplitude = 1,
							.values = values,
							.valid = (const uint8_t[]){1},
							.links = (const uint32_t[]){0}},
				  &rule,
				  &(clpac__group_outcome){&effect, &t, &p, &p_max, &mass, &p_cluster, maxima, heaviest},
				  &err),
		err);
	const double truth = (1.0 + (double)reached) / (1.0 + N_OTHERS);
	ck_assert_msg(fabs((double)p - truth) < 1e-6 && fabs((double)p_max - truth) < 1e-6,
		      "p %.9g and p_max %.9g where %zu of %d permutations reach it", (double)p, (double)p_max, reached,
		      N_OTHERS);
}

TEST(too_few_subjects_are_a_warning)
{
	static const struct {
		size_t n;
		clpac_side side;
		bool warns;
	} cases[] = {{5, CLPAC_SIDE_BOTH, true},
		     {6, CLPAC_SIDE_BOTH, false},
		     {4, CLPAC_SIDE_GREATER, true},
		     {5, CLPAC_SIDE_LESS, false}};
	clpac_result *subjects[6];
	unsigned long long state = 18;
	make_subjects(subjects, 6, (struct sizes){1, 1}, 1, &state);
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_group group = group_of(CLPAC_ONE_SAMPLE, subjects, cases[i].n, 0);
		group.side = cases[i].side;
		clpac_result *result = compare(&group);
		const clpac_warning *warning = &clpac_result_report(result)->warnings[CLPAC_WARN_FEW_SUBJECTS];
		ck_assert_msg((warning->count == 1) == cases[i].warns, "case %zu: %s", i, warning->text);
		ck_assert(!warning->count || strstr(warning->text, "more subjects"));
		clpac_result_destroy(result);
	}
	/* One of 20 permutations is just enough. */
	clpac_group group = group_of(CLPAC_TWO_SAMPLE, subjects, 3, 3);
	group.side = CLPAC_SIDE_GREATER;
	clpac_result *result = compare(&group);
	ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_FEW_SUBJECTS].count, 0);
	clpac_result_destroy(result);
	destroy(subjects, 6);
}

/* Channels are found by their names, wherever they stand. */
TEST(channels_are_matched_by_name)
{
	enum { N = 5 };
	static const char *const names[] = {"Fz", "Cz", "Pz"};
	clpac_result *subjects[N], *straight[N];
	clpac_error err;
	unsigned long long state = 19;
	make_subjects(subjects, N, (struct sizes){3, 1}, 1, &state);
	for (size_t i = 0; i < N; i++) {
		straight[i] = make_subject((struct sizes){3, 1});
		for (size_t ch = 0; ch < 3; ch++) {
			const size_t place = (ch + i) % 3;
			OK(clpac_result_set_channel_name(straight[i], ch, names[ch], &err));
			OK(clpac_result_set_channel_name(subjects[i], place, names[ch], &err));
			memcpy(clpac_result_array(straight[i], CLPAC_Z, NULL) + ch * CELLS,
			       clpac_result_array(subjects[i], CLPAC_Z, NULL) + place * CELLS, CELLS * sizeof(float));
		}
	}
	const clpac_group one = group_of(CLPAC_ONE_SAMPLE, straight, N, 0);
	clpac_group other = group_of(CLPAC_ONE_SAMPLE, subjects, N, 0);
	clpac_result *a = compare(&one), *b = compare(&other);
	ck_assert_mem_eq(clpac_result_array(a, CLPAC_T, NULL), clpac_result_array(b, CLPAC_T, NULL),
			 3 * CELLS * sizeof(float));
	clpac_result_destroy(b);
	/* Some of them, in another order. */
	other.channels = (const char *const[]){"Pz", "Fz"};
	other.n_channels = 2;
	b = compare(&other);
	ck_assert_uint_eq(clpac_result_get_shape(b)->n_channels, 2);
	ck_assert_str_eq(clpac_result_channel_name(b, 0), "Pz");
	ck_assert_mem_eq(clpac_result_array(a, CLPAC_T, NULL) + 2 * CELLS, clpac_result_array(b, CLPAC_T, NULL),
			 CELLS * sizeof(float));
	ck_assert_mem_eq(clpac_result_array(a, CLPAC_T, NULL), clpac_result_array(b, CLPAC_T, NULL) + CELLS,
			 CELLS * sizeof(float));
	clpac_result_destroy(b);
	/* By number, in each subject its own. */
	other.channels = (const char *const[]){"1"};
	other.n_channels = 1;
	b = compare(&other);
	ck_assert_str_eq(clpac_result_channel_name(b, 0), "Cz");
	double sum = 0;
	for (size_t i = 0; i < N; i++)
		sum += (double)value_of(subjects[i], CLPAC_Z, CELLS);
	assert_close(value_of(b, CLPAC_EFFECT, 0), sum / N, 1e-6);
	clpac_result_destroy(b);
	clpac_result_destroy(a);
	destroy(subjects, N);
	destroy(straight, N);
}

/* --- Channels that some subjects lack ----------------------------------------------------------- */

static void assert_same_channel(const clpac_result *a, size_t channel, const clpac_result *b, size_t other)
{
	static const clpac_array arrays[] = {CLPAC_EFFECT,	 CLPAC_T,    CLPAC_P,	CLPAC_P_MAX, CLPAC_P_CLUSTER,
					     CLPAC_CLUSTER_MASS, CLPAC_Q_BH, CLPAC_Q_BY};
	const size_t each = clpac_result_get_shape(a)->n_segments * CELLS;
	for (size_t i = 0; i < COUNT(arrays); i++)
		ck_assert_mem_eq(clpac_result_array((clpac_result *)a, arrays[i], NULL) + channel * each,
				 clpac_result_array((clpac_result *)b, arrays[i], NULL) + other * each,
				 each * sizeof(float));
}

/* A subject that lacks a channel, or of a pair the pair, is not there for it, and another case is the same name. */
TEST_EACH(a_channel_is_compared_among_the_subjects_that_have_it, CLPAC_DESIGN_COUNT)
{
	enum { N_ALL = 10, HALF = N_ALL / 2, LACKS = 2 };
	static const char *const names[] = {"Fz", "Cz", "Pz"};
	const clpac_design design = (clpac_design)_i;
	const size_t n_first = design == CLPAC_ONE_SAMPLE ? N_ALL : HALF, n_second = N_ALL - n_first;
	unsigned long long state = 77 + (unsigned)_i;
	clpac_result *subjects[N_ALL], *fewer[N_ALL];
	clpac_error err;
	size_t n_fewer = 0;
	make_subjects(subjects, N_ALL, (struct sizes){3, 2}, 0.4, &state);
	for (size_t i = 0; i < N_ALL; i++)
		for (size_t ch = 0; ch < 3; ch++)
			OK(clpac_result_set_channel_name(subjects[i], ch, names[ch], &err));
	for (size_t i = 0; i < N_ALL; i++)
		if (i != LACKS && !(design == CLPAC_PAIRED && i == HALF + LACKS))
			fewer[n_fewer++] = subjects[i];
	clpac_group all = group_of(design, subjects, n_first, n_second);
	clpac_group rest = group_of(design, fewer, n_first - 1, n_fewer - (n_first - 1));
	clpac_result *whole = compare(&all), *part = compare(&rest);
	ck_assert_ptr_null(clpac_result_array(whole, CLPAC_N_SUBJECTS, NULL));
	OK(clpac_result_set_channel_name(subjects[LACKS], 1, "Oz", &err));
	OK(clpac_result_set_channel_name(subjects[4], 0, "FZ", &err));
	OK(clpac_result_set_channel_name(subjects[N_ALL - 1], 2, "pZ", &err));
	clpac_result *made = compare(&all);
	ck_assert_uint_eq(clpac_result_get_shape(made)->n_channels, 3);
	for (size_t ch = 0; ch < 3; ch++) {
		const size_t n = design == CLPAC_PAIRED ? HALF : N_ALL;
		ck_assert_str_eq(clpac_result_channel_name(made, ch), names[ch]);
		assert_same_channel(made, ch, ch == 1 ? part : whole, ch);
		for (size_t i = 0; i < 2 * CELLS; i++)
			ck_assert(value_of(made, CLPAC_N_SUBJECTS, ch * 2 * CELLS + i) == (float)(n - (ch == 1)));
	}
	clpac_result_destroy(made);
	/* Named, it is the same; over the run there are no permutations of all. */
	all.channels = (const char *const[]){"CZ"};
	all.n_channels = 1;
	made = compare(&all);
	assert_same_channel(made, 0, part, 1);
	clpac_result_destroy(made);
	all.n_channels = 0;
	all.family = CLPAC_FAMILY_RUN;
	assert_refused(clpac_result_group(&all, &made, &err), err, CLPAC_ERROR_ARGUMENT,
		       "some subjects lack channels that others have");
	clpac_result_destroy(whole);
	clpac_result_destroy(part);
	destroy(subjects, N_ALL);
}

/* One that a single subject has is left out, and one of a later subject is found. */
TEST(a_channel_needs_two_subjects_of_each_group)
{
	enum { N_ALL = 6 };
	unsigned long long state = 5;
	clpac_result *subjects[N_ALL], *made;
	clpac_error err;
	make_subjects(subjects, N_ALL, (struct sizes){2, 1}, 0.4, &state);
	for (size_t i = 0; i < N_ALL; i++) {
		OK(clpac_result_set_channel_name(subjects[i], 0, i == 0 ? "only" : i < 3 ? "a" : "b", &err));
		OK(clpac_result_set_channel_name(subjects[i], 1, "Cz", &err));
	}
	clpac_group group = group_of(CLPAC_ONE_SAMPLE, subjects, N_ALL, 0);
	made = compare(&group);
	ck_assert_uint_eq(clpac_result_get_shape(made)->n_channels, 3);
	ck_assert_str_eq(clpac_result_channel_name(made, 0), "Cz");
	ck_assert_str_eq(clpac_result_channel_name(made, 1), "a");
	ck_assert_str_eq(clpac_result_channel_name(made, 2), "b");
	ck_assert(value_of(made, CLPAC_N_SUBJECTS, 0) == 6 && value_of(made, CLPAC_N_SUBJECTS, CELLS) == 2 &&
		  value_of(made, CLPAC_N_SUBJECTS, 2 * CELLS) == 3);
	clpac_result_destroy(made);
	group = group_of(CLPAC_TWO_SAMPLE, subjects, 3, 3);
	made = compare(&group);
	ck_assert_uint_eq(clpac_result_get_shape(made)->n_channels, 1);
	clpac_result_destroy(made);
	group.channels = (const char *const[]){"a"};
	group.n_channels = 1;
	assert_refused(clpac_result_group(&group, &made, &err), err, CLPAC_ERROR_ARGUMENT, "has no channel a");
	destroy(subjects, N_ALL);
}

/* Indices, and a further measure. */
struct heard {
	size_t n, last, total, stop_at;
};

static bool hear(void *user, size_t done, size_t total)
{
	struct heard *so_far = user;
	ck_assert_uint_ge(done, so_far->last);
	ck_assert_uint_le(done, total);
	so_far->last = done;
	so_far->total = total;
	return ++so_far->n != so_far->stop_at;
}

TEST(progress_is_told_and_may_end_a_comparison)
{
	enum { N = 12 };
	clpac_result *subjects[N], *result = NULL;
	clpac_error err;
	unsigned long long state = 31;
	struct heard heard = {0};
	make_subjects(subjects, N, (struct sizes){1, 1}, 1, &state);
	clpac_group group = group_of(CLPAC_ONE_SAMPLE, subjects, N, 0);
	group.n_permutations = 3000;
	group.progress = hear;
	group.progress_user = &heard;
	clpac_result_destroy(compare(&group));
	ck_assert_uint_ge(heard.n, 1);
	ck_assert_uint_eq(heard.last, 2999);
	ck_assert_uint_eq(heard.total, 2999);
	heard = (struct heard){.stop_at = 1};
	assert_refused(clpac_result_group(&group, &result, &err), err, CLPAC_ERROR_CANCELLED, "permutations, as asked");
	ck_assert_ptr_null(result);
	destroy(subjects, N);
}

TEST(indices_and_further_measures_are_compared)
{
	enum { N = 6 };
	clpac_result *subjects[N];
	const clpac_result *further[N];
	clpac_error err;
	unsigned long long state = 20;
	make_subjects(subjects, N, (struct sizes){1, 1}, 1, &state);
	clpac_group group = group_of(CLPAC_TWO_SAMPLE, subjects, 3, 3);
	group.of_index = true;
	clpac_result *result = compare(&group);
	double sum = 0;
	for (size_t i = 0; i < N; i++)
		sum += (i < 3 ? 1.0 : -1.0) * (double)value_of(subjects[i], CLPAC_MI, 4) / 3;
	assert_close(value_of(result, CLPAC_EFFECT, 4), sum, 1e-6);
	ck_assert_ptr_nonnull(strstr(clpac_result_problem(result), "value=mi"));
	clpac_result_destroy(result);
	for (size_t i = 0; i < N; i++) {
		clpac_result *added;
		OK(clpac_result_add_measure(subjects[i], CLPAC_MEASURE_GLM, 1 << CLPAC_MI | 1 << CLPAC_Z, &added,
					    &err));
		for (size_t cell = 0; cell < CELLS; cell++)
			clpac_result_array(added, CLPAC_Z, NULL)[cell] = (float)(i + 1 + cell);
		further[i] = added;
	}
	group = (clpac_group){.first = further, .n_first = N};
	result = compare(&group);
	ck_assert_int_eq(clpac_result_measure(result), CLPAC_MEASURE_GLM);
	assert_close(value_of(result, CLPAC_EFFECT, 2), 5.5, 1e-6);
	clpac_result_destroy(result);
	further[4] = subjects[4];
	assert_refused(clpac_result_group(&group, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "first[4] holds the measure mi");
	destroy(subjects, N);
}

TEST(what_does_not_fit_is_refused_by_name)
{
	enum { N = 4 };
	clpac_result *subjects[2 * N], *made = NULL;
	clpac_error err;
	unsigned long long state = 21;
	make_subjects(subjects, 2 * N, (struct sizes){1, 1}, 1, &state);
	const clpac_group good = group_of(CLPAC_PAIRED, subjects, N, N);
	const char *const names[2 * N] = {"a.npz", "b.npz", "c.npz", "d.npz", "e.npz", "f.npz", "g.npz", "h.npz"};
	const struct {
		const char *text;
		clpac_group group;
	} cases[] = {
#define WITH(text, ...)                                                                                                \
	{                                                                                                              \
		text,                                                                                                  \
		{                                                                                                      \
			__VA_ARGS__                                                                                    \
		}                                                                                                      \
	}
#define BOTH .first = good.first, .n_first = N, .second = good.second, .n_second = N
		WITH("design is 3", .design = CLPAC_DESIGN_COUNT, BOTH),
		WITH("side is 3", .design = CLPAC_PAIRED, .side = CLPAC_SIDE_COUNT, BOTH),
		WITH("family is 7", .design = CLPAC_PAIRED, .family = (clpac_family)7, BOTH),
		WITH("cluster_alpha is 0.3", .design = CLPAC_PAIRED, .cluster_alpha = 0.3, BOTH),
		WITH("cluster_alpha is nan", .design = CLPAC_PAIRED, .cluster_alpha = NAN, BOTH),
		WITH("n_permutations is 1:", .design = CLPAC_PAIRED, .n_permutations = 1, BOTH),
		WITH("n_permutations is 4294967295", .design = CLPAC_PAIRED, .n_permutations = UINT32_MAX, BOTH),
		WITH("one sample has no second group", BOTH),
		WITH("compares two groups", .design = CLPAC_TWO_SAMPLE, .first = good.first, .n_first = N),
		WITH("at least two", .first = good.first, .n_first = 1),
		WITH("at least two", .first = good.first, .n_first = 0),
		WITH("n_second is 1 or less", .design = CLPAC_TWO_SAMPLE, .first = good.first, .n_first = 2,
		     .second = good.second, .n_second = 1),
		WITH("n_first is 3 and n_second is 4", .design = CLPAC_PAIRED, .first = good.first, .n_first = 3,
		     .second = good.second, .n_second = 4),
		WITH("first is NULL", .n_first = 3),
		WITH("second is NULL", .design = CLPAC_PAIRED, .first = good.first, .n_first = 3, .n_second = 3),
		WITH("channels is NULL", .first = good.first, .n_first = 3, .n_channels = 1),
		WITH("channels[0] is NULL", .first = good.first, .n_first = 3, .n_channels = 1,
		     .channels = (const char *const[]){NULL}),
		WITH("second[1] is NULL", .design = CLPAC_PAIRED, .first = good.first, .n_first = 2,
		     .second = (const clpac_result *const[]){subjects[2], NULL}, .n_second = 2),
		WITH("b.npz and c.npz are one result", .first_names = names, .n_first = 3,
		     .first = (const clpac_result *const[]){subjects[0], subjects[1], subjects[1]}),
		WITH("no channel C9", .first = good.first, .n_first = 3, .n_channels = 1,
		     .channels = (const char *const[]){"C9"}),
		WITH("clpac_group", .size = 8, .first = good.first, .n_first = N),
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_refused(clpac_result_group(&cases[i].group, &made, &err), err, CLPAC_ERROR_ARGUMENT,
			       cases[i].text);
	clpac_group named = good;
	named.first_names = names;
	named.second_names = names + N;
	/* Results that do not agree. */
	clpac_result *others[2 * N];
	memcpy(others, subjects, sizeof others);
	named.first = (const clpac_result *const *)others;
	named.second = (const clpac_result *const *)others + N;
	clpac_result_phase_bands(subjects[5])[2].hi_hz += 0.5;
	assert_refused(clpac_result_group(&named, &made, &err), err, CLPAC_ERROR_ARGUMENT,
		       "f.npz has the phase band 6-8.5 Hz where a.npz has 6-8 Hz");
	clpac_result_phase_bands(subjects[5])[2].hi_hz -= 0.5 + 1e-12;
	clpac_result_amplitude_bands(subjects[2])[0].lo_hz = 61;
	assert_refused(clpac_result_group(&named, &made, &err), err, CLPAC_ERROR_ARGUMENT,
		       "c.npz has the amplitude band 61-80 Hz where a.npz has 60-80 Hz");
	clpac_result_amplitude_bands(subjects[2])[0].lo_hz = 60;
	others[6] = make_subject((struct sizes){1, 2});
	assert_refused(clpac_result_group(&named, &made, &err), err, CLPAC_ERROR_ARGUMENT, "g.npz has 2 segments");
	clpac_result_destroy(others[6]);
	OK(clpac_result_create(&(clpac_result_shape){1, 1, 2, 2, 0, 0}, 1 << CLPAC_Z, &others[6], &err));
	assert_refused(clpac_result_group(&named, &made, &err), err, CLPAC_ERROR_ARGUMENT, "g.npz has 2 x 2 bands");
	clpac_result_destroy(others[6]);
	OK(clpac_result_create(&(clpac_result_shape){1, 1, N_PHASE, N_AMPLITUDE, 0, 0}, 1 << CLPAC_MI, &others[6],
			       &err));
	assert_refused(clpac_result_group(&named, &made, &err), err, CLPAC_ERROR_ARGUMENT,
		       "g.npz holds no z to compare");
	clpac_result_destroy(others[6]);
	others[6] = subjects[6];
	/* Bands that differ by roundings are the same. */
	OK(clpac_result_group(&named, &made, &err));
	/* A comparison is no subject. */
	others[6] = made;
	assert_refused(clpac_result_group(&named, &made, &err), err, CLPAC_ERROR_ARGUMENT, "g.npz holds no z");
	clpac_result_destroy(others[6]);
	destroy(subjects, 2 * N);
}

TEST(every_allocation_may_fail)
{
	enum { N = 4 };
	clpac_result *subjects[N], *out = NULL;
	clpac_error err;
	unsigned long long state = 22;
	make_subjects(subjects, N, (struct sizes){2, 1}, 1, &state);
	clpac_group group = group_of(CLPAC_TWO_SAMPLE, subjects, 2, 2);
	for (int family = CLPAC_FAMILY_MAP; family <= CLPAC_FAMILY_RUN; family++) {
		group.family = (clpac_family)family;
		assert_survives_failing_allocations(clpac_result_group(&group, &out, &err), clpac_result_destroy(out));
	}
	destroy(subjects, N);
}
