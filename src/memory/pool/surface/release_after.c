/* Releases that say more than the buffer: the events that end its use, the queues that used it, the pool. */
#include "memory/pool/surface/surface.h"

#include <inttypes.h>
#include <clpac/memory/buffer.h>

clpac_status clpac_buffer_release_after(clpac_buffer *buffer, size_t n, clpac_event *const *events, clpac_error *err)
{
	NEED_AS(events || !n, "events");
	clpac_status st = CLPAC_OK;
	if (!buffer)
		return st;
	NEED_BUFFER_HERE(buffer);
	if (!atomic_load(&buffer->is_in_use))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "release of buffer %llu: it was released before",
			     (unsigned long long)buffer->id);
	RETURN_IF_ERROR(clpac__buffer_check_release(buffer, err));
	RETURN_IF_ERROR(clpac__pool_events_need(n, events, "release", buffer->tag, err));
	/* As a use that ends with these events. */
	if (!clpac__use_take(buffer, CLPAC__USE_OF_POOL))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "release of a buffer: it is being released");
	st = clpac__use_end_after(buffer, n, events, err);
	clpac__use_give(buffer, CLPAC__USE_OF_POOL);
	if (st == CLPAC_OK)
		clpac_buffer_release(buffer);
	return st;
}

clpac_status clpac_buffer_record(clpac_buffer *buffer, clpac_queue *queue, clpac_error *err)
{
	NEED(buffer);
	NEED_BUFFER_HERE(buffer);
	if (!atomic_load(&buffer->is_in_use))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "record: the buffer is not in use");
	const clpac__pool_queue *place = clpac__pool_queue_need(buffer->pool, queue, "record", err);
	if (!place)
		return CLPAC_ERROR_ARGUMENT;
	if (place != buffer->home)
		buffer->recorded |= 1u << place->ordinal;
	return CLPAC_OK;
}

/* Searches for the handle without dereferencing it: it may be any pointer. */
static bool is_of_pool(clpac_pool *pool, const clpac_buffer *buffer)
{
	pthread_mutex_lock(&pool->lock);
	const clpac_buffer *known = pool->handles;
	while (known && known != buffer)
		known = known->next;
	if (!known)
		known = pool->quarantine.first;
	while (known && known != buffer)
		known = known->next;
	pthread_mutex_unlock(&pool->lock);
	return known;
}

clpac_status clpac_pool_release(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err)
{
	NEED(pool);
	NEED_HERE(pool);
	clpac_status st = CLPAC_OK;
	bool is_kept = false;
	if (!buffer)
		return st;
	if (!is_of_pool(pool, buffer))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "release: %p is no buffer of this pool, or was released long ago",
			     (const void *)buffer);
	if (!atomic_load_explicit(&buffer->is_in_use, memory_order_acquire)) {
		st = clpac__fail(err, CLPAC_ERROR_ARGUMENT, "release of buffer %" PRIu64 ": it was released before",
				 buffer->id);
	} else if ((st = clpac__buffer_check_release(buffer, err)) == CLPAC_OK && pool->is_checked &&
		   clpac__use_take(buffer, CLPAC__USE_OF_POOL)) {
		/* Held, so that nobody moves it.  With other uses open its margins are looked at when the last one
		 * ends. */
		if (atomic_load(&buffer->uses) == CLPAC__USE_OF_POOL) {
			if (buffer->mapping)
				is_kept = (st = clpac__buffer_unmap(pool, buffer, err)) != CLPAC_OK;
			if (!is_kept)
				st = clpac__checked_verify(pool, buffer, err);
		}
		clpac__use_give(buffer, CLPAC__USE_OF_POOL);
		if (is_kept)
			return st;
	}
	clpac_buffer_release(buffer);
	return st;
}
