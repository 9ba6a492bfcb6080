/* Handles: the list of all of a pool, what one may be used for now, and who owns it. */
#include "memory/pool/blocks/blocks.h"

void clpac__handle_add(clpac_pool *pool, clpac_buffer *buffer)
{
	buffer->previous = NULL;
	buffer->next = pool->handles;
	if (pool->handles)
		pool->handles->previous = buffer;
	pool->handles = buffer;
}

void clpac__handle_remove(clpac_pool *pool, clpac_buffer *buffer)
{
	*(buffer->previous ? &buffer->previous->next : &pool->handles) = buffer->next;
	if (buffer->next)
		buffer->next->previous = buffer->previous;
	buffer->previous = buffer->next = NULL;
}

bool clpac__buffer_is_live(const clpac_buffer *buffer)
{
	return buffer && atomic_load_explicit(&buffer->is_in_use, memory_order_acquire);
}

clpac_status clpac__buffer_own(clpac_buffer *buffer, const char *key, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_pool *pool = buffer->pool;
	pthread_mutex_lock(&pool->lock);
	const char *old = atomic_load_explicit(&buffer->key, memory_order_relaxed);
	if (old)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "key \"%s\": its buffer is a store's already, under key \"%s\"; give each key a buffer of its own",
		     key, old);
	atomic_store_explicit(&buffer->key, key, memory_order_relaxed);
done:
	pthread_mutex_unlock(&pool->lock);
	return st;
}

void clpac__buffer_disown(clpac_buffer *buffer)
{
	if (!buffer)
		return;
	pthread_mutex_lock(&buffer->pool->lock);
	atomic_store_explicit(&buffer->key, NULL, memory_order_relaxed);
	pthread_mutex_unlock(&buffer->pool->lock);
}

clpac_status clpac__buffer_check_release(clpac_buffer *buffer, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (CLPAC__RARELY(atomic_load_explicit(&buffer->key, memory_order_relaxed))) {
		clpac_pool *pool = buffer->pool;
		pthread_mutex_lock(&pool->lock);
		const char *key = atomic_load_explicit(&buffer->key, memory_order_relaxed);
		if (key)
			st = clpac__fail(err, CLPAC_ERROR_ARGUMENT,
					 "release of buffer %llu: a store owns it, under key \"%s\"; delete the key",
					 (unsigned long long)buffer->id, key);
		pthread_mutex_unlock(&pool->lock);
	}
	return st;
}

/* The first use of a part gives it a block.  Its uses, which keep it in its place, may begin in several threads. */
clpac_status clpac__buffer_make_block(clpac_buffer *buffer, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_pool *pool = buffer->pool;
	clpac__pool_queue *own = &buffer->pool->queues[0];
	clpac__block *made;
	pthread_mutex_lock(&own->driver);
	if (!atomic_load_explicit(&buffer->block, memory_order_relaxed)) {
		st = own->queue->operations->create_part(own->queue, buffer->segment->whole,
							 (size_t)buffer->piece_offset * pool->unit + pool->front_bytes,
							 buffer->class_bytes - pool->front_bytes, &made, err);
		if (st == CLPAC_OK)
			atomic_store_explicit(&buffer->block, made, memory_order_release);
	}
	pthread_mutex_unlock(&own->driver);
	return st == CLPAC_OK ? st
			      : clpac__fail_context(err, st, "first use of buffer \"%s\" of %zu bytes", buffer->tag,
						    buffer->bytes);
}

clpac__block *clpac__buffer_block(clpac_buffer *buffer)
{
	return clpac__buffer_need_block(buffer, NULL) == CLPAC_OK ? buffer->block : NULL;
}

clpac_status clpac__buffer_check(const clpac_buffer *buffer, const char *what, size_t offset, size_t bytes,
				 clpac_error *err)
{
	if (!buffer)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s: the buffer is NULL", what);
	if (!clpac__buffer_is_live(buffer) && !buffer->id)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s: the buffer was released long ago", what);
	if (!clpac__buffer_is_live(buffer))
		/* The text omits the tag, which need not outlive the buffer. */
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s: buffer %llu was released before", what,
			     (unsigned long long)buffer->id);
	if (offset > buffer->bytes || bytes > buffer->bytes - offset)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s: %zu bytes from byte %zu on are not in buffer \"%s\" of %zu bytes", what, bytes,
			     offset, buffer->tag, buffer->bytes);
	return CLPAC_OK;
}

clpac_status clpac__buffer_unmap(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err)
{
	clpac__pool_queue *home = clpac__pool_queue_lock_home(pool, buffer);
	const clpac_status st = home->queue->operations->unmap(home->queue, buffer->block, buffer->mapping, err);
	pthread_mutex_unlock(&home->driver);
	buffer->mapping = NULL;
	return st;
}

clpac_pool *clpac__buffer_pool(const clpac_buffer *buffer)
{
	return buffer->pool;
}

/* --- Claims ----------------------------------------------------------------------------------- */

/* Claims of buffers: nobody else uses a claimed one, so that its block may change. */

uint64_t clpac__use_wait_for_move(const clpac_buffer *buffer)
{
	clpac_pool *pool = buffer->pool;
	uint64_t uses;
	pthread_mutex_lock(&pool->lock);
	while ((uses = atomic_load(&buffer->uses)) & CLPAC__USE_MOVING)
		pthread_cond_wait(&pool->settled, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	return uses;
}

bool clpac__use_defer_release(clpac_buffer *buffer)
{
	uint64_t uses = atomic_load(&buffer->uses);
	do {
		if (uses & CLPAC__USE_MOVING)
			uses = clpac__use_wait_for_move(buffer);
		if (!uses)
			return false;
		buffer->tag =
			"released while in use"; /* for what the last use finds: the owner's may be gone by then */
	} while (!atomic_compare_exchange_weak(&buffer->uses, &uses, uses | CLPAC__USE_RELEASED));
	return true;
}

bool clpac__use_claim(clpac_buffer *buffer)
{
	uint64_t none = 0;
	if (!atomic_compare_exchange_strong(&buffer->uses, &none, CLPAC__USE_MOVING))
		return false;
	/* A cached block's; a new owner who sees the claim waits for the pool's lock. */
	if (atomic_load(&buffer->is_in_use))
		return true;
	atomic_store(&buffer->uses, 0);
	return false;
}

void clpac__use_unclaim(clpac_pool *pool, clpac_buffer *buffer)
{
	atomic_store(&buffer->uses, 0);
	pthread_cond_broadcast(&pool->settled);
}

void clpac__uses_settle(clpac_pool *pool)
{
	clpac_buffer *claimed = NULL;
	for (clpac_buffer *buffer = pool->handles; buffer; buffer = buffer->next)
		if (atomic_load(&buffer->is_in_use) && buffer->pending && clpac__use_claim(buffer)) {
			buffer->below = claimed;
			claimed = buffer;
		}
	if (!claimed)
		return;
	pthread_mutex_unlock(&pool->lock);
	for (clpac_buffer *buffer = claimed; buffer; buffer = buffer->below)
		clpac__hazards_poll(pool, buffer);
	pthread_mutex_lock(&pool->lock);
	while (claimed) {
		clpac_buffer *buffer = claimed;
		claimed = buffer->below, buffer->below = NULL;
		clpac__use_unclaim(pool, buffer);
	}
}

/* --- Holders ---------------------------------------------------------------------------------- */

/* Holders of a pool: its owner, and what was made on it.  The last of them ends it, in the way that the pool was given
 * when it was made. */

clpac_status clpac__pool_need_here(const clpac_pool *pool, const char *function, clpac_error *err)
{
	return clpac__is_foreign(pool->process) ? clpac__forked_fail(err, function, "pool") : CLPAC_OK;
}

bool clpac__pool_is_over(clpac_pool *pool)
{
	return !pool->n_holders && clpac__magazines_are_idle(pool);
}

void clpac__pool_hold(clpac_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->n_holders++;
	pthread_mutex_unlock(&pool->lock);
}

bool clpac__pool_try_hold(clpac_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	const bool is_over = clpac__pool_is_over(pool);
	pool->n_holders += !is_over;
	pthread_mutex_unlock(&pool->lock);
	return !is_over;
}

void clpac__pool_let_go(clpac_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->n_holders--;
	const bool is_over = clpac__pool_is_over(pool);
	pthread_mutex_unlock(&pool->lock);
	if (is_over)
		pool->end(pool);
}
