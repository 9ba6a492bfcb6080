/* Asynchronous requests, carried out by a worker thread.
 *
 * One lock guards the queue of requests and every ticket; it is held for a few assignments only, and the pool and the
 * application are called without it.  A ticket is held by its owner and, until it is ready, by the worker.  The common
 * part is held by the owner of the worker and by every ticket, since tickets may outlive the worker.
 */
#include <clpac/memory/async.h>
#include <clpac/memory/buffer.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/thread.h"
#include "memory/pool/pool.h"

struct clpac_ticket {
	clpac_async *async;
	clpac_ticket *next; /* the next ticket in the queue */
	clpac_prepare_function *prepare;
	void *user;
	size_t n;
	clpac_request *requests;
	clpac_buffer **buffers;
	unsigned n_holders;
	bool is_waiting; /* in the queue */
	bool is_cancelled;
	bool has_buffers; /* made and not taken yet */
	atomic_bool is_ready;
	clpac_status status;
	clpac_error error;
};

struct clpac_async {
	clpac_pool *pool;
	unsigned process; /* that has the worker */
	size_t max_pending;
	pthread_t thread;

	pthread_mutex_t lock; /* guards everything below, and the tickets */
	pthread_cond_t work, room, ready;
	clpac_ticket *first, *last;
	size_t n_pending;
	size_t n_holders;
	bool is_closing, has_worker;
	pthread_t worker; /* set by the worker itself, once it runs */
};

/* --- Holding and letting go ------------------------------------------------------------------- */

/* Called without the lock. */
static void async_let_go(clpac_async *async)
{
	pthread_mutex_lock(&async->lock);
	bool is_last = --async->n_holders == 0;
	pthread_mutex_unlock(&async->lock);
	if (!is_last)
		return;
	pthread_cond_destroy(&async->ready);
	pthread_cond_destroy(&async->room);
	pthread_cond_destroy(&async->work);
	pthread_mutex_destroy(&async->lock);
	clpac__pool_let_go(async->pool);
	clpac__free(async);
}

static void ticket_free(clpac_ticket *ticket)
{
	if (!ticket)
		return;
	FREE_ALL(ticket->buffers, ticket->requests, ticket);
}

/* Called without the lock. */
static void ticket_let_go(clpac_ticket *ticket)
{
	clpac_async *async = ticket->async;
	pthread_mutex_lock(&async->lock);
	bool is_last = --ticket->n_holders == 0;
	pthread_mutex_unlock(&async->lock);
	if (!is_last)
		return;
	if (ticket->has_buffers)
		clpac_buffer_release_batch(ticket->buffers, ticket->n);
	ticket_free(ticket);
	async_let_go(async);
}

/* --- The worker ------------------------------------------------------------------------------- */

/* Takes a ticket out of the queue, wherever it stands.  The lock is held. */
static void leave_queue(clpac_async *async, clpac_ticket *ticket)
{
	clpac_ticket **place = &async->first, *before = NULL;
	while (*place != ticket) {
		before = *place;
		place = &before->next;
	}
	*place = ticket->next;
	if (async->last == ticket)
		async->last = before;
	ticket->is_waiting = false;
	async->n_pending--;
	pthread_cond_signal(&async->room);
}

/* Called with the lock held. is_ready is written last: whoever finds the ticket ready may read the rest without the
 * lock. */
static void become_ready(clpac_async *async, clpac_ticket *ticket)
{
	atomic_store_explicit(&ticket->is_ready, true, memory_order_release);
	pthread_cond_broadcast(&async->ready);
}

/* All buffers, prepared; or none. */
static clpac_status carry_out(clpac_ticket *ticket, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_pool *pool = ticket->async->pool;
	for (size_t i = 0; i < ticket->n; i++) {
		st = clpac_pool_request(pool, &ticket->requests[i], &ticket->buffers[i], err);
		if (st != CLPAC_OK) {
			clpac__fail_context(err, st, "asynchronous request %zu of %zu", i + 1, ticket->n);
			goto done;
		}
	}
	if (ticket->prepare) {
		st = ticket->prepare(ticket->user, pool, ticket->n, ticket->buffers, err);
		/* The text is up to the application; without one, give the status at least. */
		if (st != CLPAC_OK && !err->text[0])
			clpac__fail(err, st, "the prepare function failed: %s", clpac_status_text(st));
		if (st != CLPAC_OK)
			err->status = st;
	}
done:
	if (st != CLPAC_OK)
		clpac_buffer_release_batch(ticket->buffers, ticket->n);
	return st;
}

static void *work(void *argument)
{
	clpac_async *async = argument;
	pthread_mutex_lock(&async->lock);
	async->worker = pthread_self();
	async->has_worker = true;
	for (;;) {
		while (!async->first && !async->is_closing)
			pthread_cond_wait(&async->work, &async->lock);
		clpac_ticket *ticket = async->first;
		if (!ticket)
			break;
		leave_queue(async, ticket);
		pthread_mutex_unlock(&async->lock);

		clpac_error error = {0};
		clpac_status st = carry_out(ticket, &error);

		pthread_mutex_lock(&async->lock);
		/* Nobody may take the buffers of a cancelled ticket, so they can be released without the lock. */
		bool is_cancelled = ticket->is_cancelled;
		if (is_cancelled && st == CLPAC_OK) {
			pthread_mutex_unlock(&async->lock);
			clpac_buffer_release_batch(ticket->buffers, ticket->n);
			pthread_mutex_lock(&async->lock);
		}
		if (is_cancelled) {
			ticket->status = clpac__fail(&ticket->error, CLPAC_ERROR_CANCELLED,
						     "the ticket was cancelled while it was being carried out");
		} else {
			ticket->status = st;
			ticket->error = error;
			ticket->has_buffers = st == CLPAC_OK;
		}
		become_ready(async, ticket);
		pthread_mutex_unlock(&async->lock);
		ticket_let_go(ticket);
		pthread_mutex_lock(&async->lock);
	}
	pthread_mutex_unlock(&async->lock);
	return NULL;
}

/* Called with the lock held. */
static bool is_worker(const clpac_async *async)
{
	return async->has_worker && pthread_equal(async->worker, pthread_self());
}

clpac_status clpac_async_create(clpac_pool *pool, size_t max_pending, clpac_async **out, clpac_error *err)
{
	NEED(pool, out);
	NEED_POOL_HERE(pool);
	clpac_status st = CLPAC_OK;
	clpac_async *async = NULL;
	TRY(NEW(async));
	async->pool = pool;
	async->process = clpac__process;
	clpac__pool_hold(pool);
	async->max_pending = max_pending ? max_pending : CLPAC_ASYNC_DEFAULT_PENDING;
	async->n_holders = 1;
	/* These cannot fail with default attributes. */
	pthread_mutex_init(&async->lock, NULL);
	pthread_cond_init(&async->work, NULL);
	pthread_cond_init(&async->room, NULL);
	pthread_cond_init(&async->ready, NULL);
	/* Signals are delivered to the application's own threads only. */
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int code = clpac__thread_create(&async->thread, CLPAC__LEAST_STACK, work, async);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (code) {
		st = clpac__fail_native(err, CLPAC_ERROR_DEVICE, code, "the system refused a worker's thread (%s)",
					strerror(code));
		goto done;
	}
	*out = async, async = NULL;
done:
	if (async)
		async_let_go(async);
	return st;
}

void clpac_async_destroy(clpac_async *async)
{
	if (!async || clpac__is_foreign(async->process))
		return;
	pthread_mutex_lock(&async->lock);
	async->is_closing = true;
	pthread_cond_signal(&async->work);
	pthread_mutex_unlock(&async->lock);
	pthread_join(async->thread, NULL);
	async_let_go(async);
}

/* --- Requests --------------------------------------------------------------------------------- */

static clpac_status ticket_create(clpac_async *async, size_t n, const clpac_request *requests, clpac_ticket **out,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_ticket *ticket;
	TRY(NEW(ticket));
	ticket->requests = clpac__alloc_array(n, sizeof *ticket->requests);
	ticket->buffers = clpac__alloc_array(n, sizeof *ticket->buffers);
	if (!ticket->requests || !ticket->buffers)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a ticket of %zu buffers", n);
	memcpy(ticket->requests, requests, n * sizeof *requests);
	ticket->async = async;
	ticket->n = n;
	*out = ticket, ticket = NULL;
done:
	ticket_free(ticket);
	return st;
}

/* Waits for a place in the queue.  The lock is held. */
static clpac_status find_place(clpac_async *async, clpac_error *err)
{
	if (async->is_closing)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the worker is being destroyed: it takes no further request");
	if (async->n_pending >= async->max_pending && is_worker(async))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%zu requests wait already, as many as max_pending, and the worker cannot wait "
			     "for itself: raise max_pending",
			     async->n_pending);
	while (async->n_pending >= async->max_pending)
		pthread_cond_wait(&async->room, &async->lock);
	return CLPAC_OK;
}

clpac_status clpac_async_request(clpac_async *async, size_t n, const clpac_request *requests,
				 clpac_prepare_function *prepare, void *user, clpac_ticket **out, clpac_error *err)
{
	NEED(async, requests, out);
	NEED_HERE(async);
	clpac_status st = CLPAC_OK;
	clpac_ticket *ticket = NULL;
	if (!n || !requests)
		FAIL(CLPAC_ERROR_ARGUMENT, "a ticket of %zu buffers with %s: give one or more", n,
		     requests ? "requests" : "no requests");
	TRY(ticket_create(async, n, requests, &ticket, err));
	ticket->prepare = prepare;
	ticket->user = user;

	pthread_mutex_lock(&async->lock);
	st = find_place(async, err);
	if (st == CLPAC_OK) {
		ticket->n_holders = 2;
		ticket->is_waiting = true;
		async->n_holders++;
		*(async->last ? &async->last->next : &async->first) = ticket;
		async->last = ticket;
		async->n_pending++;
		pthread_cond_signal(&async->work);
		*out = ticket, ticket = NULL;
	}
	pthread_mutex_unlock(&async->lock);
done:
	ticket_free(ticket);
	return st;
}

size_t clpac_async_pending(clpac_async *async)
{
	if (!async || clpac__is_foreign(async->process))
		return 0;
	pthread_mutex_lock(&async->lock);
	size_t n = async->n_pending;
	pthread_mutex_unlock(&async->lock);
	return n;
}

/* --- Tickets ---------------------------------------------------------------------------------- */

bool clpac_ticket_is_ready(const clpac_ticket *ticket)
{
	return ticket ? atomic_load_explicit(&ticket->is_ready, memory_order_acquire) : false;
}

clpac_status clpac_ticket_wait(clpac_ticket *ticket, clpac_buffer **buffers, clpac_error *err)
{
	NEED(ticket);
	clpac_status st = CLPAC_OK;
	clpac_async *async = ticket->async;
	NEED_OF_HERE(async->process, "ticket");
	pthread_mutex_lock(&async->lock);
	if (!clpac_ticket_is_ready(ticket) && is_worker(async))
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "a prepare function waits for a ticket that cannot be ready before it returns");
	while (!clpac_ticket_is_ready(ticket))
		pthread_cond_wait(&async->ready, &async->lock);
	if (ticket->status != CLPAC_OK) {
		if (err)
			*err = ticket->error;
		st = ticket->status;
	} else if (buffers) {
		if (!ticket->has_buffers)
			FAIL(CLPAC_ERROR_ARGUMENT, "the ticket's %zu buffers were taken before", ticket->n);
		memcpy(buffers, ticket->buffers, ticket->n * sizeof *buffers);
		ticket->has_buffers = false;
	}
done:
	pthread_mutex_unlock(&async->lock);
	return st;
}

/* Called with the lock held.  True when the ticket was in the queue: then the canceller also drops the worker's
 * reference, since the worker never sees the ticket. */
static bool cancel(clpac_async *async, clpac_ticket *ticket)
{
	if (clpac_ticket_is_ready(ticket))
		return false;
	ticket->is_cancelled = true;
	if (!ticket->is_waiting)
		return false;
	leave_queue(async, ticket);
	ticket->status =
		clpac__fail(&ticket->error, CLPAC_ERROR_CANCELLED, "the ticket was cancelled before its turn came");
	become_ready(async, ticket);
	return true;
}

bool clpac_ticket_cancel(clpac_ticket *ticket)
{
	if (!ticket || clpac__is_foreign(ticket->async->process))
		return false;
	clpac_async *async = ticket->async;
	pthread_mutex_lock(&async->lock);
	bool was_waiting = cancel(async, ticket), is_cancelled = ticket->is_cancelled;
	pthread_mutex_unlock(&async->lock);
	if (was_waiting)
		ticket_let_go(ticket);
	return is_cancelled;
}

void clpac_ticket_release(clpac_ticket *ticket)
{
	if (!ticket || clpac__is_foreign(ticket->async->process))
		return;
	clpac_async *async = ticket->async;
	pthread_mutex_lock(&async->lock);
	bool was_waiting = cancel(async, ticket);
	pthread_mutex_unlock(&async->lock);
	if (was_waiting)
		ticket_let_go(ticket);
	ticket_let_go(ticket);
}
