/* Random arrangements of blocks and permutations of segments: what they are made of, that each is as likely as any
 * other, and on what they depend. */
#include "runner.h"
#include "assertions.h"

#include <stdlib.h>
#include <string.h>

#include "coupling/signal/draws.h"

/* The value that chi-square of m - 1 degrees of freedom exceeds once in 1e9 (Wilson and Hilferty's cube, 6
 * deviations). */
static double chi_square_limit(size_t m)
{
	double k = (double)m - 1, a = 2 / (9 * k);
	return k * pow(1 - a + 6 * sqrt(a), 3);
}

static double chi_square(const size_t *counts, size_t m, size_t n)
{
	double sum = 0, expected = (double)n / (double)m;
	for (size_t i = 0; i < m; i++)
		sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
	return sum;
}

/* --- Blocks --- */

TEST(blocks_hold_every_sample_once)
{
	static const uint32_t lengths[] = {1, 2, 3, 7, 100, 641}, numbers[] = {1, 2, 3, 7, 100, 641};
	for (size_t i = 0; i < COUNT(lengths); i++)
		for (size_t j = 0; j < COUNT(numbers) && numbers[j] <= lengths[i]; j++)
			for (uint32_t k = 0; k < 50; k++) {
				const uint32_t n = lengths[i], n_blocks = numbers[j];
				bool *is_there = calloc(n, sizeof *is_there);
				clpac__time_block *blocks = malloc(n_blocks * sizeof *blocks);
				clpac__draw_blocks(5, 3, 1, k, n, n_blocks, blocks);
				ck_assert_uint_eq(blocks[0].to, 0);
				for (uint32_t b = 0; b < n_blocks; b++) {
					const uint32_t end = b + 1 < n_blocks ? blocks[b + 1].to : n;
					ck_assert_uint_lt(blocks[b].from, n);
					ck_assert_uint_lt(blocks[b].to, end);
					for (uint32_t t = blocks[b].to; t < end; t++) {
						bool *here = &is_there[(blocks[b].from + t - blocks[b].to) % n];
						ck_assert(!*here);
						*here = true;
					}
				}
				free(is_there);
				free(blocks);
			}
}

/* Three cuts of a circle of 6: 20 sets of places, in 6 orders each. */
TEST(each_arrangement_is_as_likely_as_any_other)
{
	enum { N = 6, BLOCKS = 3, DRAWS = 60000 };
	static size_t counts[N * N * N], found[N * N * N];
	size_t n_found = 0;
	for (uint32_t k = 0; k < DRAWS; k++) {
		clpac__time_block blocks[BLOCKS];
		clpac__draw_blocks(77, 0, 0, k, N, BLOCKS, blocks);
		counts[(blocks[0].from * N + blocks[1].from) * N + blocks[2].from]++;
	}
	for (size_t i = 0; i < COUNT(counts); i++)
		if (counts[i])
			found[n_found++] = counts[i];
	ck_assert_uint_eq(n_found, 120);
	ck_assert_double_lt(chi_square(found, n_found, DRAWS), chi_square_limit(n_found));
}

TEST(blocks_depend_on_seed_channel_segment_and_number)
{
	enum { N = 1000, BLOCKS = 5 };
	clpac__time_block one[BLOCKS], other[BLOCKS];
	clpac__draw_blocks(UINT64_C(0x100000005), 1, 2, 3, N, BLOCKS, one);
	clpac__draw_blocks(UINT64_C(0x100000005), 1, 2, 3, N, BLOCKS, other);
	ck_assert_mem_eq(one, other, sizeof one);
	static const struct {
		uint64_t seed;
		uint32_t channel, segment, k;
	} others[] = {{5, 1, 2, 3},
		      {UINT64_C(0x100000006), 1, 2, 3},
		      {UINT64_C(0x100000005), 2, 2, 3},
		      {UINT64_C(0x100000005), 1, 1, 3},
		      {UINT64_C(0x100000005), 1, 2, 4}};
	for (size_t i = 0; i < COUNT(others); i++) {
		clpac__draw_blocks(others[i].seed, others[i].channel, others[i].segment, others[i].k, N, BLOCKS, other);
		ck_assert_mem_ne(one, other, sizeof one);
	}
}

/* --- Segments --- */

static void draw(uint64_t seed, const size_t *numbers, size_t n, uint32_t k, uint32_t *order)
{
	clpac_error err;
	assert_works(clpac__draw_order(seed, 4, numbers, n, k, order, &err), err);
}

TEST(each_permutation_is_as_likely_as_any_other)
{
	enum { N = 4, DRAWS = 24000 };
	size_t counts[N * N * N] = {0}, found[24], n_found = 0;
	for (uint32_t k = 0; k < DRAWS; k++) {
		uint32_t order[N], seen = 0;
		draw(8, NULL, N, k, order);
		for (size_t i = 0; i < N; i++)
			seen |= 1u << order[i];
		ck_assert_uint_eq(seen, (1u << N) - 1);
		counts[(order[0] * N + order[1]) * N + order[2]]++;
	}
	for (size_t i = 0; i < COUNT(counts); i++)
		if (counts[i]) {
			ck_assert_uint_lt(n_found, COUNT(found));
			found[n_found++] = counts[i];
		}
	ck_assert_uint_eq(n_found, 24);
	ck_assert_double_lt(chi_square(found, n_found, DRAWS), chi_square_limit(n_found));
}

/* The segment with a number takes the amplitude of the segment with another, wherever both stand. */
TEST(the_order_in_which_segments_stand_changes_nothing)
{
	enum { N = 5 };
	static const size_t numbers[2][N] = {{2, 3, 5, 8, 13}, {8, 2, 13, 3, 5}};
	size_t taken[2][14] = {{0}};
	for (uint32_t k = 0; k < 20; k++) {
		for (size_t way = 0; way < 2; way++) {
			uint32_t order[N];
			draw(1, numbers[way], N, k, order);
			for (size_t i = 0; i < N; i++)
				taken[way][numbers[way][i]] = numbers[way][order[i]];
		}
		ck_assert_mem_eq(taken[0], taken[1], sizeof taken[0]);
	}
}

TEST(each_failing_allocation_is_told)
{
	uint32_t order[3];
	clpac_error err;
	for (unsigned long number = 1; number <= 2; number++) {
		clpac__fail_allocation(number, false);
		const clpac_status st = clpac__draw_order(1, 0, NULL, 3, 0, order, &err);
		clpac__fail_allocation(0, false);
		assert_refused(st, err, CLPAC_ERROR_NO_MEMORY, "memory");
	}
}
