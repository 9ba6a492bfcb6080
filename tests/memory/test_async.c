/* Results and errors of tickets. */
#include "runner.h"
#include "sweeps.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "async_bench.h"
#include "base/error.h"

/* Fills the i-th buffer with the i-th byte of the text. Failures in the worker thread are returned as errors and reach
 * the test with its ticket, since assertions belong to the test's thread. */
static clpac_status fill_with_text(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *text = user;
	for (size_t i = 0; i < n; i++) {
		if (clpac_buffer_pool(buffers[i]) != pool)
			FAIL(CLPAC_ERROR_INTERNAL, "buffer %zu belongs to another pool", i);
		TRY(clpac_buffer_fill(buffers[i], 0, clpac_buffer_bytes(buffers[i]), (uint8_t)text[i], err));
	}
done:
	return st;
}

TEST(a_ticket_brings_the_buffers_as_they_were_prepared)
{
	struct async_bench *bench = open_async_bench(0);
	clpac_request requests[3] = {{.bytes = 100, .tag = "a"}, {.bytes = 3000, .tag = "b"}, {.bytes = 1, .tag = "c"}};
	clpac_ticket *ticket = NULL;
	char text[] = "xyz";
	assert_works(clpac_async_request(bench->async, 3, requests, fill_with_text, text, &ticket, &bench->err),
		     bench->err);
	memset(requests, 0, sizeof requests); /* the request holds copies */
	clpac_buffer *buffers[3] = {0};
	assert_works(clpac_ticket_wait(ticket, buffers, &bench->err), bench->err);
	ck_assert(clpac_ticket_is_ready(ticket));
	clpac_ticket_release(ticket); /* the buffers stay */
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
	close_async_bench(bench);
}

TEST(a_ticket_without_a_prepare_function_brings_buffers)
{
	struct async_bench *bench = open_async_bench(1);
	for (int i = 0; i < 20; i++)
		take_and_release_async(bench, request_async(bench, 1000, NULL, NULL));
	close_async_bench(bench);
}

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

TEST(tickets_are_carried_out_in_the_order_of_their_requests)
{
	enum { N = 300 };
	struct async_bench *bench = open_async_bench(7);
	unsigned n_noted = 0;
	struct note notes[N];
	clpac_ticket *tickets[N];
	for (unsigned i = 0; i < N; i++) {
		notes[i] = (struct note){i, &n_noted};
		tickets[i] = request_async(bench, 64, check_turn, &notes[i]);
	}
	assert_works(clpac_ticket_wait(tickets[N - 1], NULL, &bench->err), bench->err);
	for (unsigned i = 0; i < N; i++) {
		ck_assert(clpac_ticket_is_ready(tickets[i]));
		take_and_release_async(bench, tickets[i]);
	}
	close_async_bench(bench);
}

TEST(buffers_are_taken_once)
{
	struct async_bench *bench = open_async_bench(0);
	clpac_ticket *ticket = request_async(bench, 500, NULL, NULL);
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
	close_async_bench(bench);
}

TEST(a_device_that_fails_at_any_call_fails_the_ticket_whole)
{
	static const struct {
		clpac_status status;
		int code;
	} failures[] = {{CLPAC_ERROR_DEVICE, -5}, {CLPAC_ERROR_NO_DEVICE_MEMORY, -4}, {CLPAC_ERROR_ARGUMENT, -61}};
	const clpac_request three[] = {{.bytes = ASYNC_BENCH_MEMORY / 8},
				       {.bytes = ASYNC_BENCH_MEMORY / 4},
				       {.bytes = ASYNC_BENCH_MEMORY / 7}};
	char text[] = "123";
	for (size_t i = 0; i < COUNT(failures); i++) {
		unsigned n_failed = 0;
		for (unsigned long number = 1;; number++) {
			struct async_bench *bench = open_async_bench(0);
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
			/* The worker still serves requests. */
			take_and_release_async(bench, request_async(bench, 100, NULL, NULL));
			close_async_bench(bench);
			if (!was_reached)
				break;
		}
		ck_assert_uint_gt(n_failed, 3);
	}
}

TEST(a_request_that_does_not_fit_says_which_and_leaves_none_of_the_others)
{
	struct async_bench *bench = open_async_bench(0);
	const clpac_request three[] = {
		{.bytes = 1000}, {.bytes = ASYNC_BENCH_MEMORY * 2, .tag = "giant"}, {.bytes = 1000}};
	const clpac_request none[] = {{.bytes = 0}};
	clpac_ticket *ticket = NULL;
	clpac_buffer *buffers[3] = {0};
	atomic_uint n_prepared = 0;
	assert_works(clpac_async_request(bench->async, 3, three, count_preparation, &n_prepared, &ticket, &bench->err),
		     bench->err);
	assert_refused(clpac_ticket_wait(ticket, buffers, &bench->err), bench->err, CLPAC_ERROR_NO_DEVICE_MEMORY,
		       "asynchronous request 2 of 3: ");
	ck_assert_ptr_null(buffers[0]);
	check_nothing_in_use(bench->pool);
	clpac_ticket_release(ticket);
	assert_works(clpac_async_request(bench->async, 1, none, count_preparation, &n_prepared, &ticket, &bench->err),
		     bench->err);
	assert_refused(clpac_ticket_wait(ticket, buffers, &bench->err), bench->err, CLPAC_ERROR_ARGUMENT,
		       "asynchronous request 1 of 1: ");
	clpac_ticket_release(ticket);
	ck_assert_uint_eq(n_prepared, 0);
	close_async_bench(bench);
}

static clpac_status fail_with_text(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers,
				   clpac_error *err)
{
	(void)pool, (void)n, (void)buffers;
	if (user)
		snprintf(err->text, sizeof err->text, "%s", (const char *)user);
	return CLPAC_ERROR_FORMAT;
}

TEST(a_prepare_function_that_fails_fails_the_ticket_with_its_text)
{
	struct async_bench *bench = open_async_bench(0);
	char text[] = "line 3 of eeg.csv is no number";
	clpac_ticket *ticket = request_async(bench, 100, fail_with_text, text);
	clpac_buffer *buffer = NULL;
	assert_refused(clpac_ticket_wait(ticket, &buffer, &bench->err), bench->err, CLPAC_ERROR_FORMAT, text);
	clpac_ticket_release(ticket);
	ticket = request_async(bench, 100, fail_with_text, NULL);
	assert_refused(clpac_ticket_wait(ticket, &buffer, &bench->err), bench->err, CLPAC_ERROR_FORMAT,
		       "the prepare function failed: ");
	check_nothing_in_use(bench->pool);
	clpac_ticket_release(ticket);
	ck_assert_ptr_null(buffer);
	close_async_bench(bench);
}
TEST(bad_arguments_are_refused)
{
	struct async_bench *bench = open_async_bench(0);
	clpac_async *none = NULL;
	clpac_ticket *ticket = NULL;
	clpac_request one = {.bytes = 10};
	assert_refused(clpac_async_create(NULL, 0, &none, &bench->err), bench->err, CLPAC_ERROR_ARGUMENT,
		       "pool is NULL");
	ck_assert_ptr_null(none);
	assert_refused(clpac_async_request(bench->async, 0, &one, NULL, NULL, &ticket, &bench->err), bench->err,
		       CLPAC_ERROR_ARGUMENT, "0 buffers");
	assert_refused(clpac_async_request(bench->async, 1, NULL, NULL, NULL, &ticket, &bench->err), bench->err,
		       CLPAC_ERROR_ARGUMENT, "clpac_async_request: requests is NULL");
	assert_refused(clpac_async_request(bench->async, SIZE_MAX, &one, NULL, NULL, &ticket, &bench->err), bench->err,
		       CLPAC_ERROR_NO_MEMORY, "a ticket of");
	ck_assert_int_eq(clpac_async_request(bench->async, 0, &one, NULL, NULL, &ticket, NULL), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_null(ticket);
	close_async_bench(bench);
}

TEST(a_worker_that_the_host_has_no_memory_for_is_refused)
{
	struct async_bench *bench = open_async_bench(0);
	clpac_async *other = NULL;
	assert_survives_failing_allocations(clpac_async_create(bench->pool, 0, &other, &bench->err),
					    clpac_async_destroy(other));
	close_async_bench(bench);
}

TEST_UNLESS(IS_SANITIZED ? "a sanitizer needs the address space itself" : NULL,
	    a_thread_that_the_system_refuses_is_an_error)
{
	/* The limit leaves no address space for another stack. RLIMIT_NPROC would not do: root ignores it. */
	enum { MOST = 256 };
	struct async_bench *bench = open_async_bench(0);
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
	close_async_bench(bench);
}

TEST(a_ticket_that_the_host_has_no_memory_for_is_refused)
{
	/* The worker waits at the gate meanwhile and allocates nothing. */
	struct async_bench *bench = open_async_bench(0);
	struct async_gate gate = CLOSED_GATE;
	clpac_ticket *running = request_async(bench, 10, stand_at_gate, &gate), *ticket = NULL;
	await_one_inside(&gate);
	clpac_request one = {.bytes = 10};
	assert_survives_failing_allocations(
		clpac_async_request(bench->async, 1, &one, NULL, NULL, &ticket, &bench->err),
		clpac_ticket_release(ticket));
	open_async_gate(&gate);
	take_and_release_async(bench, running);
	close_async_bench(bench);
}
