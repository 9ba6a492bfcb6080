/* Statistics over subjects: by their definition, and by laws. */
#include "runner.h"
#include "assertions.h"
#include "some_subjects.h"
#include "group_truth.h"
#include "coupling/compare/compare_parts.h"
#include "coupling/signal/statistics.h"

#include <clpac/signal.h>
#include <stdlib.h>

enum { MOST = TRUTH_MOST_SUBJECTS };

SECONDS(120);

/* The values of one map of subjects, differences where they are pairs. */
static void take_map(const clpac_group *group, size_t map, double *values)
{
	const size_t n = group->n_first + (group->design == CLPAC_PAIRED ? 0 : group->n_second);
	for (size_t i = 0; i < n; i++)
		for (size_t cell = 0; cell < CELLS; cell++) {
			const clpac_result *own =
				i < group->n_first ? group->first[i] : group->second[i - group->n_first];
			values[i * CELLS + cell] = (double)results_value(own, CLPAC_Z, map * CELLS + cell);
			if (group->design == CLPAC_PAIRED)
				values[i * CELLS + cell] -=
					(double)results_value(group->second[i], CLPAC_Z, map * CELLS + cell);
		}
}

/* Compares a map of a result with the truth.  t is single precision of a correlation near its limits: 1e-6. */
static void assert_is_truth(const clpac_result *result, size_t map, const group_truth *truth)
{
	for (size_t cell = 0; cell < CELLS; cell++) {
		const size_t at = map * CELLS + cell;
		assert_same(results_value(result, CLPAC_EFFECT, at), truth->effect[cell], 1e-6);
		assert_same(results_value(result, CLPAC_T, at), truth->t[cell], 1e-6);
		assert_same(results_value(result, CLPAC_P, at), truth->p[cell], 1e-7);
		assert_same(results_value(result, CLPAC_P_MAX, at), truth->p_max[cell], 1e-7);
		assert_same(results_value(result, CLPAC_CLUSTER_MASS, at), truth->mass[cell], 1e-5);
		assert_same(results_value(result, CLPAC_P_CLUSTER, at), truth->p_cluster[cell], 1e-7);
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
			p[cell] = isnan(results_value(result, CLPAC_P_MAX, cell))
					  ? NAN
					  : results_value(result, CLPAC_P, cell);
		assert_works(clpac_signal_false_discovery(p, CELLS, (clpac_discovery)rule, q, &err), err);
		for (size_t cell = 0; cell < CELLS; cell++)
			assert_same(results_value(result, arrays[rule], cell), q[cell], 0);
	}
}

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
	destroy_subjects(subjects, n_results);
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
	destroy_subjects(subjects, N);
}

/* Whether arrays of two comparisons are the same, up to a factor and roundings of single precision. */
static void assert_alike(const clpac_result *a, const clpac_result *b, clpac_array which, double factor)
{
	size_t n;
	clpac_result_array(a, which, &n);
	for (size_t i = 0; i < n; i++)
		assert_same(results_value(b, which, i), (long double)(factor * (double)results_value(a, which, i)),
			    1e-6);
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
	destroy_subjects(subjects, N);
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
	destroy_subjects(subjects, 2 * N);
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
	destroy_subjects(subjects, 2 * N);
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
		const double t = fabs((double)results_value(run, CLPAC_T, i));
		size_t reached = 0;
		for (size_t k = 0; k < n_others; k++) {
			double highest = 0;
			for (size_t map = 0; map < 6; map++)
				highest = fmax(highest, results_value(run, CLPAC_MAXIMA, map * n_others + k));
			reached += highest >= t * (1 - 1e-6);
		}
		assert_close(results_value(run, CLPAC_P_MAX, i), (1.0 + (double)reached) / (1.0 + (double)n_others),
			     1e-7);
		ck_assert(results_value(run, CLPAC_P_MAX, i) >= results_value(maps, CLPAC_P_MAX, i));
		ck_assert(results_value(run, CLPAC_P_CLUSTER, i) >= results_value(maps, CLPAC_P_CLUSTER, i));
		ck_assert(results_value(run, CLPAC_P, i) == results_value(maps, CLPAC_P, i));
	}
	clpac_result_destroy(maps);
	clpac_result_destroy(run);
	destroy_subjects(subjects, N);
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
			is_max = is_max || results_value(result, CLPAC_P_MAX, i) <= 0.05F;
			is_cluster = is_cluster || results_value(result, CLPAC_P_CLUSTER, i) <= 0.05F;
		}
		n_max += is_max;
		n_cluster += is_cluster;
	}
	const double share = 12.0 / 256, error = sqrt(share * (1 - share) / MAPS);
	assert_close((double)n_max / MAPS, share, 3 * error);
	ck_assert_msg((double)n_cluster / MAPS <= share + 3 * error, "%zu of %d maps have a cluster", n_cluster, MAPS);
	ck_assert_msg((double)n_cluster / MAPS >= share / 2, "%zu of %d maps have a cluster", n_cluster, MAPS);
	clpac_result_destroy(result);
	destroy_subjects(subjects, N);
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
		ck_assert(results_value(result, CLPAC_P_CLUSTER, cell) <= 0.01F);
	/* The peak has the lowest p_max, and of several the largest |t|. */
	const size_t at = peak.channel * CELLS + peak.phase * N_AMPLITUDE + peak.amplitude;
	for (size_t i = 0; i < 2 * CELLS; i++) {
		ck_assert(results_value(result, CLPAC_P_MAX, i) >= peak.p_max);
		if (results_value(result, CLPAC_P_MAX, i) == peak.p_max)
			ck_assert(fabsf(results_value(result, CLPAC_T, i)) <=
				  fabsf(results_value(result, CLPAC_T, at)));
	}
	clpac_result_destroy(result);
	destroy_subjects(subjects, N);
}
