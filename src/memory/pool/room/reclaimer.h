/* Reclaimers: holders of buffers that can do without some of them, as stores can.
 *
 * Where a request finds no room, the pool collects offers from its reclaimers, chooses from all of them those whose
 * going serves the request (victims.c), and has just these evicted.  An offer is a copy: the buffer may be taken into
 * use, or go, at any moment, so the pool never follows its pointer, and the reclaimer looks again before it evicts. */
#ifndef CLPAC_MEMORY_POOL_ROOM_RECLAIMER_H
#define CLPAC_MEMORY_POOL_ROOM_RECLAIMER_H

#include "memory/pool/blocks/handle.h"

typedef struct clpac__reclaimer clpac__reclaimer;

typedef struct clpac__offer {
	const clpac__reclaimer *reclaimer;
	void *user;		       /* the reclaimer's */
	void *entry;		       /* what the reclaimer calls it */
	uint64_t hash;		       /* for the reclaimer, to find it again */
	const clpac_buffer *buffer;    /* not followed */
	const clpac__segment *segment; /* NULL: memory of its own */
	uint64_t offset, units;	       /* in the segment */
	size_t class_bytes;
	uint64_t age; /* uses of other things by the reclaimer since this was used last */
	bool is_chosen;
} clpac__offer;

typedef struct clpac__offers {
	clpac__offer *all;
	size_t n, room;
	bool is_short;		    /* the host had no memory for one of them */
	struct clpac__going *going; /* scratch of victims.c */
} clpac__offers;

struct clpac__reclaimer {
	/* Adds what could go from the pool's device now; oldest_only: at most the one that was used longest ago. */
	void (*offer)(void *user, clpac_pool *pool, bool oldest_only, clpac__offers *offers);
	/* Evicts what was offered if it still can go.  Returns the bytes given back to the pool.  May call back. */
	uint64_t (*evict)(void *user, clpac_pool *pool, const clpac__offer *offer);
	/* Keep the user's memory while the pool is asking; they only count, also under the pool's lock. */
	void (*hold)(void *user);
	void (*let_go)(void *user);
};

/* Adds a reclaimer, whose function for relief is asked at pressure Critical; removed by clpac_pool_remove_relief.
 * Errors: as clpac_pool_add_relief. */
clpac_status clpac__pool_add_reclaimer(clpac_pool *pool, const clpac__reclaimer *reclaimer,
				       clpac_relief_function *relief, void *user, clpac_error *err);

/* For a reclaimer's `offer`: adds a buffer that is in use and stays so for the length of the call. */
void clpac__offers_add(clpac__offers *offers, const clpac_buffer *buffer, void *entry, uint64_t hash, uint64_t age);

#endif
