/* Requests that fit are served, on every device: laws of the ladder of clpac/memory/pool.h, alone and below a store. */
#include "ladder_laws.h"

#include <stdio.h>
#include <string.h>

#include "assertions.h"
#include <clpac/memory/store.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/statistics.h>
#include "memory/pool/pool.h"
#include "targets.h"

enum { KIB = 1024, MIB = 1024 * KIB };

/* Opened before and closed after each test, for target number _i. */
static clpac__queue *queue;
static clpac_pool *pool;
static clpac_error err;

static void open_target(int i, uint64_t cap_bytes)
{
	queue = target_open(targets_get((size_t)i));
	OK(clpac__pool_create(queue,
			      &(clpac_pool_options){.budget.bytes = cap_bytes, .cache.blocks = CLPAC_BLOCKS_SEGMENTS},
			      0, &pool, &err));
}

static void close_target(void)
{
	clpac_pool_destroy(pool);
	queue->operations->close(queue);
}

static clpac_buffer *take(size_t bytes)
{
	clpac_buffer *buffer = NULL;
	OK(clpac_pool_allocate(pool, bytes, "law", &buffer, &err));
	return buffer;
}

static clpac_pool_statistics numbers(void)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	return now;
}

START_TEST(a_small_request_is_served_from_the_gaps_between_large_buffers)
{
	enum { N = 32 };
	clpac_buffer *large[N];
	open_target(_i, 64 * MIB);
	for (int i = 0; i < N; i++)
		large[i] = take(2 * MIB);
	for (int i = 0; i < N; i += 2) {
		clpac_buffer_release(large[i]);
		large[i] = NULL;
	}
	clpac_buffer *small = take(4096);
	OK(clpac_buffer_fill(small, 0, 4096, 1, &err));
	ck_assert_uint_eq(numbers().refusals, 0);
	clpac_buffer_release(small);
	clpac_buffer_release_batch(large, N);
	close_target();
}

START_TEST(a_large_request_is_served_from_the_gaps_between_small_buffers)
{
	enum { N = 32 };
	clpac_buffer *small[N];
	open_target(_i, 16 * MIB);
	for (int i = 0; i < N; i++)
		small[i] = take(512 * KIB);
	/* Eight in a row, made one after another, leave a gap of 2 MiB in one segment at least. */
	for (int i = 20; i < 28; i++) {
		clpac_buffer_release(small[i]);
		small[i] = NULL;
	}
	clpac_buffer *large = take(1536 * KIB);
	OK(clpac_buffer_fill(large, 0, 1536 * KIB, 1, &err));
	ck_assert_uint_eq(numbers().refusals, 0);
	clpac_buffer_release(large);
	clpac_buffer_release_batch(small, N);
	close_target();
}

START_TEST(a_pool_is_not_starved_by_what_another_one_only_caches)
{
	enum { N = 12 };
	clpac_limit *limit = NULL;
	clpac_pool *other = NULL;
	clpac_buffer *held[N], *large = NULL;
	OK(clpac_limit_create(32 * MIB, &limit, &err));
	queue = target_open(targets_get((size_t)_i));
	const clpac_pool_options options = {.budget = {.bytes = 64 * MIB, .limit = limit}};
	OK(clpac__pool_create(queue, &options, 0, &pool, &err));
	OK(clpac__pool_create(queue, &options, 0, &other, &err));
	clpac_limit_destroy(limit);
	for (int i = 0; i < N; i++)
		held[i] = take(2 * MIB);
	clpac_buffer_release_batch(held, N);
	OK(clpac_pool_allocate(other, 24 * MIB, "law", &large, &err));
	OK(clpac_buffer_fill(large, 0, 24 * MIB, 1, &err));
	ck_assert_int_ge(clpac_pool_pressure(pool), CLPAC_PRESSURE_MEDIUM);
	clpac_buffer_release(large);
	clpac_pool_destroy(other);
	close_target();
}

/* --- Below a store ---------------------------------------------------------------------------- */

/* Puts entries of these sizes in turn, and returns how many there are before the first one makes another go. */
static unsigned fill(clpac_store *store, unsigned most, const size_t *sizes, unsigned n_sizes)
{
	clpac_store_statistics now;
	for (unsigned i = 0; i < most; i++) {
		char key[32];
		clpac_buffer *buffer = take(sizes[i % n_sizes]);
		snprintf(key, sizeof key, "entry %u", i);
		OK(clpac_store_put(store, key, buffer, NULL, CLPAC_PUT_FAIL, &err));
		clpac_store_measure(store, &now, sizeof now);
		if (now.evictions)
			return i;
	}
	return most;
}

START_TEST(one_request_makes_no_more_go_than_twice_its_bytes)
{
	static const size_t sizes[][4] = {
		{MIB, MIB, MIB, MIB},
		{MIB, 300 * KIB, 2 * MIB, 700 * KIB},
		{100 * KIB, 3 * MIB, 40 * KIB, 1200 * KIB},
		{4 * MIB, 4 * MIB, 4 * MIB, 4 * MIB},
	};
	static const size_t requests[] = {5 * MIB, 9 * MIB, 4 * MIB};
	for (size_t i = 0; i < COUNT(sizes); i++)
		for (size_t k = 0; k < COUNT(requests); k++) {
			clpac_store *store = NULL;
			clpac_store_statistics before, after;
			open_target(_i, 64 * MIB);
			OK(clpac_store_create(pool, NULL, &store, &err));
			fill(store, 400, sizes[i], 4);
			clpac_store_measure(store, &before, sizeof before);
			clpac_buffer *buffer = take(requests[k]);
			clpac_store_measure(store, &after, sizeof after);
			ck_assert_msg(after.evicted_bytes - before.evicted_bytes <= 2 * requests[k],
				      "sizes %zu, request %zu: %llu bytes of entries went", i, requests[k],
				      (unsigned long long)(after.evicted_bytes - before.evicted_bytes));
			clpac_buffer_release(buffer);
			clpac_store_destroy(store);
			close_target();
		}
}

START_TEST(pools_that_share_a_limit_for_the_host_stay_within_it)
{
	enum { N = 8 };
	clpac_limit *limit = NULL;
	clpac_pool *pools[2];
	clpac_buffer *buffers[2 * N] = {0};
	size_t n = 0, n_refused = 0;
	OK(clpac_limit_create(5 * MIB, &limit, &err));
	open_target(_i, 16 * MIB);
	for (int i = 0; i < 2; i++)
		OK(clpac__pool_create(queue,
				      &(clpac_pool_options){.budget.bytes = MIB,
							    .fallback_limit = limit,
							    .placement = CLPAC_PLACE_PREFER_DEVICE},
				      0, &pools[i], &err));
	for (size_t i = 0; i < 2 * N; i++) {
		const clpac_status st = clpac_pool_allocate(pools[i % 2], MIB, "law", &buffers[n], &err);
		if (st == CLPAC_OK) {
			const unsigned char value = (unsigned char)n;
			OK(clpac_buffer_fill(buffers[n], 0, MIB, value, &err));
			n++;
		} else {
			ck_assert_int_eq(st, CLPAC_ERROR_NO_DEVICE_MEMORY);
			ck_assert_ptr_nonnull(strstr(err.text, "5242880 of 5242880"));
			n_refused++;
		}
		ck_assert_uint_le(clpac_limit_taken(limit), 5 * MIB);
	}
	/* One of each pool on its device, and five on the host. */
	ck_assert_uint_eq(n, 7);
	ck_assert_uint_eq(n_refused, 2 * N - 7);
	ck_assert_uint_eq(clpac_limit_taken(limit), 5 * MIB);
	for (size_t i = 0; i < n; i++) {
		unsigned char last;
		OK(clpac_buffer_read(buffers[i], MIB - 1, 1, &last, &err));
		ck_assert_uint_eq(last, i);
	}
	clpac_buffer_release_batch(buffers, n);
	ck_assert_uint_eq(clpac_limit_taken(limit), 0);
	for (int i = 0; i < 2; i++)
		clpac_pool_destroy(pools[i]);
	clpac_limit_destroy(limit);
	close_target();
}

TCase *ladder_laws(size_t n)
{
	TCase *laws = tcase_create("ladder laws");
	tcase_add_loop_test(laws, a_small_request_is_served_from_the_gaps_between_large_buffers, 0, (int)n);
	tcase_add_loop_test(laws, a_large_request_is_served_from_the_gaps_between_small_buffers, 0, (int)n);
	tcase_add_loop_test(laws, a_pool_is_not_starved_by_what_another_one_only_caches, 0, (int)n);
	tcase_add_loop_test(laws, pools_that_share_a_limit_for_the_host_stay_within_it, 0, (int)n);
	tcase_add_loop_test(laws, one_request_makes_no_more_go_than_twice_its_bytes, 0, (int)n);
	return laws;
}
