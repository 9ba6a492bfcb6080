/* A plan and its runs: refusals, progress, stopping a run, and a plan that outlives its context. */
#include "runner.h"
#include "assertions.h"
#include "contract/places.h"
#include "plan_fixture.h"
#include "results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* libclpac-memory opens contexts and knows no kernels, so libclpac checks the options when a plan is made. */
TEST(options_that_no_kernel_serves_are_refused_when_a_context_is_opened)
{
	static const struct {
		clpac_options options;
		const char *named;
	} wrong[] = {
		{{.device = "native", .instruction_set = "mmx"}, "instruction_set \"mmx\""},
		{{.device = "native", .fft = "cufft"}, "fft \"cufft\""},
		{{.device = "native", .fft = "vkfft"}, "fft \"vkfft\""},
	};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		clpac_context *context = NULL;
		clpac_error err;
		assert_refused(clpac_context_open(NULL, &wrong[i].options, &context, &err), err, CLPAC_ERROR_ARGUMENT,
			       wrong[i].named);
		ck_assert_ptr_null(context);
	}
}

TEST(a_plan_that_cannot_be_made_says_why)
{
	clpac_error err;
	clpac_plan *plan = NULL;
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.rate_hz = 0;
	assert_refused(clpac_plan_create(context, &p, NULL, &plan, &err), err, CLPAC_ERROR_ARGUMENT, "rate_hz is 0");
	p = base();
	p.rate_hz = 150;
	assert_refused(clpac_plan_create(context, &p, NULL, &plan, &err), err, CLPAC_ERROR_ARGUMENT, "50-75 Hz");
	p = base();
	p.n_bins = 1;
	assert_refused(clpac_plan_create(context, &p, NULL, &plan, &err), err, CLPAC_ERROR_ARGUMENT, "n_bins is 1");
	p = base();
	p.n_samples = 20;
	assert_refused(clpac_plan_create(context, &p, NULL, &plan, &err), err, CLPAC_ERROR_ARGUMENT, "20");
	p = base();
	p.edge_samples = 345;
	assert_refused(clpac_plan_create(context, &p, NULL, &plan, &err), err, CLPAC_ERROR_ARGUMENT, "345");
	p = base();
	p.min_shift = 400;
	assert_refused(clpac_plan_create(context, &p, NULL, &plan, &err), err, CLPAC_ERROR_ARGUMENT, "400");
	p = base();
	assert_refused(
		clpac_plan_create(context, &p, &(clpac_plan_options){.strategy = (clpac_strategy)17}, &plan, &err), err,
		CLPAC_ERROR_ARGUMENT, "17");
	assert_refused(clpac_plan_create(context, &p, &(clpac_plan_options){.memory_bytes = 5000}, &plan, &err), err,
		       CLPAC_ERROR_NO_DEVICE_MEMORY, "700 samples with 2 + 3 bands");
	ck_assert_ptr_null(plan);
	/* The error pointer may be NULL. */
	ck_assert_int_eq(clpac_plan_create(context, &p, &(clpac_plan_options){.memory_bytes = 5000}, &plan, NULL),
			 CLPAC_ERROR_NO_DEVICE_MEMORY);

	plan = place_plan(context, &p, NULL);
	clpac_result *result = NULL;
	assert_refused(clpac_plan_run(plan, NULL, &result, &err), err, CLPAC_ERROR_ARGUMENT, "samples is NULL");
	assert_refused(clpac_plan_run_samples(plan, NULL, &result, &err), err, CLPAC_ERROR_ARGUMENT, "samples is NULL");
	assert_refused(clpac_plan_run_samples(plan, &(clpac_samples){0}, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "no samples");
	ck_assert_ptr_null(result);
	clpac_plan_destroy(plan);
	clpac_plan_destroy(NULL);
	clpac_context_close(context);
}

TEST(a_plan_works_after_its_context_was_closed)
{
	clpac_context *context = open_native();
	clpac_problem p = base();
	double *x = make_samples(5, N_CHANNELS * N_SAMPLES);
	clpac_result *before = run(context, &p, x), *after = NULL;
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac_context_close(context);
	clpac_error err;
	const void *channels[N_CHANNELS];
	for (size_t ch = 0; ch < N_CHANNELS; ch++)
		channels[ch] = x + ch * N_SAMPLES;
	const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = channels};
	assert_works(clpac_plan_run_samples(plan, &samples, &after, &err), err);
	size_t n = 0;
	const float *mi = clpac_result_array(before, CLPAC_MI, &n);
	ck_assert_mem_eq(mi, clpac_result_array(after, CLPAC_MI, NULL), n * sizeof *mi);
	clpac_result_destroy(before);
	clpac_result_destroy(after);
	clpac_plan_destroy(plan);
	free(x);
}

struct watch {
	size_t calls, last, total, stop_at; /* the call that returns no, counted from 1; 0: none */
	bool went_back;
};

static bool look(void *user, size_t done, size_t total)
{
	struct watch *w = user;
	if (w->calls && done == w->last)
		return true; /* a sign of life within a launch, where the machine is slow */
	w->calls++;
	w->went_back |= done < w->last || done > total || (w->total && total != w->total);
	w->last = done;
	w->total = total;
	return w->calls != w->stop_at;
}

TEST(progress_goes_up_to_the_end)
{
	clpac_error err;
	clpac_context *context = open_native();
	const clpac_problem p = base();
	double *x = make_samples(6, N_CHANNELS * N_SAMPLES);
	const void *channels[N_CHANNELS];
	for (size_t ch = 0; ch < N_CHANNELS; ch++)
		channels[ch] = x + ch * N_SAMPLES;
	const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = channels};
	for (int strategy = CLPAC_STRATEGY_VECTORIZED; strategy <= CLPAC_STRATEGY_SEQUENTIAL; strategy++) {
		struct watch watch = {0};
		clpac_plan *plan = place_plan(context, &p,
					      &(clpac_plan_options){.strategy = (clpac_strategy)strategy,
								    .progress = look,
								    .progress_user = &watch});
		clpac_result *result = NULL;
		assert_works(clpac_plan_run_samples(plan, &samples, &result, &err), err);
		ck_assert(!watch.went_back);
		ck_assert_uint_eq(watch.last, watch.total);
		ck_assert_uint_eq(watch.total, N_CHANNELS * (1 + N_SURROGATES));
		clpac_result_destroy(result);
		clpac_plan_destroy(plan);
	}
	clpac_context_close(context);
	free(x);
}

TEST(a_run_that_is_stopped_says_so_and_the_plan_lives_on)
{
	clpac_error err;
	clpac_context *context = open_native();
	const clpac_problem p = base();
	double *x = make_samples(7, N_CHANNELS * N_SAMPLES);
	const void *channels[N_CHANNELS];
	for (size_t ch = 0; ch < N_CHANNELS; ch++)
		channels[ch] = x + ch * N_SAMPLES;
	const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = channels};
	struct watch watch = {0};
	clpac_plan *plan =
		place_plan(context, &p,
			   &(clpac_plan_options){
				   .strategy = CLPAC_STRATEGY_SEQUENTIAL, .progress = look, .progress_user = &watch});
	clpac_result *whole = NULL;
	assert_works(clpac_plan_run_samples(plan, &samples, &whole, &err), err);
	const size_t calls = watch.calls;
	ck_assert_uint_gt(calls, 10);
	for (size_t stop = 1; stop <= calls; stop += calls / 7) {
		watch = (struct watch){.stop_at = stop};
		clpac_result *none = NULL;
		const clpac_status st = clpac_plan_run_samples(plan, &samples, &none, &err);
		assert_refused(st, err, CLPAC_ERROR_CANCELLED, "stopped after");
		ck_assert_ptr_null(none);
		ck_assert_uint_eq(watch.calls, stop);
	}
	watch = (struct watch){0};
	clpac_result *again = NULL;
	assert_works(clpac_plan_run_samples(plan, &samples, &again, &err), err);
	results_same_bits(whole, again, "after being stopped", clpac_result_problem(whole));
	clpac_result_destroy(whole);
	clpac_result_destroy(again);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	free(x);
}

const char *skip_reason(void)
{
	return places_missing("native");
}

typedef struct signs {
	size_t n, last;
	bool went_back;
} signs;

static bool count_signs(void *user, size_t done, size_t total)
{
	signs *heard = user;
	heard->n++;
	heard->went_back |= done < heard->last || done > total;
	heard->last = done;
	return true;
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The number of calls is that of chunks otherwise, a handful. */
TEST(a_long_series_gives_signs_of_life)
{
	static const double long_s = 1;
	clpac_error err;
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.n_surrogates = 100;
	double *x = make_samples(9, p.n_samples);
	p.n_channels = p.n_segments = 1;
	const void *channels[] = {x};
	const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = channels};
	for (double took_s = 0; took_s < long_s; p.n_surrogates *= 4) {
		signs heard = {0};
		clpac_result *result = NULL;
		clpac_plan *plan = place_plan(context, &p,
					      &(clpac_plan_options){.progress = count_signs, .progress_user = &heard});
		const double began_s = seconds();
		assert_works(clpac_plan_run_samples(plan, &samples, &result, &err), err);
		took_s = seconds() - began_s;
		ck_assert(!heard.went_back);
		ck_assert_uint_eq(heard.last, 1 + p.n_surrogates);
		ck_assert_msg(took_s < long_s || heard.n >= 6, "%zu calls in %.2f s", heard.n, took_s);
		printf("# %zu surrogates: %zu calls in %.2f s\n", p.n_surrogates, heard.n, took_s);
		clpac_result_destroy(result);
		clpac_plan_destroy(plan);
	}
	clpac_context_close(context);
	free(x);
}
