/* Pools that are tracked, traced, scoped and checked: observers report what happened, and change nothing. */
#include "runner.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "memory/pool/blocks/checked.h"
#include "memory/pool/surface/surface.h"
#include "pool_truth.h"

enum { MEBIBYTE = 1 << 20 };

static clpac_pool_statistics measure(clpac_pool *pool)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	return now;
}

static const char *scratch(void)
{
	static char path[] = "test_watched_XXXXXX";
	int descriptor = mkstemp(path);
	ck_assert_int_ge(descriptor, 0);
	close(descriptor);
	return path;
}

static void check_no_fault(clpac_pool *pool)
{
	clpac_error err = {0};
	ck_assert_msg(clpac_pool_take_faults(pool, NULL, &err) == CLPAC_OK, "%s", err.text);
	ck_assert_uint_eq(measure(pool).canary_failures, 0);
	ck_assert_uint_eq(measure(pool).bad_releases, 0);
}

/* --- Tracked ---------------------------------------------------------------------------------- */

TEST(a_tracked_pool_lists_who_holds_what_from_where)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEBIBYTE, &(clpac_pool_options){.checks = {.is_tracked = true}});
	clpac_buffer *here = NULL, *there = NULL, *plain = take(pool, 100);
	clpac_error err;
	const int line = __LINE__ + 1;
	const clpac_request request = {.bytes = 1000, .tag = "spectrum", .n_elements = 250, CLPAC_HERE};
	assert_works(clpac_pool_request(pool, &request, &here, &err), err);
	const clpac_request on_host = {.bytes = 10, .placement = CLPAC_PLACE_HOST};
	assert_works(clpac_pool_request(pool, &on_host, &there, &err), err);

	clpac_live_list list;
	assert_works(clpac_pool_list(pool, 0, &list, &err), err);
	ck_assert_uint_eq(list.n, 3);
	ck_assert_uint_eq(list.bytes, 1110);
	for (size_t i = 0; i < list.n; i++) {
		const clpac_live_buffer *live = &list.buffers[i];
		const clpac_buffer *buffer = live->id == clpac_buffer_id(here)	  ? here
					     : live->id == clpac_buffer_id(there) ? there
										  : plain;
		ck_assert_uint_eq(live->id, clpac_buffer_id(buffer));
		ck_assert_uint_eq(live->bytes, clpac_buffer_bytes(buffer));
		ck_assert_uint_eq(live->class_bytes, clpac_buffer_class(buffer));
		ck_assert_str_eq(live->tag, clpac_buffer_tag(buffer));
		ck_assert_int_eq(live->is_on_device, clpac_buffer_is_on_device(buffer));
		ck_assert_uint_eq(live->n_elements, buffer == here ? 250 : 0);
		ck_assert_int_eq(live->line, buffer == here ? line : 0);
		if (buffer == here)
			ck_assert_ptr_nonnull(strstr(live->file, "test_pool_watched.c"));
		else
			ck_assert_ptr_null(live->file);
	}
	clpac_live_list_free(&list);
	clpac_buffer_release(here);
	clpac_buffer_release(there);
	assert_works(clpac_pool_list(pool, 0, &list, &err), err);
	ck_assert_uint_eq(list.n, 1);
	ck_assert_uint_eq(list.buffers[0].id, clpac_buffer_id(plain));
	clpac_live_list_free(&list);
	assert_works(clpac_pool_list(pool, 1e6, &list, &err), err);
	ck_assert_uint_eq(list.n, 0);
	clpac_live_list_free(&list);
	check_truth(pool, &device);
	clpac_pool_destroy(pool);
	clpac_buffer_release(plain); /* outlives its pool */
	check_nothing_left(&device);

	pool = open_pool(&device, MEBIBYTE, NULL);
	assert_refused(clpac_pool_list(pool, 0, &list, &err), err, CLPAC_ERROR_ARGUMENT, "is_tracked");
	clpac_pool_destroy(pool);
}

/* Threads that exchange the same few addresses as fast as they can, in one size class. */
enum { N_THREADS = 4, N_ROUNDS = 5000, N_HELD = 10 };

struct race {
	clpac_pool *pool;
	_Atomic(clpac_buffer *) mailbox;
	atomic_int n_running;
	atomic_uint n_failed;
};

static void *take_and_give(void *argument)
{
	struct race *race = argument;
	for (int round = 0; round < N_ROUNDS; round++) {
		clpac_buffer *buffer = NULL;
		if (clpac_pool_allocate(race->pool, 1000, "race", &buffer, NULL) != CLPAC_OK)
			atomic_fetch_add(&race->n_failed, 1);
		if (round % 2)
			buffer = atomic_exchange(&race->mailbox, buffer);
		clpac_buffer_release(buffer);
	}
	atomic_fetch_sub(&race->n_running, 1);
	return NULL;
}

/* Every id is allocated once and released once, in this order; the ids still held are only allocated. */
static void check_ids(const char *path, size_t n_buffers, size_t n_held)
{
	clpac_trace trace;
	clpac_error err;
	assert_works(clpac_trace_read(path, &trace, &err), err); /* refuses a second allocation of a live id */
	size_t n_allocated = 0, n_released = 0;
	uint64_t last = 0;
	for (size_t i = 0; i < trace.n; i++)
		last = trace.events[i].id > last ? trace.events[i].id : last;
	unsigned char *seen = calloc(last + 1, 1);
	for (size_t i = 0; i < trace.n; i++) {
		const clpac_trace_event *event = &trace.events[i];
		const bool is_release = event->operation == CLPAC_TRACE_RELEASE;
		ck_assert_msg(seen[event->id] == is_release, "buffer %llu: event %zu", (unsigned long long)event->id,
			      i);
		seen[event->id]++;
		n_allocated += !is_release;
		n_released += is_release;
	}
	free(seen);
	ck_assert_uint_eq(n_allocated, n_buffers);
	ck_assert_uint_eq(n_released, n_buffers - n_held);
	clpac_trace_free(&trace);
}

static void run_race(const clpac_pool_options *options)
{
	simulated_device device;
	struct race race = {.pool = open_pool(&device, MEBIBYTE, options), .n_running = N_THREADS};
	const char *path = scratch();
	clpac_error err;
	assert_works(clpac_trace_begin(race.pool, path, &err), err);
	clpac_buffer *held[N_HELD];
	for (int i = 0; i < N_HELD; i++)
		held[i] = take(race.pool, 1000);
	pthread_t threads[N_THREADS];
	for (int i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, take_and_give, &race), 0);
	bool is_last = false;
	while (!is_last) {
		is_last = !atomic_load(&race.n_running);
		clpac_live_list list;
		ck_assert_int_eq(clpac_pool_list(race.pool, 0, &list, NULL), CLPAC_OK);
		size_t n_held = 0;
		for (size_t i = 0; i < list.n; i++) {
			ck_assert_uint_eq(list.buffers[i].bytes, 1000);
			for (size_t k = 0; k < i; k++)
				ck_assert_uint_ne(list.buffers[k].id, list.buffers[i].id);
			for (int k = 0; k < N_HELD; k++)
				n_held += list.buffers[i].id == clpac_buffer_id(held[k]);
		}
		ck_assert_uint_eq(n_held, N_HELD);
		if (is_last) {
			clpac_buffer *in_mailbox = atomic_load(&race.mailbox);
			ck_assert_uint_eq(list.n, (size_t)N_HELD + (in_mailbox != NULL));
		}
		clpac_live_list_free(&list);
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(race.n_failed, 0);
	clpac_buffer_release(atomic_load(&race.mailbox));
	assert_works(clpac_trace_end(race.pool, &err), err);
	check_ids(path, N_HELD + N_THREADS * N_ROUNDS, N_HELD);
	unlink(path);
	clpac_buffer_release_batch(held, N_HELD);
	check_no_fault(race.pool);
	check_truth_after_threads(race.pool, &device);
	clpac_pool_destroy(race.pool);
	check_nothing_left(&device);
}

TEST(an_address_that_changes_hands_is_recorded_once_for_each_owner)
{
	run_race(&(clpac_pool_options){.checks = {.is_tracked = true}});
}

TEST(the_same_of_a_checked_pool_in_segments)
{
	run_race(&(clpac_pool_options){.checks = {.is_tracked = true, .is_checked = true},
				       .cache = {.blocks = CLPAC_BLOCKS_SEGMENTS}});
}

/* --- Traced ----------------------------------------------------------------------------------- */

/* Random requests under a budget that refuses some. */
static void work(clpac_pool *pool, unsigned long long seed)
{
	clpac_buffer *held[40] = {0};
	for (int step = 0; step < 3000; step++) {
		clpac_buffer **at = &held[random_below(&seed, COUNT(held))];
		if (*at) {
			clpac_buffer_release(*at);
			*at = NULL;
		} else {
			clpac_pool_allocate(pool, (size_t)exp2(17 * random_unit(&seed)), "work", at, NULL);
		}
	}
	clpac_buffer_release_batch(held, COUNT(held));
}

TEST(a_replay_gives_the_statistics_of_what_was_traced)
{
	static const clpac_blocks kinds[] = {CLPAC_BLOCKS_WHOLE, CLPAC_BLOCKS_SEGMENTS};
	const char *path = scratch();
	for (unsigned long long seed = 1; seed <= 6; seed++) {
		const clpac_pool_options options = {
			.cache = {.blocks = kinds[seed % 2], .max_segment_bytes = 64 << 10}};
		simulated_device device, again_device;
		clpac_pool *pool = open_pool(&device, 300 << 10, &options);
		clpac_error err;
		assert_works(clpac_trace_begin(pool, path, &err), err);
		work(pool, seed);
		assert_works(clpac_trace_end(pool, &err), err);
		const clpac_pool_statistics first = measure(pool);
		clpac_pool_destroy(pool);

		clpac_trace trace;
		assert_works(clpac_trace_read(path, &trace, &err), err);
		pool = open_pool(&again_device, 300 << 10, &options);
		clpac_replay_report report;
		assert_works(clpac_trace_replay_on_pool(&trace, pool, &report, &err), err);
		const clpac_pool_statistics second = measure(pool);
		ck_assert_uint_gt(first.refusals, 0);
		ck_assert_int_eq(memcmp(&first, &second, sizeof first), 0);
		ck_assert_uint_eq(report.n_refused, first.refusals);
		ck_assert_uint_eq(report.n_unknown, 0);
		ck_assert_uint_eq(report.peak_bytes, first.peak_requested_bytes);
		size_t n_hits = 0;
		for (size_t i = 0; i < trace.n; i++)
			n_hits += trace.events[i].outcome == CLPAC_TRACE_HIT;
		ck_assert_uint_eq(n_hits, first.hits);
		clpac_trace_free(&trace);

		/* A failing device ends the replay; nothing stays behind. */
		assert_works(clpac_trace_read(path, &trace, &err), err);
		clpac_pool_clear(pool);
		simulated_fail(&again_device, 1, SIMULATED_CREATE, CLPAC_ERROR_DEVICE, -5);
		assert_refused(clpac_trace_replay_on_pool(&trace, pool, NULL, &err), err, CLPAC_ERROR_DEVICE, "-5");
		ck_assert_uint_eq(measure(pool).active_buffers, 0);
		clpac_trace_free(&trace);
		clpac_pool_destroy(pool);
		check_nothing_left(&again_device);
	}
	unlink(path);
}

TEST(watching_changes_no_number)
{
	for (unsigned long long seed = 1; seed <= 4; seed++) {
		simulated_device device;
		clpac_pool_statistics plain, watched;
		clpac_pool *pool = open_pool(&device, 300 << 10, NULL);
		work(pool, seed);
		plain = measure(pool);
		clpac_pool_destroy(pool);

		const char *path = "/dev/null";
		clpac_scope *scope = NULL;
		clpac_error err;
		pool = open_pool(&device, 300 << 10, &(clpac_pool_options){.checks = {.is_tracked = true}});
		assert_works(clpac_trace_begin(pool, path, &err), err);
		assert_works(clpac_scope_begin(pool, CLPAC_SCOPE_MEASURE, "all", &scope, &err), err);
		work(pool, seed);
		watched = measure(pool);
		ck_assert_int_eq(memcmp(&plain, &watched, sizeof plain), 0);
		clpac_scope_report report;
		assert_works(clpac_scope_end(scope, &report, &err), err);
		ck_assert_uint_eq(report.hits, watched.hits);
		ck_assert_uint_eq(report.misses, watched.misses);
		ck_assert_uint_eq(report.driver_calls, watched.driver_calls);
		ck_assert_uint_eq(report.n_refused, watched.refusals);
		ck_assert_uint_eq(report.n_allocated, watched.hits + watched.misses - watched.refusals);
		ck_assert_uint_eq(report.n_released, report.n_allocated);
		ck_assert_uint_eq(report.peak_bytes, watched.peak_in_use_bytes);
		ck_assert_uint_eq(report.bytes_left, 0);
		ck_assert_uint_eq(report.pool_bytes_after, watched.allocated_bytes);
		clpac_pool_destroy(pool); /* ends the trace */
		check_nothing_left(&device);
	}
}

/* --- Scopes ----------------------------------------------------------------------------------- */

TEST(a_releasing_scope_gives_back_all_but_what_was_kept)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEBIBYTE, &(clpac_pool_options){.checks = {.is_tracked = true}});
	clpac_scope *outer = NULL, *inner = NULL;
	clpac_scope_report report;
	clpac_error err;
	clpac_buffer *before = take(pool, 100);
	assert_works(clpac_scope_begin(pool, CLPAC_SCOPE_MEASURE, "outer", &outer, &err), err);
	assert_works(clpac_scope_begin(pool, CLPAC_SCOPE_RELEASE, "inner", &inner, &err), err);
	clpac_buffer *gone = take(pool, 1000), *kept = take(pool, 2000), *released = take(pool, 4000);
	clpac_buffer_release(released);
	clpac_scope_keep(kept);
	clpac_scope_keep(before);
	clpac_scope_keep(NULL);
	assert_refused(clpac_scope_end(outer, &report, &err), err, CLPAC_ERROR_ARGUMENT, "\"inner\"");
	assert_works(clpac_scope_end(inner, &report, &err), err);
	ck_assert_uint_eq(report.n_allocated, 3);
	ck_assert_uint_eq(report.n_released, 1);
	ck_assert_uint_eq(report.n_released_at_end, 1);
	ck_assert_uint_eq(report.bytes_left, 1024);
	ck_assert_uint_eq(report.peak_bytes, 1024 + 2048 + 4096);
	ck_assert(report.fragmentation_before == 0);
	ck_assert_uint_eq(report.pool_bytes_before, clpac_buffer_class(before));
	ck_assert_uint_eq(report.driver_calls, 3);
	ck_assert_int_eq(clpac_buffer_fill(gone, 0, 1, 0, NULL), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_buffer_fill(kept, 0, 1, 0, NULL), CLPAC_OK);
	ck_assert_uint_eq(measure(pool).active_buffers, 2);
	assert_works(clpac_scope_end(outer, &report, &err), err);
	ck_assert_uint_eq(report.n_allocated, 3);
	ck_assert_uint_eq(report.n_released, 2);
	ck_assert_uint_eq(report.bytes_left, 2048);
	clpac_buffer_release(kept);
	clpac_buffer_release(before);
	check_no_fault(pool);
	check_truth(pool, &device);

	/* A pool destroyed before its scope. */
	assert_works(clpac_scope_begin(pool, CLPAC_SCOPE_RELEASE, "late", &outer, &err), err);
	take(pool, 10);
	clpac_pool_destroy(pool);
	assert_works(clpac_scope_end(outer, &report, &err), err);
	ck_assert_uint_eq(report.n_released_at_end, 1);
	check_nothing_left(&device);
}

/* --- Checked ---------------------------------------------------------------------------------- */

static clpac_pool *open_checked(simulated_device *device, clpac_blocks blocks)
{
	return open_pool(device, MEBIBYTE,
			 &(clpac_pool_options){.checks = {.is_checked = true}, .cache = {.blocks = blocks}});
}

/* Writes past the pool, as a kernel would. */
static void poke(simulated_device *device, clpac__block *block, size_t offset, const char *text)
{
	ck_assert_int_eq(device->queue.operations->write(&device->queue, block, offset, strlen(text), text, NULL),
			 CLPAC_OK);
}

TEST(one_byte_beside_a_buffer_is_found_at_its_release)
{
	simulated_device device;
	clpac_pool *pool = open_checked(&device, CLPAC_BLOCKS_SEGMENTS);
	clpac_error err;
	uint64_t n;
	clpac_buffer *buffer = take(pool, 1000);
	clpac_buffer_fill(buffer, 0, 1000, 'x', NULL);
	poke(&device, clpac__buffer_block(buffer), 1000, "A");
	clpac_buffer_release(buffer);
	assert_refused(clpac_pool_take_faults(pool, &n, &err), err, CLPAC_ERROR_ARGUMENT,
		       "buffer 1 \"test\" of 1000 bytes: 1 bytes behind its end were overwritten, from byte 1000 on, "
		       "with 0x41");
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(measure(pool).canary_failures, 1);
	assert_works(clpac_pool_take_faults(pool, &n, &err), err);
	ck_assert_uint_eq(n, 0);

	buffer = take(pool, 1000);
	poke(&device, clpac__buffer_block(buffer), 1000 + CLPAC__MARGIN_BYTES - 1, "Z");
	assert_refused(clpac_pool_release(pool, buffer, &err), err, CLPAC_ERROR_ARGUMENT,
		       "from byte 1063 on, with 0x5a");

	buffer = take(pool, 1000);
	const size_t begin = (size_t)buffer->piece_offset * pool->unit + pool->front_bytes;
	poke(&device, buffer->segment->whole, begin - 3, "BAD");
	assert_refused(clpac_pool_release(pool, buffer, &err), err, CLPAC_ERROR_ARGUMENT,
		       "3 bytes before its beginning were overwritten, the first 3 before it, with 0x42");
	ck_assert_uint_eq(measure(pool).canary_failures, 3);
	ck_assert_uint_eq(measure(pool).active_buffers, 0);
	check_truth(pool, &device);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(contents_are_poisoned_at_both_ends)
{
	simulated_device device;
	clpac_pool *pool = open_checked(&device, CLPAC_BLOCKS_WHOLE);
	clpac_buffer *buffer = take(pool, 100);
	const unsigned char *bytes = simulated_bytes(clpac__buffer_block(buffer));
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(bytes[i], CLPAC__POISON_FRESH);
	clpac_buffer_release(buffer);
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(bytes[i], CLPAC__POISON_RELEASED);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(a_released_handle_stays_dead_however_its_block_goes_on)
{
	simulated_device device;
	clpac_pool *pool = open_checked(&device, CLPAC_BLOCKS_WHOLE), *other;
	simulated_device other_device;
	clpac_error err;
	char byte = 0, tag[] = "fleeting";
	clpac_buffer *dead = NULL;
	assert_works(clpac_pool_allocate(pool, 100, tag, &dead, &err), err);
	clpac__block *block = clpac__buffer_block(dead);
	clpac_buffer_release(dead);
	memset(tag, 'x', sizeof tag - 1); /* the string is the caller's again */
	clpac_buffer *owner = take(pool, 100);
	ck_assert_ptr_eq(clpac__buffer_block(owner), block);
	ck_assert_ptr_ne(owner, dead);
	assert_refused(clpac_buffer_write(dead, 0, 1, &byte, &err), err, CLPAC_ERROR_ARGUMENT,
		       "write: buffer 1 was released before");
	assert_refused(clpac_buffer_read(dead, 0, 1, &byte, &err), err, CLPAC_ERROR_ARGUMENT, "released before");
	assert_refused(clpac_buffer_copy(dead, 0, owner, 0, 1, &err), err, CLPAC_ERROR_ARGUMENT, "released before");
	ck_assert_int_eq(clpac_buffer_release_after(dead, 0, NULL, &err), CLPAC_ERROR_ARGUMENT);
	clpac_buffer_release(dead);
	ck_assert_uint_eq(measure(pool).bad_releases, 1);
	assert_refused(clpac_pool_take_faults(pool, NULL, &err), err, CLPAC_ERROR_ARGUMENT, "released before");
	assert_refused(clpac_pool_release(pool, dead, &err), err, CLPAC_ERROR_ARGUMENT,
		       "buffer 1: it was released before");
	ck_assert_uint_eq(measure(pool).bad_releases, 2);

	/* Foreign: a buffer of another pool, and a pointer to no buffer at all. */
	other = open_checked(&other_device, CLPAC_BLOCKS_WHOLE);
	clpac_buffer *foreign = take(other, 100);
	assert_refused(clpac_pool_release(pool, foreign, &err), err, CLPAC_ERROR_ARGUMENT, "is no buffer of this pool");
	assert_refused(clpac_pool_release(pool, (clpac_buffer *)(void *)&byte, &err), err, CLPAC_ERROR_ARGUMENT,
		       "no buffer");
	assert_works(clpac_pool_release(other, foreign, &err), err);
	assert_works(clpac_pool_release(pool, NULL, &err), err);
	ck_assert_int_eq(clpac_buffer_fill(owner, 0, 100, 1, NULL), CLPAC_OK);
	assert_works(clpac_pool_release(pool, owner, &err), err);
	check_truth(pool, &device);
	clpac_pool_destroy(pool);
	clpac_pool_destroy(other);
	check_nothing_left(&device);
	check_nothing_left(&other_device);
}

TEST(a_checked_pool_finds_nothing_wrong_with_good_users)
{
	static const clpac_blocks kinds[] = {CLPAC_BLOCKS_WHOLE, CLPAC_BLOCKS_SEGMENTS};
	for (unsigned long long seed = 1; seed <= 6; seed++) {
		simulated_device device;
		clpac_pool *pool = open_checked(&device, kinds[seed % 2]);
		unsigned long long state = seed;
		clpac_buffer *held[40] = {0};
		for (int step = 0; step < 3000; step++) {
			clpac_buffer **at = &held[random_below(&state, COUNT(held))];
			if (*at) {
				clpac_buffer_release(*at);
				*at = NULL;
				continue;
			}
			clpac_request request = {.bytes = (size_t)exp2(15 * random_unit(&state)),
						 .tag = "good",
						 .placement = random_below(&state, 8) ? CLPAC_PLACE_DEFAULT
										      : CLPAC_PLACE_HOST};
			clpac_error err = {0};
			ck_assert_msg(clpac_pool_request(pool, &request, at, &err) == CLPAC_OK, "seed %llu: %s", seed,
				      err.text);
			ck_assert_int_eq(clpac_buffer_fill(*at, 0, request.bytes, (uint8_t)step, NULL), CLPAC_OK);
			if (step % 100 == 0)
				ck_assert_int_eq(clpac_pool_defragment(pool, MEBIBYTE, NULL, NULL), CLPAC_OK);
		}
		check_truth(pool, &device);
		clpac_buffer_release_batch(held, COUNT(held));
		check_no_fault(pool);
		check_truth(pool, &device);
		clpac_pool_destroy(pool);
		check_nothing_left(&device);
	}
}

TEST(a_fallback_buffer_takes_its_margins_along_when_it_moves)
{
	for (int is_damaged = 0; is_damaged < 2; is_damaged++) {
		simulated_device device;
		clpac_pool *pool = open_pool(
			&device, 64 << 10,
			&(clpac_pool_options){.checks = {.is_checked = true, .is_tracked = true},
					      .cache = {.blocks = CLPAC_BLOCKS_SEGMENTS, .max_segment_bytes = 32 << 10},
					      .placement = CLPAC_PLACE_PREFER_DEVICE});
		clpac_buffer *large = take(pool, 60 << 10), *fallback = take(pool, 8000);
		clpac_error err;
		bool is_on_device = true;
		clpac_live_list list;
		ck_assert(!clpac_buffer_is_on_device(fallback));
		clpac_buffer_release(large);
		clpac_pool_clear(pool);
		assert_works(clpac_buffer_promote(fallback, &is_on_device, &err), err);
		ck_assert(is_on_device);
		assert_works(clpac_pool_list(pool, 0, &list, &err), err);
		ck_assert(list.buffers[0].is_on_device);
		clpac_live_list_free(&list);
		if (is_damaged)
			poke(&device, clpac__buffer_block(fallback), 8000, "!");
		ck_assert_int_eq(clpac_pool_release(pool, fallback, &err),
				 is_damaged ? CLPAC_ERROR_ARGUMENT : CLPAC_OK);
		check_truth(pool, &device);
		clpac_pool_destroy(pool);
		check_nothing_left(&device);
	}
}

/* --- Failures --------------------------------------------------------------------------------- */

/* All operations that observers add to a pool's work. */
static clpac_status work_watched(clpac_pool *pool, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_buffer *many[4] = {0}, *one = NULL;
	clpac_scope *scope = NULL;
	clpac_live_list list = {0};
	TRY(clpac_scope_begin(pool, CLPAC_SCOPE_RELEASE, "work", &scope, err));
	TRY(clpac_pool_allocate_batch(pool, 4, (size_t[]){1000, 100, 300, 1024}, NULL, many, err));
	TRY(clpac_buffer_fill(many[0], 0, 1000, 7, err));
	TRY(clpac_pool_allocate(pool, 3000, "one", &one, err));
	TRY(clpac_pool_list(pool, 0, &list, err));
done:
	clpac_live_list_free(&list);
	clpac_buffer_release(one);
	if (scope)
		ck_assert_int_eq(clpac_scope_end(scope, NULL, NULL), CLPAC_OK);
	return st;
}

/* Afterwards the pool is intact, and the same work succeeds. */
static void check_works_on(clpac_pool *pool, const simulated_device *device)
{
	check_truth(pool, device);
	ck_assert_uint_eq(measure(pool).active_buffers, 0);
	clpac_live_list list;
	clpac_error err = {0};
	assert_works(clpac_pool_list(pool, 0, &list, &err), err);
	ck_assert_uint_eq(list.n, 0);
	clpac_live_list_free(&list);
	ck_assert_msg(work_watched(pool, &err) == CLPAC_OK, "afterwards: %s", err.text);
	check_truth(pool, device);
}

static const clpac_pool_options watched = {.checks = {.is_tracked = true, .is_checked = true},
					   .cache = {.blocks = CLPAC_BLOCKS_SEGMENTS}};

TEST(any_failing_driver_call_leaves_a_watched_pool_working)
{
	unsigned n_failed = 0;
	for (unsigned long number = 1;; number++) {
		simulated_device device;
		clpac_pool *pool = open_pool(&device, MEBIBYTE, &watched);
		const unsigned long before = device.n_calls;
		clpac_error err = {0};
		simulated_fail(&device, number, SIMULATED_ANY, CLPAC_ERROR_DEVICE, -5);
		const clpac_status st = work_watched(pool, &err);
		const bool was_reached = device.n_calls - before >= number;
		simulated_fail(&device, 0, SIMULATED_ANY, CLPAC_OK, 0);
		if (st != CLPAC_OK) {
			ck_assert_int_eq(st, CLPAC_ERROR_DEVICE);
			ck_assert_int_eq(err.native_code, -5);
			n_failed++;
		}
		check_works_on(pool, &device);
		clpac_pool_destroy(pool);
		check_nothing_left(&device);
		if (!was_reached)
			break;
	}
	ck_assert_uint_gt(n_failed, 10);
}

TEST(any_failing_host_allocation_leaves_a_watched_pool_working)
{
	for (int is_sticky = 0; is_sticky < 2; is_sticky++) {
		unsigned n_failed = 0;
		for (unsigned long number = 1;; number++) {
			simulated_device device;
			clpac_pool *pool = open_pool(&device, MEBIBYTE, &watched);
			clpac_error err = {0};
			clpac__fail_allocation(number, is_sticky);
			const clpac_status st = work_watched(pool, &err);
			const bool was_reached = clpac__count_allocations() >= number;
			clpac__fail_allocation(0, false);
			if (st != CLPAC_OK) {
				ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
				n_failed++;
			}
			check_works_on(pool, &device);
			check_no_fault(pool);
			clpac_pool_destroy(pool);
			check_nothing_left(&device);
			if (!was_reached)
				break;
		}
		ck_assert_uint_gt(n_failed, 3);
	}
}
