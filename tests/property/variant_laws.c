/* Laws of surrogates whose amplitude is not a shifted one: each has the index that its definition gives, and nothing
 * but seed, channel, segment and number changes it. */
#include "variant_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "contract/places.h"
#include "evidence.h"
#include "maxima_truth.h"
#include "measure_truth.h"
#include "null_truth.h"
#include "oddities.h"
#include "coupling/passes/plan.h"
#include "random.h"
#include "results.h"
#include "coupling/signal/draws.h"

enum { N_PHASE = 2, N_AMPLITUDE = 5, CELLS = N_PHASE * N_AMPLITUDE, MOST_SERIES = 12, K = 9 };

static const clpac_null nulls[] = {CLPAC_NULL_TRIALS, CLPAC_NULL_BLOCKS, CLPAC_NULL_PHASES};
static const char *const null_names[CLPAC_NULL_COUNT] = {
	[CLPAC_NULL_TRIALS] = "trials", [CLPAC_NULL_BLOCKS] = "blocks", [CLPAC_NULL_PHASES] = "phases"};

static const clpac_measure all_measures[] = {CLPAC_MEASURE_MI,	 CLPAC_MEASURE_HR,	CLPAC_MEASURE_MVL,
					     CLPAC_MEASURE_DPAC, CLPAC_MEASURE_NDPAC,	CLPAC_MEASURE_GLM,
					     CLPAC_MEASURE_GCMI, CLPAC_MEASURE_PAC_GLM, CLPAC_MEASURE_PLV};

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

/* Changes of a plan before it runs; 0: none. */
struct change {
	size_t chunk, at_once, capacity;
	clpac_plan_options options;
};

static clpac_result *run_changed(clpac_context *context, const clpac_problem *problem, const struct change *change,
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
	oddity odd;
} drawn;

static place_rounds drawn_rounds;

/* Binned measures in every problem, linear ones in every third of many, in others at each place: their definitions take
 * seconds. */
static void draw_problem(drawn *d, size_t number, size_t place)
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
	p->measures = all_measures;
	p->n_measures = COUNT(all_measures) - (p->hilbert == CLPAC_HILBERT_TRIMMED); /* plv has local filters */
	if (drawn_rounds.n_problems > COUNT(nulls) && (i + place) % 3)
		p->n_measures = 2;
	d->has_gap = i == 1;
	d->odd = ODDITY_NONE;
	for (size_t j = 0; j < MOST_SERIES; j++) {
		d->numbers[0][j] = 7 + 3 * j;
		d->numbers[1][j] = (40 - 7 * j) % 23;
	}
	if (i % 3 == 1) {
		p->channel_numbers = d->numbers[0];
		p->segment_numbers = d->numbers[1];
	}
}

/* All measures of a recording that is odd, another one for each null, group of three problems and place. */
static void draw_odd_problem(drawn *d, size_t number, size_t place, clpac_hilbert hilbert)
{
	const size_t null = number % COUNT(nulls), group = number / COUNT(nulls);
	clpac_problem *p = &d->problem;
	*p = usual_problem(nulls[null], 1, nulls[null] == CLPAC_NULL_TRIALS ? 3 : 1, group % 2 ? 509 : 640);
	p->n_blocks = 5;
	p->n_bins = 18;
	p->hilbert = hilbert;
	p->edge_samples = group % 2 ? 30 : 0;
	p->measures = all_measures;
	p->n_measures = COUNT(all_measures) - (hilbert == CLPAC_HILBERT_TRIMMED);
	d->has_gap = false;
	d->odd = 1 + (oddity)((group + null + place) % (ODDITY_COUNT - 1));
}

/* A series, its observed amplitudes and those of its surrogates, with the errors of each. */
typedef struct drawn_series {
	size_t number;
	const oracle_signals *own;
	struct evidence evidence, of_draws[K];
	null_draw draws[K];
	size_t *in_place;
} drawn_series;

static void draw_series(drawn_series *s, const null_truth *truth, const clpac_problem *p, const double *x,
			size_t number)
{
	s->number = number;
	s->own = null_truth_signals(truth, number);
	s->evidence = evidence_gather(p, x + number * p->n_samples, s->own);
	s->in_place = malloc(s->own->kept * sizeof *s->in_place);
	for (size_t t = 0; t < s->own->kept; t++)
		s->in_place[t] = t;
	for (size_t k = 0; k < K; k++) {
		s->draws[k] = null_truth_draw(truth, number, k);
		s->of_draws[k] = evidence_gather(p, s->draws[k].x, s->draws[k].other);
	}
}

static void forget_series(drawn_series *s)
{
	evidence_free(&s->evidence);
	for (size_t k = 0; k < K; k++) {
		evidence_free(&s->of_draws[k]);
		null_draw_free(&s->draws[k]);
	}
	free(s->in_place);
}

/* The error that a value may have: 1e-5 of itself or of what is usual in its cell, and of noise alone the ranks of gcmi
 * that may change places, and the phases of plv near 0; else what follows from the noise of transforms. */
static double limit_of(const measure_cell *of, clpac_measure measure, oddity odd, const struct evidence *own,
		       const struct evidence *other, double value, double usual)
{
	const double error = 1e-5 * fmax(value, usual);
	if (odd != ODDITY_NONE)
		return error + measure_truth_limit(of, own, other, measure, value);
	return error + (measure == CLPAC_MEASURE_GCMI  ? measure_truth_limit_of_ranks(of, own, other, value)
			: measure == CLPAC_MEASURE_PLV ? measure_truth_limit_of_locking(of, own, other)
						       : 0);
}

/* Every surrogate's index, the observed one, and how many surrogates reach it, up to those within the limits. */
static void check_cell(const clpac_result *result, const clpac_problem *p, oddity odd, const drawn_series *s,
		       size_t cell, const char *label)
{
	const clpac_measure measure = clpac_result_measure(result);
	const size_t ph = cell / N_AMPLITUDE, am = cell % N_AMPLITUDE, at = s->number * CELLS + cell;
	const float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL) + s->number * K * CELLS + cell;
	const double index = (double)clpac_result_array(result, CLPAC_MI, NULL)[at];
	const measure_cell seen = {p, s->own, s->own, ph, am, s->in_place};
	const double observed = measure_truth(&seen, measure);
	double wanted[K], usual = observed;
	size_t least = 0, most = 0;
	measure_cell of[K];
	for (size_t k = 0; k < K; k++) {
		of[k] = (measure_cell){p, s->own, s->draws[k].other, ph, am, s->draws[k].source};
		wanted[k] = measure_truth(&of[k], measure);
		usual += wanted[k] / K;
	}
	const double error = limit_of(&seen, measure, odd, &s->evidence, &s->evidence, observed, usual);
	ck_assert_msg(fabs(index - observed) <= error, "%s: series %zu, cell %zu is %.9g instead of %.9g", label,
		      s->number, cell, index, observed);
	for (size_t k = 0; k < K; k++) {
		const double ours = (double)surrogates[k * CELLS];
		const double off = limit_of(&of[k], measure, odd, &s->evidence, &s->of_draws[k], wanted[k], usual);
		ck_assert_msg(fabs(ours - wanted[k]) <= off,
			      "%s: series %zu, cell %zu, surrogate %zu is %.9g instead of %.9g", label, s->number, cell,
			      k, ours, wanted[k]);
		least += wanted[k] >= observed + error + off || ours == index;
		most += wanted[k] >= observed - error - off;
	}
	const double reached = (double)clpac_result_array(result, CLPAC_P, NULL)[at] * (K + 1) - 1;
	ck_assert_msg(reached > (double)least - 0.5 && reached < (double)most + 0.5,
		      "%s: %g surrogates reach cell %zu of series %zu, it should be %zu to %zu", label, reached, cell,
		      s->number, least, most);
}

static void check_series(const clpac_result *result, const clpac_problem *p, oddity odd, const drawn_series *s,
			 const char *label)
{
	for (size_t cell = 0; cell < CELLS; cell++)
		check_cell(result, p, odd, s, cell, label);
	const judged_values values = judged_values_of(result, s->number);
	check_maxima(&(judged_map){clpac_result_valid(result), N_PHASE, N_AMPLITUDE, K, false}, &values, label);
}

/* A series that cannot be used has no index. */
static void check_missing(const clpac_result *result, size_t series)
{
	for (size_t cell = 0; cell < CELLS; cell++)
		ck_assert(isnan(clpac_result_array(result, CLPAC_MI, NULL)[series * CELLS + cell]) &&
			  isnan(clpac_result_array(result, CLPAC_P, NULL)[series * CELLS + cell]));
}

/* The bins are the plan's own, which are compared with the oracle's. */
static void check_problem(const drawn *d, size_t number, size_t place)
{
	char label[300];
	clpac_error err;
	size_t stride;
	clpac_problem_copy *copy = NULL;
	clpac_result *result = NULL;
	const void *channels[MOST_SERIES];
	assert_works(clpac_problem_complete(&d->problem, &copy, &err), err);
	const clpac_problem *p = clpac_problem_get(copy);
	const size_t n_series = p->n_channels * p->n_segments;
	double *x = make_noise(n_series * p->n_samples, 7 + number);
	for (size_t series = 0; series < n_series; series++)
		add_oddity(d->odd, x + series * p->n_samples, p->n_samples, 1);
	if (d->has_gap)
		x[p->n_samples + 17] = NAN;
	for (size_t c = 0; c < p->n_channels; c++)
		channels[c] = x + c * p->n_segments * p->n_samples;
	null_truth *truth = null_truth_make(p, x);
	clpac_context *context = place_open(place);
	clpac_plan *plan = place_plan(context, &d->problem, &(clpac_plan_options){.max_batch = n_series});
	assert_works(clpac_plan_run_samples(plan, &(clpac_samples){.type = CLPAC_FLOAT64, .channels = channels},
					    &result, &err),
		     err);
	ck_assert_uint_eq(clpac_result_report(result)->batch_series, n_series);
	unsigned char *bins = place_bins(plan, &stride);
	for (size_t series = 0; series < n_series; series++) {
		oracle_signals *own = null_truth_signals(truth, series);
		drawn_series drawn;
		snprintf(label, sizeof label, "%s, problem %zu, %s, %s", place_label(place), number,
			 null_names[p->null], oddity_text(d->odd));
		if (own) {
			draw_series(&drawn, truth, p, x, series);
			evidence_take_bins(&drawn.evidence, own, bins + series * N_PHASE * stride, stride, label);
		}
		for (size_t m = 0; m < p->n_measures; m++) {
			const clpac_result *of = clpac_result_of(result, p->measures[m]);
			snprintf(label, sizeof label, "%s, problem %zu, %s, %s, %s", place_label(place), number,
				 null_names[p->null], oddity_text(d->odd), clpac_measure_text(p->measures[m]));
			if (own)
				check_series(of, p, d->odd, &drawn, label);
			else
				check_missing(of, series);
		}
		if (own)
			forget_series(&drawn);
	}
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	null_truth_free(truth);
	clpac_problem_destroy(copy);
	free(bins);
	free(x);
}

START_TEST(each_surrogate_is_that_of_its_definition)
{
	const size_t place = round_place(&drawn_rounds, _i), number = round_problem(&drawn_rounds, _i);
	drawn d;
	draw_problem(&d, number, place);
	check_problem(&d, number, place);
}

START_TEST(each_surrogate_of_an_odd_recording_is_within_its_limit)
{
	const size_t place = round_place(&drawn_rounds, _i), number = round_problem(&drawn_rounds, _i);
	for (int hilbert = CLPAC_HILBERT_LOCAL; hilbert <= CLPAC_HILBERT_TRIMMED; hilbert++) {
		drawn d;
		draw_odd_problem(&d, number, place, (clpac_hilbert)hilbert);
		check_problem(&d, number, place);
	}
}

/* --- What changes nothing --- */

START_TEST(neither_chunks_nor_batches_nor_lists_change_a_bit)
{
	static const struct change changes[] = {
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
		problem.measures = all_measures;
		problem.n_measures = COUNT(all_measures);
		double *x = make_noise(10 * 600, 3);
		clpac_result *first = run_changed(context, &problem, NULL, x);
		for (size_t j = 0; j < COUNT(changes); j++) {
			char label[200];
			snprintf(label, sizeof label, "%s, %s, change %zu", place_label((size_t)_i),
				 null_names[nulls[i]], j);
			clpac_result *other = run_changed(context, &problem, &changes[j], x);
			for (size_t m = 0; m < COUNT(all_measures); m++)
				results_same_bits(clpac_result_of(first, all_measures[m]),
						  clpac_result_of(other, all_measures[m]), label,
						  clpac_result_problem(other));
			clpac_result_destroy(other);
		}
		clpac_result_destroy(first);
		free(x);
	}
	clpac_context_close(context);
}

/* Channels that are selected, and segments in another order, keep their numbers and so their surrogates. */
START_TEST(neither_selection_nor_order_changes_a_bit)
{
	enum { N = 600, SEGMENTS = 4, CHANNELS = 3 };
	static const size_t chosen[2] = {2, 0}, turned[SEGMENTS] = {3, 1, 0, 2};
	clpac_context *context = place_open((size_t)_i);
	for (size_t i = 0; i < COUNT(nulls); i++) {
		clpac_problem whole = usual_problem(nulls[i], CHANNELS, SEGMENTS, N);
		whole.measures = all_measures;
		whole.n_measures = COUNT(all_measures);
		clpac_problem part = whole;
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
		for (size_t a = 0; a < COUNT(arrays) * COUNT(all_measures); a++) {
			const clpac_measure measure = all_measures[a / COUNT(arrays)];
			const float *of_all =
				clpac_result_array(clpac_result_of(all, measure), arrays[a % COUNT(arrays)], NULL);
			const float *of_some =
				clpac_result_array(clpac_result_of(some, measure), arrays[a % COUNT(arrays)], NULL);
			for (size_t c = 0; c < 2; c++)
				for (size_t s = 0; s < SEGMENTS; s++)
					ck_assert_mem_eq(of_some + (c * SEGMENTS + s) * CELLS,
							 of_all + (chosen[c] * SEGMENTS + turned[s]) * CELLS,
							 CELLS * sizeof(float));
		}
		clpac_result_destroy(all);
		clpac_result_destroy(some);
		free(x);
		free(y);
	}
	clpac_context_close(context);
}

/* --- Known surrogates --- */

/* Linear indices of shifts come from transforms, those of blocks from sums. */
static void compare_surrogates(const clpac_result *ours, const clpac_result *theirs, const char *label)
{
	const float *a = clpac_result_array(ours, CLPAC_SURROGATES, NULL);
	const float *b = clpac_result_array(theirs, CLPAC_SURROGATES, NULL);
	const float *mean = clpac_result_array(ours, CLPAC_SURROGATE_MEAN, NULL);
	for (size_t i = 0; i < K * CELLS; i++)
		ck_assert_msg(fabsf(a[i] - b[i]) <= 1e-5f * fmaxf(a[i], mean[i % CELLS]),
			      "%s, %s: surrogate %zu of cell %zu is %.9g as a block and %.9g as a shift", label,
			      clpac_measure_text(clpac_result_measure(ours)), i / CELLS, i % CELLS, (double)a[i],
			      (double)b[i]);
}

/* One block is a circular shift by the place of its cut, and where that is 0 nothing was moved; the phase that plv
 * takes of the amplitude is shifted, too. */
START_TEST(one_block_is_a_shift)
{
	enum { N = 600 };
	clpac_problem problem = usual_problem(CLPAC_NULL_BLOCKS, 1, 1, N);
	problem.measures = all_measures;
	problem.n_measures = COUNT(all_measures);
	clpac_problem shifted = problem;
	size_t shifts[K];
	double *x = make_noise(N, 3);
	problem.n_blocks = 1;
	for (uint32_t k = 0; k < K; k++) {
		clpac__time_block block;
		clpac__draw_blocks(problem.seed, 0, 0, k, N, 1, &block);
		ck_assert_uint_eq(block.to, 0);
		shifts[k] = block.from;
	}
	shifted.null = CLPAC_NULL_SHIFTS;
	shifted.shifts = shifts;
	clpac_context *context = place_open((size_t)_i);
	clpac_result *ours = run_changed(context, &problem, NULL, x), *theirs = run_changed(context, &shifted, NULL, x);
	for (size_t m = 0; m < COUNT(all_measures); m++) {
		const clpac_result *a = clpac_result_of(ours, all_measures[m]);
		const clpac_result *b = clpac_result_of(theirs, all_measures[m]);
		if (clpac_measure_is_linear(all_measures[m]))
			compare_surrogates(a, b, place_label((size_t)_i));
		else
			results_same_measure(a, b, place_label((size_t)_i), "");
	}
	clpac_result_destroy(ours);
	clpac_result_destroy(theirs);
	clpac_context_close(context);
	free(x);
}

/* Of two segments half of the permutations leave each where it is, and these surrogates are the index itself. */
START_TEST(a_segment_in_its_place_has_its_index)
{
	enum { N = 600 };
	clpac_problem problem = usual_problem(CLPAC_NULL_TRIALS, 1, 2, N);
	problem.measures = all_measures;
	problem.n_measures = COUNT(all_measures);
	double *x = make_noise(2 * N, 3);
	clpac_context *context = place_open((size_t)_i);
	clpac_result *result = run_changed(context, &problem, NULL, x);
	size_t n_own = 0;
	for (size_t i = 0; i < K * COUNT(all_measures); i++) {
		const clpac_result *of = clpac_result_of(result, all_measures[i / K]);
		const float *mi = clpac_result_array(of, CLPAC_MI, NULL);
		const float *surrogates = clpac_result_array(of, CLPAC_SURROGATES, NULL);
		const size_t k = i % K;
		clpac_error err;
		uint32_t order[2];
		assert_works(clpac__draw_order(problem.seed, 0, NULL, 2, (uint32_t)k, order, &err), err);
		n_own += i < K && order[0] == 0;
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

TCase *variant_laws(size_t n_places, size_t n_problems)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("variants");
	drawn_rounds = (place_rounds){n_places, n_problems};
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, each_surrogate_is_that_of_its_definition, 0, rounds_count(&drawn_rounds));
	tcase_add_loop_test(t, each_surrogate_of_an_odd_recording_is_within_its_limit, 0, rounds_count(&drawn_rounds));
	tcase_add_loop_test(t, one_block_is_a_shift, 0, n);
	tcase_add_loop_test(t, a_segment_in_its_place_has_its_index, 0, n);
	return t;
}

TCase *variant_arrangement_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("variants, arranged");
	tcase_set_tags(t, "arrangement");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, neither_chunks_nor_batches_nor_lists_change_a_bit, 0, n);
	tcase_add_loop_test(t, neither_selection_nor_order_changes_a_bit, 0, n);
	return t;
}
