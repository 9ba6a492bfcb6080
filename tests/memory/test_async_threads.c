/* Threads share a worker and pass tickets between them: however tickets are cancelled, taken or dropped, each buffer
 * that arrives was prepared for its ticket, and nothing is left over.  Meant for ThreadSanitizer too. */
#include "runner.h"

#include <clpac/memory/async.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/statistics.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "assertions.h"
#include "pool_truth.h"

enum { N_THREADS = 4, N_ROUNDS = 1000, N_MAILBOXES = 3, MEMORY = 1 << 20, MAX_BYTES = 1000 };

struct shared {
	clpac_async *async;
	_Atomic(struct job *) mailboxes[N_MAILBOXES]; /* for another thread to end */
	atomic_uint n_failed, n_taken, n_cancelled, n_inside;
};

/* A ticket and its purpose; the ticket is written before another thread can see the job. */
struct job {
	struct shared *shared;
	clpac_ticket *ticket;
	unsigned char mark;
	bool fails;
};

static clpac_status prepare(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers, clpac_error *err)
{
	(void)pool;
	struct job *job = user;
	clpac_status st = CLPAC_OK;
	if (atomic_fetch_add(&job->shared->n_inside, 1)) /* one at a time */
		atomic_fetch_add(&job->shared->n_failed, 1);
	for (size_t i = 0; i < n && st == CLPAC_OK; i++)
		st = clpac_buffer_fill(buffers[i], 0, clpac_buffer_bytes(buffers[i]), job->mark, err);
	atomic_fetch_sub(&job->shared->n_inside, 1);
	return job->fails ? CLPAC_ERROR_IO : st;
}

static void check_buffer(struct job *job, clpac_buffer *buffer)
{
	unsigned char content[MAX_BYTES];
	size_t bytes = clpac_buffer_bytes(buffer);
	bool is_right = clpac_buffer_read(buffer, 0, bytes, content, NULL) == CLPAC_OK;
	for (size_t i = 0; is_right && i < bytes; i++)
		is_right = content[i] == job->mark;
	if (!is_right)
		atomic_fetch_add(&job->shared->n_failed, 1);
}

/* Ends a job in one of the possible ways.  The job itself is freed when its ticket is ready: prepare reads it until
 * then. */
static void end(struct job *job, unsigned long long *state)
{
	if (!job)
		return;
	clpac_buffer *buffers[2] = {0};
	size_t way = random_below(state, 4);
	bool was_cancelled = way == 0 && clpac_ticket_cancel(job->ticket);
	if (way == 1)
		while (!clpac_ticket_is_ready(job->ticket))
			sched_yield();
	clpac_status st = clpac_ticket_wait(job->ticket, way == 3 ? NULL : buffers, NULL);
	clpac_status expected = was_cancelled ? CLPAC_ERROR_CANCELLED : job->fails ? CLPAC_ERROR_IO : CLPAC_OK;
	if (st != expected)
		atomic_fetch_add(&job->shared->n_failed, 1);
	atomic_fetch_add(was_cancelled ? &job->shared->n_cancelled : &job->shared->n_taken, 1);
	clpac_ticket_release(job->ticket);
	for (int i = 0; i < 2; i++)
		if (buffers[i])
			check_buffer(job, buffers[i]);
	clpac_buffer_release_batch(buffers, 2);
	free(job);
}

struct worker {
	struct shared *shared;
	unsigned long long state;
};

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct shared *shared = worker->shared;
	for (int round = 0; round < N_ROUNDS; round++) {
		struct job *job = malloc(sizeof *job);
		*job = (struct job){shared, NULL, (unsigned char)random_bits(&worker->state),
				    random_below(&worker->state, 10) == 0};
		clpac_request requests[2] = {{.bytes = 1 + random_below(&worker->state, MAX_BYTES)},
					     {.bytes = 1 + random_below(&worker->state, MAX_BYTES)}};
		size_t n = 1 + random_below(&worker->state, 2);
		if (random_below(&worker->state, 8) == 0) {
			/* Dropped at once: its prepare function has nothing to read too late. */
			clpac_ticket *dropped;
			if (clpac_async_request(shared->async, n, requests, NULL, NULL, &dropped, NULL) == CLPAC_OK)
				clpac_ticket_release(dropped);
			else
				atomic_fetch_add(&shared->n_failed, 1);
		}
		if (clpac_async_request(shared->async, n, requests, prepare, job, &job->ticket, NULL) != CLPAC_OK) {
			atomic_fetch_add(&shared->n_failed, 1);
			free(job);
			continue;
		}
		if (random_below(&worker->state, 2))
			job = atomic_exchange(&shared->mailboxes[random_below(&worker->state, N_MAILBOXES)], job);
		end(job, &worker->state);
	}
	return NULL;
}

static void run(size_t max_pending)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEMORY, NULL);
	device.yields = 1;
	struct shared shared = {.n_failed = 0};
	clpac_error err = {0};
	assert_works(clpac_async_create(pool, max_pending, &shared.async, &err), err);
	pthread_t threads[N_THREADS];
	struct worker workers[N_THREADS];
	for (int i = 0; i < N_THREADS; i++) {
		workers[i] = (struct worker){&shared, 1000u * max_pending + (unsigned)i};
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	/* Tickets left in the mailboxes outlive the worker, which must carry them out. */
	clpac_async *async = shared.async;
	for (int i = 0; i < N_MAILBOXES; i++) {
		unsigned long long state = 2;
		struct job *job = atomic_load(&shared.mailboxes[i]);
		if (i == N_MAILBOXES - 1) {
			clpac_async_destroy(async);
			async = NULL;
			ck_assert(!job || clpac_ticket_is_ready(job->ticket));
		}
		end(job, &state);
	}
	ck_assert_ptr_null(async);
	ck_assert_uint_eq(shared.n_failed, 0);
	ck_assert_uint_eq(shared.n_taken + shared.n_cancelled, N_THREADS * N_ROUNDS);
	ck_assert_uint_gt(shared.n_taken, N_ROUNDS);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.active_buffers, 0);
	check_truth_after_threads(pool, &device);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(threads_that_share_a_worker_get_what_they_asked_for)
{
	run(0);
}

TEST(threads_that_crowd_a_short_queue_get_what_they_asked_for)
{
	run(1);
}
