/* Magazines: a thread first takes the blocks that it released last for the same queue, without the pool's lock (Bonwick
 * and Adams, "Magazines and Vmem", USENIX 2001).
 *
 * Threads are numbered, and number and queue select the magazine.  Its lock is biased: the thread that uses a magazine
 * enters it without an atomic exchange until another one wants something of it (base/latch.h).  A thread that
 * ends leaves its blocks where others find them.  A magazine also counts the allocations and
 * releases of its callers; the pool's numbers are the sums over its magazines.
 */
#ifndef CLPAC_MEMORY_POOL_BLOCKS_MAGAZINE_H
#define CLPAC_MEMORY_POOL_BLOCKS_MAGAZINE_H

#include "base/latch.h"
#include "memory/pool/blocks/handle.h"
#include "memory/trace/trace_hooks.h"

/* --- The depot ------------------------------------------------------------------------------- */

/* Free list: blocks that wait for their next owner.  A stack per size class hands out the block used last; one list by
 * age through all of them finds the block unused for longest.  A free list has no lock; its owner has one.
 */

typedef struct clpac__free_list_class {
	clpac_buffer *top;
	size_t count;
} clpac__free_list_class;

typedef struct clpac__free_list {
	clpac__free_list_class *classes;
	clpac_buffer *oldest, *newest;
	size_t count;
	uint64_t bytes, part_bytes; /* of all, and of parts of segments */
} clpac__free_list;

clpac_status clpac__free_list_create(clpac__free_list *list, unsigned n_classes, clpac_error *err);
void clpac__free_list_destroy(clpac__free_list *list); /* the list is empty; a zeroed one is fine */

/* The most recently released block of a class among those that belong to this queue or to none; NULL: there is none.
 * O(1) except for blocks of other queues that are passed over. */
clpac_buffer *clpac__free_list_take(clpac__free_list *list, unsigned class_index, const clpac__pool_queue *home);
/* The most recently released block of a class, of any queue. */
clpac_buffer *clpac__free_list_take_any(clpac__free_list *list, unsigned class_index);
clpac_buffer *clpac__free_list_take_oldest(clpac__free_list *list); /* NULL: empty */

void clpac__free_list_remove(clpac__free_list *list, clpac_buffer *buffer);

/* Inserts a block by the time of its release; it is nearly always the youngest. */
void clpac__free_list_put(clpac__free_list *list, clpac_buffer *buffer);

/* --- The cached blocks of a magazine --------------------------------------------------------- */

/* Stacks: cached blocks of a magazine, one stack per size class, the block released last on top.  They have no order by
 * age over the classes and no lock. */

typedef struct clpac__stack {
	clpac_buffer *top; /* chained through `below` */
	uint32_t count;
	uint32_t next; /* in the chain of the classes that had a block: index plus 1; 0: not in it */
} clpac__stack;

typedef struct clpac__stacks {
	size_t count;
	clpac__stack *classes;
	uint64_t bytes;
	uint32_t first; /* of that chain, which ends with CLPAC__STACKS_END */
} clpac__stacks;

#define CLPAC__STACKS_END UINT32_MAX

/* The block on top among those that belong to this queue or to none; NULL: there is none.  O(1) except for blocks of
 * other queues that are passed over. */
static inline clpac_buffer *clpac__stacks_take(clpac__stacks *stacks, unsigned class_index,
					       const clpac__pool_queue *home)
{
	clpac__stack *stack = &stacks->classes[class_index];
	clpac_buffer **link = &stack->top, *buffer;
	for (; (buffer = *link); link = &buffer->below) {
		const clpac__pool_queue *of = atomic_load_explicit(&buffer->home, memory_order_relaxed);
		if (of == home || !of) {
			*link = buffer->below;
			stack->count--;
			stacks->count--;
			stacks->bytes -= buffer->class_bytes;
			return buffer;
		}
	}
	return NULL;
}

static inline void clpac__stacks_put(clpac__stacks *stacks, clpac_buffer *buffer)
{
	clpac__stack *stack = &stacks->classes[buffer->class_index];
	buffer->below = stack->top;
	stack->top = buffer;
	stack->count++;
	stacks->count++;
	stacks->bytes += buffer->class_bytes;
	if (__builtin_expect(!stack->next, 0)) {
		stack->next = stacks->first;
		stacks->first = buffer->class_index + 1;
	}
}

/* --- Magazines ------------------------------------------------------------------------------- */

enum { CLPAC__MAX_MAGAZINES = 64, CLPAC__IDS_AT_ONCE = 64, CLPAC__RELEASES_PER_CLOCK = 16 };

/* Counts of allocations and releases.  Those of one magazine may be negative: one thread may release buffers that
 * another allocated.  Counts that change together are not neighbours: compilers would write two of them at once, and
 * reading one of them back then waits. */
typedef struct clpac__tally {
	int64_t in_use_bytes, host_bytes, requested_bytes, host_buffers, active_buffers;
} clpac__tally;

typedef struct clpac__magazine {
	clpac__biased_latch lock;
	clpac__stacks blocks;
	clpac__tally tally, published;
	int64_t peak_in_use_bytes, peak_requested_bytes, peak_pooled_bytes; /* while it is the only magazine */
	uint64_t hits, n_releases;
	/* The coarse time of releases: read at each until it was the same
	 * CLPAC__RELEASES_PER_CLOCK times, then at every so many. */
	int64_t now_ns;
	unsigned n_without_clock, n_same_time;
	size_t n_busy;		  /* threads that counted a buffer here and are still at work on it */
	uint64_t next_id, end_id; /* range of ids taken from the pool and not used yet */
} clpac__magazine;

/* All magazines of a pool, and the peaks of their sums.  A single magazine keeps the peaks exactly.  Several publish
 * their counts only now and then; otherwise every request would write a cache line that every other request reads. */
typedef struct clpac__magazines {
	clpac__latch making; /* held while a magazine is added to the table */
	int64_t grain_bytes; /* change of use that a magazine may leave unpublished while there are several */
	_Atomic(clpac__magazine *) magazines[CLPAC__MAX_MAGAZINES];
	atomic_uint n;
	_Atomic int64_t in_use_bytes, requested_bytes; /* published */
	_Atomic int64_t peak_in_use_bytes, peak_requested_bytes, peak_pooled_bytes;
	_Atomic uint64_t last_id;
	_Atomic uint64_t allocated_bytes; /* a copy of the ledger's number */
	/* From where to where (exclusive) the bytes in use may change before the pressure does. */
	_Atomic int64_t low_bytes, high_bytes;
} clpac__magazines;

/* Makes the magazine of a place, or returns the one that another thread just made; NULL when the host has no memory for
 * it. */
clpac__magazine *clpac__magazine_make(clpac_pool *pool, unsigned place);
void clpac__magazines_destroy(clpac__magazines *magazines); /* their caches are empty */

/* Enters the magazine of the calling thread, and says how; exit is told. */
static inline bool clpac__magazine_enter(clpac__magazine *magazine)
{
	return clpac__biased_latch_enter(&magazine->lock, clpac__thread_number() + 1);
}
static inline void clpac__magazine_exit(clpac__magazine *magazine, bool is_without_latch)
{
	clpac__biased_latch_exit(&magazine->lock, is_without_latch);
}

/* Adds the unpublished counts to those of all magazines, and returns the sum of the bytes in use. */
int64_t clpac__magazine_publish(clpac__magazines *magazines, clpac__magazine *magazine);

/* Whether the pressure changes with this number of bytes in use, after these grew (sign 1) or fell (-1). */
static inline __attribute__((always_inline)) bool clpac__magazines_may_change(const clpac__magazines *magazines,
									      int64_t in_use_bytes, int sign)
{
	return CLPAC__RARELY(
		sign > 0 ? in_use_bytes >= atomic_load_explicit(&magazines->high_bytes, memory_order_relaxed)
			 : in_use_bytes < atomic_load_explicit(&magazines->low_bytes, memory_order_relaxed));
}

/* Counts a buffer that was handed out (sign 1) or released (-1).  True: the pressure may change, so the caller notes
 * that there are news while he holds the magazine's lock, and tells of them afterwards.  The magazine's lock is held.
 */
static inline __attribute__((always_inline)) bool
clpac__magazine_count(clpac__magazines *magazines, clpac__magazine *magazine, const clpac_buffer *buffer, int sign)
{
	clpac__tally *tally = &magazine->tally;
	tally->active_buffers += sign;
	if (buffer->is_on_host) {
		tally->host_buffers += sign;
		tally->host_bytes += sign * (int64_t)buffer->class_bytes;
		return false;
	}
	const int64_t in_use = tally->in_use_bytes + sign * (int64_t)buffer->class_bytes;
	const int64_t requested = tally->requested_bytes + sign * (int64_t)buffer->bytes;
	tally->in_use_bytes = in_use;
	tally->requested_bytes = requested;
	if (atomic_load_explicit(&magazines->n, memory_order_relaxed) == 1) {
		const int64_t pooled =
			(int64_t)atomic_load_explicit(&magazines->allocated_bytes, memory_order_relaxed) - in_use;
		if (sign > 0 && magazine->peak_in_use_bytes < in_use)
			magazine->peak_in_use_bytes = in_use;
		if (sign > 0 && magazine->peak_requested_bytes < requested)
			magazine->peak_requested_bytes = requested;
		if (magazine->peak_pooled_bytes < pooled)
			magazine->peak_pooled_bytes = pooled;
		return clpac__magazines_may_change(magazines, in_use, sign);
	}
	const int64_t unpublished = in_use - magazine->published.in_use_bytes;
	return (unpublished >= magazines->grain_bytes || unpublished <= -magazines->grain_bytes) &&
	       clpac__magazines_may_change(magazines, clpac__magazine_publish(magazines, magazine), sign);
}

/* A number unique among the pool's buffers.  The magazine's lock is held. */
static inline uint64_t clpac__magazine_id(clpac__magazines *magazines, clpac__magazine *magazine)
{
	if (magazine->next_id == magazine->end_id) {
		magazine->next_id =
			atomic_fetch_add_explicit(&magazines->last_id, CLPAC__IDS_AT_ONCE, memory_order_relaxed);
		magazine->end_id = magazine->next_id + CLPAC__IDS_AT_ONCE;
	}
	return ++magazine->next_id;
}

/* Reads the clock. */
void clpac__magazine_read_clock(clpac__magazine *magazine);
/* The time of a release in nanoseconds; after a pause it may be the time before the pause, up to 15 times.  The
 * magazine's lock is held. */
static inline int64_t clpac__magazine_now(clpac__magazine *magazine)
{
	if (magazine->n_without_clock)
		magazine->n_without_clock--;
	else
		clpac__magazine_read_clock(magazine);
	return magazine->now_ns;
}

/* Between stop and go_on no request and no release of any thread ends, so that the facts and tags of all buffers in use
 * stay.  The pool's lock is held all the while; no call of the driver or of the application comes in between, since
 * other threads wait at latches. */
void clpac__magazines_stop(clpac_pool *pool);
void clpac__magazines_go_on(clpac_pool *pool);

/* True when no buffer is in use and no thread works on one.  The pool's lock is held. */
bool clpac__magazines_are_idle(clpac_pool *pool);

/* Bytes in use: exact while there is one magazine, else as published.  Called without a magazine's lock. */
int64_t clpac__magazines_in_use(clpac_pool *pool);

/* Sums over all magazines, whose counts it publishes.  Any thread, also one that holds the pool's lock. */
void clpac__magazines_sum(clpac_pool *pool, clpac__tally *sum, uint64_t *hits, size_t *n_cached,
			  uint64_t *cached_bytes);
/* Releases of all threads so far, those of buffers on the host included. */
uint64_t clpac__magazines_releases(clpac_pool *pool);
/* Peaks of the sums of device bytes. */
typedef struct clpac__peaks {
	int64_t in_use_bytes, requested_bytes, pooled_bytes;
} clpac__peaks;
clpac__peaks clpac__magazines_peaks(clpac_pool *pool);
void clpac__magazines_reset_peaks(clpac_pool *pool);

/* A block of the class for that queue from any magazine; NULL: none.  The pool's lock is held. */
clpac_buffer *clpac__magazines_take(clpac_pool *pool, unsigned class_index, const clpac__pool_queue *home);
/* Moves all blocks of all magazines into a free list.  The pool's lock is held. */
void clpac__magazines_empty(clpac_pool *pool, clpac__free_list *into);

#endif
