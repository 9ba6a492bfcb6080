/* Laws of the null distribution of every circular shift (cl/all_shifts.cl): its indices are those of the same shifts
 * passed one by one, and nothing but the series and the bands changes them. */
#include "all_shifts_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "assertions.h"
#include "contract/places.h"
#include "oracle.h"
#include "coupling/passes/all_shifts.h"
#include "random.h"
#include "results.h"

enum { N_PHASE = 2, N_AMPLITUDE = 5, N_CHANNELS = 3, CELLS = N_PHASE * N_AMPLITUDE };

static const clpac_band phase_bands[N_PHASE] = {{4, 8}, {9, 14}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{50, 90}, {60, 100}, {70, 110}, {80, 120}, {90, 140}};

static float *make_noise(size_t n, unsigned long long seed)
{
	unsigned long long state = seed;
	double drift = 0;
	float *x = malloc(n * sizeof *x);
	for (size_t t = 0; t < n; t++)
		x[t] = (float)random_drifting(&state, &drift);
	return x;
}

static clpac_problem usual_problem(size_t n_samples)
{
	return (clpac_problem){.rate_hz = 500,
			       .n_channels = N_CHANNELS,
			       .n_samples = n_samples,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .null = CLPAC_NULL_ALL_SHIFTS,
			       .keep_surrogates = true};
}

/* Runs a problem, in chunks of so many surrogates; 0: as planned. */
static clpac_result *run_problem(clpac_context *context, const clpac_problem *problem, size_t chunk, const float *x)
{
	clpac_error err;
	clpac_result *result = NULL;
	clpac_plan *plan = place_plan(context, problem, NULL);
	if (chunk)
		plan->layout.chunk = chunk;
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	clpac_plan_destroy(plan);
	return result;
}

/* --- Against shifts that are passed one by one --- */

/* Lengths that engines transform as they are, and others; steps that divide them, and others. */
static void draw_problem(clpac_problem *p, unsigned long long *state, size_t number)
{
	static const size_t lengths[] = {2048, 1500, 1009, 2000, 1536}, steps[] = {1, 10, 3, 8, 16};
	static const unsigned bins[] = {18, 3, 128, 2, 17};
	*p = usual_problem(lengths[number % COUNT(lengths)]);
	p->shift_step = steps[number % COUNT(steps)];
	p->n_bins = bins[number % COUNT(bins)];
	p->average = random_below(state, 2) ? CLPAC_AVERAGE_SUM : CLPAC_AVERAGE_MEAN;
	p->hilbert = number % 5 == 3 ? CLPAC_HILBERT_TRIMMED : CLPAC_HILBERT_LOCAL;
	p->edge_samples = number % 2 ? (ptrdiff_t)random_below(state, 100) : 0;
	p->min_shift = number % 3 ? 1 + random_below(state, 200) : 0;
}

/* The same problem with its shifts in a list. */
static clpac_problem with_list(const clpac_problem *all, size_t **list)
{
	clpac_error err;
	clpac_problem_copy *copy;
	assert_works(clpac_problem_complete(all, &copy, &err), err);
	const clpac_problem *complete = clpac_problem_get(copy);
	clpac_problem one_by_one = *all;
	const size_t kept = complete->n_samples - 2 * (size_t)complete->edge_samples;
	size_t n = 0;
	*list = malloc(kept * sizeof **list);
	for (size_t s = complete->min_shift; s <= kept - complete->min_shift; s++)
		if (s % complete->shift_step == 0)
			(*list)[n++] = s;
	ck_assert_uint_eq(n, complete->n_surrogates);
	one_by_one.null = CLPAC_NULL_SHIFTS;
	one_by_one.shifts = *list;
	one_by_one.n_surrogates = n;
	clpac_problem_destroy(copy);
	return one_by_one;
}

/* An index may err by its own share and by that of what is usual in its cell. */
static void check_cell(const clpac_result *all, const clpac_result *list, size_t series, size_t cell, size_t n,
		       const char *label)
{
	const size_t at = series * CELLS + cell;
	const double observed = clpac_result_array(list, CLPAC_MI, NULL)[at];
	const double usual = clpac_result_array(list, CLPAC_SURROGATE_MEAN, NULL)[at];
	const float *ours = clpac_result_array(all, CLPAC_SURROGATES, NULL) + series * n * CELLS + cell;
	const float *theirs = clpac_result_array(list, CLPAC_SURROGATES, NULL) + series * n * CELLS + cell;
	size_t least = 0, most = 0;
	for (size_t k = 0; k < n; k++) {
		const double x = theirs[k * CELLS], error = clpac__all_shifts_error * fmax(x, usual);
		ck_assert_msg(fabs(ours[k * CELLS] - x) <= error,
			      "%s: surrogate %zu of cell %zu is %.9g instead of %.9g", label, k, cell,
			      (double)ours[k * CELLS], x);
		least += x >= observed;
		most += x >= observed - 2 * clpac__all_shifts_error * fmax(observed, usual);
	}
	const double reached = clpac_result_array(all, CLPAC_P, NULL)[at] * (double)(n + 1) - 1;
	ck_assert_msg(reached > (double)least - 0.5 && reached < (double)most + 0.5,
		      "%s: %g surrogates reach cell %zu, it should be %zu to %zu", label, reached, cell, least, most);
	assert_close(clpac_result_array(all, CLPAC_SURROGATE_MEAN, NULL)[at], usual, 4e-6 * usual);
	const double deviation = clpac_result_array(list, CLPAC_SURROGATE_STD, NULL)[at];
	assert_close(clpac_result_array(all, CLPAC_SURROGATE_STD, NULL)[at], deviation, 5e-6 * deviation);
}

static place_rounds drawn_rounds;

START_TEST(each_shift_has_the_index_of_that_shift_alone)
{
	const size_t place = round_place(&drawn_rounds, _i), number = round_problem(&drawn_rounds, _i);
	unsigned long long state = 40 + number;
	char label[300];
	clpac_problem all;
	size_t *shifts;
	snprintf(label, sizeof label, "%s, problem %zu", place_label(place), number);
	draw_problem(&all, &state, number);
	const clpac_problem one_by_one = with_list(&all, &shifts);
	float *x = make_noise(N_CHANNELS * all.n_samples, 7 + number);
	clpac_context *context = place_open(place);
	clpac_result *ours = run_problem(context, &all, 0, x), *theirs = run_problem(context, &one_by_one, 0, x);
	for (size_t series = 0; series < N_CHANNELS; series++)
		for (size_t cell = 0; cell < CELLS; cell++)
			check_cell(ours, theirs, series, cell, one_by_one.n_surrogates, label);
	clpac_result_destroy(ours);
	clpac_result_destroy(theirs);
	clpac_context_close(context);
	free(x);
	free(shifts);
}

/* --- What changes nothing --- */

START_TEST(neither_seed_nor_chunks_change_a_bit)
{
	static const size_t chunks[] = {1023, 700, 1};
	clpac_problem problem = usual_problem(1024);
	float *x = make_noise(N_CHANNELS * problem.n_samples, 3);
	clpac_context *context = place_open((size_t)_i);
	clpac_result *first = run_problem(context, &problem, 0, x);
	for (size_t i = 0; i < COUNT(chunks); i++) {
		problem.seed = 100 + i;
		problem.share_shifts = i == 1;
		problem.shift_step = i == 2 ? 64 : 1;
		clpac_result *whole = i == 2 ? run_problem(context, &problem, 0, x) : first;
		clpac_result *other = run_problem(context, &problem, chunks[i], x);
		results_same_bits(whole, other, place_label((size_t)_i), clpac_result_problem(other));
		clpac_result_destroy(other);
		if (whole != first)
			clpac_result_destroy(whole);
	}
	clpac_result_destroy(first);
	clpac_context_close(context);
	free(x);
}

/* Counts, as every device must, how many shifts reach the index of each cell, from exact sums, where none comes as near
 * to it as transforms err. */
static void count_reaching(const clpac_problem *problem, const float *x, size_t n_reaching[N_CHANNELS * CELLS])
{
	clpac_error err;
	clpac_problem_copy *copy;
	assert_works(clpac_problem_complete(problem, &copy, &err), err);
	const clpac_problem *p = clpac_problem_get(copy);
	double *series = malloc(p->n_samples * sizeof *series);
	oracle_signals *truth = NULL;
	for (size_t at = 0; at < N_CHANNELS * CELLS; at++) {
		const size_t cell = at % CELLS;
		for (size_t t = 0; t < p->n_samples && !cell; t++)
			series[t] = x[at / CELLS * p->n_samples + t];
		if (truth && !cell)
			oracle_signals_free(truth);
		if (!cell)
			truth = oracle_analyse(p, series);
		const oracle_real observed = oracle_cell(truth, cell / N_AMPLITUDE, cell % N_AMPLITUDE, 0);
		size_t n_certain = 0, n_possible = 0;
		for (size_t s = p->shift_step; s < truth->kept; s += p->shift_step) {
			const oracle_real index = oracle_cell(truth, cell / N_AMPLITUDE, cell % N_AMPLITUDE, s);
			n_certain += index >= observed;
			n_possible += index >= observed * (1 - 4e-5L);
		}
		ck_assert_uint_eq(n_certain, n_possible);
		n_reaching[at] = n_certain;
	}
	oracle_signals_free(truth);
	free(series);
	clpac_problem_destroy(copy);
}

/* Each of seeds, devices, chunks and batches has the p that follows from the definition, the same number for all. */
START_TEST(every_seed_device_and_split_gives_the_same_p)
{
	static const size_t chunks[] = {0, 100, 7, 0}, batches[] = {0, 0, 1, 1};
	static const uint64_t seeds[] = {0, 1, 99, UINT64_MAX};
	size_t n_reaching[N_CHANNELS * CELLS];
	clpac_problem problem = usual_problem(1024);
	problem.shift_step = 4;
	float *x = make_noise(N_CHANNELS * problem.n_samples, 12);
	count_reaching(&problem, x, n_reaching);
	clpac_context *context = place_open((size_t)_i);
	for (size_t i = 0; i < COUNT(seeds); i++) {
		clpac_error err;
		clpac_result *result = NULL;
		problem.seed = seeds[i];
		clpac_plan *plan = place_plan(context, &problem, &(clpac_plan_options){.max_batch = batches[i]});
		if (chunks[i])
			plan->layout.chunk = chunks[i];
		assert_works(clpac_plan_run(plan, x, &result, &err), err);
		const float *p = clpac_result_array(result, CLPAC_P, NULL);
		for (size_t at = 0; at < N_CHANNELS * CELLS; at++)
			ck_assert_msg(p[at] == (float)(1 + n_reaching[at]) / 256.0f,
				      "%s, run %zu: p of cell %zu is %.9g, and %zu of 255 shifts reach its index",
				      place_label((size_t)_i), i, at, (double)p[at], n_reaching[at]);
		clpac_result_destroy(result);
		clpac_plan_destroy(plan);
	}
	clpac_context_close(context);
	free(x);
}

/* Shifts by whole periods leave a periodic series as it is, and the ranks must not be a matter of rounding. */
START_TEST(shifts_by_periods_reach_the_index)
{
	enum { PERIOD = 125, PERIODS = 12, EDGE = 500 };
	clpac_problem problem = usual_problem(PERIODS * PERIOD + 2 * EDGE);
	problem.n_channels = 1;
	problem.edge_samples = EDGE;
	float *x = make_noise(problem.n_samples, 3);
	for (size_t t = PERIOD; t < problem.n_samples; t++)
		x[t] = x[t - PERIOD];
	clpac_context *context = place_open((size_t)_i);
	clpac_result *result = run_problem(context, &problem, 0, x);
	const float *p = clpac_result_array(result, CLPAC_P, NULL);
	for (size_t cell = 0; cell < CELLS; cell++)
		ck_assert_msg(p[cell] > (PERIODS - 0.5) / (PERIODS * PERIOD), "%s: p %g in cell %zu",
			      place_label((size_t)_i), (double)p[cell], cell);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}

TCase *all_shifts_laws(size_t n_places, size_t n_problems)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("all shifts");
	drawn_rounds = (place_rounds){n_places, n_problems};
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, each_shift_has_the_index_of_that_shift_alone, 0, rounds_count(&drawn_rounds));
	tcase_add_loop_test(t, shifts_by_periods_reach_the_index, 0, n);
	return t;
}

TCase *all_shifts_arrangement_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("all shifts, arranged");
	tcase_set_tags(t, "arrangement");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, neither_seed_nor_chunks_change_a_bit, 0, n);
	tcase_add_loop_test(t, every_seed_device_and_split_gives_the_same_p, 0, n);
	return t;
}
