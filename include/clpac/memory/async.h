/** @file memory/async.h
 * Buffers that a worker thread allocates and prepares, so that a pipeline does not wait for the driver.
 *
 * A request names buffers and a function that prepares them, for example by uploading the next stretch of a recording.
 * It returns a ticket at once.  The worker does the work, and whoever needs the buffers takes them from the ticket,
 * waiting only if they are not ready yet.
 *
 *     clpac_async_create(pool, 0, &async, &err);
 *     clpac_async_request(async, 1, &next, upload, &job, &ticket, &err);     returns at once
 *     ... a run on the present stretch ...
 *     clpac_ticket_wait(ticket, &buffer, &err);                              the uploaded buffer, or an error
 *     clpac_ticket_release(ticket);
 *
 * One worker carries the requests out one after the other, in the order in which they were made.
 *
 * Threads: every function may be called from any thread.  The worker is one more thread that uses the pool, so the
 * rules of clpac/memory/pool.h for threads that share a pool hold for it too.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
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

/** A pool's worker and the requests that wait for it.  Opaque. */
typedef struct clpac_async clpac_async;

/** A request and its outcome.  Opaque. */
typedef struct clpac_ticket clpac_ticket;

enum { CLPAC_ASYNC_DEFAULT_PENDING = 64 };

/** Starts a worker.
 * @param pool may be destroyed before the worker and its tickets.
 * @param max_pending most requests that wait for their turn; 0 is CLPAC_ASYNC_DEFAULT_PENDING.
 * @param[out] out the worker; the caller destroys it.
 * Errors: CLPAC_ERROR_ARGUMENT (pool is NULL), CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_DEVICE with errno as native_code when
 * the system refuses the thread.
 */
clpac_status clpac_async_create(clpac_pool *pool, size_t max_pending, clpac_async **out, clpac_error *err);

/** Carries out all requests that were not cancelled, ends the worker and frees it.  Tickets stay valid: they are ready
 * and keep their buffers until they are released.  No other thread may be making requests meanwhile, and a prepare
 * function must not call this.  NULL is fine.
 */
void clpac_async_destroy(clpac_async *async);

/** Prepares buffers that were just allocated.  Called in the worker's thread; it may use the pool, put work into queues
 * and make further requests.  It must neither keep nor release the buffers.
 * @return CLPAC_OK, or the status with which the ticket fails, with the text in err (never NULL).  The buffers are then
 *   released.
 */
typedef clpac_status clpac_prepare_function(void *user, clpac_pool *pool, size_t n, clpac_buffer *const *buffers,
					    clpac_error *err);

/** Asks for n buffers, all or none, to be allocated and prepared after all earlier requests.  Waits for a place while
 * max_pending requests are waiting.
 * @param n 1 or more.
 * @param requests n requests, copied; their tags and file names must live as long as the buffers.
 * @param prepare called at most once, and never after the ticket is ready; NULL: nothing is prepared.
 * @param user handed to prepare.
 * @param[out] out the ticket; the caller releases it.
 * Errors: CLPAC_ERROR_ARGUMENT (n is 0; or a prepare function asked while no place was free or the worker was being
 * destroyed), CLPAC_ERROR_NO_MEMORY. Errors in the requests themselves are reported by the ticket.
 * Cost: less than a microsecond, and waking the worker.
 */
clpac_status clpac_async_request(clpac_async *async, size_t n, const clpac_request *requests,
				 clpac_prepare_function *prepare, void *user, clpac_ticket **out, clpac_error *err);

/** Number of requests that wait for their turn.  If it is below max_pending and no other thread makes requests, the
 * next request does not wait for a place.
 */
size_t clpac_async_pending(clpac_async *async);

/** True when the worker has finished with the ticket, successfully or not, so that clpac_ticket_wait will not wait.
 * Never waits itself.
 * Cost: nanoseconds.
 */
bool clpac_ticket_is_ready(const clpac_ticket *ticket);

/** Waits until the ticket is ready and takes its buffers.
 * @param[out] buffers n buffers, which the caller releases; written only on success.  Work that prepared them may still
 *   be running in their queues.  NULL: only waits; the buffers stay with the ticket.
 * Errors: those of clpac_pool_request and of the prepare function, with their text; CLPAC_ERROR_CANCELLED;
 * CLPAC_ERROR_ARGUMENT when the buffers were taken before, or when a prepare function waits for its own ticket or a
 * later one.
 */
clpac_status clpac_ticket_wait(clpac_ticket *ticket, clpac_buffer **buffers, clpac_error *err);

/** Cancels a ticket.  A request that waits for its turn becomes ready at once.  A request that is being carried out
 * runs to its end; then its buffers are released and it becomes ready.
 * @return true when the ticket's outcome is CLPAC_ERROR_CANCELLED; false when it was ready before, in which case
 *   nothing changes.
 */
bool clpac_ticket_cancel(clpac_ticket *ticket);

/** Gives the ticket back in any state: cancels it if it is not ready, and releases buffers that were not taken.  Never
 * waits, so the prepare function may still be running; call clpac_ticket_wait first before freeing what that function
 * uses.  NULL is fine.
 */
void clpac_ticket_release(clpac_ticket *ticket);

#ifdef __cplusplus
}
#endif
#endif
