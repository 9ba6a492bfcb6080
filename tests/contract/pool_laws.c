/* What clpac/memory.h promises on every device. */
#include "pool_laws.h"

#include <stdlib.h>
#include <string.h>

#include "memory/pool.h"
#include "targets.h"

#define OK(call) ck_assert_msg((call) == CLPAC_OK, "%s: %s", #call, err.text)

/* Opened before and closed after each test, for target number _i. */
static clpac__queue *queue;
static clpac_pool *pool;
static clpac_error err;

static void open_target(int i, const clpac_pool_options *options)
{
	queue = target_open(targets_get((size_t)i));
	OK(clpac__pool_create(queue, options, 0, &pool, &err));
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

static void check_bytes(clpac_buffer *buffer, const unsigned char *expected)
{
	size_t bytes = clpac_buffer_bytes(buffer);
	unsigned char *found = malloc(bytes);
	OK(clpac_buffer_read(buffer, 0, bytes, found, &err));
	ck_assert_msg(memcmp(found, expected, bytes) == 0, "%zu bytes of buffer %llu changed", bytes,
		      (unsigned long long)clpac_buffer_id(buffer));
	free(found);
}

START_TEST(random_work_in_recycled_blocks_mixes_nothing_up)
{
	enum { N_HELD = 12, N_ROUNDS = 400, MAX_BYTES = 200000 };
	open_target(_i, &(clpac_pool_options){.budget_bytes = 2 << 20});
	clpac_buffer *held[N_HELD] = {0};
	unsigned char *content[N_HELD];
	unsigned state = 7;
	for (int i = 0; i < N_HELD; i++)
		content[i] = malloc(MAX_BYTES);
	for (unsigned round = 0; round < N_ROUNDS; round++) {
		unsigned i = (unsigned)((random_unit(&state) + 1) / 2 * N_HELD), other = (i + 1) % N_HELD;
		if (held[i])
			check_bytes(held[i], content[i]);
		clpac_buffer_release(held[i]);
		size_t bytes = 1 + (size_t)((random_unit(&state) + 1) / 2 * (MAX_BYTES - 1));
		held[i] = NULL;
		if (clpac_pool_allocate(pool, bytes, "law", &held[i], &err) != CLPAC_OK) {
			/* Only where what is in use leaves no room. */
			clpac_pool_statistics now;
			clpac_pool_measure(pool, &now);
			ck_assert_int_eq(err.status, CLPAC_ERROR_NO_DEVICE_MEMORY);
			ck_assert_uint_gt(now.in_use_bytes + clpac_pool_class(pool, bytes), now.budget_bytes);
			continue;
		}
		if (round % 3 == 0 && held[other] && clpac_buffer_bytes(held[other]) >= bytes) {
			OK(clpac_buffer_copy(held[other], 0, held[i], 0, bytes, &err));
			memcpy(content[i], content[other], bytes);
		} else if (round % 3 == 1) {
			OK(clpac_buffer_fill(held[i], 0, bytes, (uint8_t)round, &err));
			memset(content[i], (int)(round & 255), bytes);
		} else {
			random_bytes(round, content[i], bytes);
			OK(clpac_buffer_write(held[i], 0, bytes, content[i], &err));
		}
	}
	for (int i = 0; i < N_HELD; i++) {
		if (held[i])
			check_bytes(held[i], content[i]);
		free(content[i]);
	}
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now);
	ck_assert_uint_gt(now.hits, 0);
	ck_assert_uint_gt(now.driver_releases, 0);
	clpac_buffer_release_batch(held, N_HELD);
	close_target();
}
END_TEST

START_TEST(a_block_released_with_work_pending_is_reused_behind_that_work)
{
	enum { BYTES = 1 << 20, N_ROUNDS = 20 };
	open_target(_i, NULL);
	unsigned char *expected = malloc(BYTES);
	clpac_buffer *kept[N_ROUNDS];
	clpac__block *first_block = NULL;
	for (int round = 0; round < N_ROUNDS; round++) {
		kept[round] = take(BYTES);
		clpac_buffer *passing = take(BYTES + 1); /* of another class than those kept */
		if (round == 0)
			first_block = clpac__buffer_block(passing);
		ck_assert_ptr_eq(clpac__buffer_block(passing), first_block);
		OK(clpac_buffer_fill(passing, 0, BYTES, (uint8_t)round, &err));
		OK(clpac_buffer_copy(passing, 0, kept[round], 0, BYTES, &err));
		clpac_buffer_release(passing);
	}
	for (int round = 0; round < N_ROUNDS; round++) {
		memset(expected, round, BYTES);
		check_bytes(kept[round], expected);
	}
	clpac_buffer_release_batch(kept, N_ROUNDS);
	free(expected);
	close_target();
}
END_TEST

START_TEST(after_warm_up_a_fitting_job_makes_no_driver_call)
{
	static const size_t bytes[] = {1000, 70000, 1 << 20}, counts[] = {20, 10, 2};
	open_target(_i, NULL);
	OK(clpac_pool_warm_up(pool, 3, bytes, counts, &err));
	clpac_pool_statistics before, after;
	clpac_pool_measure(pool, &before);
	ck_assert_uint_eq(before.driver_calls, 32);
	for (int round = 0; round < 3; round++) {
		clpac_buffer *buffers[32];
		size_t n = 0;
		for (size_t kind = 0; kind < 3; kind++)
			for (size_t i = 0; i < counts[kind]; i++)
				buffers[n++] = take(bytes[kind]);
		for (size_t i = 0; i < n; i++)
			OK(clpac_buffer_fill(buffers[i], 0, clpac_buffer_bytes(buffers[i]), 1, &err));
		clpac_buffer_release_batch(buffers, n);
	}
	clpac_pool_measure(pool, &after);
	ck_assert_uint_eq(after.driver_calls, before.driver_calls);
	ck_assert_uint_eq(after.hits, 96);
	ck_assert_uint_eq(clpac_pool_clear(pool), after.pooled_bytes);
	close_target();
}
END_TEST

START_TEST(more_than_the_device_has_is_refused_and_less_works_afterwards)
{
	open_target(_i, NULL);
	clpac_buffer *buffer = NULL;
	uint64_t budget = clpac_pool_budget(pool);
	ck_assert_uint_gt(budget, 0);
	ck_assert_uint_lt(budget, SIZE_MAX / 2);
	clpac_status st = clpac_pool_allocate(pool, (size_t)budget + 1, "too large", &buffer, &err);
	ck_assert(st == CLPAC_ERROR_NO_DEVICE_MEMORY || st == CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "too large"));
	ck_assert_ptr_null(buffer);
	buffer = take(1000);
	clpac_buffer_release(buffer);
	close_target();
}
END_TEST

TCase *pool_laws(size_t n)
{
	TCase *laws = tcase_create("pool laws");
	tcase_add_loop_test(laws, random_work_in_recycled_blocks_mixes_nothing_up, 0, (int)n);
	tcase_add_loop_test(laws, a_block_released_with_work_pending_is_reused_behind_that_work, 0, (int)n);
	tcase_add_loop_test(laws, after_warm_up_a_fitting_job_makes_no_driver_call, 0, (int)n);
	tcase_add_loop_test(laws, more_than_the_device_has_is_refused_and_less_works_afterwards, 0, (int)n);
	return laws;
}
