/* Queues and events: the next user of a block comes after all its earlier ones.
 *
 * The simulated device lags: work in a queue completes when the test says so. A block recycled too early is detected at
 * once, by its content and by the device itself, which counts unordered uses of the same bytes. */
#include "runner.h"

#include <stdio.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include "assertions.h"
#include "memory/pool/surface/surface.h"
#include "pool_truth.h"

enum { BYTES = 4096, N_RUNS = 20 };

static clpac_queue *open_queue(clpac_pool *pool, bool is_in_order)
{
	clpac_queue *queue = NULL;
	clpac_error err = {0};
	ck_assert_msg(clpac_queue_open(pool, is_in_order, &queue, &err) == CLPAC_OK, "%s", err.text);
	return queue;
}

static clpac_buffer *take_for(clpac_pool *pool, size_t bytes, clpac_queue *queue)
{
	clpac_buffer *buffer = NULL;
	clpac_error err = {0};
	const clpac_request request = {.bytes = bytes, .tag = "queued", .queue = queue};
	ck_assert_msg(clpac_pool_request(pool, &request, &buffer, &err) == CLPAC_OK, "%s", err.text);
	return buffer;
}

static clpac_pool_statistics numbers_of(clpac_pool *pool)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	return now;
}

static void end(clpac_pool *pool, simulated_device *device)
{
	simulated_pass(&device->queue);
	clpac_pool_destroy(pool);
	check_nothing_left(device);
}

/* ---- The two-queue hazard -------------------------------------------------------------------- */

/* The way in which the second queue gets the first one's block. */
enum way {
	OURS,
	/* A pool without hazard tracking, imitated here: at the release the pool is told that nobody used the block. */
	BROKEN
};

/* The first queue copies from a block and releases it; the second, faster queue gets the same block and fills it. True
 * where the copy is damaged. */
static bool is_damaged(enum way way, bool first_in_order, bool second_in_order, clpac_blocks blocks,
		       unsigned long *hazards)
{
	simulated_device device;
	/* Room for two blocks: the second request can get no other block. */
	clpac_pool *pool = open_pool(
		&device, 4 * BYTES, &(clpac_pool_options){.cache = {.blocks = blocks, .max_segment_bytes = 2 * BYTES}});
	device.is_lagging = true;
	clpac_queue *first = open_queue(pool, first_in_order), *second = open_queue(pool, second_in_order);
	clpac_buffer *kept[3] = {take_for(pool, BYTES, first), take_for(pool, BYTES, first),
				 take_for(pool, BYTES, first)};
	clpac_buffer *passing = take_for(pool, BYTES, first);
	clpac__block *block = clpac__buffer_block(passing);
	unsigned char found[BYTES];
	bool damaged = false;
	ck_assert_int_eq(clpac_buffer_fill(passing, 0, BYTES, 1, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_queue_finish(pool, first, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_copy(passing, 0, kept[0], 0, BYTES, NULL), CLPAC_OK);
	if (way == BROKEN)
		passing->home = NULL;
	clpac_buffer_release(passing);

	clpac_buffer *recycled = take_for(pool, BYTES, second);
	ck_assert(clpac__buffer_block(recycled) == block || blocks == CLPAC_BLOCKS_SEGMENTS);
	ck_assert_int_eq(clpac_buffer_fill(recycled, 0, BYTES, 2, NULL), CLPAC_OK);
	simulated_pass(second);
	ck_assert_int_eq(clpac_buffer_read(kept[0], 0, BYTES, found, NULL), CLPAC_OK);
	for (size_t i = 0; i < BYTES; i++)
		damaged |= found[i] != 1;
	ck_assert_int_eq(clpac_buffer_read(recycled, 0, BYTES, found, NULL), CLPAC_OK);
	for (size_t i = 0; i < BYTES; i++)
		if (found[i] != 2) /* one assertion for all: each writes a mark even when it holds */
			ck_abort_msg("byte %zu of the recycled block is %d", i, found[i]);

	clpac_buffer_release(recycled);
	clpac_buffer_release_batch(kept, 3);
	clpac_queue_close(pool, first);
	clpac_queue_close(pool, second);
	simulated_pass(&device.queue);
	clpac_pool_destroy(pool);
	*hazards += device.hazards;
	device.hazards = 0;
	check_nothing_left(&device);
	return damaged;
}

TEST(a_block_that_another_queue_still_reads_is_never_damaged)
{
	static const clpac_blocks strategies[] = {CLPAC_BLOCKS_WHOLE, CLPAC_BLOCKS_SEGMENTS};
	unsigned long hazards = 0;
	for (unsigned orders = 0; orders < 4; orders++)
		for (int s = 0; s < 2; s++)
			for (int run = 0; run < N_RUNS; run++)
				ck_assert(!is_damaged(OURS, orders & 1, orders & 2, strategies[s], &hazards));
	ck_assert_uint_eq(hazards, 0);
}

TEST(without_the_wait_it_is_damaged_every_time)
{
	for (unsigned orders = 0; orders < 4; orders++) {
		unsigned long hazards = 0;
		for (int run = 0; run < N_RUNS; run++)
			ck_assert(is_damaged(BROKEN, orders & 1, orders & 2, CLPAC_BLOCKS_WHOLE, &hazards));
		ck_assert_uint_ge(hazards, N_RUNS);
	}
}

/* ---- Waits --------------------------------------------------------------------------------- */

TEST(where_bytes_are_scattered_another_queues_gap_is_filled_before_an_own_large_piece_is_broken)
{
	enum { PART = 2048, N_PARTS = 8 };
	for (unsigned is_scattered = 0; is_scattered < 2; is_scattered++) {
		simulated_device device;
		clpac_pool *pool = open_pool(&device, 256 << 10,
					     &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
									     .max_segment_bytes = 64 << 10}});
		device.is_lagging = true;
		clpac_queue *own = open_queue(pool, true), *other = open_queue(pool, true);
		pool->n_scattered = 1000; /* what is released goes back into its segment */
		atomic_fetch_add(&pool->n_waiting, 1);
		clpac_buffer_release(take_for(pool, PART, own)); /* leaves a segment of 8 KiB free */
		clpac_buffer *parts[N_PARTS];
		for (int i = 0; i < N_PARTS; i++) {
			parts[i] = take_for(pool, PART, other);
			ck_assert_int_eq(clpac_buffer_fill(parts[i], 0, PART, 1, NULL), CLPAC_OK);
		}
		clpac__segment *segment = parts[3]->segment;
		clpac_buffer_release(parts[3]);
		if (!is_scattered) {
			pool->n_scattered = 0;
			atomic_fetch_sub(&pool->n_waiting, 1);
		}
		const uint64_t waits = numbers_of(pool).queue_waits;
		parts[3] = take_for(pool, PART, own);
		ck_assert_int_eq(parts[3]->segment == segment, is_scattered);
		ck_assert_uint_eq(numbers_of(pool).queue_waits - waits, is_scattered);
		/* The fill by its last owner still runs; the simulated device counts who does not wait for it. */
		ck_assert_int_eq(clpac_buffer_fill(parts[3], 0, PART, 2, NULL), CLPAC_OK);
		/* A piece that no other queue has comes from the own segment. */
		clpac_buffer *large = take_for(pool, 2 * PART, own);
		ck_assert_ptr_eq(large->segment->home, clpac__pool_queue_find(pool, own));
		clpac_buffer_release(large);
		clpac_buffer_release_batch(parts, N_PARTS);
		clpac_queue_close(pool, own);
		clpac_queue_close(pool, other);
		simulated_pass(&device.queue);
		ck_assert_uint_eq(device.hazards, 0);
		clpac_pool_destroy(pool);
		check_nothing_left(&device);
	}
}

TEST(an_in_order_queue_has_its_own_blocks_back_at_once)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 2 * BYTES, NULL);
	device.is_lagging = true;
	clpac_queue *queue = open_queue(pool, true);
	clpac_buffer *buffer = take_for(pool, BYTES, queue);
	clpac__block *block = clpac__buffer_block(buffer);
	ck_assert_int_eq(clpac_buffer_fill(buffer, 0, BYTES, 1, NULL), CLPAC_OK);
	clpac_buffer_release(buffer);
	buffer = take_for(pool, BYTES, queue);
	ck_assert_ptr_eq(clpac__buffer_block(buffer), block);
	ck_assert_uint_eq(device.n_calls_of[SIMULATED_MARK], 0);
	ck_assert_uint_eq(numbers_of(pool).queue_waits, 0);
	clpac_buffer_release(buffer);
	clpac_queue_close(pool, queue);
	end(pool, &device);
}

TEST(an_out_of_order_queue_has_a_block_back_when_its_event_has_passed)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 4 * BYTES, NULL);
	device.is_lagging = true;
	clpac_queue *queue = open_queue(pool, false);
	clpac_buffer *buffer = take_for(pool, BYTES, queue);
	clpac__block *block = clpac__buffer_block(buffer);
	ck_assert_int_eq(clpac_buffer_fill(buffer, 0, BYTES, 1, NULL), CLPAC_OK);
	clpac_buffer_release(buffer);
	ck_assert_uint_eq(numbers_of(pool).pending_buffers, 1);
	ck_assert_uint_eq(numbers_of(pool).pooled_buffers, 1);
	check_truth(pool, &device);
	clpac_buffer *other = take_for(pool, BYTES, queue);
	ck_assert_ptr_ne(clpac__buffer_block(other), block); /* there is room for another */
	simulated_pass(queue);
	buffer = take_for(pool, BYTES, queue);
	ck_assert_ptr_eq(clpac__buffer_block(buffer), block);
	ck_assert_uint_eq(numbers_of(pool).pending_buffers, 0);
	clpac_buffer_release(buffer);
	clpac_buffer_release(other);
	clpac_queue_close(pool, queue);
	end(pool, &device);
}

TEST(recorded_queues_are_waited_for_too)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, BYTES, NULL);
	device.is_lagging = true;
	clpac_queue *reader = open_queue(pool, true);
	clpac_buffer *buffer = take(pool, BYTES);
	ck_assert_int_eq(clpac_buffer_record(buffer, reader, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_record(buffer, reader, NULL), CLPAC_OK);		       /* again: no change */
	ck_assert_int_eq(clpac_buffer_record(buffer, clpac_pool_queue(pool), NULL), CLPAC_OK); /* its own queue */
	clpac_buffer_release(buffer);
	ck_assert_uint_eq(device.n_calls_of[SIMULATED_MARK], 1);
	ck_assert_uint_eq(numbers_of(pool).pending_buffers, 1);
	buffer = take(pool, BYTES); /* the only block, so with a wait */
	ck_assert_uint_eq(numbers_of(pool).queue_waits, 1);
	ck_assert_uint_eq(device.n_calls_of[SIMULATED_WAIT_FOR], 1);
	/* Earlier users are forgotten. */
	clpac_buffer_release(buffer);
	ck_assert_uint_eq(numbers_of(pool).pending_buffers, 0);
	clpac_queue_close(pool, reader);
	end(pool, &device);
}

TEST(a_copy_between_queues_records_itself)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 4 * BYTES, NULL);
	device.is_lagging = true;
	clpac_queue *first = open_queue(pool, true), *second = open_queue(pool, true);
	clpac_buffer *source = take_for(pool, BYTES, first), *target = take_for(pool, BYTES, second);
	unsigned char byte = 0;
	ck_assert_int_eq(clpac_buffer_fill(source, 0, BYTES, 7, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_copy(source, 0, target, 0, BYTES, NULL), CLPAC_OK);
	clpac_buffer_release(source);
	source = take_for(pool, BYTES, first);
	ck_assert_int_eq(clpac_buffer_fill(source, 0, BYTES, 8, NULL), CLPAC_OK);
	simulated_pass(first);
	ck_assert_int_eq(clpac_buffer_read(target, BYTES - 1, 1, &byte, NULL), CLPAC_OK);
	ck_assert_int_eq(byte, 7);
	clpac_buffer_release(source);
	clpac_buffer_release(target);
	clpac_queue_close(pool, first);
	clpac_queue_close(pool, second);
	end(pool, &device);
}

TEST(a_block_released_after_events_waits_for_them)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 4 * BYTES, NULL);
	device.is_lagging = true;
	clpac_queue *queue = open_queue(pool, true);
	clpac_buffer *buffer = take(pool, BYTES);
	clpac__block *block = clpac__buffer_block(buffer);
	clpac_event *events[2] = {0};
	clpac_error err = {0};
	ck_assert_int_eq(clpac_queue_mark(pool, queue, &events[0], NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_queue_mark(pool, queue, &events[1], NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_release_after(buffer, 2, NULL, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_buffer_release_after(buffer, 2, (clpac_event *[]){events[0], NULL}, &err),
			 CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, "release of buffer \"test\": event 1 of 2 is NULL");
	ck_assert_int_eq(clpac_buffer_fill(buffer, 0, 1, 1, NULL), CLPAC_OK); /* the buffer is still in use */
	ck_assert_int_eq(clpac_buffer_release_after(buffer, 2, events, &err), CLPAC_OK);
	ck_assert_uint_eq(numbers_of(pool).pending_buffers, 1);
	ck_assert_int_eq(clpac_buffer_release_after(buffer, 2, events, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "it was released before"));
	clpac_event_release(pool, events[0]);
	clpac_event_release(pool, events[1]);
	clpac_event_release(pool, NULL);
	clpac_buffer *other = take(pool, BYTES);
	ck_assert_ptr_ne(clpac__buffer_block(other), block);
	simulated_pass(queue);
	buffer = take(pool, BYTES);
	ck_assert_ptr_eq(clpac__buffer_block(buffer), block);
	ck_assert_int_eq(clpac_buffer_release_after(buffer, 0, NULL, &err), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_release_after(NULL, 0, NULL, &err), CLPAC_OK);
	clpac_buffer_release(other);
	clpac_queue_close(pool, queue);
	end(pool, &device);
}

TEST(events_pass_in_the_order_of_their_queue_and_make_others_wait)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 4 * BYTES, NULL);
	device.is_lagging = true;
	clpac_queue *queue = open_queue(pool, true);
	clpac_event *event = NULL;
	clpac_error err = {0};
	ck_assert_int_eq(clpac_queue_mark(pool, queue, &event, NULL), CLPAC_OK);
	ck_assert(!clpac_event_has_passed(pool, event));
	ck_assert_int_eq(clpac_queue_wait_for(pool, NULL, event, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_queue_wait_for(pool, queue, NULL, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_queue_finish(pool, NULL, NULL), CLPAC_OK); /* runs the other queue as well */
	ck_assert(clpac_event_has_passed(pool, event));
	ck_assert_int_eq(clpac_event_wait(pool, event, NULL), CLPAC_OK);
	simulated_fail(&device, 1, SIMULATED_WAIT, CLPAC_ERROR_DEVICE, -14);
	ck_assert_int_eq(clpac_event_wait(pool, event, &err), CLPAC_ERROR_DEVICE);
	clpac_event_release(pool, event);
	clpac_queue_close(pool, queue);
	end(pool, &device);
}

/* More events than the list of known ones has buckets: some share one, and one that goes takes no other along. */
TEST(many_events_are_known_until_each_is_released)
{
	enum { N_EVENTS = 300 };
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 4 * BYTES, NULL);
	device.is_lagging = true;
	clpac_queue *queue = open_queue(pool, true);
	clpac_event *events[N_EVENTS];
	bool is_gone[N_EVENTS] = {false};
	clpac_error err = {0};
	for (size_t i = 0; i < N_EVENTS; i++)
		ck_assert_int_eq(clpac_queue_mark(pool, queue, &events[i], NULL), CLPAC_OK);
	/* The first and last of a bucket go, and some between. */
	for (size_t step = 0; step < 3; step++) {
		for (size_t i = step; i < N_EVENTS; i += 3) {
			clpac_event_release(pool, events[i]);
			is_gone[i] = true;
		}
		for (size_t i = 0; i < N_EVENTS; i++) {
			const clpac_status st = clpac_queue_wait_for(pool, NULL, events[i], &err);
			ck_assert_msg(st == (is_gone[i] ? CLPAC_ERROR_ARGUMENT : CLPAC_OK), "event %zu: %d", i, st);
		}
	}
	ck_assert_uint_eq(numbers_of(pool).bad_releases, 0);
	clpac_queue_close(pool, queue);
	end(pool, &device);
}

/* A pool lets go of its own events alone. */
TEST(an_event_of_another_pool_is_not_released)
{
	simulated_device here, there;
	clpac_pool *pool = open_pool(&here, 4 * BYTES, NULL), *other = open_pool(&there, 4 * BYTES, NULL);
	clpac_event *event = NULL;
	there.is_lagging = true;
	ck_assert_int_eq(clpac_queue_mark(other, NULL, &event, NULL), CLPAC_OK);
	clpac_event_release(pool, event);
	ck_assert_uint_eq(numbers_of(pool).bad_releases, 1);
	ck_assert_int_eq(clpac_queue_wait_for(other, NULL, event, NULL), CLPAC_OK);
	clpac_event_release(other, event);
	ck_assert_uint_eq(numbers_of(other).bad_releases, 0);
	end(pool, &here);
	end(other, &there);
}

/* A list of events of which one was released, at each place. */
TEST(a_list_with_a_released_event_is_refused)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 4 * BYTES, NULL);
	device.is_lagging = true;
	clpac_buffer *buffer = take(pool, BYTES);
	clpac_error err = {0};
	clpac_event *events[4];
	for (size_t i = 0; i < COUNT(events); i++)
		ck_assert_int_eq(clpac_queue_mark(pool, NULL, &events[i], NULL), CLPAC_OK);
	clpac_event *const gone = events[3];
	clpac_event_release(pool, gone);
	for (size_t at = 0; at < 3; at++) {
		clpac_event *list[3] = {events[0], events[1], events[2]};
		list[at] = gone;
		ck_assert_int_eq(clpac_buffer_release_after(buffer, 3, list, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(err.text, "was released before, or no pool handed it out"));
		list[at] = NULL;
		ck_assert_int_eq(clpac_buffer_release_after(buffer, 3, list, &err), CLPAC_ERROR_ARGUMENT);
		char text[80];
		snprintf(text, sizeof text, "release of buffer \"test\": event %zu of 3 is NULL", at);
		ck_assert_str_eq(err.text, text);
	}
	ck_assert_int_eq(clpac_buffer_release_after(buffer, 3, events, &err), CLPAC_OK);
	for (size_t i = 0; i < 3; i++)
		clpac_event_release(pool, events[i]);
	end(pool, &device);
}

/* ---- Locks ----------------------------------------------------------------------------------- */

/* The simulated device's operations, each after a check that the pool's lock is free: only this thread could hold
 * it. */
static clpac_pool *watched;
static const clpac__queue_operations *usual;
static unsigned n_looked;

static void look(void)
{
	ck_assert_msg(pthread_mutex_trylock(&watched->lock) == 0, "the driver is called under the pool's lock");
	pthread_mutex_unlock(&watched->lock);
	n_looked++;
}

static clpac_status looking_create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	look();
	return usual->create(queue, bytes, out, err);
}

static void looking_release(clpac__queue *queue, clpac__block *block)
{
	look();
	usual->release(queue, block);
}

static clpac_status looking_create_part(clpac__queue *queue, clpac__block *whole, size_t offset, size_t bytes,
					clpac__block **out, clpac_error *err)
{
	look();
	return usual->create_part(queue, whole, offset, bytes, out, err);
}

static clpac_status looking_create_on_host(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	look();
	return usual->create_on_host(queue, bytes, out, err);
}

static clpac_status looking_copy(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
				 size_t target_offset, size_t bytes, clpac_error *err)
{
	look();
	return usual->copy(queue, source, source_offset, target, target_offset, bytes, err);
}

static clpac_status looking_mark(clpac__queue *queue, clpac_event **out, clpac_error *err)
{
	look();
	return usual->mark(queue, out, err);
}

static clpac_status looking_wait_for(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	look();
	return usual->wait_for(queue, event, err);
}

static bool looking_has_passed(clpac__queue *queue, clpac_event *event)
{
	look();
	return usual->has_passed(queue, event);
}

static clpac_status looking_wait(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	look();
	return usual->wait(queue, event, err);
}

static void looking_forget(clpac__queue *queue, clpac_event *event)
{
	look();
	usual->forget(queue, event);
}

static clpac_status looking_finish(clpac__queue *queue, clpac_error *err)
{
	look();
	return usual->finish(queue, err);
}

/* Uses all that the pool does automatically: segments, ladder, hazards, fallbacks, defragmentation, closing. */
static void use_everything(simulated_device *device, clpac_pool *pool)
{
	clpac_queue *queues[3] = {clpac_pool_queue(pool), open_queue(pool, true), open_queue(pool, false)};
	clpac_buffer *held[40] = {0};
	for (unsigned i = 0; i < 400; i++) {
		clpac_buffer **place = &held[i * 7 % 40];
		clpac_buffer_release(*place);
		*place = NULL;
		const clpac_request request = {.bytes = 100 + i * 997 % 5000,
					       .queue = queues[i % 3],
					       .placement = i % 5 ? CLPAC_PLACE_DEVICE : CLPAC_PLACE_PREFER_DEVICE};
		if (clpac_pool_request(pool, &request, place, NULL) != CLPAC_OK)
			continue;
		clpac_buffer_fill(*place, 0, 100, 1, NULL);
		clpac_buffer_record(*place, queues[i / 3 % 3], NULL);
		if (i % 50 == 20)
			simulated_pass(queues[2]);
		if (i % 50 == 30)
			clpac_pool_defragment(pool, UINT64_MAX, NULL, NULL);
		if (i % 50 == 40)
			clpac_pool_trim(pool, 2000);
		if (i % 100 == 60)
			clpac_pool_trim_older(pool, 0);
		if (i % 100 == 80)
			clpac_pool_promote(pool, NULL, NULL);
	}
	clpac_queue_close(pool, queues[1]);
	clpac_buffer_release_batch(held, 40);
	clpac_queue_close(pool, queues[2]);
	check_truth(pool, device);
}

TEST(no_call_of_the_driver_is_made_under_the_pools_lock)
{
	static const clpac_blocks strategies[] = {CLPAC_BLOCKS_WHOLE, CLPAC_BLOCKS_SEGMENTS};
	for (int s = 0; s < 2; s++) {
		simulated_device device;
		clpac_pool *pool = open_pool(
			&device, 40000,
			&(clpac_pool_options){.cache = {.blocks = strategies[s], .max_segment_bytes = 16384}});
		device.is_lagging = true;
		usual = device.queue.operations;
		watched = pool;
		clpac__queue_operations looking = *usual;
		looking.create = looking_create;
		looking.release = looking_release;
		looking.create_part = looking_create_part;
		looking.create_on_host = looking_create_on_host;
		looking.copy = looking_copy;
		looking.mark = looking_mark;
		looking.wait_for = looking_wait_for;
		looking.has_passed = looking_has_passed;
		looking.wait = looking_wait;
		looking.forget = looking_forget;
		looking.finish = looking_finish;
		device.queue.operations = &looking;
		use_everything(&device, pool);
		ck_assert_uint_gt(n_looked, 500);
		clpac_pool_statistics now = numbers_of(pool);
		ck_assert_uint_gt(now.out_of_memory_events, 0);
		ck_assert_uint_gt(now.queue_waits, 0);
		ck_assert_uint_gt(now.fallbacks, 0);
		device.queue.operations = usual;
		end(pool, &device);
	}
}

/* One of the locks of uses is held: by this thread, the only one. */
static void check_one_lock_of_uses(void)
{
	unsigned n_held = 0;
	for (size_t i = 0; i < CLPAC__USE_LOCKS; i++)
		if (pthread_mutex_trylock(&watched->use_locks[i]) == 0)
			pthread_mutex_unlock(&watched->use_locks[i]);
		else
			n_held++;
	ck_assert_uint_eq(n_held, 1);
}

/* Marks of a use's end are made under such a lock. */
static unsigned n_marked;

static clpac_status locked_mark(clpac__queue *queue, clpac_event **out, clpac_error *err)
{
	check_one_lock_of_uses();
	n_marked++;
	return usual->mark(queue, out, err);
}

/* Several threads end their uses of one buffer, in queues of their own. */
TEST(the_end_of_a_use_is_noted_under_a_lock)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 4 * BYTES, NULL);
	device.is_lagging = true;
	clpac_queue *queues[2] = {open_queue(pool, true), open_queue(pool, true)};
	clpac_buffer *buffer = take_for(pool, BYTES, queues[0]);
	void *memory = NULL;
	clpac_error err = {0};
	n_marked = 0;
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(clpac_buffer_use_begin(buffer, queues[1], &memory, &err), CLPAC_OK);
		usual = queues[1]->operations;
		watched = pool;
		clpac__queue_operations looking = *usual;
		looking.mark = locked_mark;
		queues[1]->operations = &looking;
		ck_assert_int_eq(clpac_buffer_use_end(buffer, queues[1], &err), CLPAC_OK);
		queues[1]->operations = usual;
	}
	ck_assert_uint_eq(n_marked, 2);
	clpac_buffer_release(buffer);
	clpac_queue_close(pool, queues[0]);
	clpac_queue_close(pool, queues[1]);
	end(pool, &device);
}

static unsigned n_followed, n_retained;

static bool locked_has_passed(clpac__queue *queue, clpac_event *event)
{
	check_one_lock_of_uses();
	n_followed++;
	return usual->has_passed(queue, event);
}

static clpac_status locked_retain(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	check_one_lock_of_uses();
	n_retained++;
	return usual->retain(queue, event, err);
}

/* As may those that follow a use, and uses that end with events. */
TEST(uses_are_followed_and_end_with_events_under_a_lock)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 4 * BYTES, NULL);
	device.is_lagging = true;
	clpac_queue *queue = open_queue(pool, true);
	clpac_buffer *buffer = take(pool, BYTES);
	clpac_event *event = NULL;
	void *memory = NULL;
	clpac_error err = {0};
	ck_assert_int_eq(clpac_queue_mark(pool, queue, &event, &err), CLPAC_OK);
	watched = pool;
	usual = device.queue.operations;
	clpac__queue_operations looking = *usual;
	looking.retain = locked_retain;
	looking.has_passed = locked_has_passed;
	n_followed = n_retained = 0;
	ck_assert_int_eq(clpac_buffer_use_begin(buffer, queue, &memory, &err), CLPAC_OK);
	device.queue.operations = &looking;
	ck_assert_int_eq(clpac_buffer_use_end_after(buffer, 1, &event, &err), CLPAC_OK);
	ck_assert_uint_eq(n_retained, 1);
	ck_assert_int_eq(clpac_buffer_use_begin(buffer, queue, &memory, &err), CLPAC_OK);
	ck_assert_uint_eq(n_followed, 1);
	device.queue.operations = usual;
	ck_assert_int_eq(clpac_buffer_use_end_after(buffer, 0, NULL, &err), CLPAC_OK);
	clpac_buffer_release(buffer);
	clpac_event_release(pool, event);
	simulated_pass(queue);
	clpac_queue_close(pool, queue);
	end(pool, &device);
}

/* ---- Opening and closing queues -------------------------------------------------------------- */

TEST(a_queue_of_another_pool_is_refused)
{
	simulated_device here, there;
	clpac_pool *pool = open_pool(&here, 4 * BYTES, NULL), *other = open_pool(&there, 4 * BYTES, NULL);
	clpac_queue *foreign = open_queue(other, true);
	clpac_buffer *buffer = take(pool, 1), *refused = NULL;
	clpac_event *event = NULL;
	clpac_error err = {0};
	const clpac_request request = {.bytes = 1, .tag = "wrong", .queue = foreign};
	ck_assert_int_eq(clpac_pool_request(pool, &request, &refused, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text,
			 "buffer \"wrong\" of 1 bytes: its queue is not one of the pool's on simulated; open it with "
			 "clpac_queue_open");
	ck_assert_int_eq(clpac_buffer_record(buffer, foreign, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(
		err.text,
		"record: the queue is not one of the pool's on simulated; open it with clpac_queue_open on this pool");
	ck_assert_int_eq(clpac_queue_mark(pool, foreign, &event, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_queue_finish(pool, foreign, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_queue_wait_for(pool, foreign, event, &err), CLPAC_ERROR_ARGUMENT);
	clpac_queue_close(pool, foreign); /* nor can it be closed */
	clpac_queue_close(pool, NULL);
	clpac_queue_close(pool, clpac_pool_queue(pool));
	ck_assert_uint_eq(there.live_siblings, 1);
	clpac_buffer_release(buffer);
	ck_assert_int_eq(clpac_buffer_record(buffer, NULL, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_buffer_record(NULL, NULL, &err), CLPAC_ERROR_ARGUMENT);
	clpac_queue_close(other, foreign);
	end(pool, &here);
	end(other, &there);
}

TEST(a_buffer_outlives_its_queue)
{
	for (int is_in_order = 0; is_in_order < 2; is_in_order++) {
		simulated_device device;
		clpac_pool *pool = open_pool(&device, 3 * BYTES, NULL);
		device.is_lagging = true;
		clpac_queue *queue = open_queue(pool, is_in_order);
		clpac_buffer *kept = take_for(pool, BYTES, queue), *cached = take_for(pool, BYTES, queue);
		clpac_buffer *recorded = take(pool, BYTES);
		clpac__block *block = clpac__buffer_block(cached);
		unsigned char byte = 0;
		ck_assert_int_eq(clpac_buffer_fill(kept, 0, BYTES, 9, NULL), CLPAC_OK);
		ck_assert_int_eq(clpac_buffer_fill(cached, 0, BYTES, 8, NULL), CLPAC_OK);
		ck_assert_int_eq(clpac_buffer_record(recorded, queue, NULL), CLPAC_OK);
		clpac_buffer_release(cached);
		clpac_queue_close(pool, queue);
		ck_assert_uint_eq(device.live_siblings, 0);
		ck_assert_int_eq(clpac_buffer_read(kept, BYTES - 1, 1, &byte, NULL), CLPAC_OK);
		ck_assert_int_eq(byte, 9);
		/* Any queue may take its cached blocks, without a wait. */
		cached = take(pool, BYTES);
		ck_assert_ptr_eq(clpac__buffer_block(cached), block);
		ck_assert_uint_eq(numbers_of(pool).queue_waits, 0);
		const unsigned long n_marks = device.n_calls_of[SIMULATED_MARK];
		clpac_buffer_release(recorded);
		ck_assert_uint_eq(device.n_calls_of[SIMULATED_MARK], n_marks);
		clpac_buffer_release(kept);
		clpac_buffer_release(cached);
		check_truth(pool, &device);
		end(pool, &device);
	}
}

TEST(a_place_of_a_closed_queue_is_used_again_and_carries_nothing_over)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 4 * BYTES, NULL);
	device.is_lagging = true;
	clpac_buffer *buffer = take(pool, BYTES);
	for (int i = 0; i < 3 * CLPAC__MAX_QUEUES; i++) {
		clpac_queue *queue = open_queue(pool, i % 2);
		ck_assert_int_eq(clpac_buffer_record(buffer, queue, NULL), CLPAC_OK);
		clpac_buffer_release(take_for(pool, BYTES, queue));
		clpac_queue_close(pool, queue);
	}
	ck_assert_uint_eq(atomic_load(&pool->n_queues), 2);
	const unsigned long n_marks = device.n_calls_of[SIMULATED_MARK];
	clpac_buffer_release(buffer);
	ck_assert_uint_eq(device.n_calls_of[SIMULATED_MARK], n_marks);
	check_truth(pool, &device);
	end(pool, &device);
}

TEST(queues_keep_the_pool_and_too_many_are_refused)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 4 * BYTES, NULL);
	clpac_queue *queue = NULL, *opened[SIMULATED_QUEUES];
	clpac_error err = {0};
	device.is_lagging = true;
	for (int i = 1; i < SIMULATED_QUEUES; i++) {
		opened[i] = open_queue(pool, i % 2);
		clpac_buffer_release(take_for(pool, 100, opened[i]));
	}
	ck_assert_int_eq(clpac_queue_open(pool, true, &queue, &err), CLPAC_ERROR_DEVICE); /* the device's limit */
	ck_assert_ptr_null(queue);
	clpac_pool_destroy(pool);
	for (int i = 1; i < SIMULATED_QUEUES; i++) {
		ck_assert_uint_gt(device.live_blocks, 0);
		clpac_queue_close(pool, opened[i]);
	}
	check_nothing_left(&device);

	/* The pool's own limit exceeds the queues that this device has. It counts places, so most places are marked as
	 * taken. */
	pool = open_pool(&device, 4 * BYTES, NULL);
	opened[1] = open_queue(pool, true);
	for (unsigned i = 2; i < CLPAC__MAX_QUEUES; i++) {
		pthread_mutex_init(&pool->queues[i].driver, NULL);
		pool->queues[i].is_taken = true;
	}
	atomic_store(&pool->n_queues, CLPAC__MAX_QUEUES);
	ck_assert_int_eq(clpac_queue_open(pool, true, &queue, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, "the pool has 32 queues: close one before opening another");
	ck_assert_uint_eq(device.live_siblings, 1);
	clpac_queue_close(pool, opened[1]);
	end(pool, &device);
}

TEST(an_event_that_cannot_be_had_is_made_up_for_by_waiting)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, BYTES, NULL);
	device.is_lagging = true;
	clpac_queue *queue = open_queue(pool, false);
	clpac_buffer *buffer = take_for(pool, BYTES, queue);
	unsigned char byte = 0;
	ck_assert_int_eq(clpac_buffer_fill(buffer, 0, BYTES, 1, NULL), CLPAC_OK);
	simulated_fail(&device, 1, SIMULATED_MARK, CLPAC_ERROR_NO_MEMORY, -6);
	clpac_buffer_release(buffer);
	ck_assert_uint_eq(device.n_calls_of[SIMULATED_FINISH], 1);
	ck_assert_uint_eq(numbers_of(pool).pending_buffers, 0);
	buffer = take(pool, BYTES);
	ck_assert_int_eq(clpac_buffer_fill(buffer, 0, BYTES, 2, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_record(buffer, queue, NULL), CLPAC_OK);
	clpac_buffer_release(buffer);
	/* Where the device cannot wait for an event, the host does. */
	simulated_fail(&device, 1, SIMULATED_WAIT_FOR, CLPAC_ERROR_NO_MEMORY, -6);
	buffer = take_for(pool, BYTES, queue);
	ck_assert_uint_ge(device.n_calls_of[SIMULATED_WAIT], 1);
	ck_assert_int_eq(clpac_buffer_read(buffer, 0, 1, &byte, NULL), CLPAC_OK);
	ck_assert_uint_eq(device.hazards, 0);
	check_truth(pool, &device);
	clpac_buffer_release(buffer);
	clpac_queue_close(pool, queue);
	end(pool, &device);
}
