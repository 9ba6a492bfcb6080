/* The promises of transfers that are not waited for. */
#include "transfer_laws.h"

#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "noise.h"
#include "pool/pool.h"
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
END_TEST

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
END_TEST

TCase *transfer_laws(size_t n)
{
	TCase *laws = tcase_create("transfer laws");
	tcase_set_timeout(laws, 60);
	tcase_add_loop_test(laws, bytes_that_are_not_waited_for_arrive_with_their_events, 0, (int)n);
	tcase_add_loop_test(laws, a_released_buffer_still_gets_its_transfers_done, 0, (int)n);
	return laws;
}
