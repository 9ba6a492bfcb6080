/* Obtaining a block, in this order: the caller's magazine; the depot and other magazines; a segment or the driver,
 * within the budget; the ladder.
 */
#include "memory/pool/surface/surface.h"

#include <clpac/memory/buffer.h>

clpac_status clpac__pool_obtain(clpac_pool *pool, const clpac__room_need *need, bool *is_hit, clpac_buffer **out,
				clpac_error *err)
{
	clpac__attempt attempt = {.divisor = 1};
	*is_hit = true;
	if (pool->n_scattered)
		clpac__pool_note_scattered(pool, pool->n_scattered - 1);
	*out = clpac__pool_look(pool, need);
	if (!*out && pool->pending && clpac__pool_collect(pool))
		*out = clpac__pool_look(pool, need);
	if (*out)
		return CLPAC_OK;
	*is_hit = false;
	const clpac_status st = clpac__pool_make(pool, need, &attempt, out, err);
	switch (st) {
	case CLPAC_OK:
		return st;
	case CLPAC_ERROR_NO_DEVICE_MEMORY:
	/* on devices that are the host, both mean the same and the same steps help */
	case CLPAC_ERROR_NO_MEMORY:
		return clpac__pool_reclaim(pool, need, &attempt, st, out, is_hit, err);
	default:
		return clpac__fail_context(err, st, "buffer \"%s\" of %zu bytes (class %zu)", need->tag, need->bytes,
					   need->class_bytes);
	}
}

/* Fills in the present owner's facts.  Called with the magazine's lock held.  Whoever sees that the buffer is in use
 * sees them, too: defragmentation copies `bytes` of it, and holds no magazine. */
CLPAC__FREQUENT void hand_out(clpac_buffer *buffer, clpac__pool_queue *queue, size_t bytes, const char *tag,
			      uint64_t id)
{
	buffer->bytes = bytes;
	buffer->tag = tag;
	buffer->id = id;
	buffer->notes.record = NULL;
	atomic_store_explicit(&buffer->notes.scope.scope, NULL, memory_order_relaxed);
	atomic_store_explicit(&buffer->home, queue, memory_order_relaxed);
	atomic_store_explicit(&buffer->is_pinned, false, memory_order_relaxed);
	atomic_store_explicit(&buffer->is_in_use, true, memory_order_release);
}

/* NULL: the magazine has no block of the class, or the pool is of another process.  *is_news: the pressure may have
 * changed, which is to be told. */
CLPAC__FREQUENT clpac_buffer *take_from_magazine(clpac_pool *pool, clpac__magazine *magazine, unsigned class_index,
						 clpac__pool_queue *queue, size_t bytes, const char *tag, bool *is_news)
{
	bool is_without;
	*is_news = false;
	if (CLPAC__RARELY(!clpac__magazine_enter_here(pool, magazine, &is_without)))
		return NULL;
	clpac_buffer *buffer = clpac__stacks_take(&magazine->blocks, class_index, queue);
	if (buffer) {
		hand_out(buffer, queue, bytes, tag, clpac__magazine_id(&pool->magazines, magazine));
		*is_news = clpac__magazine_count(&pool->magazines, magazine, buffer, 1);
		if (CLPAC__RARELY(*is_news))
			atomic_store(&pool->has_news, true);
		magazine->hits++;
	}
	clpac__magazine_exit(magazine, is_without);
	return buffer;
}

static clpac_status take_slowly(clpac_pool *pool, clpac__magazine *magazine, const clpac__room_need *need,
				clpac_buffer **out, bool *was_hit, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_buffer *buffer = NULL;
	bool is_hit = false;
	clpac_error own;
	if (!err)
		err = &own; /* a snapshot has the text */
	if (need->placement == CLPAC_PLACE_HOST) {
		st = clpac__pool_make_on_host(pool, need, &buffer, err);
	} else {
		pthread_mutex_lock(&pool->lock);
		st = clpac__pool_obtain(pool, need, &is_hit, &buffer, err);
		*(is_hit ? &pool->ledger.now.hits : &pool->ledger.now.misses) += 1;
		pthread_mutex_unlock(&pool->lock);
	}
	if (st == CLPAC_OK) {
		const bool is_without = clpac__magazine_enter(magazine);
		hand_out(buffer, need->queue, need->bytes, need->tag, clpac__magazine_id(&pool->magazines, magazine));
		if (clpac__magazine_count(&pool->magazines, magazine, buffer, 1))
			atomic_store(&pool->has_news, true);
		clpac__magazine_exit(magazine, is_without);
		*out = buffer;
	} else if (clpac__watch_is_on(&pool->watch) &&
		   (st == CLPAC_ERROR_NO_DEVICE_MEMORY || st == CLPAC_ERROR_NO_MEMORY)) {
		clpac__pool_note_refusal(pool, need);
		if (*pool->made.snapshot.path)
			clpac__snapshot_refusal(pool, need, err);
	}
	*was_hit = is_hit;
	return st;
}

/* Any request. */
CLPAC__RARE clpac_status request_slowly(clpac_pool *pool, const clpac_request *request, clpac_buffer **out,
					clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__room_need need;
	clpac_buffer *buffer = NULL;
	bool is_news = false;
	RETURN_IF_ERROR(clpac__pool_need_here(pool, "clpac_pool_request", err));
	RETURN_IF_ERROR(clpac__need_make(pool, request, &need, err));
	clpac__magazine *magazine = clpac__magazine_get(pool, need.queue);
	if (!magazine)
		RETURN_NO_MEMORY(sizeof *magazine +
				 clpac__size_class_count(pool->classes_per_octave) * sizeof *magazine->blocks.classes);
	if (need.placement != CLPAC_PLACE_HOST)
		buffer = take_from_magazine(pool, magazine, need.class_index, need.queue, need.bytes, need.tag,
					    &is_news);
	const bool is_slow = !buffer;
	bool is_hit = true;
	if (CLPAC__RARELY(is_news))
		clpac__pool_tell(pool);
	if (is_slow)
		st = take_slowly(pool, magazine, &need, &buffer, &is_hit, err);
	if (st == CLPAC_OK && pool->is_checked)
		st = clpac__checked_lend(pool, &buffer, err);
	if (buffer && clpac__watch_is_on(&pool->watch))
		clpac__pool_note_allocation(pool, buffer, request, is_hit);
	if (st == CLPAC_OK && pool->is_checked)
		st = clpac__checked_arm(pool, buffer, true, err);
	/* Last, since another thread may promote it from now on. */
	if (st == CLPAC_OK && need.placement != CLPAC_PLACE_HOST && buffer->is_on_host)
		atomic_store_explicit(&buffer->may_promote, true, memory_order_release);
	if (is_slow) {
		if (st == CLPAC_OK && !is_hit)
			clpac__pool_compact_in_turn(pool);
		clpac__pool_tell(pool);
	}
	if (st == CLPAC_OK)
		*out = buffer;
	else
		clpac_buffer_release(buffer);
	return st;
}

/* Serves a request from the caller's magazine, and leaves everything that is not plain to request_slowly; NULL then.
 * Inlined into both functions that request, because it takes no longer than a few calls. */
CLPAC__FREQUENT clpac_buffer *hit(clpac_pool *pool, size_t bytes, const char *tag, clpac_placement placement,
				  const clpac_queue *queue, bool *is_news)
{
	unsigned class_index;
	*is_news = false;
	if (CLPAC__RARELY(bytes - 1 >= pool->easy_bytes || (unsigned)placement >= CLPAC_PLACE_COUNT))
		return NULL;
	if (!placement)
		placement = (clpac_placement)atomic_load_explicit(&pool->placement, memory_order_relaxed);
	clpac__pool_queue *home = clpac__pool_queue_find(pool, queue);
	if (CLPAC__RARELY(placement == CLPAC_PLACE_HOST || !home))
		return NULL;
	clpac__magazine *magazine = clpac__magazine_peek(pool, home, clpac__thread_ordinal);
	if (CLPAC__RARELY(!magazine))
		return NULL;
	clpac__need_easy_class(pool, bytes, &class_index);
	return take_from_magazine(pool, magazine, class_index, home, bytes, tag ? tag : "", is_news);
}

/* What a hit in a magazine leaves to be said: to who watches the pool, and of its pressure. */
CLPAC__RARE clpac_status tell_of_hit(clpac_pool *pool, clpac_buffer *buffer, const clpac_request *request)
{
	if (clpac__watch_is_on(&pool->watch))
		clpac__pool_note_allocation(pool, buffer, request, true);
	clpac__pool_tell(pool);
	return CLPAC_OK;
}

clpac_status clpac_pool_request(clpac_pool *pool, const clpac_request *request, clpac_buffer **out, clpac_error *err)
{
	NEED(pool, request, out);
	bool is_news;
	clpac_buffer *buffer = hit(pool, request->bytes, request->tag, request->placement, request->queue, &is_news);
	if (CLPAC__RARELY(!buffer))
		return request_slowly(pool, request, out, err);
	*out = buffer;
	return CLPAC__RARELY(is_news || clpac__watch_is_on(&pool->watch)) ? tell_of_hit(pool, buffer, request)
									  : CLPAC_OK;
}

CLPAC__RARE clpac_status allocate_slowly(clpac_pool *pool, size_t bytes, const char *tag, clpac_buffer **out,
					 clpac_error *err)
{
	const clpac_request request = {.bytes = bytes, .tag = tag};
	return request_slowly(pool, &request, out, err);
}

CLPAC__RARE clpac_status tell_of_plain_hit(clpac_pool *pool, clpac_buffer *buffer)
{
	const clpac_request request = {.bytes = buffer->bytes, .tag = buffer->tag};
	return tell_of_hit(pool, buffer, &request);
}

clpac_status clpac_pool_allocate(clpac_pool *pool, size_t bytes, const char *tag, clpac_buffer **out, clpac_error *err)
{
	NEED(pool, out);
	bool is_news;
	clpac_buffer *buffer = hit(pool, bytes, tag, (clpac_placement)0, NULL, &is_news);
	if (CLPAC__RARELY(!buffer))
		return allocate_slowly(pool, bytes, tag, out, err);
	*out = buffer;
	return CLPAC__RARELY(is_news || clpac__watch_is_on(&pool->watch)) ? tell_of_plain_hit(pool, buffer) : CLPAC_OK;
}
