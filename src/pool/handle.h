/* What a buffer is, seen from inside: a block of a device, and who has it.
 *
 * A handle lives as long as its block is the pool's: it goes from owner to owner through the caches, and with it the
 * block. */
#ifndef CLPAC_POOL_HANDLE_H
#define CLPAC_POOL_HANDLE_H

#include <stdatomic.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/offsets.h>
#include "backend/backend.h"
#include "trace/trace_hooks.h"

typedef struct clpac__pool_queue clpac__pool_queue; /* queues.h */
typedef struct clpac__segment clpac__segment;	    /* segments.h */
typedef struct clpac__pending clpac__pending;	    /* hazards.h */

/* What every request and release touches comes first. */
struct clpac_buffer {
	clpac_pool *pool; /* NULL once the pool was destroyed; block is NULL too then */

	/* Its present owner's. */
	atomic_bool is_in_use;
	bool is_on_host;
	bool may_promote; /* a fallback: on the host for lack of room */
	bool is_pinned;	  /* its memory is known outside the pool and must stay where it is */
	unsigned class_index;
	size_t class_bytes;
	size_t bytes; /* asked for */
	const char *tag;
	uint64_t id;

	/* Who may still be using it when it is released. */
	/* home and recorded are atomic, since a queue may be closed by another thread; relaxed will do. */
	_Atomic(clpac__pool_queue *) home; /* NULL: nobody */
	clpac__pending *pending;	   /* events that have not been seen to pass */
	_Atomic uint32_t recorded;	   /* further queues, a bit for each ordinal */

	/* In a cache: by age, and in the stack of its class. */
	double released_s;
	uint64_t released_order; /* among those of the same coarse moment */
	clpac_buffer *older, *newer;
	clpac_buffer *below, *above;

	void *mapping; /* what clpac_buffer_map gave; NULL: not mapped */
	clpac__block *block;
	clpac__segment *segment;       /* NULL: the block has memory of its own */
	clpac_piece piece;	       /* of the segment */
	clpac_buffer *previous, *next; /* among all handles of the pool */

	clpac__notes notes; /* of those who watch the pool */
};

#endif
