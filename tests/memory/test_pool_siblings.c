/* Pools that share limits: a tree of them, caches that give way to another pool's need, and pressure that all feel. */
#include "runner.h"

#include <pthread.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "memory/pool/surface/surface.h"
#include "pool_truth.h"
#include "random.h"

enum { KIB = 1024, N_POOLS = 3 };

static simulated_device devices[N_POOLS];
static clpac_pool *pools[N_POOLS];
static clpac_limit *limits[2];
static clpac_error err;

/* Limits of 64 KiB, and one of 32 KiB within it; the first pool is under the outer one, the others under the inner
 * one.  Each pool alone might have 64 KiB. */
static void begin(clpac_blocks blocks)
{
	ck_assert_int_eq(clpac_limit_create_under(NULL, 64 * KIB, &limits[0], &err), CLPAC_OK);
	ck_assert_int_eq(clpac_limit_create_under(limits[0], 32 * KIB, &limits[1], &err), CLPAC_OK);
	for (int i = 0; i < N_POOLS; i++)
		pools[i] = open_pool(
			&devices[i], 64 * KIB,
			&(clpac_pool_options){
				.budget = {.limit = limits[i > 0]},
				.cache = {.blocks = blocks, .max_kept_per_class = 100, .max_segment_bytes = 16 * KIB}});
}

static void finish(void)
{
	for (int i = 0; i < 2; i++) /* the pools keep them */
		clpac_limit_destroy(limits[i]);
	for (int i = 0; i < N_POOLS; i++) {
		check_truth(pools[i], &devices[i]);
		clpac_pool_destroy(pools[i]);
		check_nothing_left(&devices[i]);
	}
}

static clpac_pool_statistics numbers_of(clpac_pool *pool)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	return now;
}

TEST(what_a_pool_takes_counts_in_its_limit_and_all_above)
{
	begin(CLPAC_BLOCKS_WHOLE);
	clpac_buffer *outer = take(pools[0], 20 * KIB), *a = take(pools[1], 16 * KIB), *b = take(pools[2], 12 * KIB),
		     *c = NULL;
	ck_assert_uint_eq(clpac_limit_taken(limits[0]), 48 * KIB);
	ck_assert_uint_eq(clpac_limit_taken(limits[1]), 28 * KIB);
	/* 16 KiB are left in the outer limit, 4 in the inner one; neither attempt leaves a trace. */
	ck_assert_int_eq(clpac_pool_allocate(pools[1], 8 * KIB, "inner", &c, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_int_eq(clpac_pool_allocate(pools[0], 20 * KIB, "outer", &c, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_ptr_nonnull(
		strstr(err.text, "no room in the limit that the pool shares with others, of which 49152"));
	ck_assert_uint_eq(clpac_limit_taken(limits[0]), 48 * KIB);
	ck_assert_uint_eq(clpac_limit_taken(limits[1]), 28 * KIB);
	clpac_buffer_release(outer);
	clpac_buffer_release(a);
	clpac_buffer_release(b);
	finish();
}

TEST(a_starved_pool_trims_what_others_only_cache)
{
	static const clpac_blocks blocks[] = {CLPAC_BLOCKS_WHOLE, CLPAC_BLOCKS_SEGMENTS};
	for (size_t i = 0; i < COUNT(blocks); i++) {
		begin(blocks[i]);
		clpac_buffer *held[6];
		for (int k = 0; k < 6; k++)
			held[k] = take(pools[1], 4 * KIB);
		clpac_buffer_release_batch(held, 6);
		const uint64_t cached = numbers_of(pools[1]).allocated_bytes;
		ck_assert_uint_ge(cached, 24 * KIB);
		clpac_buffer *buffer = take(pools[2], 20 * KIB);
		clpac_pool_statistics now = numbers_of(pools[2]);
		ck_assert_uint_eq(now.refusals, 0);
		ck_assert_uint_eq(now.ladder[CLPAC_LADDER_SIBLINGS], 1);
		ck_assert_uint_lt(numbers_of(pools[1]).allocated_bytes, cached);
		clpac_buffer_release(buffer);
		finish();
	}
}

TEST(no_more_than_needed_is_taken_from_others_and_nothing_in_vain)
{
	begin(CLPAC_BLOCKS_WHOLE);
	clpac_buffer *held[6], *stays = take(pools[1], 4 * KIB), *refused = NULL;
	for (int k = 0; k < 6; k++)
		held[k] = take(pools[1], 4 * KIB);
	clpac_buffer_release_batch(held, 6);
	const uint64_t before = numbers_of(pools[1]).allocated_bytes;
	ck_assert_uint_eq(before, 28 * KIB);
	/* Even all caches are too little. */
	ck_assert_int_eq(clpac_pool_allocate(pools[2], 30 * KIB, "refused", &refused, &err),
			 CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_uint_eq(numbers_of(pools[1]).allocated_bytes, before);
	clpac_buffer *buffer = take(pools[2], 8 * KIB);
	/* 4 KiB were lacking; as many go because the limit is full, until it is below 0.90. */
	ck_assert_uint_eq(numbers_of(pools[1]).allocated_bytes, before - 8 * KIB);
	clpac_buffer_release(buffer);
	clpac_buffer_release(stays);
	finish();
}

/* Five pools share a limit, all of which they cache.  Two go, in any order; each of the others then finds what all the
 * rest cache. */
TEST_EACH(pools_that_go_leave_the_others_known, 125)
{
	enum { N = 5, EACH = 4 * KIB, N_ORDERS = N * N };
	static simulated_device own[N];
	clpac_pool *all[N];
	clpac_limit *limit = NULL;
	const int gone[2] = {_i % N_ORDERS / N, _i % N}, starved = _i / N_ORDERS;
	if (gone[0] == gone[1] || starved == gone[0] || starved == gone[1])
		return;
	ck_assert_int_eq(clpac_limit_create((uint64_t)N * EACH, &limit, &err), CLPAC_OK);
	for (int i = 0; i < N; i++)
		all[i] = open_pool(&own[i], (uint64_t)N * EACH, &(clpac_pool_options){.budget = {.limit = limit}});
	for (int i = 0; i < N; i++)
		clpac_buffer_release(take(all[i], EACH - KIB));
	for (int i = 0; i < 2; i++) {
		clpac_pool_destroy(all[gone[i]]);
		check_nothing_left(&own[gone[i]]);
	}
	ck_assert_uint_gt(clpac_limit_taken(limit), 0);
	clpac_buffer *buffer = take(all[starved], N * EACH);
	ck_assert_uint_eq(clpac_limit_taken(limit), (uint64_t)N * EACH);
	clpac_buffer_release(buffer);
	for (int i = 0; i < N; i++)
		if (i != gone[0] && i != gone[1]) {
			clpac_pool_destroy(all[i]);
			check_nothing_left(&own[i]);
		}
	clpac_limit_destroy(limit);
}

/* Changes of pressure that a pool's watcher was told. */
static unsigned n_told;
static clpac_pressure told;

static void note(void *user, clpac_pool *pool, clpac_pressure from, clpac_pressure to)
{
	(void)user, (void)from;
	ck_assert_ptr_eq(pool, pools[2]);
	n_told++;
	told = to;
}

TEST(a_full_limit_presses_on_all_its_pools_and_tells_them)
{
	begin(CLPAC_BLOCKS_WHOLE);
	n_told = 0;
	ck_assert_int_eq(clpac_pool_watch(pools[2], note, NULL, &err), CLPAC_OK);
	clpac_buffer *most = take(pools[1], 28 * KIB);
	ck_assert_int_eq(clpac_pool_pressure(pools[1]), CLPAC_PRESSURE_HIGH);
	/* It has nothing itself, and no room either. */
	ck_assert_int_eq(clpac_pool_pressure(pools[2]), CLPAC_PRESSURE_HIGH);
	ck_assert_int_eq(numbers_of(pools[2]).pressure, CLPAC_PRESSURE_HIGH);
	ck_assert_uint_eq(n_told, 2);
	ck_assert_int_eq(told, CLPAC_PRESSURE_HIGH);
	/* The outer limit has room: its own pool feels nothing. */
	ck_assert_int_eq(clpac_pool_pressure(pools[0]), CLPAC_PRESSURE_LOW);
	clpac_buffer_release(most);
	clpac_pool_clear(pools[1]);
	ck_assert_int_eq(clpac_pool_pressure(pools[2]), CLPAC_PRESSURE_LOW);
	ck_assert_uint_eq(n_told, 4);
	clpac_pool_unwatch(pools[2], note, NULL);
	finish();
}

TEST(what_the_driver_refused_to_exceed_presses_until_it_is_exceeded)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 64 * KIB, NULL);
	clpac_buffer *held = take(pool, 20 * KIB), *buffer = NULL;
	ck_assert_int_eq(clpac_pool_pressure(pool), CLPAC_PRESSURE_LOW);
	device.memory_bytes = 20 * KIB;
	ck_assert_int_eq(clpac_pool_allocate(pool, 1 * KIB, "refused", &buffer, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	/* 20 of at most 21 KiB. */
	ck_assert_int_eq(clpac_pool_pressure(pool), CLPAC_PRESSURE_CRITICAL);
	device.memory_bytes = 64 * KIB;
	buffer = take(pool, 2 * KIB);
	ck_assert_int_eq(clpac_pool_pressure(pool), CLPAC_PRESSURE_LOW);
	clpac_buffer_release(buffer);
	clpac_buffer_release(held);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(what_is_far_too_large_says_nothing_about_the_rest)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 64 * KIB, NULL);
	clpac_buffer *held = take(pool, 2 * KIB), *buffer = NULL;
	device.memory_bytes = 40 * KIB;
	ck_assert_int_eq(clpac_pool_allocate(pool, 40 * KIB, "refused", &buffer, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_int_eq(clpac_pool_pressure(pool), CLPAC_PRESSURE_LOW);
	clpac_buffer_release(held);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

/* ---- Threads --------------------------------------------------------------------------------- */

enum { N_THREADS = 3, N_ROUNDS = 3000, N_LIVES = 60 };

static void *work(void *user)
{
	clpac_pool *pool = user;
	clpac_buffer *held[4] = {0};
	unsigned long long state = (uintptr_t)pool;
	for (int round = 0; round < N_ROUNDS; round++) {
		clpac_buffer **place = &held[random_below(&state, 4)];
		clpac_buffer_release(*place);
		*place = NULL;
		if (clpac_pool_allocate(pool, 1 + random_below(&state, 9 * KIB), "thread", place, NULL) != CLPAC_OK)
			*place = NULL;
	}
	clpac_buffer_release_batch(held, 4);
	return NULL;
}

/* Pools come and go under the same limit, while others look for something to trim. */
static void *come_and_go(void *user)
{
	simulated_device *own = user;
	for (int life = 0; life < N_LIVES; life++) {
		const clpac_pool_options options = {.budget = {.limit = limits[1]}};
		clpac_pool *pool = NULL;
		simulated_open(&own[life], 64 * KIB, 0);
		if (clpac__pool_create(&own[life].queue, &options, 0, &pool, NULL) != CLPAC_OK)
			return user;
		clpac_buffer *buffer = NULL;
		if (clpac_pool_allocate(pool, 6 * KIB, "brief", &buffer, NULL) == CLPAC_OK)
			clpac_buffer_release(buffer);
		clpac_pool_destroy(pool);
	}
	return NULL;
}

TEST(threads_of_pools_that_share_a_limit_neither_starve_nor_lose_a_byte)
{
	static simulated_device brief[N_LIVES];
	pthread_t threads[N_THREADS + 1];
	begin(CLPAC_BLOCKS_SEGMENTS);
	for (int i = 0; i < N_THREADS; i++)
		devices[i].yields = i;
	for (int i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, pools[i]), 0);
	ck_assert_int_eq(pthread_create(&threads[N_THREADS], NULL, come_and_go, brief), 0);
	void *failed = NULL;
	for (int i = 0; i <= N_THREADS; i++)
		pthread_join(threads[i], &failed);
	ck_assert_ptr_null(failed);
	for (int i = 0; i < N_LIVES; i++)
		check_nothing_left(&brief[i]);
	uint64_t taken = 0;
	for (int i = 0; i < N_POOLS; i++) {
		check_truth_after_threads(pools[i], &devices[i]);
		taken += devices[i].live_bytes;
	}
	ck_assert_uint_eq(clpac_limit_taken(limits[0]), taken);
	for (int i = 0; i < 2; i++)
		clpac_limit_destroy(limits[i]);
	for (int i = 0; i < N_POOLS; i++) {
		clpac_pool_destroy(pools[i]);
		check_nothing_left(&devices[i]);
	}
}
