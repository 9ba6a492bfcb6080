/* The promises of transfers that are not waited for. */
#include "transfer_laws.h"

#include <stdlib.h>
#include <string.h>

#include <clpac/memory/context.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include <clpac/memory/statistics.h>
#include "assertions.h"
#include "noise.h"
#include "memory/pool/pool.h"
#include "simulated.h"
#include "targets.h"

enum { N = 6, BYTES = 300001 };

/* Opened before and closed after each test, for target number _i. */
static clpac__queue *queue;
static clpac_pool *pool;
static clpac_error err;

static void open_target(int i)
{
	queue = target_open(targets_get((size_t)i));
	OK(clpac__pool_create(queue, NULL, 0, &pool, &err));
}

static simulated_device *simulated(void)
{
	return strcmp(queue->device.backend, "simulated") == 0 ? (void *)queue : NULL;
}

static void close_target(void)
{
	clpac_pool_destroy(pool);
	if (simulated()) {
		ck_assert_uint_eq(simulated()->hazards + simulated()->breaches, 0);
		ck_assert_uint_eq(simulated()->live_blocks + simulated()->live_events, 0);
	}
	queue->operations->close(queue);
}

static clpac_buffer *take_for(clpac_queue *on, size_t bytes)
{
	clpac_buffer *buffer = NULL;
	const clpac_request request = {.bytes = bytes, .tag = "law", .queue = on};
	OK(clpac_pool_request(pool, &request, &buffer, &err));
	return buffer;
}

static void pass(clpac_event *event)
{
	OK(clpac_event_wait(pool, event, &err));
	ck_assert(clpac_event_has_passed(pool, event));
	clpac_event_release(pool, event);
}

static unsigned char model[N][BYTES], found[N][BYTES];

START_TEST(bytes_that_are_not_waited_for_arrive_with_their_events)
{
	open_target(_i);
	clpac_queue *queues[] = {clpac_pool_queue(pool), NULL, NULL};
	OK(clpac_queue_open(pool, true, &queues[1], &err));
	OK(clpac_queue_open(pool, false, &queues[2], &err));
	for (size_t k = 0; k < COUNT(queues); k++) {
		clpac_buffer *buffers[N];
		clpac_event *written[N], *read[N];
		memset(found, 0, sizeof found);
		for (unsigned i = 0; i < N; i++) {
			random_bytes(i + N * k, model[i], BYTES);
			buffers[i] = take_for(queues[k], BYTES);
			OK(clpac_buffer_write_later(buffers[i], 0, BYTES, model[i], &written[i], &err));
			OK(clpac_buffer_read_later(buffers[i], 1, BYTES - 1, found[i], &read[i], &err));
		}
		if (simulated() && simulated()->is_lagging)
			ck_assert(!clpac_event_has_passed(pool, written[0]) && !clpac_event_has_passed(pool, read[0]));
		for (unsigned i = N; i-- > 0;) {
			pass(read[i]);
			ck_assert(memcmp(found[i], model[i] + 1, BYTES - 1) == 0);
			pass(written[i]);
			clpac_buffer_release(buffers[i]);
		}
	}
	clpac_queue_close(pool, queues[1]);
	clpac_queue_close(pool, queues[2]);
	close_target();
}

START_TEST(bytes_without_events_arrive_with_what_comes_later)
{
	open_target(_i);
	clpac_buffer *buffers[N];
	memset(found, 0, sizeof found);
	for (unsigned i = 0; i < N; i++) {
		random_bytes(i, model[i], BYTES);
		buffers[i] = take_for(NULL, BYTES);
		OK(clpac_buffer_write_later(buffers[i], 0, BYTES, model[i], NULL, &err));
	}
	for (unsigned i = 0; i + 1 < N; i++)
		OK(clpac_buffer_read_later(buffers[i], 0, BYTES, found[i], NULL, &err));
	OK(clpac_buffer_read(buffers[N - 1], 0, BYTES, found[N - 1], &err));
	for (unsigned i = 0; i < N; i++) {
		ck_assert(memcmp(found[i], model[i], BYTES) == 0);
		clpac_buffer_release(buffers[i]);
	}
	close_target();
}

START_TEST(a_released_buffer_still_gets_its_transfers_done)
{
	open_target(_i);
	clpac_event *event = NULL, *none = NULL;
	clpac_buffer *buffer = take_for(NULL, BYTES);
	random_bytes(1, model[0], BYTES);
	OK(clpac_buffer_write(buffer, 0, BYTES, model[0], &err));
	OK(clpac_buffer_read_later(buffer, 0, BYTES, found[0], &event, &err));
	clpac_buffer_release(buffer);
	clpac_buffer *next = take_for(NULL, BYTES);
	OK(clpac_buffer_fill(next, 0, BYTES, 0, &err));
	OK(clpac_buffer_write_later(next, BYTES, 0, NULL, &none, &err));
	pass(event);
	pass(none);
	ck_assert(memcmp(found[0], model[0], BYTES) == 0);
	assert_refused(clpac_buffer_read_later(next, 1, BYTES, found[0], &event, &err), err, CLPAC_ERROR_ARGUMENT,
		       "300001");
	clpac_buffer_release(next);
	close_target();
}

START_TEST(buffers_of_two_devices_are_copied_both_ways)
{
	enum { LARGE = (9 << 20) + 12345 };
	static const size_t sizes[] = {1, 70001, 4 << 20, LARGE - 3};
	clpac_context *other = NULL;
	clpac_buffer *back = NULL, *there = NULL;
	unsigned char *bytes = malloc(LARGE), *got = malloc(LARGE);
	clpac_pool_statistics now;
	open_target(_i);
	OK(clpac_context_open_selected(NULL, "native", 0, NULL, &other, &err));
	OK(clpac_pool_allocate(clpac_context_pool(other), LARGE, "there", &there, &err));
	clpac_buffer *here = take_for(NULL, LARGE);
	back = take_for(NULL, LARGE);
	random_bytes(5, bytes, LARGE);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		OK(clpac_buffer_write(here, 0, LARGE, bytes, &err));
		OK(clpac_buffer_fill(back, 0, LARGE, 1, &err));
		OK(clpac_buffer_copy(here, 3, there, 1, sizes[i], &err));
		OK(clpac_buffer_copy(there, 1, back, 2, sizes[i], &err));
		OK(clpac_buffer_read(back, 0, LARGE, got, &err));
		ck_assert(memcmp(got + 2, bytes + 3, sizes[i]) == 0);
		ck_assert(got[0] == 1 && got[1] == 1 && (i == 3 || got[2 + sizes[i]] == 1));
	}
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.bytes_to_device, 4 * (uint64_t)LARGE + 1 + 70001 + (4 << 20) + LARGE - 3);
	ck_assert_uint_eq(now.bytes_from_device, now.bytes_to_device);
	if (simulated()) {
		/* A failure in the middle leaves nothing behind, and nothing under way. */
		simulated_fail(simulated(), 2, SIMULATED_READ, CLPAC_ERROR_DEVICE, -5);
		ck_assert_int_eq(clpac_buffer_copy(here, 0, there, 0, LARGE, &err), CLPAC_ERROR_DEVICE);
		simulated_fail(simulated(), 2, SIMULATED_WRITE, CLPAC_ERROR_DEVICE, -5);
		ck_assert_int_eq(clpac_buffer_copy(there, 0, here, 0, LARGE, &err), CLPAC_ERROR_DEVICE);
		simulated_fail(simulated(), 0, SIMULATED_WRITE, CLPAC_OK, 0);
	}
	clpac_buffer_release(here);
	clpac_buffer_release(back);
	clpac_buffer_release(there);
	free(bytes);
	free(got);
	clpac_context_close(other);
	close_target();
}

START_TEST(large_transfers_go_through_pinned_memory_where_the_device_has_its_own)
{
	enum { LARGE = (3 << 20) + 77, STAGING = 256 << 10 };
	unsigned char *bytes = malloc(LARGE), *copy = malloc(LARGE), *got = malloc(LARGE);
	queue = target_open(targets_get((size_t)_i));
	queue->has_unified_memory = false;
	OK(clpac__pool_create(queue, &(clpac_pool_options){.staging_bytes = STAGING}, 0, &pool, &err));
	clpac_queue *queues[] = {clpac_pool_queue(pool), NULL, NULL};
	OK(clpac_queue_open(pool, true, &queues[1], &err));
	OK(clpac_queue_open(pool, false, &queues[2], &err));
	for (unsigned k = 0; k < COUNT(queues); k++) {
		clpac_buffer *buffer = take_for(queues[k], LARGE), *second = take_for(queues[k], LARGE);
		random_bytes(k, bytes, LARGE);
		memcpy(copy, bytes, LARGE);
		OK(clpac_buffer_write(buffer, 0, LARGE, copy, &err));
		memset(copy, 0, LARGE); /* the source may be reused at once */
		OK(clpac_buffer_copy(buffer, 0, second, 0, LARGE, &err));
		OK(clpac_buffer_read(second, 5, LARGE - 5, got, &err));
		ck_assert(memcmp(got, bytes + 5, LARGE - 5) == 0);
		clpac_buffer_release(buffer);
		clpac_buffer_release(second);
	}
	if (simulated()) {
		ck_assert_uint_eq(simulated()->live_host_bytes, STAGING);
		ck_assert_uint_ge(simulated()->n_calls_of[SIMULATED_WRITE], 3 * LARGE / (STAGING / 4));
		/* Each failure is told, and leaves the ring in order. */
		clpac_buffer *buffer = take_for(NULL, LARGE);
		static const enum simulated_call calls[] = {SIMULATED_WRITE, SIMULATED_READ, SIMULATED_MARK,
							    SIMULATED_WAIT};
		for (size_t i = 0; i < COUNT(calls); i++) {
			simulated_fail(simulated(), 3, calls[i], CLPAC_ERROR_DEVICE, -5);
			const clpac_status st = calls[i] == SIMULATED_READ
							? clpac_buffer_read(buffer, 0, LARGE, got, &err)
							: clpac_buffer_write(buffer, 0, LARGE, bytes, &err);
			ck_assert_int_eq(st, CLPAC_ERROR_DEVICE);
			simulated_fail(simulated(), 0, SIMULATED_ANY, CLPAC_OK, 0);
			OK(clpac_buffer_write(buffer, 0, LARGE, bytes, &err));
			OK(clpac_buffer_read(buffer, 0, LARGE, got, &err));
			ck_assert(memcmp(got, bytes, LARGE) == 0);
		}
		clpac_buffer_release(buffer);
	}
	clpac_queue_close(pool, queues[1]);
	clpac_queue_close(pool, queues[2]);
	free(bytes);
	free(copy);
	free(got);
	close_target();
}

/* A pool whose transfers are staged in so many bytes, on a device that passes for one with memory of its own. */
static void open_staged(int i, size_t staging_bytes)
{
	queue = target_open(targets_get((size_t)i));
	queue->has_unified_memory = false;
	OK(clpac__pool_create(queue, &(clpac_pool_options){.staging_bytes = staging_bytes}, 0, &pool, &err));
}

START_TEST(writes_that_are_not_waited_for_go_through_pinned_memory_as_far_as_it_is_free)
{
	enum { STAGING = 1 << 20, SIZES = 5, LARGEST = 3 << 20 };
	static const size_t sizes[SIZES] = {(256 << 10) - 1, 256 << 10, 700001, 1 << 20, LARGEST};
	unsigned char *sources[SIZES], *got = malloc(LARGEST);
	open_staged(_i, STAGING);
	clpac_queue *queues[] = {clpac_pool_queue(pool), NULL, NULL};
	OK(clpac_queue_open(pool, true, &queues[1], &err));
	OK(clpac_queue_open(pool, false, &queues[2], &err));
	for (unsigned k = 0; k < COUNT(queues); k++) {
		clpac_buffer *buffers[SIZES];
		clpac_event *written[SIZES];
		for (size_t i = 0; i < SIZES; i++) {
			sources[i] = malloc(sizes[i]);
			random_bytes(i + SIZES * k, sources[i], sizes[i]);
			buffers[i] = take_for(queues[k], sizes[i] + 3);
			OK(clpac_buffer_write_later(buffers[i], 3, sizes[i], sources[i], &written[i], &err));
			if (simulated() && simulated()->is_lagging) /* nobody waited */
				ck_assert(!clpac_event_has_passed(pool, written[i]));
		}
		for (size_t i = SIZES; i-- > 0;) {
			pass(written[i]);
			OK(clpac_buffer_read(buffers[i], 3, sizes[i], got, &err));
			ck_assert_msg(memcmp(got, sources[i], sizes[i]) == 0, "queue %u, %zu bytes", k, sizes[i]);
			clpac_buffer_release(buffers[i]);
			free(sources[i]);
		}
	}
	/* What was staged is the transfer's no more. */
	clpac_buffer *buffer = take_for(NULL, STAGING);
	clpac_event *written = NULL;
	sources[0] = malloc(STAGING);
	random_bytes(7, sources[0], STAGING);
	memcpy(got, sources[0], STAGING);
	const unsigned long n_writes = simulated() ? simulated()->n_calls_of[SIMULATED_WRITE] : 0;
	OK(clpac_buffer_write_later(buffer, 0, STAGING, sources[0], &written, &err));
	if (simulated()) {
		ck_assert_uint_eq(simulated()->live_host_bytes, STAGING);
		ck_assert_uint_eq(simulated()->n_calls_of[SIMULATED_WRITE] - n_writes, 4);
		memset(sources[0], 0, STAGING);
	}
	pass(written);
	OK(clpac_buffer_read(buffer, 0, STAGING, sources[0], &err));
	ck_assert(memcmp(got, sources[0], STAGING) == 0);
	clpac_buffer_release(buffer);
	free(sources[0]);
	free(got);
	clpac_queue_close(pool, queues[1]);
	clpac_queue_close(pool, queues[2]);
	close_target();
}

START_TEST(a_staged_write_that_fails_leaves_the_ring_in_order)
{
	enum { STAGING = 256 << 10, LARGE = 600000 };
	static const enum simulated_call calls[] = {SIMULATED_WRITE, SIMULATED_MARK};
	unsigned char *bytes = malloc(LARGE), *got = malloc(LARGE);
	open_staged(_i, STAGING);
	clpac_buffer *buffer = take_for(NULL, LARGE);
	clpac_event *written = NULL;
	random_bytes(3, bytes, LARGE);
	/* Four pieces, the rest, and the event of the whole. */
	for (size_t i = 0; simulated() && i < COUNT(calls); i++)
		for (unsigned long number = 1; number <= 5; number++) {
			OK(clpac_queue_finish(pool, clpac_pool_queue(pool), &err));
			simulated_fail(simulated(), number, calls[i], CLPAC_ERROR_DEVICE, -5);
			ck_assert_int_eq(clpac_buffer_write_later(buffer, 0, LARGE, bytes, &written, &err),
					 CLPAC_ERROR_DEVICE);
			simulated_fail(simulated(), 0, SIMULATED_ANY, CLPAC_OK, 0);
			OK(clpac_buffer_fill(buffer, 0, LARGE, 0, &err));
			OK(clpac_buffer_write_later(buffer, 0, LARGE, bytes, &written, &err));
			pass(written);
			OK(clpac_buffer_read(buffer, 0, LARGE, got, &err));
			ck_assert(memcmp(got, bytes, LARGE) == 0);
		}
	if (simulated()) { /* without pinned memory the bytes go as they are */
		clpac_pool_destroy(pool);
		clpac_buffer_release(buffer);
		OK(clpac__pool_create(queue, &(clpac_pool_options){.staging_bytes = STAGING}, 0, &pool, &err));
		buffer = take_for(NULL, LARGE);
		simulated_fail(simulated(), 1, SIMULATED_CREATE_ON_HOST, CLPAC_ERROR_NO_MEMORY, -6);
		OK(clpac_buffer_write_later(buffer, 0, LARGE, bytes, &written, &err));
		pass(written);
		ck_assert_uint_eq(simulated()->live_host_bytes, 0);
	}
	/* A pool that ends with staged bytes under way waits for them. */
	OK(clpac_buffer_write_later(buffer, 0, LARGE, bytes, &written, &err));
	clpac_event_release(pool, written);
	clpac_buffer_release(buffer);
	close_target();
	free(bytes);
	free(got);
}

START_TEST(a_device_that_is_the_host_stages_nothing)
{
	unsigned char *bytes = malloc(1 << 20);
	queue = target_open(targets_get((size_t)_i));
	queue->has_unified_memory = true;
	OK(clpac__pool_create(queue, NULL, 0, &pool, &err));
	clpac_buffer *buffer = take_for(NULL, 1 << 20);
	clpac_event *written = NULL;
	random_bytes(3, bytes, 1 << 20);
	OK(clpac_buffer_write_later(buffer, 0, 1 << 20, bytes, &written, &err));
	pass(written);
	if (simulated()) {
		ck_assert_uint_eq(simulated()->live_host_bytes, 0);
		ck_assert_uint_eq(simulated()->n_calls_of[SIMULATED_WRITE], 1);
	}
	clpac_buffer_release(buffer);
	free(bytes);
	close_target();
}

TCase *transfer_laws(size_t n)
{
	TCase *laws = tcase_create("transfer laws");
	tcase_set_timeout(laws, 60);
	tcase_add_loop_test(laws, bytes_that_are_not_waited_for_arrive_with_their_events, 0, (int)n);
	tcase_add_loop_test(laws, bytes_without_events_arrive_with_what_comes_later, 0, (int)n);
	tcase_add_loop_test(laws, a_released_buffer_still_gets_its_transfers_done, 0, (int)n);
	tcase_add_loop_test(laws, buffers_of_two_devices_are_copied_both_ways, 0, (int)n);
	tcase_add_loop_test(laws, large_transfers_go_through_pinned_memory_where_the_device_has_its_own, 0, (int)n);
	tcase_add_loop_test(laws, writes_that_are_not_waited_for_go_through_pinned_memory_as_far_as_it_is_free, 0,
			    (int)n);
	tcase_add_loop_test(laws, a_staged_write_that_fails_leaves_the_ring_in_order, 0, (int)n);
	tcase_add_loop_test(laws, a_device_that_is_the_host_stages_nothing, 0, (int)n);
	return laws;
}
