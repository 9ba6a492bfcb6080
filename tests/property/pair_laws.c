/* Laws of pairs: a channel with itself is the channel, bit for bit; each pair is what the definition makes of the phase
 * of one and the amplitude of the other; a channel is filtered once; and neither memory, nor batches, nor what else is
 * paired changes a bit. */
#include "pair_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/memory/statistics.h>

#include "assertions.h"
#include "base/memory.h"
#include "contract/places.h"
#include "measure_truth.h"
#include "coupling/run/execute.h"
#include "coupling/passes/plan.h"
#include "random.h"
#include "results.h"
#include "shared/radices.h"
#include "coupling/signal/draws.h"
#include "coupling/layout/test_settings.h"

enum {
	N_PHASE = 3,
	N_AMPLITUDE = 5,
	CELLS = N_PHASE * N_AMPLITUDE,
	MOST_CHANNELS = 10,
	FEW_CHANNELS = 4,
	MOST_PAIRS = 100,
	K = 19,
	FEW = 4
};

static const double rate_hz = 250;
static const clpac_band phase_bands[N_PHASE] = {{4, 8}, {6, 10}, {9, 15}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{30, 50}, {35, 55}, {40, 70}, {50, 90}, {70, 110}};

static place_rounds drawn_rounds;

typedef struct drawn {
	clpac_problem problem;
	clpac_pair pairs[MOST_PAIRS];
	size_t numbers[MOST_CHANNELS];
	clpac_measure measures[6];
	clpac_window stretches[2], windows[3];
	double *x; /* (channel, segment, sample) */
	char label[600];
} drawn;

static size_t between(unsigned long long *state, size_t least, size_t most)
{
	return least + random_below(state, most - least + 1);
}

static void draw_samples(drawn *d, unsigned long long *state)
{
	const clpac_problem *p = &d->problem;
	const size_t n = p->n_segments * p->n_samples;
	d->x = malloc(p->n_channels * n * sizeof *d->x);
	for (size_t ch = 0; ch < p->n_channels; ch++) {
		double drift = 0;
		for (size_t t = 0; t < n; t++)
			d->x[ch * n + t] = pow(5, (double)(ch % 4)) * random_drifting(state, &drift);
	}
}

/* All pairs, or some, in which one may stand twice. */
static void draw_pairs(drawn *d, unsigned long long *state, bool are_all)
{
	clpac_problem *p = &d->problem;
	p->pairs = d->pairs;
	p->n_pairs = are_all ? p->n_channels * p->n_channels : between(state, 1, 20);
	for (size_t i = 0; i < p->n_pairs; i++)
		d->pairs[i] =
			are_all ? (clpac_pair){i / p->n_channels, i % p->n_channels}
				: (clpac_pair){random_below(state, p->n_channels), random_below(state, p->n_channels)};
}

static void draw(drawn *d, size_t number)
{
	static const clpac_null nulls[] = {CLPAC_NULL_SHIFTS, CLPAC_NULL_ALL_SHIFTS, CLPAC_NULL_SHIFTS,
					   CLPAC_NULL_BLOCKS};
	static const clpac_measure linear[] = {CLPAC_MEASURE_GLM,  CLPAC_MEASURE_MVL,	CLPAC_MEASURE_GCMI,
					       CLPAC_MEASURE_DPAC, CLPAC_MEASURE_NDPAC, CLPAC_MEASURE_PAC_GLM};
	unsigned long long state = 1000 + number;
	memset(d, 0, sizeof *d);
	clpac_problem *p = &d->problem;
	*p = (clpac_problem){.size = sizeof *p,
			     .rate_hz = rate_hz,
			     .n_channels = between(&state, 2, FEW_CHANNELS),
			     .n_segments = between(&state, 1, 2),
			     .n_samples = between(&state, 700, 1100),
			     .phase_bands = phase_bands,
			     .n_phase_bands = N_PHASE,
			     .amplitude_bands = amplitude_bands,
			     .n_amplitude_bands = N_AMPLITUDE,
			     .n_bins = drawn_rounds.n_problems > 8 ? (unsigned)between(&state, 4, 30) : 18,
			     .edge_samples = number % 3 == 2 ? 20 : 0,
			     .hilbert = number % 7 == 5 ? CLPAC_HILBERT_TRIMMED : CLPAC_HILBERT_LOCAL,
			     .null = nulls[number % COUNT(nulls)],
			     .seed = random_bits(&state),
			     .share_shifts = number % 5 == 3,
			     .measures = d->measures,
			     .keep_surrogates = true,
			     .keep_distributions = true};
	if (p->null == CLPAC_NULL_ALL_SHIFTS)
		p->shift_step = 50;
	else
		p->n_surrogates = K;
	if (number % 2) {
		d->measures[p->n_measures++] = linear[number / 2 % COUNT(linear)];
		d->measures[p->n_measures++] = CLPAC_MEASURE_MI;
	} else {
		d->measures[p->n_measures++] = CLPAC_MEASURE_MI;
		d->measures[p->n_measures++] = CLPAC_MEASURE_HR;
	}
	if (number % 4 == 2 && p->hilbert == CLPAC_HILBERT_LOCAL) {
		d->stretches[0] = (clpac_window){3, 340};
		d->stretches[1] = (clpac_window){350, p->n_samples - 350};
		p->stretches = d->stretches;
		p->n_stretches = 2;
	}
	for (size_t ch = 0; ch < p->n_channels; ch++)
		d->numbers[ch] = 3 + 5 * ((ch + 2) % p->n_channels);
	if (number % 3 == 1)
		p->channel_numbers = d->numbers;
	draw_samples(d, &state);
	draw_pairs(d, &state, number % 3 != 2);
}

static clpac_samples samples_of(const drawn *d, const void *channels[MOST_CHANNELS])
{
	for (size_t ch = 0; ch < d->problem.n_channels; ch++)
		channels[ch] = d->x + ch * d->problem.n_segments * d->problem.n_samples;
	return (clpac_samples){.type = CLPAC_FLOAT64, .channels = channels};
}

static clpac_result *run(clpac_plan *plan, const drawn *d)
{
	clpac_error err;
	clpac_result *result = NULL;
	const void *channels[MOST_CHANNELS];
	const clpac_samples samples = samples_of(d, channels);
	assert_works(clpac_plan_run_samples(plan, &samples, &result, &err), err);
	return result;
}

static clpac_result *run_in(clpac_context *context, const drawn *d, const clpac_problem *problem,
			    const clpac_plan_options *options)
{
	clpac_plan *plan = place_plan(context, problem, options);
	clpac_result *result = run(plan, d);
	clpac_plan_destroy(plan);
	return result;
}

static clpac_problem without_pairs(const clpac_problem *problem)
{
	clpac_problem alone = *problem;
	alone.pairs = NULL;
	alone.n_pairs = 0;
	return alone;
}

/* Copies of the rows of some channels of a result, as a result of their own, which results_same_bits_in_order can hold
 * against one that has more channels. */
static clpac_result *rows_of(const clpac_result *from, const size_t *rows, size_t n)
{
	clpac_error err;
	clpac_result *made = NULL;
	clpac_result_shape shape = *clpac_result_get_shape(from);
	const size_t n_before = shape.n_channels, of_bins = shape.n_segments * shape.n_phase_bands;
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n_measures = clpac_result_measures(from, measures);
	shape.n_channels = n;
	for (size_t i = 0; i < n_measures; i++) {
		const clpac_result *of = clpac_result_of(from, measures[i]);
		unsigned arrays = 0;
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
			const float *values = clpac_result_array(of, (clpac_array)which, NULL);
			if (values && (!i || values != clpac_result_array(from, (clpac_array)which, NULL)))
				arrays |= 1u << which;
		}
		if (!i) {
			assert_works(clpac_result_create(&shape, arrays, &made, &err), err);
			assert_works(clpac_result_set_measure(made, measures[0], &err), err);
		} else {
			assert_works(clpac_result_add_measure(made, measures[i], arrays, NULL, &err), err);
		}
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
			size_t n_values;
			const float *values = clpac_result_array(of, (clpac_array)which, &n_values);
			float *to = clpac_result_array(clpac_result_of(made, measures[i]), (clpac_array)which, NULL);
			for (size_t row = 0; values && row < n; row++)
				memcpy(to + row * (n_values / n_before), values + rows[row] * (n_values / n_before),
				       n_values / n_before * sizeof *to);
		}
	}
	for (size_t row = 0; row < n; row++)
		memcpy(clpac_result_empty_bins(made) + row * of_bins,
		       clpac_result_empty_bins(from) + rows[row] * of_bins, of_bins * sizeof(uint32_t));
	return made;
}

/* Rows of a and of b, n of each, are the same in every measure. */
static void same_rows(const clpac_result *a, const size_t *rows_a, const clpac_result *b, const size_t *rows_b,
		      size_t n, const char *label)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n_measures = clpac_result_measures(a, measures);
	clpac_result *some_a = rows_of(a, rows_a, n), *some_b = rows_of(b, rows_b, n);
	for (size_t i = 0; i < n_measures; i++)
		results_same_bits(clpac_result_of(some_a, measures[i]), clpac_result_of(some_b, measures[i]), label,
				  clpac_result_problem(a));
	clpac_result_destroy(some_a);
	clpac_result_destroy(some_b);
}

START_TEST(a_channel_paired_with_itself_is_the_channel)
{
	clpac_context *context = place_open(round_place(&drawn_rounds, _i));
	drawn d;
	draw(&d, round_problem(&drawn_rounds, _i));
	const clpac_problem alone = without_pairs(&d.problem);
	clpac_result *plain = run_in(context, &d, &alone, NULL), *paired = run_in(context, &d, &d.problem, NULL);
	size_t channels[MOST_PAIRS], rows[MOST_PAIRS], n = 0;
	for (size_t i = 0; i < d.problem.n_pairs; i++)
		if (d.pairs[i].phase == d.pairs[i].amplitude) {
			channels[n] = d.pairs[i].phase;
			rows[n++] = i;
		}
	if (n)
		same_rows(plain, channels, paired, rows, n, place_label(round_place(&drawn_rounds, _i)));
	ck_assert_uint_eq(clpac_result_get_shape(paired)->n_channels, d.problem.n_pairs);
	clpac_result_destroy(plain);
	clpac_result_destroy(paired);
	clpac_context_close(context);
	free(d.x);
}

/* --- The definition --- */

/* Two series of the recording, analysed, and a cell of them. */
struct truth {
	clpac_problem_copy *copy;
	oracle_signals *signals[FEW_CHANNELS * 2];
	struct evidence evidence[FEW_CHANNELS * 2];
	size_t n;
};

static struct truth analyse(const drawn *d, const clpac_problem *problem)
{
	clpac_error err;
	struct truth made = {.n = problem->n_channels * problem->n_segments};
	assert_works(clpac_problem_complete(problem, &made.copy, &err), err);
	for (size_t i = 0; i < made.n; i++) {
		const double *x = d->x + i * problem->n_samples;
		made.signals[i] = oracle_analyse(clpac_problem_get(made.copy), x);
		made.evidence[i] = evidence_gather(clpac_problem_get(made.copy), x, made.signals[i]);
	}
	return made;
}

static void forget(struct truth *truth)
{
	for (size_t i = 0; i < truth->n; i++) {
		evidence_free(&truth->evidence[i]);
		oracle_signals_free(truth->signals[i]);
	}
	clpac_problem_destroy(truth->copy);
}

/* The shifts of surrogates are those of the channel whose amplitude is shifted. */
static void shifts_of(const drawn *d, size_t row, size_t segment, size_t kept, uint32_t shifts[FEW])
{
	clpac_error err;
	const clpac_problem *p = &d->problem;
	const size_t channel = d->pairs[row].amplitude;
	const uint32_t number = (uint32_t)(p->channel_numbers ? p->channel_numbers[channel] : channel);
	for (size_t k = 0; k < FEW; k++)
		assert_works(clpac__draw_shifts(p->seed, p->share_shifts ? 0 : number,
						p->share_shifts ? 0 : (uint32_t)segment, k, 1, kept, 1, &shifts[k],
						&err),
			     err);
}

/* Problems without stretches, since the oracle knows of none; linear measures against the definition of each. */
START_TEST(pairs_are_the_phase_of_one_and_the_amplitude_of_the_other)
{
	const size_t place = round_place(&drawn_rounds, _i);
	clpac_context *context = place_open(place);
	drawn d;
	draw(&d, round_problem(&drawn_rounds, _i));
	clpac_problem *p = &d.problem;
	p->stretches = NULL;
	p->n_stretches = 0;
	p->null = CLPAC_NULL_SHIFTS;
	p->shift_step = 0;
	p->n_surrogates = FEW;
	clpac_plan *plan = place_plan(context, p, NULL);
	clpac_result *result = run(plan, &d);
	snprintf(d.label, sizeof d.label, "%s: %.400s", place_label(place), clpac_result_problem(result));
	size_t stride;
	unsigned char *bins = place_bins(plan, &stride);
	struct truth truth = analyse(&d, p);
	const size_t kept = truth.signals[0]->kept;
	size_t *source = malloc(kept * sizeof *source);
	for (size_t series = 0; series < p->n_pairs * p->n_segments; series++) {
		const size_t row = series / p->n_segments, segment = series % p->n_segments;
		const size_t phase = d.pairs[row].phase * p->n_segments + segment;
		const size_t amplitude = d.pairs[row].amplitude * p->n_segments + segment;
		const oracle_signals *own = truth.signals[phase], *other = truth.signals[amplitude];
		uint32_t shifts[FEW];
		shifts_of(&d, row, segment, kept, shifts);
		for (size_t at = 0; plan->layout.batch == plan->layout.n_series && at < N_PHASE * kept; at++)
			ck_assert_msg(truth.evidence[phase].is_exact == 0 ||
					      bins[(series * N_PHASE + at / kept) * stride + at % kept] ==
						      own->bins[at],
				      "%s: pair %zu, sample %zu is in another bin", d.label, row, at);
		for (size_t i = 0; i < p->n_measures; i++) {
			const clpac_result *of = clpac_result_of(result, p->measures[i]);
			const float *mi = clpac_result_array(of, CLPAC_MI, NULL) + series * CELLS;
			const float *surrogates = clpac_result_array(of, CLPAC_SURROGATES, NULL) + series * FEW * CELLS;
			for (size_t at = 0; at < (FEW + 1) * CELLS; at++) {
				const size_t k = at / CELLS, cell = at % CELLS, shift = k ? shifts[k - 1] : 0;
				for (size_t t = 0; t < kept; t++)
					source[t] = (t + shift) % kept;
				const measure_cell cell_of = {clpac_problem_get(truth.copy),
							      own,
							      other,
							      cell / N_AMPLITUDE,
							      cell % N_AMPLITUDE,
							      source};
				const double wanted = measure_truth(&cell_of, p->measures[i]);
				const double found = k ? surrogates[at - CELLS] : mi[cell];
				double limit = 1e-5 * fabs(wanted) + 2e-7;
				if (p->measures[i] == CLPAC_MEASURE_GCMI)
					limit += measure_truth_limit_of_ranks(&cell_of, &truth.evidence[phase],
									      &truth.evidence[amplitude], wanted);
				/* In the unit of the samples, of which 5^3 is the largest, and of height ratios. */
				if (p->measures[i] == CLPAC_MEASURE_MVL || p->measures[i] == CLPAC_MEASURE_DPAC)
					limit += 2e-6 * pow(5, (double)d.pairs[row].amplitude);
				if (p->measures[i] == CLPAC_MEASURE_HR)
					limit += 5e-6;
				/* A moved sample, without local filters. */
				if (!truth.evidence[phase].is_exact)
					limit += 0.02 * fabs(wanted);
				ck_assert_msg(
					fabs(found - wanted) <= limit,
					"%s: pair %zu, segment %zu, cell %zu, shift %zu: %s is %.9g instead of %.9g",
					d.label, row, segment, cell, shift, clpac_measure_text(p->measures[i]), found,
					wanted);
			}
		}
	}
	forget(&truth);
	free(source);
	free(bins);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	free(d.x);
}

/* --- What is counted --- */

/* Kernels that count what is filtered, in place of those that are called. */
static struct counting {
	const clpac__compute_operations *called;
	clpac__compute_operations own;
	size_t n_filtered; /* sections, each as often as there are bands that were taken of it */
} counting;

static clpac_status count_launch(clpac__compute *compute, const clpac__launch *launch, clpac_error *err)
{
	if (launch->stage == CLPAC__STAGE_select_bands || launch->stage == CLPAC__STAGE_select_halves)
		counting.n_filtered += launch->items[1] * launch->items[2];
	if (launch->stage == CLPAC__STAGE_transform_rows && launch->arguments.transform_rows.kind == CLPAC_PRODUCTS)
		counting.n_filtered += launch->arguments.transform_rows.n_rows;
	return counting.called->launch(compute, launch, err);
}

static size_t filtered_by(clpac_context *context, const drawn *d, const clpac_problem *problem, clpac_result **out)
{
	clpac__compute *compute = clpac__compute_of(context->queue);
	clpac_plan *plan = place_plan(context, problem, NULL);
	counting = (struct counting){.called = compute->operations, .own = *compute->operations};
	counting.own.launch = count_launch;
	compute->operations = &counting.own;
	*out = run(plan, d);
	compute->operations = counting.called;
	clpac_plan_destroy(plan);
	return counting.n_filtered;
}

START_TEST(each_channel_is_filtered_once)
{
	clpac_context *context = place_open((size_t)_i);
	drawn d;
	draw(&d, 6);
	clpac_problem *p = &d.problem;
	unsigned long long state = 3;
	draw_pairs(&d, &state, true);
	const clpac_problem alone = without_pairs(p);
	const size_t n = p->n_channels * p->n_segments;
	clpac_result *plain, *paired;
	const size_t wanted = filtered_by(context, &d, &alone, &plain), found = filtered_by(context, &d, p, &paired);
	ck_assert_uint_gt(p->n_pairs, p->n_channels);
	ck_assert_uint_gt(wanted, 0);
	ck_assert_msg(found == wanted, "%s: %zu bands of sections were filtered, and of the channels alone %zu",
		      place_label((size_t)_i), found, wanted);
	ck_assert_uint_eq(clpac_result_report(plain)->n_phase_filterings, n);
	ck_assert_uint_eq(clpac_result_report(paired)->n_phase_filterings, n);
	ck_assert_uint_eq(clpac_result_report(paired)->n_amplitude_filterings, n);
	clpac_result_destroy(paired);
	/* A channel that is a phase alone needs no amplitudes. */
	d.pairs[0] = (clpac_pair){0, 1};
	p->n_pairs = 1;
	clpac_result *one = run_in(context, &d, p, NULL);
	ck_assert_uint_eq(clpac_result_report(one)->n_phase_filterings, p->n_segments);
	ck_assert_uint_eq(clpac_result_report(one)->n_amplitude_filterings, p->n_segments);
	clpac_result_destroy(one);
	clpac_result_destroy(plain);
	clpac_context_close(context);
	free(d.x);
}

/* --- What changes nothing --- */

START_TEST(neither_batches_nor_strategies_nor_other_pairs_change_a_bit)
{
	static const clpac_plan_options options[] = {{.max_batch = 1},
						     {.max_batch = 3},
						     {.strategy = CLPAC_STRATEGY_CHUNKED},
						     {.strategy = CLPAC_STRATEGY_SEQUENTIAL}};
	clpac_context *context = place_open((size_t)_i);
	for (size_t number = 0; number < 4; number++) {
		drawn d;
		size_t rows[MOST_PAIRS], first = 0;
		draw(&d, number);
		clpac_result *whole = run_in(context, &d, &d.problem, NULL);
		for (size_t i = 0; i < d.problem.n_pairs; i++)
			rows[i] = i;
		for (size_t i = 0; i < COUNT(options); i++) {
			clpac_result *other = run_in(context, &d, &d.problem, &options[i]);
			same_rows(whole, rows, other, rows, d.problem.n_pairs, place_label((size_t)_i));
			clpac_result_destroy(other);
		}
		/* One alone, the last. */
		const size_t last = d.problem.n_pairs - 1;
		clpac_problem alone = d.problem;
		alone.pairs += last;
		alone.n_pairs = 1;
		clpac_result *one = run_in(context, &d, &alone, NULL);
		same_rows(whole, &last, one, &first, 1, place_label((size_t)_i));
		clpac_result_destroy(one);
		clpac_result_destroy(whole);
		free(d.x);
	}
	clpac_context_close(context);
}

/* Long enough for the channels to need more than a plan of one series. */
START_TEST(a_quarter_of_the_memory_moves_channels_to_the_host_and_changes_no_bit)
{
	drawn d;
	size_t rows[MOST_PAIRS];
	char memory[40];
	draw(&d, 0);
	free(d.x);
	clpac_problem *p = &d.problem;
	unsigned long long state = 8;
	p->n_channels = MOST_CHANNELS;
	p->n_segments = 1;
	p->n_samples = 30000;
	p->channel_numbers = NULL;
	draw_samples(&d, &state);
	draw_pairs(&d, &state, true);
	clpac_context *context = place_open((size_t)_i);
	clpac_result *whole = run_in(context, &d, p, NULL);
	const uint64_t need = clpac_result_report(whole)->peak_bytes;
	ck_assert_uint_eq(clpac_result_report(whole)->n_channel_moves, 0);
	ck_assert_uint_ge(clpac_result_report(whole)->channel_bytes, (uint64_t)MOST_CHANNELS * p->n_samples * 4);
	clpac_context_close(context);
	/* Or less, where a layout for so little leaves room for all channels. */
	uint64_t part = need / 4;
	clpac_pool_statistics now;
	clpac_result *capped;
	for (;; part = part / 5 * 4) {
		snprintf(memory, sizeof memory, "%llu", (unsigned long long)part);
		context = place_open_with((size_t)_i, memory, NULL, NULL);
		capped = run_in(context, &d, p, NULL);
		if (clpac_result_report(capped)->n_channel_moves > 0 || part < need / 8)
			break;
		clpac_result_destroy(capped);
		clpac_context_close(context);
	}
	const clpac_report *report = clpac_result_report(capped);
	clpac_pool_measure(clpac_context_pool(context), &now, sizeof now);
	snprintf(d.label, sizeof d.label, "%s, %s of %llu bytes, %s, batches of %zu", place_label((size_t)_i), memory,
		 (unsigned long long)need, report->strategy, report->batch_series);
	for (size_t i = 0; i < p->n_pairs; i++)
		rows[i] = i;
	same_rows(whole, rows, capped, rows, p->n_pairs, d.label);
	ck_assert_msg(report->n_channel_moves > 0 && report->n_channel_returns > 0, "%s: nothing moved", d.label);
	ck_assert_msg(now.peak_allocated_bytes <= part, "%s: the pool had %llu bytes", d.label,
		      (unsigned long long)now.peak_allocated_bytes);
	ck_assert_uint_eq(report->n_cpu_fallbacks, 0);
	ck_assert_uint_eq(report->n_phase_filterings, MOST_CHANNELS);
	ck_assert_uint_eq(report->n_amplitude_filterings, MOST_CHANNELS);
	clpac_result_destroy(whole);
	clpac_result_destroy(capped);
	clpac_context_close(context);
	free(d.x);
}

/* Amplitudes of long series are filtered in pieces; they are kept in the same ones. */
START_TEST(long_series_in_pieces_pair_like_others)
{
	clpac_context *context = place_open((size_t)_i);
	drawn d;
	draw(&d, 0);
	free(d.x);
	clpac_problem *p = &d.problem;
	unsigned long long state = 4;
	p->n_channels = 2;
	p->n_segments = 1;
	p->n_samples = 40000;
	p->channel_numbers = NULL;
	draw_samples(&d, &state);
	draw_pairs(&d, &state, true);
	const clpac_problem alone = without_pairs(p);
	for (size_t streamed = 0; streamed < 2; streamed++) {
		clpac__for_tests.span = 7000;
		clpac__for_tests.cache = 1 << 16; /* less than any device's */
		clpac__for_tests.streamed_from = streamed ? 1 : UINT64_MAX;
		clpac_plan *plan = place_plan(context, p, NULL);
		ck_assert_uint_gt(plan->layout.n_spans, 2);
		ck_assert_uint_eq(plan->layout.is_streamed, streamed);
		clpac_result *paired = run(plan, &d), *plain = run_in(context, &d, &alone, NULL);
		clpac__for_tests.span = 0;
		clpac__for_tests.cache = 0;
		clpac__for_tests.streamed_from = 0;
		same_rows(plain, (size_t[]){0, 1}, paired, (size_t[]){0, 3}, 2, place_label((size_t)_i));
		clpac_plan_destroy(plan);
		clpac_result_destroy(plain);
		clpac_result_destroy(paired);
	}
	clpac_context_close(context);
	free(d.x);
}

START_TEST(several_devices_share_the_pairs)
{
	enum { N = 2 };
	clpac_error err;
	drawn d;
	size_t rows[MOST_PAIRS];
	draw(&d, 3);
	clpac_context *contexts[N];
	clpac_plan *plans[N];
	clpac_result *several = NULL;
	const void *channels[MOST_CHANNELS];
	const clpac_samples samples = samples_of(&d, channels);
	for (size_t i = 0; i < N; i++) {
		contexts[i] = place_open((size_t)_i);
		plans[i] = place_plan(contexts[i], &d.problem, &(clpac_plan_options){.max_batch = 1});
	}
	for (size_t i = 0; i < d.problem.n_pairs; i++)
		rows[i] = i;
	clpac_result *one = run_in(contexts[0], &d, &d.problem, NULL);
	assert_works(clpac_plan_run_several(plans, N, &samples, &several, &err), err);
	same_rows(one, rows, several, rows, d.problem.n_pairs, place_label((size_t)_i));
	ck_assert_uint_le(clpac_result_report(several)->n_phase_filterings,
			  N * d.problem.n_channels * d.problem.n_segments);
	clpac_result_destroy(one);
	clpac_result_destroy(several);
	for (size_t i = 0; i < N; i++) {
		clpac_plan_destroy(plans[i]);
		clpac_context_close(contexts[i]);
	}
	free(d.x);
}

/* Row by row of the phase bands: the amplitudes of cells are others in each. */
START_TEST(tied_amplitudes_pair_like_others)
{
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	drawn d;
	draw(&d, 0);
	clpac_problem *p = &d.problem;
	p->tied_amplitudes = true;
	const void *channels[MOST_CHANNELS];
	const clpac_samples samples = samples_of(&d, channels);
	const clpac_problem alone = without_pairs(p);
	clpac_result *plain = NULL, *paired = NULL;
	assert_works(clpac_problem_run(&context, 1, &alone, NULL, &samples, &plain, &err), err);
	assert_works(clpac_problem_run(&context, 1, p, NULL, &samples, &paired, &err), err);
	for (size_t ch = 0; ch < p->n_channels; ch++) {
		const size_t row = ch * p->n_channels + ch;
		same_rows(plain, &ch, paired, &row, 1, place_label((size_t)_i));
	}
	ck_assert_str_eq(clpac_result_channel_name(paired, 1), "0>1");
	ck_assert_uint_eq(clpac_result_report(paired)->n_phase_filterings, N_PHASE * p->n_channels * p->n_segments);
	clpac_result_destroy(plain);
	clpac_result_destroy(paired);
	clpac_context_close(context);
	free(d.x);
}

/* --- Channels that cannot be used, names, failures --- */

START_TEST(a_channel_that_cannot_be_used_empties_its_pairs_alone)
{
	clpac_context *context = place_open((size_t)_i);
	drawn d;
	draw(&d, 0);
	const clpac_problem *p = &d.problem;
	clpac_result *whole = run_in(context, &d, p, NULL);
	const size_t of_channel = p->n_segments * p->n_samples;
	for (size_t t = 0; t < of_channel; t++)
		d.x[of_channel + t] = 4; /* constant */
	d.x[17] = NAN;
	clpac_result *result = run_in(context, &d, p, NULL);
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	for (size_t row = 0; row < p->n_pairs; row++) {
		const clpac_pair pair = d.pairs[row];
		for (size_t segment = 0; segment < p->n_segments; segment++) {
			const bool has_nan = !segment && (pair.phase == 0 || pair.amplitude == 0);
			const bool is_empty = has_nan || pair.phase == 1 || pair.amplitude == 1;
			ck_assert_int_eq(isnan(mi[(row * p->n_segments + segment) * CELLS]), is_empty);
		}
		if (pair.phase > 1 && pair.amplitude > 1)
			same_rows(whole, &row, result, &row, 1, place_label((size_t)_i));
	}
	ck_assert_uint_gt(clpac_result_report(result)->warnings[CLPAC_WARN_CONSTANT].count, 0);
	ck_assert_ptr_nonnull(strstr(clpac_result_report(result)->warnings[CLPAC_WARN_NOT_FINITE].text, "0>"));
	clpac_result_destroy(whole);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(d.x);
}

START_TEST(pairs_are_named_by_both_channels)
{
	static const char *const names[FEW_CHANNELS] = {"Fz", "Cz", "Pz", "Oz"};
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	drawn d;
	draw(&d, 0);
	const void *channels[MOST_CHANNELS];
	clpac_samples samples = samples_of(&d, channels);
	clpac_result *result = NULL;
	samples.names = names;
	clpac_plan *plan = place_plan(context, &d.problem, NULL);
	assert_works(clpac_plan_run_samples(plan, &samples, &result, &err), err);
	ck_assert_str_eq(clpac_result_channel_name(result, 1), "Fz>Cz");
	ck_assert_str_eq(clpac_result_pair_channel(result, 1, CLPAC_PHASE), "Fz");
	ck_assert_str_eq(clpac_result_pair_channel(result, 1, CLPAC_AMPLITUDE), "Cz");
	ck_assert_ptr_null(clpac_result_pair_channel(result, d.problem.n_pairs, CLPAC_PHASE));
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	free(d.x);
}

START_TEST(failing_allocations_of_a_run_are_reported)
{
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	drawn d;
	draw(&d, 1);
	const void *channels[MOST_CHANNELS];
	const clpac_samples samples = samples_of(&d, channels);
	clpac_plan *plan = place_plan(context, &d.problem, NULL);
	clpac_result *wanted = run(plan, &d), *result = NULL;
	size_t rows[MOST_PAIRS];
	for (size_t i = 0; i < d.problem.n_pairs; i++)
		rows[i] = i;
	assert_survives_failing_allocations(clpac_plan_run_samples(plan, &samples, &result, &err),
					    (same_rows(wanted, rows, result, rows, d.problem.n_pairs, "after failures"),
					     clpac_result_destroy(result)));
	clpac_result_destroy(wanted);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	free(d.x);
}

TCase *pair_laws(size_t n_places, size_t n_problems)
{
	TCase *tcase = tcase_create("pairs");
	drawn_rounds = (place_rounds){n_places, n_problems};
	tcase_set_timeout(tcase, 900);
	const int n_rounds = rounds_count(&drawn_rounds), n = (int)n_places;
	tcase_add_loop_test(tcase, a_channel_paired_with_itself_is_the_channel, 0, n_rounds);
	tcase_add_loop_test(tcase, pairs_are_the_phase_of_one_and_the_amplitude_of_the_other, 0, n_rounds);
	tcase_add_loop_test(tcase, tied_amplitudes_pair_like_others, 0, n);
	return tcase;
}

TCase *pair_arrangement_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *tcase = tcase_create("pairs, arranged");
	tcase_set_tags(tcase, "arrangement");
	tcase_set_timeout(tcase, 900);
	tcase_add_loop_test(tcase, neither_batches_nor_strategies_nor_other_pairs_change_a_bit, 0, n);
	tcase_add_loop_test(tcase, a_quarter_of_the_memory_moves_channels_to_the_host_and_changes_no_bit, 0, n);
	tcase_add_loop_test(tcase, long_series_in_pieces_pair_like_others, 0, n);
	tcase_add_loop_test(tcase, several_devices_share_the_pairs, 0, n);
	tcase_add_loop_test(tcase, each_channel_is_filtered_once, 0, n);
	tcase_add_loop_test(tcase, a_channel_that_cannot_be_used_empties_its_pairs_alone, 0, n);
	tcase_add_loop_test(tcase, pairs_are_named_by_both_channels, 0, n);
	tcase_add_loop_test(tcase, failing_allocations_of_a_run_are_reported, 0, 1);
	return tcase;
}
