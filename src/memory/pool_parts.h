/* What a pool is made of, for the files of this folder that share the work: pool.c (life), allocate.c (the way to a
 * block and back), batch.c (many at once), buffer.c (content), statistics.c.
 *
 * Two locks.  `book` guards every member but queue, and is never held over a call of the driver.  `driver` makes
 * the calls of the driver take turns, since a queue is used by one thread at a time; it guards no data, and whoever
 * holds it takes no other lock. */
#ifndef CLPAC_MEMORY_POOL_PARTS_H
#define CLPAC_MEMORY_POOL_PARTS_H

#include <pthread.h>
#include "memory/cache.h"
#include "memory/ledger.h"
#include "memory/pool.h"

struct clpac_pool {
	clpac__queue *queue;
	unsigned classes_per_octave;
	size_t largest_bytes; /* the device's largest block; SIZE_MAX where it does not tell */

	pthread_mutex_t book;
	pthread_cond_t settled; /* the driver answered: a reservation or a return came to its end */
	clpac__ledger ledger;
	clpac__cache cache;
	clpac__buffer_list active;
	size_t n_returning; /* blocks on their way back to the driver */
	uint64_t last_id;

	pthread_mutex_t driver;
};

/* What is asked for, checked and rounded. */
typedef struct clpac__request {
	size_t bytes, class_bytes;
	unsigned class_index;
	const char *tag;
} clpac__request;

clpac_status clpac__request_make(const clpac_pool *pool, size_t bytes, const char *tag, clpac__request *out,
				 clpac_error *err);

/* The functions from here to return_blocks are called with the book locked and return with it locked; those that say so
 * unlock it in between. */

/* A block of the request's class, from the cache or from the driver, in nobody's hands yet.  Unlocks in between
 * unless it is a hit. */
clpac_status clpac__pool_obtain(clpac_pool *pool, const clpac__request *request, bool *is_hit, clpac_buffer **out,
				clpac_error *err);

/* Makes an obtained block the caller's buffer. */
void clpac__pool_hand_out(clpac_pool *pool, const clpac__request *request, clpac_buffer *buffer);

/* Caches a block that is in nobody's hands, or returns it to the driver where its class is full.  Unlocks in
 * between. */
void clpac__pool_put_back(clpac_pool *pool, clpac_buffer *buffer);

/* Returns cached blocks to the driver, the oldest first, until at least so many bytes are gone or none is left.
 * Returns the bytes.  Unlocks in between. */
uint64_t clpac__pool_evict(clpac_pool *pool, uint64_t bytes);

#endif
