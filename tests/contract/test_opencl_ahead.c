/* Batches that are begun before the one before them is stored: what stands in the queue at each wait, the same bits,
 * and nothing left of runs that fail or are cancelled. */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "noise.h"
#include "memory/opencl/opencl.h"
#include "places.h"
#include "coupling/passes/indices.h"
#include "coupling/run/execute.h"
#include "coupling/layout/test_settings.h"
#include "results.h"
#include "targets.h"
#include "watched_driver.h"

const int runner_no_fork = 1;

enum { N_CHANNELS = 7, BATCH = 2, N_BATCHES = 4, N_SAMPLES = 1500, N_PHASE = 3, N_AMPLITUDE = 3, K = 20 };

static clpac_error err;

static const clpac_band phase_bands[N_PHASE] = {{4, 6}, {6, 8}, {8, 12}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{40, 68}, {60, 88}, {80, 108}};
static const clpac_measure two_measures[] = {CLPAC_MEASURE_MVL, CLPAC_MEASURE_MI};
static const clpac_measure linear[] = {CLPAC_MEASURE_GLM};

static clpac_problem base(void)
{
	return (clpac_problem){.size = sizeof(clpac_problem),
			       .rate_hz = 512,
			       .n_channels = N_CHANNELS,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .n_surrogates = K,
			       .seed = 1};
}

/* Series of different sizes, so that the scale of one batch is none of another's; with_trouble: some have none. */
static float *make_samples(bool with_trouble)
{
	float *x = make_noise(1, (size_t)N_CHANNELS * N_SAMPLES);
	for (size_t i = 0; i < (size_t)N_CHANNELS * N_SAMPLES; i++)
		x[i] = ldexpf(x[i] + 3, 3 * (int)(i / N_SAMPLES));
	for (size_t t = 0; with_trouble && t < N_SAMPLES; t++)
		x[2 * N_SAMPLES + t] = 5;
	if (with_trouble)
		x[5 * N_SAMPLES + 7] = NAN;
	return x;
}

static clpac_plan_options bare_options(void)
{
	return (clpac_plan_options){.size = sizeof(clpac_plan_options), .max_batch = BATCH};
}

static clpac_result *run(clpac_plan *plan, const float *x, enum clpac__ahead wanted)
{
	clpac_result *result = NULL;
	clpac__for_tests.ahead = wanted;
	driver.n_waits = 0;
	driver.n_launches = 0;
	driver.bytes_written = driver.bytes_read = 0;
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	clpac__for_tests.ahead = CLPAC__AHEAD_USUALLY;
	return result;
}

/* Each batch waits twice: for its counts, and for its maps.  At the second one the next batch's samples and shifts have
 * been put into the queue, and its commands up to the prefix sums. */
START_TEST(the_next_batch_is_in_the_queue_before_the_wait)
{
	clpac_context *context = place_open((size_t)_i);
	const clpac_problem p = base();
	const clpac_plan_options options = bare_options();
	clpac_plan *plan = place_plan(context, &p, &options);
	float *x = make_samples(false);
	clpac_result_destroy(run(plan, x, CLPAC__AHEAD_NEVER));
	const unsigned n_waits = driver.n_waits, n_launches = driver.n_launches;
	const unsigned long long written = driver.bytes_written, bytes_read = driver.bytes_read;
	const unsigned long long each = 4ull * N_SAMPLES + 12 * (K + 1);
	unsigned beginning[N_BATCHES], whole[N_BATCHES];
	ck_assert_uint_eq(n_waits, 2 * N_BATCHES);
	ck_assert_uint_eq(written, N_CHANNELS * each);
	for (unsigned i = 0; i < N_BATCHES; i++) {
		const unsigned before = i ? driver.at_wait[2 * i - 1].n_launches : 0;
		beginning[i] = driver.at_wait[2 * i].n_launches - before;
		whole[i] = driver.at_wait[2 * i + 1].n_launches - before;
		ck_assert_uint_gt(beginning[i], 0);
		ck_assert_uint_gt(whole[i], beginning[i]);
		ck_assert_uint_eq(driver.at_wait[2 * i + 1].bytes_written,
				  (i + 1 < N_BATCHES ? (i + 1) * BATCH : N_CHANNELS) * each);
	}
	clpac_result_destroy(run(plan, x, CLPAC__AHEAD_ALWAYS));
	for (unsigned i = 0, launched = 0; i < N_BATCHES; i++) {
		const bool is_last = i + 1 == N_BATCHES;
		launched += whole[i];
		ck_assert_uint_eq(driver.at_wait[2 * i + 1].n_launches, launched + (is_last ? 0 : beginning[i + 1]));
		ck_assert_uint_eq(driver.at_wait[2 * i + 1].bytes_written,
				  (i + 2 < N_BATCHES ? (i + 2) * BATCH : N_CHANNELS) * each);
	}
	/* It costs no wait, no command and no byte. */
	ck_assert_uint_eq(driver.n_waits, n_waits);
	ck_assert_uint_eq(driver.n_launches, n_launches);
	ck_assert_uint_eq(driver.bytes_written, written);
	ck_assert_uint_eq(driver.bytes_read, bytes_read);
	/* The host's own processors would stage while they compute. */
	clpac_result_destroy(run(plan, x, CLPAC__AHEAD_USUALLY));
	const clpac_device_kind kind = context->queue->device.kind;
	const bool is_usual = kind == CLPAC_DEVICE_DISCRETE_GPU || kind == CLPAC_DEVICE_INTEGRATED_GPU ||
			      kind == CLPAC_DEVICE_ACCELERATOR;
	ck_assert_uint_eq(driver.at_wait[1].bytes_written, (is_usual ? 2 : 1) * BATCH * each);
	free(x);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

/* --- The same bits --- */

/* Closes the context. */
static void check_bits_in(clpac_context *context, size_t place, const char *label, const clpac_problem *p,
			  const clpac_plan_options *options, bool with_trouble)
{
	clpac_plan *plan = place_plan(context, p, options);
	float *x = make_samples(with_trouble);
	clpac_result *expected = run(plan, x, CLPAC__AHEAD_NEVER), *result = run(plan, x, CLPAC__AHEAD_ALWAYS);
	const clpac_report *a = clpac_result_report(expected), *b = clpac_result_report(result);
	results_same_bits(expected, result, place_label(place), label);
	for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++) {
		ck_assert_uint_eq(a->warnings[kind].count, b->warnings[kind].count);
		ck_assert_str_eq(a->warnings[kind].text, b->warnings[kind].text);
	}
	ck_assert_uint_eq(a->n_phase_filterings, b->n_phase_filterings);
	ck_assert_uint_eq(a->n_overflowing_series, b->n_overflowing_series);
	clpac_result_destroy(expected);
	clpac_result_destroy(result);
	free(x);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

static void check_bits(size_t place, const char *label, const clpac_problem *p, const clpac_plan_options *options,
		       bool with_trouble)
{
	check_bits_in(place_open(place), place, label, p, options, with_trouble);
}

START_TEST(results_have_the_same_bits)
{
	const size_t place = (size_t)_i;
	const clpac_plan_options bare = bare_options();
	clpac_plan_options options = bare;
	clpac_problem p = base();
	check_bits(place, "plain", &p, &bare, false);
	check_bits(place, "series without values", &p, &bare, true);
	check_bits_in(place_open_profiled(place), place, "profile", &p, &bare, false);
	options = bare;
	options.strategy = CLPAC_STRATEGY_SEQUENTIAL;
	check_bits(place, "sequential", &p, &options, false);
	p.n_surrogates = 0;
	check_bits(place, "no surrogates", &p, &bare, false);
	p = base();
	p.keep_surrogates = p.keep_distributions = true;
	p.measures = two_measures;
	p.n_measures = COUNT(two_measures);
	check_bits(place, "two measures, all kept", &p, &bare, true);
	p.cluster_alpha = 0.05;
	check_bits(place, "clusters", &p, &bare, false);
	p = base();
	p.measures = linear;
	p.n_measures = COUNT(linear);
	check_bits(place, "linear", &p, &bare, false);
	p = base();
	p.null = CLPAC_NULL_BLOCKS;
	check_bits(place, "blocks", &p, &bare, false);
	p.null = CLPAC_NULL_ALL_SHIFTS;
	p.n_surrogates = 0;
	p.shift_step = 16;
	check_bits(place, "all shifts", &p, &bare, false);
}

START_TEST(streamed_slabs_have_the_same_bits)
{
	const clpac_problem p = base();
	const clpac_plan_options bare = bare_options();
	clpac__for_tests.streamed_from = 1;
	clpac__for_tests.span = 512;
	check_bits((size_t)_i, "streamed", &p, &bare, false);
	clpac__for_tests.streamed_from = 0;
	clpac__for_tests.span = 0;
}

/* --- The profile --- */

START_TEST(stages_are_the_devices_time)
{
	clpac_context *context = place_open_profiled((size_t)_i);
	const clpac_problem p = base();
	const clpac_plan_options options = bare_options();
	clpac_plan *plan = place_plan(context, &p, &options);
	float *x = make_samples(false);
	clpac_result_destroy(run(plan, x, CLPAC__AHEAD_NEVER));
	const unsigned n_waits = driver.n_waits;
	const unsigned long long written = driver.at_wait[1].bytes_written;
	clpac_result *result = run(plan, x, CLPAC__AHEAD_ALWAYS);
	const clpac_report *report = clpac_result_report(result);
	double sum = 0;
	ck_assert_uint_eq(report->n_stages, 8);
	for (size_t i = 0; i < report->n_stages; i++) {
		ck_assert_msg(report->stages[i].seconds >= 0, "%s", report->stages[i].name);
		sum += report->stages[i].seconds;
	}
	ck_assert_msg(sum > 0.5 * report->seconds && sum < 1.01 * report->seconds,
		      "the stages took %g s, and the run %g s", sum, report->seconds);
	/* Where each stage is waited for, no batch is begun ahead. */
	if (context->queue->has_clock)
		ck_assert_uint_eq(driver.n_waits, n_waits);
	else
		ck_assert_uint_eq(driver.at_wait[1].bytes_written, written);
	clpac_result_destroy(result);
	free(x);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

/* A driver that has no times after all is noticed while a batch is begun ahead. */
START_TEST(a_driver_without_times_loses_nothing)
{
	clpac_context *context = place_open_profiled((size_t)_i);
	const clpac_problem p = base();
	const clpac_plan_options options = bare_options();
	clpac_plan *plan = place_plan(context, &p, &options);
	float *x = make_samples(false);
	clpac_result *expected = run(plan, x, CLPAC__AHEAD_NEVER);
	driver.tells_no_time = true;
	clpac_result *result = run(plan, x, CLPAC__AHEAD_ALWAYS);
	driver.tells_no_time = false;
	ck_assert(!context->queue->has_clock);
	results_same_bits(expected, result, place_label((size_t)_i), "no times");
	clpac_result_destroy(expected);
	clpac_result_destroy(result);
	free(x);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

/* --- Failures --- */

/* Calls of the driver in a run fail, one at a time and from all over the run: it ends with the error, or with the same
 * bits where the plan went on without the call; nothing is left, and the same plan runs again. */
static void check_failures(size_t place, bool has_profile)
{
	enum { SAMPLED = 60 };
	clpac_context *context = has_profile ? place_open_profiled(place) : place_open(place);
	const clpac_problem p = base();
	const clpac_plan_options options = bare_options();
	clpac_plan *plan = place_plan(context, &p, &options);
	float *x = make_samples(false);
	clpac_result *expected = run(plan, x, CLPAC__AHEAD_NEVER);
	driver.n_calls = 0;
	clpac_result_destroy(run(plan, x, CLPAC__AHEAD_ALWAYS));
	const unsigned all = driver.n_calls;
	unsigned n_tried = 0, n_failed = 0;
	ck_assert_uint_gt(all, 100);
	for (unsigned k = 1; k <= all; k += 1 + all / SAMPLED) {
		clpac_result *result = NULL;
		const long objects = driver.n_objects;
		clpac__for_tests.ahead = CLPAC__AHEAD_ALWAYS;
		n_tried++;
		driver.failed_name = NULL;
		driver.failing_call = k;
		driver.n_calls = 0;
		err = (clpac_error){0};
		const clpac_status st = clpac_plan_run(plan, x, &result, &err);
		driver.failing_call = 0;
		if (st == CLPAC_OK) {
			results_same_bits(expected, result, place_label(place), "a call failed");
		} else {
			ck_assert_ptr_nonnull(driver.failed_name);
			ck_assert_int_eq(err.status, st);
			ck_assert_ptr_null(result);
			n_failed++;
		}
		clpac_result_destroy(result);
		ck_assert_uint_eq(plan->runs->batches->ahead.n, 0);
		if (clpac_plan_report(plan)->n_steps) { /* a smaller layout has other buffers */
			clpac_plan_destroy(plan);
			plan = place_plan(context, &p, &options);
		} else {
			ck_assert_msg(driver.n_objects == objects, "%s failed and %ld objects are left",
				      driver.failed_name, driver.n_objects - objects);
		}
		clpac_result *again = run(plan, x, CLPAC__AHEAD_ALWAYS);
		results_same_bits(expected, again, place_label(place), "after a failure");
		clpac_result_destroy(again);
	}
	ck_assert_uint_gt(n_failed, n_tried / 4);
	clpac_result_destroy(expected);
	free(x);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

START_TEST(calls_fail)
{
	check_failures((size_t)_i, false);
}

START_TEST(calls_fail_with_a_profile)
{
	check_failures((size_t)_i, true);
}

static bool goes_on(void *user, size_t done, size_t total)
{
	unsigned *calls_left = user;
	(void)done, (void)total;
	return *calls_left && --*calls_left;
}

START_TEST(a_cancelled_run_leaves_nothing)
{
	clpac_context *context = place_open((size_t)_i);
	const clpac_problem p = base();
	clpac_plan_options options = bare_options();
	unsigned calls_left = 1000;
	options.progress = goes_on;
	options.progress_user = &calls_left;
	clpac_plan *plan = place_plan(context, &p, &options);
	float *x = make_samples(false);
	clpac_result *expected = run(plan, x, CLPAC__AHEAD_NEVER);
	const unsigned n_told_first = 1000 - calls_left;
	const long objects = driver.n_objects;
	const bool makes_both = clpac__observes_with_surrogates(&plan->layout, CLPAC_MEASURE_MI);
	/* A slow device tells progress within a launch, too. */
	const unsigned n_told = (makes_both ? 1 : 2) * N_BATCHES;
	ck_assert_uint_ge(n_told_first, n_told);
	for (unsigned k = 1; k <= n_told; k++) {
		clpac_result *result = NULL;
		calls_left = k;
		clpac__for_tests.ahead = CLPAC__AHEAD_ALWAYS;
		ck_assert_int_eq(clpac_plan_run(plan, x, &result, &err), CLPAC_ERROR_CANCELLED);
		ck_assert_ptr_null(result);
		ck_assert_uint_eq(plan->runs->batches->ahead.n, 0);
		ck_assert_int_eq(driver.n_objects, objects);
		calls_left = 1000;
		result = run(plan, x, CLPAC__AHEAD_ALWAYS);
		ck_assert_uint_ge(1000 - calls_left, n_told);
		results_same_bits(expected, result, place_label((size_t)_i), "after a cancelled run");
		clpac_result_destroy(result);
	}
	clpac_result_destroy(expected);
	free(x);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

/* Without the times of a device no batch is begun ahead of a profile.  Check knows no test yet when this is asked, so
 * that nothing may be asserted; a device that cannot be opened fails its tests. */
static const char *lacks_a_clock(size_t place)
{
	const target *where = targets_get(place);
	clpac_context *context = NULL;
	clpac_options options = where->options;
	options.profile = true;
	if (clpac_context_open(&where->device, &options, &context, NULL) != CLPAC_OK)
		return NULL;
	const bool has_clock = context->queue->has_clock;
	clpac_context_close(context);
	return has_clock ? NULL : "the device tells no times";
}

const char *skip_reason(void)
{
	return places_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("batches begun ahead");
	TCase *t = tcase_create("ahead");
	const int n_places = (int)places_find("opencl");
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, the_next_batch_is_in_the_queue_before_the_wait, 0, n_places);
	tcase_add_loop_test(t, results_have_the_same_bits, 0, n_places);
	tcase_add_loop_test(t, streamed_slabs_have_the_same_bits, 0, n_places);
	tcase_add_loop_test(t, stages_are_the_devices_time, 0, n_places);
	tcase_add_loop_test(t, a_driver_without_times_loses_nothing, 0, n_places);
	tcase_add_loop_test(t, calls_fail, 0, n_places);
	for (int i = 0; i < n_places; i++)
		add_loop_test_unless(lacks_a_clock((size_t)i), t, calls_fail_with_a_profile, i, i + 1);
	tcase_add_loop_test(t, a_cancelled_run_leaves_nothing, 0, n_places);
	suite_add_tcase(s, t);
	return s;
}
