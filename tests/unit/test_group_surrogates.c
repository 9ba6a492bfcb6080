/* Subjects with surrogates of their own are compared with draws of them. */
#include "runner.h"
#include "assertions.h"
#include "some_subjects.h"
#include "coupling/compare/compare_parts.h"
#include "coupling/signal/draws.h"
#include "coupling/signal/statistics.h"

SECONDS(120);

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
	return member ? results_value(subject, CLPAC_SURROGATES, (member - 1) * CELLS + cell)
		      : results_value(subject, CLPAC_MI, cell);
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
			ck_assert(isnan(results_value(result, CLPAC_T, cell)));
		else
			assert_close((double)results_value(result, CLPAC_T, cell), observed[cell], 1e-6);
		assert_same(results_value(result, CLPAC_P, cell),
			    cell == 9 ? (double)NAN : clpac__p_value(reached[cell], DRAWS - 1), 1e-7);
		assert_same(results_value(result, CLPAC_P_MAX, cell),
			    cell == 9 ? (double)NAN : clpac__p_value(reached_max[cell], DRAWS - 1), 1e-7);
	}
	ck_assert_ptr_nonnull(strstr(clpac_result_problem(result), "null=surrogates"));
	clpac_result_destroy(result);
	destroy_subjects(subjects, N);
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
			is_found = is_found || results_value(result, CLPAC_P_MAX, cell) <= 0.05F;
		n_found += is_found;
		clpac_result_destroy(result);
		destroy_subjects(subjects, N);
	}
	const double error = sqrt(0.05 * 0.95 / STUDIES);
	assert_close((double)n_found / STUDIES, 0.05, 3.5 * error);
}
