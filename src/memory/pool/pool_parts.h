/* The members and internal functions of a pool, for the files of this folder.
 *
 *     request.c    checks and rounds a request
 *     allocate.c   magazine -> depot -> segment or driver -> ladder
 *     ladder.c     makes room, step by step
 *     make.c       finds cached blocks, makes new ones from segments and by the driver
 *     victims.c    chooses what stores are to evict
 *     defragment.c moves buffers together, on the ladder, on request, and now and then
 *     evict.c      puts blocks into the depot, gives them back to segments and driver
 *     release.c    hazards -> magazine -> depot -> segment or driver
 *     fallback.c   buffers on the host
 *     uses.c       who uses a block now, and may therefore not find it moved
 *     claims.c     who alone may change a block now
 *     pressure.c   adapts the caches
 *     watchers.c   tells of changes of pressure
 *     relief.c     asks stores and the application to release memory
 *     snapshot.c   writes what the pool holds to a file
 *     warm_up.c    makes the blocks that the options name
 *     siblings.c   trims pools that share a limit
 *
 * Locks, outermost first:
 *
 * - The lock of the staging ring guards it; it is taken where it is free, and never waited for.
 * - A lock of uses guards events of buffers in use (uses.h).
 * - The lock of a tree of limits guards its list of pools.
 * - The pool's `lock` guards every member except those marked atomic or fixed.  It is never held over a call of the
 *   driver or of the application.
 * - A magazine's lock guards that magazine, which its thread mostly enters without the lock (base/biased_latch.h).
 * - A queue's `driver` lock makes driver calls take turns; it guards no data, and its holder takes no other lock.
 */
#ifndef CLPAC_MEMORY_POOL_POOL_PARTS_H
#define CLPAC_MEMORY_POOL_POOL_PARTS_H

#include <pthread.h>
#include "memory/pool/checked.h"
#include "memory/pool/magazine.h"
#include "memory/pool/hazards.h"
#include "memory/pool/keeper.h"
#include "memory/pool/ledger.h"
#include "memory/pool/limit.h"
#include "memory/pool/pool.h"
#include "memory/pool/pool_events.h"
#include "memory/pool/segments.h"
#include "memory/pool/size_class.h"
#include "memory/pool/staging.h"
#include "memory/pool/uses.h"
#include "memory/trace/thread_number.h"

enum { CLPAC__MAX_LISTENERS = 8 };

typedef struct clpac__watcher {
	clpac_pressure_function *function;
	void *user;
} clpac__watcher;

typedef struct clpac__relief {
	clpac_ladder_step step;
	clpac_relief_function *function;
	void *user;
	const clpac__keeper *keeper; /* NULL: the application's function */
} clpac__relief;

struct clpac_pool {
	/* Fixed. */
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
	atomic_size_t kept; /* most cached blocks of a class now, half of them in a magazine */
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
	/* Requests left for which released parts go back into their segments at once, since free bytes lay scattered:
	 * a cached part that is handed out again stays where it is, but a piece cut anew is taken where it fits best.
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

	clpac__watcher watchers[CLPAC__MAX_LISTENERS];
	clpac__relief reliefs[2 * CLPAC__MAX_LISTENERS];
	bool is_telling; /* a thread is delivering changes of pressure */
	bool is_relieving;

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

/* --- magazine.c ------------------------------------------------------------------------------- */

/* The caller's magazine for a queue; NULL when the host has no memory for one.  Numbers of queues are spread, so that
 * one thread's queues have different magazines. */
static inline clpac__magazine *clpac__magazine_get(clpac_pool *pool, const clpac__pool_queue *queue)
{
	const unsigned place = (clpac__thread_number() + 11 * queue->ordinal) % CLPAC__MAX_MAGAZINES;
	clpac__magazine *magazine = atomic_load_explicit(&pool->magazines.magazines[place], memory_order_acquire);
	return magazine ? magazine : clpac__magazine_make(pool, place);
}

/* The same for a thread that has been numbered before; NULL: it was not, or has none. */
static inline clpac__magazine *clpac__magazine_peek(clpac_pool *pool, const clpac__pool_queue *queue, uint32_t thread)
{
	const unsigned place = (thread - 1 + 11 * queue->ordinal) % CLPAC__MAX_MAGAZINES;
	return thread ? atomic_load_explicit(&pool->magazines.magazines[place], memory_order_acquire) : NULL;
}

/* --- request.c -------------------------------------------------------------------------------- */

/* The place of a queue; for NULL that of the pool's own; NULL when the pool does not have the queue.  Any thread. */
static inline clpac__pool_queue *clpac__pool_queue_find(clpac_pool *pool, const clpac_queue *queue)
{
	return queue ? clpac__pool_queue_search(pool, queue) : &pool->queues[0];
}

/* A request, checked and rounded. */
typedef struct clpac__need {
	const clpac_request *request;
	const char *tag;
	size_t bytes, class_bytes;
	unsigned class_index;
	clpac_placement placement;
	clpac__pool_queue *queue;
} clpac__need;

/* Rounds to a class.  Every block is a multiple of the unit at which parts may begin.  A class larger than the device's
 * largest block or than the budget is cut down to that if the request itself fits.  0: no class is that large. */
static inline size_t clpac__need_class(const clpac_pool *pool, size_t bytes, unsigned *index)
{
	const size_t rest = pool->unit - 1; /* the unit is a power of two */
	if (!bytes || bytes > SIZE_MAX - rest - pool->extra_bytes)
		return 0;
	bytes += pool->extra_bytes;
	const size_t class_bytes = clpac__size_class_find((bytes + rest) & ~rest, pool->classes_log2, index);
	if (!class_bytes || class_bytes > SIZE_MAX - rest)
		return 0;
	const size_t rounded = (class_bytes + rest) & ~rest;
	const size_t most = pool->largest_class_bytes;
	return bytes <= most && rounded > most ? most : rounded;
}

/* clpac__need_class for 1 to easy_bytes bytes. */
static inline size_t clpac__need_easy_class(const clpac_pool *pool, size_t bytes, unsigned *index)
{
	const size_t rest = pool->unit - 1, n = pool->classes_log2;
	bytes = (bytes + rest) & ~rest;
	const unsigned log2 = (unsigned)(sizeof(unsigned long long) * 8 - 1) - (unsigned)__builtin_clzll(bytes);
	size_t e = log2 < n ? 0 : log2 - n;
	const size_t below = ((size_t)1 << e) - 1, class_bytes = (bytes + below) & ~below;
	const size_t mantissa = class_bytes >> e;
	/* The first class of the next octave, as a mantissa of 2n, has the number that it has as one of n. */
	*index = (unsigned)((e << n) + mantissa);
	return (class_bytes + rest) & ~rest;
}

/* The error of a request that can never be served. */
clpac_status clpac__need_refuse(clpac_pool *pool, const clpac__need *need, clpac_error *err);

static inline clpac_status clpac__need_make(clpac_pool *pool, const clpac_request *request, clpac__need *out,
					    clpac_error *err)
{
	const size_t bytes = request->bytes;
	out->request = request;
	out->tag = request->tag ? request->tag : "";
	out->bytes = bytes;
	out->class_bytes = clpac__need_class(pool, bytes, &out->class_index);
	out->queue = clpac__pool_queue_find(pool, request->queue);
	out->placement = request->placement
				 ? request->placement
				 : (clpac_placement)atomic_load_explicit(&pool->placement, memory_order_relaxed);
	const bool is_good = out->class_bytes && bytes <= pool->largest_bytes - pool->extra_bytes && out->queue &&
			     (unsigned)request->placement < CLPAC_PLACE_COUNT;
	return __builtin_expect(is_good, 1) ? CLPAC_OK : clpac__need_refuse(pool, out, err);
}

/* --- places.c --------------------------------------------------------------------------------- */

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

/* Functions below are called with the pool's lock held and return with it held; those that drop it in between say
 * so. */

/* --- holders.c -------------------------------------------------------------------------------- */

/* Nobody holds the pool, and no buffer of it is in use: whoever finds that ends it (clpac_pool.end), without the lock.
 */
bool clpac__pool_is_over(clpac_pool *pool);

/* --- siblings.c, without the lock -------------------------------------------------------------- */

/* Trims the caches of other pools for a need of so many bytes, where a limit, or one above it, lacks them beyond what
 * this pool's own caches could give.  Returns the bytes given back. */
uint64_t clpac__pool_trim_siblings(const clpac_pool *pool, const clpac_limit *limit, uint64_t bytes,
				   uint64_t own_cached_bytes);

/* --- pressure.c ------------------------------------------------------------------------------- */

/* Updates what depends on the ledger after a change: the limit of cached blocks and the undelivered changes. */
void clpac__pool_follow(clpac_pool *pool);

/* --- handle.c --------------------------------------------------------------------------------- */

/* Adds a handle to the list of all handles, or removes it. */
void clpac__handle_add(clpac_pool *pool, clpac_buffer *buffer);
void clpac__handle_remove(clpac_pool *pool, clpac_buffer *buffer);

/* --- make.c ----------------------------------------------------------------------------------- */

/* A cached block for the need from the depot or any magazine; NULL: none. */
clpac_buffer *clpac__pool_look(clpac_pool *pool, const clpac__need *need);

/* Limits on new memory, by step of the ladder. */
typedef struct clpac__attempt {
	unsigned divisor;  /* divides the usual size of a segment: 1, 2, 4 or 8 */
	bool is_dedicated; /* no new segment */
	uint64_t lacking;  /* out: bytes that the budget lacks; 0: the driver refused */
} clpac__attempt;

/* Makes a block for the need, cut from a segment or made by the driver; no other thread can reach it yet.  Drops the
 * lock in between.  After CLPAC_ERROR_NO_DEVICE_MEMORY and CLPAC_ERROR_NO_MEMORY, making room may help. */
clpac_status clpac__pool_make(clpac_pool *pool, const clpac__need *need, clpac__attempt *attempt, clpac_buffer **out,
			      clpac_error *err);
/* Makes a block over a piece that was cut for it; on failure the piece goes back.  If the segment is another queue's,
 * the block is ordered behind that queue's work, and the piece will go back behind this queue's.  Drops the lock in
 * between. */
clpac_status clpac__pool_make_part(clpac_pool *pool, const clpac__need *need, clpac__segment *segment,
				   clpac_piece piece, clpac_buffer **out, clpac_error *err);
/* Makes a segment of that size for a queue.  Drops the lock in between. */
clpac_status clpac__pool_make_segment(clpac_pool *pool, size_t bytes, bool is_small, clpac__pool_queue *home,
				      clpac_error *err);

/* --- evict.c ---------------------------------------------------------------------------------- */

/* Gives a chain of blocks, linked through `below`, back to the segments and the driver.  Drops the lock in between. */
void clpac__pool_drop(clpac_pool *pool, clpac_buffer *chain);
/* Puts a block into the depot, or drops it when its class is full there.  The block is unreachable for other threads
 * before.  Drops the lock in between. */
void clpac__pool_deposit(clpac_pool *pool, clpac_buffer *buffer);
/* Moves pending blocks whose events have passed to the depot.  True when there was one.  Drops the lock in between. */
bool clpac__pool_collect(clpac_pool *pool);
/* Gives cached memory back to the driver, the oldest first, until at least that many bytes are gone or none is left.
 * Returns the bytes.  Drops the lock in between. */
uint64_t clpac__pool_evict(clpac_pool *pool, uint64_t bytes);
/* Puts cached blocks back into their segments, where they coalesce.  True when there was one.  Drops the lock in
 * between. */
bool clpac__pool_merge(clpac_pool *pool);
/* Bytes that clpac__pool_evict would give back, cached parts left out: they go back to their segments first
 * (clpac__pool_merge).  Moves the blocks of all magazines to the depot. */
uint64_t clpac__pool_reclaimable(clpac_pool *pool);
/* clpac__pool_merge, but only if cached parts are so many that memory need not grow yet. */
bool clpac__pool_merge_before_growth(clpac_pool *pool);
/* Gives empty segments back to the driver until that many bytes are gone.  Returns the bytes.  Drops the lock in
 * between. */
uint64_t clpac__pool_release_segments(clpac_pool *pool, uint64_t bytes);

/* --- warm_up.c, without the lock ---------------------------------------------------------------- */

clpac_status clpac__pool_warm_up_by_text(clpac_pool *pool, const char *text, clpac_error *err);

/* --- release.c -------------------------------------------------------------------------------- */

/* Brings back the memory of a buffer whose release was marked and noted.  Its tag may be gone unless it is the pool's
 * own text.  Without the lock. */
void clpac__buffer_bring_back(clpac_buffer *buffer);

/* --- defragment.c ----------------------------------------------------------------------------- */

/* Moves the fewest bytes of buffers to other segments that leave a gap for a class.  True: there is such a gap now.
 * Drops the lock in between. */
bool clpac__pool_compact(clpac_pool *pool, size_t class_bytes);
/* Moves at most twice the class's bytes out of sparsely used segments and gives these back, for a class that no gap in
 * a segment serves.  True: the lacking bytes were given back.  Drops the lock in between. */
bool clpac__pool_vacate(clpac_pool *pool, size_t class_bytes, uint64_t lacking_bytes);

/* --- ladder.c --------------------------------------------------------------------------------- */

/* Obtains a block for a need that found no room.  Drops the lock in between. */
clpac_status clpac__pool_reclaim(clpac_pool *pool, const clpac__need *need, clpac__attempt *attempt, clpac_status st,
				 clpac_buffer **out, bool *is_hit, clpac_error *err);

/* --- allocate.c ------------------------------------------------------------------------------- */

/* Obtains a block for the need; no other thread can reach it yet.  Drops the lock in between. */
clpac_status clpac__pool_obtain(clpac_pool *pool, const clpac__need *need, bool *is_hit, clpac_buffer **out,
				clpac_error *err);

/* --- notes.c, without any lock ---------------------------------------------------------------- */

/* Counts a release that is refused, and keeps the text for clpac_pool_take_faults.  Without the lock. */
void clpac__pool_bad_release(clpac_pool *pool, const char *text);
/* True, and a bad release is counted, when a store owns the buffer (apart from the way of most releases,
 * which thereby needs no room on the stack). */
bool clpac__buffer_refuse_release(clpac_buffer *buffer);

/* For a pool with clpac__watch_is_on. */
void clpac__pool_note_allocation(clpac_pool *pool, clpac_buffer *buffer, const clpac_request *request, bool is_hit);
void clpac__pool_note_refusal(clpac_pool *pool, const clpac__need *need);
void clpac__pool_note_release(clpac_pool *pool, clpac_buffer *buffer);

/* --- snapshot.c, without any lock --------------------------------------------------------------- */

/* Number of last events that a pool of these options keeps. */
size_t clpac__snapshot_events(const clpac_pool_options *options);
/* Writes the snapshot of a refusal, whose text is in err, and adds to the text where it is, or why it is not. */
void clpac__snapshot_refusal(clpac_pool *pool, const clpac__need *need, clpac_error *err);

/* --- compaction.c, without any lock --------------------------------------------------------------- */

static inline bool clpac__compaction_is_wanted(const clpac_pool_options *options)
{
	return options->compaction.releases || options->compaction.seconds > 0;
}
/* A pass, if it is time for one. */
void clpac__pool_compact_in_turn(clpac_pool *pool);

/* --- Without the lock ------------------------------------------------------------------------- */

clpac_status clpac__buffer_check(const clpac_buffer *buffer, const char *what, size_t offset, size_t bytes,
				 /* buffer.c: checks that it is in use and contains the range */
				 clpac_error *err);
clpac_status clpac__buffer_unmap(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err); /* buffer.c */

/* Begins a transfer as a use of the buffer, behind the uses that ended in other queues, and returns the queue that
 * makes it, with its driver lock held.  A fallback buffer is first moved to the device if there is room again; failing
 * to move it does not fail the transfer. */
clpac_status clpac__transfer_begin(clpac_buffer *buffer, const char *what, clpac__pool_queue **out, clpac_error *err);
void clpac__transfer_end(clpac_buffer *buffer, clpac__pool_queue *home);
/* Counts bytes between host and device; for a buffer on the host there are none. */
static inline void clpac__transfer_count(_Atomic uint64_t *counter, const clpac_buffer *buffer, size_t bytes)
{
	if (!buffer->is_on_host)
		atomic_fetch_add_explicit(counter, bytes, memory_order_relaxed);
}

/* Makes later work of an out-of-order queue begin after all work put into it so far, as it does on in-order queues. The
 * driver lock is held. */
clpac_status clpac__keep_order(clpac__pool_queue *home, clpac_error *err);

/* Makes a buffer on the host within fallback_bytes and fallback_limit (fallback.c).  CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__pool_make_on_host(clpac_pool *pool, const clpac__need *need, clpac_buffer **out, clpac_error *err);
void clpac__pool_drop_from_host(clpac_pool *pool, clpac_buffer *buffer);
/* Moves a fallback buffer to the device if there is room without the ladder. */
clpac_status clpac__buffer_promote(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err);

/* Calls watchers about changes, and lets caches shrink or grow with the pressure (watchers.c). */
void clpac__pool_tell(clpac_pool *pool);
/* Asks the functions registered for a step to release bytes; returns the bytes that they report.  with_keepers: those
 * of stores too. */
uint64_t clpac__pool_ask_relief(clpac_pool *pool, clpac_ladder_step step, uint64_t bytes, bool with_keepers);
/* Has keepers evict what serves a need of a class, or gives lacking bytes back to the driver; returns the bytes
 * evicted. 0: nothing would help. */
uint64_t clpac__pool_ask_keepers(clpac_pool *pool, const clpac__need *need, uint64_t lacking_bytes);

#endif
