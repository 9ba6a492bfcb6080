/* A plan as its user sees it: refusals, bad and unusual samples, stopping a run, and the plan's description of
 * itself. */
#include "runner.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "contract/places.h"
#include "evidence.h"
#include "plan/plan.h"
#include "results.h"

enum { N_CHANNELS = 4, N_SAMPLES = 700, N_PHASE = 2, N_AMPLITUDE = 3, N_SURROGATES = 20 };

static const clpac_band phase_bands[N_PHASE] = {{4, 8}, {8, 13}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{30, 45}, {50, 75}, {60, 90}};
static const double pi = 3.14159265358979323846;

static clpac_problem base(void)
{
	return (clpac_problem){.rate_hz = 250,
			       .n_channels = N_CHANNELS,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .n_surrogates = N_SURROGATES,
			       .share_shifts = true,
			       .keep_surrogates = true,
			       .keep_distributions = true};
}

static double *make_samples(unsigned long long seed, size_t n)
{
	double *x = malloc(n * sizeof *x), drift = 0;
	for (size_t t = 0; t < n; t++)
		x[t] = (float)(random_drifting(&seed, &drift) - 0.5); /* rounded as single precision does */
	return x;
}

static clpac_context *open_native(void)
{
	return place_open(0);
}

/* Plans and runs on float64 channels stored one after the other. */
static clpac_result *run(clpac_context *context, const clpac_problem *p, const double *x)
{
	clpac_error err;
	const void *channels[8];
	for (size_t ch = 0; ch < p->n_channels; ch++)
		channels[ch] = x + ch * p->n_samples;
	clpac_plan *plan = place_plan(context, p, NULL);
	clpac_result *result = NULL;
	assert_works(clpac_plan_run_samples(plan, &(clpac_samples){.type = CLPAC_FLOAT64, .channels = channels},
					    &result, &err),
		     err);
	clpac_plan_destroy(plan);
	return result;
}

static const float *array_of(const clpac_result *result, clpac_array which)
{
	return clpac_result_array(result, which, NULL);
}

static size_t warned(const clpac_result *result, clpac_warning_kind kind, const char *part)
{
	const clpac_warning *warning = &clpac_result_report(result)->warnings[kind];
	if (warning->count)
		ck_assert_msg(strstr(warning->text, part) != NULL, "'%s' is not in '%s'", part, warning->text);
	return warning->count;
}

/* --- Refusals --- */

/* libclpac-memory opens contexts and knows no kernels, so libclpac checks the options when a plan is made. */
START_TEST(options_that_no_kernel_serves_are_refused_when_a_context_is_opened)
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
END_TEST

START_TEST(a_plan_that_cannot_be_made_says_why)
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
END_TEST

/* --- Bad and odd samples --- */

START_TEST(a_plan_works_after_its_context_was_closed)
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
END_TEST

START_TEST(a_bad_channel_gives_nan_is_named_and_leaves_the_others)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	clpac_context *context = open_native();
	const clpac_problem p = base();
	double *x = make_samples(1, N_CHANNELS * N_SAMPLES);
	clpac_result *good = run(context, &p, x);
	ck_assert_uint_eq(warned(good, CLPAC_WARN_NOT_FINITE, ""), 0);
	ck_assert_uint_eq(warned(good, CLPAC_WARN_CONSTANT, ""), 0);
	const size_t cells = N_PHASE * N_AMPLITUDE;
	for (size_t b = 0; b < COUNT(bad); b++)
		for (size_t at = 0; at < N_SAMPLES;
		     at += N_SAMPLES - 1) { /* the first and the last sample of channel 2 */
			const double was = x[2 * N_SAMPLES + at];
			x[2 * N_SAMPLES + at] = bad[b];
			for (size_t t = 0; t < N_SAMPLES; t++)
				x[t] = 3.5; /* channel 0 */
			clpac_result *result = run(context, &p, x);
			ck_assert_uint_eq(warned(result, CLPAC_WARN_NOT_FINITE, "channel 2"), 1);
			ck_assert_uint_eq(warned(result, CLPAC_WARN_CONSTANT, "channel 0"), 1);
			for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
				size_t n;
				const float *values = clpac_result_array(result, (clpac_array)which, &n);
				const float *wanted = array_of(good, (clpac_array)which);
				const size_t each = n / N_CHANNELS;
				for (size_t i = 0; i < n; i++)
					if (i / each == 0 || i / each == 2)
						ck_assert_msg(isnan(values[i]), "%s[%zu] is %g",
							      clpac_array_name((clpac_array)which), i, values[i]);
					else
						ck_assert_msg(memcmp(&values[i], &wanted[i], sizeof *values) == 0,
							      "%s[%zu] is %g and not %g",
							      clpac_array_name((clpac_array)which), i, values[i],
							      wanted[i]);
			}
			const clpac_peak peak = clpac_result_peak(result, 2);
			ck_assert(!peak.found);
			clpac_result_destroy(result);
			x[2 * N_SAMPLES + at] = was;
		}
	/* All channels bad: no peak, but still a result. */
	for (size_t i = 0; i < N_CHANNELS * N_SAMPLES; i++)
		x[i] = 0;
	clpac_result *silent = run(context, &p, x);
	ck_assert_uint_eq(warned(silent, CLPAC_WARN_CONSTANT, "0, 1, 2, 3"), N_CHANNELS);
	for (size_t i = 0; i < N_CHANNELS * cells; i++)
		ck_assert(isnan(array_of(silent, CLPAC_MI)[i]));
	ck_assert(!clpac_result_peak(silent, SIZE_MAX).found);
	clpac_result_destroy(silent);
	clpac_result_destroy(good);
	clpac_context_close(context);
	free(x);
}
END_TEST

START_TEST(a_microvolt_on_50_millivolts_keeps_its_digits)
{
	clpac_error err;
	clpac_context *context = open_native();
	for (int hilbert = 0; hilbert < 2; hilbert++) {
		clpac_problem p = base();
		p.n_channels = 1;
		p.hilbert = (clpac_hilbert)hilbert;
		double *x = make_samples(2, N_SAMPLES);
		for (size_t t = 0; t < N_SAMPLES; t++)
			x[t] = 50000 + x[t];
		clpac_plan *plan = place_plan(context, &p, NULL);
		clpac_result *result = NULL;
		const void *channels[] = {x};
		assert_works(clpac_plan_run_samples(plan, &(clpac_samples){.type = CLPAC_FLOAT64, .channels = channels},
						    &result, &err),
			     err);
		const clpac_problem *complete = clpac_plan_problem(plan);
		oracle_signals *truth = oracle_analyse(complete, x);
		/* Compared with the error of single precision on a series without an offset. */
		evidence evidence = evidence_gather(complete, x, truth);
		size_t stride, moved[N_PHASE];
		unsigned char *bins = place_bins(plan, &stride);
		evidence_of_bins(&evidence, bins, stride, moved, "with an offset", clpac_result_problem(result));
		for (size_t cell = 0; cell < N_PHASE * N_AMPLITUDE; cell++) {
			double tolerance;
			const double exact = evidence_index(&evidence, bins + cell / N_AMPLITUDE * stride,
							    cell % N_AMPLITUDE, 0, &tolerance);
			assert_close(array_of(result, CLPAC_MI)[cell], exact, tolerance);
		}
		free(bins);
		evidence_free(&evidence);
		oracle_signals_free(truth);
		clpac_result_destroy(result);
		clpac_plan_destroy(plan);
		free(x);
	}
	clpac_context_close(context);
}
END_TEST

START_TEST(tiny_and_huge_units_change_no_bit)
{
	static const int exponents[] = {-1040, -1000, -149, -100, -30, 30, 100, 127, 1000, 1022};
	clpac_context *context = open_native();
	const clpac_problem p = base();
	double *x = make_samples(3, N_CHANNELS * N_SAMPLES), *scaled = malloc(N_CHANNELS * N_SAMPLES * sizeof *scaled);
	clpac_result *plain = run(context, &p, x);
	for (size_t e = 0; e < COUNT(exponents); e++) {
		bool is_exact = true;
		for (size_t i = 0; i < N_CHANNELS * N_SAMPLES; i++) {
			scaled[i] = ldexp(x[i], exponents[e]);
			is_exact = is_exact && isfinite(scaled[i]) && ldexp(scaled[i], -exponents[e]) == x[i];
		}
		clpac_result *result = run(context, &p, scaled);
		for (size_t i = 0; i < N_CHANNELS * N_PHASE * N_AMPLITUDE; i++) {
			const float mine = array_of(plain, CLPAC_MI)[i], its = array_of(result, CLPAC_MI)[i];
			if (is_exact)
				ck_assert_msg(mine == its &&
						      array_of(plain, CLPAC_Z)[i] == array_of(result, CLPAC_Z)[i],
					      "times 2^%d: %.9g instead of %.9g", exponents[e], its, mine);
			else /* denormal samples lost digits, but nothing else */
				ck_assert_msg(fabsf(mine - its) <= 0.05f * mine, "times 2^%d: %.9g instead of %.9g",
					      exponents[e], its, mine);
		}
		clpac_result_destroy(result);
	}
	clpac_result_destroy(plain);
	clpac_context_close(context);
	free(x);
	free(scaled);
}
END_TEST

START_TEST(a_span_that_float64_cannot_hold_is_reported)
{
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.n_channels = 1;
	double *x = make_samples(4, N_SAMPLES);
	for (size_t t = 0; t < N_SAMPLES; t++)
		x[t] = t % 20 ? 1.7e308 : -1.7e308;
	clpac_result *result = run(context, &p, x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_NOT_FINITE, "channel 0"), 1);
	for (size_t i = 0; i < N_PHASE * N_AMPLITUDE; i++)
		ck_assert(isnan(array_of(result, CLPAC_MI)[i]));
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}
END_TEST

START_TEST(samples_are_read_where_they_lie)
{
	/* float32 and float64, every third value, overlapping segments: same as if each segment were packed by
	 * itself. */
	enum { SEGMENTS = 3, STRIDE = 3, LONG = 1000 };
	static const size_t starts[SEGMENTS] = {0, 150, 300};
	clpac_error err;
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.n_channels = 2;
	p.n_segments = SEGMENTS;
	double *x = make_samples(5, 2 * LONG), *spread = calloc(2 * LONG * STRIDE, sizeof *spread);
	float *packed = malloc(2 * SEGMENTS * N_SAMPLES * sizeof *packed),
	      *spread_single = calloc(2 * LONG * STRIDE, sizeof *spread_single);
	for (size_t ch = 0; ch < 2; ch++) {
		for (size_t t = 0; t < LONG; t++) {
			spread[(ch * LONG + t) * STRIDE] = x[ch * LONG + t];
			spread_single[(ch * LONG + t) * STRIDE] = (float)x[ch * LONG + t];
			spread[(ch * LONG + t) * STRIDE + 1] = NAN; /* outside the strided data */
			spread_single[(ch * LONG + t) * STRIDE + 1] = NAN;
		}
		for (size_t s = 0; s < SEGMENTS; s++)
			for (size_t t = 0; t < N_SAMPLES; t++)
				packed[(ch * SEGMENTS + s) * N_SAMPLES + t] = (float)x[ch * LONG + starts[s] + t];
	}
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac_result *one = NULL, *two = NULL, *three = NULL;
	assert_works(clpac_plan_run(plan, packed, &one, &err), err);
	const void *doubles[] = {spread, spread + LONG * STRIDE},
		   *floats[] = {spread_single, spread_single + LONG * STRIDE};
	const clpac_samples as_double = {
		.type = CLPAC_FLOAT64, .channels = doubles, .sample_stride = STRIDE, .segment_starts = starts};
	const clpac_samples as_float = {
		.type = CLPAC_FLOAT32, .channels = floats, .sample_stride = STRIDE, .segment_starts = starts};
	assert_works(clpac_plan_run_samples(plan, &as_double, &two, &err), err);
	assert_works(clpac_plan_run_samples(plan, &as_float, &three, &err), err);
	results_same_bits(one, two, "float64, spread", clpac_result_problem(one));
	results_same_bits(one, three, "float32, spread", clpac_result_problem(one));
	clpac_result_destroy(one);
	clpac_result_destroy(two);
	clpac_result_destroy(three);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	free(x);
	free(spread);
	free(spread_single);
	free(packed);
}
END_TEST

/* --- Progress --- */

typedef struct watch {
	size_t calls, last, total, stop_at; /* the call that returns no, counted from 1; 0: none */
	bool went_back;
} watch;

static bool look(void *user, size_t done, size_t total)
{
	watch *w = user;
	w->calls++;
	w->went_back |= done < w->last || done > total || (w->total && total != w->total);
	w->last = done;
	w->total = total;
	return w->calls != w->stop_at;
}

START_TEST(progress_goes_up_to_the_end)
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
		watch watch = {0};
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
END_TEST

START_TEST(a_run_that_is_stopped_says_so_and_the_plan_lives_on)
{
	clpac_error err;
	clpac_context *context = open_native();
	const clpac_problem p = base();
	double *x = make_samples(7, N_CHANNELS * N_SAMPLES);
	const void *channels[N_CHANNELS];
	for (size_t ch = 0; ch < N_CHANNELS; ch++)
		channels[ch] = x + ch * N_SAMPLES;
	const clpac_samples samples = {.type = CLPAC_FLOAT64, .channels = channels};
	watch watch = {0};
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
END_TEST

/* --- Warnings about the method --- */

START_TEST(a_pure_line_is_warned_about_and_noise_is_not)
{
	enum { LONG = 15000 };
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.n_channels = 2;
	p.n_samples = LONG;
	double *x = make_samples(8, 2 * LONG);
	for (size_t t = 0; t < LONG; t++) { /* channel 1: 10 Hz and an amplitude that it modulates, little noise */
		const double slow = 2 * pi * 10 * (double)t / 250;
		x[LONG + t] =
			10 * cos(slow) + (1 + cos(slow)) * cos(2 * pi * 70.3 * (double)t / 250) + 0.1 * x[LONG + t];
	}
	clpac_result *result = run(context, &p, x);
	/* The line lies in 8-13 Hz; 4-8 Hz holds only its leakage, which is a line too. */
	const size_t n = warned(result, CLPAC_WARN_PURE_LINE, "channel 1");
	ck_assert_msg(n == 1 || n == 2, "%zu warnings", n);
	/* A pure line's surrogates equal its index: nothing is significant though the coupling is strong. */
	const size_t cell = (N_PHASE + 1) * N_AMPLITUDE + 2;
	ck_assert_float_gt(array_of(result, CLPAC_MI)[cell], 0.01f);
	ck_assert_float_gt(array_of(result, CLPAC_SURROGATE_MEAN)[cell], 0.9f * array_of(result, CLPAC_MI)[cell]);
	clpac_result_destroy(result);
	/* Without surrogates there is no warning about them. */
	p.n_surrogates = 0;
	p.keep_surrogates = false;
	result = run(context, &p, x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_PURE_LINE, ""), 0);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}
END_TEST

/* The phase of channel 0 wanders by `cycles` (root mean square): 10.5 Hz, moved to and fro by a slow cosine with whole
 * periods in the kept samples, so that the wander about even spacing is that about the mean: amplitude / sqrt(2). */
static double *make_wandering_phase(const clpac_plan *plan, double cycles)
{
	enum { PERIODS = 10 };
	const clpac__layout *l = &plan->layout;
	double *x = malloc(l->n_samples * sizeof *x);
	for (size_t t = 0; t < l->n_samples; t++) {
		const double slow = 2 * pi * PERIODS * ((double)t - (double)l->edge) / (double)l->kept;
		const double turned = 10.5 * (double)t / 250 + sqrt(2) * cycles * cos(slow);
		x[t] = cos(2 * pi * turned) + 0.01 * cos(2 * pi * 67.3 * (double)t / 250);
	}
	return x;
}

/* The border is 0.1 cycles, and what filter and bins of the edges do to the wander is within 0.003 of it. */
START_TEST(a_phase_that_wanders_by_a_tenth_of_a_cycle_is_no_pure_line)
{
	static const clpac_band phase[] = {{8, 13}};
	static const double border = 0.1, error = 0.003;
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.n_channels = 1;
	p.n_samples = 15000;
	p.phase_bands = phase;
	p.n_phase_bands = 1;
	clpac_plan *plan = place_plan(context, &p, NULL);
	for (int side = -1; side <= 1; side += 2) {
		const double cycles = border + side * 2 * error;
		double *x = make_wandering_phase(plan, cycles);
		clpac_result *result = run(context, &p, x);
		const clpac_warning *warning = &clpac_result_report(result)->warnings[CLPAC_WARN_PURE_LINE];
		ck_assert_msg(warning->count == (side < 0), "%g cycles: %zu warnings", cycles, warning->count);
		if (side < 0) {
			const char *number = strstr(warning->text, "wanders ");
			ck_assert_ptr_nonnull(number);
			assert_close(strtod(number + strlen("wanders "), NULL), cycles, error);
		}
		clpac_result_destroy(result);
		free(x);
	}
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}
END_TEST

START_TEST(a_band_exactly_wide_enough_is_not_narrow)
{
	/* Half-widths equal the phase's centre of 20 Hz: as a range computes them, and as they are printed. */
	static const clpac_band phase[] = {{15, 25}};
	static const clpac_band wide[] = {
		{60 + 100. / 9 * 4 - 20, 60 + 100. / 9 * 4 + 20}, {95.5556, 135.556}, {51.1111, 91.1111}};
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.rate_hz = 500;
	p.n_channels = 1;
	p.phase_bands = phase;
	p.n_phase_bands = 1;
	p.amplitude_bands = wide;
	p.n_amplitude_bands = 3;
	double *x = make_samples(9, N_SAMPLES);
	clpac_result *result = run(context, &p, x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_NARROW_AMPLITUDE, ""), 0);
	clpac_result_destroy(result);
	/* 3 mHz less is no rounding of six digits. */
	static const clpac_band narrow[] = {{95.5556, 135.553}};
	p.amplitude_bands = narrow;
	p.n_amplitude_bands = 1;
	result = run(context, &p, x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_NARROW_AMPLITUDE, "95.5556-135.553 Hz"), 1);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}
END_TEST

static void remember_info(void *user, clpac_log_level level, const char *text)
{
	if (level == CLPAC_LOG_INFO && strstr(text, "left out"))
		snprintf(user, 200, "%s", text);
}

START_TEST(default_bands_that_do_not_fit_are_logged_and_no_warning)
{
	clpac_error err;
	clpac_context *context = NULL;
	char line[200] = "";
	const clpac_options options = {.device = "native", .log = remember_info, .log_user = line};
	assert_works(clpac_context_open(NULL, &options, &context, &err), err);
	clpac_problem p = base();
	p.rate_hz = 250;
	p.n_channels = p.n_segments = 1;
	p.n_samples = 2500;
	p.phase_bands = p.amplitude_bands = NULL;
	p.n_phase_bands = p.n_amplitude_bands = 0;
	double *x = make_samples(9, 2500);
	clpac_result *result = run(context, &p, x);
	ck_assert_str_eq(line,
			 "5 of 10 amplitude bands are left out: 95.5556-135.556 to 140-180 Hz reach 125 Hz, half the "
			 "sampling rate");
	const clpac_report *report = clpac_result_report(result);
	for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++)
		ck_assert_msg(report->warnings[kind].count == 0, "%s", report->warnings[kind].text);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}
END_TEST

START_TEST(bands_that_cannot_carry_it_and_short_series_are_warned_about)
{
	clpac_context *context = open_native();
	clpac_problem p = base();
	static const clpac_band narrow[] = {{60, 68}, {50, 75}};
	p.n_channels = 1;
	p.amplitude_bands = narrow;
	p.n_amplitude_bands = 2;
	double *x = make_samples(9, N_SAMPLES);
	clpac_result *result = run(context, &p, x);
	/* A band of 4 Hz to either side carries neither 6 nor 10.5 Hz. */
	ck_assert_uint_eq(warned(result, CLPAC_WARN_NARROW_AMPLITUDE, "60-68 Hz"), 2);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_SHORT_SERIES, ""), 0);
	clpac_result_destroy(result);
	p.n_samples = 300; /* three orders of 4 Hz are 558 samples, of 8 Hz 279 */
	result = run(context, &p, x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_SHORT_SERIES, "4-8 Hz"), 1);
	size_t n_bands;
	const clpac_band_report *bands = clpac_result_band_reports(result, &n_bands);
	ck_assert_uint_eq(n_bands, 4);
	ck_assert(bands[0].is_shortened && bands[0].n_taps == 100 && !bands[1].is_shortened);
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}
END_TEST

/* Cells that are not valid are computed, and are no peak, have no p_max and enter no maximum: the others have those of
 * a run without them. */
START_TEST(cells_that_are_not_valid_are_outside_peaks_and_families_unless_allowed)
{
	static const clpac_band both[] = {{30, 60}, {60, 68}, {61, 91}, {7.5, 60}}, valid[] = {{30, 60}, {61, 91}};
	static const uint8_t expected[] = {1, 0, 1, 0, 1, 0, 1, 0};
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.n_channels = 1;
	p.amplitude_bands = both;
	p.n_amplitude_bands = 4;
	p.edge_samples = 200; /* of all runs, whose filters differ in length */
	double *x = make_samples(9, N_SAMPLES);
	clpac_result *all = run(context, &p, x);
	ck_assert_mem_eq(clpac_result_valid(all), expected, sizeof expected);
	ck_assert_uint_eq(warned(all, CLPAC_WARN_NARROW_AMPLITUDE, "60-68 Hz"), 2);
	ck_assert_uint_eq(warned(all, CLPAC_WARN_OVERLAP, "amplitude band 7.5-60 Hz overlaps phase band 4-8 Hz"), 2);
	p.amplitude_bands = valid;
	p.n_amplitude_bands = 2;
	clpac_result *some = run(context, &p, x);
	p.amplitude_bands = both;
	p.n_amplitude_bands = 4;
	p.allow_narrow = true;
	clpac_result *allowed = run(context, &p, x);
	float highest = -INFINITY, highest_of_all = -INFINITY;
	size_t highest_cell = 8, highest_cell_of_all = 8;
	for (size_t cell = 0; cell < 8; cell++) {
		const float z = array_of(all, CLPAC_Z)[cell], p_max = array_of(all, CLPAC_P_MAX)[cell];
		const float standing = array_of(all, CLPAC_STANDING)[cell];
		ck_assert_float_eq(z, array_of(allowed, CLPAC_Z)[cell]);
		ck_assert(!isnan(z) && !isnan(array_of(allowed, CLPAC_P_MAX)[cell]));
		ck_assert(clpac_result_valid(allowed)[cell] == 1);
		ck_assert(isnan(p_max) == !expected[cell]);
		if (expected[cell])
			ck_assert_float_eq(p_max, array_of(some, CLPAC_P_MAX)[cell / 4 * 2 + cell % 4 / 2]);
		ck_assert(isnan(standing) == !expected[cell]);
		if (standing > highest)
			highest_cell = cell, highest = standing;
		if (array_of(allowed, CLPAC_STANDING)[cell] > highest_of_all)
			highest_cell_of_all = cell, highest_of_all = array_of(allowed, CLPAC_STANDING)[cell];
	}
	for (size_t k = 0; k < N_SURROGATES; k++) {
		ck_assert_float_eq_tol(array_of(all, CLPAC_MAXIMA)[k], array_of(some, CLPAC_MAXIMA)[k], 1e-4);
		/* What is usual for a phase band is no more with more of its cells, so what is above 0 grows. */
		const float maximum = array_of(all, CLPAC_MAXIMA)[k];
		ck_assert(array_of(allowed, CLPAC_MAXIMA)[k] >= maximum || maximum < 0);
	}
	const clpac_peak peak = clpac_result_peak(all, 0), peak_of_all = clpac_result_peak(allowed, 0);
	ck_assert_uint_eq(peak.phase * 4 + peak.amplitude, highest_cell);
	ck_assert_uint_eq(peak_of_all.phase * 4 + peak_of_all.amplitude, highest_cell_of_all);
	ck_assert_uint_eq(warned(allowed, CLPAC_WARN_NARROW_AMPLITUDE, "60-68 Hz"), 2);
	clpac_result_destroy(all);
	clpac_result_destroy(some);
	clpac_result_destroy(allowed);
	/* A map of such cells alone has neither. */
	p.allow_narrow = false;
	p.amplitude_bands = &both[1];
	p.n_amplitude_bands = 1;
	all = run(context, &p, x);
	ck_assert(!clpac_result_peak(all, 0).found && isnan(array_of(all, CLPAC_MAXIMA)[0]));
	ck_assert(isnan(array_of(all, CLPAC_PEAK_DISTRIBUTION)[0]) && !isnan(array_of(all, CLPAC_MI)[0]));
	clpac_result_destroy(all);
	clpac_context_close(context);
	free(x);
}
END_TEST

/* --- The plan's own description --- */

START_TEST(a_run_asks_the_pool_for_nothing_and_holds_what_was_estimated)
{
	clpac_error err;
	clpac_context *context = open_native();
	clpac_pool *pool = clpac_context_pool(context);
	for (int hilbert = 0; hilbert < 2; hilbert++)
		for (int strategy = CLPAC_STRATEGY_VECTORIZED; strategy <= CLPAC_STRATEGY_SEQUENTIAL; strategy++) {
			clpac_problem p = base();
			p.hilbert = (clpac_hilbert)hilbert;
			float x[N_CHANNELS * N_SAMPLES];
			double *noise = make_samples(10, N_CHANNELS * N_SAMPLES);
			for (size_t i = 0; i < N_CHANNELS * N_SAMPLES; i++)
				x[i] = (float)noise[i];
			clpac_pool_statistics empty, planned, after;
			clpac_pool_measure(pool, &empty, sizeof empty);
			ck_assert_uint_eq(empty.active_buffers, 0);
			clpac_plan *plan =
				place_plan(context, &p, &(clpac_plan_options){.strategy = (clpac_strategy)strategy});
			clpac_pool_measure(pool, &planned, sizeof planned);
			const clpac_report *report = clpac_plan_report(plan);
			ck_assert_uint_eq(report->estimate_bytes, planned.requested_bytes);
			for (int times = 0; times < 2; times++) {
				clpac_result *result = NULL;
				assert_works(clpac_plan_run(plan, x, &result, &err), err);
				clpac_pool_measure(pool, &after, sizeof after);
				ck_assert_uint_eq(after.hits + after.misses, planned.hits + planned.misses);
				ck_assert_uint_eq(after.driver_calls, planned.driver_calls);
				ck_assert_uint_eq(after.active_buffers, planned.active_buffers);
				ck_assert_uint_eq(clpac_result_report(result)->peak_bytes, planned.in_use_bytes);
				ck_assert_uint_eq(clpac_result_report(result)->estimate_bytes, report->estimate_bytes);
				clpac_result_destroy(result);
			}
			clpac_plan_destroy(plan);
			clpac_pool_measure(pool, &after, sizeof after);
			ck_assert_uint_eq(after.active_buffers, 0);
			free(noise);
		}
	clpac_context_close(context);
}
END_TEST

START_TEST(strategies_take_the_shares_of_memory_that_they_promise)
{
	static const struct {
		clpac_strategy strategy;
		double share;
	} cases[] = {{CLPAC_STRATEGY_AUTO, 0.8}, {CLPAC_STRATEGY_CONSERVATIVE, 0.6}, {CLPAC_STRATEGY_AGGRESSIVE, 0.95}};
	clpac_context *context = open_native();
	clpac_problem p = base();
	/* A device as large as the pool's budget, which would otherwise be less than the largest of the shares. */
	const uint64_t available = clpac_pool_budget(clpac_context_pool(context));
	clpac_device *device = &context->queue->device;
	device->memory_bytes = device->free_bytes = available;
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_plan *plan = place_plan(context, &p, &(clpac_plan_options){.strategy = cases[i].strategy});
		const double budget = (double)clpac_plan_report(plan)->budget_bytes;
		assert_close(budget / (double)available, cases[i].share, 1e-6); /* whole bytes of more than a MiB */
		clpac_plan_destroy(plan);
	}
	clpac_context_close(context);
}
END_TEST

START_TEST(the_report_tells_how_it_was_computed)
{
	clpac_error err;
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.edge_samples = 50;
	double *x = make_samples(11, N_CHANNELS * N_SAMPLES);
	clpac_result *result = run(context, &p, x);
	const clpac_report *report = clpac_result_report(result);
	ck_assert_str_eq(report->backend, "native");
	ck_assert(report->device[0] && report->fft_engine[0] && report->instruction_set[0] && report->strategy[0]);
	ck_assert_uint_eq(report->n_threads, 1);
	ck_assert_uint_eq(report->n_series, N_CHANNELS);
	ck_assert_uint_eq(report->edge_samples, 50);
	ck_assert_uint_eq(report->kept_samples, N_SAMPLES - 100);
	ck_assert_uint_eq(report->extension_samples, 3 * 62);
	ck_assert_uint_gt(report->fft_length, 2 * 3 * 62); /* of a block, which overlaps its neighbours so far */
	ck_assert_uint_ge(report->n_stages, 5);
	double stages = 0;
	for (size_t s = 0; s < report->n_stages; s++)
		stages += report->stages[s].seconds;
	ck_assert(stages > 0 && stages <= report->seconds);
	/* The line of text is the whole problem: it gives the same bits. */
	clpac_problem_copy *copy;
	assert_works(clpac_problem_read(clpac_result_problem(result), &copy, &err), err);
	clpac_result *replayed = run(context, clpac_problem_get(copy), x);
	results_same_bits(result, replayed, "replayed", clpac_result_problem(result));
	clpac_problem_destroy(copy);
	clpac_result_destroy(replayed);
	clpac_result_destroy(result);

	clpac_plan *plan = place_plan(context, &p, NULL);
	char *text;
	assert_works(clpac_plan_explain(plan, &text, &err), err);
	ck_assert_ptr_nonnull(strstr(text, "native"));
	/* Each part of the memory is told with its size, and nothing else is. */
	size_t n_parts = 0, n_told = 0;
	for (int part = 0; part < CLPAC__PART_FURTHER; part++) {
		char line[200];
		snprintf(line, sizeof line, "\n           %10.3f MiB  %s\n",
			 (double)clpac__layout_kind(&plan->layout, part) / (1 << 20), clpac__part_text(part));
		ck_assert_msg(!strstr(text, line) == !plan->layout.bytes[part], "%s%s", text, line);
		n_parts += plan->layout.bytes[part] != 0;
	}
	for (const char *at = text; (at = strstr(at, " MiB  ")); at++)
		n_told++;
	ck_assert_uint_eq(n_told, n_parts);
	ck_assert_uint_gt(n_parts, 5);
	size_t n_warnings = 0;
	for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++)
		n_warnings += plan->report.warnings[kind].count != 0;
	for (const char *at = text; (at = strstr(at, "\nwarning")); at++)
		n_warnings--;
	ck_assert_uint_eq(n_warnings, 0);
	clpac_text_free(text);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	free(x);
}
END_TEST

const char *skip_reason(void)
{
	return places_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("plans");
	TCase *t = tcase_create("plans");
	tcase_add_test(t, options_that_no_kernel_serves_are_refused_when_a_context_is_opened);
	tcase_add_test(t, a_plan_that_cannot_be_made_says_why);
	tcase_add_test(t, a_plan_works_after_its_context_was_closed);
	tcase_add_test(t, a_bad_channel_gives_nan_is_named_and_leaves_the_others);
	tcase_add_test(t, a_microvolt_on_50_millivolts_keeps_its_digits);
	tcase_add_test(t, tiny_and_huge_units_change_no_bit);
	tcase_add_test(t, a_span_that_float64_cannot_hold_is_reported);
	tcase_add_test(t, samples_are_read_where_they_lie);
	tcase_add_test(t, progress_goes_up_to_the_end);
	tcase_add_test(t, a_run_that_is_stopped_says_so_and_the_plan_lives_on);
	tcase_add_test(t, a_pure_line_is_warned_about_and_noise_is_not);
	tcase_add_test(t, a_phase_that_wanders_by_a_tenth_of_a_cycle_is_no_pure_line);
	tcase_add_test(t, a_band_exactly_wide_enough_is_not_narrow);
	tcase_add_test(t, cells_that_are_not_valid_are_outside_peaks_and_families_unless_allowed);
	tcase_add_test(t, default_bands_that_do_not_fit_are_logged_and_no_warning);
	tcase_add_test(t, bands_that_cannot_carry_it_and_short_series_are_warned_about);
	tcase_add_test(t, a_run_asks_the_pool_for_nothing_and_holds_what_was_estimated);
	tcase_add_test(t, strategies_take_the_shares_of_memory_that_they_promise);
	tcase_add_test(t, the_report_tells_how_it_was_computed);
	suite_add_tcase(s, t);
	return s;
}
