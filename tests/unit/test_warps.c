/* The model of a GPU's warps and their cache (bench/warps.h): loads that were counted by hand, and sums over all
 * work-items by brute force. */
#include "runner.h"
#include "assertions.h"
#include <stdlib.h>
#include "bench/warps.h"

static traffic traffic_of(const traced *what, const mapping *how, const processor *where)
{
	traffic out = {0};
	ck_assert(add_traffic(what, how, where, &out));
	return out;
}

/* Two shifts of one phase band, of 16 amplitude bands: a warp. */
static traced two_shifts_of(const edge_list *list, const uint32_t *shifts, size_t n_samples)
{
	return (traced){.lists = list,
			.shifts = shifts,
			.n_series = 1,
			.n_phase = 1,
			.n_amplitude = 16,
			.n_shifts = 2,
			.n_samples = n_samples};
}

static const processor one_warp = {.cache_bytes = 4096, .n_threads = 32, .n_processors = 1};
static const mapping by_panel = {.is_panel = true, .is_padded = true, .group = 32, .of_entry = 1};

/* Two cycles of two bins, and a shift that moves the second of them onto the rows of the first. */
TEST(shifts_that_walk_from_row_0_meet)
{
	static const uint32_t entries[] = {1, 2, 6, 7}, shifts[] = {0, 5};
	const edge_list list = {.entries = entries, .n_cycles = 2, .n_bins = 2};
	const traced what = two_shifts_of(&list, shifts, 10);
	const mapping apart = {.is_padded = true, .group = 32, .of_entry = 1};
	traffic t = traffic_of(&what, &by_panel, &one_warp);
	ck_assert_uint_eq(t.loads, 4);
	ck_assert_uint_eq(t.lines, 4);
	ck_assert_uint_eq(t.list_loads, 4);
	ck_assert_uint_eq(t.list_lines, 4);
	ck_assert_uint_eq(t.useful_bytes, 4 * 32 * 4);
	/* Rows of 64 bytes: 1, 2, 6 and 7, which is two sectors each, and one of the list. */
	ck_assert_uint_eq(t.missed, 2 * 4 + 1);
	/* Rows 1, 2, 6, 7 beside rows 6, 7, 11, 12; six rows in all. */
	t = traffic_of(&what, &apart, &one_warp);
	ck_assert_uint_eq(t.loads, 4);
	ck_assert_uint_eq(t.lines, 8);
	ck_assert_uint_eq(t.useful_bytes, 4 * 32 * 4);
	ck_assert_uint_eq(t.missed, 2 * 6 + 1);
}

/* A cycle across the end comes last, after those behind it and those before it. */
TEST(cycles_across_the_end_come_last)
{
	static const uint32_t entries[] = {0, 1, 8, 9, 16, 17}, shifts[] = {15, 7};
	const edge_list list = {.entries = entries, .n_cycles = 3, .n_bins = 2};
	const traced what = two_shifts_of(&list, shifts, 24);
	/* By 15: rows 7 8, then 15 16, then 23 0.  By 7: 7 8, 15 16, 23 0 as cycles 0, 1 and 2, of which the last lies
	 * across the end.  So both read the same row each time. */
	const traffic t = traffic_of(&what, &by_panel, &one_warp);
	ck_assert_uint_eq(t.loads, 6);
	ck_assert_uint_eq(t.lines, 6);
}

/* The passes of a list over rows of a line each, through a cache of 16 lines, of which the list has one. */
static traffic passes_through_16_lines(size_t n_rows)
{
	static const uint32_t no_shift[] = {0};
	uint32_t entries[32];
	for (size_t i = 0; i < 2 * n_rows; i++)
		entries[i] = (uint32_t)(i % n_rows);
	const edge_list list = {.entries = entries, .n_bins = 18, .n_others = 2 * n_rows};
	const traced what = {.lists = &list,
			     .shifts = no_shift,
			     .n_series = 1,
			     .n_phase = 1,
			     .n_amplitude = 32,
			     .n_shifts = 1,
			     .n_samples = n_rows};
	const processor where = {.cache_bytes = 16 * LINE_BYTES, .n_threads = 32, .n_processors = 1};
	const mapping panel = {.is_panel = true, .is_padded = true, .group = 32, .of_entry = 4};
	return traffic_of(&what, &panel, &where);
}

TEST(the_line_that_was_used_the_longest_ago_goes)
{
	traffic t = passes_through_16_lines(15);
	ck_assert_uint_eq(t.sectors, 30 * 4 + 30);
	ck_assert_uint_eq(t.missed, 15 * 4 + 4);
	/* A row more: each is gone when its turn comes again. */
	t = passes_through_16_lines(16);
	ck_assert_uint_eq(t.sectors, 32 * 4 + 32);
	ck_assert_uint_eq(t.missed, 32 * 4 + 4);
}

enum { N_SERIES = 2, N_PHASE = 3, N_SHIFTS = 21, N_SAMPLES = 50, N_BINS = 6, MOST_ENTRIES = 60 };

/* Lists as of a phase that rises by and large, one of them empty, and shifts. */
typedef struct example {
	uint32_t entries[N_SERIES * N_PHASE][MOST_ENTRIES], shifts[N_SERIES * N_SHIFTS];
	edge_list lists[N_SERIES * N_PHASE];
} example;

static void make_example(example *out, unsigned long long seed)
{
	for (size_t row = 0; row < COUNT(out->lists); row++) {
		const size_t n_cycles = row == 1 ? 0 : 1 + random_below(&seed, 6);
		const size_t n_others = row == 1 ? 0 : random_below(&seed, 9);
		for (size_t i = 0; i < n_cycles * N_BINS; i++)
			out->entries[row][i] = (uint32_t)(i / N_BINS * 8 + random_below(&seed, 9));
		for (size_t i = 0; i < n_others; i++)
			out->entries[row][n_cycles * N_BINS + i] = (uint32_t)random_below(&seed, N_SAMPLES);
		out->lists[row] = (edge_list){
			.entries = out->entries[row], .n_cycles = n_cycles, .n_bins = N_BINS, .n_others = n_others};
	}
	for (size_t i = 0; i < COUNT(out->shifts); i++)
		out->shifts[i] = (uint32_t)(i % N_SHIFTS * N_SAMPLES / N_SHIFTS);
}

static size_t n_entries(const edge_list *list)
{
	return list->n_cycles * list->n_bins + list->n_others;
}

static size_t sum_of(const bool *are_touched, size_t n)
{
	size_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += are_touched[i];
	return sum;
}

/* Sectors of prefix sums that some work-item loads, each counted once. */
static size_t sectors_touched(const traced *what, const mapping *how)
{
	const size_t row = bands_of_row(how, what->n_amplitude), panels = (what->n_amplitude + row - 1) / row;
	const size_t n_rows = (how->is_panel ? 1 : 2) * what->n_samples;
	const size_t most = what->n_series * panels * n_rows * row * 4 / SECTOR_BYTES + 1;
	bool *are_touched = calloc(most, sizeof *are_touched);
	for (size_t series = 0; series < what->n_series; series++)
		for (size_t phase = 0; phase < what->n_phase; phase++) {
			const edge_list *list = what->lists + series * what->n_phase + phase;
			for (size_t i = 0; i < n_entries(list); i++)
				for (size_t k = 0; k < what->n_shifts; k++)
					for (size_t am = 0; am < what->n_amplitude; am++) {
						const size_t moved =
							list->entries[i] + what->shifts[series * what->n_shifts + k];
						const size_t at = how->is_panel ? moved % what->n_samples : moved;
						const size_t first = (series * panels + am / row) * n_rows * row;
						are_touched[(first + at * row + am % row) * 4 / SECTOR_BYTES] = true;
					}
		}
	const size_t sum = sum_of(are_touched, most);
	free(are_touched);
	return sum;
}

/* Sectors of edge lists, each of which begins at a line. */
static size_t sectors_of_lists(const traced *what, const mapping *how)
{
	const size_t of_entry = how->of_entry;
	size_t sum = 0;
	for (size_t row = 0; row < what->n_series * what->n_phase; row++) {
		const edge_list *list = what->lists + row;
		const size_t stride = of_entry == 1 ? N_BINS : (N_BINS + 2 + of_entry - 1) / of_entry * of_entry;
		bool are_touched[2 * MOST_ENTRIES * 4 / SECTOR_BYTES] = {false};
		for (size_t cycle = 0; cycle < list->n_cycles; cycle++)
			for (size_t e = 0; e < N_BINS; e += of_entry)
				are_touched[(cycle * stride + e) * 4 / SECTOR_BYTES] = true;
		for (size_t i = 0; i < list->n_others; i++)
			are_touched[(list->n_cycles * stride + i) * 4 / SECTOR_BYTES] = true;
		sum += sum_of(are_touched, COUNT(are_touched));
	}
	return sum;
}

static const mapping mappings[] = {
	{.group = 64, .of_entry = 1},
	{.is_padded = true, .group = 64, .of_entry = 1},
	{.is_panel = true, .is_padded = true, .group = 64, .of_entry = 4},
	{.is_panel = true, .is_padded = true, .group = 256, .of_entry = 4},
	{.is_panel = true, .is_padded = true, .group = 512, .of_entry = 4},
};

/* Whatever the mapping, each work-item adds each entry once, and a large cache loads each sector once; several
 * multiprocessors do together what one does. */
TEST_EACH(each_item_adds_each_entry_once, 8)
{
	static const size_t n_bands[] = {3, 12, 32, 45};
	example e;
	make_example(&e, 1 + (unsigned)_i);
	for (size_t i = 0; i < COUNT(n_bands); i++)
		for (size_t way = 0; way < COUNT(mappings); way++) {
			const mapping *how = mappings + way;
			const traced what = {.lists = e.lists,
					     .shifts = e.shifts,
					     .n_series = N_SERIES,
					     .n_phase = N_PHASE,
					     .n_amplitude = n_bands[i],
					     .n_shifts = N_SHIFTS,
					     .n_samples = N_SAMPLES};
			processor where = {.cache_bytes = 16 << 20, .n_threads = 1024, .n_processors = 1};
			const traffic all = traffic_of(&what, how, &where);
			size_t entries = 0;
			for (size_t row = 0; row < COUNT(e.lists); row++)
				entries += n_entries(e.lists + row);
			ck_assert_uint_eq(all.useful_bytes, entries * N_SHIFTS * n_bands[i] * 4);
			ck_assert_uint_eq(all.missed, sectors_touched(&what, how) + sectors_of_lists(&what, how));
			ck_assert_uint_ge(all.sectors, all.missed);
			ck_assert_uint_ge(all.lines, all.loads);
			ck_assert_uint_ge(all.list_lines, all.list_loads);
			/* A row is a line, and a warp has one shift. */
			if (how->is_padded && n_bands[i] > 16)
				ck_assert_uint_eq(all.lines, all.loads);
			where.cache_bytes = 2048;
			ck_assert_uint_ge(traffic_of(&what, how, &where).missed, all.missed);
			traffic sum = {0};
			where.n_processors = 3;
			for (where.number = 0; where.number < where.n_processors; where.number++)
				ck_assert(add_traffic(&what, how, &where, &sum));
			ck_assert_uint_eq(sum.loads, all.loads);
			ck_assert_uint_eq(sum.lines, all.lines);
			ck_assert_uint_eq(sum.list_loads, all.list_loads);
			ck_assert_uint_eq(sum.list_lines, all.list_lines);
			ck_assert_uint_eq(sum.sectors, all.sectors);
			ck_assert_uint_eq(sum.useful_bytes, all.useful_bytes);
		}
}

TEST(a_processor_without_cache_or_threads_is_refused)
{
	example e;
	make_example(&e, 7);
	const traced what = {.lists = e.lists,
			     .shifts = e.shifts,
			     .n_series = N_SERIES,
			     .n_phase = N_PHASE,
			     .n_amplitude = 5,
			     .n_shifts = N_SHIFTS,
			     .n_samples = N_SAMPLES};
	const processor tiny = {.cache_bytes = 2047, .n_threads = 1024, .n_processors = 1};
	const processor idle = {.cache_bytes = 4096, .n_threads = 63, .n_processors = 1};
	traffic out = {0};
	ck_assert(!add_traffic(&what, mappings, &tiny, &out));
	ck_assert(!add_traffic(&what, mappings, &idle, &out));
	ck_assert_uint_eq(out.loads, 0);
}
