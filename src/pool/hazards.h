/* Who may still be using a released block, and waiting for them.
 *
 * A block that only its home queue used, and in order, has no hazard for that queue: what is put there later comes
 * later.  Every other use is an event to wait for.  Functions that talk to a driver are called without the lock. */
#ifndef CLPAC_POOL_HAZARDS_H
#define CLPAC_POOL_HAZARDS_H

#include "pool/pool_queues.h"

struct clpac__pending {
	clpac_event *event;
	clpac__pending *next;
};

/* Puts an event into every queue that may be using a block that is being released, but for an in-order home.  Where
 * that fails the queue is waited for instead. */
void clpac__hazards_mark(clpac_pool *pool, clpac_buffer *buffer);

/* Adds an event of the caller's. */
clpac_status clpac__hazards_add(clpac_pool *pool, clpac_buffer *buffer, clpac_event *event, clpac_error *err);

/* Forgets the events that have passed; true when none is left. */
bool clpac__hazards_poll(clpac_pool *pool, clpac_buffer *buffer);
/* Makes the host wait for all of them. */
void clpac__hazards_wait(clpac_pool *pool, clpac_buffer *buffer);
/* Makes a queue of the device wait for all of them and for the home, which becomes that queue.  The host waits where
 * the device cannot. */
void clpac__hazards_move(clpac_pool *pool, clpac_buffer *buffer, clpac__pool_queue *to);

#endif
