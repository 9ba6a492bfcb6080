/* Random shifts: the generator's known answers, uniformity, and independence of the calling order. */
#include "runner.h"
#include "assertions.h"
#include <stdlib.h>
#include "coupling/signal/draws.h"

TEST(philox_gives_its_known_answers)
{
	/* Known-answer vectors published by the authors for philox4x32 with 10 rounds. */
	static const struct {
		uint32_t counter[4], key[2], wanted[4];
	} cases[] = {
		{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
		 {0xffffffff, 0xffffffff},
		 {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
		 {0xa4093822, 0x299f31d0},
		 {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t out[4];
		clpac__philox(cases[i].counter, cases[i].key, out);
		ck_assert_mem_eq(out, cases[i].wanted, sizeof out);
	}
}

static uint32_t *draw_of(uint64_t seed, size_t channel, size_t segment, size_t first, size_t n, size_t n_samples,
			 size_t min_shift)
{
	uint32_t *shifts = malloc(n * sizeof *shifts);
	clpac_error err;
	assert_works(clpac__draw_shifts(seed, channel, segment, first, n, n_samples, min_shift, shifts, &err), err);
	return shifts;
}

static uint32_t *draw(uint64_t seed, size_t channel, size_t first, size_t n, size_t n_samples, size_t min_shift)
{
	return draw_of(seed, channel, 0, first, n, n_samples, min_shift);
}

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

TEST(shifts_are_uniform_over_their_range)
{
	static const size_t lengths[] = {3, 8, 17, 100, 999}, min_shifts[] = {1, 2, 5, 13, 250};
	for (size_t i = 0; i < COUNT(lengths); i++) {
		size_t m = lengths[i] - 2 * min_shifts[i] + 1, n = 400000, *counts = calloc(m, sizeof *counts);
		uint32_t *shifts = draw(i, 5, 0, n, lengths[i], min_shifts[i]);
		for (size_t k = 0; k < n; k++) {
			ck_assert(shifts[k] >= min_shifts[i] && shifts[k] <= lengths[i] - min_shifts[i]);
			counts[shifts[k] - min_shifts[i]]++;
		}
		ck_assert_double_lt(chi_square(counts, m, n), chi_square_limit(m));
		free(shifts);
		free(counts);
	}
}

TEST(a_range_that_divides_nothing_has_no_bias)
{
	/* With 3 * 2^30 values a plain remainder would give the first third half of all draws. */
	size_t n = 100000, counts[3] = {0};
	size_t n_samples = ((size_t)3 << 30) + 1;
	uint32_t *shifts = draw(9, 1, 0, n, n_samples, 1);
	for (size_t k = 0; k < n; k++)
		counts[(shifts[k] - 1) >> 30]++;
	ck_assert_double_lt(chi_square(counts, 3, n), chi_square_limit(3));
	free(shifts);
}

TEST(a_range_of_one_gives_that_one)
{
	uint32_t *shifts = draw(1, 1, 0, 100, 200, 100);
	for (size_t k = 0; k < 100; k++)
		ck_assert_uint_eq(shifts[k], 100);
	free(shifts);
}

TEST(any_part_of_the_list_can_be_drawn_alone)
{
	unsigned long long state = 3;
	uint32_t *all = draw(42, 7, 0, 1000, 2048, 0);
	for (int trial = 0; trial < 200; trial++) {
		size_t first = random_below(&state, 1000), n = 1 + random_below(&state, 1000 - first);
		uint32_t *part = draw(42, 7, first, n, 2048, 1);
		ck_assert_mem_eq(part, all + first, n * sizeof *part);
		free(part);
	}
	free(all);
}

TEST(seed_channel_and_segment_matter_to_the_last_bit)
{
	static const struct {
		uint64_t seed;
		size_t channel, segment;
	} changes[] = {{0, 0, 0},
		       {1, 0, 0},
		       {0, 1, 0},
		       {0, 0, 1},
		       {1ull << 32, 0, 0},
		       {1ull << 63, 0, 0},
		       {0, 1u << 31, 0},
		       {0, 0, 1u << 31},
		       {0, UINT32_MAX, 0},
		       {0, 0, UINT32_MAX},
		       {0, UINT32_MAX, UINT32_MAX}};
	uint32_t *lists[COUNT(changes)];
	for (size_t i = 0; i < COUNT(changes); i++) {
		lists[i] = draw_of(changes[i].seed, changes[i].channel, changes[i].segment, 0, 50, 100000, 1);
		for (size_t j = 0; j < i; j++)
			ck_assert(memcmp(lists[i], lists[j], 50 * sizeof(uint32_t)));
	}
	for (size_t i = 0; i < COUNT(changes); i++)
		free(lists[i]);
}

TEST(no_two_series_share_a_block_of_the_generator)
{
	/* Over a range near 2^32 one word of one block makes one shift, so that equal blocks would show as equal shifts
	 * at another k, channel or segment.  Of 3 * 4096 draws 0.02 pairs are equal by chance (n^2 / 2^33); with this
	 * seed none is. */
	enum { EACH = 16 };
	const size_t n = (size_t)3 << 30;
	uint32_t all[EACH * EACH * EACH];
	size_t n_all = 0;
	for (size_t channel = 0; channel < EACH; channel++)
		for (size_t segment = 0; segment < EACH; segment++) {
			uint32_t *list = draw_of(11, channel, segment, 0, EACH, n, 1);
			for (size_t k = 0; k < EACH; k++) {
				for (size_t other = 0; other < n_all; other++)
					ck_assert_uint_ne(all[other], list[k]);
				all[n_all++] = list[k];
			}
			free(list);
		}
}

TEST(shifts_of_one_release_are_those_of_the_next)
{
	/* A seed in a published method section must keep its meaning: these are the first shifts of seed 42, channels 0
	 * and 1 of segment 0, and channel 0 of segment 1. */
	static const uint32_t wanted[3][4] = {{1255, 2022, 1691, 1494}, {535, 272, 110, 1104}, {21, 264, 436, 245}};
	for (size_t i = 0; i < 3; i++) {
		uint32_t *shifts = draw_of(42, i == 1, i == 2, 0, 4, 2048, 1);
		for (size_t k = 0; k < 4; k++)
			ck_assert_msg(shifts[k] == wanted[i][k], "list %zu: %u %u %u %u", i, shifts[0], shifts[1],
				      shifts[2], shifts[3]);
		free(shifts);
	}
}

TEST(an_empty_range_is_refused_with_its_numbers)
{
	uint32_t shift = 77;
	clpac_error err;
	clpac_status st = clpac__draw_shifts(1, 1, 0, 0, 1, 100, 51, &shift, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "min_shift is 51 samples and the series has 100");
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "give at most 50");
	st = clpac__draw_shifts(1, 1, 0, 0, 1, 1, 0, &shift, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "min_shift is 1 samples and the series has 1");
	st = clpac__draw_shifts(1, 1, 0, 0, 1, 0, 1, &shift, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "the series has 0");
	st = clpac__draw_shifts(1, 1, 0, 0, 1, 100, SIZE_MAX, &shift, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "the series has 100");
	ck_assert_uint_eq(shift, 77);
}

TEST(numbers_beyond_32_bits_are_refused)
{
	uint32_t shift;
	clpac_error err;
	clpac_status st = clpac__draw_shifts(1, 1, 0, 0, 1, (size_t)1 << 32, 1, &shift, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "4294967296 samples are too many");
	st = clpac__draw_shifts(1, 1, 0, UINT32_MAX, 1, 100, 1, &shift, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "shifts 4294967295 to 4294967295 + 1 are too many");
	assert_works(clpac__draw_shifts(1, 1, 0, UINT32_MAX - 1, 1, 100, 1, &shift, &err), err);
	st = clpac__draw_shifts(1, (size_t)1 << 32, 7, 0, 1, 100, 1, &shift, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "channel 4294967296, segment 7: both numbers must be at most");
	st = clpac__draw_shifts(1, 7, (size_t)1 << 32, 0, 1, 100, 1, &shift, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, "channel 7, segment 4294967296: both numbers must be at most");
}
