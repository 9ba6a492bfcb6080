/* Limits of cards: launches of more groups or of more work than a device takes at once are cut, and the numbers stay
 * what they are.
 *
 * The driver is watched: it refuses grids as NVIDIA's devices do, and counts work-items. */
#include "runner.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>

#include "assertions.h"
#include "noise.h"
#include "coupling/opencl/opencl_compute.h"
#include "places.h"
#include "coupling/layout/launch.h"
#include "coupling/layout/test_settings.h"
#include "coupling/passes/plan.h"
#include "queue_kernels.h"
#include "results.h"
#include "coupling/stages/loads.h"
#include "coupling/registry/registry.h"
#include "watched_driver.h"

const int runner_no_fork = 1;

enum { GRID = 65535, GROUP = 64, WIDE = 512 };

static size_t n_places;
static clpac_error failure;

static clpac__opencl_compute *compute_in(const clpac_context *context)
{
	return clpac__opencl_compute_of(context->queue);
}

static clpac_buffer *buffer_of(clpac_context *context, size_t bytes)
{
	clpac_buffer *buffer = NULL;
	assert_works(clpac_pool_allocate(clpac_context_pool(context), bytes, "test", &buffer, &failure), failure);
	return buffer;
}

/* --- Grids --- */

enum { MANY = 70001 };

static clpac_status widen(clpac_context *context, clpac_buffer *in, clpac_buffer *out, clpac_error *err)
{
	return LAUNCH(context, widen, 0, ITEMS(2, MANY, 1), .real = BLOCK(in), .wide = BLOCK(out), .length = 2,
		      .stride = 2);
}

static clpac_status order(clpac_context *context, clpac_buffer *in, clpac_buffer *out, clpac_error *err)
{
	return LAUNCH(context, amplitude_of_array, 0, ITEMS(1, 1, MANY), .array = BLOCK(in), .amplitude = BLOCK(out),
		      .n_samples = 1, .n_rows = 1, .n_bands = 1, .row_stride = 1, .groups = 1, .from = 0,
		      .first_row = 0);
}

START_TEST(grids_are_no_limit_of_a_launch)
{
	clpac_context *context = place_open_card((size_t)_i);
	float *x = make_noise(1, 2 * MANY), *got = malloc(sizeof *got * 4 * MANY);
	clpac_buffer *in = buffer_of(context, sizeof *x * 2 * MANY), *out = buffer_of(context, sizeof *x * 4 * MANY);
	driver.most_groups = GRID;
	assert_works(clpac_buffer_write(in, 0, sizeof *x * 2 * MANY, x, &failure), failure);
	/* Rows in the second dimension, then in the third. */
	assert_works(widen(context, in, out, &failure), failure);
	assert_works(clpac_buffer_read(out, 0, sizeof *x * 4 * MANY, got, &failure), failure);
	for (size_t i = 0; i < 2 * MANY; i++)
		ck_assert_msg(got[2 * i] == x[i] && got[2 * i + 1] == 0, "value %zu is %g + %g i, not %g", i,
			      (double)got[2 * i], (double)got[2 * i + 1], (double)x[i]);
	assert_works(order(context, in, out, &failure), failure);
	assert_works(clpac_buffer_read(out, 0, sizeof *x * MANY, got, &failure), failure);
	ck_assert_mem_eq(got, x, sizeof *x * MANY);
	driver.most_groups = 0;
	clpac_buffer_release(in);
	clpac_buffer_release(out);
	free(x);
	free(got);
	clpac_context_close(context);
}

/* --- Whole runs --- */

static const clpac_band phase_bands[] = {{4.4, 7}, {6, 10}, {9, 13}, {11, 16}};
static const clpac_band amplitude_bands[] = {{25, 35}, {30, 40}, {35, 50}, {45, 60}, {55, 70}};

static clpac_problem problem(size_t n_channels, size_t n_surrogates)
{
	return (clpac_problem){.rate_hz = 250,
			       .n_channels = n_channels,
			       .n_samples = 1200,
			       .phase_bands = phase_bands,
			       .n_phase_bands = COUNT(phase_bands),
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = COUNT(amplitude_bands),
			       .n_surrogates = n_surrogates,
			       .seed = 1,
			       .keep_surrogates = true,
			       .keep_distributions = true};
}

/* How sums are made: by lists, sample by sample, in windows. */
static const struct way {
	const char *name;
	size_t capacity, span;
	clpac_null null;
	size_t n_blocks;
} ways[] = {
	{"lists", 0, 0, CLPAC_NULL_SHIFTS, 0},	   {"samples", 16, 0, CLPAC_NULL_SHIFTS, 0},
	{"windows", 0, 256, CLPAC_NULL_SHIFTS, 0}, {"windows of samples", 16, 256, CLPAC_NULL_SHIFTS, 0},
	{"blocks", 0, 0, CLPAC_NULL_BLOCKS, 5},
};

typedef struct outcome {
	clpac_result *result;
	unsigned n_launches;
	unsigned long long most_items[CLPAC__STAGE_COUNT];
	clpac__layout layout;
} outcome;

static void run_way(clpac_context *context, const struct way *way, clpac_problem p, const float *x, outcome *out)
{
	p.null = way->null;
	p.n_blocks = way->n_blocks;
	clpac__for_tests.span = way->span;
	clpac__for_tests.streamed_from = way->span ? 1 : 0;
	clpac_plan *plan = place_plan(context, &p, NULL);
	clpac__for_tests.span = 0;
	clpac__for_tests.streamed_from = 0;
	if (way->span)
		ck_assert_uint_gt(plan->layout.n_spans, 1);
	if (way->capacity)
		plan->layout.capacity = way->capacity;
	for (unsigned i = 0; i < CLPAC__STAGE_COUNT; i++)
		driver.most_items[i] = 0;
	driver.n_launches = 0;
	assert_works(clpac_plan_run(plan, x, &out->result, &failure), failure);
	out->n_launches = driver.n_launches;
	for (unsigned i = 0; i < CLPAC__STAGE_COUNT; i++)
		out->most_items[i] = driver.most_items[i];
	out->layout = plan->layout;
	clpac_plan_destroy(plan);
}

static void same_in_pieces(clpac_context *context, clpac_problem p, size_t most_groups, uint64_t most_loads)
{
	clpac__opencl_compute *compute = compute_in(context);
	const size_t usual_groups = compute->most_groups;
	const uint64_t usual_loads = compute->base.most_loads;
	float *x = make_noise(3, p.n_channels * p.n_samples);
	for (size_t w = 0; w < COUNT(ways); w++) {
		outcome whole, cut;
		run_way(context, &ways[w], p, x, &whole);
		compute->most_groups = driver.most_groups = most_groups;
		compute->base.most_loads = most_loads;
		run_way(context, &ways[w], p, x, &cut);
		compute->most_groups = usual_groups;
		compute->base.most_loads = usual_loads;
		driver.most_groups = 0;
		results_same_bits(cut.result, whole.result, ways[w].name, "in pieces");
		ck_assert_uint_gt(cut.n_launches, whole.n_launches);
		const uint64_t loads[][2] = {
			{CLPAC__STAGE_modulation_index, cut.layout.capacity},
			{CLPAC__STAGE_modulation_index_direct, cut.layout.kept},
			{CLPAC__STAGE_slab_sums, cut.layout.span},
			{CLPAC__STAGE_variant_indices, cut.layout.kept},
		};
		for (size_t i = 0; i < COUNT(loads); i++) {
			const unsigned long long items = cut.most_items[loads[i][0]];
			ck_assert_msg(items <= most_loads / loads[i][1] + WIDE,
				      "%s: %llu items of %s read %llu values each, and %llu may be read", ways[w].name,
				      items, clpac__stage_get((unsigned)loads[i][0])->name,
				      (unsigned long long)loads[i][1], (unsigned long long)most_loads);
		}
		clpac_result_destroy(whole.result);
		clpac_result_destroy(cut.result);
	}
	free(x);
}

START_TEST(runs_in_small_grids_and_short_commands_say_the_same)
{
	clpac_context *context = place_open_card((size_t)_i);
	same_in_pieces(context, problem(5, 30), 3, UINT64_MAX);
	same_in_pieces(context, problem(5, 30), GRID, 200000);
	/* An item, or a group of them, in each of thousands of commands. */
	same_in_pieces(context, problem(3, 5), 2, 1);
	clpac_context_close(context);
}

/* Every launch names its groups.  Those of a card are filled up, in one command where a CPU's take two, and items that
 * fill them up write nothing: the numbers are those of a CPU's groups, within the rounding of compilers that compute
 * groups of one in another way than those of many (PoCL's divides vectors otherwise). */
START_TEST(launches_have_groups_that_are_filled_up)
{
	static const results_order same_order;
	unsigned n_launches[2] = {0};
	clpac_context *card = place_open_card((size_t)_i), *cpu = place_open_card((size_t)_i);
	cpu->queue->device.kind = CLPAC_DEVICE_OPENCL_CPU;
	cpu->queue->device.compute_units = 2; /* for many cores a CPU's groups would be of one item each */
	const clpac_problem p = problem(5, 30);
	float *x = make_noise(3, p.n_channels * p.n_samples);
	driver.n_without_group = 0;
	for (size_t w = 0; w < COUNT(ways); w++) {
		outcome filled, divided;
		run_way(card, &ways[w], p, x, &filled);
		run_way(cpu, &ways[w], p, x, &divided);
		n_launches[0] += filled.n_launches;
		n_launches[1] += divided.n_launches;
		results_alike_in_order(filled.result, divided.result, &same_order, 4, ways[w].name,
				       "groups that are filled up and groups that divide");
		clpac_result_destroy(filled.result);
		clpac_result_destroy(divided.result);
	}
	ck_assert_uint_eq(driver.n_without_group, 0);
	ck_assert_uint_lt(n_launches[0], n_launches[1]);
	free(x);
	clpac_context_close(card);
	clpac_context_close(cpu);
}

/* A card's work-groups take rows through fused passes side by side, and wait between two of them. */
START_TEST(work_groups_that_wait_say_what_launches_say)
{
	clpac_context *card = place_open_card((size_t)_i);
	const clpac_problem p = problem(5, 30);
	float *x = make_noise(3, p.n_channels * p.n_samples);
	for (size_t w = 0; w < COUNT(ways); w++) {
		outcome fused, apart;
		run_way(card, &ways[w], p, x, &fused);
		clpac__for_tests.passes_apart = true;
		run_way(card, &ways[w], p, x, &apart);
		clpac__for_tests.passes_apart = false;
		results_same_in_items(clpac_context_device(card), fused.result, apart.result, ways[w].name,
				      "passes fused and apart");
		ck_assert_uint_lt(fused.n_launches, apart.n_launches);
		const unsigned long long items = fused.most_items[CLPAC__STAGE_surrogate_statistics];
		ck_assert_msg(items >= p.n_channels * 32 || fused.layout.most_steps != UINT64_MAX,
			      "%s: %llu items for %zu maps", ways[w].name, items, p.n_channels);
		clpac_result_destroy(fused.result);
		clpac_result_destroy(apart.result);
	}
	free(x);
	clpac_context_close(card);
}

/* Rows of 5, 9, 20 and 32 bands, and panels of 32, against bands that lie apart; and surrogates from edge lists, walked
 * around the end of the series, against sums sample by sample. */
START_TEST(bands_side_by_side_say_the_same)
{
	static const struct {
		size_t n_bands, of_row, n_panels;
	} shapes[] = {{5, 5, 1}, {9, 9, 1}, {20, 20, 1}, {25, 32, 1}, {33, 32, 2}};
	clpac_band amplitude[40];
	clpac_context *card = place_open_card((size_t)_i);
	for (size_t am = 0; am < COUNT(amplitude); am++)
		amplitude[am] = (clpac_band){25 + (double)am, 38 + 1.5 * (double)am};
	clpac_problem p = problem(3, 21);
	p.amplitude_bands = amplitude;
	float *x = make_noise(3, p.n_channels * p.n_samples);
	for (size_t i = 0; i < COUNT(shapes); i++) {
		clpac_result *lists = NULL;
		for (size_t w = 0; w < COUNT(ways); w++) {
			outcome beside, apart;
			p.n_amplitude_bands = shapes[i].n_bands;
			run_way(card, &ways[w], p, x, &beside);
			clpac__for_tests.row_groups = 1;
			run_way(card, &ways[w], p, x, &apart);
			clpac__for_tests.row_groups = 0;
			ck_assert_uint_eq(beside.layout.row_stride, shapes[i].of_row);
			ck_assert_uint_eq(beside.layout.groups, shapes[i].n_panels * shapes[i].of_row);
			ck_assert_uint_eq(apart.layout.row_stride, 1);
			results_same_in_items(clpac_context_device(card), beside.result, apart.result, ways[w].name,
					      "bands side by side and apart");
			if (w == 1)
				results_same_in_items(clpac_context_device(card), beside.result, lists, ways[w].name,
						      "against lists");
			clpac_result_destroy(apart.result);
			clpac_result_destroy(lists);
			lists = beside.result;
		}
		clpac_result_destroy(lists);
	}
	free(x);
	clpac_context_close(card);
}

/* Runs one series, and reads what was left of a tensor of its memory. */
static void read_after_run(clpac_context *context, const clpac_problem *p, size_t span, const float *x,
			   enum clpac__tensor tensor, size_t bytes, void *out)
{
	clpac_result *result = NULL;
	clpac__for_tests.span = span;
	clpac__for_tests.streamed_from = span ? 1 : 0;
	clpac_plan *plan = place_plan(context, p, NULL);
	clpac__for_tests.span = 0;
	clpac__for_tests.streamed_from = 0;
	/* A device that takes few steps cuts a series into spans unasked. */
	ck_assert(plan->layout.n_spans > 1 || !span);
	assert_works(clpac_plan_run(plan, x, &result, &failure), failure);
	assert_works(clpac_buffer_read(plan->runs->batches->tensors[tensor], 0, bytes, out, &failure), failure);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
}

/* Bin edges are placed by an item for each list and crossings are loaded many at a time on a card, and by one item each
 * on native devices; what they write differs by roundings at most.  The last band crosses an edge more often than all
 * crossings are taken. */
START_TEST(lists_are_placed_and_lines_seen_as_by_one_item)
{
	static const clpac_band bands[] = {{4, 7}, {9, 14}, {40, 60}};
	enum { N_PHASE = COUNT(bands), BINS = 18, N = 12000 };
	clpac_problem p = problem(1, 1);
	clpac_options options = {.device = "native"};
	clpac_context *card = place_open_card((size_t)_i), *native = NULL;
	float *x = make_noise(3, N);
	assert_works(clpac_context_open(NULL, &options, &native, &failure), failure);
	p.phase_bands = bands;
	p.n_phase_bands = N_PHASE;
	for (size_t way = 0; way < 4; way++) {
		static const size_t lengths[] = {1200, N, 1200, N}, spans[] = {0, 0, 256, 512};
		float lines[2][N_PHASE], weights[2][N_PHASE * 2 * BINS];
		uint32_t largest[2][N_PHASE];
		p.n_samples = lengths[way];
		for (size_t k = 0; k < 2; k++) {
			clpac_context *context = k ? native : card;
			read_after_run(context, &p, spans[way], x, CLPAC__TENSOR_JITTER, sizeof lines[k], lines[k]);
			read_after_run(context, &p, spans[way], x, CLPAC__TENSOR_WEIGHTS, sizeof weights[k],
				       weights[k]);
			read_after_run(context, &p, spans[way], x, CLPAC__TENSOR_LARGEST, sizeof largest[k],
				       largest[k]);
		}
		/* OpenCL's division errs by up to 2.5 units in the last place, which rusticl's does, and C's by a half.
		 */
		for (size_t i = 0; i < N_PHASE * 2 * BINS; i++)
			ck_assert_msg(fabsf(weights[0][i] - weights[1][i]) <= 3 * FLT_EPSILON * fabsf(weights[1][i]),
				      "way %zu, weight %zu: %.9g and %.9g", way, i, (double)weights[0][i],
				      (double)weights[1][i]);
		ck_assert_mem_eq(largest[0], largest[1], sizeof largest[0]);
		for (size_t row = 0; row < N_PHASE; row++) {
			/* Compilers may round a product and its sum once or twice.  2048 sums lose 2048 times 2^-24 of
			 * the squares at most, of which their root has half; the mean takes a small part of them. */
			ck_assert_msg(fabsf(lines[0][row] - lines[1][row]) <= 1e-4f * lines[1][row],
				      "way %zu, band %zu: %.9g and %.9g cycles", way, row, (double)lines[0][row],
				      (double)lines[1][row]);
			ck_assert(lines[1][row] > 0);
		}
	}
	free(x);
	clpac_context_close(card);
	clpac_context_close(native);
}

/* 10^7 samples, summed one by one for n shifts of 30 bands by `rows` of another 30. */
static clpac__launch direct_sums(clpac_buffer *any, size_t n, size_t rows)
{
	return (clpac__launch){.n_bins = 18,
			       .items = {30 * n, rows, 1},
			       CLPAC__STAGE(modulation_index_direct, .prefix = BLOCK(any), .totals = BLOCK(any),
					    .level = BLOCK(any), .bins = BLOCK(any), .starts = BLOCK(any),
					    .weights = BLOCK(any), .shifts = BLOCK(any), .counts = BLOCK(any),
					    .indices = BLOCK(any), .observed = BLOCK(any), .means = BLOCK(any),
					    .n_samples = 10000000, .n_rows = 20000000, .row_stride = 30, .groups = 30,
					    .first_shift = 1, .n_shifts = (uint32_t)n, .shift_stride = 201,
					    .n_phase = 30, .bin_stride = 10000000, .n_bins = 18, .is_for_all = 1,
					    .measure = 0, .mean_factor = 1, .norm = 1)};
}

/* A hundred times the loads that a command may have. */
START_TEST(direct_sums_of_long_series_are_cut)
{
	const uint64_t most = CLPAC__OPENCL_MOST_LOADS;
	clpac_context *context = place_open_card((size_t)_i);
	clpac_buffer *any = buffer_of(context, 4096);
	const clpac__launch launch = direct_sums(any, 200, 60);
	ck_assert_uint_eq(compute_in(context)->base.most_loads, most);
	assert_works(clpac__compute_prepare(context->queue, 18, &failure), failure);
	driver.swallows = true;
	driver.n_launches = 0;
	driver.most_items[CLPAC__STAGE_modulation_index_direct] = 0;
	assert_works(clpac__compute_launch(context->queue, &launch, &failure), failure);
	driver.swallows = false;
	const unsigned long long items = driver.most_items[CLPAC__STAGE_modulation_index_direct];
	ck_assert_uint_gt(items, 0);
	ck_assert_uint_le(items, most / 10000000 + GROUP);
	/* No more commands than that takes, but for those at the ends of rows. */
	ck_assert_uint_ge(driver.n_launches, 360000 / items);
	ck_assert_uint_le(driver.n_launches, 3 * 360000 / items);
	clpac_buffer_release(any);
	clpac_context_close(context);
}

/* A call that waits now and then measures what the device does in a second, and later commands have no more. */
START_TEST(commands_take_no_more_than_a_measured_second)
{
	const uint64_t most = CLPAC__OPENCL_MOST_LOADS, least = most / 8;
	clpac_context *context = place_open_card((size_t)_i);
	clpac_buffer *any = buffer_of(context, 4096);
	const clpac__launch short_one = direct_sums(any, 20, 1), long_one = direct_sums(any, 200, 60);
	clpac_cancel *never;
	assert_works(clpac_cancel_create(&never, &failure), failure);
	assert_works(clpac__compute_prepare(context->queue, 18, &failure), failure);
	clpac_cancel *const before = clpac_cancel_use(never);
	driver.swallows = true;
	driver.swallow_s = 0.5; /* for ten groups of 64 items, 10^7 loads each */
	assert_works(clpac__compute_launch(context->queue, &short_one, &failure), failure);
	driver.swallow_s = 0;
	const uint64_t measured = compute_in(context)->base.most_loads;
	ck_assert_uint_ge(measured, least);
	ck_assert_uint_le(measured, 12800000000u);
	driver.most_items[CLPAC__STAGE_modulation_index_direct] = 0;
	assert_works(clpac__compute_launch(context->queue, &long_one, &failure), failure);
	driver.swallows = false;
	clpac_cancel_use(before);
	ck_assert_uint_le(driver.most_items[CLPAC__STAGE_modulation_index_direct], measured / 10000000 + GROUP);
	/* Commands that were accepted and not run took no time: the bound is the highest again. */
	ck_assert_uint_eq(compute_in(context)->base.most_loads, most);
	clpac_cancel_destroy(never);
	clpac_buffer_release(any);
	clpac_context_close(context);
}

START_TEST(a_second_has_loads_within_bounds)
{
	const uint64_t most = CLPAC__OPENCL_MOST_LOADS;
	ck_assert_uint_eq(clpac__opencl_loads_of_a_second(5000, 0.5, 100), 10000);
	ck_assert_uint_eq(clpac__opencl_loads_of_a_second(5000, 1000, 100), 100);
	ck_assert_uint_eq(clpac__opencl_loads_of_a_second(5000, 0, 100), most);
	ck_assert_uint_eq(clpac__opencl_loads_of_a_second(UINT64_MAX, 1e-9, 100), most);
}

const char *skip_reason(void)
{
	return places_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("limits of cards");
	TCase *t = tcase_create("launches");
	n_places = places_find("opencl");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, grids_are_no_limit_of_a_launch, 0, (int)n_places);
	tcase_add_loop_test(t, runs_in_small_grids_and_short_commands_say_the_same, 0, (int)n_places);
	tcase_add_loop_test(t, work_groups_that_wait_say_what_launches_say, 0, (int)n_places);
	tcase_add_loop_test(t, launches_have_groups_that_are_filled_up, 0, (int)n_places);
	tcase_add_loop_test(t, bands_side_by_side_say_the_same, 0, (int)n_places);
	tcase_add_loop_test(t, lists_are_placed_and_lines_seen_as_by_one_item, 0, (int)n_places);
	tcase_add_loop_test(t, direct_sums_of_long_series_are_cut, 0, (int)n_places);
	tcase_add_loop_test(t, commands_take_no_more_than_a_measured_second, 0, (int)n_places);
	tcase_add_test(t, a_second_has_loads_within_bounds);
	suite_add_tcase(s, t);
	return s;
}
