/* Which passes of a plan are fused (coupling/layout/fused.c): each threshold from both sides; and the bound of a plan's
 * steps. */
#include "runner.h"

#include <string.h>

#include "assertions.h"
#include "coupling/layout/fused.h"
#include "coupling/layout/steps.h"
#include "coupling/layout/test_settings.h"

/* A short series on a GPU, in whose layout every pass is fused. */
static clpac__layout short_layout(void)
{
	const clpac__bank bank = {.n = 4, .length = 1024, .step = 1024, .n_sections = 1, .sections = 1, .gap = 1};
	return (clpac__layout){.n_series = 1,
			       .n_samples = 1024,
			       .kept = 1024,
			       .n_phase = 4,
			       .n_amplitude = 8,
			       .n_bins = 18,
			       .n_surrogates = 100,
			       .banks = {bank, bank},
			       .strip = 16,
			       .n_strips = 4,
			       .tap_stride = 33,
			       .tile = 64,
			       .n_tiles = 16,
			       .edge_tile = 64,
			       .n_edge_tiles = 16,
			       .capacity = 64,
			       .groups = 2,
			       .row_stride = 2,
			       .span = 1024,
			       .n_spans = 1,
			       .rows = 1024,
			       .padded = 8,
			       .vector_width = 1,
			       .together = 1,
			       .abreast = 1,
			       .ranked = 8,
			       .moment_groups = 1,
			       .tiles_abreast = 1,
			       .most_steps = UINT64_MAX,
			       .group_bands = 4,
			       .chunk = 100};
}

static const struct {
	bool (*fuses)(const clpac__layout *layout);
	enum clpac__stage stage;
} passes[] = {{clpac__fuses_edges, CLPAC__STAGE_edge_lists},
	      {clpac__fuses_sums, CLPAC__STAGE_amplitude_sums},
	      {clpac__fuses_noise, CLPAC__STAGE_section_noise},
	      {clpac__fuses_statistics, CLPAC__STAGE_surrogate_statistics}};

TEST_EACH(what_is_fused_takes_no_more_steps_than_it_may, COUNT(passes))
{
	clpac__layout l = short_layout();
	ck_assert(passes[_i].fuses(&l));
	l.most_steps = clpac__fused_steps(&l, passes[_i].stage);
	ck_assert_uint_gt(l.most_steps, 0);
	ck_assert(passes[_i].fuses(&l));
	l.most_steps--;
	ck_assert(!passes[_i].fuses(&l));
	ck_assert_uint_eq(clpac__fused_steps(&l, passes[_i].stage), 0);
	l = short_layout();
	clpac__for_tests.passes_apart = true;
	const bool is_fused = passes[_i].fuses(&l);
	clpac__for_tests.passes_apart = false;
	ck_assert(!is_fused);
}

TEST(edges_of_64_tiles_of_one_span_are_fused)
{
	clpac__layout l = short_layout();
	l.n_edge_tiles = 64;
	ck_assert(clpac__fuses_edges(&l));
	l.n_edge_tiles = 65;
	ck_assert(!clpac__fuses_edges(&l));
	l = short_layout();
	l.n_spans = 2;
	ck_assert(!clpac__fuses_edges(&l));
}

/* What clpac__decide_edge_tiles makes of a layout on a device with so many units. */
static void check_edge_tile(clpac__layout l, clpac_device_kind kind, unsigned units, size_t tile)
{
	const clpac_device device = {.kind = kind, .compute_units = units};
	clpac__decide_edge_tiles(&l, &device);
	ck_assert_uint_eq(l.edge_tile, tile);
	ck_assert_uint_eq(l.n_edge_tiles, (l.kept + tile - 1) / tile);
}

/* 4 rows of 1024 samples. */
TEST(few_rows_have_short_tiles_on_a_gpu)
{
	clpac__layout l = short_layout();
	check_edge_tile(l, CLPAC_DEVICE_DISCRETE_GPU, 132, 16); /* 64 tiles */
	check_edge_tile(l, CLPAC_DEVICE_INTEGRATED_GPU, 132, 16);
	check_edge_tile(l, CLPAC_DEVICE_OPENCL_CPU, 132, 64);
	check_edge_tile(l, CLPAC_DEVICE_NATIVE, 132, 64);
	l.n_series = 528; /* 2112 rows: 32 tiles of each are as many lanes as 132 units want */
	check_edge_tile(l, CLPAC_DEVICE_DISCRETE_GPU, 132, 32);
	l.n_series = 2112; /* what there is, is enough */
	check_edge_tile(l, CLPAC_DEVICE_DISCRETE_GPU, 132, 64);
	l = short_layout();
	l.kept = 1000; /* the last tile is shorter */
	check_edge_tile(l, CLPAC_DEVICE_DISCRETE_GPU, 132, 16);
	l.vector_width = 4;
	check_edge_tile(l, CLPAC_DEVICE_DISCRETE_GPU, 132, 64);
	/* Where shorter tiles would take one step more than the device does, they stay. */
	l = short_layout();
	l.most_steps = UINT64_MAX;
	const clpac_device device = {.kind = CLPAC_DEVICE_DISCRETE_GPU, .compute_units = 132};
	clpac__layout short_tiles = l;
	clpac__decide_edge_tiles(&short_tiles, &device);
	l.most_steps = clpac__fused_steps(&short_tiles, CLPAC__STAGE_edge_lists) - 1;
	check_edge_tile(l, CLPAC_DEVICE_DISCRETE_GPU, 132, 64);
}

TEST(a_cpu_has_long_tiles_in_spans_and_in_rows_of_one_item)
{
	clpac__layout l = short_layout();
	l.vector_width = 4;
	check_edge_tile(l, CLPAC_DEVICE_NATIVE, 2, 2048);
	check_edge_tile(l, CLPAC_DEVICE_OPENCL_CPU, 2, 2048);
	l.n_spans = 4;
	l.span = 256;
	check_edge_tile(l, CLPAC_DEVICE_NATIVE, 2, 256);
	l.span = 192; /* whole tiles alone */
	check_edge_tile(l, CLPAC_DEVICE_NATIVE, 2, 64);
	l.span = 8192;
	l.most_steps = clpac__steps_of_count(&l, 512);
	check_edge_tile(l, CLPAC_DEVICE_NATIVE, 2, 512);
	/* Neither: a launch takes the tiles of such a row side by side. */
	l = short_layout();
	l.vector_width = 4;
	l.kept = 65 * 64;
	l.n_tiles = l.n_edge_tiles = 65;
	check_edge_tile(l, CLPAC_DEVICE_NATIVE, 2, 64);
}

TEST(sums_of_256_tiles_of_bands_are_fused)
{
	clpac__layout l = short_layout();
	l.n_tiles = 32;
	l.row_stride = 8;
	ck_assert_uint_eq(clpac__lanes_of_sums(&l), 256);
	ck_assert(clpac__fuses_sums(&l));
	l.is_streamed = true;
	ck_assert(!clpac__fuses_sums(&l));
	l = short_layout();
	l.n_tiles = 33; /* as many as a tile does not add up by itself */
	l.row_stride = 1;
	ck_assert(!clpac__fuses_sums(&l));
	l.n_tiles = 1;
	l.row_stride = 257;
	ck_assert(!clpac__fuses_sums(&l));
}

TEST(noise_is_fused_where_all_bands_come_at_once)
{
	clpac__layout l = short_layout();
	l.group_bands = l.n_phase - 1;
	ck_assert_uint_eq(clpac__layout_group(&l, CLPAC_PHASE), l.n_phase - 1);
	ck_assert(!clpac__fuses_noise(&l));
	l = short_layout();
	l.tap_stride = 0;
	ck_assert(!clpac__fuses_noise(&l));
}

TEST(statistics_of_256_groups_in_one_chunk_are_fused)
{
	clpac__layout l = short_layout();
	l.groups = 64;
	ck_assert(clpac__fuses_statistics(&l));
	l.groups = 65;
	ck_assert(!clpac__fuses_statistics(&l));
	l = short_layout();
	l.chunk = l.n_surrogates - 1;
	ck_assert(!clpac__fuses_statistics(&l));
	l = short_layout();
	l.n_surrogates = l.chunk = 0;
	ck_assert(!clpac__fuses_statistics(&l));
}

/* Items of many surrogates, of which there is one: a phase band costs more than all else of the fused pass. */
TEST(statistics_of_some_phases_at_once_are_not_fused)
{
	clpac__layout l = short_layout();
	l.n_phase = 2;
	l.n_amplitude = l.n_surrogates = l.chunk = l.groups = 1;
	l.ranked = 64;
	ck_assert(clpac__fuses_statistics(&l));
	uint64_t all = clpac__steps_of(&l, CLPAC__STAGE_surrogate_maxima);
	l.most_steps = all;
	ck_assert_uint_eq(clpac__steps_phases(&l), 2);
	l.most_steps = all - 1;
	ck_assert_uint_eq(clpac__steps_phases(&l), 1);
	ck_assert(!clpac__fuses_statistics(&l));
}

/* As many at once as the limit lets, by the steps of a layout of so many without a limit. */
TEST(surrogates_and_phases_at_once_are_as_many_as_can_be)
{
	for (size_t n = 1; n <= 20; n++) {
		clpac__layout free = short_layout(), l = short_layout();
		free.n_surrogates = n;
		l.most_steps = clpac__steps_of(&free, CLPAC__STAGE_surrogate_moments);
		ck_assert_uint_eq(clpac__steps_surrogates(&l), n);
		l.most_steps--;
		ck_assert_uint_eq(clpac__steps_surrogates(&l), n > 1 ? n - 1 : 1);
		free = short_layout();
		free.n_phase = n;
		l.n_phase = 21;
		l.most_steps = clpac__steps_of(&free, CLPAC__STAGE_surrogate_maxima);
		ck_assert_uint_eq(clpac__steps_phases(&l), n);
		l.most_steps--;
		ck_assert_uint_eq(clpac__steps_phases(&l), n > 1 ? n - 1 : 1);
	}
}

TEST(a_plan_of_just_as_many_steps_as_a_device_takes_is_good)
{
	clpac__layout l = short_layout();
	clpac_error err;
	uint64_t n_steps, again;
	for (int is_enqueued = 0; is_enqueued < 2; is_enqueued++) {
		l.most_steps = UINT64_MAX;
		clpac__steps_longest(&l, is_enqueued, &n_steps);
		/* Limited, some stages take fewer, and the longest is another. */
		l.most_steps = n_steps;
		const enum clpac__stage longest = clpac__steps_longest(&l, is_enqueued, &again);
		ck_assert_uint_eq(again, n_steps);
		assert_works(clpac__steps_check(&l, is_enqueued, "a device", &err), err);
		ck_assert_uint_eq(clpac__steps_of(&l, longest), n_steps);
	}
	/* What cannot be cut: an item for a tile of one sample. */
	l = (clpac__layout){.n_bins = 18, .tile = 1, .n_tiles = 1, .vector_width = 1, .abreast = 1, .n_spans = 2};
	l.most_steps = UINT64_MAX;
	clpac__steps_longest(&l, false, &n_steps);
	l.most_steps = n_steps - 1;
	clpac__steps_longest(&l, false, &again);
	ck_assert_uint_eq(again, n_steps);
	ck_assert_int_eq(clpac__steps_check(&l, false, "a device", &err), CLPAC_ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "a device gives up loops after "));
	l.most_steps = n_steps;
	assert_works(clpac__steps_check(&l, false, "a device", &err), err);
}
