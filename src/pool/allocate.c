/* Obtaining a block, in this order: the caller's magazine; the depot and other magazines; a segment or the driver,
 * within the budget; the ladder.
 */
#include "pool/pool_parts.h"

#include "base/memory.h"

clpac_buffer *clpac__pool_look(clpac_pool *pool, const clpac__need *need)
{
	clpac_buffer *buffer = clpac__free_list_take(&pool->depot, need->class_index, need->queue);
	return buffer ? buffer : clpac__magazines_take(pool, need->class_index, need->queue);
}

clpac_status clpac__pool_obtain(clpac_pool *pool, const clpac__need *need, bool *is_hit, clpac_buffer **out,
				clpac_error *err)
{
	clpac__attempt attempt = {.divisor = 1};
	*is_hit = true;
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

/* Called with the magazine's lock held. */
static void hand_out(const clpac__need *need, clpac_buffer *buffer)
{
	buffer->bytes = need->bytes;
	buffer->tag = need->tag;
	atomic_store_explicit(&buffer->home, need->queue, memory_order_relaxed);
	buffer->may_promote = buffer->is_on_host && need->placement != CLPAC_PLACE_HOST;
	buffer->is_pinned = false;
	atomic_store_explicit(&buffer->is_in_use, true, memory_order_relaxed);
}

/* NULL: the caller's magazine has no block of the class. */
static clpac_buffer *take_from_magazine(clpac_pool *pool, clpac__magazine *magazine, const clpac__need *need)
{
	clpac__latch_take(&magazine->lock);
	clpac_buffer *buffer = clpac__free_list_take(&magazine->blocks, need->class_index, need->queue);
	if (buffer) {
		hand_out(need, buffer);
		buffer->id = clpac__magazine_id(pool, magazine);
		clpac__magazine_count(pool, magazine, buffer, 1);
		magazine->hits++;
	}
	clpac__latch_leave(&magazine->lock);
	return buffer;
}

static clpac_status take_slowly(clpac_pool *pool, clpac__magazine *magazine, const clpac__need *need,
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
		clpac__latch_take(&magazine->lock);
		hand_out(need, buffer);
		buffer->id = clpac__magazine_id(pool, magazine);
		clpac__magazine_count(pool, magazine, buffer, 1);
		clpac__latch_leave(&magazine->lock);
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

/* The rest of a request whose buffer did not come from the magazine (buffer is NULL then), or that is checked. */
static clpac_status request_slowly(clpac_pool *pool, clpac__magazine *magazine, const clpac__need *need,
				   clpac_buffer *buffer, clpac_buffer **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const bool is_slow = !buffer;
	bool is_hit = true;
	if (is_slow)
		st = take_slowly(pool, magazine, need, &buffer, &is_hit, err);
	if (st == CLPAC_OK && pool->is_checked)
		st = clpac__checked_lend(pool, &buffer, err);
	if (buffer && clpac__watch_is_on(&pool->watch))
		clpac__pool_note_allocation(pool, buffer, need->request, is_hit);
	if (st == CLPAC_OK && pool->is_checked)
		st = clpac__checked_arm(pool, buffer, true, err);
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

clpac_status clpac_pool_request(clpac_pool *pool, const clpac_request *request, clpac_buffer **out, clpac_error *err)
{
	NEED(pool);
	NEED(request);
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac__need need;
	TRY(clpac__need_make(pool, request, &need, err));
	clpac__magazine *magazine = clpac__magazine_get(pool, need.queue);
	if (!magazine)
		FAIL_NO_MEMORY(sizeof *magazine);
	clpac_buffer *buffer = need.placement == CLPAC_PLACE_HOST ? NULL : take_from_magazine(pool, magazine, &need);
	if (!buffer || pool->is_checked)
		return request_slowly(pool, magazine, &need, buffer, out, err);
	if (clpac__watch_is_on(&pool->watch))
		clpac__pool_note_allocation(pool, buffer, request, true);
	*out = buffer;
done:
	return st;
}

clpac_status clpac_pool_allocate(clpac_pool *pool, size_t bytes, const char *tag, clpac_buffer **out, clpac_error *err)
{
	NEED(pool);
	NEED(out);
	const clpac_request request = {.bytes = bytes, .tag = tag};
	return clpac_pool_request(pool, &request, out, err);
}
