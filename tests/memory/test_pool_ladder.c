/* Out of memory, step by step: for each step of the ladder a situation in which only that step helps, and the pool's
 * message when none does. */
#include "runner.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include "memory/pool/surface/surface.h"
#include "pool_truth.h"

enum { KIB = 1024 };

/* Segments of at most 64 KiB. */
static clpac_pool *open_segments(simulated_device *device, uint64_t memory_bytes, uint64_t preallocate_bytes,
				 unsigned kept)
{
	return open_pool(device, memory_bytes,
			 &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
							 .max_segment_bytes = 64 * KIB,
							 .preallocate_bytes = preallocate_bytes,
							 .max_kept_per_class = kept}});
}

static clpac_pool_statistics numbers_of(clpac_pool *pool)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	return now;
}

/* One request first ran out of memory, and this step alone helped it. */
static void check_helped(clpac_pool *pool, const simulated_device *device, clpac_ladder_step helper)
{
	const clpac_pool_statistics now = numbers_of(pool);
	for (int step = 0; step < CLPAC_LADDER_COUNT; step++)
		ck_assert_msg(now.ladder[step] == (step == (int)helper), "%s: %llu",
			      clpac_ladder_text((clpac_ladder_step)step), (unsigned long long)now.ladder[step]);
	ck_assert_uint_eq(now.out_of_memory_events, 1);
	ck_assert_uint_ge(now.retries, 1);
	ck_assert_uint_eq(now.refusals, 0);
	check_truth(pool, device);
}

static void end(clpac_pool *pool, simulated_device *device)
{
	simulated_pass(&device->queue);
	clpac_pool_destroy(pool);
	check_nothing_left(device);
}

/* ---- Each step ------------------------------------------------------------------------------- */

static void *release_in_thread(void *buffer)
{
	clpac_buffer_release(buffer);
	return NULL;
}

TEST(what_another_thread_released_is_found_before_anything_gives_way)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	clpac_buffer *buffer = take(pool, 10240);
	clpac__block *block = clpac__buffer_block(buffer);
	pthread_t thread;
	ck_assert_int_eq(pthread_create(&thread, NULL, release_in_thread, buffer), 0);
	pthread_join(thread, NULL);
	buffer = take(pool, 10000);
	ck_assert_ptr_eq(clpac__buffer_block(buffer), block);
	const clpac_pool_statistics now = numbers_of(pool);
	ck_assert_uint_eq(now.hits, 1);
	ck_assert_uint_eq(now.driver_calls, 1);
	ck_assert_uint_eq(now.out_of_memory_events, 0);
	check_truth(pool, &device);
	clpac_buffer_release(buffer);
	end(pool, &device);
}

/* A driver without room that takes so long to say so that the work in another queue is done by then. */
static clpac__queue *passing;
static clpac_status fail_slowly(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	(void)queue, (void)out;
	simulated_pass(passing);
	return clpac__fail(err, CLPAC_ERROR_NO_DEVICE_MEMORY, "the driver has no room for %zu bytes", bytes);
}

TEST(blocks_whose_events_passed_meanwhile_help)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	clpac_queue *other = NULL;
	device.is_lagging = true;
	ck_assert_int_eq(clpac_queue_open(pool, true, &other, NULL), CLPAC_OK);
	clpac_buffer *buffer = take(pool, 1024);
	ck_assert_int_eq(clpac_buffer_record(buffer, other, NULL), CLPAC_OK);
	clpac_buffer_release(buffer);
	ck_assert_uint_eq(numbers_of(pool).pending_buffers, 1);

	const clpac__queue_operations *usual = device.queue.operations;
	clpac__queue_operations slow = *usual;
	slow.create = fail_slowly;
	passing = other;
	device.queue.operations = &slow;
	buffer = take(pool, 1024);
	device.queue.operations = usual;
	clpac_pool_statistics now = numbers_of(pool);
	ck_assert_uint_eq(now.ladder[CLPAC_LADDER_FINISHED], 1);
	ck_assert_uint_eq(now.retries, 1);
	ck_assert_uint_eq(now.queue_waits, 0);
	clpac_buffer_release(buffer);
	clpac_queue_close(pool, other);
	end(pool, &device);
}

TEST(a_block_of_another_queue_helps_with_a_wait_put_into_this_one)
{
	for (int is_in_order = 0; is_in_order < 2; is_in_order++) {
		simulated_device device;
		clpac_pool *pool = open_pool(&device, 10240, NULL);
		clpac_queue *other = NULL;
		clpac_buffer *buffer = NULL;
		device.is_lagging = true;
		ck_assert_int_eq(clpac_queue_open(pool, is_in_order, &other, NULL), CLPAC_OK);
		ck_assert_int_eq(
			clpac_pool_request(pool, &(clpac_request){.bytes = 10240, .queue = other}, &buffer, NULL),
			CLPAC_OK);
		clpac__block *block = clpac__buffer_block(buffer);
		ck_assert_int_eq(clpac_buffer_fill(buffer, 0, 10240, 1, NULL), CLPAC_OK);
		const unsigned long n_marks = device.n_calls_of[SIMULATED_MARK];
		const unsigned long n_waits = device.n_calls_of[SIMULATED_WAIT_FOR];
		clpac_buffer_release(buffer);
		/* An event is requested by whoever wants a block of an in-order queue. */
		ck_assert_uint_eq(device.n_calls_of[SIMULATED_MARK] - n_marks, is_in_order ? 0 : 1);

		buffer = take(pool, 10240);
		ck_assert_ptr_eq(clpac__buffer_block(buffer), block);
		ck_assert_uint_eq(device.n_calls_of[SIMULATED_MARK] - n_marks, 1);
		ck_assert_uint_eq(device.n_calls_of[SIMULATED_WAIT_FOR] - n_waits, 1);
		ck_assert_uint_eq(device.n_calls_of[SIMULATED_WAIT], 0);
		ck_assert_uint_eq(numbers_of(pool).queue_waits, 1);
		check_helped(pool, &device, CLPAC_LADDER_OTHER_QUEUES);
		ck_assert_int_eq(clpac_buffer_fill(buffer, 0, 10240, 2, NULL), CLPAC_OK);
		clpac_buffer_release(buffer);
		clpac_queue_close(pool, other);
		end(pool, &device); /* no hazard */
	}
}

TEST(an_empty_segment_of_another_queue_changes_hands_with_a_wait)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, 32 * KIB, 0, 1);
	clpac_queue *other = NULL;
	clpac_buffer *buffers[4] = {0};
	device.is_lagging = true;
	ck_assert_int_eq(clpac_queue_open(pool, true, &other, NULL), CLPAC_OK);
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(
			clpac_pool_request(pool, &(clpac_request){.bytes = 8 * KIB, .queue = other}, &buffers[i], NULL),
			CLPAC_OK);
		ck_assert_int_eq(clpac_buffer_fill(buffers[i], 0, 8 * KIB, 1, NULL), CLPAC_OK);
	}
	ck_assert_uint_eq(numbers_of(pool).segments, 2);
	/* One part stays cached. The release of the others leaves the second segment empty, but the other queue still
	 * uses it. */
	clpac_buffer_release_batch(buffers, 4);
	clpac_buffer *buffer = take(pool, 4 * KIB);
	ck_assert_int_eq(clpac_buffer_fill(buffer, 0, 4 * KIB, 2, NULL), CLPAC_OK);
	check_helped(pool, &device, CLPAC_LADDER_OTHER_QUEUES);
	ck_assert_uint_eq(numbers_of(pool).queue_waits, 1);
	ck_assert_uint_eq(device.n_releases, 0);
	ck_assert_uint_eq(device.n_calls_of[SIMULATED_WAIT_FOR], 1);
	clpac_buffer_release(buffer);
	clpac_queue_close(pool, other);
	end(pool, &device); /* no hazard */
}

TEST(cached_parts_merge_into_larger_pieces)
{
	/* The driver has no room for another segment, though the budget has. */
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 128 * KIB,
				     &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
								     .max_segment_bytes = 64 * KIB,
								     .preallocate_bytes = 64 * KIB},
							   .merge_fraction = 1});
	clpac_buffer *parts[4];
	for (int i = 0; i < 4; i++)
		parts[i] = take(pool, 16 * KIB);
	clpac_buffer_release_batch(parts, 4);
	simulated_fail_from(&device, 1, SIMULATED_CREATE, CLPAC_ERROR_NO_DEVICE_MEMORY, -4);
	const unsigned long n_creates = device.n_calls_of[SIMULATED_CREATE];
	clpac_buffer *buffer = take(pool, 32 * KIB);
	check_helped(pool, &device, CLPAC_LADDER_MERGE);
	ck_assert_uint_eq(device.n_calls_of[SIMULATED_CREATE], n_creates + 1);
	ck_assert_uint_eq(device.n_releases, 0);
	clpac_buffer_release(buffer);
	end(pool, &device);
}

/* A holder that releases a buffer when asked. */
struct holder {
	clpac_buffer *held;
	uint64_t asked_for;
	unsigned n_asked;
	bool says_nothing;
};

static uint64_t let_go(void *user, clpac_pool *pool, uint64_t bytes)
{
	struct holder *holder = user;
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now); /* outside every lock: under one this would wait for ever */
	holder->asked_for = bytes;
	holder->n_asked++;
	if (!holder->held)
		return 0;
	const uint64_t released = clpac_buffer_class(holder->held);
	clpac_buffer_release(holder->held);
	holder->held = NULL;
	return holder->says_nothing ? 0 : released;
}

TEST(small_and_large_buffers_share_segments_before_anything_gives_way)
{
	for (int is_large = 0; is_large < 2; is_large++) {
		simulated_device device;
		clpac_pool *pool = open_pool(&device, 64 * KIB * KIB,
					     &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
									     .max_segment_bytes = 16 * KIB * KIB,
									     .preallocate_bytes = 16 * KIB * KIB}});
		struct holder store = {0};
		ck_assert(!pool->segments.first->is_small);
		clpac_buffer *held = take(pool, 2 * KIB * KIB); /* keeps the segment through the rise of pressure */
		ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_EVICT, let_go, &store, NULL), CLPAC_OK);
		if (is_large) {
			/* As if it had been made for small buffers. */
			clpac__segment *segment = pool->segments.first;
			clpac__segments_remove(&pool->segments, segment);
			segment->is_small = true;
			clpac__segments_add(&pool->segments, segment);
		}
		/* The driver has no room for a segment of the other kind, though the budget has. */
		simulated_fail_from(&device, 1, SIMULATED_CREATE, CLPAC_ERROR_NO_DEVICE_MEMORY, -4);
		clpac_buffer *buffer = take(pool, is_large ? 3 * KIB * KIB : 100);
		check_helped(pool, &device, CLPAC_LADDER_SHARE);
		ck_assert_uint_eq(store.n_asked, 0);
		clpac_buffer_release(buffer);
		clpac_buffer_release(held);
		end(pool, &device);
	}
}

TEST(stores_let_go_of_what_nobody_uses)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	struct holder store = {.held = take(pool, 5120)}, application = {0};
	clpac_buffer *rest = take(pool, 4096), *buffer;
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_EVICT, let_go, &store, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_CALLBACK, let_go, &application, NULL), CLPAC_OK);
	buffer = take(pool, 5120);
	check_helped(pool, &device, CLPAC_LADDER_EVICT);
	ck_assert_uint_eq(store.n_asked, 1);
	ck_assert_uint_eq(store.asked_for, 4096); /* the bytes still lacking */
	ck_assert_uint_eq(application.n_asked, 0);
	clpac_buffer_release(buffer);
	clpac_buffer_release(rest);
	end(pool, &device);
}

TEST(cached_memory_goes_back_to_the_driver)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	clpac_buffer_release(take(pool, 6144));
	clpac_buffer *buffer = take(pool, 5120);
	check_helped(pool, &device, CLPAC_LADDER_TRIM);
	clpac_buffer_release(buffer);
	end(pool, &device);
}

TEST(the_application_lets_go_of_something_of_another_size)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	struct holder application = {.held = take(pool, 6144)};
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_CALLBACK, let_go, &application, NULL), CLPAC_OK);
	clpac_buffer *buffer = take(pool, 5120);
	check_helped(pool, &device, CLPAC_LADDER_CALLBACK);
	ck_assert_uint_eq(application.asked_for, 1024);
	clpac_pool_remove_relief(pool, CLPAC_LADDER_CALLBACK, let_go, &application);
	clpac_buffer *refused = NULL;
	ck_assert_int_eq(clpac_pool_allocate(pool, 6144, "refused", &refused, NULL), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_uint_eq(application.n_asked, 1);
	clpac_buffer_release(buffer);
	end(pool, &device);
}

TEST(the_host_waits_for_a_released_block_that_is_still_in_use)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	clpac_queue *other = NULL;
	device.is_lagging = true;
	ck_assert_int_eq(clpac_queue_open(pool, true, &other, NULL), CLPAC_OK);
	clpac_buffer *buffer = take(pool, 6144);
	ck_assert_int_eq(clpac_buffer_record(buffer, other, NULL), CLPAC_OK);
	clpac_buffer_release(buffer);
	buffer = take(pool, 5120); /* of another class: handing the block over with a wait would not help */
	ck_assert_uint_eq(device.n_calls_of[SIMULATED_WAIT], 1);
	check_helped(pool, &device, CLPAC_LADDER_PENDING);
	clpac_buffer_release(buffer);
	clpac_queue_close(pool, other);
	end(pool, &device);
}

/* Releases two buffers, of which one stays cached, and does not report it. */
static clpac_buffer *secret[2];
static uint64_t let_go_secretly(void *user, clpac_pool *pool, uint64_t bytes)
{
	(void)user, (void)pool, (void)bytes;
	clpac_buffer_release_batch(secret, 2);
	return 0;
}

TEST(segments_that_became_empty_unsaid_go_back)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, 100 * KIB, 0, 1);
	/* Two segments of 32 KiB; nothing else fits into them. */
	clpac_buffer *fillers[2] = {0};
	secret[0] = take(pool, 16 * KIB);
	fillers[0] = take(pool, 10 * KIB);
	secret[1] = take(pool, 16 * KIB);
	ck_assert_uint_eq(numbers_of(pool).segments, 2);
	ck_assert_ptr_ne(secret[0]->segment, secret[1]->segment);
	fillers[1] = take(pool, 33 * KIB); /* in a segment of its own */
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_CALLBACK, let_go_secretly, NULL, NULL), CLPAC_OK);
	clpac_buffer *buffer = take(pool, 26 * KIB);
	check_helped(pool, &device, CLPAC_LADDER_SEGMENTS);
	clpac_buffer_release(buffer);
	clpac_buffer_release_batch(fillers, 2);
	end(pool, &device);
}

/* Three full segments of 64 KiB, so that the next request needs a fourth, and `left` bytes left on the device. */
static clpac_pool *open_full(simulated_device *device, clpac_buffer *held[6], uint64_t left)
{
	clpac_pool *pool = open_segments(device, 1024 * KIB, 192 * KIB, 0);
	for (int i = 0; i < 6; i++)
		held[i] = take(pool, 32 * KIB);
	ck_assert_uint_eq(device->live_bytes, 192 * KIB);
	device->memory_bytes = 192 * KIB + left;
	return pool;
}

TEST(a_smaller_segment_is_made_where_the_usual_one_finds_no_room)
{
	simulated_device device;
	clpac_buffer *held[6];
	clpac_pool *pool = open_full(&device, held, 20 * KIB);
	clpac_buffer *buffer = take(pool, 4 * KIB);
	check_helped(pool, &device, CLPAC_LADDER_SMALLER);
	ck_assert_uint_eq(numbers_of(pool).retries, 2); /* for a half, then a quarter */
	ck_assert_uint_eq(device.live_bytes, 208 * KIB);
	clpac_buffer_release(buffer);
	clpac_buffer_release_batch(held, 6);
	end(pool, &device);
}

TEST(memory_of_exactly_the_class_is_made_where_no_segment_finds_room)
{
	simulated_device device;
	clpac_buffer *held[6];
	clpac_pool *pool = open_full(&device, held, 5 * KIB);
	clpac_buffer *buffer = take(pool, 4 * KIB);
	check_helped(pool, &device, CLPAC_LADDER_DEDICATED);
	ck_assert_uint_eq(numbers_of(pool).retries, 4);
	ck_assert_uint_eq(device.live_bytes, 196 * KIB);
	ck_assert_uint_eq(numbers_of(pool).segments, 3);
	clpac_buffer_release(buffer);
	clpac_buffer_release_batch(held, 6);
	end(pool, &device);
}

struct late {
	clpac_pool *pool;
	clpac_buffer *buffer;
};

static void *release_when_awaited(void *user)
{
	struct late *late = user;
	while (!atomic_load(&late->pool->n_waiting))
		sched_yield();
	clpac_buffer_release(late->buffer);
	return NULL;
}

TEST(another_threads_release_is_waited_for)
{
	static const size_t released[] = {10240, 6144}; /* of the class that is requested, and of another */
	for (int i = 0; i < 2; i++) {
		simulated_device device;
		clpac_pool *pool = open_pool(&device, 10240, &(clpac_pool_options){.budget = {.wait_s = 100}});
		struct late late = {pool, take(pool, released[i])};
		pthread_t thread;
		ck_assert_int_eq(pthread_create(&thread, NULL, release_when_awaited, &late), 0);
		clpac_buffer *buffer = take(pool, 10240);
		pthread_join(thread, NULL);
		check_helped(pool, &device, CLPAC_LADDER_WAIT);
		clpac_buffer_release(buffer);
		end(pool, &device);
	}
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TEST(a_wait_that_nobody_ends_is_bounded)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, &(clpac_pool_options){.budget = {.wait_s = 0.02}});
	clpac_buffer *all = take(pool, 10240), *buffer = NULL;
	const double begin = seconds();
	ck_assert_int_eq(clpac_pool_allocate(pool, 1, "refused", &buffer, NULL), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert(seconds() - begin >= 0.02);
	ck_assert_uint_eq(numbers_of(pool).refusals, 1);
	ck_assert_uint_eq(atomic_load(&pool->n_waiting), 0);
	clpac_buffer_release(all);
	end(pool, &device);
}

TEST(a_buffer_on_the_host_is_the_last_resort)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	clpac_buffer *all = take(pool, 10240), *buffer = NULL;
	const clpac_request request = {.bytes = 100, .placement = CLPAC_PLACE_PREFER_DEVICE};
	ck_assert_int_eq(clpac_pool_request(pool, &request, &buffer, NULL), CLPAC_OK);
	ck_assert(!clpac_buffer_is_on_device(buffer));
	ck_assert_uint_eq(numbers_of(pool).fallbacks, 1);
	check_helped(pool, &device, CLPAC_LADDER_HOST);
	clpac_buffer_release(buffer);
	clpac_buffer_release(all);
	end(pool, &device);
}

/* ---- When nothing helps ---------------------------------------------------------------------- */

TEST(a_refusal_says_what_was_asked_for_and_what_stands_in_the_way)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, 64 * KIB, 64 * KIB, 0);
	clpac_buffer *held[2] = {take(pool, 20000), take(pool, 30000)}, *buffer = NULL;
	clpac_error err = {0};
	ck_assert_int_eq(clpac_pool_allocate(pool, 28000, "spectrum", &buffer, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_str_eq(
		err.text,
		"buffer \"spectrum\" of 28000 bytes (class 28672): no room in the pool's budget of 65536: 51200 in use "
		"by 2 buffers, 14336 cached, largest free piece 14336; release buffers or raise the budget");
	ck_assert_ptr_null(buffer);
	check_truth(pool, &device);
	clpac_buffer_release_batch(held, 2);
	buffer = take(pool, 28000);
	clpac_buffer_release(buffer);
	end(pool, &device);
}

/* Two free pieces, so that the largest is not all that is cached; with a budget, a limit and a driver that lack room.
 */
TEST_EACH(a_refusal_tells_the_largest_free_piece_from_all_that_is_cached, 3)
{
	static const char *const texts[] = {
		"buffer \"spectrum\" of 24000 bytes (class 24576): no room in the pool's budget of 65536: 30720 in use "
		"by 2 "
		"buffers, 34816 cached, largest free piece 20480; release buffers or raise the budget",
		"buffer \"spectrum\" of 24000 bytes (class 24576): no room in the limit that the pool shares with "
		"others, of "
		"which 65536 are taken: 30720 in use by 2 buffers of this pool, 34816 cached, largest free piece "
		"20480; "
		"release buffers or raise the limit",
		"buffer \"spectrum\" of 24000 bytes (class 24576): the driver has no room though the pool holds 65536 "
		"of its "
		"budget of 131072 (30720 in use, 34816 cached, largest free piece 20480); release buffers or lower the "
		"budget: simulated block of 24576 bytes: 65536 of 65536 are taken"};
	simulated_device device;
	clpac_limit *limit = NULL;
	clpac_error err = {0};
	if (_i == 1)
		ck_assert_int_eq(clpac_limit_create(64 * KIB, &limit, &err), CLPAC_OK);
	clpac_pool *pool = open_pool(&device, (_i == 0 ? 64 : 128) * KIB,
				     &(clpac_pool_options){.budget = {.limit = limit},
							   .cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
								     .max_segment_bytes = 64 * KIB,
								     .preallocate_bytes = 64 * KIB}});
	if (_i == 2)
		device.memory_bytes = 64 * KIB;
	clpac_buffer *held[4] = {take(pool, 20480), take(pool, 10240), take(pool, 14336), take(pool, 20480)},
		     *buffer = NULL;
	ck_assert_uint_eq(device.live_bytes, 64 * KIB);
	clpac_buffer_release(held[0]);
	clpac_buffer_release(held[2]);
	ck_assert_int_eq(clpac_pool_allocate(pool, 24000, "spectrum", &buffer, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_str_eq(err.text, texts[_i]);
	check_truth(pool, &device);
	clpac_buffer_release(held[1]);
	clpac_buffer_release(held[3]);
	clpac_limit_destroy(limit);
	end(pool, &device);
}

TEST(every_step_has_a_name_of_its_own)
{
	for (int step = 0; step < CLPAC_LADDER_COUNT; step++)
		for (int other = 0; other < step; other++)
			ck_assert_str_ne(clpac_ladder_text((clpac_ladder_step)step),
					 clpac_ladder_text((clpac_ladder_step)other));
	ck_assert_str_eq(clpac_ladder_text(CLPAC_LADDER_FINISHED), "finished");
	ck_assert_str_eq(clpac_ladder_text(CLPAC_LADDER_HOST), "host");
	ck_assert_str_eq(clpac_ladder_text(CLPAC_LADDER_COUNT), "unknown step");
	ck_assert_str_eq(clpac_ladder_text((clpac_ladder_step)-1), "unknown step");
}

TEST(pools_that_share_a_limit_press_on_each_other)
{
	simulated_device here, there;
	clpac_limit *limit = NULL;
	clpac_error err = {0};
	ck_assert_int_eq(clpac_limit_create(0, &limit, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_limit_create(10240, &limit, &err), CLPAC_OK);
	clpac_pool *a = open_pool(&here, 10240, &(clpac_pool_options){.budget = {.limit = limit}});
	clpac_pool *b = open_pool(&there, 10240, &(clpac_pool_options){.budget = {.limit = limit}});
	clpac_buffer *large = take(a, 6144), *buffer = NULL;
	ck_assert_uint_eq(clpac_limit_taken(limit), 6144);
	ck_assert_int_eq(clpac_pool_allocate(b, 5120, "other", &buffer, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_str_eq(
		err.text,
		"buffer \"other\" of 5120 bytes (class 5120): no room in the limit that the pool "
		"shares with others, of "
		"which 6144 are taken: 0 in use by 0 buffers of this pool, 0 cached, largest free piece 0; release "
		"buffers or raise the limit");
	buffer = take(b, 4096);
	ck_assert_uint_eq(clpac_limit_taken(limit), 10240);
	clpac_buffer_release(buffer);
	/* Its own cached block is released for a request of another size. */
	buffer = take(b, 3584);
	ck_assert_uint_eq(clpac_limit_taken(limit), 9728);
	check_truth(a, &here);
	check_truth(b, &there);
	clpac_buffer_release(large);
	clpac_buffer_release(buffer);
	clpac_pool_destroy(a);
	ck_assert_uint_eq(clpac_limit_taken(limit), 3584);
	clpac_pool_destroy(b);
	ck_assert_uint_eq(clpac_limit_taken(limit), 0);
	clpac_limit_destroy(limit);
	clpac_limit_destroy(NULL);
	check_nothing_left(&here);
	check_nothing_left(&there);
}

TEST(a_function_that_allocates_when_asked_is_not_asked_for_that_again)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	clpac_buffer *all = take(pool, 10240), *buffer = NULL;
	struct holder application = {0};
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_CALLBACK, let_go, &application, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_pool_allocate(pool, 1, "refused", &buffer, NULL), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_uint_eq(application.n_asked, 1);
	clpac_buffer_release(all);
	end(pool, &device);
}

static uint64_t trim_when_asked(void *user, clpac_pool *pool, uint64_t bytes)
{
	(void)user, (void)bytes;
	clpac_pool_trim(pool, 0);
	return 0; /* nothing of its own was released */
}

TEST(room_made_while_others_are_asked_is_seen)
{
	/* Acts as another thread that trims the pool at this moment: the caches are empty afterwards, and enough memory
	 * is free. */
	for (int is_driver_full = 0; is_driver_full < 2; is_driver_full++) {
		simulated_device device;
		clpac_pool *pool = open_pool(&device, 10240, NULL);
		clpac_buffer *buffer = take(pool, 7168);
		clpac_buffer_release(buffer);
		if (is_driver_full)
			device.memory_bytes = 8192;
		ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_EVICT, trim_when_asked, NULL, NULL),
				 CLPAC_OK);
		buffer = take(pool, is_driver_full ? 3072 : 4096);
		check_helped(pool, &device, CLPAC_LADDER_EVICT);
		clpac_buffer_release(buffer);
		end(pool, &device);
	}
}

static uint64_t trim_and_take_when_asked(void *user, clpac_pool *pool, uint64_t bytes)
{
	clpac_buffer **held = user;
	(void)bytes;
	ck_assert_uint_eq(clpac_pool_trim(pool, 3072), 5120);
	*held = take(pool, 1024);
	return 0;
}

TEST(what_is_lacking_is_what_is_lacking_now)
{
	/* Another thread releases one cached block and takes a smaller one: fewer bytes are lacking, and the caches
	 * have them. */
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	clpac_buffer *larger = take(pool, 5120), *smaller = take(pool, 3072), *held = NULL;
	clpac_buffer_release(larger);
	clpac_buffer_release(smaller);
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_EVICT, trim_and_take_when_asked, &held, NULL),
			 CLPAC_OK);
	clpac_buffer *buffer = take(pool, 7168);
	ck_assert_ptr_nonnull(held);
	check_helped(pool, &device, CLPAC_LADDER_TRIM);
	clpac_buffer_release(buffer);
	clpac_buffer_release(held);
	end(pool, &device);
}

static uint64_t allocate_when_asked(void *user, clpac_pool *pool, uint64_t bytes)
{
	unsigned *n_asked = user;
	clpac_buffer *buffer = NULL;
	(void)bytes;
	++*n_asked;
	/* No memory remains for this request either; asking this holder again would never end. */
	if (clpac_pool_allocate(pool, 2048, "within", &buffer, NULL) == CLPAC_OK)
		clpac_buffer_release(buffer);
	return 0;
}

TEST(relief_that_itself_finds_no_room_ends)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	clpac_buffer *most = take(pool, 9216), *buffer = NULL;
	unsigned n_asked = 0;
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_EVICT, allocate_when_asked, &n_asked, NULL),
			 CLPAC_OK);
	ck_assert_int_eq(clpac_pool_allocate(pool, 4096, "refused", &buffer, NULL), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_uint_eq(n_asked, 1);
	ck_assert_uint_eq(numbers_of(pool).refusals, 2);
	check_truth(pool, &device);
	clpac_buffer_release(most);
	end(pool, &device);
}

TEST(relief_functions_are_registered_for_two_steps_and_up_to_eight_each)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	clpac_error err = {0};
	struct holder holders[9] = {0};
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_EVICT, NULL, NULL, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_TRIM, let_go, NULL, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, "relief: step \"trim\" asks nobody; give evict or callback");
	for (int i = 0; i < 9; i++)
		ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_EVICT, let_go, &holders[i], &err),
				 i < 8 ? CLPAC_OK : CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, "relief: the pool has 8 functions for step \"evict\" already");
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_CALLBACK, let_go, &holders[i], &err),
				 CLPAC_OK);
	clpac_pool_remove_relief(pool, CLPAC_LADDER_EVICT, let_go, &holders[3]);
	ck_assert_int_eq(clpac_pool_add_relief(pool, CLPAC_LADDER_EVICT, let_go, &holders[8], &err), CLPAC_OK);
	end(pool, &device);
}
