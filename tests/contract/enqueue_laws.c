/* Runs that stay on the device against runs that go through the host: unusual samples, strides, batches and ways of
 * summing. */
#include "enqueue_laws.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>

#include "assertions.h"
#include "coupling/data/result.h"
#include "memory/pool/pool.h"
#include "places.h"
#include "coupling/run/enqueue.h"
#include "coupling/layout/test_settings.h"
#include "noise.h"

enum {
	N_CHANNELS = 5,
	N_SEGMENTS = 2,
	N_SERIES = N_CHANNELS * N_SEGMENTS,
	N_SAMPLES = 682,
	N_ALL = N_SERIES * N_SAMPLES
};

static const clpac_band phase_bands[] = {{4.4, 7}, {6, 10}, {9, 15}};
static const clpac_band amplitude_bands[] = {{25, 35}, {30, 40}, {35, 50}, {40, 60}, {50, 70}};

static clpac_problem base(void)
{
	return (clpac_problem){.size = sizeof(clpac_problem),
			       .rate_hz = 250,
			       .n_channels = N_CHANNELS,
			       .n_segments = N_SEGMENTS,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = COUNT(phase_bands),
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = COUNT(amplitude_bands),
			       .n_surrogates = 21,
			       .seed = 3,
			       .keep_surrogates = true,
			       .keep_distributions = true};
}

/* --- A run on the device ---------------------------------------------------------------------- */

enum { MARGIN = 16 /* values before and behind the results, which must stay */ };
static const float untouched = -77.25f;

struct outcome {
	float *arrays[CLPAC_MEASURE_COUNT][CLPAC_ARRAY_COUNT]; /* NULL where the plan does not keep the array */
	uint32_t *warnings;
};

static void release_outcome(struct outcome *outcome)
{
	for (int i = 0; i < CLPAC_MEASURE_COUNT; i++)
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++)
			free(outcome->arrays[i][which]);
	free(outcome->warnings);
}

/* Room for n values between margins, filled with a value that no run writes. */
static clpac_buffer *make_room(clpac_plan *plan, size_t n)
{
	clpac_error err;
	clpac_buffer *buffer = NULL;
	float *values = malloc((n + 2 * MARGIN) * sizeof *values);
	for (size_t i = 0; i < n + 2 * MARGIN; i++)
		values[i] = untouched;
	assert_works(clpac_pool_allocate(plan->context->pool, (n + 2 * MARGIN) * sizeof *values, "out", &buffer, &err),
		     err);
	assert_works(clpac_buffer_write(buffer, 0, (n + 2 * MARGIN) * sizeof *values, values, &err), err);
	free(values);
	return buffer;
}

/* The values between the margins; the caller frees them. */
static void *read_room(clpac_buffer *buffer, size_t n, const char *what)
{
	clpac_error err;
	float *all = malloc((n + 2 * MARGIN) * sizeof *all), *values = malloc(n * sizeof *values);
	assert_works(clpac_buffer_read(buffer, 0, (n + 2 * MARGIN) * sizeof *all, all, &err), err);
	for (size_t i = 0; i < MARGIN; i++)
		ck_assert_msg(all[i] == untouched && all[MARGIN + n + i] == untouched,
			      "%s: the run wrote into a margin", what);
	memcpy(values, all + MARGIN, n * sizeof *values);
	free(all);
	return values;
}

/* Runs on n_memory floats in which `where` says how the samples lie. */
static struct outcome run_there(clpac_plan *plan, const float *memory, size_t n_memory, clpac__enqueued where)
{
	clpac_error err;
	struct outcome got = {0};
	clpac_buffer *in = NULL, *rooms[CLPAC_MEASURE_COUNT][CLPAC_ARRAY_COUNT] = {0}, *warnings;
	const size_t n_measures = plan->problem->n_measures;
	size_t n_used;
	assert_works(clpac_pool_allocate(plan->context->pool, n_memory * sizeof *memory, "in", &in, &err), err);
	assert_works(clpac_buffer_write(in, 0, n_memory * sizeof *memory, memory, &err), err);
	where.samples.block = clpac__buffer_block(in);
	ck_assert(clpac__enqueued_samples(plan, &where, &n_used));
	ck_assert_uint_le(where.samples.at + n_used, n_memory);
	for (size_t i = 0; i < n_measures; i++)
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
			const size_t n = clpac__enqueued_values(plan, i, (clpac_array)which);
			if (!n)
				continue;
			rooms[i][which] = make_room(plan, n);
			where.arrays[i][which] = (clpac__place){clpac__buffer_block(rooms[i][which]), MARGIN};
		}
	warnings = make_room(plan, plan->layout.n_series);
	where.warnings = (clpac__place){clpac__buffer_block(warnings), MARGIN};
	assert_works(clpac__plan_enqueue(plan, &where, &err), err);
	for (size_t i = 0; i < n_measures; i++) {
		for (int which = 0; which < CLPAC_ARRAY_COUNT; which++)
			if (rooms[i][which])
				got.arrays[i][which] =
					read_room(rooms[i][which], clpac__enqueued_values(plan, i, (clpac_array)which),
						  clpac_array_name((clpac_array)which));
		clpac_buffer_release_batch(rooms[i], CLPAC_ARRAY_COUNT);
	}
	got.warnings = read_room(warnings, plan->layout.n_series, "warnings");
	clpac_buffer_release(in);
	clpac_buffer_release(warnings);
	return got;
}

static const clpac__enqueued packed = {
	.sample_stride = 1, .segment_stride = N_SAMPLES, .channel_stride = N_SEGMENTS * N_SAMPLES};

/* --- Comparison ------------------------------------------------------------------------------- */

/* Tolerance for arrays that the host computes in double precision and the device in single: see cl/store.cl. */
static double tolerance_of(clpac_array which)
{
	return which == CLPAC_Z || which == CLPAC_SURROGATE_STD || which == CLPAC_P || which == CLPAC_STANDARDIZED
		       ? 1e-6
		       : 0;
}

/* Tolerance of the preferred phase and the length of the mean vector, whose directions are turned in single precision.
 */
static bool is_vector(clpac_array which)
{
	return which == CLPAC_PREFERRED_PHASE || which == CLPAC_MEAN_VECTOR;
}

static double distance_of_vectors(clpac_array which, double a, double b, double length)
{
	return which == CLPAC_MEAN_VECTOR ? fabs(a - b) : fabs(remainder(a - b, 2 * acos(-1))) * length;
}

static const double tolerance_of_vectors = 128 * 1e-7;

/* Tolerance for series whose mean is large.  On the host their mean is exact, on the device as good as sums in double,
 * 2^-53 n |mean|, which may round a sample differently, by 2^-24 of the largest.  Bins' deviations d from a mean of 1
 * move by no more, and an index, a sum of their squares, by 2^-24 * 2 / d of itself; d is above 1e-3 for indices above
 * 1e-6.  In the series whose bits are set in `far`, indices and means are compared with this tolerance; counts and
 * small differences only have to exist. */
static const double tolerance_of_far = 0x1p-24 * 2 / 1e-3;

static bool is_smooth(clpac_array which)
{
	return which == CLPAC_MI || which == CLPAC_SURROGATES || which == CLPAC_SURROGATE_MEAN ||
	       which == CLPAC_DISTRIBUTION;
}

/* An array of one measure; of a further measure none that is the same for all. */
static const float *array_of(const clpac_result *measure, size_t i, clpac_array which, size_t *n)
{
	*n = 0;
	return i && clpac__array_is_shared(which) ? NULL : clpac_result_array(measure, which, n);
}

static void compare_measure(const clpac_result *expected, size_t number, float *const *got, unsigned far,
			    const char *label)
{
	const clpac_result_shape *shape = clpac_result_get_shape(expected);
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n;
		const float *wanted = array_of(expected, number, (clpac_array)which, &n), *values = got[which];
		const size_t each = n / (shape->n_channels * shape->n_segments);
		if (clpac__is_made_on_the_host((clpac_array)which)) {
			ck_assert_ptr_null(values);
			continue;
		}
		ck_assert_msg(!wanted == !values, "%s: one of the runs lacks %s", label,
			      clpac_array_name((clpac_array)which));
		for (size_t i = 0; i < n; i++) {
			const bool is_far = far >> i / each & 1u;
			const double a = (double)values[i], b = (double)wanted[i];
			const double allowed = is_far ? tolerance_of_far : tolerance_of((clpac_array)which);
			if (is_vector((clpac_array)which) && !is_far && !isnan(a)) {
				const double length = clpac_result_array(expected, CLPAC_MEAN_VECTOR, NULL)[i];
				ck_assert_msg(distance_of_vectors((clpac_array)which, a, b, length) <=
						      tolerance_of_vectors,
					      "%s: %s[%zu] is %.9g and not %.9g", label,
					      clpac_array_name((clpac_array)which), i, a, b);
				continue;
			}
			ck_assert_msg(isnan(a) == isnan(b) && (isnan(b) || (is_far && !is_smooth((clpac_array)which)) ||
							       fabs(a - b) <= allowed * fabs(b)),
				      "%s: %s[%zu] is %.9g and not %.9g (%s)", label,
				      clpac_array_name((clpac_array)which), i, a, b, clpac_result_problem(expected));
		}
	}
}

static void compare(const clpac_result *expected, const struct outcome *got, unsigned far, const char *label)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n = clpac_result_measures(expected, measures);
	for (size_t i = 0; i < n; i++) {
		char named[320];
		snprintf(named, sizeof named, "%s, %s", label, clpac_measure_text(measures[i]));
		compare_measure(clpac_result_of(expected, measures[i]), i, got->arrays[i], far, named);
	}
}

/* The report's counts of warnings against the warning bits of each series. */
static void compare_warnings(const clpac_result *expected, const struct outcome *got, size_t n_series,
			     const char *label)
{
	const clpac_report *report = clpac_result_report(expected);
	for (int kind = CLPAC_WARN_PURE_LINE; kind <= CLPAC_WARN_FLAT; kind++) {
		size_t n = 0;
		if (kind > CLPAC_WARN_NO_DEVIATION && kind < CLPAC_WARN_FLAT)
			continue;
		for (size_t series = 0; series < n_series; series++)
			n += got->warnings[series] >> kind & 1u;
		if (kind == CLPAC_WARN_NOT_FINITE || kind == CLPAC_WARN_CONSTANT || kind == CLPAC_WARN_FLAT)
			ck_assert_msg(n == report->warnings[kind].count, "%s: %zu series with warning %d, not %zu",
				      label, n, kind, report->warnings[kind].count);
		else /* the report counts bands or cells */
			ck_assert_msg(!n == !report->warnings[kind].count, "%s: %zu series with warning %d: %s", label,
				      n, kind, report->warnings[kind].text);
	}
}

static void runs_agree(clpac_plan *plan, const float *x, unsigned far, const char *label)
{
	clpac_error err;
	clpac_result *expected = NULL;
	assert_works(clpac_plan_run(plan, x, &expected, &err), err);
	struct outcome got =
		run_there(plan, x, plan->layout.n_series * plan->layout.n_samples,
			  (clpac__enqueued){.sample_stride = 1,
					    .segment_stride = plan->layout.n_samples,
					    .channel_stride = plan->problem->n_segments * plan->layout.n_samples});
	compare(expected, &got, far, label);
	compare_warnings(expected, &got, plan->layout.n_series, label);
	release_outcome(&got);
	clpac_result_destroy(expected);
}

/* --- Laws ------------------------------------------------------------------------------------- */

START_TEST(a_run_on_the_device_gives_the_numbers_of_one_through_the_host)
{
	clpac_context *context = place_open((size_t)_i);
	float *x = make_noise(1, N_ALL);
	clpac_problem problems[17];
	for (size_t i = 0; i < COUNT(problems); i++)
		problems[i] = base();
	problems[1].ddof = 1;
	problems[1].average = CLPAC_AVERAGE_SUM;
	problems[2].hilbert = CLPAC_HILBERT_TRIMMED;
	problems[2].edge_samples = CLPAC_EDGE_AUTO;
	problems[3].n_surrogates = 0;
	problems[4].share_shifts = true;
	problems[4].keep_distributions = false;
	problems[5].shifts = (size_t[]){5, 3, 681, 680, 0};
	problems[5].n_surrogates = 5;
	problems[6].n_surrogates = 1; /* a single one has no deviation */
	problems[6].keep_surrogates = false;
	problems[6].n_bins = 7;
	problems[7].null = problems[8].null = CLPAC_NULL_ALL_SHIFTS;
	problems[7].n_surrogates = problems[8].n_surrogates = 0;
	problems[8].shift_step = 8;
	problems[8].edge_samples = 30;
	problems[9].null = problems[10].null = CLPAC_NULL_BLOCKS;
	problems[10].n_blocks = 40;
	problems[10].share_shifts = true;
	static const clpac_measure measures[] = {CLPAC_MEASURE_GLM, CLPAC_MEASURE_GCMI, CLPAC_MEASURE_HR,
						 CLPAC_MEASURE_GLM, CLPAC_MEASURE_GCMI, CLPAC_MEASURE_PLV};
	for (size_t i = 0; i < COUNT(measures); i++) {
		problems[11 + i].measures = &measures[i];
		problems[11 + i].n_measures = 1;
	}
	problems[11].null = CLPAC_NULL_ALL_SHIFTS;
	problems[11].n_surrogates = 0;
	for (size_t i = 14; i < COUNT(problems); i++)
		problems[i].null = CLPAC_NULL_BLOCKS;
	for (size_t i = 0; i < COUNT(problems); i++) {
		char label[300];
		snprintf(label, sizeof label, "%s, problem %zu", place_label((size_t)_i), i);
		clpac_plan *plan = place_plan(context, &problems[i], NULL);
		runs_agree(plan, x, 0, label);
		clpac_plan_destroy(plan);
	}
	free(x);
	clpac_context_close(context);
}

/* Every cell may be the peak, and that of the highest z often is another. */
START_TEST(the_peaks_distribution_is_that_of_the_hosts_peak)
{
	clpac_context *context = place_open((size_t)_i);
	size_t n_other_z = 0;
	for (unsigned long long seed = 1; seed <= 4; seed++)
		for (int has_surrogates = 0; has_surrogates < 2; has_surrogates++) {
			clpac_error err;
			clpac_result *expected = NULL;
			clpac_problem p = base();
			p.allow_narrow = true;
			p.n_surrogates = has_surrogates ? p.n_surrogates : 0;
			float *x = make_noise(seed, N_ALL);
			clpac_plan *plan = place_plan(context, &p, NULL);
			runs_agree(plan, x, 0, place_label((size_t)_i));
			assert_works(clpac_plan_run(plan, x, &expected, &err), err);
			const float *z = clpac_result_array(expected, CLPAC_Z, NULL);
			const size_t cells = COUNT(phase_bands) * COUNT(amplitude_bands);
			for (size_t at = 0; z && at < N_SERIES * cells; at++) {
				const size_t series = at / cells;
				n_other_z +=
					z[at] >
					clpac_result_series_peak(expected, series / N_SEGMENTS, series % N_SEGMENTS).z;
			}
			clpac_result_destroy(expected);
			clpac_plan_destroy(plan);
			free(x);
		}
	ck_assert_uint_gt(n_other_z, 0);
	clpac_context_close(context);
}

/* Other nulls, each with ways first .. end - 1 to cut a run into parts, and samples that cannot be used. */
static void check_nulls_in_parts(size_t place, size_t first, size_t end)
{
	static const clpac_plan_options options[] = {{.max_batch = 3},
						     {.strategy = CLPAC_STRATEGY_CHUNKED, .max_batch = 4},
						     {.strategy = CLPAC_STRATEGY_SEQUENTIAL}};
	clpac_context *context = place_open(place);
	float *x = make_noise(5, N_ALL);
	x[3 * N_SAMPLES + 5] = NAN;
	ck_assert_uint_le(end, COUNT(options));
	for (size_t i = 2 * first; i < 2 * end; i++) {
		char label[300];
		clpac_problem p = base();
		p.null = i % 2 ? CLPAC_NULL_BLOCKS : CLPAC_NULL_ALL_SHIFTS;
		p.n_surrogates = i % 2 ? 40 : 0;
		p.shift_step = i % 2 ? 0 : 16;
		snprintf(label, sizeof label, "%s, options %zu", place_label(place), i);
		clpac_plan *plan = place_plan(context, &p, &options[i / 2]);
		runs_agree(plan, x, 0, label);
		runs_agree(plan, x, 0, label);
		clpac_plan_destroy(plan);
	}
	free(x);
	clpac_context_close(context);
}

START_TEST(every_shift_and_blocks_agree_in_batches)
{
	check_nulls_in_parts((size_t)_i, 0, 1);
}

START_TEST(every_shift_and_blocks_agree_in_chunks_and_series)
{
	check_nulls_in_parts((size_t)_i, 1, 3);
}

START_TEST(nulls_that_need_the_hosts_samples_are_refused)
{
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	clpac_buffer *memory = NULL;
	assert_works(clpac_pool_allocate(context->pool, N_ALL * sizeof(float), "in", &memory, &err), err);
	for (int null = CLPAC_NULL_TRIALS; null <= CLPAC_NULL_PHASES; null++) {
		clpac_problem p = base();
		if (null == CLPAC_NULL_BLOCKS)
			continue;
		p.null = (clpac_null)null;
		clpac_plan *plan = place_plan(context, &p, NULL);
		clpac__enqueued run = packed;
		run.samples.block = run.arrays[0][CLPAC_MI].block = clpac__buffer_block(memory);
		const clpac_status st = clpac__plan_enqueue(plan, &run, &err);
		assert_refused(st, err, CLPAC_ERROR_UNSUPPORTED, "made from samples on the host");
		clpac_plan_destroy(plan);
	}
	clpac_buffer_release(memory);
	clpac_context_close(context);
}

/* Windows are gathered there as through the host; stretches are prepared on the host. */
START_TEST(windows_agree_and_stretches_are_refused)
{
	static const clpac_window windows[] = {{3, 200}, {100, 300}, {450, 200}}, stretches[] = {{0, 300}, {320, 362}};
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	float *x = make_noise(9, N_ALL);
	clpac_problem problems[3];
	for (size_t i = 0; i < COUNT(problems); i++) {
		char label[300];
		problems[i] = base();
		problems[i].windows = windows;
		problems[i].n_windows = COUNT(windows);
		problems[i].joined_windows = i == 1;
		problems[i].null = i == 2 ? CLPAC_NULL_BLOCKS : CLPAC_NULL_SHIFTS;
		snprintf(label, sizeof label, "%s, windows %zu", place_label((size_t)_i), i);
		clpac_plan *plan = place_plan(context, &problems[i], NULL);
		runs_agree(plan, x, 0, label);
		clpac_plan_destroy(plan);
	}
	clpac_problem p = base();
	clpac_buffer *memory = NULL;
	p.stretches = stretches;
	p.n_stretches = COUNT(stretches);
	assert_works(clpac_pool_allocate(context->pool, N_ALL * sizeof(float), "in", &memory, &err), err);
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac__enqueued run = packed;
	run.samples.block = run.arrays[0][CLPAC_MI].block = clpac__buffer_block(memory);
	assert_refused(clpac__plan_enqueue(plan, &run, &err), err, CLPAC_ERROR_UNSUPPORTED,
		       "the problem has stretches, which are prepared on the host");
	clpac_plan_destroy(plan);
	clpac_buffer_release(memory);
	free(x);
	clpac_context_close(context);
}

/* Each with its own arrays: both families, measures in the unit of the samples, and ranks, whichever comes first; one
 * series of NaN, and samples whose exponents differ from series to series.  Every `step`-th of the orders of measures
 * with each of the nulls. */
static void check_measures(size_t place, size_t step)
{
	static const clpac_measure orders[][CLPAC_MEASURE_COUNT] = {
		{CLPAC_MEASURE_MI, CLPAC_MEASURE_HR, CLPAC_MEASURE_MVL, CLPAC_MEASURE_DPAC, CLPAC_MEASURE_NDPAC,
		 CLPAC_MEASURE_GLM, CLPAC_MEASURE_GCMI, CLPAC_MEASURE_PLV, CLPAC_MEASURE_PAC_GLM},
		{CLPAC_MEASURE_DPAC, CLPAC_MEASURE_MI, CLPAC_MEASURE_PLV, CLPAC_MEASURE_GLM, CLPAC_MEASURE_HR,
		 CLPAC_MEASURE_GCMI, CLPAC_MEASURE_MVL, CLPAC_MEASURE_PAC_GLM, CLPAC_MEASURE_NDPAC},
		{CLPAC_MEASURE_MVL},
		{CLPAC_MEASURE_DPAC},
	};
	static const clpac_plan_options options[] = {
		{0}, {.max_batch = 3}, {.strategy = CLPAC_STRATEGY_CHUNKED, .max_batch = 4}};
	static const clpac_null nulls[] = {CLPAC_NULL_SHIFTS, CLPAC_NULL_ALL_SHIFTS, CLPAC_NULL_BLOCKS};
	clpac_context *context = place_open(place);
	float *x = make_noise(10, N_ALL);
	x[2 * N_SAMPLES + 9] = NAN;
	for (size_t series = 0; series < N_SERIES; series++)
		for (size_t t = 0; t < N_SAMPLES; t++)
			x[series * N_SAMPLES + t] *= ldexpf(1, 7 * (int)series - 40);
	for (size_t o = 0; o < COUNT(orders) * COUNT(nulls); o += step) {
		char label[300];
		clpac_problem p = base();
		const size_t order = o / COUNT(nulls), null = o % COUNT(nulls);
		p.measures = orders[order];
		p.n_measures = order < 2 ? CLPAC_MEASURE_COUNT : 1;
		p.null = nulls[null];
		p.n_surrogates = p.null == CLPAC_NULL_ALL_SHIFTS ? 0 : p.n_surrogates;
		p.shift_step = p.null == CLPAC_NULL_ALL_SHIFTS ? 16 : 0;
		snprintf(label, sizeof label, "%s, order %zu, null %zu", place_label(place), order, null);
		clpac_plan *plan = place_plan(context, &p, &options[o % COUNT(options)]);
		runs_agree(plan, x, 0, label);
		runs_agree(plan, x, 0, label);
		clpac_plan_destroy(plan);
	}
	free(x);
	clpac_context_close(context);
}

START_TEST(some_orders_of_measures_agree_each)
{
	check_measures((size_t)_i, 5); /* 0, 5, 10: three nulls, three orders, three options */
}

START_TEST(several_measures_agree_each)
{
	check_measures((size_t)_i, 1);
}

/* A measure whose surrogates are all equal warns, whether it comes first or not.  An empty bin makes every height ratio
 * 1, and no modulation index. */
START_TEST(a_further_measure_without_deviation_is_told)
{
	static const clpac_measure orders[][2] = {{CLPAC_MEASURE_MI, CLPAC_MEASURE_HR},
						  {CLPAC_MEASURE_HR, CLPAC_MEASURE_MI}};
	clpac_context *context = place_open((size_t)_i);
	float *x = make_noise(11, N_ALL);
	for (size_t order = 0; order < COUNT(orders); order++) {
		clpac_error err;
		clpac_result *expected = NULL;
		clpac_problem p = base();
		p.n_bins = 128;
		p.measures = orders[order];
		p.n_measures = 2;
		clpac_plan *plan = place_plan(context, &p, NULL);
		assert_works(clpac_plan_run(plan, x, &expected, &err), err);
		const float *of_mi = clpac_result_array(clpac_result_of(expected, CLPAC_MEASURE_MI), CLPAC_Z, NULL);
		const float *of_hr = clpac_result_array(clpac_result_of(expected, CLPAC_MEASURE_HR), CLPAC_Z, NULL);
		size_t n_mi = 0, n_hr = 0, n_cells;
		clpac_result_array(expected, CLPAC_Z, &n_cells);
		for (size_t cell = 0; cell < n_cells; cell++) {
			n_mi += isnan(of_mi[cell]) != 0;
			n_hr += isnan(of_hr[cell]) != 0;
		}
		ck_assert_msg(n_mi < n_cells && n_hr > n_mi, "%zu and %zu of %zu cells have no deviation", n_mi, n_hr,
			      n_cells);
		struct outcome got = run_there(plan, x, N_ALL, packed);
		uint32_t found = 0;
		for (size_t series = 0; series < N_SERIES; series++)
			found |= got.warnings[series];
		ck_assert_uint_ne(found & 1u << CLPAC_WARN_NO_DEVIATION, 0);
		ck_assert_uint_ne(found & 1u << CLPAC_WARN_EMPTY_BINS, 0);
		compare_warnings(expected, &got, N_SERIES, place_label((size_t)_i));
		release_outcome(&got);
		clpac_result_destroy(expected);
		clpac_plan_destroy(plan);
	}
	free(x);
	clpac_context_close(context);
}

START_TEST(pairs_of_channels_are_refused)
{
	static const clpac_pair pairs[] = {{0, 1}, {1, 0}};
	clpac_error err;
	clpac_context *context = place_open((size_t)_i);
	clpac_buffer *memory = NULL;
	assert_works(clpac_pool_allocate(context->pool, N_ALL * sizeof(float), "in", &memory, &err), err);
	clpac_problem p = base();
	p.pairs = pairs;
	p.n_pairs = COUNT(pairs);
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac__enqueued run = packed;
	run.samples.block = run.arrays[0][CLPAC_MI].block = clpac__buffer_block(memory);
	assert_refused(clpac__plan_enqueue(plan, &run, &err), err, CLPAC_ERROR_UNSUPPORTED, "the problem has pairs");
	clpac_plan_destroy(plan);
	clpac_buffer_release(memory);
	clpac_context_close(context);
}

/* Each series of another kind.  FAR: those whose mean is large against their variation. */
enum { FAR = 1 << 6 | 1 << 7 | 1 << 9 };
static void make_strange(float *x)
{
	for (size_t t = 0; t < N_SAMPLES; t++) {
		x[0 * N_SAMPLES + t] = t + 1 == N_SAMPLES ? NAN : x[t];
		x[1 * N_SAMPLES + t] = t == 300 ? -INFINITY : x[t];
		x[2 * N_SAMPLES + t] = 3.25f;
		x[3 * N_SAMPLES + t] = t % 2 ? 0.0f : -0.0f;
		x[4 * N_SAMPLES + t] *= 1e-30f;
		x[5 * N_SAMPLES + t] *= 1e36f;
		x[6 * N_SAMPLES + t] = 1e6f + x[6 * N_SAMPLES + t]; /* varies by a few steps of a float */
		x[7 * N_SAMPLES + t] = -1000.0f + 1e-3f * x[7 * N_SAMPLES + t];
		x[8 * N_SAMPLES + t] = t % 3 ? FLT_MAX : -FLT_MAX * x[8 * N_SAMPLES + t];
		x[9 * N_SAMPLES + t] = 4.0f + (t == 340 ? FLT_EPSILON * 4 : 0);
	}
}

START_TEST(strange_samples_give_the_same_numbers_and_the_same_nan)
{
	clpac_context *context = place_open((size_t)_i);
	const clpac_problem p = base();
	clpac_plan *plan = place_plan(context, &p, NULL);
	float *x = make_noise(2, N_ALL);
	make_strange(x);
	runs_agree(plan, x, FAR, place_label((size_t)_i));
	clpac_plan_destroy(plan);
	free(x);
	clpac_context_close(context);
}

/* Half a cycle at 15 Hz is less than 9 samples.  Runs lie in tiles of 256 samples, over their ends, and over whole
 * tiles; of 0 and -0; at both ends of a series.  Those of 8 samples and those of coarse steps are computed. */
START_TEST(stretches_at_one_value_are_told_there_too)
{
	static const struct {
		size_t at, n;
		bool is_told;
	} runs[N_SERIES] = {
		{40, 9, true},	{250, 9, true}, {255, 8, false},	  {200, 400, true}, {256, 256, true},
		{503, 9, true}, {0, 9, true},	{N_SAMPLES - 9, 9, true}, {0, 8, false},    {0, 0, false},
	};
	clpac_context *context = place_open((size_t)_i);
	float *x = make_noise(12, N_ALL);
	for (size_t series = 0; series < N_SERIES; series++)
		for (size_t t = runs[series].at; t < runs[series].at + runs[series].n; t++)
			x[series * N_SAMPLES + t] = series % 2 ? 0.25f : t % 3 ? 0.0f : -0.0f;
	for (size_t t = 0; t < N_SAMPLES; t++) /* the last: every second sample repeats the one before it */
		x[(N_SERIES - 1) * N_SAMPLES + t] = (float)(rintf(x[(N_SERIES - 1) * N_SAMPLES + t]) > 0);
	for (int keep_flat = 0; keep_flat < 2; keep_flat++) {
		const clpac_problem p = base();
		clpac_plan *plan = place_plan(context, &p, &(clpac_plan_options){.keep_flat = keep_flat});
		runs_agree(plan, x, 0, place_label((size_t)_i));
		struct outcome got = run_there(plan, x, N_ALL, packed);
		for (size_t series = 0; series < N_SERIES; series++)
			ck_assert_msg((got.warnings[series] >> CLPAC_WARN_FLAT & 1u) ==
					      (runs[series].is_told && !keep_flat),
				      "%s: series %zu has warnings %x", place_label((size_t)_i), series,
				      (unsigned)got.warnings[series]);
		release_outcome(&got);
		clpac_plan_destroy(plan);
	}
	free(x);
	clpac_context_close(context);
}

START_TEST(denormal_samples_keep_their_digits)
{
	clpac_context *context = place_open((size_t)_i);
	clpac_problem p = base();
	p.n_channels = p.n_segments = 1;
	p.keep_distributions = false; /* a device without denormal numbers gives them as 0 */
	clpac_plan *plan = place_plan(context, &p, NULL);
	float *x = make_noise(3, N_SAMPLES), *tiny = malloc(N_SAMPLES * sizeof *tiny);
	/* The same integers twice: as such, and as the smallest denormal numbers. */
	for (size_t t = 0; t < N_SAMPLES; t++) {
		const int count = (int)(x[t] * 100000);
		const uint32_t bits = (count < 0 ? 0x80000000u : 0u) | (uint32_t)abs(count);
		x[t] = (float)count;
		memcpy(&tiny[t], &bits, sizeof bits);
	}
	struct outcome usual = run_there(plan, x, N_SAMPLES, packed), small = run_there(plan, tiny, N_SAMPLES, packed);
	const size_t cells = COUNT(phase_bands) * COUNT(amplitude_bands);
	ck_assert_int_eq(memcmp(usual.arrays[0][CLPAC_Z], small.arrays[0][CLPAC_Z], cells * sizeof(float)), 0);
	ck_assert_int_eq(memcmp(usual.arrays[0][CLPAC_MI], small.arrays[0][CLPAC_MI], cells * sizeof(float)), 0);
	ck_assert(!isnan(small.arrays[0][CLPAC_MI][0]));
	ck_assert_uint_eq(small.warnings[0], usual.warnings[0]);
	release_outcome(&usual);
	release_outcome(&small);
	free(x);
	free(tiny);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

START_TEST(samples_may_lie_anywhere_in_any_order)
{
	enum { AT = 7, GAP = 3 };
	clpac_context *context = place_open((size_t)_i);
	const clpac_problem p = base();
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac_error err;
	float *x = make_noise(4, N_ALL);
	clpac_result *expected = NULL;
	assert_works(clpac_plan_run(plan, x, &expected, &err), err);
	const clpac__enqueued orders[] = {
		{.sample_stride = N_CHANNELS, .segment_stride = N_CHANNELS * N_SAMPLES, .channel_stride = 1},
		{.sample_stride = 1,
		 .segment_stride = N_SAMPLES + GAP,
		 .channel_stride = N_SEGMENTS * (N_SAMPLES + GAP)},
		{.sample_stride = 1, .segment_stride = N_CHANNELS * N_SAMPLES, .channel_stride = N_SAMPLES},
		{.sample_stride = N_SERIES, .segment_stride = N_CHANNELS, .channel_stride = 1},
	};
	for (size_t o = 0; o < COUNT(orders); o++) {
		clpac__enqueued where = orders[o];
		size_t n;
		where.samples.at = AT;
		ck_assert(clpac__enqueued_samples(plan, &where, &n));
		float *memory = malloc((AT + n) * sizeof *memory);
		for (size_t i = 0; i < AT + n; i++)
			memory[i] = NAN; /* the gaps belong to nobody */
		for (size_t ch = 0; ch < N_CHANNELS; ch++)
			for (size_t s = 0; s < N_SEGMENTS; s++)
				for (size_t t = 0; t < N_SAMPLES; t++)
					memory[AT + ch * where.channel_stride + s * where.segment_stride +
					       t * where.sample_stride] = x[(ch * N_SEGMENTS + s) * N_SAMPLES + t];
		struct outcome got = run_there(plan, memory, AT + n, where);
		compare(expected, &got, 0, place_label((size_t)_i));
		release_outcome(&got);
		free(memory);
	}
	clpac_result_destroy(expected);
	free(x);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

START_TEST(batches_and_chunks_change_nothing_there_either)
{
	static const clpac_plan_options options[] = {
		{.max_batch = 1},
		{.max_batch = 3},
		{.max_batch = 7},
		{.strategy = CLPAC_STRATEGY_CHUNKED, .max_batch = 4},
		{.strategy = CLPAC_STRATEGY_SEQUENTIAL},
	};
	clpac_context *context = place_open((size_t)_i);
	for (size_t i = 0; i < COUNT(options); i++) {
		char label[300];
		clpac_problem p = base();
		p.n_surrogates = 40;
		snprintf(label, sizeof label, "%s, options %zu", place_label((size_t)_i), i);
		clpac_plan *plan = place_plan(context, &p, &options[i]);
		float *x = make_noise(5, N_ALL);
		make_strange(x);
		runs_agree(plan, x, FAR, label);
		runs_agree(plan, x, FAR, label); /* once more, after a run through the host */
		free(x);
		clpac_plan_destroy(plan);
	}
	clpac_context_close(context);
}

START_TEST(rows_whose_edge_lists_overflow_are_found_on_the_device)
{
	clpac_context *context = place_open((size_t)_i);
	const clpac_problem p = base();
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac_error err;
	clpac_result *expected = NULL, *through_host = NULL;
	float *x = make_noise(6, N_ALL);
	assert_works(clpac_plan_run(plan, x, &expected, &err), err);
	/* Rows differ in their number of entries: some fit, and some do not. */
	const size_t capacities[] = {16, 460};
	for (size_t i = 0; i < COUNT(capacities); i++) {
		ck_assert_uint_le(capacities[i], plan->layout.capacity);
		plan->layout.capacity = capacities[i]; /* less than was allocated, for this test */
		assert_works(clpac_plan_run(plan, x, &through_host, &err), err);
		ck_assert_uint_gt(clpac_result_report(through_host)->n_overflowing_series, 0);
		struct outcome got = run_there(plan, x, N_ALL, packed);
		compare(expected, &got, 0, place_label((size_t)_i));
		compare(through_host, &got, 0, place_label((size_t)_i));
		release_outcome(&got);
		clpac_result_destroy(through_host);
		plan->layout.capacity =
			(size_t)(plan->layout.bytes[CLPAC__TENSOR_EDGES] / 4 / plan->layout.batch / COUNT(phase_bands));
	}
	clpac_result_destroy(expected);
	free(x);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

static void check_long_series(size_t place, bool is_streamed)
{
	enum { LONG = 70000 };
	clpac_context *context = place_open_wide(place, 4); /* single bands would fit the cache */
	clpac__for_tests.streamed_from = is_streamed ? 1 : 0;
	clpac__for_tests.span = is_streamed ? 4096 : 0; /* usual ones are half as long as the series */
	clpac__for_tests.cache = 1 << 20;		/* some GPUs' caches hold everything */
	clpac_problem p = base();
	p.rate_hz = 500;
	p.n_channels = p.n_segments = 1;
	p.n_samples = LONG;
	p.n_surrogates = 5;
	clpac_plan *plan = place_plan(context, &p, NULL);
	ck_assert_uint_gt(plan->layout.n_spans, 1);
	ck_assert_int_eq(plan->layout.is_streamed, is_streamed);
	float *x = make_noise(7, LONG);
	for (size_t t = 0; t < LONG; t++) /* a drift, and an amplifier's offset */
		x[t] = 100.0f + 1e-3f * (float)t + x[t];
	runs_agree(plan, x, 1, place_label(place));
	clpac__for_tests.cache = 0;
	clpac__for_tests.span = 0;
	clpac__for_tests.streamed_from = 0;
	free(x);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

START_TEST(long_series_in_windows_agree)
{
	check_long_series((size_t)_i, false);
}

START_TEST(long_series_in_streamed_slabs_agree)
{
	check_long_series((size_t)_i, true);
}

START_TEST(a_pure_line_is_told)
{
	clpac_context *context = place_open((size_t)_i);
	clpac_problem p = base();
	p.n_samples = 4000;
	p.n_channels = 2;
	p.n_segments = 1;
	clpac_plan *plan = place_plan(context, &p, NULL);
	float *x = make_noise(8, 2 * 4000);
	for (size_t t = 0; t < 4000; t++)
		x[t] = 1e-3f * x[t] + cosf(0.2f * (float)t);
	struct outcome got =
		run_there(plan, x, 2 * 4000, (clpac__enqueued){.sample_stride = 1, .channel_stride = 4000});
	ck_assert_uint_eq(got.warnings[0], 1u << CLPAC_WARN_PURE_LINE);
	ck_assert_uint_eq(got.warnings[1], 0);
	release_outcome(&got);
	runs_agree(plan, x, 0, place_label((size_t)_i));
	free(x);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
}

START_TEST(each_failing_allocation_is_told_and_the_next_run_works)
{
	clpac_context *context = place_open((size_t)_i);
	clpac_problem p = base();
	p.null = CLPAC_NULL_BLOCKS;
	float *x = make_noise(9, N_ALL);
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac_error err;
	clpac_buffer *in = NULL, *out = NULL;
	assert_works(clpac_pool_allocate(context->pool, N_ALL * sizeof *x, "in", &in, &err), err);
	assert_works(clpac_pool_allocate(context->pool, N_ALL * sizeof *x, "out", &out, &err), err);
	clpac__enqueued run = packed;
	run.samples.block = clpac__buffer_block(in);
	run.arrays[0][CLPAC_MI].block = clpac__buffer_block(out);
	for (unsigned long number = 1; number <= 2; number++) {
		clpac__fail_allocation(number, false);
		const clpac_status st = clpac__plan_enqueue(plan, &run, &err);
		clpac__fail_allocation(0, false);
		assert_refused(st, err, CLPAC_ERROR_NO_MEMORY, "shifts");
	}
	runs_agree(plan, x, 0, place_label((size_t)_i));
	clpac_buffer_release(in);
	clpac_buffer_release(out);
	clpac_plan_destroy(plan);
	free(x);
	clpac_context_close(context);
}

TCase *enqueue_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("runs on the device");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, a_run_on_the_device_gives_the_numbers_of_one_through_the_host, 0, n);
	tcase_add_loop_test(t, the_peaks_distribution_is_that_of_the_hosts_peak, 0, n);
	tcase_add_loop_test(t, every_shift_and_blocks_agree_in_batches, 0, n);
	tcase_add_loop_test(t, windows_agree_and_stretches_are_refused, 0, n);
	tcase_add_loop_test(t, some_orders_of_measures_agree_each, 0, n);
	tcase_add_loop_test(t, a_further_measure_without_deviation_is_told, 0, n);
	tcase_add_loop_test(t, strange_samples_give_the_same_numbers_and_the_same_nan, 0, n);
	tcase_add_loop_test(t, stretches_at_one_value_are_told_there_too, 0, n);
	tcase_add_loop_test(t, denormal_samples_keep_their_digits, 0, n);
	tcase_add_loop_test(t, samples_may_lie_anywhere_in_any_order, 0, n);
	tcase_add_loop_test(t, rows_whose_edge_lists_overflow_are_found_on_the_device, 0, n);
	tcase_add_loop_test(t, long_series_in_windows_agree, 0, n);
	tcase_add_loop_test(t, long_series_in_streamed_slabs_agree, 0, n);
	tcase_add_loop_test(t, a_pure_line_is_told, 0, n);
	return t;
}

TCase *enqueue_arrangement_laws(size_t n_places)
{
	const int n = (int)n_places;
	TCase *t = tcase_create("runs on the device, arranged");
	tcase_set_tags(t, "arrangement");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, nulls_that_need_the_hosts_samples_are_refused, 0, n);
	tcase_add_loop_test(t, pairs_of_channels_are_refused, 0, n);
	tcase_add_loop_test(t, batches_and_chunks_change_nothing_there_either, 0, n);
	tcase_add_loop_test(t, every_shift_and_blocks_agree_in_chunks_and_series, 0, n);
	tcase_add_loop_test(t, several_measures_agree_each, 0, n);
	tcase_add_loop_test(t, each_failing_allocation_is_told_and_the_next_run_works, 0, n);
	return t;
}
