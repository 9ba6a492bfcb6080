/* The way past the pool's lock: what a thread released for a queue is what it takes first.
 *
 * A magazine is a cache with a lock that nearly always only one thread wants: threads are numbered, and number and
 * queue choose the magazine.  A thread that ends leaves its blocks where others find them.  It also counts what its
 * callers took and gave back; the pool's numbers are the sums over its magazines. */
#ifndef CLPAC_POOL_MAGAZINE_H
#define CLPAC_POOL_MAGAZINE_H

#include "base/latch.h"
#include "pool/free_list.h"

enum { CLPAC__MAX_MAGAZINES = 64, CLPAC__IDS_AT_ONCE = 64 };

/* Sums of what came and went.  A magazine's may be negative: what one thread took another may give back. */
typedef struct clpac__tally {
	int64_t in_use_bytes, requested_bytes, active_buffers;
	int64_t host_bytes, host_buffers;
} clpac__tally;

typedef struct clpac__magazine {
	clpac__latch lock;
	clpac__free_list blocks;
	clpac__tally tally, published;
	int64_t peak_in_use_bytes, peak_requested_bytes, peak_pooled_bytes; /* while it is the only magazine */
	uint64_t hits, n_releases;
	uint64_t next_id, end_id; /* taken from the pool and not yet used */
} clpac__magazine;

/* All magazines of a pool, and the peaks of their sums.  A sole magazine keeps them exactly; several publish what they
 * count now and then, or every request would write what every other reads. */
typedef struct clpac__magazines {
	int64_t grain_bytes; /* of use that a magazine may leave unpublished while there are several */
	_Atomic(clpac__magazine *) magazines[CLPAC__MAX_MAGAZINES];
	atomic_uint n;
	_Atomic int64_t in_use_bytes, requested_bytes; /* published */
	_Atomic int64_t peak_in_use_bytes, peak_requested_bytes, peak_pooled_bytes;
	_Atomic uint64_t last_id;
	_Atomic uint64_t allocated_bytes; /* a copy of the ledger's */
} clpac__magazines;

/* Makes the magazine of a place, or finds that somebody else did; NULL when the host has no memory left for one. */
clpac__magazine *clpac__magazine_make(clpac_pool *pool, unsigned place);
void clpac__magazines_destroy(clpac__magazines *magazines); /* their caches are empty */

/* Counts a buffer that was handed out (sign 1) or given back (-1).  The magazine's lock is held. */
void clpac__magazine_count(clpac_pool *pool, clpac__magazine *magazine, const clpac_buffer *buffer, int sign);
/* A number that no other buffer of the pool has.  The magazine's lock is held. */
uint64_t clpac__magazine_id(clpac_pool *pool, clpac__magazine *magazine);

/* The sums.  Any thread, also one that holds the lock. */
void clpac__magazines_sum(clpac_pool *pool, clpac__tally *sum, uint64_t *hits, size_t *n_cached,
			  uint64_t *cached_bytes);
/* The largest that the sums of the device's bytes have been. */
typedef struct clpac__peaks {
	int64_t in_use_bytes, requested_bytes, pooled_bytes;
} clpac__peaks;
clpac__peaks clpac__magazines_peaks(clpac_pool *pool);
void clpac__magazines_reset_peaks(clpac_pool *pool);

/* A block of the class for that queue out of any magazine; NULL: none.  The lock is held. */
clpac_buffer *clpac__magazines_take(clpac_pool *pool, unsigned class_index, const clpac__pool_queue *home);
/* Moves all blocks of all magazines into a cache.  The lock is held. */
void clpac__magazines_empty(clpac_pool *pool, clpac__free_list *into);

#endif
