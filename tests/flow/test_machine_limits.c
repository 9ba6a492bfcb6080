/* Plans on machines that no developer has, recorded from users' reports: widths of vectors, slabs where a cache's
 * size is told wrongly, and places that 32 bits cannot count.
 *
 * The native device stands for those machines' devices: it computes in their layout. */
#include "config.h"
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/devices.h>
#include <clpac/memory/buffer.h>

#include "assertions.h"
#include "contract/places.h"
#include "noise.h"
#ifdef HAVE_OPENCL
#include "coupling/opencl/opencl_compute.h"
#endif
#include "coupling/layout/launch.h"
#include "coupling/layout/test_settings.h"
#include "coupling/passes/plan.h"
#include "coupling/problem/problem.h"
#include "coupling/passes/transform.h"
#include "coupling/registry/registry.h"
#include "queue_kernels.h"
#include "results.h"

static clpac_error err;

static const char *const machines[] = {
	"h100",	  "two_nvidia", "amd_two_platforms", "intel_integrated", "pocl_only", "broken_vendor",
	"laptop", "nothing"};

static clpac_device_list *machine(const char *name)
{
	char path[4096];
	clpac_device_list *list = NULL;
	snprintf(path, sizeof path, "%s/machines/%s.json", getenv("CLPAC_TEST_DATA"), name);
	assert_works(clpac_devices_read(path, &list, &err), err);
	return list;
}

static bool is_cpu(const clpac_device *device)
{
	return device->kind == CLPAC_DEVICE_NATIVE || device->kind == CLPAC_DEVICE_OPENCL_CPU;
}

/* The native device in the layout of another, with the bands of a sample side by side: NULL for a discrete card with
 * 4 MiB of cache.  It keeps its vectors, and computes. */
static clpac_context *open_side_by_side(const clpac_device *device)
{
	clpac_context *context = place_open(0);
	clpac_device *own = &context->queue->device;
	own->kind = device ? device->kind : CLPAC_DEVICE_DISCRETE_GPU;
	own->cache_bytes = device ? device->cache_bytes : 4 << 20;
	own->max_allocation_bytes = device ? device->max_allocation_bytes : 0;
	assert_works(clpac__context_equip(context, &err), err);
	return context;
}

/* The same with vectors of one band: for layouts, with which nothing is computed. */
static clpac_context *open_as(const clpac_device *device)
{
	clpac_context *context = open_side_by_side(device);
	compute_of(context->queue)->vector_width = 1;
	return context;
}

/* The layout of a problem; no memory is taken for it. */
static clpac__layout layout_of(clpac_context *context, const clpac_problem *problem)
{
	clpac_problem_copy *whole = NULL;
	clpac__layout layout;
	assert_works(clpac_problem_complete(problem, &whole, &err), err);
	assert_works(clpac__layout_begin(clpac_problem_get(whole), context->queue, clpac__context_engine(context), 0,
					 &layout, &err),
		     err);
	clpac_problem_destroy(whole);
	return layout;
}

/* --- Widths --- */

#ifdef HAVE_OPENCL
START_TEST(vectors_are_for_cpus_alone)
{
	unsigned n_wide = 0;
	clpac_device_list *list = machine(machines[_i]);
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		const clpac_device *device = clpac_devices_get(list, i);
		const unsigned width = clpac__opencl_vector_width(device, 0), told = device->vector_width_float;
		if (device->kind == CLPAC_DEVICE_OPENCL_CPU)
			ck_assert_uint_eq(width, told >= 16 ? 16 : told >= 8 ? 8 : told >= 4 ? 4 : 1);
		else
			ck_assert_msg(width == 1, "%s reports vectors of %u and gets %u", device->name, told, width);
		n_wide += told > 1 && !is_cpu(device);
		/* A wish is followed. */
		ck_assert_uint_eq(clpac__opencl_vector_width(device, 8), 8);
	}
	if (strcmp(machines[_i], "broken_vendor") == 0)
		ck_assert_uint_gt(n_wide, 0); /* a device that is no CPU reports vectors */
	clpac_devices_destroy(list);
}
#endif

/* --- Caches --- */

enum { N_WIDE = 32, SLAB = 1 << 20 };

static const clpac_band slow_and_fast[] = {{4, 6}, {8, 13}};

static clpac_problem wide_problem(clpac_band *amplitude, size_t n_samples)
{
	for (size_t am = 0; am < N_WIDE; am++)
		amplitude[am] = (clpac_band){40 + (double)am, 70 + 2 * (double)am};
	return (clpac_problem){.rate_hz = 500,
			       .n_samples = n_samples,
			       .phase_bands = slow_and_fast,
			       .n_phase_bands = COUNT(slow_and_fast),
			       .amplitude_bands = amplitude,
			       .n_amplitude_bands = N_WIDE,
			       .n_surrogates = 200};
}

/* Slabs of a first-level cache of 16 KiB, which ROCm tells, were of 661 rows: 1500 launches in place of 60. */
START_TEST(slabs_are_not_those_of_a_first_level_cache)
{
	clpac_device_list *list = machine(machines[_i]);
	clpac_band amplitude[N_WIDE];
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		const clpac_device *device = clpac_devices_get(list, i);
		if (is_cpu(device))
			continue;
		clpac_context *context = open_as(device);
		clpac_problem p = wide_problem(amplitude, 1000000);
		clpac__layout layout = layout_of(context, &p);
		const uint64_t bytes = (uint64_t)layout.span * layout.padded * 4;
		ck_assert_uint_gt(layout.n_spans, 1);
		ck_assert_msg(bytes >= SLAB, "%s: a slab has %llu KiB", device->name, (unsigned long long)bytes >> 10);
		/* Nor are series cut that fit into any device's cache. */
		p = wide_problem(amplitude, 8000);
		layout = layout_of(context, &p);
		ck_assert_uint_eq(layout.n_spans, 1);
		clpac_context_close(context);
	}
	clpac_devices_destroy(list);
}

/* --- Places --- */

/* 1.3e8 samples x 40 amplitude bands are 5.2e9 places: 21 GB, as a card of 80 GB holds. */
enum { N_LONG = 130000000, N_BANDS = 40 };

static const struct huge {
	const char *name;
	clpac_null null;
	size_t n_surrogates, n_blocks;
	double rate_hz;
	clpac_measure measure;
	unsigned n_bins;
} huge[] = {
	{"shifts", CLPAC_NULL_SHIFTS, 200, 0, 1000, CLPAC_MEASURE_MI, 0},
	{"slow phases", CLPAC_NULL_SHIFTS, 200, 0, 400000, CLPAC_MEASURE_MI, 0},
	{"no surrogates", CLPAC_NULL_SHIFTS, 0, 0, 1000, CLPAC_MEASURE_MI, 0},
	{"blocks", CLPAC_NULL_BLOCKS, 20, 10, 1000, CLPAC_MEASURE_MI, 0},
	{"random phases", CLPAC_NULL_PHASES, 20, 0, 1000, CLPAC_MEASURE_MI, 0},
	{"a linear measure", CLPAC_NULL_SHIFTS, 20, 0, 1000, CLPAC_MEASURE_GLM, 0},
	{"many bins", CLPAC_NULL_BLOCKS, 20, 10, 1000, CLPAC_MEASURE_MI, 128},
};

static clpac_problem huge_problem(const struct huge *h, clpac_band *amplitude)
{
	static const clpac_band slow[] = {{0.5, 0.8}, {0.8, 1.2}};
	for (size_t am = 0; am < N_BANDS; am++)
		amplitude[am] = (clpac_band){40 + (double)am, 70 + 2 * (double)am};
	return (clpac_problem){.rate_hz = h->rate_hz,
			       .n_samples = N_LONG,
			       .phase_bands = slow,
			       .n_phase_bands = COUNT(slow),
			       .amplitude_bands = amplitude,
			       .n_amplitude_bands = N_BANDS,
			       .null = h->null,
			       .n_surrogates = h->n_surrogates,
			       .n_blocks = h->n_blocks,
			       .measures = &h->measure,
			       .n_measures = 1,
			       .n_bins = h->n_bins};
}

START_TEST(places_of_crossings_are_counted_in_32_bits)
{
	const struct huge *h = &huge[_i];
	clpac_band amplitude[N_BANDS];
	clpac_context *context = open_as(NULL);
	const clpac_problem p = huge_problem(h, amplitude);
	const clpac__layout layout = layout_of(context, &p);
	ck_assert_msg((uint64_t)layout.span * layout.row_stride <= UINT32_MAX, "%s: a span has %zu rows of %zu vectors",
		      h->name, layout.span, layout.row_stride);
	ck_assert_uint_ge(layout.span * layout.n_spans, layout.kept);
	ck_assert_uint_eq(layout.row_stride, 32); /* bands of a sample still lie side by side */
	ck_assert_uint_le(layout.capacity, UINT32_MAX);
	ck_assert_uint_le(layout.rows, UINT32_MAX);
	clpac_context_close(context);
}

START_TEST(lists_have_no_more_room_than_can_be_counted)
{
	static const clpac_band phase[] = {{150, 200}};
	static const clpac_band amplitude[] = {{210, 240}};
	const clpac_problem p = {.rate_hz = 500,
				 .n_samples = 500000000,
				 .phase_bands = phase,
				 .n_phase_bands = 1,
				 .amplitude_bands = amplitude,
				 .n_amplitude_bands = 1,
				 .allow_narrow = true,
				 .n_bins = 128};
	clpac_context *context = open_as(NULL);
	const clpac__layout layout = layout_of(context, &p);
	ck_assert_uint_gt(layout.capacity, (size_t)1 << 31);
	ck_assert_uint_le(layout.capacity, UINT32_MAX);
	clpac_context_close(context);
}

START_TEST(more_crossings_than_can_be_counted_do_not_fit)
{
	enum { N = 4, STARTS = 2 * N + 4 };
	const uint32_t each = UINT32_C(1) << 29; /* eight lists: 2^32, and 16 more */
	uint32_t totals[3 * N] = {each, each, each, each, each, each, each, each + 16}, counts[3 * N] = {0};
	uint32_t starts[STARTS];
	uint8_t bins[16] = {0};
	clpac_context *context = open_side_by_side(NULL);
	clpac_pool *pool = clpac_context_pool(context);
	clpac_buffer *of[6] = {NULL};
	for (size_t i = 0; i < COUNT(of); i++)
		assert_works(clpac_pool_allocate(pool, 1024, "test", &of[i], &err), err);
	assert_works(clpac_buffer_write(of[0], 0, sizeof totals, totals, &err), err);
	assert_works(clpac_buffer_write(of[1], 0, sizeof counts, counts, &err), err);
	assert_works(clpac_buffer_write(of[2], 0, sizeof bins, bins, &err), err);
	const clpac__launch launch = {
		.n_bins = N,
		.items = {1, 1, 1},
		CLPAC__STAGE(place_edges, .totals = BLOCK(of[0]), .tile_counts = BLOCK(of[1]), .bins = BLOCK(of[2]),
			     .starts = BLOCK(of[3]), .weights = BLOCK(of[4]), .largest = BLOCK(of[5]), .n_samples = 16,
			     .bin_stride = 16, .n_tiles = 1, .span_tiles = 1, .n_spans = 1, .n_bins = N,
			     .capacity = 1024, .average = 0, .lists_of_item = 2 * N)};
	assert_works(clpac__compute_launch(context->queue, &launch, &err), err);
	assert_works(clpac_buffer_read(of[3], 0, sizeof starts, starts, &err), err);
	ck_assert_uint_eq(starts[2 * N + 3], 0);
	for (size_t i = 0; i < COUNT(of); i++)
		clpac_buffer_release(of[i]);
	clpac_context_close(context);
}

/* A line that crosses an edge in the first sample of each span, whose rows are 2^33 all together. */
START_TEST(a_line_is_seen_beyond_32_bits)
{
	enum { N = 2, STARTS = 2 * N + 4, SPANS = 1 << 17 };
	const uint32_t span_rows = 65536;
	static uint32_t starts[SPANS * STARTS], edges[SPANS];
	float jitter;
	clpac_context *context = open_side_by_side(NULL);
	clpac_pool *pool = clpac_context_pool(context);
	clpac_buffer *of[3] = {NULL};
	for (uint32_t span = 0; span < SPANS; span++) {
		starts[span * STARTS] = span;
		for (int list = 1; list <= 2 * N; list++)
			starts[span * STARTS + list] = span + 1;
	}
	for (size_t i = 0; i < COUNT(of); i++)
		assert_works(clpac_pool_allocate(pool, sizeof starts, "test", &of[i], &err), err);
	assert_works(clpac_buffer_write(of[0], 0, sizeof edges, edges, &err), err);
	assert_works(clpac_buffer_write(of[1], 0, sizeof starts, starts, &err), err);
	const clpac__launch launch = {.n_bins = N,
				      .items = {1, 1, 1},
				      CLPAC__STAGE(phase_line, .edges = BLOCK(of[0]), .starts = BLOCK(of[1]),
						   .jitter = BLOCK(of[2]), .capacity = SPANS, .n_spans = SPANS,
						   .span_rows = span_rows, .n_bins = N)};
	assert_works(clpac__compute_launch(context->queue, &launch, &err), err);
	assert_works(clpac_buffer_read(of[2], 0, sizeof jitter, &jitter, &err), err);
	ck_assert_msg(jitter >= 0 && jitter < 1e-4, "a pure line has a jitter of %g cycles", (double)jitter);
	for (size_t i = 0; i < COUNT(of); i++)
		clpac_buffer_release(of[i]);
	clpac_context_close(context);
}

static const clpac_band phase_bands[] = {{4.4, 7}, {6, 10}, {9, 13}};
enum { N_SMALL = 40 }; /* two panels of bands */

/* Nulls that need whole series, and measures beside bins, cut in spans whose places can be counted, and with groups
 * apart, where not even those of a tile can. */
static const struct small {
	const char *name;
	clpac_null null;
	size_t n_blocks, n_segments, shift_step;
	clpac_hilbert hilbert;
	clpac_measure measures[2];
	size_t n_measures;
} small[] = {
	{"shifts", CLPAC_NULL_SHIFTS, 0, 1, 0, CLPAC_HILBERT_LOCAL, {CLPAC_MEASURE_MI, CLPAC_MEASURE_HR}, 2},
	{"shifts, trimmed", CLPAC_NULL_SHIFTS, 0, 1, 0, CLPAC_HILBERT_TRIMMED, {CLPAC_MEASURE_MI, 0}, 1},
	{"every shift", CLPAC_NULL_ALL_SHIFTS, 0, 1, 10, CLPAC_HILBERT_LOCAL, {CLPAC_MEASURE_MI, 0}, 1},
	{"blocks", CLPAC_NULL_BLOCKS, 5, 1, 0, CLPAC_HILBERT_LOCAL, {CLPAC_MEASURE_MI, CLPAC_MEASURE_GLM}, 2},
	{"trials", CLPAC_NULL_TRIALS, 0, 6, 0, CLPAC_HILBERT_LOCAL, {CLPAC_MEASURE_MI, CLPAC_MEASURE_GCMI}, 2},
	{"linear", CLPAC_NULL_SHIFTS, 0, 1, 0, CLPAC_HILBERT_LOCAL, {CLPAC_MEASURE_GLM, CLPAC_MEASURE_MI}, 2},
};

START_TEST(series_cut_for_their_places_say_the_same)
{
	const struct small *s = &small[_i];
	clpac_band amplitude[N_SMALL];
	for (size_t am = 0; am < N_SMALL; am++)
		amplitude[am] = (clpac_band){25 + (double)am, 40 + 2 * (double)am};
	const clpac_problem p = {.rate_hz = 250,
				 .n_channels = 2,
				 .n_segments = s->n_segments,
				 .n_samples = 1200,
				 .phase_bands = phase_bands,
				 .n_phase_bands = COUNT(phase_bands),
				 .amplitude_bands = amplitude,
				 .n_amplitude_bands = N_SMALL,
				 .null = s->null,
				 .n_surrogates = s->null == CLPAC_NULL_ALL_SHIFTS ? 0 : 21,
				 .n_blocks = s->n_blocks,
				 .shift_step = s->shift_step,
				 .hilbert = s->hilbert,
				 .measures = s->measures,
				 .n_measures = s->n_measures,
				 .seed = 1,
				 .keep_surrogates = true,
				 .keep_distributions = true};
	float *x = make_noise(3, p.n_channels * p.n_segments * p.n_samples);
	clpac_context *context = open_side_by_side(NULL);
	clpac_plan *plan = place_plan(context, &p, NULL);
	const size_t stride = plan->layout.row_stride, limits[] = {800 * stride, 256 * stride - 1};
	clpac_result *own = NULL, *whole = NULL, *cut = NULL;
	ck_assert_uint_eq(plan->layout.n_spans, 1);
	ck_assert_uint_gt(stride, 1);
	ck_assert_uint_eq(plan->layout.groups, 2 * stride);
	assert_works(clpac_plan_run(plan, x, &whole, &err), err);
	clpac_plan_destroy(plan);
	for (size_t i = 0; i < COUNT(limits); i++) {
		clpac__for_tests.places = limits[i];
		plan = place_plan(context, &p, NULL);
		clpac__for_tests.places = 0;
		const clpac__layout *layout = &plan->layout;
		ck_assert_uint_gt(layout->n_spans, 1);
		ck_assert_uint_le(layout->span * layout->row_stride, limits[i]);
		ck_assert_uint_eq(layout->row_stride, i ? 1 : stride);
		assert_works(clpac_plan_run(plan, x, &cut, &err), err);
		results_same_bits(cut, whole, s->name, i ? "groups apart" : "groups side by side");
		clpac_result_destroy(cut);
		clpac_plan_destroy(plan);
	}
	clpac__for_tests.row_groups = 1;
	plan = place_plan(context, &p, NULL);
	clpac__for_tests.row_groups = 0;
	ck_assert_uint_eq(plan->layout.row_stride, 1);
	assert_works(clpac_plan_run(plan, x, &own, &err), err);
	results_same_bits(own, whole, s->name, "bands apart");
	clpac_plan_destroy(plan);
	clpac_result_destroy(own);
	clpac_result_destroy(whole);
	clpac_context_close(context);
	free(x);
}

/* --- Rows of transforms --- */

/* 70 000 short series of 30 bands: as many rows as memory has room for were transformed at once. */
START_TEST(transforms_have_rows_for_a_group_each)
{
	clpac_band amplitude[N_WIDE];
	clpac_context *context = open_as(NULL);
	clpac_problem p = wide_problem(amplitude, 300);
	p.n_channels = 70000;
	for (int given = 0; given < 2; given++) {
		clpac__layout layout = layout_of(context, &p);
		clpac__search search;
		clpac__search_begin(&search, context, CLPAC_STRATEGY_AUTO, given ? 70000 : 0, UINT64_MAX / 2, &layout);
		ck_assert(clpac__search_next(&search, &layout));
		ck_assert_uint_gt(layout.batch, 1000);
		ck_assert_uint_le(clpac__transforms_rows(&layout), 65535);
		/* Surrogates of a series that 32 bits cannot count are taken in chunks. */
		ck_assert_uint_le((uint64_t)layout.n_phase * layout.padded * (layout.chunk + 1), UINT32_MAX);
	}
	clpac_context_close(context);
}

START_TEST(surrogates_beyond_32_bits_come_in_chunks)
{
	clpac_band amplitude[N_WIDE];
	clpac_context *context = open_as(NULL);
	clpac_problem p = wide_problem(amplitude, 1000);
	p.n_surrogates = 100000000; /* times 2 x 32 cells: 6.4e9 */
	clpac__layout layout = layout_of(context, &p);
	clpac__search search;
	clpac__search_begin(&search, context, CLPAC_STRATEGY_VECTORIZED, 0, UINT64_MAX / 2, &layout);
	ck_assert(clpac__search_next(&search, &layout));
	ck_assert_uint_gt(layout.chunk, 1);
	ck_assert_uint_le((uint64_t)layout.n_phase * layout.padded * (layout.chunk + 1), UINT32_MAX);
	clpac_context_close(context);
}

const char *skip_reason(void)
{
	return getenv("CLPAC_TEST_DATA") ? places_missing("native")
					 : "CLPAC_TEST_DATA is not set: run it by make check";
}

Suite *suite(void)
{
	Suite *s = suite_create("limits of machines");
	TCase *c = tcase_create("plans");
	places_find("native");
	tcase_set_timeout(c, 120);
#ifdef HAVE_OPENCL
	tcase_add_loop_test(c, vectors_are_for_cpus_alone, 0, COUNT(machines));
#endif
	tcase_add_loop_test(c, slabs_are_not_those_of_a_first_level_cache, 0, COUNT(machines));
	tcase_add_loop_test(c, places_of_crossings_are_counted_in_32_bits, 0, COUNT(huge));
	tcase_add_test(c, lists_have_no_more_room_than_can_be_counted);
	tcase_add_test(c, more_crossings_than_can_be_counted_do_not_fit);
	tcase_add_test(c, a_line_is_seen_beyond_32_bits);
	tcase_add_loop_test(c, series_cut_for_their_places_say_the_same, 0, COUNT(small));
	tcase_add_test(c, transforms_have_rows_for_a_group_each);
	tcase_add_test(c, surrogates_beyond_32_bits_come_in_chunks);
	suite_add_tcase(s, c);
	return s;
}
