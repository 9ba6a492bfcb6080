/* The thresholds of coupling/layout/strategy.c, each from both sides: how much is worth computing at once, on a CPU and
 * on a GPU.
 */
#include "runner.h"

#include <string.h>

#include "assertions.h"
#include "memory/context/context.h"
#include "memory/native/native.h"
#include "coupling/layout/strategy.h"

static clpac_error err;
static clpac_context *opened, context;
static clpac__native_queue own; /* whole: an engine asks it for its threads */

/* A context on a device of this kind and with as many threads; it computes nothing. */
static void begin(clpac_device_kind kind, unsigned n_threads)
{
	assert_works(clpac_context_open(NULL, &(clpac_options){.device = "native"}, &opened, &err), err);
	assert_works(clpac__context_equip(opened, &err), err);
	own = *(const clpac__native_queue *)opened->queue;
	own.base.device.kind = kind;
	own.base.device.max_allocation_bytes = 0;
	own.base.n_threads = n_threads;
	context.queue = &own.base;
	context.pool = opened->pool;
	context.engine = opened->engine;
}

static void end(void)
{
	clpac_context_close(opened);
}

/* Series in sections of `length` values each.  There are no surrogates unless a test sets them. */
static clpac__layout layout_of(size_t n_series, size_t n_bands, size_t length, size_t n_sections)
{
	const clpac__bank bank = {
		.n = n_bands, .length = length, .step = length, .n_sections = n_sections, .sections = 1, .gap = 1};
	return (clpac__layout){.n_series = n_series,
			       .n_samples = length * n_sections,
			       .kept = length * n_sections,
			       .n_phase = n_bands,
			       .n_amplitude = n_bands,
			       .n_bins = 1,
			       .banks = {bank, bank},
			       .tile = 1024,
			       .span = length * n_sections,
			       .n_spans = 1,
			       .vector_width = 4,
			       .together = 1,
			       .abreast = 1,
			       .groups = 1,
			       .rows = length * n_sections,
			       .padded = 4,
			       .most_steps = UINT64_MAX};
}

static void choose(clpac__layout *layout, size_t max_batch)
{
	clpac__search search;
	clpac__search_begin(&search, &context, CLPAC_STRATEGY_VECTORIZED, max_batch, UINT64_MAX - 1, layout);
	ck_assert(clpac__search_next(&search, layout));
	ck_assert_int_eq(search.found, CLPAC_STRATEGY_VECTORIZED);
}

static size_t group_of(size_t n_bands, size_t length)
{
	clpac__layout layout = layout_of(1, n_bands, length, 1);
	choose(&layout, 0);
	return layout.group_bands;
}

/* The bands of a group in a bank whose sections are shorter than those of the other, where the longer ones allow one.
 */
static size_t group_beside(clpac_band_use use, size_t n_bands, size_t length, size_t longer)
{
	clpac__layout layout = layout_of(1, n_bands, longer, 1);
	layout.group_bands = 1;
	layout.banks[use].length = length;
	return clpac__layout_group(&layout, use);
}

static size_t sections_of(size_t length, size_t n_sections)
{
	clpac__layout layout = layout_of(1, 1, length, n_sections);
	choose(&layout, 0);
	return layout.banks[CLPAC_PHASE].sections;
}

TEST(a_group_holds_four_megabytes_of_analytic_signals_or_two_bands_a_thread)
{
	/* 8 bytes a value: 16 bands of 2^15 values are 4 MiB. */
	begin(CLPAC_DEVICE_NATIVE, 1);
	ck_assert_uint_eq(group_of(16, 1 << 15), 16);
	ck_assert_uint_eq(group_of(64, 1 << 15), 16);
	ck_assert_uint_eq(group_of(16, (1 << 15) + 1), 8);
	/* Larger ones: two bands for each thread. */
	ck_assert_uint_eq(group_of(2, 1 << 22), 2);
	ck_assert_uint_eq(group_of(3, 1 << 22), 2);
	end();
	begin(CLPAC_DEVICE_OPENCL_CPU, 4);
	ck_assert_uint_eq(group_of(8, 1 << 20), 8);
	ck_assert_uint_eq(group_of(9, 1 << 20), 5);
	ck_assert_uint_eq(group_of(7, 1 << 20), 7);
	end();
	/* A GPU: a gigabyte. */
	begin(CLPAC_DEVICE_DISCRETE_GPU, 1);
	ck_assert_uint_eq(group_of(128, 1 << 20), 128);
	ck_assert_uint_eq(group_of(129, 1 << 20), 65);
	end();
}

TEST(as_many_sections_fly_at_once_as_four_megabytes_hold_or_one_a_thread)
{
	begin(CLPAC_DEVICE_NATIVE, 1);
	ck_assert_uint_eq(sections_of(1 << 15, 16), 16);
	ck_assert_uint_eq(sections_of((1 << 15) + 1, 16), 8);
	ck_assert_uint_eq(sections_of(1 << 20, 2), 1);
	end();
	begin(CLPAC_DEVICE_NATIVE, 4);
	ck_assert_uint_eq(sections_of(1 << 20, 4), 4);
	ck_assert_uint_eq(sections_of(1 << 20, 5), 3);
	ck_assert_uint_eq(sections_of(1 << 20, 3), 3);
	end();
}

/* The bytes of one series that decide how many are computed at once. */
TEST(a_bank_of_shorter_sections_takes_the_bands_that_the_buffer_of_the_other_holds)
{
	begin(CLPAC_DEVICE_NATIVE, 1);
	ck_assert_uint_eq(group_beside(CLPAC_PHASE, 30, 1000, 1000), 1);
	ck_assert_uint_eq(group_beside(CLPAC_PHASE, 30, 1000, 6999), 6);
	ck_assert_uint_eq(group_beside(CLPAC_PHASE, 30, 1000, 7000), 7);
	ck_assert_uint_eq(group_beside(CLPAC_PHASE, 5, 1000, 7000), 5);
	/* Amplitudes go by whole vectors of 4 bands, as soon as there is one. */
	ck_assert_uint_eq(group_beside(CLPAC_AMPLITUDE, 30, 1000, 3000), 3);
	ck_assert_uint_eq(group_beside(CLPAC_AMPLITUDE, 30, 1000, 7000), 4);
	ck_assert_uint_eq(group_beside(CLPAC_AMPLITUDE, 30, 1000, 8000), 8);
	ck_assert_uint_eq(group_beside(CLPAC_AMPLITUDE, 6, 1000, 8000), 6);
	end();
}

static uint64_t amplitude_bytes(clpac__layout layout)
{
	layout.batch = layout.group_bands = 1;
	layout.chunk = layout.n_surrogates;
	clpac__layout_measure(&layout, true);
	return layout.bytes[CLPAC__TENSOR_AMPLITUDE] + layout.bytes[CLPAC__TENSOR_CHUNK];
}

static size_t batch_of(clpac__layout layout, size_t max_batch)
{
	choose(&layout, max_batch);
	return layout.batch;
}

TEST(a_batch_holds_32_megabytes_of_amplitudes_unless_another_is_asked_for)
{
	begin(CLPAC_DEVICE_NATIVE, 1);
	/* 4 amplitudes of 4 bytes a sample, 2 MiB a series and no surrogates. */
	clpac__layout layout = layout_of(16, 4, 1 << 17, 1);
	ck_assert_uint_eq(amplitude_bytes(layout), (uint64_t)2 << 20);
	ck_assert_uint_eq(batch_of(layout, 0), 16);
	layout.n_series = 17;
	ck_assert_uint_eq(batch_of(layout, 0), 9);
	ck_assert_uint_eq(batch_of(layout, 17), 17);
	ck_assert_uint_eq(batch_of(layout, 40), 17);
	ck_assert_uint_eq(batch_of(layout, 3), 3);
	end();
}

static clpac_strategy first_strategy(clpac_strategy asked, size_t n_phase, size_t n_surrogates)
{
	clpac__search search;
	clpac__layout layout = layout_of(1, n_phase, 1 << 10, 1);
	layout.n_surrogates = n_surrogates;
	clpac__search_begin(&search, &context, asked, 0, UINT64_MAX - 1, &layout);
	return search.wanted;
}

TEST(one_launch_computes_no_more_surrogates_than_are_useful)
{
	/* 16 bytes a surrogate and phase band; 32 MiB on a CPU, 1 GiB on a GPU. */
	static const struct {
		clpac_device_kind kind;
		size_t useful;
	} devices[] = {{CLPAC_DEVICE_NATIVE, 1 << 19}, {CLPAC_DEVICE_DISCRETE_GPU, 1 << 24}};
	for (size_t i = 0; i < COUNT(devices); i++) {
		const size_t useful = devices[i].useful;
		begin(devices[i].kind, 1);
		ck_assert_int_eq(first_strategy(CLPAC_STRATEGY_AUTO, 4, useful), CLPAC_STRATEGY_VECTORIZED);
		ck_assert_int_eq(first_strategy(CLPAC_STRATEGY_AUTO, 4, useful + 1), CLPAC_STRATEGY_CHUNKED);
		ck_assert_int_eq(first_strategy(CLPAC_STRATEGY_AUTO, 4 * useful, 0), CLPAC_STRATEGY_VECTORIZED);
		/* One surrogate is not cut. */
		ck_assert_int_eq(first_strategy(CLPAC_STRATEGY_AUTO, 4 * useful + 1, 1), CLPAC_STRATEGY_SEQUENTIAL);
		ck_assert_int_eq(first_strategy(CLPAC_STRATEGY_AUTO, 4 * useful + 1, 2), CLPAC_STRATEGY_CHUNKED);
		/* What the caller asks for. */
		ck_assert_int_eq(first_strategy(CLPAC_STRATEGY_VECTORIZED, 4, useful + 1), CLPAC_STRATEGY_VECTORIZED);
		ck_assert_int_eq(first_strategy(CLPAC_STRATEGY_CHUNKED, 1, 2), CLPAC_STRATEGY_CHUNKED);
		ck_assert_int_eq(first_strategy(CLPAC_STRATEGY_CHUNKED, 1, 1), CLPAC_STRATEGY_SEQUENTIAL);
		ck_assert_int_eq(first_strategy(CLPAC_STRATEGY_SEQUENTIAL, 1, 2), CLPAC_STRATEGY_SEQUENTIAL);
		end();
	}
}

TEST(each_layout_is_a_quarter_smaller_or_the_first_smaller_one_of_the_next_strategy)
{
	begin(CLPAC_DEVICE_NATIVE, 1);
	clpac__layout layout = layout_of(16, 16, 1 << 15, 4);
	layout.n_surrogates = 4096; /* whose indices need more room than what they lie over */
	clpac__search search;
	clpac__search_begin(&search, &context, CLPAC_STRATEGY_VECTORIZED, 0, UINT64_MAX - 1, &layout);
	clpac_strategy strategy = CLPAC_STRATEGY_VECTORIZED;
	uint64_t bytes = UINT64_MAX;
	unsigned n = 0, n_strategies = 1;
	for (; clpac__search_next(&search, &layout); n++) {
		ck_assert_uint_eq(search.bytes, clpac__layout_taken(&layout, &context));
		if (n && search.found == strategy)
			ck_assert_uint_le(search.bytes, bytes - bytes / 4);
		else
			ck_assert_uint_lt(search.bytes, bytes);
		n_strategies += n && search.found != strategy;
		strategy = search.found;
		bytes = search.bytes;
		ck_assert_uint_lt(n, 100);
	}
	/* All strategies were tried, more than one layout of the first two, and the last layout is the least. */
	ck_assert_uint_eq(n_strategies, 3);
	ck_assert_uint_gt(n, 5);
	ck_assert_uint_eq(bytes, clpac__search_least(&search, CLPAC_STRATEGY_SEQUENTIAL, &layout));
	end();
}

TEST(what_a_layout_took_beyond_its_estimate_is_taken_off_the_budget_once)
{
	begin(CLPAC_DEVICE_NATIVE, 1);
	clpac__layout layout = layout_of(16, 16, 1 << 15, 4), best = layout;
	layout.n_surrogates = best.n_surrogates = 4096;
	clpac__search search;
	clpac__search_begin(&search, &context, CLPAC_STRATEGY_VECTORIZED, 0, UINT64_MAX - 1, &layout);
	ck_assert(clpac__search_next(&search, &layout));
	const uint64_t most = search.bytes, more = most / 16, budget = most + more / 2;
	/* The largest layout of what is left, which a search with that budget yields first. */
	clpac__search_begin(&search, &context, CLPAC_STRATEGY_VECTORIZED, 0, budget - more, &best);
	ck_assert(clpac__search_next(&search, &best));
	const uint64_t wanted = search.bytes;
	ck_assert_uint_lt(wanted, most);

	clpac__search_begin(&search, &context, CLPAC_STRATEGY_VECTORIZED, 0, budget, &layout);
	ck_assert(clpac__search_next(&search, &layout));
	ck_assert_uint_eq(search.bytes, most);
	clpac__search_took(&search, most + more);
	ck_assert(clpac__search_next(&search, &layout));
	ck_assert_uint_eq(search.bytes, wanted);
	/* Refused again, the next is a quarter smaller, or of the next strategy. */
	clpac__search_took(&search, wanted + more);
	const clpac_strategy strategy = search.found;
	ck_assert(clpac__search_next(&search, &layout));
	ck_assert(search.found != strategy || search.bytes <= wanted - wanted / 4);
	ck_assert_uint_lt(search.bytes, wanted);
	/* What was as estimated takes off nothing. */
	clpac__search_begin(&search, &context, CLPAC_STRATEGY_VECTORIZED, 0, budget, &layout);
	ck_assert(clpac__search_next(&search, &layout));
	clpac__search_took(&search, search.bytes);
	ck_assert(clpac__search_next(&search, &layout));
	ck_assert_uint_le(search.bytes, most - most / 4);
	end();
}

TEST(a_budget_is_met_to_the_byte)
{
	begin(CLPAC_DEVICE_NATIVE, 1);
	clpac__search search;
	clpac__layout layout = layout_of(16, 16, 1 << 15, 4);
	clpac__search_begin(&search, &context, CLPAC_STRATEGY_VECTORIZED, 0, UINT64_MAX - 1, &layout);
	const uint64_t least = clpac__search_least(&search, CLPAC_STRATEGY_SEQUENTIAL, &layout);
	clpac__search_begin(&search, &context, CLPAC_STRATEGY_VECTORIZED, 0, least, &layout);
	ck_assert(clpac__search_next(&search, &layout));
	ck_assert_uint_eq(search.bytes, least);
	clpac__search_begin(&search, &context, CLPAC_STRATEGY_VECTORIZED, 0, least - 1, &layout);
	ck_assert(!clpac__search_next(&search, &layout));
	end();
}

TEST(each_part_of_the_memory_has_a_name_of_its_own)
{
	for (int i = 0; i < CLPAC__TENSOR_FURTHER; i++) {
		ck_assert_uint_gt(strlen(clpac__tensor_text(i)), 2);
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(clpac__tensor_text(i), clpac__tensor_text(j));
	}
	/* Those of further measures have the names of the first one's. */
	for (int i = CLPAC__TENSOR_FURTHER; i < CLPAC__TENSOR_COUNT; i++)
		ck_assert_str_eq(clpac__tensor_text(i), clpac__tensor_text(clpac__tensor_kind(i)));
}
