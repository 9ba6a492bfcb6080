/* The FFT engines of a device in a whole plan: each can be requested, gives the same map as the others, holds as much
 * memory as estimated and is named in the result; an impossible request is refused with a reason. */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/estimate.h>
#include <clpac/plan.h>
#include "assertions.h"
#include "coupling/fft/engine.h"
#include "coupling/registry/registry.h"
#include "memory/context/context.h"

const int runner_no_fork = 1;

enum { MAX_DEVICES = 16, MAX_ENGINES = 8, N = 3000, N_SHIFTS = 6 };

static const clpac_device *devices[MAX_DEVICES];
static size_t n_devices;
static clpac_device_list *list;

static size_t find_devices(void)
{
	clpac_error err;
	const clpac_device *only = NULL, *device;
	const char *wanted = getenv("CLPAC_TEST_DEVICE");
	if (n_devices || clpac_devices_find(&list, &err) != CLPAC_OK ||
	    (wanted && *wanted && clpac_devices_select(list, wanted, 0, &only, &err) != CLPAC_OK))
		return n_devices;
	for (size_t i = 0; (device = clpac_devices_get(list, i)) && n_devices < MAX_DEVICES; i++)
		if (device->is_available && (!only || device == only))
			devices[n_devices++] = device;
	return n_devices;
}

static clpac_options options_for(const char *fft)
{
	clpac_options options = {0};
	const char *cache = getenv("XDG_CACHE_HOME"); /* the build tree's, not the user's */
	snprintf(options.cache, sizeof options.cache, "%s%s", cache ? cache : "none", cache ? "/clpac" : "");
	snprintf(options.fft, sizeof options.fft, "%s", fft);
	return options;
}

/* Whether the engine serves the device: lanes are for OpenCL's CPUs with vectors alone. */
static bool serves(const clpac__fft_engine *engine, const clpac_device *device)
{
	clpac_error err;
	clpac_context *context = NULL;
	const clpac_options options = options_for(engine->name);
	const clpac_status st = strcmp(engine->backend, device->backend)
					? CLPAC_ERROR_UNSUPPORTED
					: clpac_context_open(device, &options, &context, &err);
	clpac_context_close(context);
	ck_assert(st == CLPAC_OK || st == CLPAC_ERROR_UNSUPPORTED);
	return st == CLPAC_OK;
}

/* The engines of this build that serve a device. */
static size_t engines_of(const clpac_device *device, const clpac__fft_engine *found[MAX_ENGINES])
{
	size_t n = 0;
	for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine && n < MAX_ENGINES; engine++)
		if (serves(*engine, device))
			found[n++] = *engine;
	return n;
}

static clpac_problem problem(clpac_hilbert hilbert)
{
	static const clpac_band phase[] = {{4, 8}, {8, 12}}, amplitude[] = {{60, 85}, {80, 120}, {100, 150}};
	static const size_t shifts[N_SHIFTS] = {300, 700, 1100, 1500, 1900, 2300};
	return (clpac_problem){.rate_hz = 500,
			       .n_channels = 1,
			       .n_samples = N,
			       .phase_bands = phase,
			       .n_phase_bands = 2,
			       .amplitude_bands = amplitude,
			       .n_amplitude_bands = 3,
			       .n_surrogates = N_SHIFTS,
			       .shifts = shifts,
			       .keep_surrogates = true,
			       .hilbert = hilbert};
}

static float *make_series(void)
{
	float *x = malloc(N * sizeof *x);
	unsigned state = 3;
	for (size_t t = 0; t < N; t++) {
		const double s = (double)t / 500, phase = 2 * acos(-1) * 6 * s;
		state = state * 1664525u + 1013904223u;
		x[t] = (float)(sin(phase) + 0.4 * (1 + cos(phase)) * sin(2 * acos(-1) * 90 * s) +
			       0.3 * (state * 0x1p-31 - 1));
	}
	return x;
}

/* The map by one engine; also checks the plan's report of the engine and of the memory that it holds. */
static clpac_result *compute(const clpac_device *device, const char *fft, const char *expected, clpac_hilbert hilbert)
{
	clpac_error err = {0};
	clpac_context *context = NULL;
	clpac_plan *plan = NULL;
	clpac_result *result = NULL;
	clpac_plan_bytes estimate, held;
	const clpac_options options = options_for(fft);
	const clpac_problem p = problem(hilbert);
	float *x = make_series();
	assert_works(clpac_context_open(device, &options, &context, &err), err);
	assert_works(clpac_estimate_plan(context, &p, NULL, &estimate, sizeof estimate, &err), err);
	assert_works(clpac_plan_create(context, &p, NULL, &plan, &err), err);
	clpac_plan_measure(plan, &held, sizeof held);
	ck_assert_uint_eq(estimate.total.requested_bytes, held.total.requested_bytes);
	ck_assert_uint_eq(estimate.total.taken_bytes, held.total.taken_bytes);
	ck_assert_uint_eq(estimate.uses[CLPAC_USE_FFT].taken_bytes, held.uses[CLPAC_USE_FFT].taken_bytes);
	assert_works(clpac_plan_run(plan, x, &result, &err), err);
	ck_assert_str_eq(clpac_result_report(result)->fft_engine, expected);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	free(x);
	return result;
}

/* Engines round differently.  No sample moves over a bin's edge for that: local filters decide it exactly, and after
 * trimming none of this series lies near enough.  So indices agree as maps do between devices. */
static void compare(const clpac_result *a, const clpac_result *b, const char *names)
{
	static const clpac_array arrays[] = {CLPAC_MI, CLPAC_SURROGATES};
	for (size_t k = 0; k < COUNT(arrays); k++) {
		size_t n = 0, m = 0;
		const float *x = clpac_result_array(a, arrays[k], &n), *y = clpac_result_array(b, arrays[k], &m);
		ck_assert_uint_eq(n, m);
		ck_assert_uint_gt(n, 0);
		for (size_t i = 0; i < n; i++)
			ck_assert_msg(fabs((double)x[i] - (double)y[i]) <= 1e-5 * (double)x[i],
				      "%s: cell %zu is %.8g and %.8g", names, i, (double)x[i], (double)y[i]);
	}
}

START_TEST(each_engine_gives_the_map_of_the_others)
{
	const clpac_device *device = devices[_i];
	const clpac__fft_engine *engines[MAX_ENGINES];
	const size_t n = engines_of(device, engines);
	const clpac_hilbert ways[] = {CLPAC_HILBERT_LOCAL, CLPAC_HILBERT_TRIMMED};
	for (int way = 0; way < 2; way++) {
		clpac_result *first = compute(device, engines[0]->name, engines[0]->name, ways[way]);
		for (size_t i = 1; i < n; i++) {
			clpac_result *other = compute(device, engines[i]->name, engines[i]->name, ways[way]);
			compare(first, other, engines[i]->name);
			clpac_result_destroy(other);
		}
		clpac_result_destroy(first);
	}
}

START_TEST(without_a_wish_the_table_of_choices_decides)
{
	clpac_error err = {0};
	clpac_context *context = NULL;
	static const char *const automatic[] = {"", "auto"};
	for (int i = 0; i < 2; i++) {
		const clpac_options options = options_for(automatic[i]);
		assert_works(clpac_context_open(devices[_i], &options, &context, &err), err);
		const clpac__fft_engine *best = clpac__fft_choose(context->queue, 4096);
		ck_assert_ptr_nonnull(best);
		clpac_context_close(context);
		clpac_result_destroy(compute(devices[_i], automatic[i], best->name, CLPAC_HILBERT_LOCAL));
	}
}

START_TEST(what_no_engine_accepts_is_chosen_for_nobody)
{
	clpac_error err = {0};
	clpac_context *context = NULL;
	const clpac_options options = options_for("");
	assert_works(clpac_context_open(devices[_i], &options, &context, &err), err);
	ck_assert_ptr_null(clpac__fft_choose(context->queue, SIZE_MAX / 64));
	/* Where only one engine accepts a length, that one is used. */
	const clpac__fft_engine *engines[MAX_ENGINES], *any = clpac__fft_choose(context->queue, 4099);
	const size_t n = engines_of(devices[_i], engines);
	const clpac__fft_shape prime = {CLPAC__FFT_FORWARD, 4099, 1, 4099, 2050};
	/* A plan is laid out for the first that serves the device. */
	const clpac__fft_engine *first = clpac__fft_choose(context->queue, 0);
	size_t n_accepting = 0;
	for (size_t i = 0; i < n; i++)
		n_accepting += engines[i]->is_wide == first->is_wide &&
			       engines[i]->accepts(context->queue, &prime, &err) == CLPAC_OK;
	ck_assert_int_eq(any != NULL, n_accepting > 0);
	if (any)
		ck_assert_int_eq(any->accepts(context->queue, &prime, &err), CLPAC_OK);
	clpac_context_close(context);
}

START_TEST(an_engine_that_is_none_of_the_device_is_refused)
{
	clpac_error err = {0};
	clpac_context *context = NULL;
	const clpac__fft_engine *engines[MAX_ENGINES];
	ck_assert_uint_gt(engines_of(devices[_i], engines), 0);
	static const char *const wrong[] = {"slowft", "lanes ", "clfft", "vkfft", "lanes"};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		bool is_one = false;
		for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine; engine++)
			is_one |= strcmp((*engine)->name, wrong[i]) == 0 &&
				  strcmp((*engine)->backend, devices[_i]->backend) == 0;
		if (is_one)
			continue;
		const clpac_options options = options_for(wrong[i]);
		ck_assert_int_eq(clpac_context_open(devices[_i], &options, &context, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_null(context);
		ck_assert_ptr_nonnull(strstr(err.text, wrong[i]));
		ck_assert_ptr_nonnull(strstr(err.text, engines[0]->name)); /* the message names the available engines */
	}
}

const char *skip_reason(void)
{
	return find_devices() ? NULL : "no device that can be used (clpac devices says why)";
}

Suite *suite(void)
{
	Suite *s = suite_create("FFT engines of plans");
	TCase *t = tcase_create("engines");
	const int n = (int)find_devices();
	tcase_add_loop_test(t, each_engine_gives_the_map_of_the_others, 0, n);
	tcase_add_loop_test(t, without_a_wish_the_table_of_choices_decides, 0, n);
	tcase_add_loop_test(t, what_no_engine_accepts_is_chosen_for_nobody, 0, n);
	tcase_add_loop_test(t, an_engine_that_is_none_of_the_device_is_refused, 0, n);
	suite_add_tcase(s, t);
	return s;
}
