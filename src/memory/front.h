/* The way past the pool's lock: what a thread released for a queue is what it takes first.
 *
 * A front is a cache with a lock that nearly always only one thread wants: threads are numbered, and number and queue
 * choose the front.  A thread that ends leaves its blocks where others find them.  It also counts what its callers took
 * and gave back; the pool's numbers are the sums over its fronts. */
#ifndef CLPAC_MEMORY_FRONT_H
#define CLPAC_MEMORY_FRONT_H

#include "base/latch.h"
#include "memory/cache.h"

enum { CLPAC__MAX_FRONTS = 64, CLPAC__IDS_AT_ONCE = 64 };

/* Sums of what came and went.  A front's may be negative: what one thread took another may give back. */
typedef struct clpac__tally {
	int64_t in_use_bytes, requested_bytes, active_buffers;
	int64_t host_bytes, host_buffers;
} clpac__tally;

typedef struct clpac__front {
	clpac__latch lock;
	clpac__cache cache;
	clpac__tally tally, published;
	int64_t peak_in_use_bytes, peak_requested_bytes, peak_pooled_bytes; /* while it is the only front */
	uint64_t hits, n_releases;
	uint64_t next_id, end_id; /* taken from the pool and not yet used */
} clpac__front;

/* All fronts of a pool, and the peaks of their sums.  A sole front keeps them exactly; several publish what they count
 * now and then, or every request would write what every other reads. */
typedef struct clpac__fronts {
	int64_t grain_bytes; /* of use that a front may leave unpublished while there are several */
	_Atomic(clpac__front *) fronts[CLPAC__MAX_FRONTS];
	atomic_uint n;
	_Atomic int64_t in_use_bytes, requested_bytes; /* published */
	_Atomic int64_t peak_in_use_bytes, peak_requested_bytes, peak_pooled_bytes;
	_Atomic uint64_t last_id;
	_Atomic uint64_t allocated_bytes; /* a copy of the ledger's */
} clpac__fronts;

/* Makes the front of a place, or finds that somebody else did; NULL when the host has no memory left for one. */
clpac__front *clpac__front_make(clpac_pool *pool, unsigned place);
void clpac__fronts_destroy(clpac__fronts *fronts); /* their caches are empty */

/* Counts a buffer that was handed out (sign 1) or given back (-1).  The front's lock is held. */
void clpac__front_count(clpac_pool *pool, clpac__front *front, const clpac_buffer *buffer, int sign);
/* A number that no other buffer of the pool has.  The front's lock is held. */
uint64_t clpac__front_id(clpac_pool *pool, clpac__front *front);

/* The sums.  Any thread, also one that holds the book. */
void clpac__fronts_sum(clpac_pool *pool, clpac__tally *sum, uint64_t *hits, size_t *n_cached, uint64_t *cached_bytes);
/* The largest that the sums of the device's bytes have been. */
typedef struct clpac__peaks {
	int64_t in_use_bytes, requested_bytes, pooled_bytes;
} clpac__peaks;
clpac__peaks clpac__fronts_peaks(clpac_pool *pool);
void clpac__fronts_reset_peaks(clpac_pool *pool);

/* A block of the class for that queue out of any front; NULL: none.  The book is held. */
clpac_buffer *clpac__fronts_take(clpac_pool *pool, unsigned class_index, const clpac__pool_queue *home);
/* Moves all blocks of all fronts into a cache.  The book is held. */
void clpac__fronts_empty(clpac_pool *pool, clpac__cache *into);

#endif
