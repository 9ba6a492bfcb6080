/* The queues of a pool: its own, and those opened or adopted for it. */
#ifndef CLPAC_MEMORY_POOL_POOL_QUEUES_H
#define CLPAC_MEMORY_POOL_POOL_QUEUES_H

#include <pthread.h>
#include "memory/pool/handle.h"

enum { CLPAC__MAX_QUEUES = 32 }; /* one bit each in clpac_buffer.recorded */

struct clpac__pool_queue {
	_Atomic(clpac__queue *) queue; /* NULL: closed, with all its work done; changes with `driver` held */
	bool is_taken;		       /* guarded by the pool's lock: a closed place becomes free a moment later */
	pthread_mutex_t
		/* Makes the pool's driver calls take turns, so that the commands of one transfer stay together and the
		 * queue is not closed meanwhile.  Guards no data, and its holder takes no other lock. */
		driver;
	unsigned ordinal;
	bool is_in_order;
};

/* The place of a queue, not NULL; NULL when the pool does not have it.  Any thread. */
clpac__pool_queue *clpac__pool_queue_search(clpac_pool *pool, const clpac_queue *queue);

/* Adds a queue, which is later closed by clpac_queue_close and keeps the pool until then. */
clpac_status clpac__pool_queue_add(clpac_pool *pool, clpac__queue *queue, clpac_error *err);

/* Ends the places of queues.  All but the pool's own are closed. */
void clpac__pool_queues_destroy(clpac_pool *pool);

#endif
