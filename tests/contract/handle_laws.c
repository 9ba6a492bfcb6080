/* Handles that are not, or no longer, a pool's, given to every function that takes one (handles.def). */
#include "config.h"

#include "handle_laws.h"

#include <stdio.h>
#include <string.h>
#include <clpac/memory/async.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include <clpac/memory/store.h>
#include <clpac/memory/trace.h>
#ifdef HAVE_OPENCL
#include <clpac/memory/opencl.h>
#endif
#include "assertions.h"
#include "memory/pool/pool.h"
#include "simulated.h"
#include "targets.h"

#define WORKS(call) assert_works(call, error)

enum { BYTES = 1000, SEGMENT_BYTES = 64 << 10, PAGEFUL = 400, QUARANTINED = 4096 };

/* Opened before and closed after each test. */
static clpac__queue *root;
static clpac_pool *pool, *other_pool;
static clpac_store *store;
static clpac_async *async;
static clpac_buffer *good;
static clpac_event *live;
static clpac_queue *disorder; /* out of order, where the device has such queues */
static clpac_error error;

/* The handles that the rows of the table use. */
static clpac_buffer *buffer;
static clpac_queue *queue;
static clpac_event *event;
static unsigned char bytes[BYTES];
static clpac_buffer *made;
static clpac_event *marked;
static clpac_entry *entry;
static void *mapping;

static clpac_status load_stale(void *user, clpac_store *of, const char *key, clpac_metadata *metadata,
			       clpac_buffer **out, clpac_error *err)
{
	(void)user, (void)of, (void)key, (void)metadata, (void)err;
	*out = buffer;
	return CLPAC_OK;
}

/* An asynchronous request is refused by its ticket. */
static clpac_status ask_async(clpac_error *err)
{
	clpac_ticket *ticket = NULL;
	clpac_status st =
		clpac_async_request(async, 1, &(clpac_request){.bytes = 1, .queue = queue}, NULL, NULL, &ticket, err);
	if (st == CLPAC_OK)
		st = clpac_ticket_wait(ticket, NULL, err);
	clpac_ticket_release(ticket);
	return st;
}

typedef struct handle_row {
	const char *function, *parameter;
	clpac_status (*call)(clpac_error *err); /* NULL: a function without an error */
	bool (*is_empty)(void);
} handle_row;

#define OUT(function, parameter)
#define TRUSTED(function, parameter, why)
#define REFUSED(function, parameter, ...)                                                                              \
	static clpac_status function##__##parameter(clpac_error *err)                                                  \
	{                                                                                                              \
		return __VA_ARGS__;                                                                                    \
	}
#define EMPTY(function, parameter, ...)                                                                                \
	static bool function##__##parameter(void)                                                                      \
	{                                                                                                              \
		return __VA_ARGS__;                                                                                    \
	}
#define IGNORED(function, parameter, ...) EMPTY(function, parameter, (__VA_ARGS__, true))
#include "handles.def"
#undef REFUSED
#undef EMPTY
#undef IGNORED

#define REFUSED(function, parameter, ...) {#function, #parameter, function##__##parameter, NULL},
#define EMPTY(function, parameter, ...) {#function, #parameter, NULL, function##__##parameter},
#define IGNORED(function, parameter, ...) EMPTY(function, parameter)
static const handle_row rows[] = {
#include "handles.def"
};

static void open_all(int i, bool is_checked)
{
	const clpac_pool_options options = {
		.size = sizeof options, .checks.is_checked = is_checked, .cache.max_segment_bytes = SEGMENT_BYTES};
	root = target_open(targets_get((size_t)i));
	WORKS(clpac__pool_create(root, &options, 0, &pool, &error));
	WORKS(clpac__pool_create(root, &options, 0, &other_pool, &error));
	WORKS(clpac_store_create(pool, NULL, &store, &error));
	WORKS(clpac_async_create(pool, 0, &async, &error));
	WORKS(clpac_pool_allocate(pool, BYTES, "good", &good, &error));
	WORKS(clpac_buffer_fill(good, 0, BYTES, 3, &error));
	WORKS(clpac_queue_open(pool, false, &disorder, &error));
	WORKS(clpac_queue_mark(pool, NULL, &live, &error));
}

static void check_simulated(void)
{
	const simulated_device *device = (const simulated_device *)(const void *)root;
	if (strcmp(root->device.backend, "simulated") != 0)
		return;
	ck_assert_uint_eq(device->breaches, 0);
	ck_assert_uint_eq(device->hazards, 0);
}

/* Buffers in use are untouched, and nothing is left behind. */
static void close_all(void)
{
	clpac_pool_statistics now;
	memset(bytes, 0, BYTES);
	WORKS(clpac_buffer_read(good, 0, BYTES, bytes, &error));
	for (size_t i = 0; i < BYTES; i++)
		ck_assert_uint_eq(bytes[i], 3);
	ck_assert_ptr_null(made);
	ck_assert_ptr_null(marked);
	ck_assert_ptr_null(mapping);
	ck_assert_ptr_null(entry);
	clpac_buffer_release(good);
	clpac_event_release(pool, live);
	clpac_queue_close(pool, disorder);
	clpac_async_destroy(async);
	clpac_store_destroy(store);
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.active_buffers, 0);
	ck_assert_uint_eq(now.in_use_bytes, 0);
	ck_assert_uint_eq(now.canary_failures, 0);
	clpac_pool_destroy(other_pool);
	clpac_pool_destroy(pool);
	check_simulated();
	root->operations->close(root);
}

static void assert_rows(const char *what)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		clpac_error err = {0};
		if (!rows[i].call) {
			ck_assert_msg(rows[i].is_empty(), "%s does not give the empty value for %s", rows[i].function,
				      what);
			continue;
		}
		const clpac_status st = rows[i].call(&err);
		ck_assert_msg(st == CLPAC_ERROR_ARGUMENT, "%s with %s: '%s' %s", rows[i].function, what,
			      clpac_status_text(st), st ? err.text : "");
		ck_assert_msg(strlen(err.text) > 10, "%s with %s says '%s'", rows[i].function, what, err.text);
		ck_assert_int_eq(rows[i].call(NULL), CLPAC_ERROR_ARGUMENT);
	}
}

/* A released event, another pool's queue, and then a closed one. */
static void assert_rows_with_queues(const char *what)
{
	clpac_queue *closed = NULL;
	WORKS(clpac_queue_mark(pool, disorder, &event, &error));
	WORKS(clpac_event_wait(pool, event, &error));
	clpac_event_release(pool, event);
	/* The native device has one event for all moments, which is out as long as any of them is. */
	const bool has_one = event == live;
	if (has_one)
		event = (clpac_event *)(void *)bytes;
	WORKS(clpac_queue_open(other_pool, true, &queue, &error));
	assert_rows(what);
	clpac_queue_close(other_pool, queue);
	WORKS(clpac_queue_open(pool, true, &closed, &error));
	clpac_queue_close(pool, closed);
	queue = closed;
	assert_rows(what);
}

static clpac_buffer *take(clpac_pool *from, clpac_queue *of)
{
	clpac_buffer *taken = NULL;
	WORKS(clpac_pool_request(from, &(clpac_request){.bytes = BYTES, .tag = "stale", .queue = of}, &taken, &error));
	WORKS(clpac_buffer_fill(taken, 0, BYTES, 7, &error));
	return taken;
}

START_TEST(a_released_buffer_is_refused)
{
	open_all(_i, true);
	buffer = take(pool, NULL);
	clpac_buffer_release(buffer);
	assert_rows_with_queues("a released buffer");
	close_all();
}

START_TEST(a_buffer_released_from_an_out_of_order_queue_is_refused)
{
	open_all(_i, true);
	buffer = take(pool, disorder);
	clpac_buffer_release(buffer);
	assert_rows_with_queues("a buffer released from an out-of-order queue");
	/* Its block is handed out again, and the stale handle still tells. */
	clpac_buffer *again = take(pool, disorder);
	WORKS(clpac_pool_release(pool, again, &error));
	assert_rows_with_queues("a buffer whose block had another owner since");
	close_all();
}

START_TEST(a_buffer_of_a_pool_that_ended_is_refused)
{
	clpac_pool *ended = NULL;
	open_all(_i, true);
	WORKS(clpac__pool_create(root, &(clpac_pool_options){.checks = {.is_checked = true}}, 0, &ended, &error));
	buffer = take(ended, NULL);
	clpac_buffer_release(buffer);
	clpac_pool_destroy(ended);
	assert_rows_with_queues("a buffer of a pool that ended");
	close_all();
}

START_TEST(a_cached_buffer_is_refused_without_checks_too)
{
	open_all(_i, false);
	buffer = take(pool, NULL);
	clpac_buffer_release(buffer);
	assert_rows_with_queues("a cached buffer");
	close_all();
}

static void take_and_release(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		clpac_buffer *next = NULL;
		WORKS(clpac_pool_allocate(pool, 1, "", &next, &error));
		clpac_buffer_release(next);
	}
}

/* A handle from a page whose handles are all stale, and whose memory was given back. */
START_TEST(a_stale_handle_is_refused_however_many_follow)
{
	clpac_error err = {0};
	open_all(_i, true);
	take_and_release(PAGEFUL);
	buffer = take(pool, NULL);
	clpac_buffer_release(buffer);
	take_and_release(QUARANTINED + 2 * PAGEFUL);
	ck_assert_int_eq(clpac_buffer_fill(buffer, 0, 1, 1, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_msg(strstr(err.text, "released long ago"), "%s", err.text);
	assert_rows_with_queues("a buffer released long ago");
	close_all();
}

START_TEST(another_pools_buffer_is_refused)
{
	clpac_error err = {0};
	open_all(_i, true);
	clpac_buffer *foreign = take(other_pool, NULL);
	assert_refused(clpac_pool_release(pool, foreign, &err), err, CLPAC_ERROR_ARGUMENT, "no buffer of this pool");
	assert_refused(clpac_store_put(store, "key", foreign, NULL, CLPAC_PUT_FAIL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "pool that the store does not have");
	WORKS(clpac_pool_release(other_pool, foreign, &err));
	close_all();
}

START_TEST(a_second_release_is_counted)
{
	clpac_error err = {0};
	clpac_pool_statistics now;
	open_all(_i, true);
	for (int is_in_order = 0; is_in_order < 2; is_in_order++) {
		buffer = take(pool, is_in_order ? NULL : disorder);
		clpac_buffer_release(buffer);
		clpac_buffer_release(buffer);
		assert_refused(clpac_pool_release(pool, buffer, &err), err, CLPAC_ERROR_ARGUMENT, "released before");
		assert_refused(clpac_buffer_release_after(buffer, 1, &live, &err), err, CLPAC_ERROR_ARGUMENT,
			       "released before");
	}
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.bad_releases, 4);
	close_all();
}

TCase *handle_laws(size_t n)
{
	TCase *laws = tcase_create("handles");
	tcase_set_timeout(laws, 300);
	tcase_add_loop_test(laws, a_released_buffer_is_refused, 0, (int)n);
	tcase_add_loop_test(laws, a_buffer_released_from_an_out_of_order_queue_is_refused, 0, (int)n);
	tcase_add_loop_test(laws, a_buffer_of_a_pool_that_ended_is_refused, 0, (int)n);
	tcase_add_loop_test(laws, a_cached_buffer_is_refused_without_checks_too, 0, (int)n);
	tcase_add_test(laws, a_stale_handle_is_refused_however_many_follow);
	tcase_add_loop_test(laws, another_pools_buffer_is_refused, 0, (int)n);
	tcase_add_loop_test(laws, a_second_release_is_counted, 0, (int)n);
	return laws;
}
