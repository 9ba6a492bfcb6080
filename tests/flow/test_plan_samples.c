/* The samples of a run: bad and odd ones, and where they lie. */
#include "runner.h"
#include "assertions.h"
#include "contract/places.h"
#include "evidence.h"
#include "plan_fixture.h"
#include "results.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

TEST(a_bad_channel_gives_nan_is_named_and_leaves_the_others)
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

/* The result of a channel is NaN, and the others have the bits of another result. */
static void check_bad_channel(const clpac_result *result, const clpac_result *good, size_t bad)
{
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n;
		const float *values = clpac_result_array(result, (clpac_array)which, &n);
		const float *wanted = array_of(good, (clpac_array)which);
		for (size_t i = 0; i < n; i++)
			ck_assert_msg(i / (n / N_CHANNELS) == bad ? isnan(values[i])
								  : memcmp(&values[i], &wanted[i], sizeof *values) == 0,
				      "%s[%zu] is %g", clpac_array_name((clpac_array)which), i, values[i]);
	}
}

static clpac_result *run_with(clpac_context *context, const clpac_problem *p, const clpac_plan_options *options,
			      const double *x)
{
	clpac_error err;
	const void *channels[N_CHANNELS];
	for (size_t ch = 0; ch < N_CHANNELS; ch++)
		channels[ch] = x + ch * p->n_samples;
	clpac_plan *plan = place_plan(context, p, options);
	clpac_result *result = NULL;
	assert_works(clpac_plan_run_samples(plan, &(clpac_samples){.type = CLPAC_FLOAT64, .channels = channels},
					    &result, &err),
		     err);
	clpac_plan_destroy(plan);
	return result;
}

/* Missing data as recorders write it: half a cycle at 13 Hz is less than 10 samples. */
TEST(a_stretch_at_one_value_gives_nan_and_says_what_to_do)
{
	enum { AT = 300, LEAST = 10, BAD = 2 };
	static const clpac_window left[] = {{0, AT}, {AT + LEAST, N_SAMPLES - AT - LEAST}};
	clpac_context *context = open_native();
	clpac_problem p = base();
	double *x = make_samples(7, N_CHANNELS * N_SAMPLES);
	clpac_result *good = run_with(context, &p, NULL, x);
	ck_assert_uint_eq(warned(good, CLPAC_WARN_FLAT, ""), 0);
	for (int is_held = 0; is_held < 2; is_held++)
		for (size_t n = LEAST - 1; n <= LEAST; n++) {
			double *with = make_samples(7, N_CHANNELS * N_SAMPLES);
			for (size_t t = AT; t < AT + n; t++)
				with[BAD * N_SAMPLES + t] = is_held ? x[BAD * N_SAMPLES + AT] : 0;
			clpac_result *result = run_with(context, &p, NULL, with);
			ck_assert_uint_eq(warned(result, CLPAC_WARN_FLAT, "with keep_flat; NaN for channel 2"),
					  n == LEAST);
			if (n == LEAST)
				check_bad_channel(result, good, BAD);
			clpac_result_destroy(result);

			result = run_with(context, &p, &(clpac_plan_options){.keep_flat = true}, with);
			ck_assert_uint_eq(warned(result, CLPAC_WARN_FLAT, ""), 0);
			ck_assert(!isnan(array_of(result, CLPAC_MI)[BAD * N_PHASE * N_AMPLITUDE]));
			clpac_result_destroy(result);

			clpac_problem without = p;
			without.stretches = left;
			without.n_stretches = COUNT(left);
			result = run_with(context, &without, NULL, with);
			ck_assert_uint_eq(warned(result, CLPAC_WARN_FLAT, ""), 0);
			ck_assert(!isnan(array_of(result, CLPAC_MI)[BAD * N_PHASE * N_AMPLITUDE]));
			clpac_result_destroy(result);
			for (size_t t = AT + LEAST; t < AT + 2 * LEAST; t++)
				with[BAD * N_SAMPLES + t] = 0.125;
			result = run_with(context, &without, NULL, with);
			ck_assert_uint_eq(warned(result, CLPAC_WARN_FLAT, "channel 2"), 1);
			ck_assert(isnan(array_of(result, CLPAC_MI)[BAD * N_PHASE * N_AMPLITUDE]));
			clpac_result_destroy(result);
			free(with);
		}
	clpac_result_destroy(good);
	clpac_context_close(context);
	free(x);
}

/* Steps as coarse as the noise repeat in runs that are as long as these. */
TEST(coarse_samples_repeat_and_are_computed)
{
	enum { LONG = 4 * N_SAMPLES };
	clpac_context *context = open_native();
	clpac_problem p = base();
	p.n_samples = LONG;
	double *x = make_samples(8, N_CHANNELS * LONG);
	size_t longest = 0;
	for (size_t i = 0, n = 0; i < N_CHANNELS * LONG; i++) {
		x[i] = round(x[i]);
		n = i % LONG && x[i] == x[i - 1] ? n + 1 : 1;
		longest = n > longest ? n : longest;
	}
	ck_assert_uint_ge(longest, 10);
	clpac_result *result = run_with(context, &p, NULL, x);
	ck_assert_uint_eq(warned(result, CLPAC_WARN_FLAT, ""), 0);
	for (size_t i = 0; i < N_CHANNELS * N_PHASE * N_AMPLITUDE; i++)
		ck_assert(!isnan(array_of(result, CLPAC_MI)[i]));
	clpac_result_destroy(result);
	clpac_context_close(context);
	free(x);
}

TEST(a_microvolt_on_50_millivolts_keeps_its_digits)
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
		struct evidence evidence = evidence_gather(complete, x, truth);
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

TEST(tiny_and_huge_units_change_no_bit)
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
				ck_assert_msg(fabsf(mine - its) <= 1e-5f * mine, "times 2^%d: %.9g instead of %.9g",
					      exponents[e], its, mine);
		}
		clpac_result_destroy(result);
	}
	clpac_result_destroy(plain);
	clpac_context_close(context);
	free(x);
	free(scaled);
}

TEST(a_span_that_float64_cannot_hold_is_reported)
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

TEST(samples_are_read_where_they_lie)
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

const char *skip_reason(void)
{
	return places_missing("native");
}
