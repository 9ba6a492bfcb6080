/* The promises of clpac/memory/pool.h, on every device. */
#include "pool_laws.h"

#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/statistics.h>

#include "assertions.h"
#include "memory/pool/pool.h"
#include "coupling/stages/compute.h"
#include "coupling/registry/registry.h"
#include "targets.h"
#include "noise.h"
#include "random.h"

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

static void work_at_random(int i_target, clpac_blocks blocks)
{
	enum { N_HELD = 12, N_ROUNDS = 400, MAX_BYTES = 200000 };
	open_target(i_target, &(clpac_pool_options){.budget = {.bytes = 2 << 20}, .cache = {.blocks = blocks}});
	clpac_buffer *held[N_HELD] = {0};
	unsigned char *content[N_HELD];
	unsigned long long state = 7;
	for (int i = 0; i < N_HELD; i++)
		content[i] = malloc(MAX_BYTES);
	for (unsigned round = 0; round < N_ROUNDS; round++) {
		unsigned i = (unsigned)random_below(&state, N_HELD), other = (i + 1) % N_HELD;
		if (held[i])
			check_bytes(held[i], content[i]);
		clpac_buffer_release(held[i]);
		size_t bytes = 1 + random_below(&state, MAX_BYTES - 1);
		held[i] = NULL;
		if (clpac_pool_allocate(pool, bytes, "law", &held[i], &err) != CLPAC_OK) {
			/* Refused only where the memory in use leaves no room, or no piece that is large enough. */
			clpac_pool_statistics now;
			clpac_pool_measure(pool, &now, sizeof now);
			ck_assert_int_eq(err.status, CLPAC_ERROR_NO_DEVICE_MEMORY);
			ck_assert_uint_lt(now.largest_free_bytes, clpac_pool_class(pool, bytes));
			ck_assert_uint_lt(now.budget_bytes - now.allocated_bytes, clpac_pool_class(pool, bytes));
			if (!now.segments)
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
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_gt(now.hits, 0);
	ck_assert_uint_gt(now.driver_releases, 0);
	ck_assert_uint_eq(now.parts_created > 0, blocks == CLPAC_BLOCKS_SEGMENTS);
	clpac_buffer_release_batch(held, N_HELD);
	close_target();
}

START_TEST(random_work_in_recycled_blocks_mixes_nothing_up)
{
	work_at_random(_i, CLPAC_BLOCKS_WHOLE);
	work_at_random(_i, CLPAC_BLOCKS_SEGMENTS);
}

START_TEST(a_block_released_with_work_pending_is_reused_behind_that_work)
{
	enum { BYTES = 1 << 20, N_ROUNDS = 20 };
	/* Whole blocks: cached parts may go back into their segments where new ones are needed. */
	open_target(_i, &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_WHOLE}});
	unsigned char *expected = malloc(BYTES);
	clpac_buffer *kept[N_ROUNDS];
	clpac__block *first_block = NULL;
	for (int round = 0; round < N_ROUNDS; round++) {
		kept[round] = take(BYTES);
		clpac_buffer *passing = take(BYTES + 1); /* of another size class than the kept ones */
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

START_TEST(after_warm_up_a_fitting_job_makes_no_driver_call)
{
	static const size_t bytes[] = {1000, 70000, 1 << 20}, counts[] = {20, 10, 2};
	open_target(_i, NULL);
	OK(clpac_pool_warm_up(pool, 3, bytes, counts, &err));
	clpac_pool_statistics before, after;
	clpac_pool_measure(pool, &before, sizeof before);
	ck_assert_uint_eq(before.driver_calls, before.segments ? before.segments : 32);
	ck_assert_uint_eq(before.pooled_buffers, 32);
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
	clpac_pool_measure(pool, &after, sizeof after);
	ck_assert_uint_eq(after.driver_calls, before.driver_calls);
	ck_assert_uint_eq(after.parts_created, before.parts_created);
	ck_assert_uint_eq(after.hits, 96);
	ck_assert_uint_eq(clpac_pool_clear(pool), after.pooled_bytes);
	close_target();
}

START_TEST(more_than_the_device_has_is_refused_and_less_works_afterwards)
{
	open_target(_i, NULL);
	clpac_buffer *buffer = NULL;
	uint64_t budget = clpac_pool_budget(pool);
	ck_assert_uint_gt(budget, 0);
	ck_assert(budget < SIZE_MAX / 2 || budget == UINT64_MAX); /* UINT64_MAX where the memory's size is unknown */
	const size_t bytes = budget < SIZE_MAX / 2 ? (size_t)budget + 1 : SIZE_MAX / 2;
	clpac_status st = clpac_pool_allocate(pool, bytes, "too large", &buffer, &err);
	ck_assert(st == CLPAC_ERROR_NO_DEVICE_MEMORY || st == CLPAC_ERROR_ARGUMENT ||
		  (st == CLPAC_ERROR_NO_MEMORY && budget == UINT64_MAX));
	ck_assert_ptr_nonnull(strstr(err.text, "too large"));
	ck_assert_ptr_null(buffer);
	buffer = take(1000);
	clpac_buffer_release(buffer);
	close_target();
}

/* ---- Buffers on the host --------------------------------------------------------------------- */

static clpac_buffer *take_placed(size_t bytes, clpac_placement placement)
{
	clpac_buffer *buffer = NULL;
	const clpac_request request = {.bytes = bytes, .tag = "law", .placement = placement};
	OK(clpac_pool_request(pool, &request, &buffer, &err));
	return buffer;
}

static const clpac_placement places[] = {CLPAC_PLACE_DEVICE, CLPAC_PLACE_HOST};

START_TEST(contents_are_the_same_wherever_a_buffer_lives)
{
	enum { BYTES = 70001 };
	open_target(_i, NULL);
	static unsigned char model[BYTES];
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 2; b++) {
			clpac_buffer *source = take_placed(BYTES, places[a]), *target = take_placed(BYTES, places[b]);
			void *memory = NULL;
			ck_assert_int_eq(clpac_buffer_is_on_device(source), places[a] == CLPAC_PLACE_DEVICE);
			random_bytes((unsigned long long)(2 * a + b), model, BYTES);
			OK(clpac_buffer_write(source, 0, BYTES, model, &err));
			OK(clpac_buffer_fill(target, 0, BYTES, 0xEE, &err));
			OK(clpac_buffer_copy(source, 3, target, 5, BYTES - 5, &err));
			memmove(model + 5, model + 3, BYTES - 5);
			memset(model, 0xEE, 5);
			OK(clpac_buffer_map(target, 100, 5000, CLPAC_READ_WRITE, &memory, &err));
			ck_assert(memcmp(memory, model + 100, 5000) == 0);
			memset(memory, 0x11, 5000);
			memset(model + 100, 0x11, 5000);
			OK(clpac_buffer_unmap(target, &err));
			check_bytes(target, model);
			OK(clpac_buffer_map(target, 7, 10, CLPAC_WRITE, &memory, &err));
			memset(memory, 0x22, 10);
			memset(model + 7, 0x22, 10);
			OK(clpac_buffer_unmap(target, &err));
			check_bytes(target, model);
			clpac_buffer_release(source);
			clpac_buffer_release(target);
		}
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.host_bytes, 0);
	/* Eight mappings: where device and host share their memory, none was a copy. */
	if (queue->has_unified_memory)
		ck_assert_uint_eq(now.host_copies, 0);
	else
		ck_assert_uint_ge(now.host_copies, 4);
	close_target();
}

START_TEST(a_stage_gives_the_same_numbers_on_any_mix_of_places)
{
	enum { LENGTH = 1000, ROWS = 3 };
	open_target(_i, NULL);
	static float real[ROWS * LENGTH], wide[2 * ROWS * LENGTH];
	unsigned long long state = 3;
	for (int i = 0; i < ROWS * LENGTH; i++)
		real[i] = random_signed(&state);
	OK(clpac__compute_prepare(queue, 0, &err));
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 2; b++) {
			clpac_buffer *source = take_placed(sizeof real, places[a]),
				     *target = take_placed(sizeof wide, places[b]);
			OK(clpac_buffer_write(source, 0, sizeof real, real, &err));
			OK(clpac_buffer_fill(target, 0, sizeof wide, 0xFF, &err));
			const clpac__launch launch = {
				.items = {LENGTH, ROWS, 1},
				CLPAC__STAGE(widen, .real = clpac__buffer_block(source),
					     .wide = clpac__buffer_block(target), .length = LENGTH, .stride = LENGTH),
			};
			OK(clpac__compute_launch(queue, &launch, &err));
			OK(clpac_buffer_read(target, 0, sizeof wide, wide, &err));
			for (int i = 0; i < ROWS * LENGTH; i++)
				if (wide[2 * i] != real[i] || wide[2 * i + 1] != 0)
					ck_abort_msg("number %d is %g + %g i and not %g", i, wide[2 * i],
						     wide[2 * i + 1], real[i]);
			clpac_buffer_release(source);
			clpac_buffer_release(target);
		}
	close_target();
}

START_TEST(a_fallback_keeps_its_content_on_its_way_to_the_device)
{
	enum { BYTES = 300001 };
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = 1 << 20}, .placement = CLPAC_PLACE_PREFER_DEVICE});
	static unsigned char model[BYTES];
	random_bytes(9, model, BYTES);
	clpac_buffer *large = take(900000), *fallback = take(BYTES);
	ck_assert(clpac_buffer_is_on_device(large) && !clpac_buffer_is_on_device(fallback));
	OK(clpac_buffer_write(fallback, 0, BYTES, model, &err));
	check_bytes(fallback, model);
	ck_assert(!clpac_buffer_is_on_device(fallback));
	clpac_buffer_release(large);
	clpac_pool_clear(pool);
	size_t n = 0;
	OK(clpac_pool_promote(pool, &n, &err));
	ck_assert_uint_eq(n, 1);
	ck_assert(clpac_buffer_is_on_device(fallback));
	check_bytes(fallback, model);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.fallbacks, 1);
	ck_assert_uint_eq(now.promotions, 1);
	clpac_buffer_release(fallback);
	close_target();
}

START_TEST(buffers_that_were_moved_together_keep_their_contents)
{
	enum { N = 64, BYTES = 4096 };
	open_target(_i,
		    &(clpac_pool_options){.budget = {.bytes = 4 << 20},
					  .cache = {.blocks = CLPAC_BLOCKS_SEGMENTS, .max_segment_bytes = 256 << 10}});
	clpac_buffer *parts[N];
	static unsigned char model[N][BYTES];
	uint64_t released = 0;
	for (unsigned i = 0; i < N; i++) {
		parts[i] = take(BYTES);
		random_bytes(i, model[i], BYTES);
		OK(clpac_buffer_write(parts[i], 0, BYTES, model[i], &err));
	}
	for (unsigned i = 0; i < N; i++)
		if (i % 8) {
			clpac_buffer_release(parts[i]);
			parts[i] = NULL;
		}
	OK(clpac_pool_defragment(pool, UINT64_MAX, &released, &err));
	ck_assert_uint_gt(released, 0);
	for (unsigned i = 0; i < N; i += 8)
		check_bytes(parts[i], model[i]);
	clpac_buffer_release_batch(parts, N);
	close_target();
}

TCase *pool_laws(size_t n)
{
	TCase *laws = tcase_create("pool laws");
	tcase_add_loop_test(laws, random_work_in_recycled_blocks_mixes_nothing_up, 0, (int)n);
	tcase_add_loop_test(laws, a_block_released_with_work_pending_is_reused_behind_that_work, 0, (int)n);
	tcase_add_loop_test(laws, after_warm_up_a_fitting_job_makes_no_driver_call, 0, (int)n);
	tcase_add_loop_test(laws, more_than_the_device_has_is_refused_and_less_works_afterwards, 0, (int)n);
	tcase_add_loop_test(laws, contents_are_the_same_wherever_a_buffer_lives, 0, (int)n);
	tcase_add_loop_test(laws, a_fallback_keeps_its_content_on_its_way_to_the_device, 0, (int)n);
	tcase_add_loop_test(laws, buffers_that_were_moved_together_keep_their_contents, 0, (int)n);
	return laws;
}

TCase *pool_stage_laws(size_t n)
{
	TCase *laws = tcase_create("stages");
	tcase_add_loop_test(laws, a_stage_gives_the_same_numbers_on_any_mix_of_places, 0, (int)n);
	return laws;
}
