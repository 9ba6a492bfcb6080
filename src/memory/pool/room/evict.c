/* Where blocks go that nobody uses: into the depot, to their segments, to the driver. */
#include "memory/pool/room/room.h"

#include "base/memory.h"

/* Memory that goes back to the driver together: blocks first, then the segments that they were parts of. */
struct leaving {
	clpac_buffer *blocks;	  /* chained through `below` */
	clpac__segment *segments; /* chained through `next` */
	uint64_t bytes;		  /* of memory; parts not counted */
	size_t n;		  /* pieces of memory */
};

static void add_segment(struct leaving *leaving, clpac__segment *segment)
{
	segment->next = leaving->segments;
	leaving->segments = segment;
	leaving->bytes += segment->bytes;
	leaving->n++;
}

/* The piece of a part can be cut again at once: its next owner comes after the old part in the segment's queue.  The
 * part's block must leave first, where it has one: the segment stays until the driver has that block back. */
static void add_block(clpac_pool *pool, struct leaving *leaving, clpac_buffer *buffer)
{
	clpac__handle_remove(pool, buffer);
	if (buffer->segment && !buffer->block) {
		clpac__segments_give(&pool->segments, buffer->segment, clpac__buffer_piece(buffer));
		clpac__free(buffer);
		pthread_cond_broadcast(&pool->settled);
		return;
	}
	buffer->below = leaving->blocks;
	leaving->blocks = buffer;
	if (buffer->segment) {
		clpac__segments_part_leaves(&pool->segments, buffer->segment);
		clpac__segments_give(&pool->segments, buffer->segment, clpac__buffer_piece(buffer));
	} else {
		leaving->bytes += buffer->class_bytes;
		leaving->n++;
	}
}

static void release_block(clpac_pool *pool, clpac__block *block)
{
	clpac__pool_queue *own = &pool->queues[0];
	pthread_mutex_lock(&own->driver);
	own->queue->operations->release(own->queue, block);
	pthread_mutex_unlock(&own->driver);
}

/* Drops the pool's lock in between. */
static void leave(clpac_pool *pool, struct leaving *leaving)
{
	clpac_buffer *parts = NULL;
	if (!leaving->blocks && !leaving->segments)
		return;
	pool->n_returning++;
	pthread_mutex_unlock(&pool->lock);
	while (leaving->blocks) {
		clpac_buffer *buffer = leaving->blocks;
		leaving->blocks = buffer->below;
		release_block(pool, buffer->block);
		if (buffer->segment) {
			buffer->below = parts;
			parts = buffer;
		} else {
			clpac__free(buffer);
		}
	}
	while (leaving->segments) {
		clpac__segment *segment = leaving->segments;
		leaving->segments = segment->next;
		release_block(pool, segment->whole);
		clpac__segment_destroy(segment);
	}
	pthread_mutex_lock(&pool->lock);
	while (parts) {
		clpac_buffer *part = parts;
		parts = part->below;
		clpac__segments_part_left(&pool->segments, part->segment);
		clpac__free(part);
	}
	clpac__ledger_returned(&pool->ledger, leaving->bytes);
	clpac__pool_follow(pool);
	pool->ledger.now.driver_releases += leaving->n;
	pool->n_returning--;
	pthread_cond_broadcast(&pool->settled);
}

/* Returns pieces to their segments, which is only allowed in the order of the segment's queue.  Drops the pool's lock
 * in between. */
static void bring_home(clpac_pool *pool, clpac_buffer *chain)
{
	bool is_needed = false;
	for (clpac_buffer *buffer = chain; buffer; buffer = buffer->below)
		is_needed |= buffer->segment && buffer->home && buffer->home != buffer->segment->home;
	if (!is_needed)
		return;
	pool->n_returning++;
	pthread_mutex_unlock(&pool->lock);
	for (clpac_buffer *buffer = chain; buffer; buffer = buffer->below)
		if (buffer->segment && buffer->home && buffer->home != buffer->segment->home)
			/* If the segment's queue is closed meanwhile, the host waits. */
			clpac__hazards_move(pool, buffer, buffer->segment->home);
	pthread_mutex_lock(&pool->lock);
	pool->n_returning--; /* waiting threads are woken by the caller, when it has dealt with the chain */
}

void clpac__pool_drop(clpac_pool *pool, clpac_buffer *chain)
{
	struct leaving leaving = {0};
	bring_home(pool, chain);
	while (chain) {
		clpac_buffer *buffer = chain;
		chain = buffer->below;
		add_block(pool, &leaving, buffer);
	}
	leave(pool, &leaving);
}

/* --- Into the depot -------------------------------------------------------------------------- */

void clpac__pool_note_scattered(clpac_pool *pool, unsigned n_requests)
{
	if (!pool->n_scattered && n_requests)
		atomic_fetch_add_explicit(&pool->n_waiting, 1, memory_order_relaxed);
	else if (pool->n_scattered && !n_requests)
		atomic_fetch_sub_explicit(&pool->n_waiting, 1, memory_order_relaxed);
	pool->n_scattered = n_requests;
}

/* The depot's share of the cached blocks of a class: half; the other half is in the magazines. */
static size_t kept_in_depot(const clpac_pool *pool, const clpac_buffer *buffer)
{
	const size_t kept =
		atomic_load_explicit(buffer->segment ? &pool->kept_parts : &pool->kept, memory_order_relaxed);
	return pool->n_warm[buffer->class_index] + kept / 2;
}

void clpac__pool_deposit(clpac_pool *pool, clpac_buffer *buffer)
{
	const bool is_scattered_part = buffer->segment && pool->n_scattered;
	if (!is_scattered_part && pool->depot.classes[buffer->class_index].count < kept_in_depot(pool, buffer)) {
		clpac__free_list_put(&pool->depot, buffer);
		return;
	}
	buffer->below = NULL;
	clpac__pool_drop(pool, buffer);
}

/* Removes and returns the blocks of a chain whose events have passed.  Without the lock, since it asks the driver. */
static clpac_buffer *take_passed(clpac_pool *pool, clpac_buffer **chain)
{
	clpac_buffer **link = chain, *passed = NULL;
	while (*link) {
		clpac_buffer *buffer = *link;
		if (clpac__hazards_poll(pool, buffer)) {
			*link = buffer->below;
			buffer->below = passed;
			passed = buffer;
		} else {
			link = &buffer->below;
		}
	}
	return passed;
}

bool clpac__pool_collect(clpac_pool *pool)
{
	clpac_buffer *chain = pool->pending, **last = &pool->pending;
	if (!chain)
		return false;
	pool->pending = NULL;
	pool->n_returning++;
	pthread_mutex_unlock(&pool->lock);
	clpac_buffer *passed = take_passed(pool, &chain);
	pthread_mutex_lock(&pool->lock);
	pool->n_returning--;
	while (*last) /* blocks released meanwhile are younger */
		last = &(*last)->below;
	*last = chain;
	const bool has_any = passed;
	while (passed) {
		clpac_buffer *buffer = passed;
		passed = buffer->below;
		pool->ledger.now.pending_buffers--;
		clpac__pool_deposit(pool, buffer);
	}
	pthread_cond_broadcast(&pool->settled);
	return has_any;
}

/* --- Out of the depot ------------------------------------------------------------------------ */

uint64_t clpac__pool_release_segments(clpac_pool *pool, uint64_t bytes)
{
	struct leaving leaving = {0};
	while (leaving.bytes < bytes) {
		clpac__segment *segment = clpac__segments_take_empty(&pool->segments);
		if (!segment)
			break;
		add_segment(&leaving, segment);
	}
	const uint64_t released = leaving.bytes;
	leave(pool, &leaving);
	if (!pool->segments.n)
		clpac__pool_note_scattered(pool, 0);
	return released;
}

uint64_t clpac__pool_evict(clpac_pool *pool, uint64_t bytes)
{
	uint64_t evicted = clpac__pool_release_segments(pool, bytes);
	clpac__magazines_empty(pool, &pool->depot);
	while (evicted < bytes) {
		/* Blocks with memory of their own count at once.  Parts count only when a segment becomes empty, which
		 * is checked after each. */
		uint64_t bytes_of_own = 0;
		clpac_buffer *chain = NULL, *buffer = NULL;
		while (evicted + bytes_of_own < bytes && (buffer = clpac__free_list_take_oldest(&pool->depot))) {
			buffer->below = chain;
			chain = buffer;
			if (!buffer->segment)
				bytes_of_own += buffer->class_bytes;
			else
				break;
		}
		if (!chain)
			break;
		clpac__pool_drop(pool, chain);
		evicted += bytes_of_own;
		if (evicted < bytes)
			evicted += clpac__pool_release_segments(pool, bytes - evicted);
	}
	return evicted;
}

uint64_t clpac__pool_reclaimable(clpac_pool *pool)
{
	uint64_t bytes = pool->segments.empty_bytes;
	clpac__magazines_empty(pool, &pool->depot);
	for (const clpac_buffer *buffer = pool->depot.oldest; buffer; buffer = buffer->newer)
		bytes += buffer->segment ? 0 : buffer->class_bytes;
	return bytes;
}

/* Puts the depot's oldest parts of these kinds on a chain until it has so many bytes; says how many it got. */
static uint64_t take_oldest_parts(clpac_pool *pool, uint64_t bytes, clpac__kinds kinds, clpac_buffer **chain)
{
	uint64_t taken = 0;
	for (clpac_buffer *buffer = pool->depot.oldest, *newer; buffer && taken < bytes; buffer = newer) {
		newer = buffer->newer;
		if (!buffer->segment || !(kinds & (buffer->segment->is_small ? CLPAC__SMALL : CLPAC__LARGE)))
			continue;
		clpac__free_list_remove(&pool->depot, buffer);
		buffer->below = *chain;
		*chain = buffer;
		taken += buffer->class_bytes;
	}
	return taken;
}

/* Magazines hold younger parts than the depot does, and are emptied only where the depot's do not suffice: hits behind
 * that take the slow way until their blocks were released again. */
bool clpac__pool_merge_oldest(clpac_pool *pool, uint64_t bytes, clpac__kinds kinds)
{
	clpac_buffer *chain = NULL;
	uint64_t merged = take_oldest_parts(pool, bytes, kinds, &chain);
	if (merged < bytes) {
		clpac__magazines_empty(pool, &pool->depot);
		merged += take_oldest_parts(pool, bytes - merged, kinds, &chain);
	}
	if (chain)
		clpac__pool_drop(pool, chain);
	return merged;
}

bool clpac__pool_merge(clpac_pool *pool)
{
	return clpac__pool_merge_oldest(pool, UINT64_MAX, CLPAC__BOTH_KINDS);
}

static bool has_much_to_merge(const clpac_pool *pool)
{
	return (double)pool->depot.part_bytes > pool->merge_fraction * (double)pool->segments.bytes;
}

bool clpac__pool_merge_before_growth(clpac_pool *pool, size_t class_bytes, size_t segment_bytes)
{
	static const double NOTABLE = 1.0 / 8; /* of the budget */
	const clpac_pool_statistics *now = &pool->ledger.now;
	if ((double)now->allocated_bytes + (double)segment_bytes <= NOTABLE * (double)now->budget_bytes)
		return false;
	if (!has_much_to_merge(pool))
		clpac__magazines_empty(pool, &pool->depot);
	return has_much_to_merge(pool) &&
	       clpac__pool_merge_oldest(pool, class_bytes,
					clpac__is_small(&pool->segments, class_bytes) ? CLPAC__SMALL : CLPAC__LARGE);
}
