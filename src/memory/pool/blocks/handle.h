/* A buffer from inside: a block of a device, and its owner; the places of a pool's queues, which use it; and the events
 * of what may still use it.
 *
 * A handle lives as long as its block is the pool's: block and handle pass together from owner to owner through the
 * caches.
 */
#ifndef CLPAC_MEMORY_POOL_BLOCKS_HANDLE_H
#define CLPAC_MEMORY_POOL_BLOCKS_HANDLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <clpac/memory/limit.h>
#include <clpac/memory/offsets.h>
#include "memory/backend/backend.h"
#include "memory/trace/trace_hooks.h"

typedef struct clpac__pool_queue clpac__pool_queue;
typedef struct clpac__segment clpac__segment; /* segments.h */
typedef struct clpac__pending clpac__pending;

/* Members that every request and release touches come first. */
struct clpac_buffer {
	clpac_pool *pool; /* stays as long as the buffer is in use */

	/* Facts of the present owner. */
	atomic_bool is_in_use;
	atomic_bool is_on_host;
	/* A fallback: on the host for lack of room.  True once the request has ended. */
	atomic_bool may_promote;
	atomic_bool is_pinned; /* its memory is known outside the pool for good, so it must not move */
	atomic_bool is_armed;  /* its margins are verified (a checked pool) */
	bool is_lent;	       /* by a checked pool, under a handle for one owner */
	uint16_t class_index;
	size_t class_bytes;
	const char *tag;
	size_t bytes; /* as requested; not beside class_bytes, so that no vector is loaded of which a half was just
			 stored */
	uint64_t id;
	_Atomic uint64_t uses; /* open uses, and whether it is being moved (blocks.h) */

	/* Users that may still be active when the buffer is released. home and recorded are atomic because another
	 * thread may close a queue; relaxed order is enough. */
	_Atomic(clpac__pool_queue *) home; /* NULL: nobody */
	/* Events that have not been seen to pass.  In a live buffer guarded as blocks.h says. */
	_Atomic(clpac__pending *) pending;
	_Atomic uint32_t recorded; /* further queues, one bit per ordinal */

	uint32_t piece_node; /* of the piece, in its segment */

	/* The key under which a store owns it; NULL: it is its user's.  Changes with the pool's lock held, which keeps
	 * the text alive. */
	_Atomic(const char *) key;

	_Atomic(void *) mapping; /* result of clpac_buffer_map; NULL: not mapped */
	clpac_buffer *below;	 /* in the stack of its class, or another chain */
	union {
		clpac__notes notes; /* while in use: records of tracker and scopes; cleared at each request */
		struct {	    /* while cached: position by age, and in the stack of its class */
			int64_t released_ns;
			uint64_t released_order; /* order among releases at the same coarse time */
			clpac_buffer *above, *older, *newer;
		};
	};

	/* From here on what hits and plain releases leave alone. */
	_Atomic(clpac__block *) block; /* NULL: a part that nobody has used yet (clpac__buffer_need_block) */
	clpac__segment *segment;       /* NULL: the block has memory of its own */
	union {
		uint64_t piece_offset;	 /* in the segment, in units */
		clpac_limit *host_limit; /* that a block on the host counts in; NULL: none */
	};
	clpac_buffer *previous, *next; /* in the chain of all handles of the pool */
};

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

/* An event to wait for before another owner uses the block. */
struct clpac__pending {
	clpac_event *event;
	clpac__pending *next;
	const clpac__pool_queue *place; /* the queue that it was put into; NULL: an event of the caller's */
};

#endif
