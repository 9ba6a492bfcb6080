/* Uses of buffers: by the application's own commands, and by transfers. */
#include "memory/pool/surface/surface.h"

#include <inttypes.h>

#include <clpac/memory/buffer.h>

static pthread_mutex_t *lock_of(const clpac_buffer *buffer)
{
	return &buffer->pool->use_locks[((uintptr_t)buffer >> 6) % CLPAC__USE_LOCKS];
}

bool clpac__use_take(clpac_buffer *buffer, uint64_t kind)
{
	uint64_t uses = atomic_load(&buffer->uses);
	do {
		if (uses & CLPAC__USE_MOVING)
			uses = clpac__use_wait_for_move(buffer);
	} while (!atomic_compare_exchange_weak(&buffer->uses, &uses, uses + kind));
	/* Looked at behind the count: a release marks the buffer first and then reads the count. */
	if (atomic_load(&buffer->is_in_use))
		return true;
	clpac__use_give(buffer, kind);
	return false;
}

void clpac__use_give(clpac_buffer *buffer, uint64_t kind)
{
	if (atomic_fetch_sub(&buffer->uses, kind) - kind != CLPAC__USE_RELEASED)
		return;
	atomic_store(&buffer->uses, 0);
	clpac__buffer_bring_back(buffer);
}

clpac_status clpac__use_follow(clpac_buffer *buffer, clpac__pool_queue *place, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (!buffer->pending)
		return st;
	pthread_mutex_lock(lock_of(buffer));
	st = clpac__hazards_follow(buffer->pool, buffer, place, err);
	pthread_mutex_unlock(lock_of(buffer));
	return st;
}

void clpac__use_note(clpac_buffer *buffer, clpac__pool_queue *place)
{
	pthread_mutex_lock(lock_of(buffer));
	clpac__hazards_note(buffer->pool, buffer, place);
	pthread_mutex_unlock(lock_of(buffer));
}

/* Notes that a use ends with the caller's events, all or none.  A use is held. */
static clpac_status use_end_after(clpac_buffer *buffer, size_t n, clpac_event *const *events, clpac_error *err)
{
	pthread_mutex_lock(lock_of(buffer));
	const clpac_status st = clpac__hazards_add(buffer->pool, buffer, n, events, err);
	pthread_mutex_unlock(lock_of(buffer));
	return st;
}

void clpac__buffers_hold(clpac_buffer *const *buffers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (buffers[i])
			clpac__use_take(buffers[i], CLPAC__USE_OF_POOL);
}

void clpac__buffers_let_go(clpac_buffer *const *buffers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (buffers[i])
			clpac__use_give(buffers[i], CLPAC__USE_OF_POOL);
}

/* --- The application's ----------------------------------------------------------------------- */

/* Makes further work of a queue come after what used the buffer before. */
static clpac_status order(clpac_buffer *buffer, clpac__pool_queue *place, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__pool_queue *home = buffer->home;
	clpac_event *event = NULL;
	if (home && (home != place || !place->is_in_order))
		TRY(clpac__pool_queue_mark(home, &event, err));
	if (event)
		TRY(clpac__pool_queue_wait_for(place, event, err));
	TRY(clpac__use_follow(buffer, place, err));
done:
	clpac__pool_forget(buffer->pool, event);
	return st;
}

clpac_status clpac_buffer_use_begin(clpac_buffer *buffer, clpac_queue *queue, void **memory, clpac_error *err)
{
	NEED(buffer, memory);
	NEED_BUFFER_HERE(buffer);
	static const char WHAT[] = "begin of a use";
	clpac_status st = CLPAC_OK;
	bool is_taken = false;
	TRY(clpac__buffer_check(buffer, WHAT, 0, 0, err));
	clpac_pool *pool = buffer->pool;
	clpac__pool_queue *place = clpac__pool_queue_need(pool, queue, WHAT, err);
	if (!place)
		return CLPAC_ERROR_ARGUMENT;
	if (buffer->is_on_host)
		clpac__buffer_promote(pool, buffer, NULL);
	is_taken = clpac__use_take(buffer, CLPAC__USE_OF_CALLER);
	if (!is_taken)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: the buffer is being released", WHAT);
	if (buffer->mapping)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: buffer \"%s\" is mapped; unmap it first", WHAT, buffer->tag);
	TRY(clpac__buffer_need_block(buffer, err));
	TRY(order(buffer, place, err));
	clpac__queue *own = pool->queues[0].queue;
	*memory = own->operations->handle(own, buffer->block);
	is_taken = false;
done:
	if (is_taken)
		clpac__use_give(buffer, CLPAC__USE_OF_CALLER);
	return st;
}

/* A use that the caller began.  Not clpac__buffer_check: the buffer may have been released meanwhile. */
static clpac_status check_open(const clpac_buffer *buffer, clpac_error *err)
{
	if (!(atomic_load(&buffer->uses) & CLPAC__USES_OF_CALLER))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "end of a use: no use of buffer %llu has begun; clpac_buffer_use_begin comes first",
			     (unsigned long long)buffer->id);
	return CLPAC_OK;
}

clpac_status clpac_buffer_use_end(clpac_buffer *buffer, clpac_queue *queue, clpac_error *err)
{
	NEED(buffer);
	NEED_BUFFER_HERE(buffer);
	RETURN_IF_ERROR(check_open(buffer, err));
	clpac__pool_queue *place = clpac__pool_queue_need(buffer->pool, queue, "end of a use", err);
	if (!place)
		return CLPAC_ERROR_ARGUMENT;
	if (place != buffer->home)
		clpac__use_note(buffer, place);
	clpac__use_give(buffer, CLPAC__USE_OF_CALLER);
	return CLPAC_OK;
}

clpac_status clpac_buffer_use_end_after(clpac_buffer *buffer, size_t n, clpac_event *const *events, clpac_error *err)
{
	NEED(buffer);
	NEED_AS(events || !n, "events");
	NEED_BUFFER_HERE(buffer);
	RETURN_IF_ERROR(check_open(buffer, err));
	RETURN_IF_ERROR(clpac__pool_events_need(n, events, "end of a use", buffer->tag, err));
	RETURN_IF_ERROR(use_end_after(buffer, n, events, err));
	clpac__use_give(buffer, CLPAC__USE_OF_CALLER);
	return CLPAC_OK;
}

/* --- Releases that say what used the buffer --------------------------------------------------- */

/* Releases that say more than the buffer: the events that end its use, the queues that used it, the pool. */

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
	st = use_end_after(buffer, n, events, err);
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
