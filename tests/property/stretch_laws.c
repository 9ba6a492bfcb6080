/* Laws of stretches and windows: each used sample has the bin that it has where its stretch is a series of its own, and
 * each index, of surrogates too, is that of all used samples together.  Neither the way of computing changes a bit, nor
 * what lies outside. */
#include "stretch_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/estimate.h>
#include <clpac/signal.h>

#include "assertions.h"
#include "contract/places.h"
#include "measure_truth.h"
#include "null_truth.h"
#include "coupling/passes/plan.h"
#include "coupling/layout/test_settings.h"
#include "random.h"
#include "results.h"

enum { N_PHASE = 2, N_AMPLITUDE = 5, CELLS = N_PHASE * N_AMPLITUDE, N_TAPS = 201, MOST_PIECES = 12, MOST_K = 9 };

static const double rate_hz = 500;
static const clpac_band phase_bands[N_PHASE] = {{4, 8}, {9, 14}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{50, 90}, {60, 100}, {70, 110}, {80, 120}, {90, 140}};

static place_rounds drawn_rounds; /* of few problems where a device compiles for each number of bins */

typedef struct drawn {
	clpac_problem problem;
	clpac_window stretches[MOST_PIECES], windows[MOST_PIECES];
	clpac_measure measures[3];
	double phase_taps[N_PHASE * N_TAPS], amplitude_taps[N_AMPLITUDE * N_TAPS];
	double *x;
	size_t n_series;
	char label[600];
} drawn;

static size_t between(unsigned long long *state, size_t least, size_t most)
{
	return least + random_below(state, most - least + 1);
}

static void design(const clpac_band *bands, size_t n, double *taps)
{
	clpac_error err;
	for (size_t b = 0; b < n; b++)
		assert_works(clpac_signal_design(rate_hz, bands[b], N_TAPS - 1, taps + b * N_TAPS, &err), err);
}

/* Windows of one length, or of several, in the stretches, of which some have none; some overlap. */
static void draw_windows(drawn *d, unsigned long long *state, bool is_one_length)
{
	clpac_problem *p = &d->problem;
	const clpac_window whole = {0, p->n_samples}, *stretches = p->stretches ? p->stretches : &whole;
	const size_t n_stretches = p->stretches ? p->n_stretches : 1, edge = (size_t)p->edge_samples;
	const size_t length = between(state, 100, 180);
	for (size_t s = 0; s < n_stretches; s++) {
		size_t at = stretches[s].start + edge + random_below(state, 30), past = 0;
		const size_t end = stretches[s].start + stretches[s].n_samples - edge;
		while (p->n_windows < MOST_PIECES && random_below(state, 6)) {
			const size_t n = is_one_length ? length : between(state, 20, 300);
			if (at + n > end)
				break;
			if (at + n > past)
				d->windows[p->n_windows++] = (clpac_window){at, n};
			past = at + n;
			at += 1 + random_below(state, n + 60);
		}
	}
	if (p->n_windows < 3) {
		p->n_windows = 3;
		for (size_t w = 0; w < 3; w++)
			d->windows[w] = (clpac_window){stretches[0].start + edge + 110 * w, 100};
	}
	p->windows = d->windows;
}

static void draw_stretches(drawn *d, unsigned long long *state, bool has_own_taps)
{
	clpac_problem *p = &d->problem;
	size_t at = random_below(state, 2) ? 0 : random_below(state, 200);
	p->n_stretches = between(state, 1, has_own_taps ? 5 : 3);
	for (size_t s = 0; s < p->n_stretches; s++) {
		const size_t n = between(state, has_own_taps ? 450 : 1126, has_own_taps ? 900 : 1500);
		d->stretches[s] = (clpac_window){at, n};
		/* Some follow each other at once. */
		at += n + (random_below(state, 3) ? random_below(state, 400) : 0);
	}
	p->n_samples = at + random_below(state, 50);
	p->stretches = d->stretches;
}

/* Noise that drifts, with another offset in each stretch, and NaN outside. */
static void draw_samples(drawn *d, unsigned long long *state)
{
	const clpac_problem *p = &d->problem;
	d->n_series = p->n_channels * p->n_segments;
	d->x = malloc(d->n_series * p->n_samples * sizeof *d->x);
	for (size_t i = 0; i < d->n_series; i++) {
		double drift = 0, *x = d->x + i * p->n_samples;
		for (size_t t = 0; t < p->n_samples; t++)
			x[t] = p->stretches ? (double)NAN : random_drifting(state, &drift);
		for (size_t s = 0; p->stretches && s < p->n_stretches; s++) {
			const double offset = 1000 * random_unit(state);
			for (size_t t = 0; t < p->stretches[s].n_samples; t++)
				x[p->stretches[s].start + t] = offset + random_drifting(state, &drift);
		}
	}
}

/* Which combinations there are is decided by the number of the problem, so that few problems have all of them. */
static void draw(drawn *d, size_t number)
{
	static const clpac_null nulls[] = {CLPAC_NULL_SHIFTS, CLPAC_NULL_TRIALS,     CLPAC_NULL_BLOCKS,
					   CLPAC_NULL_SHIFTS, CLPAC_NULL_ALL_SHIFTS, CLPAC_NULL_PHASES};
	unsigned long long state = 77 + number;
	memset(d, 0, sizeof *d);
	const bool has_own_taps = number % 3 != 1;
	const clpac_null null = nulls[number % COUNT(nulls)];
	clpac_problem *p = &d->problem;
	*p = (clpac_problem){.size = sizeof *p,
			     .rate_hz = rate_hz,
			     .n_channels = 1 + number % 2,
			     .n_segments = null == CLPAC_NULL_TRIALS ? 3 : 1,
			     .n_samples = between(&state, 1200, 2500),
			     .phase_bands = phase_bands,
			     .n_phase_bands = N_PHASE,
			     .amplitude_bands = amplitude_bands,
			     .n_amplitude_bands = N_AMPLITUDE,
			     .n_bins = drawn_rounds.n_problems > 10 ? (unsigned)between(&state, 2, 30) : 18,
			     .average = (clpac_average)(number % 5 == 3),
			     .edge_samples = number % 4 == 2 ? 25 : 0,
			     .n_surrogates = null == CLPAC_NULL_ALL_SHIFTS ? 0 : MOST_K,
			     .shift_step = null == CLPAC_NULL_ALL_SHIFTS ? 250 : 0,
			     .min_shift = null == CLPAC_NULL_SHIFTS ? random_below(&state, 10) : 0,
			     .seed = random_bits(&state),
			     .null = null,
			     .keep_surrogates = true,
			     .keep_distributions = true};
	if (has_own_taps) {
		design(phase_bands, N_PHASE, d->phase_taps);
		design(amplitude_bands, N_AMPLITUDE, d->amplitude_taps);
		p->phase_taps = (clpac_taps){d->phase_taps, N_TAPS};
		p->amplitude_taps = (clpac_taps){d->amplitude_taps, N_TAPS};
	}
	if (null != CLPAC_NULL_PHASES && number / 6 % 4 != 3)
		draw_stretches(d, &state, has_own_taps);
	if (!p->stretches || number / 3 % 2) {
		p->joined_windows = null == CLPAC_NULL_ALL_SHIFTS || number % 12 == 3;
		draw_windows(d, &state, null == CLPAC_NULL_TRIALS);
	}
	draw_samples(d, &state);
}

static clpac_result *run(clpac_plan *plan, const drawn *d)
{
	clpac_error err;
	clpac_result *result = NULL;
	const clpac_problem *p = &d->problem;
	const void *channels[2] = {d->x, d->x + p->n_segments * p->n_samples};
	assert_works(clpac_plan_run_samples(plan, &(clpac_samples){.type = CLPAC_FLOAT64, .channels = channels},
					    &result, &err),
		     err);
	return result;
}

static void check_bins(const unsigned char *bins, size_t stride, const oracle_signals *truth, const char *label)
{
	for (size_t ph = 0; ph < truth->n_phase; ph++)
		for (size_t t = 0; t < truth->kept; t++)
			ck_assert_msg(bins[ph * stride + t] == truth->bins[ph * truth->kept + t],
				      "%s: sample %zu of band %zu is in bin %u instead of %u", label, t, ph,
				      bins[ph * stride + t], truth->bins[ph * truth->kept + t]);
}

/* Errors of 1e-5 of the usual index: two of a cell are compared where some are tiny. */
START_TEST(indices_are_those_of_each_stretch_alone_pooled_by_sums)
{
	const size_t place = round_place(&drawn_rounds, _i), number = round_problem(&drawn_rounds, _i);
	clpac_error err;
	drawn d;
	draw(&d, number);
	clpac_problem_copy *copy = NULL;
	assert_works(clpac_problem_complete(&d.problem, &copy, &err), err);
	const clpac_problem *p = clpac_problem_get(copy);
	clpac_context *context = place_open(place);
	/* A series at a time: the bins are those of the last batch. */
	clpac_plan *plan = place_plan(context, &d.problem, &(clpac_plan_options){.max_batch = d.n_series});
	snprintf(d.label, sizeof d.label, "%s, problem %zu: %.400s", place_label(place), number, plan->problem_text);
	null_truth *truth = null_truth_make(p, d.x);
	clpac_result *result = run(plan, &d);
	size_t stride;
	unsigned char *bins = place_bins(plan, &stride);
	ck_assert_uint_eq(clpac_result_report(result)->kept_samples, null_truth_signals(truth, 0)->kept);
	for (size_t series = 0; series < d.n_series; series++) {
		const oracle_signals *signals = null_truth_signals(truth, series);
		const size_t at = series * CELLS, kept = signals->kept, k_end = p->n_surrogates;
		const float *mi = clpac_result_array(result, CLPAC_MI, NULL) + at;
		const float *surrogates = clpac_result_array(result, CLPAC_SURROGATES, NULL) + at * k_end;
		if (plan->layout.batch == d.n_series)
			check_bins(bins + series * N_PHASE * stride, stride, signals, d.label);
		for (size_t cell = 0; cell < CELLS; cell++) {
			const size_t ph = cell / N_AMPLITUDE, am = cell % N_AMPLITUDE;
			const oracle_real wanted = oracle_cell(signals, ph, am, 0);
			ck_assert_msg(fabsl(mi[cell] - wanted) <= 1e-5L * wanted + 1e-7L,
				      "%s: series %zu, cell %zu is %.9g instead of %.9Lg (of %zu)", d.label, series,
				      cell, (double)mi[cell], wanted, kept);
		}
		for (size_t k = 0; k < k_end; k++) {
			oracle_real wanted[CELLS];
			null_truth_surrogate(truth, series, k, wanted);
			for (size_t cell = 0; cell < CELLS; cell++)
				ck_assert_msg(fabsl(surrogates[k * CELLS + cell] - wanted[cell]) <=
						      1e-5L * wanted[cell] + 2e-7L,
					      "%s: series %zu, cell %zu, surrogate %zu is %.9g instead of %.9Lg",
					      d.label, series, cell, k, (double)surrogates[k * CELLS + cell],
					      wanted[cell]);
		}
	}
	free(bins);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	null_truth_free(truth);
	clpac_problem_destroy(copy);
	free(d.x);
}

/* --- What changes nothing --- */

/* A problem that has stretches and windows, with shifts of the joined row or of each window. */
static void draw_usual(drawn *d, bool has_windows, bool are_joined)
{
	unsigned long long state = 5;
	memset(d, 0, sizeof *d);
	d->problem = (clpac_problem){.size = sizeof(clpac_problem),
				     .rate_hz = rate_hz,
				     .n_channels = 2,
				     .n_segments = 2,
				     .n_samples = 9000,
				     .phase_bands = phase_bands,
				     .n_phase_bands = N_PHASE,
				     .amplitude_bands = amplitude_bands,
				     .n_amplitude_bands = N_AMPLITUDE,
				     .n_surrogates = MOST_K,
				     .seed = 3,
				     .stretches = d->stretches,
				     .n_stretches = 3,
				     .joined_windows = are_joined,
				     .keep_surrogates = true,
				     .keep_distributions = true};
	d->stretches[0] = (clpac_window){11, 1500};
	d->stretches[1] = (clpac_window){1511, 3000};
	d->stretches[2] = (clpac_window){5000, 3999};
	if (has_windows) {
		static const clpac_window windows[] = {{111, 700}, {500, 700}, {1600, 50}, {3000, 900}, {5000, 3999}};
		memcpy(d->windows, windows, sizeof windows);
		d->problem.windows = d->windows;
		d->problem.n_windows = COUNT(windows);
	}
	draw_samples(d, &state);
}

static clpac_result *run_in(clpac_context *context, const drawn *d, const clpac_plan_options *options)
{
	clpac_plan *plan = place_plan(context, &d->problem, options);
	clpac_result *result = run(plan, d);
	clpac_plan_destroy(plan);
	return result;
}

START_TEST(neither_batches_nor_chunks_nor_lists_change_a_bit)
{
	static const clpac_plan_options options[] = {
		{.max_batch = 1}, {.strategy = CLPAC_STRATEGY_CHUNKED}, {.strategy = CLPAC_STRATEGY_SEQUENTIAL}};
	clpac_context *context = place_open((size_t)_i);
	for (int kind = 0; kind < 3; kind++) {
		drawn d;
		draw_usual(&d, kind > 0, kind == 2);
		clpac_result *planned = run_in(context, &d, NULL);
		for (size_t i = 0; i < COUNT(options); i++) {
			clpac_result *other = run_in(context, &d, &options[i]);
			results_same_bits(planned, other, place_label((size_t)_i), clpac_result_problem(other));
			clpac_result_destroy(other);
		}
		clpac_plan *plan = place_plan(context, &d.problem, NULL);
		plan->layout.capacity = 16; /* no list fits */
		clpac_result *direct = run(plan, &d);
		ck_assert_uint_eq(clpac_result_report(direct)->n_overflowing_series, d.n_series);
		results_same_bits(planned, direct, place_label((size_t)_i), clpac_result_problem(direct));
		clpac_result_destroy(direct);
		clpac_plan_destroy(plan);
		clpac_result_destroy(planned);
		free(d.x);
	}
	clpac_context_close(context);
}

/* Amplitudes that are filtered again for each chunk, in pieces that begin and end within windows.  Their transforms are
 * of other lengths, so that values differ by roundings. */
START_TEST(several_devices_change_no_bit)
{
	enum { N = 3 };
	clpac_error err;
	drawn d;
	draw_usual(&d, true, false);
	clpac_context *contexts[N];
	clpac_plan *plans[N];
	clpac_result *several = NULL;
	const clpac_problem *p = &d.problem;
	const void *channels[2] = {d.x, d.x + p->n_segments * p->n_samples};
	for (size_t i = 0; i < N; i++) {
		contexts[i] = place_open((size_t)_i);
		plans[i] = place_plan(contexts[i], p, &(clpac_plan_options){.max_batch = 1});
	}
	clpac_result *one = run_in(contexts[0], &d, NULL);
	assert_works(clpac_plan_run_several(plans, N, &(clpac_samples){.type = CLPAC_FLOAT64, .channels = channels},
					    &several, &err),
		     err);
	results_same_bits(one, several, place_label((size_t)_i), clpac_result_problem(one));
	clpac_result_destroy(one);
	clpac_result_destroy(several);
	for (size_t i = 0; i < N; i++) {
		clpac_plan_destroy(plans[i]);
		clpac_context_close(contexts[i]);
	}
	free(d.x);
}

START_TEST(streamed_amplitudes_are_gathered_too)
{
	static const size_t spans[] = {257, 1000, 2500};
	clpac_context *context = place_open((size_t)_i);
	for (int kind = 0; kind < 2; kind++) {
		drawn d;
		draw_usual(&d, kind > 0, true);
		clpac_result *planned = run_in(context, &d, NULL);
		const size_t n = d.n_series * CELLS * (1 + MOST_K);
		for (size_t w = 0; w < COUNT(spans); w++) {
			clpac__for_tests.streamed_from = 1;
			clpac__for_tests.span = spans[w];
			clpac_plan *plan = place_plan(context, &d.problem, NULL);
			clpac__for_tests.streamed_from = clpac__for_tests.span = 0;
			ck_assert(plan->layout.is_streamed && plan->layout.is_gathered);
			clpac_result *streamed = run(plan, &d);
			for (size_t i = 0; i < n; i++) {
				const clpac_array which = i < d.n_series * CELLS ? CLPAC_MI : CLPAC_SURROGATES;
				const size_t at = which == CLPAC_MI ? i : i - d.n_series * CELLS;
				const double a = (double)clpac_result_array(planned, which, NULL)[at],
					     b = (double)clpac_result_array(streamed, which, NULL)[at];
				ck_assert_msg(fabs(a - b) <= 1e-5 * a + 1e-7,
					      "%s: spans of %zu: value %zu of %s is %.9g and not %.9g",
					      place_label((size_t)_i), spans[w], at, clpac_array_name(which), b, a);
			}
			clpac_result_destroy(streamed);
			clpac_plan_destroy(plan);
		}
		clpac_result_destroy(planned);
		free(d.x);
	}
	clpac_context_close(context);
}

START_TEST(a_stretch_or_window_that_is_the_segment_changes_no_bit)
{
	drawn d;
	clpac_context *context = place_open((size_t)_i);
	draw_usual(&d, false, false);
	d.problem.stretches = NULL;
	d.problem.n_stretches = 0;
	for (size_t i = 0; i < d.n_series * d.problem.n_samples; i++)
		if (isnan(d.x[i]))
			d.x[i] = 3;
	clpac_result *plain = run_in(context, &d, NULL);
	d.problem.stretches = d.problem.windows = d.stretches;
	d.stretches[0] = (clpac_window){0, d.problem.n_samples};
	d.problem.n_stretches = 1;
	for (d.problem.n_windows = 0; d.problem.n_windows < 2; d.problem.n_windows++) {
		d.problem.windows = d.problem.n_windows ? d.stretches : NULL;
		clpac_result *same = run_in(context, &d, NULL);
		results_same_bits(plain, same, place_label((size_t)_i), clpac_result_problem(same));
		clpac_result_destroy(same);
	}
	clpac_result_destroy(plain);
	clpac_context_close(context);
	free(d.x);
}

START_TEST(samples_in_a_stretch_decide_whether_there_is_a_value)
{
	drawn d;
	clpac_context *context = place_open((size_t)_i);
	draw_usual(&d, false, false);
	const size_t n = d.problem.n_samples;
	/* Of series 1 a stretch is NaN, of 2 one is constant, of 3 each is. */
	d.x[n + d.stretches[1].start + 7] = NAN;
	for (size_t s = 0; s < 3; s++)
		for (size_t t = d.stretches[s].start; t < d.stretches[s].start + d.stretches[s].n_samples; t++) {
			d.x[3 * n + t] = (double)s;
			d.x[2 * n + t] = s == 1 ? 5 : d.x[2 * n + t];
		}
	for (int keep_flat = 0; keep_flat < 2; keep_flat++) {
		clpac_result *result = run_in(context, &d, &(clpac_plan_options){.keep_flat = keep_flat});
		const bool has_value[] = {true, false, keep_flat, false};
		for (size_t series = 0; series < d.n_series; series++) {
			ck_assert_int_eq(!isnan(clpac_result_array(result, CLPAC_MI, NULL)[series * CELLS]),
					 has_value[series]);
			ck_assert(clpac_result_used_seconds(result)[series] ==
				  (has_value[series] ? 8499 / rate_hz : 0));
			ck_assert_uint_eq(clpac_result_n_stretches(result)[series], has_value[series] ? 3 : 0);
		}
		ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_NOT_FINITE].count, 1);
		ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_CONSTANT].count, 1);
		ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_FLAT].count, !keep_flat);
		clpac_result_destroy(result);
	}
	clpac_context_close(context);
	free(d.x);
}

/* An index by its definition, 1e-5 of itself or of what is usual. */
static void check_linear(const measure_cell *of, clpac_measure measure, float ours, double usual, const char *label)
{
	const double wanted = measure_truth(of, measure);
	ck_assert_msg(fabs((double)ours - wanted) <= 1e-5 * fmax(wanted, usual),
		      "%s: %s of cell (%zu, %zu) is %.9g instead of %.9g", label, clpac_measure_text(measure), of->ph,
		      of->am, (double)ours, wanted);
}

/* They read the gathered vectors and amplitudes; their surrogates, these in another order. */
START_TEST(linear_measures_are_those_of_all_used_samples)
{
	static const clpac_measure measures[] = {CLPAC_MEASURE_MVL, CLPAC_MEASURE_DPAC, CLPAC_MEASURE_NDPAC,
						 CLPAC_MEASURE_GLM, CLPAC_MEASURE_PAC_GLM};
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	for (int kind = 0; kind < 3; kind++) {
		drawn d;
		draw_usual(&d, kind > 0, kind < 2);
		d.problem.measures = measures;
		d.problem.n_measures = COUNT(measures);
		clpac_problem_copy *copy = NULL;
		assert_works(clpac_problem_complete(&d.problem, &copy, &err), err);
		const clpac_problem *p = clpac_problem_get(copy);
		null_truth *truth = null_truth_make(p, d.x);
		clpac_result *result = run_in(context, &d, NULL);
		for (size_t series = 0; series < d.n_series; series++) {
			const oracle_signals *own = null_truth_signals(truth, series);
			size_t *in_place = calloc(own->kept, sizeof *in_place);
			for (size_t t = 0; t < own->kept; t++)
				in_place[t] = t;
			for (size_t k = 0; k <= p->n_surrogates; k++) {
				null_draw draw = null_truth_draw(truth, series, k ? k - 1 : 0);
				for (size_t at = 0; at < CELLS * COUNT(measures); at++) {
					const size_t cell = at % CELLS, m = at / CELLS;
					const clpac_result *one = clpac_result_of(result, measures[m]);
					const measure_cell of = {p,
								 own,
								 k ? draw.other : own,
								 cell / N_AMPLITUDE,
								 cell % N_AMPLITUDE,
								 k ? draw.source : in_place};
					const float *seen = clpac_result_array(one, CLPAC_MI, NULL) + series * CELLS;
					const float *drawn = clpac_result_array(one, CLPAC_SURROGATES, NULL) +
							     series * p->n_surrogates * CELLS;
					const float *mean =
						clpac_result_array(one, CLPAC_SURROGATE_MEAN, NULL) + series * CELLS;
					check_linear(&of, measures[m], k ? drawn[(k - 1) * CELLS + cell] : seen[cell],
						     (double)mean[cell], place_label((size_t)_i));
				}
				null_draw_free(&draw);
			}
			free(in_place);
		}
		clpac_result_destroy(result);
		null_truth_free(truth);
		clpac_problem_destroy(copy);
		free(d.x);
	}
	clpac_context_close(context);
}

START_TEST(an_estimate_is_what_a_plan_takes)
{
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	for (int kind = 0; kind < 3; kind++) {
		drawn d;
		clpac_plan_bytes estimate, made;
		draw_usual(&d, kind > 0, kind == 2);
		assert_works(clpac_estimate_plan(context, &d.problem, NULL, &estimate, sizeof estimate, &err), err);
		clpac_plan *plan = place_plan(context, &d.problem, NULL);
		clpac_plan_measure(plan, &made, sizeof made);
		ck_assert_uint_eq(estimate.total.requested_bytes, made.total.requested_bytes);
		ck_assert_uint_eq(estimate.total.taken_bytes, made.total.taken_bytes);
		clpac_plan_destroy(plan);
		free(d.x);
	}
	clpac_context_close(context);
}

TCase *stretch_laws(size_t n_places, size_t n_problems)
{
	TCase *t = tcase_create("stretches");
	drawn_rounds = (place_rounds){n_places, n_problems};
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, indices_are_those_of_each_stretch_alone_pooled_by_sums, 0, rounds_count(&drawn_rounds));
	const int n = (int)n_places;
	tcase_add_loop_test(t, a_stretch_or_window_that_is_the_segment_changes_no_bit, 0, n);
	tcase_add_loop_test(t, samples_in_a_stretch_decide_whether_there_is_a_value, 0, n);
	tcase_add_loop_test(t, linear_measures_are_those_of_all_used_samples, 0, n);
	return t;
}

TCase *stretch_arrangement_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("stretches, arranged");
	tcase_set_tags(t, "arrangement");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, neither_batches_nor_chunks_nor_lists_change_a_bit, 0, n);
	tcase_add_loop_test(t, several_devices_change_no_bit, 0, n);
	tcase_add_loop_test(t, streamed_amplitudes_are_gathered_too, 0, n);
	tcase_add_loop_test(t, an_estimate_is_what_a_plan_takes, 0, n);
	return t;
}
