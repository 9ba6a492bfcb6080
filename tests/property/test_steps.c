/* Devices that give up the loops of an item after a number of steps: the bounds of src/coupling/layout/steps.c hold for
 * what the kernels do, plans stay below any limit, say the same as without one, or are refused. */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/signal.h>
#include <clpac/memory/buffer.h>

#include "assertions.h"
#include "contract/places.h"
#include "counted_kernels.h"
#include "noise.h"
#include "coupling/run/enqueue.h"
#include "coupling/layout/launch.h"
#include "coupling/passes/plan.h"
#include "coupling/layout/steps.h"
#include "coupling/layout/test_settings.h"
#include "random.h"

/* --- A device that counts --- */

static uint64_t most_counted[CLPAC__STAGE_COUNT];
static uint32_t gives_up_after; /* 0: never */
static const clpac__compute_operations *uncounted;

static clpac_status launch_counted(clpac__compute *compute, const clpac__launch *launch, clpac_error *err)
{
	/* Transforms in lanes are for vectors of several floats, which no such device has. */
	if (launch->stage == CLPAC__STAGE_transform_rows)
		return uncounted->launch(compute, launch, err);
	const clpac__native_stage *stage = &clpac__native_kernels_counted.stages[launch->stage];
	clpac__arguments arguments = launch->arguments;
	if (gives_up_after && launch->stage == CLPAC__STAGE_count_steps &&
	    gives_up_after < arguments.count_steps.n_steps)
		arguments.count_steps.n_steps = gives_up_after;
	for (size_t k = 0; k < launch->items[2]; k++)
		for (size_t j = 0; j < launch->items[1]; j++)
			for (size_t i = 0; i < launch->items[0]; i++) {
				const uint64_t before = counted_steps;
				stage->run(&arguments, i, i + 1, j, k);
				const uint64_t steps = counted_steps - before - COUNTED_BESIDE;
				if (steps > most_counted[launch->stage])
					most_counted[launch->stage] = steps;
			}
	return CLPAC_OK;
}

static clpac__compute_operations counting;

/* The native device as one of another kind, whose launches are counted. */
static clpac_context *open_counting(clpac_device_kind kind)
{
	clpac_context *context = place_open(0);
	clpac__compute *compute = clpac__compute_of(context->queue);
	memset(most_counted, 0, sizeof most_counted);
	uncounted = compute->operations;
	counting = *uncounted;
	counting.launch = launch_counted;
	compute->operations = &counting;
	compute->vector_width = 1;
	context->queue->device.kind = kind;
	return context;
}

/* The bounds hold, and none is above the limit. */
static void check_counts(const clpac__layout *layout, const char *label)
{
	for (unsigned i = 0; i < CLPAC__STAGE_COUNT; i++) {
		const enum clpac__stage stage = (enum clpac__stage)i;
		const uint64_t bound = clpac__steps_of(layout, stage);
		ck_assert_msg(most_counted[i] <= bound || stage == CLPAC__STAGE_count_steps,
			      "%s: an item of %s takes %llu steps, and the bound is %llu", label,
			      clpac__stage_get(i)->name, (unsigned long long)most_counted[i],
			      (unsigned long long)bound);
		ck_assert_msg(bound <= layout->most_steps, "%s: %s may take %llu steps of %llu", label,
			      clpac__stage_get(i)->name, (unsigned long long)bound,
			      (unsigned long long)layout->most_steps);
	}
}

/* --- Problems --- */

typedef struct example {
	const char *what;
	double rate_hz;
	size_t n_samples;
	unsigned n_bins;
	clpac_band phase[3];
	clpac_hilbert hilbert;
	size_t n_surrogates, capacity; /* 0: the usual one */
	uint64_t limit;
	size_t shift_step; /* of every shift; 0: surrogates are drawn */
} example;

static const example examples[] = {
	{"many bins", 512, 9000, 128, {{0.5, 0.8}, {45, 85}, {37, 46}}, CLPAC_HILBERT_TRIMMED, 4, 0, 65535, 0},
	{"many bins in sections", 512, 9000, 128, {{2, 3}, {45, 85}, {37, 46}}, CLPAC_HILBERT_LOCAL, 4, 0, 65535, 0},
	{"usual bins", 500, 20000, 18, {{2, 3}, {45, 85}, {37, 46}}, CLPAC_HILBERT_LOCAL, 4, 0, 50000, 0},
	{"no surrogates", 500, 20000, 18, {{2, 3}, {45, 85}, {37, 46}}, CLPAC_HILBERT_LOCAL, 0, 0, 50000, 0},
	{"direct sums", 500, 20000, 18, {{2, 3}, {45, 85}, {37, 46}}, CLPAC_HILBERT_LOCAL, 4, 16, 50000, 0},
	{"short tiles", 512, 4000, 128, {{2, 3}, {45, 60}, {50, 60}}, CLPAC_HILBERT_LOCAL, 4, 0, 42000, 0},
	{"no room for lists", 512, 3000, 128, {{2, 3}, {45, 60}, {50, 60}}, CLPAC_HILBERT_LOCAL, 4, 0, 37000, 0},
	{"two bins", 512, 30000, 2, {{2, 3}, {45, 85}, {50, 60}}, CLPAC_HILBERT_LOCAL, 4, 0, 36000, 0},
	{"no limit", 512, 9000, 128, {{2, 3}, {45, 85}, {37, 46}}, CLPAC_HILBERT_LOCAL, 4, 0, UINT64_MAX, 0},
	{"no limit, direct sums",
	 512,
	 9000,
	 7,
	 {{2, 3}, {45, 85}, {37, 46}},
	 CLPAC_HILBERT_LOCAL,
	 4,
	 16,
	 UINT64_MAX,
	 0},
	{"every shift", 512, 2048, 19, {{2, 3}, {45, 85}, {37, 46}}, CLPAC_HILBERT_LOCAL, 0, 0, UINT64_MAX, 1},
	{"every eighth shift", 512, 9000, 128, {{2, 3}, {45, 85}, {37, 46}}, CLPAC_HILBERT_LOCAL, 0, 0, 65535, 8},
};

/* The same with amplitudes that are not shifted. */
typedef struct null_example {
	clpac_null null;
	size_t n_samples, capacity;
	unsigned n_bins;
	uint64_t limit;
} null_example;

static const null_example null_examples[] = {
	{CLPAC_NULL_BLOCKS, 4000, 0, 19, UINT64_MAX},  {CLPAC_NULL_BLOCKS, 4000, 16, 19, UINT64_MAX},
	{CLPAC_NULL_BLOCKS, 9000, 0, 128, 65535},      {CLPAC_NULL_TRIALS, 4000, 0, 19, UINT64_MAX},
	{CLPAC_NULL_TRIALS, 4000, 16, 18, UINT64_MAX}, {CLPAC_NULL_TRIALS, 9000, 0, 128, 65535},
	{CLPAC_NULL_PHASES, 4000, 0, 18, UINT64_MAX},
};

static const clpac_band amplitude_bands[] = {{64, 86}, {98, 139}};
static const clpac_measure measures[] = {CLPAC_MEASURE_MI,   CLPAC_MEASURE_HR,	    CLPAC_MEASURE_GLM,
					 CLPAC_MEASURE_GCMI, CLPAC_MEASURE_PAC_GLM, CLPAC_MEASURE_PLV};

static clpac_problem problem_of(const example *e)
{
	return (clpac_problem){.rate_hz = e->rate_hz,
			       .n_samples = e->n_samples,
			       .phase_bands = e->phase,
			       .n_phase_bands = COUNT(e->phase),
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = COUNT(amplitude_bands),
			       .n_bins = e->n_bins,
			       .hilbert = e->hilbert,
			       .n_surrogates = e->n_surrogates,
			       .seed = 3,
			       .null = e->shift_step ? CLPAC_NULL_ALL_SHIFTS : CLPAC_NULL_SHIFTS,
			       .shift_step = e->shift_step,
			       .cluster_alpha = e->n_surrogates || e->shift_step ? 0.1 : 0,
			       .keep_surrogates = e->n_surrogates || e->shift_step,
			       .keep_distributions = true,
			       .measures = measures,
			       /* Phase locking takes local filters. */
			       .n_measures = COUNT(measures) - (e->hilbert == CLPAC_HILBERT_TRIMMED)};
}

static clpac_result *run_with(clpac_plan *plan, const float *x)
{
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	return result;
}

/* Two layouts sum other tiles, whose roundings move a level and the index by little. */
static void alike(const clpac_result *a, const clpac_result *b, clpac_array which, const char *label)
{
	size_t n = 0, dimensions[5];
	const float *of_a = clpac_result_array(a, which, dimensions), *of_b = clpac_result_array(b, which, NULL);
	ck_assert_int_eq(!of_a, !of_b);
	const size_t n_dimensions = clpac_array_dimensions(clpac_result_get_shape(a), which, dimensions);
	for (size_t i = 0; of_a && i < n_dimensions; i++)
		n = (n ? n : 1) * dimensions[i];
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(fabs((double)of_a[i] - of_b[i]) <= 1e-4 * fabs((double)of_b[i]) + 1e-9,
			      "%s: value %zu is %.9g and %.9g without a limit", label, i, of_a[i], of_b[i]);
}

static void check_problem(const example *e, const clpac_problem *problem, clpac_device_kind kind)
{
	char label[200];
	snprintf(label, sizeof label, "%s, %s", e->what,
		 kind == CLPAC_DEVICE_DISCRETE_GPU ? "groups together" : "groups apart");
	const clpac_problem p = *problem;
	float *x = make_noise(1, (p.n_segments ? p.n_segments : 1) * e->n_samples);
	clpac_context *usual = place_open(0), *context = open_counting(kind);
	clpac_plan *without = place_plan(usual, &p, NULL);
	clpac__for_tests.steps = e->limit;
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac__for_tests.steps = 0;
	ck_assert_uint_eq(plan->layout.most_steps, e->limit);
	plan->layout.capacity = e->capacity ? e->capacity : plan->layout.capacity;
	clpac_result *expected = run_with(without, x), *result = run_with(plan, x);
	check_counts(&plan->layout, label);
	/* The limit matters: some stage would take more. */
	uint64_t steps;
	clpac__steps_longest(&without->layout, false, &steps);
	ck_assert(e->limit == UINT64_MAX || e->capacity || steps > e->limit);
	static const clpac_array which[] = {CLPAC_MI, CLPAC_SURROGATES, CLPAC_DISTRIBUTION};
	for (size_t i = 0; i < COUNT(which); i++)
		alike(result, expected, which[i], label);
	clpac_result_destroy(expected);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_plan_destroy(without);
	clpac_context_close(context);
	clpac_context_close(usual);
	free(x);
}

START_TEST(steps_stay_below_any_limit)
{
	const clpac_problem problem = problem_of(&examples[_i]);
	check_problem(&examples[_i], &problem, CLPAC_DEVICE_OPENCL_CPU);
	check_problem(&examples[_i], &problem, CLPAC_DEVICE_DISCRETE_GPU);
}

START_TEST(steps_of_other_nulls_stay_below_it_too)
{
	const null_example *of = &null_examples[_i];
	const example e = {"another null",	512, of->n_samples, of->n_bins, {{2, 3}, {45, 85}, {37, 46}},
			   CLPAC_HILBERT_LOCAL, 5,   of->capacity,  of->limit,	0};
	clpac_problem problem = problem_of(&e);
	problem.size = sizeof problem;
	problem.null = of->null;
	problem.n_blocks = 40;
	problem.n_segments = of->null == CLPAC_NULL_TRIALS ? 3 : 1;
	check_problem(&e, &problem, CLPAC_DEVICE_OPENCL_CPU);
	check_problem(&e, &problem, CLPAC_DEVICE_DISCRETE_GPU);
}

/* Samples of some stretches, in windows that are shifted each by itself, or joined. */
START_TEST(steps_of_stretches_and_windows_stay_below_it_too)
{
	enum { N_STRETCHES = 20, N_WINDOWS = 60, LENGTH = 800 };
	static const uint64_t limits[] = {UINT64_MAX, 65535};
	const example e = {
		"stretches", 512, N_STRETCHES * LENGTH, 19, {{10, 13}, {45, 85}, {37, 46}}, CLPAC_HILBERT_LOCAL,
		5,	     0,	  limits[_i / 2],	0};
	clpac_problem problem = problem_of(&e);
	clpac_window stretches[N_STRETCHES], windows[N_WINDOWS];
	for (size_t i = 0; i < N_STRETCHES; i++)
		stretches[i] = (clpac_window){i * LENGTH + 3, LENGTH - 7};
	for (size_t i = 0; i < N_WINDOWS; i++)
		windows[i] = (clpac_window){i / 3 * LENGTH + 10 + i % 3 * 200, 250};
	problem.size = sizeof problem;
	problem.stretches = stretches;
	problem.n_stretches = N_STRETCHES;
	problem.windows = windows;
	problem.n_windows = N_WINDOWS;
	problem.joined_windows = _i % 2;
	problem.n_measures = _i % 2 ? 4 : 2;
	check_problem(&e, &problem, CLPAC_DEVICE_OPENCL_CPU);
	check_problem(&e, &problem, CLPAC_DEVICE_DISCRETE_GPU);
}

/* Phases that jump anywhere cross as many edges as phases can. */
START_TEST(phases_that_jump_stay_below_it_too)
{
	enum { N = 3000, N_PHASE = 2, N_AMPLITUDE = 3 };
	static const unsigned bins[] = {2, 3, 18, 127, 128};
	static float phase[N_PHASE * N], amplitude[N_AMPLITUDE * N];
	clpac_error err;
	unsigned long long state = 5;
	for (size_t t = 0; t < COUNT(phase); t++)
		phase[t] = (float)(6.28 * random_unit(&state) - 3.14);
	for (size_t t = 0; t < N; t++) /* the largest steps forwards, in turn with one back */
		phase[N + t] = t % 2 ? 3.1f : -3.1f;
	for (size_t t = 0; t < COUNT(amplitude); t++)
		amplitude[t] = (float)random_unit(&state);
	clpac_context *context = open_counting(CLPAC_DEVICE_OPENCL_CPU);
	const clpac_coupling coupling = {.n_series = 1,
					 .n_phase = N_PHASE,
					 .n_amplitude = N_AMPLITUDE,
					 .n_samples = N,
					 .n_bins = bins[_i],
					 .n_surrogates = 3};
	const clpac_problem problem = {.n_channels = 1,
				       .n_segments = 1,
				       .n_samples = N,
				       .n_phase_bands = N_PHASE,
				       .n_amplitude_bands = N_AMPLITUDE,
				       .n_bins = bins[_i],
				       .n_surrogates = 3};
	static const uint64_t limits[] = {UINT64_MAX, 65535, 36000};
	float mi[COUNT(limits)][N_PHASE * N_AMPLITUDE];
	for (size_t i = 0; i < COUNT(limits); i++) {
		clpac__layout layout;
		clpac_result *result = NULL;
		char label[100];
		snprintf(label, sizeof label, "%u bins, limit %llu", bins[_i], (unsigned long long)limits[i]);
		memset(most_counted, 0, sizeof most_counted);
		clpac__for_tests.steps = limits[i];
		assert_works(clpac__layout_begin_arrays(&problem, context->queue, clpac__context_engine(context), 0,
							&layout, &err),
			     err);
		assert_works(clpac_signal_modulation_index(context, &coupling, (clpac_values){.host = phase},
							   (clpac_values){.host = amplitude}, &result, &err),
			     err);
		clpac__for_tests.steps = 0;
		layout.chunk = coupling.n_surrogates; /* as the plan takes them */
		check_counts(&layout, label);
		memcpy(mi[i], clpac_result_array(result, CLPAC_MI, NULL), sizeof mi[i]);
		for (size_t cell = 0; cell < COUNT(mi[i]); cell++)
			/* An empty bin is 0 within a rounding, the logarithm of which is added. */
			ck_assert_msg(fabsf(mi[i][cell] - mi[0][cell]) <= 1e-4f * mi[0][cell],
				      "%s: index %zu is %.9g and %.9g without a limit", label, cell, mi[i][cell],
				      mi[0][cell]);
		clpac_result_destroy(result);
	}
	clpac_context_close(context);
}

/* Any series is laid out below any limit: spans are whole tiles and cover the series, whatever is too short to be cut.
 */
START_TEST(any_series_is_laid_out)
{
	static const unsigned bins[] = {2, 19, 128};
	static const clpac_device_kind kinds[] = {CLPAC_DEVICE_OPENCL_CPU, CLPAC_DEVICE_DISCRETE_GPU};
	clpac_context *context = open_counting(kinds[_i]);
	clpac_error err;
	size_t n_cut = 0, n_whole = 0;
	for (size_t n = 1; n < 20000; n += 1 + n / 16)
		for (uint64_t limit = 40; limit < 140000; limit += limit / 4)
			for (size_t i = 0; i < 2 * COUNT(bins); i++) {
				const clpac_problem problem = {.n_channels = 1,
							       .n_segments = 1,
							       .n_samples = n,
							       .n_phase_bands = 2,
							       .n_amplitude_bands = 20,
							       .n_bins = bins[i / 2],
							       .n_surrogates = 3};
				clpac__layout l;
				clpac__for_tests.steps = limit;
				clpac__for_tests.places = i % 2 ? 20 * limit : 0;
				const clpac_status status = clpac__layout_begin_arrays(
					&problem, context->queue, clpac__context_engine(context), 0, &l, &err);
				if (status == CLPAC_ERROR_UNSUPPORTED && limit < 65535)
					continue; /* below that of any device known */
				assert_works(status, err);
				ck_assert_msg(l.span && l.span % l.tile == 0 && l.n_spans * l.span >= l.kept,
					      "%zu samples, %u bins, %llu steps: %zu spans of %zu", n, bins[i / 2],
					      (unsigned long long)limit, l.n_spans, l.span);
				*(l.n_spans > 1 ? &n_cut : &n_whole) += 1;
			}
	clpac__for_tests.steps = 0;
	clpac__for_tests.places = 0;
	ck_assert_uint_gt(n_cut, 100);
	ck_assert_uint_gt(n_whole, 100);
	clpac_context_close(context);
}

/* Many bands and surrogates: stages that pass all of them come in several launches, or in chunks. */
START_TEST(bands_and_surrogates_come_in_several_launches)
{
	enum { N = 700, N_PHASE = 40, N_AMPLITUDE = 60, K = 1500 };
	clpac_band phase[N_PHASE], amplitude[N_AMPLITUDE];
	for (size_t i = 0; i < N_PHASE; i++)
		phase[i] = (clpac_band){4 + 0.2 * (double)i, 8 + 0.2 * (double)i};
	for (size_t i = 0; i < N_AMPLITUDE; i++)
		amplitude[i] = (clpac_band){40 + (double)i, 70 + (double)i};
	const clpac_problem p = {.rate_hz = 500,
				 .n_samples = N,
				 .phase_bands = phase,
				 .n_phase_bands = N_PHASE,
				 .amplitude_bands = amplitude,
				 .n_amplitude_bands = N_AMPLITUDE,
				 .n_bins = 2,
				 .n_surrogates = K};
	enum { LIMIT = 1200 }; /* below the surrogates, and below the bands of maxima */
	float *x = make_noise(1, N);
	clpac_error err;
	clpac_context *context = open_counting(CLPAC_DEVICE_OPENCL_CPU), *usual = place_open(0);
	clpac_plan *plan = NULL, *without = place_plan(usual, &p, NULL);
	clpac__for_tests.steps = LIMIT / 4;
	/* A tile's samples alone take more. */
	ck_assert_int_eq(clpac_plan_create(context, &p, NULL, &plan, &err), CLPAC_ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "gives up loops after 300 steps"));
	clpac__for_tests.steps = 0;
	plan = place_plan(context, &p, NULL);
	plan->layout.most_steps = LIMIT;
	plan->layout.chunk = clpac__steps_surrogates(&plan->layout);
	clpac_result *expected = run_with(without, x), *result = run_with(plan, x);
	/* Surrogates of one launch come in the longest chunks that an item can pass. */
	ck_assert_uint_le(most_counted[CLPAC__STAGE_surrogate_moments], LIMIT);
	ck_assert_uint_gt(most_counted[CLPAC__STAGE_surrogate_moments] + 3, LIMIT);
	ck_assert_uint_le(most_counted[CLPAC__STAGE_surrogate_maxima], LIMIT);
	ck_assert_uint_gt(clpac__steps_of(&without->layout, CLPAC__STAGE_surrogate_maxima), LIMIT / 2);
	alike(result, expected, CLPAC_MAXIMA, "maxima");
	alike(result, expected, CLPAC_P_MAX, "p_max");
	const size_t longest = plan->layout.chunk;
	clpac__search search;
	clpac__search_begin(&search, context, CLPAC_STRATEGY_VECTORIZED, 0, UINT64_MAX, &plan->layout);
	ck_assert(clpac__search_next(&search, &plan->layout));
	ck_assert_uint_eq(plan->layout.chunk, longest);
	clpac_result_destroy(expected);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_plan_destroy(without);
	clpac_context_close(context);
	clpac_context_close(usual);
	free(x);
}

/* A filter so long that a few samples alone are too much for an item. */
START_TEST(few_samples_are_settled_at_a_time)
{
	clpac__layout l = {.n_bins = 18, .tile = 256, .tap_stride = 3001, .most_steps = UINT64_MAX};
	ck_assert_uint_eq(clpac__steps_settle_tile(&l), 256);
	l.most_steps = 65535;
	ck_assert_uint_eq(clpac__steps_settle_tile(&l), 4);
	l.tap_stride = 20001;
	ck_assert_uint_eq(clpac__steps_settle_tile(&l), 1);
	ck_assert_uint_le(clpac__steps_of(&l, CLPAC__STAGE_settle_bins), 65535);
	l.tap_stride = 30001;
	ck_assert_uint_gt(clpac__steps_of(&l, CLPAC__STAGE_settle_bins), 65535);
	/* All of a series lies within the noise of its loud beginning. */
	enum { N = 3000 };
	const example e = {"quiet", 500, N, 18, {{2, 3}, {3, 4}, {4, 6}}, CLPAC_HILBERT_LOCAL, 0, 0, 0, 0};
	const clpac_problem p = problem_of(&e);
	float *x = make_noise(1, N);
	for (size_t t = 0; t < N; t++)
		x[t] *= t == 100 ? 1e9f : 1;
	clpac_context *usual = place_open(0), *context = open_counting(CLPAC_DEVICE_OPENCL_CPU);
	clpac_plan *without = place_plan(usual, &p, NULL);
	clpac__for_tests.steps = 40000;
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac__for_tests.steps = 0;
	ck_assert_uint_lt(clpac__steps_settle_tile(&plan->layout), plan->layout.tile);
	clpac_result *expected = run_with(without, x), *result = run_with(plan, x);
	check_counts(&plan->layout, "quiet");
	ck_assert_uint_gt(most_counted[CLPAC__STAGE_settle_bins], plan->layout.tap_stride);
	size_t stride[2];
	unsigned char *bins[2] = {place_bins(without, &stride[0]), place_bins(plan, &stride[1])};
	for (size_t ph = 0; ph < COUNT(e.phase); ph++)
		ck_assert_int_eq(memcmp(bins[0] + ph * stride[0], bins[1] + ph * stride[1], N), 0);
	free(bins[0]);
	free(bins[1]);
	clpac_result_destroy(expected);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_plan_destroy(without);
	clpac_context_close(context);
	clpac_context_close(usual);
	free(x);
}

/* A device whose limit nobody knew: its first long plan finds it, and is laid out within it. */
START_TEST(an_unknown_limit_is_found)
{
	const clpac_problem p = problem_of(&examples[1]);
	float *x = make_noise(1, p.n_samples);
	clpac_context *context = open_counting(CLPAC_DEVICE_OPENCL_CPU);
	clpac_plan *plan = place_plan(context, &p, NULL);
	ck_assert_uint_eq(plan->layout.most_steps, UINT64_MAX);
	ck_assert_uint_gt(most_counted[CLPAC__STAGE_count_steps], 65535);
	clpac_plan_destroy(plan);
	gives_up_after = 70000;
	plan = place_plan(context, &p, NULL);
	gives_up_after = 0;
	ck_assert_uint_eq(plan->layout.most_steps, 70000);
	ck_assert_uint_gt(plan->layout.n_spans, 1);
	clpac_result *result = run_with(plan, x);
	check_counts(&plan->layout, "found");
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	/* A limit below all plans is told. */
	clpac_error err;
	gives_up_after = 10;
	context = open_counting(CLPAC_DEVICE_OPENCL_CPU);
	ck_assert_int_eq(clpac_plan_create(context, &p, NULL, &plan, &err), CLPAC_ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "gives up loops after 10 steps"));
	gives_up_after = 0;
	clpac_context_close(context);
	free(x);
}

/* 10000 steps every device takes: it is asked about more. */
START_TEST(a_device_is_asked_about_many_steps_alone)
{
	const clpac_problem p = problem_of(&examples[1]);
	clpac_error err;
	clpac_context *context = open_counting(CLPAC_DEVICE_OPENCL_CPU);
	clpac_plan *plan = place_plan(context, &p, NULL);
	ck_assert_uint_gt(most_counted[CLPAC__STAGE_count_steps], 10000);
	for (uint64_t most = 10000; most <= 10001; most++) {
		plan->layout.most_steps = most;
		most_counted[CLPAC__STAGE_count_steps] = 0;
		assert_works(clpac__steps_prove(context, &plan->layout, plan->runs->batches->tensors, &err), err);
		ck_assert_uint_eq(most_counted[CLPAC__STAGE_count_steps] > 0, most > 10000);
	}
	/* About as many as a plan takes, up to 2^20. */
	clpac__layout l = plan->layout;
	for (uint64_t most = 600000; most <= 1200000; most += 600000) {
		l.kept = l.capacity = 1u << 24;
		l.most_steps = UINT64_MAX;
		uint64_t steps;
		clpac__steps_longest(&l, true, &steps);
		ck_assert_uint_gt(steps, 1200000);
		l.most_steps = most;
		most_counted[CLPAC__STAGE_count_steps] = 0;
		assert_works(clpac__steps_prove(context, &l, plan->runs->batches->tensors, &err), err);
		ck_assert_uint_eq(most_counted[CLPAC__STAGE_count_steps], 1 + (most < 1u << 20 ? most : 1u << 20));
	}
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

/* A run on the device's memory has stages of its own; what they cannot pass is refused when the run is enqueued. */
START_TEST(enqueued_runs_keep_the_limit_too)
{
	clpac_error err;
	clpac_problem p = problem_of(&examples[2]);
	p.n_measures = 1;
	clpac_context *context = open_counting(CLPAC_DEVICE_OPENCL_CPU);
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac_buffer *x = NULL, *out = NULL, *warnings = NULL;
	float *noise = make_noise(1, p.n_samples);
	assert_works(clpac_pool_allocate(context->pool, p.n_samples * sizeof *noise, "x", &x, &err), err);
	assert_works(clpac_buffer_write(x, 0, p.n_samples * sizeof *noise, noise, &err), err);
	assert_works(clpac_pool_allocate(context->pool, 64, "warnings", &warnings, &err), err);
	size_t most = 0;
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		const size_t n = clpac__enqueued_values(plan, 0, (clpac_array)which);
		most = n > most ? n : most;
	}
	assert_works(clpac_pool_allocate(context->pool, CLPAC_ARRAY_COUNT * most * sizeof(float), "out", &out, &err),
		     err);
	clpac__enqueued run = {.samples = {clpac__buffer_block(x), 0},
			       .sample_stride = 1,
			       .segment_stride = p.n_samples,
			       .channel_stride = p.n_samples,
			       .warnings = {clpac__buffer_block(warnings), 0}};
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++)
		if (clpac__enqueued_values(plan, 0, (clpac_array)which))
			run.arrays[0][which] = (clpac__place){clpac__buffer_block(out), (size_t)which * most};
	assert_works(clpac__plan_enqueue(plan, &run, &err), err);
	check_counts(&plan->layout, "enqueued");
	ck_assert_uint_gt(most_counted[CLPAC__STAGE_store_warnings], 0);
	ck_assert_uint_gt(most_counted[CLPAC__STAGE_store_p_max], 0);
	plan->layout.most_steps = clpac__steps_of(&plan->layout, CLPAC__STAGE_store_p_max) - 1;
	ck_assert_int_eq(clpac__plan_enqueue(plan, &run, &err), CLPAC_ERROR_UNSUPPORTED);
	clpac_buffer_release(x);
	clpac_buffer_release(out);
	clpac_buffer_release(warnings);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	free(noise);
}

const char *skip_reason(void)
{
	return places_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("steps of loops");
	places_find("native");
	TCase *t = tcase_create("steps");
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, steps_stay_below_any_limit, 0, (int)COUNT(examples));
	tcase_add_loop_test(t, steps_of_other_nulls_stay_below_it_too, 0, (int)COUNT(null_examples));
	tcase_add_loop_test(t, steps_of_stretches_and_windows_stay_below_it_too, 0, 4);
	tcase_add_loop_test(t, phases_that_jump_stay_below_it_too, 0, 5);
	tcase_add_loop_test(t, any_series_is_laid_out, 0, 2);
	tcase_add_test(t, bands_and_surrogates_come_in_several_launches);
	tcase_add_test(t, few_samples_are_settled_at_a_time);
	tcase_add_test(t, an_unknown_limit_is_found);
	tcase_add_test(t, a_device_is_asked_about_many_steps_alone);
	tcase_add_test(t, enqueued_runs_keep_the_limit_too);
	suite_add_tcase(s, t);
	return s;
}
