/* Laws of surrogates whose amplitude is not a shifted one: each has the index that its definition gives, and nothing
 * but seed, channel, segment and number changes it. */
#include "variant_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "contract/places.h"
#include "maxima_truth.h"
#include "null_truth.h"
#include "plan/plan.h"
#include "random.h"
#include "results.h"
#include "signal/rearranged.h"

enum { N_PHASE = 2, N_AMPLITUDE = 5, CELLS = N_PHASE * N_AMPLITUDE, MOST_SERIES = 12, K = 9 };

static const clpac_null nulls[] = {CLPAC_NULL_TRIALS, CLPAC_NULL_BLOCKS, CLPAC_NULL_PHASES};
static const char *const null_names[CLPAC_NULL_COUNT] = {
	[CLPAC_NULL_TRIALS] = "trials", [CLPAC_NULL_BLOCKS] = "blocks", [CLPAC_NULL_PHASES] = "phases"};

static const clpac_band phase_bands[N_PHASE] = {{4, 8}, {9, 14}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{50, 90}, {60, 100}, {70, 110}, {80, 120}, {90, 140}};

static double *make_noise(size_t n, unsigned long long seed)
{
	unsigned long long state = seed;
	double drift = 0, *x = malloc(n * sizeof *x);
	for (size_t t = 0; t < n; t++)
		x[t] = random_drifting(&state, &drift);
	return x;
}

static clpac_problem usual_problem(clpac_null null, size_t n_channels, size_t n_segments, size_t n_samples)
{
	return (clpac_problem){.size = sizeof(clpac_problem),
			       .rate_hz = 500,
			       .n_channels = n_channels,
			       .n_segments = n_segments,
			       .n_samples = n_samples,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .n_surrogates = K,
			       .seed = 11,
			       .null = null,
			       .keep_surrogates = true};
}

/* What a plan is changed by before it runs; 0: nothing. */
typedef struct change {
	size_t chunk, at_once, capacity;
	clpac_plan_options options;
} change;

static clpac_result *run_changed(clpac_context *context, const clpac_problem *problem, const change *change,
				 const double *x)
{
	clpac_error err;
	clpac_result *result = NULL;
	const void *channels[MOST_SERIES];
	clpac_plan *plan = place_plan(context, problem, change ? &change->options : NULL);
	const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = channels};
	for (size_t c = 0; c < problem->n_channels; c++)
		channels[c] = x + c * problem->n_segments * problem->n_samples;
	/* Smaller than planned: the buffers stay. */
	if (change && change->chunk && change->chunk < plan->layout.chunk)
		plan->layout.chunk = change->chunk;
	if (change && change->at_once && change->at_once < plan->layout.at_once)
		plan->layout.at_once = change->at_once;
	if (change && change->capacity)
		plan->layout.capacity = change->capacity;
	assert_works(clpac_plan_run_samples(plan, &samples, &result, &err), err);
	clpac_plan_destroy(plan);
	return result;
}

/* --- Against the definition --- */

typedef struct drawn {
	clpac_problem problem;
	size_t numbers[2][MOST_SERIES];
	bool has_gap; /* a segment cannot be used */
} drawn;

static void draw_problem(drawn *d, size_t number)
{
	static const size_t lengths[] = {640, 512, 509, 700, 641, 600}, blocks[] = {5, 1, 2, 64, 0, 500};
	static const unsigned bins[] = {18, 3, 40, 2, 17, 18};
	const clpac_null null = nulls[number % COUNT(nulls)];
	const size_t i = number / COUNT(nulls) % COUNT(lengths);
	clpac_problem *p = &d->problem;
	*p = usual_problem(null, 2, null == CLPAC_NULL_TRIALS ? 5 : 2, lengths[i]);
	p->seed = 11 + (uint64_t)number * UINT64_C(0x100000001);
	p->n_blocks = blocks[i];
	p->n_bins = bins[i];
	p->average = i % 2 ? CLPAC_AVERAGE_SUM : CLPAC_AVERAGE_MEAN;
	p->hilbert = i == 3 ? CLPAC_HILBERT_TRIMMED : CLPAC_HILBERT_LOCAL;
	p->edge_samples = i % 2 ? 30 : 0;
	p->share_shifts = i == 2;
	d->has_gap = i == 1;
	for (size_t j = 0; j < MOST_SERIES; j++) {
		d->numbers[0][j] = 7 + 3 * j;
		d->numbers[1][j] = (40 - 7 * j) % 23;
	}
	if (i % 3 == 1) {
		p->channel_numbers = d->numbers[0];
		p->segment_numbers = d->numbers[1];
	}
}

static void check_series(const clpac_result *result, const null_truth *truth, const clpac_problem *p, size_t series,
			 const char *label)
{
	const size_t at = series * CELLS, n_amplitude = N_AMPLITUDE;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL) + at,
		    *ranks = clpac_result_array(result, CLPAC_P, NULL) + at;
	const float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL) + series * K * CELLS;
	const oracle_signals *signals = null_truth_signals(truth, series);
	oracle_real wanted[K][CELLS];
	if (!signals) {
		for (size_t cell = 0; cell < CELLS; cell++)
			ck_assert(isnan(mi[cell]) && isnan(ranks[cell]));
		return;
	}
	for (size_t k = 0; k < K; k++)
		null_truth_surrogate(truth, series, k, wanted[k]);
	for (size_t cell = 0; cell < CELLS; cell++) {
		const size_t ph = cell / n_amplitude, am = cell % n_amplitude;
		const oracle_real observed = oracle_modulation_index(
			signals->bins + ph * signals->kept, signals->amplitude + am * signals->kept, signals->kept, 0,
			signals->n_bins, signals->average);
		oracle_real usual = observed;
		size_t least = 0, most = 0;
		for (size_t k = 0; k < K; k++)
			usual += wanted[k][cell] / K;
		const oracle_real error = 1e-5L * usual;
		for (size_t k = 0; k < K; k++) {
			const double ours = surrogates[k * CELLS + cell];
			ck_assert_msg(fabsl(ours - wanted[k][cell]) <= fmaxl(error, 1e-5L * wanted[k][cell]),
				      "%s: series %zu, cell %zu, surrogate %zu is %.9g instead of %.9Lg", label, series,
				      cell, k, ours, wanted[k][cell]);
			least += wanted[k][cell] >= observed + 2 * error || ours == (double)mi[cell];
			most += wanted[k][cell] >= observed - 2 * error;
		}
		ck_assert_msg(fabsl(mi[cell] - observed) <= error, "%s: series %zu, cell %zu is %.9g instead of %.9Lg",
			      label, series, cell, (double)mi[cell], observed);
		const double reached = (double)ranks[cell] * (K + 1) - 1;
		ck_assert_msg(reached > (double)least - 0.5 && reached < (double)most + 0.5,
			      "%s: %g surrogates reach cell %zu of series %zu, it should be %zu to %zu", label, reached,
			      cell, series, least, most);
	}
	check_maxima(mi, surrogates, clpac_result_valid(result), CELLS, K,
		     clpac_result_array(result, CLPAC_MAXIMA, NULL) + series * K,
		     clpac_result_array(result, CLPAC_P_MAX, NULL) + at, label);
	(void)p;
}

static size_t n_drawn;

START_TEST(each_surrogate_is_that_of_its_definition)
{
	const size_t place = (size_t)_i / n_drawn, number = (size_t)_i % n_drawn;
	char label[300];
	clpac_error err;
	drawn d;
	draw_problem(&d, number);
	clpac_problem_copy *copy = NULL;
	assert_works(clpac_problem_complete(&d.problem, &copy, &err), err);
	const clpac_problem *p = clpac_problem_get(copy);
	const size_t n_series = p->n_channels * p->n_segments;
	snprintf(label, sizeof label, "%s, problem %zu, %s", place_label(place), number, null_names[p->null]);
	double *x = make_noise(n_series * p->n_samples, 7 + number);
	if (d.has_gap)
		x[p->n_samples + 17] = NAN;
	null_truth *truth = null_truth_make(p, x);
	clpac_context *context = place_open(place);
	clpac_result *result = run_changed(context, &d.problem, NULL, x);
	for (size_t series = 0; series < n_series; series++)
		check_series(result, truth, p, series, label);
	clpac_result_destroy(result);
	clpac_context_close(context);
	null_truth_free(truth);
	clpac_problem_destroy(copy);
	free(x);
}
END_TEST

/* --- What changes nothing --- */

START_TEST(neither_chunks_nor_batches_nor_lists_change_a_bit)
{
	static const change changes[] = {
		{.chunk = 4},
		{.chunk = 1, .at_once = 1},
		{.at_once = 2},
		{.capacity = 1},
		{.options = {.max_batch = 1}},
		{.chunk = 2, .options = {.max_batch = 3}},
		{.options = {.strategy = CLPAC_STRATEGY_SEQUENTIAL}},
	};
	clpac_context *context = place_open((size_t)_i);
	for (size_t i = 0; i < COUNT(nulls); i++) {
		clpac_problem problem = usual_problem(nulls[i], 2, 5, 600);
		problem.cluster_alpha = 0.1;
		double *x = make_noise(10 * 600, 3);
		clpac_result *first = run_changed(context, &problem, NULL, x);
		for (size_t j = 0; j < COUNT(changes); j++) {
			char label[200];
			snprintf(label, sizeof label, "%s, %s, change %zu", place_label((size_t)_i),
				 null_names[nulls[i]], j);
			clpac_result *other = run_changed(context, &problem, &changes[j], x);
			results_same_bits(first, other, label, clpac_result_problem(other));
			clpac_result_destroy(other);
		}
		clpac_result_destroy(first);
		free(x);
	}
	clpac_context_close(context);
}
END_TEST

/* Channels that are selected, and segments in another order, keep their numbers and so their surrogates. */
START_TEST(neither_selection_nor_order_changes_a_bit)
{
	enum { N = 600, SEGMENTS = 4, CHANNELS = 3 };
	static const size_t chosen[2] = {2, 0}, turned[SEGMENTS] = {3, 1, 0, 2};
	clpac_context *context = place_open((size_t)_i);
	for (size_t i = 0; i < COUNT(nulls); i++) {
		clpac_problem whole = usual_problem(nulls[i], CHANNELS, SEGMENTS, N), part = whole;
		double *x = make_noise(CHANNELS * SEGMENTS * N, 5), *y = malloc(2 * SEGMENTS * N * sizeof *y);
		part.n_channels = 2;
		part.channel_numbers = chosen;
		part.segment_numbers = turned;
		for (size_t c = 0; c < 2; c++)
			for (size_t s = 0; s < SEGMENTS; s++)
				memcpy(y + (c * SEGMENTS + s) * N, x + (chosen[c] * SEGMENTS + turned[s]) * N,
				       N * sizeof *y);
		clpac_result *all = run_changed(context, &whole, NULL, x), *some = run_changed(context, &part, NULL, y);
		static const clpac_array arrays[] = {CLPAC_MI, CLPAC_P, CLPAC_Z, CLPAC_P_MAX};
		for (size_t a = 0; a < COUNT(arrays); a++)
			for (size_t c = 0; c < 2; c++)
				for (size_t s = 0; s < SEGMENTS; s++)
					ck_assert_mem_eq(clpac_result_array(some, arrays[a], NULL) +
								 (c * SEGMENTS + s) * CELLS,
							 clpac_result_array(all, arrays[a], NULL) +
								 (chosen[c] * SEGMENTS + turned[s]) * CELLS,
							 CELLS * sizeof(float));
		clpac_result_destroy(all);
		clpac_result_destroy(some);
		free(x);
		free(y);
	}
	clpac_context_close(context);
}
END_TEST

/* --- Known surrogates --- */

/* One block is a circular shift by the place of its cut, and where that is 0 nothing was moved. */
START_TEST(one_block_is_a_shift)
{
	enum { N = 600 };
	clpac_problem problem = usual_problem(CLPAC_NULL_BLOCKS, 1, 1, N), shifted = problem;
	size_t shifts[K];
	double *x = make_noise(N, 3);
	problem.n_blocks = 1;
	for (uint32_t k = 0; k < K; k++) {
		clpac__block block;
		clpac__draw_blocks(problem.seed, 0, 0, k, N, 1, &block);
		ck_assert_uint_eq(block.to, 0);
		shifts[k] = block.from;
	}
	shifted.null = CLPAC_NULL_SHIFTS;
	shifted.shifts = shifts;
	clpac_context *context = place_open((size_t)_i);
	clpac_result *ours = run_changed(context, &problem, NULL, x), *theirs = run_changed(context, &shifted, NULL, x);
	results_same_bits(ours, theirs, place_label((size_t)_i), "");
	clpac_result_destroy(ours);
	clpac_result_destroy(theirs);
	clpac_context_close(context);
	free(x);
}
END_TEST

/* Of two segments half of the permutations leave each where it is, and these surrogates are the index itself. */
START_TEST(a_segment_in_its_place_has_its_index)
{
	enum { N = 600 };
	clpac_problem problem = usual_problem(CLPAC_NULL_TRIALS, 1, 2, N);
	double *x = make_noise(2 * N, 3);
	clpac_context *context = place_open((size_t)_i);
	clpac_result *result = run_changed(context, &problem, NULL, x);
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	const float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL);
	size_t n_own = 0;
	for (size_t k = 0; k < K; k++) {
		clpac_error err;
		uint32_t order[2];
		assert_works(clpac__draw_order(problem.seed, 0, NULL, 2, (uint32_t)k, order, &err), err);
		n_own += order[0] == 0;
		for (size_t series = 0; series < 2; series++)
			for (size_t cell = 0; cell < CELLS; cell++)
				ck_assert_int_eq(surrogates[(series * K + k) * CELLS + cell] ==
							 mi[series * CELLS + cell],
						 order[0] == 0);
	}
	ck_assert(n_own > 0 && n_own < K);
	ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_FEW_SEGMENTS].count, 1);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}
END_TEST

TCase *variant_laws(size_t n_places, size_t n_problems)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("variants");
	n_drawn = n_problems;
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, each_surrogate_is_that_of_its_definition, 0, (int)(n_places * n_problems));
	tcase_add_loop_test(t, neither_chunks_nor_batches_nor_lists_change_a_bit, 0, n);
	tcase_add_loop_test(t, neither_selection_nor_order_changes_a_bit, 0, n);
	tcase_add_loop_test(t, one_block_is_a_shift, 0, n);
	tcase_add_loop_test(t, a_segment_in_its_place_has_its_index, 0, n);
	return t;
}
