/* Any failure of host memory or of the device, while a plan is made or runs, is reported and leaves nothing behind, and
 * the next attempt works. A sanitizer finds leaks. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/signal.h>
#include <clpac/memory/statistics.h>

#include "assertions.h"
#include "contract/places.h"
#include "memory/pool/pool.h"
#include "coupling/layout/context_engine.h"
#include "pool_truth.h"
#include "results.h"
#include "simulated.h"
#include "coupling/stages/stages.h"

enum { N_SAMPLES = 260, N_CHANNELS = 3 };

static const clpac_band phase_bands[] = {{4, 8}, {8, 13}}, amplitude_bands[] = {{30, 45}, {50, 75}, {60, 90}};

static clpac_problem base(clpac_hilbert hilbert)
{
	return (clpac_problem){.rate_hz = 250,
			       .n_channels = N_CHANNELS,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = COUNT(phase_bands),
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = COUNT(amplitude_bands),
			       .hilbert = hilbert,
			       .n_surrogates = 9,
			       .keep_surrogates = true,
			       .keep_distributions = true};
}

static float *make_samples(void)
{
	unsigned long long state = 12;
	float *x = malloc(N_CHANNELS * N_SAMPLES * sizeof *x);
	for (size_t i = 0; i < N_CHANNELS * N_SAMPLES; i++)
		x[i] = (float)random_unit(&state);
	return x;
}

/* --- Host memory, on the native backend --- */

static uint64_t lacks_of(clpac_context *context)
{
	clpac_pool_statistics now;
	clpac_pool_measure(clpac_context_pool(context), &now, sizeof now);
	return now.out_of_memory_events;
}

/* Makes allocation 1, 2, ... of a call fail until the call needs no more of them. The native device's memory is host
 * memory, so a failure may hit device memory too: the pool counts it and may find other memory. A call that succeeded
 * with less memory must have `noticed` it, apart from a few records that the pool can work without (a thread's magazine
 * of released blocks). The pool's cache is emptied before each attempt. */
enum { MOST_DONE_WITHOUT = 2 };
#define EACH_ALLOCATION_FAILS(context, call, noticed, release, n_failures)                                             \
	do {                                                                                                           \
		unsigned n_done_without = 0;                                                                           \
		for (unsigned long number = 1;; number++) {                                                            \
			clpac_pool_clear(clpac_context_pool(context));                                                 \
			const uint64_t lacks = lacks_of(context);                                                      \
			clpac__fail_allocation(number, false);                                                         \
			const clpac_status failing = (call);                                                           \
			const unsigned long made = clpac__count_allocations();                                         \
			clpac__fail_allocation(0, false);                                                              \
			if (failing == CLPAC_OK) {                                                                     \
				const bool is_over = made < number;                                                    \
				if (!is_over && !(noticed) && lacks_of(context) == lacks)                              \
					n_done_without++;                                                              \
				ck_assert_msg(n_done_without <= MOST_DONE_WITHOUT,                                     \
					      "allocation %lu failed and nobody saw it", number);                      \
				release;                                                                               \
				n_failures = number - 1;                                                               \
				if (is_over)                                                                           \
					break;                                                                         \
				continue;                                                                              \
			}                                                                                              \
			ck_assert_msg(failing == CLPAC_ERROR_NO_MEMORY || failing == CLPAC_ERROR_NO_DEVICE_MEMORY,     \
				      "allocation %lu: %s", number, err.text);                                         \
			ck_assert(err.status == failing && err.text[0]);                                               \
			assert_names_bytes(err);                                                                       \
		}                                                                                                      \
	} while (0)

static bool went_down(const clpac_report *report)
{
	return report->n_steps > 0 && report->steps[0].reason[0] && report->warnings[CLPAC_WARN_STRATEGY].count == 1;
}

/* The same three series, or three segments of one channel, which permutations need. */
static clpac_problem with_null(clpac_null null)
{
	clpac_problem p = base(CLPAC_HILBERT_LOCAL);
	p.size = sizeof p;
	p.null = null;
	if (null == CLPAC_NULL_TRIALS) {
		p.n_channels = 1;
		p.n_segments = N_CHANNELS;
	}
	return p;
}

START_TEST(each_failing_allocation_of_other_nulls_is_reported)
{
	clpac_error err;
	unsigned long n_failures;
	float *x = make_samples();
	clpac_context *context = place_open((size_t)_i);
	/* Behind the nulls, stretches, and windows that are shifted each by itself. */
	static const clpac_window stretches[] = {{0, 125}, {127, 133}}, windows[] = {{0, 100}, {130, 130}};
	for (int null = CLPAC_NULL_TRIALS; null <= CLPAC_NULL_COUNT; null++) {
		clpac_problem p = with_null(null == CLPAC_NULL_COUNT ? CLPAC_NULL_SHIFTS : (clpac_null)null);
		if (null == CLPAC_NULL_COUNT) {
			p.stretches = stretches;
			p.windows = windows;
			p.n_stretches = p.n_windows = 2;
		}
		clpac_plan *plan = NULL;
		EACH_ALLOCATION_FAILS(context, clpac_plan_create(context, &p, NULL, &plan, &err),
				      went_down(clpac_plan_report(plan)), clpac_plan_destroy(plan), n_failures);
		ck_assert_uint_gt(n_failures, 20);
		plan = place_plan(context, &p, NULL);
		clpac_result *wanted = NULL, *result = NULL;
		assert_works(clpac_plan_run(plan, x, &wanted, &err), err);
		EACH_ALLOCATION_FAILS(
			context, clpac_plan_run(plan, x, &result, &err), false,
			(results_same_bits(wanted, result, "after failures", ""), clpac_result_destroy(result)),
			n_failures);
		ck_assert_uint_gt(n_failures, 5);
		clpac_result_destroy(wanted);
		clpac_plan_destroy(plan);
	}
	clpac_context_close(context);
	free(x);
}

START_TEST(each_failing_allocation_of_a_plan_and_of_a_run_is_reported)
{
	clpac_error err;
	unsigned long n_failures;
	float *x = make_samples();
	clpac_context *context = place_open((size_t)_i);
	for (int hilbert = 0; hilbert < 2; hilbert++) {
		const clpac_problem p = base((clpac_hilbert)hilbert);
		clpac_plan *plan = NULL;
		EACH_ALLOCATION_FAILS(context, clpac_plan_create(context, &p, NULL, &plan, &err),
				      went_down(clpac_plan_report(plan)), clpac_plan_destroy(plan), n_failures);
		ck_assert_uint_gt(n_failures, 20);
		clpac_pool_statistics now;
		clpac_pool_measure(clpac_context_pool(context), &now, sizeof now);
		ck_assert_uint_eq(now.active_buffers, 0);

		plan = place_plan(context, &p, NULL);
		clpac_result *wanted = NULL, *result = NULL;
		assert_works(clpac_plan_run(plan, x, &wanted, &err), err);
		EACH_ALLOCATION_FAILS(
			context, clpac_plan_run(plan, x, &result, &err), false,
			(results_same_bits(wanted, result, "after failures", ""), clpac_result_destroy(result)),
			n_failures);
		ck_assert_uint_gt(n_failures, 5);
		clpac_result_destroy(wanted);
		clpac_plan_destroy(plan);
	}
	clpac_context_close(context);
	free(x);
}

/* --- A device that refuses memory in the middle of a run, as drivers that allocate at first use do --- */

static const clpac__compute_operations *kind_operations;
static unsigned long launches_left; /* until one is refused; 0: none is */
static size_t last_done, last_total;

static clpac_status launch_or_refuse(clpac__compute *compute, const clpac__launch *launch, clpac_error *err)
{
	if (launches_left && --launches_left == 0)
		return clpac__fail(err, CLPAC_ERROR_NO_DEVICE_MEMORY, "no room for a launch of %s",
				   clpac__stage_get(launch->stage)->name);
	return kind_operations->launch(compute, launch, err);
}

static bool note_progress(void *user, size_t done, size_t total)
{
	(void)user;
	last_done = done;
	last_total = total;
	return done <= total;
}

static const clpac_null all_nulls[] = {CLPAC_NULL_SHIFTS, CLPAC_NULL_TRIALS, CLPAC_NULL_BLOCKS, CLPAC_NULL_PHASES};

START_TEST(a_run_that_is_refused_memory_goes_on_with_less_and_the_same_numbers)
{
	clpac_error err;
	float *x = make_samples();
	clpac_context *context = place_open(0);
	clpac__compute *compute = clpac__compute_of(context->queue);
	kind_operations = compute->operations;
	clpac__compute_operations unkind = *kind_operations;
	unkind.launch = launch_or_refuse;
	compute->operations = &unkind;
	const clpac_problem p = _i ? with_null(all_nulls[_i]) : base(CLPAC_HILBERT_TRIMMED);
	const clpac_plan_options options = {.max_batch = 2, .progress = note_progress};
	clpac_plan *plan = place_plan(context, &p, &options);
	clpac_result *wanted = NULL;
	assert_works(clpac_plan_run(plan, x, &wanted, &err), err);
	clpac_plan_destroy(plan);
	for (unsigned long launch = 1;; launch++) {
		clpac_result *result = NULL;
		plan = place_plan(context, &p, &options);
		launches_left = launch;
		const clpac_status st = clpac_plan_run(plan, x, &result, &err);
		const bool was_refused = launches_left == 0;
		launches_left = 0;
		ck_assert_msg(st == CLPAC_OK, "launch %lu: %s", launch, st ? err.text : "");
		const clpac_report *report = clpac_result_report(result), *before = clpac_result_report(wanted);
		char label[64];
		snprintf(label, sizeof label, "launch %lu refused", launch);
		results_same_bits(wanted, result, label, "");
		ck_assert_uint_eq(report->n_steps, was_refused);
		ck_assert_int_eq(went_down(report), was_refused);
		if (was_refused) {
			ck_assert_ptr_nonnull(strstr(report->steps[0].reason, "no room for a launch"));
			ck_assert_uint_lt(report->taken_bytes, before->taken_bytes);
		}
		ck_assert_uint_eq(report->n_overflowing_series, before->n_overflowing_series);
		ck_assert_uint_eq(report->n_cpu_fallbacks, 0);
		for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++)
			if (kind != CLPAC_WARN_STRATEGY)
				ck_assert_uint_eq(report->warnings[kind].count, before->warnings[kind].count);
		ck_assert_uint_eq(last_done, last_total);
		clpac_result_destroy(result);
		/* The next run keeps the smaller layout. */
		result = NULL;
		assert_works(clpac_plan_run(plan, x, &result, &err), err);
		results_same_bits(wanted, result, "the next run", "");
		clpac_result_destroy(result);
		clpac_plan_destroy(plan);
		if (!was_refused) {
			ck_assert_uint_gt(launch, 30);
			break;
		}
	}
	clpac_result_destroy(wanted);
	compute->operations = kind_operations;
	clpac_context_close(context);
	free(x);
}

START_TEST(each_failing_allocation_of_a_stage_alone_is_reported)
{
	clpac_error err;
	unsigned long n_failures;
	float *x = make_samples(), *out = malloc(4 * N_CHANNELS * N_SAMPLES * sizeof *out);
	double taps[2][31];
	const double *bank_taps[] = {taps[0], taps[1]};
	const size_t n_taps[] = {31, 31};
	assert_works(clpac_signal_design(250, amplitude_bands[0], 30, taps[0], &err), err);
	assert_works(clpac_signal_design(250, amplitude_bands[1], 30, taps[1], &err), err);
	const clpac_bank bank = {2, bank_taps, n_taps, 0};
	const clpac_values samples = {.host = x}, into = {.host = out};
	clpac_context *context = place_open((size_t)_i);
	EACH_ALLOCATION_FAILS(context,
			      clpac_signal_analytic(context, &bank, samples, N_CHANNELS, N_SAMPLES, into, &err), false,
			      (void)0, n_failures);
	ck_assert_uint_gt(n_failures, 5);
	EACH_ALLOCATION_FAILS(context, clpac_signal_hilbert(context, samples, N_CHANNELS, N_SAMPLES, into, &err), false,
			      (void)0, n_failures);
	ck_assert_uint_gt(n_failures, 5);
	for (size_t i = 0; i < N_CHANNELS * N_SAMPLES; i++)
		out[i] = 2 + x[i];
	const clpac_coupling coupling = {
		.n_series = N_CHANNELS, .n_phase = 1, .n_amplitude = 1, .n_samples = N_SAMPLES, .n_surrogates = 4};
	clpac_result *result = NULL;
	EACH_ALLOCATION_FAILS(context, clpac_signal_modulation_index(context, &coupling, samples, into, &result, &err),
			      went_down(clpac_result_report(result)), clpac_result_destroy(result), n_failures);
	ck_assert_uint_gt(n_failures, 5);
	clpac_coupling every = coupling;
	every.n_surrogates = 0;
	const clpac_coupling_options options = {.null = CLPAC_NULL_ALL_SHIFTS, .shift_step = 10};
	EACH_ALLOCATION_FAILS(context, clpac_signal_coupling(context, &every, &options, samples, into, &result, &err),
			      went_down(clpac_result_report(result)), clpac_result_destroy(result), n_failures);
	ck_assert_uint_gt(n_failures, 5);
	clpac_pool_statistics now;
	clpac_pool_measure(clpac_context_pool(context), &now, sizeof now);
	ck_assert_uint_eq(now.active_buffers, 0);
	clpac_context_close(context);
	free(x);
	free(out);
}

/* --- Failures of a simulated device --- */

/* A simulated engine that transforms nothing, and fails on demand. */
static unsigned long transforms_left; /* until one fails; 0: none does */
static long live_transforms;

static clpac_status idle_create(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out, clpac_error *err)
{
	(void)queue, (void)shape;
	if (transforms_left && --transforms_left == 0)
		return clpac__fail(err, CLPAC_ERROR_DEVICE, "no transform of length %zu today", shape->length);
	live_transforms++;
	*out = malloc(1);
	return CLPAC_OK;
}

static size_t idle_workspace(const clpac__fft *fft)
{
	(void)fft;
	return 4096;
}

static clpac_status idle_run(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace,
			     size_t rows, clpac_error *err)
{
	(void)fft, (void)input, (void)output, (void)rows;
	if (transforms_left && --transforms_left == 0)
		return clpac__fail(err, CLPAC_ERROR_DEVICE, "no transform of %zu rows today", rows);
	ck_assert_ptr_nonnull(workspace);
	return CLPAC_OK;
}

static void idle_destroy(clpac__fft *fft)
{
	if (!fft)
		return;
	live_transforms--;
	free(fft);
}

static size_t idle_length(size_t n)
{
	return clpac__good_length(n, 5);
}

static const clpac__fft_engine idle = {
	.name = "idle",
	.backend = "simulated",
	.next_length = idle_length,
	.create = idle_create,
	.workspace_bytes = idle_workspace,
	.run = idle_run,
	.destroy = idle_destroy,
};

static void open_simulated(simulated_device *device, clpac_context *context, bool is_reachable)
{
	clpac_error err;
	simulated_open(device, 64 << 20, 0);
	simulated_computes(device);
	device->is_host_reachable = is_reachable;
	*context = (clpac_context){.n_holders = 1, .queue = &device->queue, .engine = &idle};
	clpac__renewal_init(&context->renewal);
	assert_works(clpac__pool_create(context->queue, NULL, 0, &context->pool, &err), err);
	transforms_left = 0;
}

/* Makes a plan and runs it; *report (nullable) gets the run's report. */
static clpac_status make_and_run(clpac_context *context, clpac_hilbert hilbert, const float *x, clpac_report *report,
				 clpac_error *err)
{
	clpac_plan *plan = NULL;
	clpac_result *result = NULL;
	const clpac_problem p = base(hilbert);
	clpac_status st =
		clpac_plan_create(context, &p, &(clpac_plan_options){.strategy = CLPAC_STRATEGY_CHUNKED}, &plan, err);
	if (st == CLPAC_OK)
		st = clpac_plan_run(plan, x, &result, err);
	ck_assert_int_eq(st == CLPAC_OK, result != NULL);
	if (result && report)
		*report = *clpac_result_report(result);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	ck_assert_int_eq(live_transforms, 0);
	clpac_pool_statistics now;
	clpac_pool_measure(context->pool, &now, sizeof now);
	ck_assert_uint_eq(now.active_buffers, 0);
	/* A run resets the peaks. */
	check_truth_after_threads(context->pool, (const simulated_device *)(const void *)context->queue);
	return st;
}

START_TEST(each_failing_call_of_the_device_is_reported_and_leaves_nothing)
{
	clpac_error err;
	simulated_device device;
	clpac_context context;
	float *x = make_samples();
	for (int hilbert = 0; hilbert < 2; hilbert++)
		for (int is_reachable = 0; is_reachable < 2; is_reachable++) {
			open_simulated(&device, &context, is_reachable);
			assert_works(make_and_run(&context, (clpac_hilbert)hilbert, x, NULL, &err), err);
			clpac_pool_clear(context.pool);
			const unsigned long before = device.n_calls;
			assert_works(make_and_run(&context, (clpac_hilbert)hilbert, x, NULL, &err), err);
			const unsigned long n_calls = device.n_calls - before;
			ck_assert_uint_gt(n_calls, 60);
			for (unsigned long call = 1; call <= n_calls; call++) {
				clpac_report report;
				clpac_pool_clear(context.pool);
				simulated_fail(&device, call, SIMULATED_ANY, CLPAC_ERROR_DEVICE, -5);
				clpac_status st = make_and_run(&context, (clpac_hilbert)hilbert, x, NULL, &err);
				ck_assert_msg(st == CLPAC_ERROR_DEVICE, "call %lu of %lu: %s: %s", call, n_calls,
					      clpac_status_text(st), st ? err.text : "");
				ck_assert(err.status == st && err.text[0]);

				/* Memory refused once: a smaller layout fits, also in the middle of a run. The pool
				 * alone may solve it by releasing its cache. */
				clpac_pool_clear(context.pool);
				const uint64_t lacks = lacks_of(&context);
				simulated_fail(&device, call, SIMULATED_ANY, CLPAC_ERROR_NO_DEVICE_MEMORY, -4);
				st = make_and_run(&context, (clpac_hilbert)hilbert, x, &report, &err);
				ck_assert_msg(st == CLPAC_OK, "call %lu of %lu: %s", call, n_calls, st ? err.text : "");
				ck_assert_msg(went_down(&report) || lacks_of(&context) > lacks,
					      "call %lu of %lu failed unseen", call, n_calls);
				ck_assert_str_eq(report.backend, "simulated");

				/* Memory refused from now on: the native backend computes the rest. */
				clpac_pool_clear(context.pool);
				simulated_fail_from(&device, call, SIMULATED_ANY, CLPAC_ERROR_NO_DEVICE_MEMORY, -4);
				st = make_and_run(&context, (clpac_hilbert)hilbert, x, &report, &err);
				ck_assert_msg(st == CLPAC_OK, "from call %lu of %lu: %s", call, n_calls,
					      st ? err.text : "");
				ck_assert_msg(went_down(&report), "call %lu of %lu failed unseen", call, n_calls);
				ck_assert_str_eq(report.backend, "native");
				ck_assert_uint_eq(report.n_cpu_fallbacks, 1); /* one batch */
				simulated_fail(&device, 0, SIMULATED_ANY, CLPAC_OK, 0);
			}
			assert_works(make_and_run(&context, (clpac_hilbert)hilbert, x, NULL, &err), err);
			clpac_pool_destroy(context.pool);
			check_nothing_left(&device);
		}
	free(x);
}

START_TEST(each_failing_transform_is_reported_and_leaves_nothing)
{
	clpac_error err;
	simulated_device device;
	clpac_context context;
	float *x = make_samples();
	for (int hilbert = 0; hilbert < 2; hilbert++) {
		open_simulated(&device, &context, false);
		unsigned long failing = 1;
		for (;; failing++) {
			transforms_left = failing;
			const clpac_status st = make_and_run(&context, (clpac_hilbert)hilbert, x, NULL, &err);
			const bool was_reached = transforms_left == 0;
			transforms_left = 0;
			if (!was_reached) {
				assert_works(st, err);
				break;
			}
			assert_refused(st, err, CLPAC_ERROR_DEVICE, "today");
		}
		ck_assert_uint_gt(failing, hilbert ? 10 : 5);
		clpac_pool_destroy(context.pool);
		check_nothing_left(&device);
	}
	free(x);
}

START_TEST(a_device_without_room_is_left_for_the_native_backend)
{
	/* Three devices that are too small: by their own report, by the plan's cap, and one that reports 64 MiB but
	 * gives not one byte. */
	clpac_error err;
	simulated_device device;
	clpac_context context;
	float *x = make_samples();
	const clpac_problem p = base(CLPAC_HILBERT_LOCAL);
	open_simulated(&device, &context, false);
	clpac_report report;
	device.memory_bytes = 4096;
	assert_works(make_and_run(&context, CLPAC_HILBERT_LOCAL, x, &report, &err), err);
	ck_assert_str_eq(report.backend, "native");
	ck_assert_str_eq(report.steps[0].strategy, "chunked");
	ck_assert_str_eq(report.steps[0].backend, "simulated");
	ck_assert_str_eq(report.strategy_wanted, "chunked");
	ck_assert(went_down(&report));
	device.memory_bytes = 64 << 20;

	clpac_plan *plan = NULL;
	clpac_result *result = NULL;
	assert_works(clpac_plan_create(&context, &p, &(clpac_plan_options){.memory_bytes = 4096}, &plan, &err), err);
	ck_assert_uint_eq(clpac_plan_report(plan)->n_cpu_fallbacks, 1);
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	ck_assert_str_eq(clpac_result_report(result)->backend, "native");
	ck_assert_uint_eq(clpac_result_report(result)->n_cpu_fallbacks, 1);
	clpac_context *native = place_open(0);
	clpac_plan *straight = place_plan(native, &p, NULL);
	clpac_result *wanted = NULL;
	assert_works(clpac_plan_run(straight, x, &wanted, &err), err);
	results_same_bits(wanted, result, "fallen back", clpac_result_problem(result));
	clpac_result_destroy(wanted);
	clpac_result_destroy(result);
	clpac_plan_destroy(straight);
	clpac_plan_destroy(plan);
	clpac_context_close(native);

	/* When host memory runs out on the way to the fallback, nothing of it is left. */
	unsigned long n_failures;
	plan = NULL;
	EACH_ALLOCATION_FAILS(&context,
			      clpac_plan_create(&context, &p, &(clpac_plan_options){.memory_bytes = 4096}, &plan, &err),
			      went_down(clpac_plan_report(plan)), clpac_plan_destroy(plan), n_failures);
	ck_assert_uint_gt(n_failures, 20);
	clpac_pool_destroy(context.pool);
	check_nothing_left(&device);
	free(x);
}

const char *skip_reason(void)
{
	return places_missing("native");
}

Suite *suite(void)
{
	const int n = (int)places_sample("native");
	Suite *s = suite_create("plans that fail");
	TCase *t = tcase_create("failures");
	tcase_add_loop_test(t, each_failing_allocation_of_a_plan_and_of_a_run_is_reported, 0, n);
	tcase_add_loop_test(t, each_failing_allocation_of_other_nulls_is_reported, 0, n);
	tcase_add_loop_test(t, each_failing_allocation_of_a_stage_alone_is_reported, 0, n);
	tcase_add_loop_test(t, a_run_that_is_refused_memory_goes_on_with_less_and_the_same_numbers, 0,
			    (int)COUNT(all_nulls));
	tcase_add_test(t, each_failing_call_of_the_device_is_reported_and_leaves_nothing);
	tcase_add_test(t, each_failing_transform_is_reported_and_leaves_nothing);
	tcase_add_test(t, a_device_without_room_is_left_for_the_native_backend);
	suite_add_tcase(s, t);
	return s;
}
