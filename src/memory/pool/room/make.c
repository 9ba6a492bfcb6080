/* Blocks for a need: cached ones, and new ones from segments and by the driver, within the budget. */
#include "memory/pool/room/room.h"

#include "base/memory.h"

clpac_buffer *clpac__pool_look(clpac_pool *pool, const clpac__room_need *need)
{
	clpac_buffer *buffer = clpac__free_list_take(&pool->depot, need->class_index, need->queue);
	return buffer ? buffer : clpac__magazines_take(pool, need->class_index, need->queue);
}

static clpac_status new_handle(clpac_pool *pool, const clpac__room_need *need, clpac_buffer **out, clpac_error *err)
{
	clpac_buffer *buffer = clpac__alloc_zero(sizeof *buffer);
	if (!buffer)
		return clpac__fail(err, CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a buffer's handle");
	buffer->pool = pool;
	buffer->class_bytes = need->class_bytes;
	buffer->class_index = (uint16_t)need->class_index;
	buffer->home = need->queue;
	*out = buffer;
	return CLPAC_OK;
}

/* Has the driver make a block.  The bytes are reserved and remain so.  Called without the pool's lock. */
static clpac_status ask_driver(clpac_pool *pool, size_t bytes, clpac__block **out, clpac_error *err)
{
	clpac__pool_queue *own = &pool->queues[0];
	pthread_mutex_lock(&own->driver);
	clpac_status st = own->queue->operations->create(own->queue, bytes, out, err);
	pthread_mutex_unlock(&own->driver);
	return st;
}

static void answered(clpac_pool *pool, size_t bytes, bool was_asked, clpac_status st)
{
	clpac__ledger_created(&pool->ledger, bytes, st == CLPAC_OK);
	if (was_asked && st == CLPAC_ERROR_NO_DEVICE_MEMORY)
		clpac__ledger_refused(&pool->ledger, bytes);
	clpac__pool_follow(pool);
	pool->ledger.now.driver_creates += was_asked;
	pthread_cond_broadcast(&pool->settled);
}

/* Makes a block with memory of its own, whose bytes are reserved.  Drops the pool's lock in between. */
static clpac_status make_whole(clpac_pool *pool, const clpac__room_need *need, clpac_buffer **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_buffer *buffer = NULL;
	clpac__block *block;
	bool was_asked = false;
	pthread_mutex_unlock(&pool->lock);
	TRY(new_handle(pool, need, &buffer, err));
	was_asked = true;
	TRY(ask_driver(pool, need->class_bytes, &block, err));
	buffer->block = block;
done:
	pthread_mutex_lock(&pool->lock);
	answered(pool, need->class_bytes, was_asked, st);
	if (st == CLPAC_OK) {
		clpac__handle_add(pool, buffer);
		*out = buffer, buffer = NULL;
	}
	clpac__free(buffer);
	return st;
}

clpac_status clpac__pool_make_part(clpac_pool *pool, const clpac__room_need *need, clpac__segment *segment,
				   clpac_piece piece, clpac_buffer **out, clpac_error *err)
{
	clpac_buffer *buffer = NULL;
	const clpac_status st = new_handle(pool, need, &buffer, err);
	if (st != CLPAC_OK) {
		clpac__segments_give(&pool->segments, segment, piece);
		pthread_cond_broadcast(&pool->settled);
		return st;
	}
	clpac__buffer_set_piece(buffer, segment, piece);
	pool->ledger.now.parts_created++;
	clpac__handle_add(pool, buffer);
	*out = buffer;
	if (segment->home != need->queue) {
		buffer->home = segment->home;
		pthread_mutex_unlock(&pool->lock);
		clpac__hazards_move(pool, buffer, need->queue);
		pthread_mutex_lock(&pool->lock);
		pool->ledger.now.queue_waits++;
	}
	return st;
}

/* The queue from whose segments a need's block is cut: its own, unless free bytes lie scattered and another queue has a
 * largest piece less than half as large that suffices.  So large pieces are not broken for want of a wait. */
static const clpac__pool_queue *find_home(clpac_pool *pool, const clpac__room_need *need, bool is_small)
{
	const clpac__pool_queue *best = need->queue;
	const unsigned n = atomic_load_explicit(&pool->n_queues, memory_order_relaxed);
	if (!pool->n_scattered || n == 1)
		return best;
	uint64_t most = clpac__segments_find(&pool->segments, need->class_bytes, is_small, best) / 2;
	for (unsigned i = 0; i < n && most; i++) {
		const uint64_t units =
			clpac__segments_find(&pool->segments, need->class_bytes, is_small, &pool->queues[i]);
		if (units && units < most) {
			most = units;
			best = &pool->queues[i];
		}
	}
	return best;
}

static bool cut(clpac_pool *pool, const clpac__room_need *need, clpac__segment **segment, clpac_piece *piece)
{
	const bool is_small = clpac__is_small(&pool->segments, need->class_bytes);
	const clpac__pool_queue *home = find_home(pool, need, is_small);
	return clpac__segments_cut(&pool->segments, need->class_bytes, is_small, home, segment, piece) ||
	       (home != need->queue &&
		clpac__segments_cut(&pool->segments, need->class_bytes, is_small, need->queue, segment, piece));
}

/* The budget has no room, and no shortage has been met that the ladder deals with. */
static bool is_full(const clpac_pool *pool, const clpac__room_need *need)
{
	return !pool->n_scattered && clpac__ledger_room(&pool->ledger) < need->class_bytes;
}

/* Where the budget is full, cached parts of a kind merge, the oldest first, until one of the pieces suffices. */
static bool cut_merged(clpac_pool *pool, const clpac__room_need *need, bool is_small, clpac__segment **segment,
		       clpac_piece *piece)
{
	const clpac__kinds kind = is_small ? CLPAC__SMALL : CLPAC__LARGE;
	while (is_full(pool, need)) {
		if (clpac__segments_cut(&pool->segments, need->class_bytes, is_small, need->queue, segment, piece))
			return true;
		if (!clpac__pool_merge_oldest(pool, need->class_bytes, kind))
			return false;
	}
	return false;
}

/* A piece of the other kind serves as well: memory is not short.  A segment that was empty changes its kind. */
static bool cut_other_kind(clpac_pool *pool, const clpac__room_need *need, clpac__segment **segment, clpac_piece *piece)
{
	const bool is_small = clpac__is_small(&pool->segments, need->class_bytes);
	if (!cut_merged(pool, need, !is_small, segment, piece))
		return false;
	if ((*segment)->n_pieces == 1)
		clpac__segments_set_kind(&pool->segments, *segment, is_small);
	return true;
}

clpac_status clpac__pool_make_segment(clpac_pool *pool, size_t bytes, bool is_small, clpac__pool_queue *home,
				      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__segment *segment = NULL;
	bool was_asked = false;
	if (!clpac__ledger_reserve(&pool->ledger, bytes))
		return clpac__fail(err, CLPAC_ERROR_NO_DEVICE_MEMORY, "the pool has no room for a segment of %zu bytes",
				   bytes);
	pthread_mutex_unlock(&pool->lock);
	TRY(clpac__segment_create(bytes, pool->unit, &segment, err));
	was_asked = true;
	TRY(ask_driver(pool, bytes, &segment->whole, err));
done:
	pthread_mutex_lock(&pool->lock);
	answered(pool, bytes, was_asked, st);
	if (st == CLPAC_OK) {
		segment->is_small = is_small;
		segment->home = home;
		clpac__segments_add(&pool->segments, segment);
		segment = NULL;
	}
	clpac__segment_destroy(segment);
	return st;
}

/* Size of the next segment.  Segments grow from an eighth of the largest size to all of it as their number grows, stay
 * within the rest of the budget, and hold a whole number of the requested blocks, or leave little. 0: a request of half
 * a segment or more gets memory of its own. */
static size_t segment_size(const clpac_pool *pool, const clpac__room_need *need, const clpac__attempt *attempt,
			   uint64_t room)
{
	enum { LEAST_REST = 64 /* a part of a segment */ };
	const bool is_small = clpac__is_small(&pool->segments, need->class_bytes);
	const size_t n = is_small ? pool->segments.n_small : pool->segments.n - pool->segments.n_small;
	size_t most = pool->max_segment_bytes;
	if (need->class_bytes > most / 2)
		return 0;
	size_t size = most >> (n < 3 ? 3 - n : 0);
	while (size < 2 * need->class_bytes)
		size *= 2;
	size /= attempt->divisor;
	while (size > room && size / 2 >= 2 * need->class_bytes)
		size /= 2;
	size = size / pool->unit * pool->unit;
	/* Buffers of one size would leave the same rest in every segment. */
	if (size % need->class_bytes > size / LEAST_REST)
		size -= size % need->class_bytes;
	return size > room || size < 2 * need->class_bytes ? 0 : size;
}

clpac_status clpac__pool_make(clpac_pool *pool, const clpac__room_need *need, clpac__attempt *attempt,
			      clpac_buffer **out, clpac_error *err)
{
	attempt->lacking = 0;
	for (;;) {
		clpac__segment *segment;
		clpac_piece piece;
		const bool has_parts = pool->has_segments && !attempt->has_no_parts;
		const bool is_small = clpac__is_small(&pool->segments, need->class_bytes);
		if (has_parts &&
		    (cut(pool, need, &segment, &piece) || cut_merged(pool, need, is_small, &segment, &piece) ||
		     cut_other_kind(pool, need, &segment, &piece))) {
			const clpac_status st = clpac__pool_make_part(pool, need, segment, piece, out, err);
			/* A step that gives the segment back makes no room: it would be made, and refused, again. */
			attempt->has_no_parts = st != CLPAC_OK;
			if (st != CLPAC_ERROR_NO_DEVICE_MEMORY)
				return st;
			continue;
		}

		const uint64_t room = clpac__ledger_room(&pool->ledger);
		const size_t size = has_parts && !attempt->is_dedicated ? segment_size(pool, need, attempt, room) : 0;
		if (!size) {
			if (clpac__ledger_reserve(&pool->ledger, need->class_bytes)) {
				const clpac_status st = make_whole(pool, need, out, err);
				/* The driver was short of memory, though the ladder was not climbed for it. */
				pool->ledger.now.out_of_memory_events += st == CLPAC_OK && attempt->has_no_parts;
				return st;
			}
			attempt->lacking = need->class_bytes - (room < need->class_bytes ? room : 0);
			return CLPAC_ERROR_NO_DEVICE_MEMORY;
		}
		if (pool->segments.n && clpac__pool_merge_before_growth(pool, need->class_bytes, size))
			continue;
		clpac_status st = clpac__pool_make_segment(pool, size, is_small, need->queue, err);
		if (st == CLPAC_ERROR_ARGUMENT && size > need->class_bytes)
			pool->max_segment_bytes =
				/* larger than the driver allows, which is not lack of memory: smaller ones from now
				 * on */
				size / 2;
		else if (st != CLPAC_OK)
			return st;
	}
}

/* --- Requests that cannot be served, whatever is free ---------------------------------------- */

size_t clpac_pool_class(const clpac_pool *pool, size_t bytes)
{
	if (!pool)
		return 0;
	unsigned index;
	return clpac__need_class(pool, bytes, &index);
}

clpac_status clpac__need_refuse(clpac_pool *pool, const clpac__room_need *need, clpac_error *err)
{
	const char *tag = need->tag;
	const size_t bytes = need->bytes, most = pool->largest_bytes - pool->extra_bytes;
	const int placement = (int)need->request->placement;
	if (!bytes)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "buffer \"%s\" of 0 bytes: ask for at least 1", tag);
	if ((unsigned)placement >= CLPAC_PLACE_COUNT)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "buffer \"%s\": placement is %d: give a value of clpac_placement", tag, placement);
	if (!need->class_bytes)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "buffer \"%s\" of %zu bytes: no size class is that large",
				   tag, bytes);
	if (bytes > most)
		return clpac__fail(
			err, CLPAC_ERROR_ARGUMENT,
			"buffer \"%s\" of %zu bytes: the largest block of device %s has %zu; ask for smaller "
			"pieces",
			tag, bytes, pool->queues[0].queue->device.name, most);
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "buffer \"%s\" of %zu bytes: its queue is not one of the pool's on %s; open it with "
			   "clpac_queue_open",
			   tag, bytes, pool->queues[0].queue->device.name);
}
