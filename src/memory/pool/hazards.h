/* Hazards: work that may still use a released block, and waiting for it.
 *
 * A block that only its in-order home queue used has no hazard for that queue: work put there later runs later.  Every
 * other use is an event to wait for.  Functions that call a driver are called without the pool's lock.
 */
#ifndef CLPAC_MEMORY_POOL_HAZARDS_H
#define CLPAC_MEMORY_POOL_HAZARDS_H

#include "memory/pool/pool_queues.h"

struct clpac__pending {
	clpac_event *event;
	clpac__pending *next;
	const clpac__pool_queue *place; /* the queue that it was put into; NULL: an event of the caller's */
};

/* Puts an event into every queue that may be using a block that is being released, except an in-order home.  If that
 * fails, waits for the queue instead. */
void clpac__hazards_mark(clpac_pool *pool, clpac_buffer *buffer);

/* Adds events of the caller's, all or none. */
clpac_status clpac__hazards_add(clpac_pool *pool, clpac_buffer *buffer, size_t n, clpac_event *const *events,
				clpac_error *err);
/* Puts an event into a queue that uses a buffer, in the place of an earlier one of that queue.  If that fails, waits
 * for the queue instead. */
void clpac__hazards_note(clpac_pool *pool, clpac_buffer *buffer, clpac__pool_queue *place);
/* Makes a queue wait for the events of other queues, and forgets those that have passed. */
clpac_status clpac__hazards_follow(clpac_pool *pool, clpac_buffer *buffer, clpac__pool_queue *place, clpac_error *err);

/* Drops events that have passed; true when none is left. */
bool clpac__hazards_poll(clpac_pool *pool, clpac_buffer *buffer);
/* Makes the host wait for all hazards of a block. */
void clpac__hazards_wait(clpac_pool *pool, clpac_buffer *buffer);
/* Makes a queue wait for all hazards and for the home queue, and becomes the block's home.  The host waits if the
 * device cannot. */
void clpac__hazards_move(clpac_pool *pool, clpac_buffer *buffer, clpac__pool_queue *to);

#endif
