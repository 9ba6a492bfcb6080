/* Room for a need: what is cached or can be made, and what is done where there is none.
 *
 *     make.c       checks a request, finds cached blocks, makes new ones from segments and by the driver
 *     ladder.c     makes room, step by step
 *     evict.c      puts blocks into the depot, gives them back to segments and driver
 *     trim.c       gives cached memory back, on request and for pools that share a limit
 *     defragment.c moves buffers together, on the ladder, on request, and now and then
 *     fallback.c   buffers on the host
 *     relief.c     asks stores and the application to release memory
 *     victims.c    chooses what stores are to evict
 *     watchers.c   tells of changes of pressure, and shrinks the caches
 *
 * Functions are called with the pool's lock held and return with it held, unless something else is said; those that
 * drop it in between say so.
 */
#ifndef CLPAC_MEMORY_POOL_ROOM_ROOM_H
#define CLPAC_MEMORY_POOL_ROOM_ROOM_H

#include "memory/pool/blocks/blocks.h"
#include "memory/pool/room/reclaimer.h"

/* --- make.c: a request ------------------------------------------------------------------------------- */

/* A request, checked and rounded. */
typedef struct clpac__room_need {
	const clpac_request *request;
	const char *tag;
	size_t bytes, class_bytes;
	unsigned class_index;
	clpac_placement placement;
	clpac__pool_queue *queue;
} clpac__room_need;

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
clpac_status clpac__need_refuse(clpac_pool *pool, const clpac__room_need *need, clpac_error *err);

static inline clpac_status clpac__need_make(clpac_pool *pool, const clpac_request *request, clpac__room_need *out,
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

/* --- make.c ---------------------------------------------------------------------------------- */

/* A cached block for the need from the depot or any magazine; NULL: none. */
clpac_buffer *clpac__pool_look(clpac_pool *pool, const clpac__room_need *need);

/* Limits on new memory, by step of the ladder. */
typedef struct clpac__attempt {
	unsigned divisor;  /* divides the usual size of a segment: 1, 2, 4 or 8 */
	bool is_dedicated; /* no new segment */
	bool has_no_parts; /* the driver refused a part of a segment: neither parts nor segments for this request */
	uint64_t lacking;  /* out: bytes that the budget lacks; 0: the driver refused */
} clpac__attempt;

/* Makes a block for the need, cut from a segment or made by the driver; no other thread can reach it yet.  Drops the
 * lock in between.  After CLPAC_ERROR_NO_DEVICE_MEMORY and CLPAC_ERROR_NO_MEMORY, making room may help. */
clpac_status clpac__pool_make(clpac_pool *pool, const clpac__room_need *need, clpac__attempt *attempt,
			      clpac_buffer **out, clpac_error *err);
/* Makes a block over a piece that was cut for it; on failure the piece goes back.  If the segment is another queue's,
 * the block is ordered behind that queue's work, and the piece will go back behind this queue's.  Drops the lock in
 * between. */
clpac_status clpac__pool_make_part(clpac_pool *pool, const clpac__room_need *need, clpac__segment *segment,
				   clpac_piece piece, clpac_buffer **out, clpac_error *err);
/* Makes a segment of that size for a queue.  Drops the lock in between. */
clpac_status clpac__pool_make_segment(clpac_pool *pool, size_t bytes, bool is_small, clpac__pool_queue *home,
				      clpac_error *err);

/* --- evict.c --------------------------------------------------------------------------------- */

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
typedef enum clpac__kinds { CLPAC__SMALL = 1, CLPAC__LARGE = 2, CLPAC__BOTH_KINDS = 3 } clpac__kinds;
/* The same with those that were cached for longest, of so many bytes at least. */
bool clpac__pool_merge_oldest(clpac_pool *pool, uint64_t bytes, clpac__kinds kinds);
/* The same for a need of a class, but only if cached parts are so many that memory need not grow by a segment yet, and
 * the pool would then hold a notable part of its budget. */
bool clpac__pool_merge_before_growth(clpac_pool *pool, size_t class_bytes, size_t segment_bytes);
/* Gives empty segments back to the driver until that many bytes are gone.  Returns the bytes.  Drops the lock in
 * between. */
uint64_t clpac__pool_release_segments(clpac_pool *pool, uint64_t bytes);

/* Says for how many more requests of this pool released parts go back into their segments at once (n_scattered). */
void clpac__pool_note_scattered(clpac_pool *pool, unsigned n_requests);

/* --- trim.c, without the lock ---------------------------------------------------------------- */

/* Trims the caches of other pools for a need of so many bytes, where a limit, or one above it, lacks them beyond what
 * this pool's own caches could give.  Returns the bytes given back. */
uint64_t clpac__pool_trim_siblings(const clpac_pool *pool, const clpac_limit *limit, uint64_t bytes,
				   uint64_t own_cached_bytes);

/* --- defragment.c ---------------------------------------------------------------------------- */

/* Moves the fewest bytes of buffers to other segments that leave a gap for a class.  True: there is such a gap now.
 * Drops the lock in between. */
bool clpac__pool_compact(clpac_pool *pool, size_t class_bytes);
/* Moves at most twice the class's bytes out of sparsely used segments and gives these back, for a class that no gap in
 * a segment serves.  True: the lacking bytes were given back.  Drops the lock in between. */
bool clpac__pool_vacate(clpac_pool *pool, size_t class_bytes, uint64_t lacking_bytes);

static inline bool clpac__compaction_is_wanted(const clpac_pool_options *options)
{
	return options->compaction.releases || options->compaction.seconds > 0;
}
/* A pass, if it is time for one.  Without any lock. */
void clpac__pool_compact_in_turn(clpac_pool *pool);

/* --- fallback.c, without the lock ------------------------------------------------------------ */

/* Makes a buffer on the host within fallback_bytes and fallback_limit.  CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__pool_make_on_host(clpac_pool *pool, const clpac__room_need *need, clpac_buffer **out,
				      clpac_error *err);
void clpac__pool_drop_from_host(clpac_pool *pool, clpac_buffer *buffer);
/* Moves a fallback buffer to the device if there is room without the ladder. */
clpac_status clpac__buffer_promote(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err);

/* --- watchers.c and relief.c, without the lock ----------------------------------------------- */

/* Calls watchers about changes, and lets caches shrink or grow with the pressure. */
void clpac__pool_tell(clpac_pool *pool);
/* Asks the functions registered for a step to release bytes; returns the bytes that they report.  with_reclaimers:
 * those of stores too. */
uint64_t clpac__pool_ask_relief(clpac_pool *pool, clpac_ladder_step step, uint64_t bytes, bool with_reclaimers);
/* Has reclaimers evict what serves a need of a class, or gives lacking bytes back to the driver; returns the bytes
 * evicted. 0: nothing would help. */
uint64_t clpac__pool_ask_reclaimers(clpac_pool *pool, const clpac__room_need *need, uint64_t lacking_bytes);

/* Whether this thread is in a function that a pool asked to release memory. */
bool clpac__pool_is_asking(void);

/* --- victims.c ------------------------------------------------------------------------------- */

/* Victims: which of the buffers that reclaimers offer are to go, so that a request finds room and as little as possible
 * is lost. */

/* The need of a request: a piece of that many bytes in one segment, or bytes that go back to the driver. */
typedef struct clpac__wanted {
	size_t class_bytes;
	uint64_t lacking_bytes; /* for the driver, beyond what is cached */
} clpac__wanted;

/* Makes what the choice needs, without a lock.  False: the host has no memory for it. */
bool clpac__offers_prepare(clpac__offers *offers);
void clpac__offers_free(clpac__offers *offers);

/* Chooses victims among prepared offers, and marks them.
 *
 * Two ways are compared: a run of neighbours in a segment, offered or free, that holds the request; and memory of
 * their own, and segments of which everything is offered, that give the driver what is lacking.  Among the ways that
 * cost at most twice the request, the one whose most recently used victim was used longest ago wins; if there is none,
 * the one that costs least.
 * Returns false when nothing that is offered would help.
 * Cost: n log n in the offers, and linear in the pieces of the segments that they lie in. */
bool clpac__victims_choose(const clpac__segments *segments, clpac__offers *offers, clpac__wanted wanted);

/* --- ladder.c -------------------------------------------------------------------------------- */

/* Obtains a block for a need that found no room.  Drops the lock in between. */
clpac_status clpac__pool_reclaim(clpac_pool *pool, const clpac__room_need *need, clpac__attempt *attempt,
				 clpac_status st, clpac_buffer **out, bool *is_hit, clpac_error *err);

#endif
