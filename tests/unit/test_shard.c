/* Cuts of a job's rows into shards: each row is in one, and pairs with one phase channel are in the same. */
#include "runner.h"
#include "assertions.h"
#include "random.h"

#include "analysis/run/shard.h"

enum { MOST_ROWS = 40 };

TEST(channels_are_in_one_shard_each_and_shards_differ_by_one_at_most)
{
	size_t n_seen = 0;
	for (size_t n_rows = 1; n_rows <= MOST_ROWS; n_rows++)
		for (size_t n = 1; n <= 2 * MOST_ROWS; n++) {
			const clpac__shard_cut cut = {NULL, n_rows};
			ck_assert_uint_eq(clpac__shard_first(&cut, 1, n), 0);
			ck_assert_uint_eq(clpac__shard_first(&cut, n + 1, n), n_rows);
			for (size_t i = 1; i <= n; i++, n_seen++) {
				const size_t first = clpac__shard_first(&cut, i, n);
				const size_t behind = clpac__shard_first(&cut, i + 1, n);
				ck_assert_uint_ge(behind, first + n_rows / n);
				ck_assert_uint_le(behind, first + (n_rows + n - 1) / n);
			}
		}
	ck_assert_uint_eq(n_seen, MOST_ROWS * MOST_ROWS * (2 * MOST_ROWS + 1));
}

TEST(pairs_of_one_phase_channel_stay_together)
{
	unsigned long long state = 7;
	size_t n_cuts = 0;
	for (int round = 0; round < 200; round++) {
		clpac_pair pairs[MOST_ROWS];
		const clpac__shard_cut cut = {pairs, 1 + random_below(&state, MOST_ROWS)};
		for (size_t i = 0; i < cut.n_rows; i++)
			pairs[i] = (clpac_pair){
				i && random_below(&state, 3) ? pairs[i - 1].phase : random_below(&state, 5), i};
		const size_t n = 1 + random_below(&state, 9);
		size_t before = 0;
		for (size_t i = 1; i <= n + 1; i++) {
			const size_t first = clpac__shard_first(&cut, i, n);
			ck_assert_uint_ge(first, before);
			if (first && first < cut.n_rows) {
				ck_assert_uint_ne(pairs[first].phase, pairs[first - 1].phase);
				n_cuts++;
			}
			before = first;
		}
		ck_assert_uint_eq(before, cut.n_rows);
	}
	ck_assert_uint_gt(n_cuts, 200);
}

TEST(as_many_shards_as_can_be_asked_for_overflow_nothing)
{
	const clpac__shard_cut cut = {NULL, 7};
	const size_t n = UINT32_MAX;
	ck_assert_uint_eq(clpac__shard_first(&cut, n, n), 6);
	ck_assert_uint_eq(clpac__shard_first(&cut, n / 2, n), 3);
}
