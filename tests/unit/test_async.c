/* A worker that allocates and prepares, on a simulated device.  A gate holds the worker inside a prepare function for as long
 * as a test wants it there, so that nothing here depends on time. */
#include "runner.h"

#include <clpac/async.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include "assertions.h"
#include "base/error.h"
#include "pool_truth.h"

const char *skip_reason(void)
{
	return NULL;
}

enum { MEMORY = 1 << 20 };

/* --- What the worker is given to do ---------------------------------------------------------------------------------- */

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_open;
	unsigned n_inside; /* that came to the gate */
};

#define CLOSED_GATE                                                                                                    \
	{                                                                                                              \
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0                                          \
	}

static clpac_status stand_at_gate(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers,
				  clpac_error *err)
{
	(void)pool, (void)n, (void)buffers, (void)err;
	struct gate *gate = user;
	pthread_mutex_lock(&gate->lock);
	gate->n_inside++;
	pthread_cond_broadcast(&gate->changed);
	while (!gate->is_open)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
	return CLPAC_OK;
}

static void await_one_inside(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	while (!gate->n_inside)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

static void open_gate(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->is_open = true;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

/* Fills the i-th buffer with the i-th byte of the text. */
static clpac_status fill_with_text(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *text = user;
	for (size_t i = 0; i < n; i++) {
		ck_assert_ptr_eq(clpac_buffer_pool(buffers[i]), pool);
		TRY(clpac_buffer_fill(buffers[i], 0, clpac_buffer_bytes(buffers[i]), (uint8_t)text[i], err));
	}
done:
	return st;
}

static clpac_status count(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers, clpac_error *err)
{
	(void)pool, (void)n, (void)buffers, (void)err;
	atomic_fetch_add((atomic_uint *)user, 1);
	return CLPAC_OK;
}

/* --- What every test begins and ends with ---------------------------------------------------------------------------- */

struct bench {
	simulated_device device;
	clpac_pool *pool;
	clpac_async *async;
	clpac_error err;
};

static struct bench *open_bench(size_t max_pending)
{
	static struct bench bench;
	bench = (struct bench){.async = NULL};
	bench.pool = open_pool(&bench.device, MEMORY, NULL);
	assert_works(clpac_async_create(bench.pool, max_pending, &bench.async, &bench.err), bench.err);
	return &bench;
}

static void check_nothing_in_use(clpac_pool *pool)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now);
	ck_assert_uint_eq(now.active_buffers, 0);
	ck_assert_uint_eq(now.in_use_bytes, 0);
}

/* The worker may be gone already. */
static void close_bench(struct bench *bench)
{
	clpac_async_destroy(bench->async);
	check_nothing_in_use(bench->pool);
	check_truth(bench->pool, &bench->device);
	clpac_pool_destroy(bench->pool);
	check_nothing_left(&bench->device);
}

static clpac_ticket *request(struct bench *bench, size_t bytes, clpac_prepare_function *prepare, void *user)
{
	clpac_ticket *ticket = NULL;
	clpac_request one = {.bytes = bytes, .tag = "async"};
	assert_works(clpac_async_request(bench->async, 1, &one, prepare, user, &ticket, &bench->err), bench->err);
	return ticket;
}

static void take_and_release(struct bench *bench, clpac_ticket *ticket)
{
	clpac_buffer *buffer = NULL;
	assert_works(clpac_ticket_wait(ticket, &buffer, &bench->err), bench->err);
	ck_assert_ptr_nonnull(buffer);
	clpac_buffer_release(buffer);
	clpac_ticket_release(ticket);
}

/* --- Tests ----------------------------------------------------------------------------------------------------------- */

START_TEST(a_ticket_brings_the_buffers_as_they_were_prepared)
{
	struct bench *bench = open_bench(0);
	clpac_request requests[3] = {{.bytes = 100, .tag = "a"}, {.bytes = 3000, .tag = "b"}, {.bytes = 1, .tag = "c"}};
	clpac_ticket *ticket = NULL;
	char text[] = "xyz";
	assert_works(clpac_async_request(bench->async, 3, requests, fill_with_text, text, &ticket, &bench->err),
		     bench->err);
	memset(requests, 0, sizeof requests); /* they were copied */
	clpac_buffer *buffers[3] = {0};
	assert_works(clpac_ticket_wait(ticket, buffers, &bench->err), bench->err);
	ck_assert(clpac_ticket_is_ready(ticket));
	clpac_ticket_release(ticket); /* takes nothing along */
	const size_t bytes[] = {100, 3000, 1};
	const char *tags[] = {"a", "b", "c"};
	for (int i = 0; i < 3; i++) {
		unsigned char content[3000];
		ck_assert_uint_eq(clpac_buffer_bytes(buffers[i]), bytes[i]);
		ck_assert_str_eq(clpac_buffer_tag(buffers[i]), tags[i]);
		assert_works(clpac_buffer_read(buffers[i], 0, bytes[i], content, &bench->err), bench->err);
		for (size_t k = 0; k < bytes[i]; k++)
			ck_assert_uint_eq(content[k], (unsigned char)text[i]);
	}
	clpac_buffer_release_batch(buffers, 3);
	close_bench(bench);
}
END_TEST

START_TEST(a_ticket_without_a_prepare_function_brings_buffers)
{
	struct bench *bench = open_bench(1);
	for (int i = 0; i < 20; i++)
		take_and_release(bench, request(bench, 1000, NULL, NULL));
	close_bench(bench);
}
END_TEST

struct note {
	unsigned number, *n_noted;
};

static clpac_status check_turn(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers, clpac_error *err)
{
	(void)pool, (void)n, (void)buffers;
	struct note *note = user;
	if (note->number != (*note->n_noted)++)
		return clpac__fail(err, CLPAC_ERROR_INTERNAL, "ticket %u came in turn %u", note->number,
				   *note->n_noted - 1);
	return CLPAC_OK;
}

START_TEST(tickets_are_carried_out_in_the_order_of_their_requests)
{
	enum { N = 300 };
	struct bench *bench = open_bench(7);
	unsigned n_noted = 0;
	struct note notes[N];
	clpac_ticket *tickets[N];
	for (unsigned i = 0; i < N; i++) {
		notes[i] = (struct note){i, &n_noted};
		tickets[i] = request(bench, 64, check_turn, &notes[i]);
	}
	assert_works(clpac_ticket_wait(tickets[N - 1], NULL, &bench->err), bench->err);
	for (unsigned i = 0; i < N; i++) {
		ck_assert(clpac_ticket_is_ready(tickets[i]));
		take_and_release(bench, tickets[i]);
	}
	close_bench(bench);
}
END_TEST

START_TEST(buffers_are_taken_once)
{
	struct bench *bench = open_bench(0);
	clpac_ticket *ticket = request(bench, 500, NULL, NULL);
	clpac_buffer *first = NULL, *second = NULL;
	assert_works(clpac_ticket_wait(ticket, NULL, &bench->err), bench->err);
	assert_works(clpac_ticket_wait(ticket, &first, &bench->err), bench->err);
	assert_refused(clpac_ticket_wait(ticket, &second, &bench->err), bench->err, CLPAC_ERROR_ARGUMENT,
		       "taken before");
	ck_assert_int_eq(clpac_ticket_wait(ticket, &second, NULL), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_null(second);
	assert_works(clpac_ticket_wait(ticket, NULL, &bench->err), bench->err);
	clpac_ticket_release(ticket);
	clpac_buffer_release(first);
	close_bench(bench);
}
END_TEST

START_TEST(a_device_that_fails_at_any_call_fails_the_ticket_whole)
{
	static const struct {
		clpac_status status;
		int code;
	} failures[] = {{CLPAC_ERROR_DEVICE, -5}, {CLPAC_ERROR_NO_DEVICE_MEMORY, -4}, {CLPAC_ERROR_ARGUMENT, -61}};
	const clpac_request three[] = {{.bytes = MEMORY / 8}, {.bytes = MEMORY / 4}, {.bytes = MEMORY / 7}};
	char text[] = "123";
	for (size_t i = 0; i < COUNT(failures); i++) {
		unsigned n_failed = 0;
		for (unsigned long number = 1;; number++) {
			struct bench *bench = open_bench(0);
			unsigned long before = bench->device.n_calls;
			simulated_fail_from(&bench->device, number, SIMULATED_ANY, failures[i].status,
					    failures[i].code);
			clpac_ticket *ticket = NULL;
			assert_works(
				clpac_async_request(bench->async, 3, three, fill_with_text, text, &ticket, &bench->err),
				bench->err);
			clpac_buffer *buffers[3] = {0};
			clpac_status st = clpac_ticket_wait(ticket, buffers, &bench->err);
			bool was_reached = bench->device.n_calls - before >= number;
			if (st != CLPAC_OK) {
				ck_assert_int_eq(st, failures[i].status);
				ck_assert_int_eq(bench->err.status, st);
				ck_assert_int_eq(bench->err.native_code, failures[i].code);
				ck_assert_uint_gt(strlen(bench->err.text), 0);
				ck_assert_ptr_null(buffers[0]);
				ck_assert(clpac_ticket_is_ready(ticket));
				ck_assert(!clpac_ticket_cancel(ticket));
				ck_assert_int_eq(clpac_ticket_wait(ticket, buffers, NULL), st);
				check_nothing_in_use(bench->pool);
				n_failed++;
			}
			simulated_fail(&bench->device, 0, SIMULATED_ANY, CLPAC_OK, 0);
			clpac_ticket_release(ticket);
			clpac_buffer_release_batch(buffers, 3);
			/* The worker works on. */
			take_and_release(bench, request(bench, 100, NULL, NULL));
			close_bench(bench);
			if (!was_reached)
				break;
		}
		ck_assert_uint_gt(n_failed, 3);
	}
}
END_TEST

START_TEST(a_request_that_does_not_fit_says_which_and_leaves_none_of_the_others)
{
	struct bench *bench = open_bench(0);
	const clpac_request three[] = {{.bytes = 1000}, {.bytes = MEMORY * 2, .tag = "giant"}, {.bytes = 1000}};
	const clpac_request none[] = {{.bytes = 0}};
	clpac_ticket *ticket = NULL;
	clpac_buffer *buffers[3] = {0};
	atomic_uint n_prepared = 0;
	assert_works(clpac_async_request(bench->async, 3, three, count, &n_prepared, &ticket, &bench->err), bench->err);
	assert_refused(clpac_ticket_wait(ticket, buffers, &bench->err), bench->err, CLPAC_ERROR_NO_DEVICE_MEMORY,
		       "asynchronous request 2 of 3: ");
	ck_assert_ptr_null(buffers[0]);
	check_nothing_in_use(bench->pool);
	clpac_ticket_release(ticket);
	assert_works(clpac_async_request(bench->async, 1, none, count, &n_prepared, &ticket, &bench->err), bench->err);
	assert_refused(clpac_ticket_wait(ticket, buffers, &bench->err), bench->err, CLPAC_ERROR_ARGUMENT,
		       "asynchronous request 1 of 1: ");
	clpac_ticket_release(ticket);
	ck_assert_uint_eq(n_prepared, 0);
	close_bench(bench);
}
END_TEST

static clpac_status fail_with_text(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers,
				   clpac_error *err)
{
	(void)pool, (void)n, (void)buffers;
	if (user)
		snprintf(err->text, sizeof err->text, "%s", (const char *)user);
	return CLPAC_ERROR_FORMAT;
}

START_TEST(a_prepare_function_that_fails_fails_the_ticket_with_its_text)
{
	struct bench *bench = open_bench(0);
	char text[] = "line 3 of eeg.csv is no number";
	clpac_ticket *ticket = request(bench, 100, fail_with_text, text);
	clpac_buffer *buffer = NULL;
	assert_refused(clpac_ticket_wait(ticket, &buffer, &bench->err), bench->err, CLPAC_ERROR_FORMAT, text);
	clpac_ticket_release(ticket);
	ticket = request(bench, 100, fail_with_text, NULL);
	assert_refused(clpac_ticket_wait(ticket, &buffer, &bench->err), bench->err, CLPAC_ERROR_FORMAT,
		       "the prepare function failed: ");
	check_nothing_in_use(bench->pool);
	clpac_ticket_release(ticket);
	ck_assert_ptr_null(buffer);
	close_bench(bench);
}
END_TEST

START_TEST(a_ticket_that_waits_for_its_turn_is_cancelled_at_once)
{
	struct bench *bench = open_bench(0);
	struct gate gate = CLOSED_GATE;
	atomic_uint n_prepared = 0;
	clpac_ticket *running = request(bench, 10, stand_at_gate, &gate), *waiting[5];
	await_one_inside(&gate);
	for (int i = 0; i < 5; i++)
		waiting[i] = request(bench, 10, count, &n_prepared);
	ck_assert_uint_eq(clpac_async_pending(bench->async), 5);
	/* From the middle, the front and the end of the queue. */
	const int cancelled[] = {2, 0, 4};
	for (size_t i = 0; i < COUNT(cancelled); i++) {
		clpac_ticket *ticket = waiting[cancelled[i]];
		clpac_buffer *buffer = NULL;
		ck_assert(!clpac_ticket_is_ready(ticket));
		ck_assert(clpac_ticket_cancel(ticket));
		ck_assert(clpac_ticket_cancel(ticket));
		ck_assert(clpac_ticket_is_ready(ticket));
		ck_assert_uint_eq(clpac_async_pending(bench->async), 4 - i);
		assert_refused(clpac_ticket_wait(ticket, &buffer, &bench->err), bench->err, CLPAC_ERROR_CANCELLED,
			       "before its turn");
		ck_assert_ptr_null(buffer);
		clpac_ticket_release(ticket);
	}
	clpac_ticket *last = request(bench, 10, count, &n_prepared);
	open_gate(&gate);
	take_and_release(bench, last);
	take_and_release(bench, waiting[1]);
	take_and_release(bench, waiting[3]);
	take_and_release(bench, running);
	ck_assert_uint_eq(n_prepared, 3);
	close_bench(bench);
}
END_TEST

START_TEST(a_ticket_that_is_being_carried_out_is_cancelled_when_it_ends)
{
	struct bench *bench = open_bench(0);
	struct gate gate = CLOSED_GATE;
	clpac_ticket *running = request(bench, 10, stand_at_gate, &gate);
	await_one_inside(&gate);
	ck_assert(clpac_ticket_cancel(running));
	ck_assert(!clpac_ticket_is_ready(running));
	open_gate(&gate);
	clpac_buffer *buffer = NULL;
	assert_refused(clpac_ticket_wait(running, &buffer, &bench->err), bench->err, CLPAC_ERROR_CANCELLED,
		       "while it was being carried out");
	ck_assert_ptr_null(buffer);
	check_nothing_in_use(bench->pool);
	clpac_ticket_release(running);
	close_bench(bench);
}
END_TEST

START_TEST(a_ticket_that_is_ready_cannot_be_cancelled)
{
	struct bench *bench = open_bench(0);
	clpac_ticket *ticket = request(bench, 10, NULL, NULL);
	assert_works(clpac_ticket_wait(ticket, NULL, &bench->err), bench->err);
	ck_assert(!clpac_ticket_cancel(ticket));
	take_and_release(bench, ticket);
	close_bench(bench);
}
END_TEST

START_TEST(a_ticket_can_be_released_at_any_time)
{
	struct bench *bench = open_bench(0);
	struct gate gate = CLOSED_GATE;
	atomic_uint n_prepared = 0;
	clpac_ticket_release(NULL);
	clpac_ticket *ready = request(bench, 10, count, &n_prepared);
	assert_works(clpac_ticket_wait(ready, NULL, &bench->err), bench->err);
	clpac_ticket *running = request(bench, 10, stand_at_gate, &gate),
		     *waiting = request(bench, 10, count, &n_prepared);
	await_one_inside(&gate);
	clpac_ticket_release(running);
	clpac_ticket_release(waiting);
	clpac_ticket_release(ready);
	ck_assert_uint_eq(clpac_async_pending(bench->async), 0);
	open_gate(&gate);
	close_bench(bench);
	ck_assert_uint_eq(n_prepared, 1);
}
END_TEST

START_TEST(destroying_the_worker_carries_out_what_was_requested)
{
	enum { N = 20 };
	struct bench *bench = open_bench(0);
	struct gate gate = CLOSED_GATE;
	atomic_uint n_prepared = 0;
	clpac_ticket *tickets[N];
	tickets[0] = request(bench, 10, stand_at_gate, &gate);
	await_one_inside(&gate);
	for (int i = 1; i < N; i++)
		tickets[i] = request(bench, 10, count, &n_prepared);
	ck_assert(clpac_ticket_cancel(tickets[3]));
	open_gate(&gate);
	clpac_async_destroy(bench->async);
	bench->async = NULL;
	ck_assert_uint_eq(n_prepared, N - 2);
	for (int i = 0; i < N; i++) {
		ck_assert(clpac_ticket_is_ready(tickets[i]));
		ck_assert(i == 3 || !clpac_ticket_cancel(tickets[i]));
		if (i % 2 == 0)
			take_and_release(bench, tickets[i]);
		else
			clpac_ticket_release(tickets[i]);
	}
	clpac_async_destroy(NULL);
	close_bench(bench);
}
END_TEST

/* A request from a second thread. */
struct producer {
	struct bench *bench;
	atomic_bool is_done;
	clpac_ticket *ticket;
};

static void *produce(void *argument)
{
	struct producer *producer = argument;
	producer->ticket = request(producer->bench, 10, NULL, NULL);
	atomic_store(&producer->is_done, true);
	return NULL;
}

START_TEST(a_request_waits_for_a_place_in_the_queue)
{
	struct bench *bench = open_bench(2);
	struct gate gate = CLOSED_GATE;
	clpac_ticket *running = request(bench, 10, stand_at_gate, &gate);
	await_one_inside(&gate);
	clpac_ticket *second = request(bench, 10, NULL, NULL), *third = request(bench, 10, NULL, NULL);
	struct producer producer = {.bench = bench};
	pthread_t thread;
	ck_assert_int_eq(pthread_create(&thread, NULL, produce, &producer), 0);
	/* Long enough for a request that does not wait. */
	for (int i = 0; i < 1000; i++)
		sched_yield();
	ck_assert(!atomic_load(&producer.is_done));
	ck_assert_uint_eq(clpac_async_pending(bench->async), 2);
	/* A cancelled ticket leaves its place. */
	ck_assert(clpac_ticket_cancel(second));
	pthread_join(thread, NULL);
	ck_assert(atomic_load(&producer.is_done));
	ck_assert_uint_eq(clpac_async_pending(bench->async), 2);
	open_gate(&gate);
	take_and_release(bench, producer.ticket);
	take_and_release(bench, third);
	take_and_release(bench, running);
	clpac_ticket_release(second);
	close_bench(bench);
}
END_TEST

static void *await(void *argument)
{
	clpac_status st = clpac_ticket_wait(argument, NULL, NULL);
	return st == CLPAC_OK ? argument : NULL;
}

START_TEST(a_ticket_that_is_ready_wakes_all_who_wait)
{
	enum { N = 5 };
	struct bench *bench = open_bench(0);
	struct gate gate = CLOSED_GATE;
	clpac_ticket *ticket = request(bench, 10, stand_at_gate, &gate);
	pthread_t threads[N];
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, await, ticket), 0);
	await_one_inside(&gate);
	for (int i = 0; i < 1000; i++)
		sched_yield();
	open_gate(&gate);
	for (int i = 0; i < N; i++) {
		void *answer = NULL;
		pthread_join(threads[i], &answer);
		ck_assert_ptr_eq(answer, ticket);
	}
	take_and_release(bench, ticket);
	close_bench(bench);
}
END_TEST

/* What a prepare function may do, and what it is told when it would wait for itself. */
struct inner {
	struct bench *bench;
	clpac_ticket *own, *made[2];
	clpac_status request_status[2], wait_status[2];
	clpac_error request_error, wait_error;
	struct gate gate;
};

static clpac_status use_worker_from_within(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers,
					   clpac_error *err)
{
	struct inner *inner = user;
	stand_at_gate(&inner->gate, pool, n, buffers, err);
	clpac_buffer *extra = NULL;
	clpac_status st = clpac_pool_allocate(pool, 100, "extra", &extra, err);
	clpac_buffer_release(extra);
	clpac_request one = {.bytes = 10};
	for (int i = 0; i < 2; i++)
		inner->request_status[i] = clpac_async_request(inner->bench->async, 1, &one, NULL, NULL,
							       &inner->made[i], &inner->request_error);
	inner->wait_status[0] = clpac_ticket_wait(inner->own, NULL, &inner->wait_error);
	inner->wait_status[1] = clpac_ticket_wait(inner->made[0], NULL, &inner->wait_error);
	return st;
}

START_TEST(a_prepare_function_may_use_the_worker_but_not_wait_for_it)
{
	struct bench *bench = open_bench(1);
	struct inner inner = {.bench = bench, .gate = CLOSED_GATE};
	inner.own = request(bench, 10, use_worker_from_within, &inner);
	open_gate(&inner.gate); /* own is written */
	assert_works(clpac_ticket_wait(inner.own, NULL, &bench->err), bench->err);
	ck_assert_int_eq(inner.request_status[0], CLPAC_OK);
	assert_refused(inner.request_status[1], inner.request_error, CLPAC_ERROR_ARGUMENT, "1 requests wait already");
	assert_refused(inner.wait_status[0], inner.wait_error, CLPAC_ERROR_ARGUMENT,
		       "cannot be ready before it returns");
	ck_assert_int_eq(inner.wait_status[1], CLPAC_ERROR_ARGUMENT);
	take_and_release(bench, inner.made[0]);
	take_and_release(bench, inner.own);
	close_bench(bench);
}
END_TEST

struct endless {
	struct bench *bench;
	struct gate gate;
	unsigned n_made;
	clpac_status st;
	clpac_error err;
};

/* Makes a further request again and again, until that is refused. */
static clpac_status request_without_end(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers,
					clpac_error *err)
{
	struct endless *endless = user;
	stand_at_gate(&endless->gate, pool, n, buffers, err);
	clpac_request one = {.bytes = 10};
	clpac_ticket *ticket;
	while ((endless->st = clpac_async_request(endless->bench->async, 1, &one, NULL, NULL, &ticket,
						  &endless->err)) == CLPAC_OK) {
		clpac_ticket_release(ticket);
		endless->n_made++;
		sched_yield();
	}
	return CLPAC_OK;
}

START_TEST(a_worker_that_is_being_destroyed_takes_no_request_of_its_own)
{
	struct bench *bench = open_bench(0);
	struct endless endless = {.bench = bench, .gate = CLOSED_GATE};
	clpac_ticket *ticket = request(bench, 10, request_without_end, &endless);
	await_one_inside(&endless.gate);
	open_gate(&endless.gate);
	clpac_async_destroy(bench->async);
	bench->async = NULL;
	assert_refused(endless.st, endless.err, CLPAC_ERROR_ARGUMENT, "being destroyed");
	take_and_release(bench, ticket);
	close_bench(bench);
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
	struct bench *bench = open_bench(0);
	clpac_async *none = NULL;
	clpac_ticket *ticket = NULL;
	clpac_request one = {.bytes = 10};
	assert_refused(clpac_async_create(NULL, 0, &none, &bench->err), bench->err, CLPAC_ERROR_ARGUMENT,
		       "pool is NULL");
	ck_assert_ptr_null(none);
	assert_refused(clpac_async_request(bench->async, 0, &one, NULL, NULL, &ticket, &bench->err), bench->err,
		       CLPAC_ERROR_ARGUMENT, "0 buffers");
	assert_refused(clpac_async_request(bench->async, 1, NULL, NULL, NULL, &ticket, &bench->err), bench->err,
		       CLPAC_ERROR_ARGUMENT, "no requests");
	assert_refused(clpac_async_request(bench->async, SIZE_MAX, &one, NULL, NULL, &ticket, &bench->err), bench->err,
		       CLPAC_ERROR_NO_MEMORY, "a ticket of");
	ck_assert_int_eq(clpac_async_request(bench->async, 0, &one, NULL, NULL, &ticket, NULL), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_null(ticket);
	close_bench(bench);
}
END_TEST

START_TEST(a_worker_that_the_host_has_no_memory_for_is_refused)
{
	struct bench *bench = open_bench(0);
	clpac_async *other = NULL;
	assert_survives_failing_allocations(clpac_async_create(bench->pool, 0, &other, &bench->err),
					    clpac_async_destroy(other));
	close_bench(bench);
}
END_TEST

START_TEST(a_thread_that_the_system_refuses_is_an_error)
{
	/* With no address space left for another stack; root ignores RLIMIT_NPROC, but not this one. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return; /* a sanitizer needs the address space itself */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
	return;
#endif
#endif
	enum { MOST = 256 };
	struct bench *bench = open_bench(0);
	struct rlimit limit = {(rlim_t)64 << 20, (rlim_t)64 << 20};
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	clpac_async *others[MOST];
	int n = 0;
	clpac_status st = CLPAC_OK;
	while (n < MOST && (st = clpac_async_create(bench->pool, 0, &others[n], &bench->err)) == CLPAC_OK)
		n++;
	assert_refused(st, bench->err, CLPAC_ERROR_DEVICE, "the system refused a worker's thread");
	ck_assert_int_ne(bench->err.native_code, 0);
	while (n)
		clpac_async_destroy(others[--n]);
	close_bench(bench);
}
END_TEST

START_TEST(a_ticket_that_the_host_has_no_memory_for_is_refused)
{
	/* The worker stands at the gate meanwhile, and allocates nothing. */
	struct bench *bench = open_bench(0);
	struct gate gate = CLOSED_GATE;
	clpac_ticket *running = request(bench, 10, stand_at_gate, &gate), *ticket = NULL;
	await_one_inside(&gate);
	clpac_request one = {.bytes = 10};
	assert_survives_failing_allocations(
		clpac_async_request(bench->async, 1, &one, NULL, NULL, &ticket, &bench->err),
		clpac_ticket_release(ticket));
	open_gate(&gate);
	take_and_release(bench, running);
	close_bench(bench);
}
END_TEST

Suite *suite(void)
{
	Suite *made = suite_create("asynchronous requests");
	TCase *tickets = tcase_create("tickets");
	tcase_add_test(tickets, a_ticket_brings_the_buffers_as_they_were_prepared);
	tcase_add_test(tickets, a_ticket_without_a_prepare_function_brings_buffers);
	tcase_add_test(tickets, tickets_are_carried_out_in_the_order_of_their_requests);
	tcase_add_test(tickets, buffers_are_taken_once);
	suite_add_tcase(made, tickets);
	TCase *failures = tcase_create("failures");
	tcase_add_test(failures, a_device_that_fails_at_any_call_fails_the_ticket_whole);
	tcase_add_test(failures, a_request_that_does_not_fit_says_which_and_leaves_none_of_the_others);
	tcase_add_test(failures, a_prepare_function_that_fails_fails_the_ticket_with_its_text);
	tcase_add_test(failures, bad_arguments_are_refused);
	tcase_add_test(failures, a_worker_that_the_host_has_no_memory_for_is_refused);
	tcase_add_test(failures, a_thread_that_the_system_refuses_is_an_error);
	tcase_add_test(failures, a_ticket_that_the_host_has_no_memory_for_is_refused);
	suite_add_tcase(made, failures);
	TCase *ends = tcase_create("ends");
	tcase_add_test(ends, a_ticket_that_waits_for_its_turn_is_cancelled_at_once);
	tcase_add_test(ends, a_ticket_that_is_being_carried_out_is_cancelled_when_it_ends);
	tcase_add_test(ends, a_ticket_that_is_ready_cannot_be_cancelled);
	tcase_add_test(ends, a_ticket_can_be_released_at_any_time);
	tcase_add_test(ends, destroying_the_worker_carries_out_what_was_requested);
	suite_add_tcase(made, ends);
	TCase *waiting = tcase_create("waiting");
	tcase_add_test(waiting, a_request_waits_for_a_place_in_the_queue);
	tcase_add_test(waiting, a_ticket_that_is_ready_wakes_all_who_wait);
	tcase_add_test(waiting, a_prepare_function_may_use_the_worker_but_not_wait_for_it);
	tcase_add_test(waiting, a_worker_that_is_being_destroyed_takes_no_request_of_its_own);
	suite_add_tcase(made, waiting);
	return made;
}
