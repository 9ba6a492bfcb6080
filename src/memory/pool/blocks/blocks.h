/* A pool from below: its members, and what can be said of blocks, queues' places and bytes without a request.
 *
 *     handle.c     handles: the list of all of a pool, what one may be used for, who owns it, who alone may change its
 *                  block now; who holds a pool
 *     places.c     the places of queues, and driver calls on them
 *     hazards.c    the work that may still use a released block
 *     staging.c    transfers through pinned memory
 *     magazine.c, free_list.c    cached blocks, per thread and queue, and of all
 *     segments.c, offsets.c    large blocks that are cut
 *     ledger.c, limit.c, budget.c    bytes; how full a pool is, and how much it caches therefore
 *     checked.c    pools that look for mistakes of their users
 *
 * The strata above: room/room.h makes room for a need, surface/surface.h is what the application calls.
 *
 * Locks, outermost first:
 *
 * - The lock of the staging ring guards it; it is taken where it is free, and never waited for.
 * - A lock of uses guards events of buffers in use (below).
 * - The lock of a tree of limits guards its list of pools.
 * - The pool's `lock` guards every member except those marked atomic or fixed.  It is never held over a call of the
 *   driver or of the application.
 * - A magazine's lock guards that magazine, which its thread mostly enters without the lock (base/latch.h).
 * - A queue's `driver` lock makes driver calls take turns; it guards no data, and its holder takes no other lock.
 */
#ifndef CLPAC_MEMORY_POOL_BLOCKS_BLOCKS_H
#define CLPAC_MEMORY_POOL_BLOCKS_BLOCKS_H

#include <pthread.h>
#include "base/process.h"
#include "memory/pool/pool.h"
#include "memory/pool/blocks/checked.h"
#include "memory/pool/blocks/ledger.h"
#include "memory/pool/blocks/magazine.h"
#include "memory/pool/blocks/segments.h"
#include "memory/pool/blocks/size_class.h"
#include "memory/trace/trace_hooks.h"

/* --- Members --------------------------------------------------------------------------------- */

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

/* Uses of a buffer's block, which hold it in its place, and moves, which wait for their end.
 *
 * One word counts the uses: those that the application began, and transfers that are being put into a queue.  Whoever
 * wants to change the block, or to look at the events of a buffer in use, claims it, which only works where no use is
 * open; a use that begins, and a release, wait for the end of the claim.  A release while a use is open takes effect at
 * the end of the last one.
 *
 * Events of uses that ended in other queues than the buffer's own are among its pending ones.  Of a buffer in use these
 * belong to who claimed it, or to the holder of a use while he holds the lock of uses too.  That lock is held over
 * calls about events and over a queue's `driver` lock; no request takes it.
 */

/* Parts of clpac_buffer.uses. */
#define CLPAC__USE_OF_CALLER (UINT64_C(1))	/* up to 2^30 - 1 */
#define CLPAC__USE_OF_POOL (UINT64_C(1) << 30)	/* the same */
#define CLPAC__USE_RELEASED (UINT64_C(1) << 62) /* the buffer was released with uses open */
#define CLPAC__USE_MOVING (UINT64_C(1) << 63)	/* claimed */
#define CLPAC__USES_OF_CALLER (CLPAC__USE_OF_POOL - 1)

/* Locks of uses: buffers share them by address. */
enum { CLPAC__USE_LOCKS = 16 };

enum { CLPAC__MAX_LISTENERS = 8 };

typedef struct clpac__watcher {
	clpac_pressure_function *function;
	void *user;
} clpac__watcher;

typedef struct clpac__reclaimer clpac__reclaimer; /* room/reclaimer.h */

typedef struct clpac__relief {
	clpac_ladder_step step;
	clpac_relief_function *function;
	void *user;
	const clpac__reclaimer *reclaimer; /* NULL: the application's function */
} clpac__relief;

struct clpac_pool {
	/* Fixed. */
	unsigned process; /* that made it (base/process.h) */
	unsigned classes_per_octave, classes_log2;
	size_t unit;	      /* a power of two: size and offset of every block on the device are multiples of it */
	size_t largest_bytes; /* the device's largest block; SIZE_MAX when not reported */
	bool has_segments;
	size_t largest_class_bytes; /* a class is cut down to this where the request itself fits */
	size_t easy_bytes;	    /* requests up to this have a class that nothing cuts down; 0 in a checked pool */
	clpac_pool_options made;    /* what the pool was made with */
	uint64_t made_budget_bytes, cap_bytes;
	bool is_checked;
	size_t front_bytes, extra_bytes; /* margins of a checked pool; otherwise 0 */
	bool holds_queue, is_of_context; /* the holders of the queue are counted; the pool is a context's own */

	/* Atomic. */
	atomic_int placement;		/* clpac_placement */
	_Atomic(uint64_t) budget_bytes; /* a copy of the ledger's */
	clpac__magazines magazines;
	/* Most cached blocks of a class now, half of them in a magazine: of those with memory of their own, and of
	 * parts. */
	atomic_size_t kept, kept_parts;
	/* Reasons why no block goes into a magazine: threads that wait for a release; one more once the owner gave the
	 * pool up, and one while n_scattered counts. */
	atomic_uint n_waiting;
	atomic_bool is_given_up;
	atomic_bool has_news; /* changes of pressure not delivered yet */
	_Atomic uint64_t bytes_to_device, bytes_from_device;
	/* Bytes of blocks on the host, promised ones too, and the most that there may be by the option; 0: it says
	 * nothing. */
	_Atomic uint64_t host_bytes, fallback_bytes;
	atomic_uint n_queues; /* places taken, including closed ones; the first is the pool's own */
	clpac__pool_queue queues[CLPAC__MAX_QUEUES];

	clpac__watch watch; /* has its own locks */
	clpac__staging staging;
	pthread_mutex_t use_locks[CLPAC__USE_LOCKS];

	pthread_mutex_t lock;
	size_t n_holders; /* the owner, until it gives the pool up, and what was made on it except buffers */
	/* signalled when a driver call ended, or a block was released that a thread waits for */
	pthread_cond_t settled;
	clpac__ledger ledger;
	clpac__member member;	 /* of the shared limit; guarded by the limit */
	clpac_limit *host_limit; /* fixed, and held: that of the options for buffers on the host; NULL: none */
	clpac__free_list depot;	 /* cached blocks in no magazine */
	size_t *n_warm;		 /* blocks of each class kept beyond the limit */
	clpac_buffer *pending;	 /* released blocks whose events have not passed, chained through `below` */
	clpac__segments segments;
	double wait_s;
	/* Requests left for which released parts go back into their segments at once, since free bytes lay scattered
	 * (clpac__pool_note_scattered): a cached part that is handed out again stays where it is, but a piece cut anew
	 * is taken where it fits best.
	 */
	unsigned n_scattered;
	size_t max_kept;	  /* cached blocks of a class while the pressure is neither low nor high */
	bool may_move;		  /* the ladder may move buffers */
	double merge_fraction;	  /* of all segments' bytes: more cached parts merge before another segment is made */
	bool may_grow;		  /* max_kept is the default: more are kept while the budget is mostly free */
	size_t max_segment_bytes; /* shrinks when a driver refuses one as too large */
	clpac_buffer *handles;	  /* all handles, chained through `next` */
	clpac__quarantine quarantine;
	size_t n_returning; /* threads that are bringing memory back to segments or the driver */
	size_t n_evicting;  /* threads that have stores evict something for a request */

	clpac__watcher watchers[CLPAC__MAX_LISTENERS];
	clpac__relief reliefs[2 * CLPAC__MAX_LISTENERS];
	bool is_telling; /* a thread is delivering changes of pressure */

	clpac_free_memory free_memory; /* the last answer */
	double free_memory_s;
	unsigned free_memory_asked;

	struct {
		atomic_bool is_wanted;
		uint64_t every_releases, max_bytes, last_releases; /* the last: of all threads at the last pass */
		double every_s, last_s;
	} compaction;
	double snapshot_s;	       /* time of the last snapshot of a refusal; 0: none yet */
	void (*end)(clpac_pool *pool); /* fixed: ends the pool, once nobody holds it */
};

/* Whether there is a pool, and this process may use it. */
static inline bool clpac__pool_is_here(const clpac_pool *pool)
{
	return pool && !clpac__is_foreign(pool->process);
}

/* A stale handle of a checked pool has none; what is done with it is refused further on. */
#define NEED_BUFFER_HERE(buffer)                                                                                       \
	do {                                                                                                           \
		if ((buffer)->pool)                                                                                    \
			NEED_OF_HERE((buffer)->pool->process, #buffer);                                                \
	} while (0)

/* --- magazine.c ------------------------------------------------------------------------------ */

/* The caller's magazine for a queue; NULL when the host has no memory for one.  Numbers of queues are spread, so that
 * one thread's queues have different magazines. */
static inline clpac__magazine *clpac__magazine_get(clpac_pool *pool, const clpac__pool_queue *queue)
{
	const unsigned place = (clpac__thread_number() + 11 * queue->ordinal) % CLPAC__MAX_MAGAZINES;
	clpac__magazine *magazine = atomic_load_explicit(&pool->magazines.magazines[place], memory_order_acquire);
	return magazine ? magazine : clpac__magazine_make(pool, place);
}

/* Enters it, unless the pool is of another process, whose magazines none of this one's threads owns
 * (memory/trace/noted.c): so the owner need not ask.  *is_without is for the exit. */
CLPAC__FREQUENT bool clpac__magazine_enter_here(const clpac_pool *pool, clpac__magazine *magazine, bool *is_without)
{
	const uint32_t thread = clpac__thread_number() + 1;
	*is_without = clpac__biased_latch_enter_as_owner(&magazine->lock, thread);
	if (__builtin_expect(*is_without, 1))
		return true;
	if (clpac__is_foreign(pool->process))
		return false;
	clpac__biased_latch_enter_slowly(&magazine->lock, thread);
	return true;
}

/* The same for a thread that has been numbered before; NULL: it was not, or has none. */
static inline clpac__magazine *clpac__magazine_peek(clpac_pool *pool, const clpac__pool_queue *queue, uint32_t thread)
{
	const unsigned place = (thread - 1 + 11 * queue->ordinal) % CLPAC__MAX_MAGAZINES;
	return thread ? atomic_load_explicit(&pool->magazines.magazines[place], memory_order_acquire) : NULL;
}

/* --- places.c -------------------------------------------------------------------------------- */

/* The place of a queue, not NULL; NULL when the pool does not have it.  Any thread. */
clpac__pool_queue *clpac__pool_queue_search(clpac_pool *pool, const clpac_queue *queue);

/* Ends the places of queues.  All but the pool's own are closed. */
void clpac__pool_queues_destroy(clpac_pool *pool);

/* The place of a queue; for NULL that of the pool's own; NULL when the pool does not have the queue.  Any thread. */
static inline clpac__pool_queue *clpac__pool_queue_find(clpac_pool *pool, const clpac_queue *queue)
{
	return queue ? clpac__pool_queue_search(pool, queue) : &pool->queues[0];
}

/* clpac__pool_queue_find, or NULL and an error that names the failed operation. */
clpac__pool_queue *clpac__pool_queue_need(clpac_pool *pool, const clpac_queue *queue, const char *what,
					  clpac_error *err);
/* NULL event for a closed queue: there is nothing to wait for. */
clpac_status clpac__pool_queue_mark(clpac__pool_queue *place, clpac_event **out, clpac_error *err);
clpac_status clpac__pool_queue_wait_for(clpac__pool_queue *place, clpac_event *event, clpac_error *err);
/* The queue for driver calls on a buffer, with its driver lock held: its home, or the pool's own when it has none, or
 * one that another thread has just closed, whose work is done. */
clpac__pool_queue *clpac__pool_queue_lock_home(clpac_pool *pool, const clpac_buffer *buffer);
/* Forgets an event of clpac__pool_queue_mark; NULL is fine. */
void clpac__pool_forget(clpac_pool *pool, clpac_event *event);

/* --- handle.c -------------------------------------------------------------------------------- */

/* Adds a handle to the list of all handles, or removes it. */
void clpac__handle_add(clpac_pool *pool, clpac_buffer *buffer);
void clpac__handle_remove(clpac_pool *pool, clpac_buffer *buffer);

/* Checks that it is in use and contains the range. */
clpac_status clpac__buffer_check(const clpac_buffer *buffer, const char *what, size_t offset, size_t bytes,
				 clpac_error *err);
/* Ends its mapping. */
clpac_status clpac__buffer_unmap(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err);

/* The piece of a part, which is as long as its class. */
static inline clpac_piece clpac__buffer_piece(const clpac_buffer *buffer)
{
	return (clpac_piece){buffer->piece_offset, buffer->class_bytes / buffer->pool->unit, buffer->piece_node};
}
static inline void clpac__buffer_set_piece(clpac_buffer *buffer, clpac__segment *segment, clpac_piece piece)
{
	buffer->segment = segment;
	buffer->piece_offset = piece.offset;
	buffer->piece_node = piece.node;
}

/* Everything that uses a buffer's block asks for it first (clpac__buffer_make_block). */
static inline clpac_status clpac__buffer_need_block(clpac_buffer *buffer, clpac_error *err)
{
	return CLPAC__RARELY(!atomic_load_explicit(&buffer->block, memory_order_acquire))
		       ? clpac__buffer_make_block(buffer, err)
		       : CLPAC_OK;
}

/* --- hazards.c ------------------------------------------------------------------------------- */

/* Hazards: work that may still use a released block, and waiting for it.
 *
 * A block that only its in-order home queue used has no hazard for that queue: work put there later runs later.  Every
 * other use is an event to wait for.  Functions that call a driver are called without the pool's lock.
 */

/* Puts an event into every queue that may be using a block that is being released, except an in-order home.  If that
 * fails, waits for the queue instead. */
void clpac__hazards_mark(clpac_pool *pool, clpac_buffer *buffer);

/* Adds events of the caller's, all or none. */
clpac_status clpac__hazards_add(clpac_pool *pool, clpac_buffer *buffer, size_t n, clpac_event *const *events,
				clpac_error *err);
/* Puts an event into a queue that uses a buffer, in the place of an earlier one of that queue.  If that fails, waits
 * for the queue instead. */
void clpac__hazards_note(clpac_pool *pool, clpac_buffer *buffer, clpac__pool_queue *place);
/* Makes a queue wait for the events of other queues, and forgets those that have passed. */
clpac_status clpac__hazards_follow(clpac_pool *pool, clpac_buffer *buffer, clpac__pool_queue *place, clpac_error *err);

/* Drops events that have passed; true when none is left. */
bool clpac__hazards_poll(clpac_pool *pool, clpac_buffer *buffer);
/* Makes the host wait for all hazards of a block. */
void clpac__hazards_wait(clpac_pool *pool, clpac_buffer *buffer);
/* Makes a queue wait for all hazards and for the home queue, and becomes the block's home.  The host waits if the
 * device cannot. */
void clpac__hazards_move(clpac_pool *pool, clpac_buffer *buffer, clpac__pool_queue *to);

/* --- handle.c -------------------------------------------------------------------------------- */

/* Waits for the end of a claim, and returns what the word says then.  Without the pool's lock. */
uint64_t clpac__use_wait_for_move(const clpac_buffer *buffer);
/* Claims a buffer; false: a use is open, it was released, or others moved it.  The pool's lock is held. */
bool clpac__use_claim(clpac_buffer *buffer);
/* Ends the claim.  The pool's lock is held. */
void clpac__use_unclaim(clpac_pool *pool, clpac_buffer *buffer);
/* Forgets the events that have passed of all buffers that nobody uses.  The pool's lock is held, and dropped in
 * between.
 */
void clpac__uses_settle(clpac_pool *pool);
/* For a buffer that was just marked as released: true when its uses go on, and the release comes with their end. */
bool clpac__use_defer_release(clpac_buffer *buffer);

/* --- handle.c: holders ----------------------------------------------------------------------- */

/* Nobody holds the pool, and no buffer of it is in use: whoever finds that ends it (clpac_pool.end), without the lock.
 */
bool clpac__pool_is_over(clpac_pool *pool);

/* --- budget.c -------------------------------------------------------------------------------- */

/* Updates what depends on the ledger after a change: the limit of cached blocks and the undelivered changes. */
void clpac__pool_follow(clpac_pool *pool);

/* --- staging.c ------------------------------------------------------------------------------- */

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
