/** @file memory/queue.h
 *  Queues, which give work on a device its order, and events in them.
 *
 *  A buffer is allocated for one queue and released to it.  Work put into an in-order queue later runs after the work
 *  that used the buffer before, so the next request for that queue may have the buffer at once; a request for another
 *  queue is made to wait for it on the device.  Threads: any.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_QUEUE_H
#define CLPAC_MEMORY_QUEUE_H

#include <stdbool.h>

#include <clpac/memory/handles.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A queue that is closed or another pool's, and an event that was released, are refused with CLPAC_ERROR_ARGUMENT.  An
 * event may be of another pool on the same device. */

/** Opens a further queue on a pool's device.
 * @param is_in_order false: work is ordered by events only (a device without such queues gives an in-order one).
 * @param[out] out the queue; the caller closes it; the pool stays until then.
 * Errors: CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_queue_open(clpac_pool *pool, bool is_in_order, clpac_queue **out, clpac_error *err);
/** Waits for all work in the queue and closes it.  Its buffers stay valid and belong to the pool's own queue from then
 * on.  NULL is fine; the pool's own queue must not be closed.
 */
void clpac_queue_close(clpac_pool *pool, clpac_queue *queue);
/** The pool's own queue. */
clpac_queue *clpac_pool_queue(const clpac_pool *pool);
/** Waits for all work in the queue. */
clpac_status clpac_queue_finish(clpac_pool *pool, clpac_queue *queue, clpac_error *err);

/** Makes an event that passes when all work put into the queue so far is done.
 * @param[out] out the event; the caller releases it.
 */
clpac_status clpac_queue_mark(clpac_pool *pool, clpac_queue *queue, clpac_event **out, clpac_error *err);
/** Makes work put into the queue from now on begin after the event, without making the host wait. */
clpac_status clpac_queue_wait_for(clpac_pool *pool, clpac_queue *queue, clpac_event *event, clpac_error *err);
/** True when the event has passed; false for one that was released.  Never waits for the device. */
bool clpac_event_has_passed(clpac_pool *pool, clpac_event *event);
/** Makes the host wait for the event.  CLPAC_ERROR_DEVICE when its work failed. */
clpac_status clpac_event_wait(clpac_pool *pool, clpac_event *event, clpac_error *err);
/** Releases an event, once for each time that it was handed out.  Once too often, or with another pool than the one
 * that handed it out, is refused and counted as a bad release where the pool has no event with that handle out.  NULL
 * is fine. */
void clpac_event_release(clpac_pool *pool, clpac_event *event);

#ifdef __cplusplus
}
#endif
#endif
