/* Tickets that end before they are taken, and who waits for whom. */
#include "runner.h"

#include <sched.h>
#include <stdatomic.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "async_bench.h"

TEST(a_ticket_that_waits_for_its_turn_is_cancelled_at_once)
{
	struct async_bench *bench = open_async_bench(0);
	struct async_gate gate = CLOSED_GATE;
	atomic_uint n_prepared = 0;
	clpac_ticket *running = request_async(bench, 10, stand_at_gate, &gate), *waiting[5];
	await_one_inside(&gate);
	for (int i = 0; i < 5; i++)
		waiting[i] = request_async(bench, 10, count_preparation, &n_prepared);
	ck_assert_uint_eq(clpac_async_pending(bench->async), 5);
	/* From the middle, the head and the end of the queue. */
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
	clpac_ticket *last = request_async(bench, 10, count_preparation, &n_prepared);
	open_async_gate(&gate);
	take_and_release_async(bench, last);
	take_and_release_async(bench, waiting[1]);
	take_and_release_async(bench, waiting[3]);
	take_and_release_async(bench, running);
	ck_assert_uint_eq(n_prepared, 3);
	close_async_bench(bench);
}

TEST(a_ticket_that_is_being_carried_out_is_cancelled_when_it_ends)
{
	struct async_bench *bench = open_async_bench(0);
	struct async_gate gate = CLOSED_GATE;
	clpac_ticket *running = request_async(bench, 10, stand_at_gate, &gate);
	await_one_inside(&gate);
	ck_assert(clpac_ticket_cancel(running));
	ck_assert(!clpac_ticket_is_ready(running));
	open_async_gate(&gate);
	clpac_buffer *buffer = NULL;
	assert_refused(clpac_ticket_wait(running, &buffer, &bench->err), bench->err, CLPAC_ERROR_CANCELLED,
		       "while it was being carried out");
	ck_assert_ptr_null(buffer);
	check_nothing_in_use(bench->pool);
	clpac_ticket_release(running);
	close_async_bench(bench);
}

TEST(a_ticket_that_is_ready_cannot_be_cancelled)
{
	struct async_bench *bench = open_async_bench(0);
	clpac_ticket *ticket = request_async(bench, 10, NULL, NULL);
	assert_works(clpac_ticket_wait(ticket, NULL, &bench->err), bench->err);
	ck_assert(!clpac_ticket_cancel(ticket));
	take_and_release_async(bench, ticket);
	close_async_bench(bench);
}

TEST(a_ticket_can_be_released_at_any_time)
{
	struct async_bench *bench = open_async_bench(0);
	struct async_gate gate = CLOSED_GATE;
	atomic_uint n_prepared = 0;
	clpac_ticket_release(NULL);
	clpac_ticket *ready = request_async(bench, 10, count_preparation, &n_prepared);
	assert_works(clpac_ticket_wait(ready, NULL, &bench->err), bench->err);
	clpac_ticket *running = request_async(bench, 10, stand_at_gate, &gate),
		     *waiting = request_async(bench, 10, count_preparation, &n_prepared);
	await_one_inside(&gate);
	clpac_ticket_release(running);
	clpac_ticket_release(waiting);
	clpac_ticket_release(ready);
	ck_assert_uint_eq(clpac_async_pending(bench->async), 0);
	open_async_gate(&gate);
	close_async_bench(bench);
	ck_assert_uint_eq(n_prepared, 1);
}

TEST(destroying_the_worker_carries_out_what_was_requested)
{
	enum { N = 20 };
	struct async_bench *bench = open_async_bench(0);
	struct async_gate gate = CLOSED_GATE;
	atomic_uint n_prepared = 0;
	clpac_ticket *tickets[N];
	tickets[0] = request_async(bench, 10, stand_at_gate, &gate);
	await_one_inside(&gate);
	for (int i = 1; i < N; i++)
		tickets[i] = request_async(bench, 10, count_preparation, &n_prepared);
	ck_assert(clpac_ticket_cancel(tickets[3]));
	open_async_gate(&gate);
	clpac_async_destroy(bench->async);
	bench->async = NULL;
	ck_assert_uint_eq(n_prepared, N - 2);
	for (int i = 0; i < N; i++) {
		ck_assert(clpac_ticket_is_ready(tickets[i]));
		ck_assert(i == 3 || !clpac_ticket_cancel(tickets[i]));
		if (i % 2 == 0)
			take_and_release_async(bench, tickets[i]);
		else
			clpac_ticket_release(tickets[i]);
	}
	clpac_async_destroy(NULL);
	close_async_bench(bench);
}

/* A request from a second thread. */
struct producer {
	clpac_async *async;
	atomic_bool is_done;
	clpac_ticket *ticket;
	clpac_status st;
	clpac_error err;
};

static void *produce(void *argument)
{
	struct producer *producer = argument;
	const clpac_request one = {.bytes = 10};
	producer->st = clpac_async_request(producer->async, 1, &one, NULL, NULL, &producer->ticket, &producer->err);
	atomic_store(&producer->is_done, true);
	return NULL;
}

TEST(a_request_waits_for_a_place_in_the_queue)
{
	struct async_bench *bench = open_async_bench(2);
	struct async_gate gate = CLOSED_GATE;
	clpac_ticket *running = request_async(bench, 10, stand_at_gate, &gate);
	await_one_inside(&gate);
	clpac_ticket *second = request_async(bench, 10, NULL, NULL), *third = request_async(bench, 10, NULL, NULL);
	struct producer producer = {.async = bench->async};
	pthread_t thread;
	ck_assert_int_eq(pthread_create(&thread, NULL, produce, &producer), 0);
	/* Long enough for a request that does not wait. */
	for (int i = 0; i < 1000; i++)
		sched_yield();
	ck_assert(!atomic_load(&producer.is_done));
	ck_assert_uint_eq(clpac_async_pending(bench->async), 2);
	/* A cancelled ticket frees its place. */
	ck_assert(clpac_ticket_cancel(second));
	pthread_join(thread, NULL);
	assert_works(producer.st, producer.err);
	ck_assert(atomic_load(&producer.is_done));
	ck_assert_uint_eq(clpac_async_pending(bench->async), 2);
	open_async_gate(&gate);
	take_and_release_async(bench, producer.ticket);
	take_and_release_async(bench, third);
	take_and_release_async(bench, running);
	clpac_ticket_release(second);
	close_async_bench(bench);
}

static void *await(void *argument)
{
	clpac_status st = clpac_ticket_wait(argument, NULL, NULL);
	return st == CLPAC_OK ? argument : NULL;
}

TEST(a_ticket_that_is_ready_wakes_all_who_wait)
{
	enum { N = 5 };
	struct async_bench *bench = open_async_bench(0);
	struct async_gate gate = CLOSED_GATE;
	clpac_ticket *ticket = request_async(bench, 10, stand_at_gate, &gate);
	pthread_t threads[N];
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, await, ticket), 0);
	await_one_inside(&gate);
	for (int i = 0; i < 1000; i++)
		sched_yield();
	open_async_gate(&gate);
	for (int i = 0; i < N; i++) {
		void *answer = NULL;
		pthread_join(threads[i], &answer);
		ck_assert_ptr_eq(answer, ticket);
	}
	take_and_release_async(bench, ticket);
	close_async_bench(bench);
}

/* Calls inside a prepare function: which work, and which are refused because they would wait for themselves. */
struct inner {
	struct async_bench *bench;
	clpac_ticket *own, *made[2];
	clpac_status request_status[2], wait_status[2];
	clpac_error request_error, wait_error;
	struct async_gate gate;
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

TEST(a_prepare_function_may_use_the_worker_but_not_wait_for_it)
{
	struct async_bench *bench = open_async_bench(1);
	struct inner inner = {.bench = bench, .gate = CLOSED_GATE};
	inner.own = request_async(bench, 10, use_worker_from_within, &inner);
	open_async_gate(&inner.gate); /* inner.own is written by now */
	assert_works(clpac_ticket_wait(inner.own, NULL, &bench->err), bench->err);
	ck_assert_int_eq(inner.request_status[0], CLPAC_OK);
	assert_refused(inner.request_status[1], inner.request_error, CLPAC_ERROR_ARGUMENT, "1 requests wait already");
	assert_refused(inner.wait_status[0], inner.wait_error, CLPAC_ERROR_ARGUMENT,
		       "cannot be ready before it returns");
	ck_assert_int_eq(inner.wait_status[1], CLPAC_ERROR_ARGUMENT);
	take_and_release_async(bench, inner.made[0]);
	take_and_release_async(bench, inner.own);
	close_async_bench(bench);
}

struct endless {
	struct async_bench *bench;
	struct async_gate gate;
	unsigned n_made;
	clpac_status st;
	clpac_error err;
};

/* Requests again and again until a request is refused. */
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

TEST(a_worker_that_is_being_destroyed_takes_no_request_of_its_own)
{
	struct async_bench *bench = open_async_bench(0);
	struct endless endless = {.bench = bench, .gate = CLOSED_GATE};
	clpac_ticket *ticket = request_async(bench, 10, request_without_end, &endless);
	await_one_inside(&endless.gate);
	open_async_gate(&endless.gate);
	clpac_async_destroy(bench->async);
	bench->async = NULL;
	assert_refused(endless.st, endless.err, CLPAC_ERROR_ARGUMENT, "being destroyed");
	take_and_release_async(bench, ticket);
	close_async_bench(bench);
}
