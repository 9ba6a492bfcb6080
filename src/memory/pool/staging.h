/* Staging: a ring of pinned memory of the host, through which large transfers to and from pageable memory go.
 *
 * A driver copies pageable memory into pinned memory of its own, piece by piece, and waits in between.  Here the host
 * copies one piece while the device moves the one before.  Used where the device has memory of its own.  The ring is
 * made when it is first needed; one transfer uses it at a time, others go past it.
 *
 * A write that is not waited for leaves its pieces to the device, and takes only those that are free: beyond them it
 * goes as without a ring.  A read that is not waited for does not use the ring: its event must not pass before the
 * bytes are in the caller's memory, not even for a queue that waits for it, and nobody is there to copy them.
 */
#ifndef CLPAC_MEMORY_POOL_STAGING_H
#define CLPAC_MEMORY_POOL_STAGING_H

#include <pthread.h>
#include "memory/pool/pool_queues.h"

enum {
	CLPAC__STAGING_SLOTS = 4,
	CLPAC__STAGING_BYTES = 4 << 20, /* by default */
	CLPAC__STAGED_BYTES = 256 << 10 /* smaller transfers gain nothing */
};

typedef struct clpac__staging {
	pthread_mutex_t lock; /* taken before the locks of uses and drivers, and only where it is free */
	size_t bytes;	      /* fixed; too few for a slot of a page: no staging */
	clpac__block *block;  /* NULL: not made yet */
	unsigned char *memory;
	size_t slot_bytes;
	clpac_event *events[CLPAC__STAGING_SLOTS]; /* of work that uses a slot; NULL: none */
	unsigned next;
	bool has_failed; /* the driver had no such memory: it is not asked again */
} clpac__staging;

void clpac__staging_open(clpac__staging *staging, size_t bytes);
/* Waits for all that uses it.  The queue is the pool's own. */
void clpac__staging_close(clpac__staging *staging, clpac__pool_queue *own);

/* Takes the ring for a transfer of so many bytes; false: the transfer goes without.  Without any lock. */
bool clpac__staging_take(clpac_pool *pool, const clpac_buffer *buffer, size_t bytes);
void clpac__staging_give(clpac_pool *pool);

/* A write or read through the ring, which was taken; the driver lock of the queue is held.  Both return when
 * the bytes are there. */
clpac_status clpac__staging_write(clpac_pool *pool, clpac__queue *queue, clpac__block *block, size_t offset,
				  size_t bytes, const void *source, clpac_error *err);
clpac_status clpac__staging_read(clpac_pool *pool, clpac__queue *queue, clpac__block *block, size_t offset,
				 size_t bytes, void *target, clpac_error *err);

/* Puts the beginning of a write that is not waited for through the pieces of the ring that are free now, and says how
 * many bytes these take; the rest goes without.  The ring was taken, and the driver lock of the queue is held. */
clpac_status clpac__staging_write_later(clpac_pool *pool, clpac__queue *queue, clpac__block *block, size_t offset,
					size_t bytes, const void *source, size_t *staged, clpac_error *err);

#endif
