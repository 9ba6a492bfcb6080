/* What a pool caches, and goes on caching after a moment in which all of its budget was taken: scenarios in which a
 * request of the ordinary kind has to be a hit. */
#include "runner.h"

#include <clpac/memory/buffer.h>
#include <clpac/memory/statistics.h>
#include "assertions.h"
#include "memory/pool/surface/surface.h"
#include "pool_truth.h"
#include "random.h"

enum { KIB = 1024, MIB = 1024 * KIB, MOST_HELD = 800 };

static clpac_pool *open_default(simulated_device *device, uint64_t budget_bytes)
{
	return open_pool(device, budget_bytes, &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS}});
}

static clpac_pool_statistics numbers_of(clpac_pool *pool)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	return now;
}

static void end(clpac_pool *pool, simulated_device *device)
{
	clpac_pool_destroy(pool);
	check_nothing_left(device);
}

/* Takes and releases some buffers of a size so often, the last one first. */
static void play(clpac_pool *pool, size_t bytes, int n_live, int n_times)
{
	clpac_buffer *live[16];
	for (int i = 0; i < n_times; i++) {
		for (int k = 0; k < n_live; k++)
			live[k] = take(pool, bytes);
		for (int k = n_live; k-- > 0;)
			clpac_buffer_release(live[k]);
	}
}

/* Plays with a pool that is to be warm after some rounds: from then on every request is a hit. */
static void check_warm(clpac_pool *pool, size_t bytes, int n_live, int n_rounds)
{
	play(pool, bytes, n_live, n_rounds);
	const uint64_t misses = numbers_of(pool).misses;
	play(pool, bytes, n_live, 100);
	ck_assert_uint_eq(numbers_of(pool).misses, misses);
}

TEST(after_all_of_a_budget_was_taken_in_one_size_another_is_cached)
{
	static const struct {
		size_t before_bytes, bytes;
		int n_before;
	} cases[] = {
		{2 * MIB, 10000, 32},	   /* large ones, then small ones */
		{100 * KIB, 2 * MIB, 600}, /* the other way */
		{10000, 3 * MIB, MOST_HELD},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		simulated_device device;
		clpac_pool *pool = open_default(&device, 64 * MIB);
		clpac_buffer *before[MOST_HELD];
		for (int k = 0; k < cases[i].n_before; k++)
			before[k] = take(pool, cases[i].before_bytes);
		clpac_buffer_release_batch(before, (size_t)cases[i].n_before);
		check_warm(pool, cases[i].bytes, 1, 2);
		check_truth(pool, &device);
		end(pool, &device);
	}
}

TEST(where_only_the_kind_was_wrong_no_shortage_is_counted)
{
	for (int is_large = 0; is_large < 2; is_large++) {
		simulated_device device;
		clpac_pool *pool = open_default(&device, 64 * MIB);
		clpac_buffer *before[MOST_HELD];
		const size_t n = is_large ? 530 : 16;
		/* Of memory that is held by one kind of segments, pieces lie free. */
		for (size_t k = 0; k < n; k++)
			before[k] = take(pool, is_large ? 100 * KIB : 3 * MIB);
		pthread_mutex_lock(&pool->lock);
		const size_t rest = (size_t)clpac__ledger_room(&pool->ledger);
		if (rest)
			ck_assert_int_eq(clpac__pool_make_segment(pool, rest, is_large, &pool->queues[0], NULL),
					 CLPAC_OK);
		pthread_mutex_unlock(&pool->lock);
		play(pool, is_large ? 2 * MIB : 10000, 1, 10);
		const clpac_pool_statistics now = numbers_of(pool);
		ck_assert_uint_eq(now.out_of_memory_events, 0);
		ck_assert_uint_eq(now.hits, 9);
		clpac_buffer_release_batch(before, n);
		end(pool, &device);
	}
}

TEST(beside_buffers_that_take_most_of_the_budget_small_ones_are_cached)
{
	/* Weights and a few activations: first one large block, then pieces that leave a rest in every segment. */
	for (int is_in_pieces = 0; is_in_pieces < 2; is_in_pieces++) {
		simulated_device device;
		clpac_pool *pool = open_default(&device, 64 * MIB);
		clpac_buffer *weights[32];
		size_t n = 0;
		if (is_in_pieces)
			while (n < COUNT(weights) &&
			       clpac_pool_allocate(pool, 3 * MIB - 200 * KIB, "", &weights[n], NULL) == CLPAC_OK)
				n++;
		else
			weights[n++] = take(pool, 58 * MIB);
		check_warm(pool, 10000, 8, 3000); /* the refusal may have found scattered bytes */
		check_warm(pool, 100 * KIB, 8, 2);
		clpac_buffer_release_batch(weights, n);
		end(pool, &device);
	}
}

/* After a request that found its bytes scattered, parts are not cached for a while, so that they come together. */
TEST(ordinary_use_ends_what_a_shortage_began)
{
	enum { REQUESTS = 20000 };
	for (int is_cleared = 0; is_cleared < 2; is_cleared++) {
		simulated_device device;
		clpac_pool *pool = open_default(&device, 64 * MIB);
		clpac_buffer *pieces[16 * 64], *none;
		size_t n = 0;
		while (n < COUNT(pieces) && clpac_pool_allocate(pool, 62 * KIB, "", &pieces[n], NULL) == CLPAC_OK)
			n++;
		for (size_t i = 0; i < n; i += 2)
			clpac_buffer_release(pieces[i]);
		ck_assert_int_eq(clpac_pool_allocate(pool, 3 * MIB, "", &none, NULL), CLPAC_ERROR_NO_DEVICE_MEMORY);
		ck_assert_uint_gt(pool->n_scattered, 0);
		const uint64_t misses = numbers_of(pool).misses;
		play(pool, 10000, 1, 100);
		ck_assert_uint_eq(numbers_of(pool).misses, misses + 100);
		for (size_t i = 1; i < n; i += 2)
			clpac_buffer_release(pieces[i]);
		if (is_cleared)
			clpac_pool_clear(pool);
		check_warm(pool, 10000, 4, is_cleared ? 2 : REQUESTS / 4);
		end(pool, &device);
	}
}

/* Those requests count that find a cached block, too: a block with memory of its own is one. */
TEST(hits_end_it_too)
{
	simulated_device device;
	clpac_pool *pool = open_default(&device, 64 * MIB);
	pthread_mutex_lock(&pool->lock);
	clpac__pool_note_scattered(pool, 100);
	pthread_mutex_unlock(&pool->lock);
	play(pool, 6 * MIB, 1, 101);
	ck_assert_uint_eq(pool->n_scattered, 0);
	ck_assert_uint_eq(atomic_load(&pool->n_waiting), 0);
	ck_assert_uint_eq(numbers_of(pool).misses, 1);
	end(pool, &device);
}

/* --- Sizes that vary ------------------------------------------------------------------------- */

/* The share of hits once a pool is warm: buffers of random sizes, some live, the oldest released first.  Where it
 * drifts, the largest size goes up and down now and then. */
static double hit_rate_of(clpac_pool *pool, size_t n_live, size_t most_bytes, bool is_drifting)
{
	enum { N = 40000, N_WARM = N / 2, STRIDE = 500 };
	static const double scales[] = {1, 0.8, 0.5, 0.6, 0.9, 0.7};
	clpac_buffer *live[64] = {0};
	unsigned long long state = 1;
	uint64_t hits = 0;
	for (size_t i = 0; i < N; i++) {
		const double scale = is_drifting ? scales[i / STRIDE % COUNT(scales)] : 1;
		const size_t most = (size_t)(scale * (double)most_bytes);
		if (i == N_WARM)
			hits = numbers_of(pool).hits;
		clpac_buffer_release(live[i % n_live]);
		live[i % n_live] = take(pool, 1000 + (size_t)(random_bits(&state) % (most - 1000)));
	}
	hits = numbers_of(pool).hits - hits;
	clpac_buffer_release_batch(live, n_live);
	return (double)hits / (N - N_WARM);
}

TEST(random_sizes_are_hits_once_the_pool_is_warm)
{
	static const size_t lives[] = {4, 16, 64}, sizes[] = {40000, 300000};
	for (size_t i = 0; i < COUNT(lives) * COUNT(sizes) * 2; i++) {
		const size_t n_live = lives[i % 3], most_bytes = sizes[i / 3 % 2];
		const bool is_drifting = i / 6;
		simulated_device device;
		clpac_pool *pool = open_default(&device, (uint64_t)1024 * MIB);
		const double rate = hit_rate_of(pool, n_live, most_bytes, is_drifting);
		ck_assert_msg(rate > 0.95, "%zu live up to %zu bytes%s: %g", n_live, most_bytes,
			      is_drifting ? ", drifting" : "", rate);
		check_truth(pool, &device);
		end(pool, &device);
	}
}

/* What a load holds of one size, it gets again: parts of segments hold nothing back from the driver. */
TEST(many_parts_of_one_size_are_hits_again)
{
	enum { N = 600 };
	clpac_buffer *held[N];
	simulated_device device;
	clpac_pool *pool = open_default(&device, (uint64_t)1024 * MIB);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < N; i++)
			held[i] = take(pool, 20000);
		clpac_buffer_release_batch(held, N);
	}
	ck_assert_uint_eq(numbers_of(pool).misses, N);
	check_truth(pool, &device);
	end(pool, &device);
}

TEST(parts_that_were_cached_for_longest_merge_first)
{
	enum { N = 32, OLD = 4096, YOUNG = 4608, SEGMENT = 512 * KIB };
	simulated_device device;
	clpac_buffer *old[N], *young[N];
	clpac_pool *pool = open_pool(&device, 4 * MIB,
				     &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
								     .max_segment_bytes = SEGMENT,
								     .preallocate_bytes = SEGMENT},
							   .merge_fraction = 0.1});
	for (int i = 0; i < N; i++)
		old[i] = take(pool, OLD);
	for (int i = 0; i < N; i++)
		young[i] = take(pool, YOUNG);
	clpac_buffer *rest = take(pool, SEGMENT - N * (OLD + YOUNG));
	clpac_buffer_release_batch(old, N);
	clpac_buffer_release_batch(young, N);
	clpac_buffer *other = take(pool, 2 * OLD);
	ck_assert_uint_eq(numbers_of(pool).segments, 1);
	const uint64_t misses = numbers_of(pool).misses;
	for (int i = 0; i < N; i++)
		young[i] = take(pool, YOUNG);
	ck_assert_uint_eq(numbers_of(pool).misses, misses);
	clpac_buffer_release_batch(young, N);
	/* The rest of the old ones suffices: the young ones stay where their thread finds them without a lock. */
	clpac_buffer *another = take(pool, 3 * OLD);
	ck_assert_uint_eq(numbers_of(pool).segments, 1);
	ck_assert_uint_eq(clpac__magazine_get(pool, &pool->queues[0])->blocks.count, N);
	clpac_buffer_release(another);
	clpac_buffer_release(other);
	clpac_buffer_release(rest);
	end(pool, &device);
}
