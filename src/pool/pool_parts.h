/* What a pool is made of, for the files of this folder that share the work.
 *
 *     request.c    what is asked for, checked and rounded
 *     allocate.c   magazine -> depot -> segment or driver -> ladder            ladder.c   what makes room
 *     release.c    a block's way back: hazards -> magazine -> depot -> segment or driver
 *     make.c       blocks from segments and from the driver                 evict.c    and back to them
 *     fallback.c   buffers on the host                                      pressure.c who is told, and what shrinks by
 * itself
 *
 * Locks, outermost first.  `lock` guards every member but those said to be atomic or fixed, and is never held over a
 * call of the driver or of the application.  A magazine's lock guards that magazine.  A queue's `driver` makes the
 * calls of the driver take turns; it guards no data, and whoever holds it takes no other lock. */
#ifndef CLPAC_POOL_POOL_PARTS_H
#define CLPAC_POOL_POOL_PARTS_H

#include <pthread.h>
#include "pool/checked.h"
#include "pool/magazine.h"
#include "pool/hazards.h"
#include "pool/ledger.h"
#include "pool/pool.h"
#include "pool/segments.h"
#include "trace/thread_number.h"

enum { CLPAC__MAX_LISTENERS = 8 };

typedef struct clpac__watcher {
	clpac_pressure_function *function;
	void *user;
} clpac__watcher;

typedef struct clpac__relief {
	clpac_ladder_step step;
	clpac_relief_function *function;
	void *user;
} clpac__relief;

struct clpac_pool {
	/* Fixed. */
	unsigned classes_per_octave, classes_log2;
	size_t unit;	      /* a power of two: every block on the device is a multiple of it, and begins at one */
	size_t largest_bytes; /* the device's largest block; SIZE_MAX where it does not tell */
	bool has_segments;
	clpac_placement placement;
	double wait_s;
	bool is_checked;
	size_t front_bytes, extra_bytes; /* of the margins of a checked pool; else 0 */
	size_t max_kept;		 /* of a class, while the pressure is neither low nor high */
	bool may_grow;			 /* nobody chose max_kept: more are kept where there is plenty */

	/* Atomic. */
	clpac__magazines magazines;
	atomic_size_t kept;    /* most cached blocks of a class now, half of them in a magazine */
	atomic_uint n_waiting; /* threads that wait for a release */
	atomic_bool has_news;  /* changes of pressure to be told */
	atomic_uint n_queues;  /* places taken, closed ones included; the first is the pool's own */
	clpac__pool_queue queues[CLPAC__MAX_QUEUES];

	clpac__watch watch; /* keeps its own locks */

	pthread_mutex_t lock;
	pthread_cond_t settled; /* a driver answered, or somebody waited for released a block */
	clpac__ledger ledger;
	clpac__free_list depot; /* cached blocks of no magazine */
	size_t *n_warm;		/* blocks of each class that are kept beyond the limit */
	clpac_buffer *pending;	/* released blocks whose events have not passed, by below */
	clpac__segments segments;
	size_t max_segment_bytes; /* shrinks where a driver says that it is too large */
	clpac_buffer *handles;	  /* all, by next */
	clpac__quarantine quarantine;
	size_t n_returning; /* threads that are bringing memory back to segments or the driver */

	clpac__watcher watchers[CLPAC__MAX_LISTENERS];
	clpac__relief reliefs[2 * CLPAC__MAX_LISTENERS];
	bool is_telling; /* a thread is delivering news */
	bool is_relieving;

	clpac_free_memory free_memory; /* the last answer */
	double free_memory_s;
	unsigned free_memory_asked;
};

/* --- magazine.c ---------------------------------------------------------------------------------- */

/* The caller's magazine for a queue; NULL when the host has no memory left for one.  Numbers of queues are spread, so
 * that a thread's queues fall on different magazines. */
static inline clpac__magazine *clpac__magazine_get(clpac_pool *pool, const clpac__pool_queue *queue)
{
	const unsigned place = (clpac__thread_number() + 11 * queue->ordinal) % CLPAC__MAX_MAGAZINES;
	clpac__magazine *magazine = atomic_load_explicit(&pool->magazines.magazines[place], memory_order_acquire);
	return magazine ? magazine : clpac__magazine_make(pool, place);
}

/* --- request.c -------------------------------------------------------------------------------- */

/* What is asked for, checked and rounded. */
typedef struct clpac__need {
	const clpac_request *request;
	const char *tag;
	size_t bytes, class_bytes;
	unsigned class_index;
	clpac_placement placement;
	clpac__pool_queue *queue;
} clpac__need;

clpac_status clpac__need_make(clpac_pool *pool, const clpac_request *request, clpac__need *out, clpac_error *err);

/* --- queues.c --------------------------------------------------------------------------------- */

/* clpac__pool_queue_find, or NULL and an error that says what could not be done. */
clpac__pool_queue *clpac__pool_queue_need(clpac_pool *pool, const clpac_queue *queue, const char *what,
					  clpac_error *err);
/* NULL for a queue that was closed: there is nothing to wait for. */
clpac_status clpac__pool_queue_mark(clpac__pool_queue *place, clpac_event **out, clpac_error *err);
clpac_status clpac__pool_queue_wait_for(clpac__pool_queue *place, clpac_event *event, clpac_error *err);

/* Functions from here on are called with the lock locked and return with it locked; those that say so unlock it in
 * between. */

/* --- pressure.c ------------------------------------------------------------------------------- */

/* Lets what depends on it follow a change of the ledger: what is kept, what is to be told. */
void clpac__pool_follow(clpac_pool *pool);

/* --- handle.c ------------------------------------------------------------------------------- */

/* Puts a handle into the list of all, or takes it out. */
void clpac__handle_add(clpac_pool *pool, clpac_buffer *buffer);
void clpac__handle_remove(clpac_pool *pool, clpac_buffer *buffer);

/* --- make.c ----------------------------------------------------------------------------------- */

/* How far down the ladder new memory may be made. */
typedef struct clpac__attempt {
	unsigned divisor;  /* of the usual size of a segment: 1, 2, 4 or 8 */
	bool is_dedicated; /* no new segment */
	uint64_t lacking;  /* out: bytes that the budget lacks; 0: the driver refused */
} clpac__attempt;

/* A block for the need, cut from a segment or made by the driver, in nobody's hands yet.  Unlocks in between.
 * CLPAC_ERROR_NO_DEVICE_MEMORY and CLPAC_ERROR_NO_MEMORY: room may help. */
clpac_status clpac__pool_make(clpac_pool *pool, const clpac__need *need, clpac__attempt *attempt, clpac_buffer **out,
			      clpac_error *err);
/* A block over a piece that was cut for it; the piece goes back where that fails.  Unlocks in between. */
clpac_status clpac__pool_make_part(clpac_pool *pool, const clpac__need *need, clpac__segment *segment,
				   clpac_piece piece, clpac_buffer **out, clpac_error *err);
/* A segment of that size for a queue.  Unlocks in between. */
clpac_status clpac__pool_make_segment(clpac_pool *pool, size_t bytes, bool is_small, clpac__pool_queue *home,
				      clpac_error *err);

/* --- evict.c ---------------------------------------------------------------------------------- */

/* Gives a chain of blocks, linked by below, to the segments and the driver.  Unlocks in between. */
void clpac__pool_drop(clpac_pool *pool, clpac_buffer *chain);
/* Gives cached memory back to the driver, the oldest first, until at least so many bytes are gone or none is left.
 * Returns the bytes.  Unlocks in between. */
uint64_t clpac__pool_evict(clpac_pool *pool, uint64_t bytes);
/* Puts cached blocks back into their segments, where they become larger pieces.  True where there was one.  Unlocks in
 * between. */
bool clpac__pool_merge(clpac_pool *pool);
/* The same only where they are so many that memory need not grow yet. */
bool clpac__pool_merge_before_growth(clpac_pool *pool);
/* Gives segments without pieces back to the driver until so many bytes are gone.  Returns the bytes.  Unlocks in
 * between. */
uint64_t clpac__pool_release_segments(clpac_pool *pool, uint64_t bytes);

/* --- release.c -------------------------------------------------------------------------------- */

/* Puts into the depot a block that is in nobody's hands, or drops it where its class is full.  Unlocks in between. */
void clpac__pool_deposit(clpac_pool *pool, clpac_buffer *buffer);
/* Puts into the depot the pending blocks whose events have passed.  True where there was one.  Unlocks in between. */
bool clpac__pool_collect(clpac_pool *pool);

/* --- ladder.c --------------------------------------------------------------------------------- */

/* A block for a need that found no room.  Unlocks in between. */
clpac_status clpac__pool_reclaim(clpac_pool *pool, const clpac__need *need, clpac__attempt *attempt, clpac_status st,
				 clpac_buffer **out, bool *is_hit, clpac_error *err);

/* --- allocate.c ------------------------------------------------------------------------------- */

/* A cached block for the need from the depot or any magazine; NULL: none. */
clpac_buffer *clpac__pool_look(clpac_pool *pool, const clpac__need *need);
/* A block for the need, in nobody's hands yet.  Unlocks in between. */
clpac_status clpac__pool_obtain(clpac_pool *pool, const clpac__need *need, bool *is_hit, clpac_buffer **out,
				clpac_error *err);

/* --- watched.c: for a pool with clpac__watch_is_on, without any lock -------------------------- */

void clpac__pool_note_allocation(clpac_pool *pool, clpac_buffer *buffer, const clpac_request *request, bool is_hit);
void clpac__pool_note_refusal(clpac_pool *pool, const clpac__need *need);
void clpac__pool_note_release(clpac_pool *pool, clpac_buffer *buffer);

/* --- Without the lock ------------------------------------------------------------------------- */

clpac_status clpac__buffer_check(const clpac_buffer *buffer, const char *what, size_t offset, size_t bytes,
				 clpac_error *err); /* buffer.c: is it in use, and is the range in it? */
clpac_status clpac__buffer_unmap(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err); /* buffer.c */

/* A buffer on the host (fallback.c).  CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__pool_make_on_host(clpac_pool *pool, const clpac__need *need, clpac_buffer **out, clpac_error *err);
void clpac__pool_drop_from_host(clpac_pool *pool, clpac_buffer *buffer);
/* Moves a fallback buffer to the device where there is room without effort. */
clpac_status clpac__buffer_promote(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err);

/* Tells watchers of changes, and lets caches shrink or grow with the pressure (pressure.c). */
void clpac__pool_tell(clpac_pool *pool);
/* Asks the functions registered for a step to let go of bytes; returns what they say they let go of. */
uint64_t clpac__pool_ask_relief(clpac_pool *pool, clpac_ladder_step step, uint64_t bytes);

#endif
