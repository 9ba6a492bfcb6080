/** @file memory/async.h
 *  Buffers that are allocated and prepared by a thread of their own, so that a pipeline does not wait for the driver.
 *
 *  A request names buffers and a function that prepares them, as one that uploads the next stretch of a recording, and
 * returns a ticket at once; the worker does the work, and whoever needs the buffers takes them from the ticket, waiting
 * only for what is not done yet.
 *
 *      clpac_async_create(pool, 0, &async, &err);
 *      clpac_async_request(async, 1, &next, upload, &job, &ticket, &err);     returns at once
 *      ... a run on the present stretch ...
 *      clpac_ticket_wait(ticket, &buffer, &err);                              the buffer, uploaded, or why not
 *      clpac_ticket_release(ticket);
 *
 *  One worker carries the requests out one after the other, in the order they were made.
 *
 *  Threads: every function may be called from any thread.  To the pool the worker is one more thread: what
 * clpac/memory/pool.h says of threads that share a pool holds for it too.
 */
#ifndef CLPAC_MEMORY_ASYNC_H
#define CLPAC_MEMORY_ASYNC_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/memory/pool.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A worker of a pool, and the requests that wait for it.  Opaque. */
typedef struct clpac_async clpac_async;

/** A request on its way, and what came of it.  Opaque. */
typedef struct clpac_ticket clpac_ticket;

enum { CLPAC_ASYNC_DEFAULT_PENDING = 64 };

/** Starts a worker.
 *  @param pool must outlive it, and the buffers in its tickets.
 *  @param max_pending most requests that wait for their turn; 0 is CLPAC_ASYNC_DEFAULT_PENDING.
 *  @param[out] out the caller's to destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT (pool is NULL), CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_DEVICE with errno as native_code
 * when the system refuses the thread. */
clpac_status clpac_async_create(clpac_pool *pool, size_t max_pending, clpac_async **out, clpac_error *err);

/** Carries out what was requested and not cancelled, ends the worker and frees it.  Tickets stay valid, ready and with
 * their buffers, until they are released.  No other thread may be requesting; not to be called by a prepare function.
 * NULL is fine. */
void clpac_async_destroy(clpac_async *async);

/** Prepares buffers that were just allocated, in the worker's thread: may use the pool, put work into queues, and make
 * further requests.  It keeps none of the buffers and releases none.
 *  @return CLPAC_OK, or why the ticket fails, with the text in err (never NULL); the buffers are released then. */
typedef clpac_status clpac_prepare_function(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers,
					    clpac_error *err);

/** Asks for n buffers, all or none, to be allocated and prepared when those before are done.
 *  Waits for a place where max_pending requests wait already.
 *  @param n 1 or more.  @param requests n of them, copied; their tags and files must live as long as the buffers.
 *  @param prepare called once at most, and not after the ticket is ready; NULL: nothing is prepared.  @param user
 * handed to it.
 *  @param[out] out the ticket, the caller's to release.
 *  Errors: CLPAC_ERROR_ARGUMENT (n is 0; made by a prepare function while no place is free or the worker is being
 * destroyed), CLPAC_ERROR_NO_MEMORY.  What is wrong with a request itself, the ticket tells. Cost: below a microsecond,
 * and a worker to wake. */
clpac_status clpac_async_request(clpac_async *async, size_t n, const clpac_request *requests,
				 clpac_prepare_function *prepare, void *user, clpac_ticket **out, clpac_error *err);

/** Requests that wait for their turn: below max_pending the next one need not wait for a place, if nobody else
 * requests. */
size_t clpac_async_pending(clpac_async *async);

/** True when the worker is done with it, well or not: clpac_ticket_wait will not wait.  Never waits itself; costs
 * nanoseconds. */
bool clpac_ticket_is_ready(const clpac_ticket *ticket);

/** Waits until the ticket is ready and takes its buffers.
 *  @param[out] buffers n of them, the caller's to release from now on, written only on success; work that prepared them
 * is in their queues.  NULL: only waits, and the buffers stay with the ticket. Errors: those of clpac_pool_request and
 * of the prepare function, with their text; CLPAC_ERROR_CANCELLED; CLPAC_ERROR_ARGUMENT when the buffers were taken
 * before, or when a prepare function waits for its own ticket or a later one. */
clpac_status clpac_ticket_wait(clpac_ticket *ticket, clpac_buffer **buffers, clpac_error *err);

/** Cancels: a request that waits for its turn is ready at once; one that is being carried out runs to its end, its
 *  buffers are released, and then it is ready.
 *  @return true when the ticket's outcome is CLPAC_ERROR_CANCELLED; false when it was ready before, which changes
 * nothing. */
bool clpac_ticket_cancel(clpac_ticket *ticket);

/** Gives the ticket back, whatever has become of it: cancels what is not ready, and releases buffers that were not
 * taken.  Never waits, so that the prepare function may still be running; where what it uses is to be freed,
 * clpac_ticket_wait comes first. NULL is fine. */
void clpac_ticket_release(clpac_ticket *ticket);

#ifdef __cplusplus
}
#endif
#endif
