/* Calls of a batch: how often the host waits, how many commands run kernels, how many bytes come back; and the profile,
 * for which nothing waits where the queue has a clock. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/opencl.h>
#include <clpac/memory/queue.h>

#include "assertions.h"
#include "noise.h"
#include "memory/opencl/opencl.h"
#include "places.h"
#include "coupling/passes/plan.h"
#include "results.h"
#include "watched_driver.h"

const int runner_no_fork = 1;

enum { BATCH = 4, N_SAMPLES = 2048, N_PHASE = 10, N_AMPLITUDE = 10 };

static clpac_error err;

/* The sizes of the workload `small` of bench/workload.c, in batches of all of its series. */
static clpac_problem small_problem(size_t n_batches, clpac_band *phase, clpac_band *amplitude)
{
	for (size_t i = 0; i < N_PHASE; i++)
		phase[i] = (clpac_band){4 + (double)i, 6 + (double)i};
	for (size_t i = 0; i < N_AMPLITUDE; i++)
		amplitude[i] = (clpac_band){40 + 4 * (double)i, 68 + 4 * (double)i};
	return (clpac_problem){.rate_hz = 512,
			       .n_channels = BATCH * n_batches,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .n_surrogates = 200,
			       .seed = 1};
}

typedef struct counts {
	unsigned n_waits, n_launches;
	unsigned long long bytes_read, bytes_written;
	unsigned launches_of[CLPAC__STAGE_COUNT + 1]; /* transforms last */
} counts;

static counts now(void)
{
	counts found = {driver.n_waits, driver.n_launches, driver.bytes_read, driver.bytes_written, {0}};
	for (size_t i = 0; i <= CLPAC__STAGE_COUNT; i++)
		found.launches_of[i] = driver.launches_of[i];
	return found;
}

/* Calls and bytes between two counts, divided by n. */
static counts difference(const counts *after, const counts *before, unsigned n)
{
	counts found = {(after->n_waits - before->n_waits) / n,
			(after->n_launches - before->n_launches) / n,
			(after->bytes_read - before->bytes_read) / n,
			(after->bytes_written - before->bytes_written) / n,
			{0}};
	for (size_t i = 0; i <= CLPAC__STAGE_COUNT; i++)
		found.launches_of[i] = (after->launches_of[i] - before->launches_of[i]) / n;
	return found;
}

static const clpac_plan_options usual;

/* Runs some batches; the result is the caller's. */
static counts run(clpac_context *context, size_t n_batches, const clpac_plan_options *asked, clpac_result **out)
{
	clpac_band phase[N_PHASE], amplitude[N_AMPLITUDE];
	const clpac_problem p = small_problem(n_batches, phase, amplitude);
	clpac_plan_options options = *asked;
	options.size = sizeof options;
	options.max_batch = BATCH;
	clpac_plan *plan = place_plan(context, &p, &options);
	float *x = make_noise(1, p.n_channels * p.n_samples);
	const counts before = now();
	assert_works(clpac_plan_run(plan, x, out, &err), err);
	const counts after = now();
	clpac_plan_destroy(plan);
	free(x);
	return difference(&after, &before, 1);
}

/* Plans keep a profile from now on, or none: the queue has a clock all the same. */
static void set_profile(clpac_context *context, bool is_on)
{
	context->options.profile = is_on;
}

/* What each further batch adds. */
static counts each_batch(clpac_context *context, bool has_profile)
{
	clpac_result *result;
	set_profile(context, has_profile);
	const counts one = run(context, 1, &usual, &result);
	clpac_result_destroy(result);
	const counts three = run(context, 3, &usual, &result);
	clpac_result_destroy(result);
	return difference(&three, &one, 2);
}

/* The stages are there and are the run's time, but for what lies outside of batches. */
static void check_profile(const clpac_result *result, const char *label)
{
	static const char *const names[] = {"load",
					    "filter and Hilbert",
					    "phase edges",
					    "amplitude sums",
					    "modulation index",
					    "surrogates",
					    "maxima",
					    "store"};
	const clpac_report *report = clpac_result_report(result);
	double sum = 0;
	ck_assert_uint_eq(report->n_stages, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++) {
		const double seconds = report->stages[i].seconds;
		ck_assert_str_eq(report->stages[i].name, names[i]);
		ck_assert_msg(seconds >= 0, "%s: %s took %g s", label, names[i], seconds);
		sum += seconds;
	}
	ck_assert_msg(report->stages[5].seconds > 0, "%s: surrogates took no time", label);
	ck_assert_msg(sum > 0.5 * report->seconds && sum < 1.01 * report->seconds,
		      "%s: the stages took %g s, and the run %g s", label, sum, report->seconds);
}

/* A queue has a clock where its device has one, but for drivers whose times are wrong (src/memory/opencl/quirks.c). */
static void check_clock(clpac__queue *queue)
{
	const bool is_wrong = clpac__opencl_of(queue)->quirks.has_no_clock;
	ck_assert(queue->has_clock == (queue->device.has_device_clock && !is_wrong));
}

/* --- An application's queue --- */

typedef struct application {
	cl_context context;
	cl_command_queue commands;
	clpac_context *clpac;
} application;

static void open_application(size_t place, cl_command_queue_properties properties, application *out)
{
	cl_int code;
	cl_device_id device;
	clpac_context *found = place_open(place);
	const clpac_options options = found->options;
	const cl_command_queue queue = clpac_queue_opencl(clpac_pool_queue(clpac_context_pool(found)));
	ck_assert_int_eq(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL), CL_SUCCESS);
	clpac_context_close(found);
	out->context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	out->commands = clCreateCommandQueue(out->context, device, properties, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	assert_works(clpac_context_from_opencl(out->context, device, out->commands, &options, &out->clpac, &err), err);
}

static void close_application(application *app)
{
	clpac_context_close(app->clpac);
	clReleaseCommandQueue(app->commands);
	clReleaseContext(app->context);
}

/* --- Tests --- */

enum {
	MOST_WAITS = 2,
	MOST_LAUNCHES = 15, /* transforms among them, each of which PoCL takes in two */
	MOST_IN_LANES = 8,  /* of transforms in lanes: banks apart, and mirrored rows, in groups and the rest of them */
	MOST_APART = 5,	    /* of devices that give up long loops: passes of sums and statistics that are not fused */
	ROWS = BATCH * N_PHASE,
	/* Counts of bins, drifts, indices, moments, maxima and distributions, in vectors of 16 bands or rows of 16. */
	MOST_BYTES = 4 * (ROWS * (3 * 18 + 1) + ROWS * (1 + 3 + 18) * 16 + BATCH * 200)
};

static void tell_launches(const counts *each)
{
	for (unsigned i = 0; i < CLPAC__STAGE_COUNT; i++)
		if (each->launches_of[i])
			fprintf(stderr, "# %u %s\n", each->launches_of[i], clpac__stage_get(i)->name);
	fprintf(stderr, "# %u of transforms\n", each->launches_of[CLPAC__STAGE_COUNT]);
}

static void check_batch(clpac_context *context, const char *label)
{
	const counts each = each_batch(context, true), bare = each_batch(context, false);
	fprintf(stderr, "# small on %s: %u synchronisations, %u launches, %llu bytes up and %llu down a batch\n", label,
		each.n_waits, each.n_launches, each.bytes_written, each.bytes_read);
	tell_launches(&each);
	ck_assert_uint_le(bare.n_waits, MOST_WAITS);
	const clpac__compute *compute = clpac__compute_of(context->queue);
	const bool has_vectors = compute->vector_width > 1, gives_up = atomic_load(&compute->most_steps) != 0;
	const bool in_lanes = strcmp(context->engine->name, "lanes") == 0;
	ck_assert_uint_le(each.n_launches,
			  MOST_LAUNCHES + (gives_up ? MOST_APART : 0) + (in_lanes ? MOST_IN_LANES : 0));
	ck_assert_uint_eq(each.launches_of[CLPAC__STAGE_modulation_index], has_vectors ? 2 : 1);
	ck_assert_uint_le(each.bytes_read, MOST_BYTES);
	/* The profile costs no wait and no command. */
	if (context->queue->has_clock)
		ck_assert_uint_eq(each.n_waits, bare.n_waits);
	ck_assert_uint_eq(each.n_launches, bare.n_launches);
}

START_TEST(a_batch_waits_and_launches_no_more_than_it_did)
{
	clpac_context *context = place_open_profiled((size_t)_i);
	check_clock(context->queue);
	check_batch(context, place_label((size_t)_i));
	clpac_context_close(context);
}

START_TEST(a_batch_in_the_layout_of_a_card_launches_no_more)
{
	char label[200];
	clpac_context *context = place_open_card((size_t)_i);
	snprintf(label, sizeof label, "%s as a card", place_label((size_t)_i));
	check_batch(context, label);
	clpac_context_close(context);
}

START_TEST(a_profile_comes_from_the_device)
{
	clpac_context *context = place_open_profiled((size_t)_i);
	clpac_result *result, *bare;
	run(context, 3, &usual, &result);
	check_profile(result, "own queue");
	set_profile(context, false);
	run(context, 3, &usual, &bare);
	ck_assert_uint_eq(clpac_result_report(bare)->n_stages, 0);
	results_same_bits(result, bare, "without a profile", "small");
	clpac_result_destroy(result);
	clpac_result_destroy(bare);
	clpac_context_close(context);
}

START_TEST(an_applications_queue_is_waited_for_where_it_has_no_clock)
{
	application plain, timed;
	clpac_result *result;
	open_application((size_t)_i, 0, &plain);
	open_application((size_t)_i, CL_QUEUE_PROFILING_ENABLE, &timed);
	ck_assert(!plain.clpac->queue->has_clock);
	const bool has_clock = timed.clpac->queue->has_clock;
	check_clock(timed.clpac->queue);
	const unsigned waits_for_each = each_batch(plain.clpac, true).n_waits;
	const unsigned waits_for_none = each_batch(plain.clpac, false).n_waits;
	const unsigned timed_waits = each_batch(timed.clpac, true).n_waits;
	ck_assert_uint_le(waits_for_none, MOST_WAITS);
	if (has_clock)
		ck_assert_uint_eq(timed_waits, waits_for_none);
	fprintf(stderr, "# with a wait for each stage: %u synchronisations a batch\n", waits_for_each);
	ck_assert_uint_ge(waits_for_each, waits_for_none + 7);
	set_profile(plain.clpac, true);
	run(plain.clpac, 3, &usual, &result);
	check_profile(result, "an application's queue");
	clpac_result_destroy(result);
	run(timed.clpac, 3, &usual, &result);
	check_profile(result, "an application's queue with a clock");
	clpac_result_destroy(result);
	close_application(&plain);
	close_application(&timed);
}

START_TEST(a_driver_without_times_is_noticed)
{
	clpac_context *context = place_open_profiled((size_t)_i);
	clpac_result *result;
	if (!context->queue->has_clock)
		goto done;
	const unsigned usually = each_batch(context, true).n_waits;
	driver.tells_no_time = true;
	run(context, 1, &usual, &result); /* the profile of this batch is of the host's times */
	check_profile(result, "no times");
	clpac_result_destroy(result);
	ck_assert(!context->queue->has_clock);
	ck_assert_uint_gt(each_batch(context, true).n_waits, usually);
	run(context, 3, &usual, &result);
	check_profile(result, "no clock");
	clpac_result_destroy(result);
	driver.tells_no_time = false;
done:
	clpac_context_close(context);
}

/* More stages than there is room for moments: one surrogate a chunk. */
START_TEST(many_stages_are_added_up)
{
	clpac_context *context = place_open_profiled((size_t)_i);
	clpac_result *result;
	const clpac_plan_options sequential = {.strategy = CLPAC_STRATEGY_SEQUENTIAL};
	run(context, 2, &sequential, &result);
	check_profile(result, "sequential");
	clpac_result_destroy(result);
	clpac_context_close(context);
}

typedef struct hearing {
	size_t last, n_calls, total;
} hearing;

static bool hear(void *user, size_t done, size_t total)
{
	hearing *heard = user;
	heard->last = done;
	heard->total = total;
	heard->n_calls++;
	return heard->n_calls < 3;
}

START_TEST(progress_is_told_of_what_is_done)
{
	clpac_context *context = place_open((size_t)_i);
	clpac_band phase[N_PHASE], amplitude[N_AMPLITUDE];
	const clpac_problem p = small_problem(3, phase, amplitude);
	hearing heard = {0};
	const clpac_plan_options options = {
		.size = sizeof options, .max_batch = BATCH, .progress = hear, .progress_user = &heard};
	clpac_plan *plan = place_plan(context, &p, &options);
	float *x = make_noise(1, p.n_channels * p.n_samples);
	clpac_result *result = NULL;
	const unsigned before = driver.n_waits;
	ck_assert_int_eq(clpac_plan_run(plan, x, &result, &err), CLPAC_ERROR_CANCELLED);
	ck_assert_uint_eq(heard.n_calls, 3);
	ck_assert_uint_gt(driver.n_waits - before, 3); /* each call after the work before it */
	/* The same plan runs again. */
	heard.n_calls = 0;
	ck_assert_int_eq(clpac_plan_run(plan, x, &result, &err), CLPAC_ERROR_CANCELLED);
	clpac_plan_destroy(plan);
	free(x);
	clpac_context_close(context);
}

const char *skip_reason(void)
{
	return places_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("calls of a batch");
	TCase *t = tcase_create("batches");
	const int n_places = (int)places_find("opencl");
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, a_batch_waits_and_launches_no_more_than_it_did, 0, n_places);
	tcase_add_loop_test(t, a_batch_in_the_layout_of_a_card_launches_no_more, 0, n_places);
	tcase_add_loop_test(t, a_profile_comes_from_the_device, 0, n_places);
	tcase_add_loop_test(t, an_applications_queue_is_waited_for_where_it_has_no_clock, 0, n_places);
	tcase_add_loop_test(t, a_driver_without_times_is_noticed, 0, n_places);
	tcase_add_loop_test(t, many_stages_are_added_up, 0, n_places);
	tcase_add_loop_test(t, progress_is_told_of_what_is_done, 0, n_places);
	suite_add_tcase(s, t);
	return s;
}
