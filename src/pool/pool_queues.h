/* The queues of a pool's device that the pool knows: its own, and those opened or adopted for it. */
#ifndef CLPAC_POOL_POOL_QUEUES_H
#define CLPAC_POOL_POOL_QUEUES_H

#include <pthread.h>
#include "pool/handle.h"

enum { CLPAC__MAX_QUEUES = 32 }; /* a bit each in clpac_buffer.recorded */

struct clpac__pool_queue {
	_Atomic(clpac__queue *)
		queue; /* NULL: closed, and all that was put there is done; changes with driver locked */
	bool is_taken; /* guarded by the lock: closed, a place is free a moment later */
	pthread_mutex_t
		driver; /* the pool's calls take turns, so that what a transfer puts stays together and nobody closes
			   the queue meanwhile; guards no data, and whoever holds it takes no other lock */
	unsigned ordinal;
	bool is_in_order;
};

/* The place of a queue; the pool's own for NULL; NULL when it is none of the pool's.  Any thread. */
clpac__pool_queue *clpac__pool_queue_find(clpac_pool *pool, const clpac_queue *queue);

/* Adds a queue, which is then closed by clpac_queue_close or with the pool. */
clpac_status clpac__pool_queue_add(clpac_pool *pool, clpac__queue *queue, clpac_error *err);

/* Closes all but the pool's own. */
void clpac__pool_queues_close(clpac_pool *pool);

#endif
