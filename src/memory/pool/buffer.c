/* A buffer's content and facts.  Ranges are checked against the bytes requested rather than against the larger class.
 * Transfers go through the queue that the buffer belongs to.
 */
#include "memory/pool/pool_parts.h"

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

bool clpac__buffer_refuse_release(clpac_buffer *buffer)
{
	clpac_error fault;
	if (clpac__buffer_check_release(buffer, &fault) == CLPAC_OK)
		return false;
	clpac__pool_bad_release(buffer->pool, fault.text);
	return true;
}

clpac__block *clpac__buffer_block(const clpac_buffer *buffer)
{
	return buffer->block;
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

clpac_status clpac__transfer_begin(clpac_buffer *buffer, const char *what, clpac__pool_queue **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool is_taken = false;
	if (buffer->is_on_host)
		clpac__buffer_promote(buffer->pool, buffer, NULL);
	is_taken = clpac__use_take(buffer, CLPAC__USE_OF_POOL);
	if (!is_taken)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: the buffer is being released", what);
	TRY(clpac__use_follow(buffer, buffer->home, err));
	*out = clpac__pool_queue_lock_home(buffer->pool, buffer);
	is_taken = false;
done:
	if (is_taken)
		clpac__use_give(buffer, CLPAC__USE_OF_POOL);
	return st;
}

void clpac__transfer_end(clpac_buffer *buffer, clpac__pool_queue *home)
{
	pthread_mutex_unlock(&home->driver);
	clpac__use_give(buffer, CLPAC__USE_OF_POOL);
}

/* Makes later work of an out-of-order queue begin after all work put into it so far, as it does on in-order queues. The
 * driver lock is held. */
static clpac_status keep_order(clpac__pool_queue *home, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__queue *queue = home->queue;
	clpac_event *event = NULL;
	if (home->is_in_order)
		goto done;
	TRY(queue->operations->mark(queue, &event, err));
	TRY(queue->operations->wait_for(queue, event, err));
done:
	if (event)
		queue->operations->forget(queue, event);
	return st;
}

clpac_status clpac_buffer_write(clpac_buffer *buffer, size_t offset, size_t bytes, const void *source, clpac_error *err)
{
	NEED(buffer);
	NEED_AS(source || !bytes, "source");
	clpac_status st = CLPAC_OK;
	bool is_staged = false;
	clpac_pool *pool = buffer->pool; /* the buffer may be another owner's at the end */
	TRY(clpac__buffer_check(buffer, "write", offset, bytes, err));
	if (!bytes)
		goto done;
	clpac__pool_queue *home;
	is_staged = clpac__staging_take(pool, buffer, bytes);
	TRY(clpac__transfer_begin(buffer, "write", &home, err));
	clpac__transfer_count(&buffer->pool->bytes_to_device, buffer, bytes);
	st = is_staged ? clpac__staging_write(pool, home->queue, buffer->block, offset, bytes, source, err)
		       : home->queue->operations->write(home->queue, buffer->block, offset, bytes, source, err);
	clpac__transfer_end(buffer, home);
done:
	if (is_staged)
		clpac__staging_give(pool);
	return st;
}

clpac_status clpac_buffer_read(clpac_buffer *buffer, size_t offset, size_t bytes, void *target, clpac_error *err)
{
	NEED(buffer);
	NEED_AS(target || !bytes, "target");
	clpac_status st = CLPAC_OK;
	bool is_staged = false;
	clpac_pool *pool = buffer->pool; /* the buffer may be another owner's at the end */
	TRY(clpac__buffer_check(buffer, "read", offset, bytes, err));
	if (!bytes)
		goto done;
	clpac__pool_queue *home;
	is_staged = clpac__staging_take(pool, buffer, bytes);
	TRY(clpac__transfer_begin(buffer, "read", &home, err));
	clpac__transfer_count(&buffer->pool->bytes_from_device, buffer, bytes);
	st = is_staged ? clpac__staging_read(pool, home->queue, buffer->block, offset, bytes, target, err)
		       : home->queue->operations->read(home->queue, buffer->block, offset, bytes, target, err);
	clpac__transfer_end(buffer, home);
done:
	if (is_staged)
		clpac__staging_give(pool);
	return st;
}

clpac_status clpac_buffer_fill(clpac_buffer *buffer, size_t offset, size_t bytes, uint8_t value, clpac_error *err)
{
	NEED(buffer);
	clpac_status st = CLPAC_OK;
	RETURN_IF_ERROR(clpac__buffer_check(buffer, "fill", offset, bytes, err));
	if (!bytes)
		return st;
	clpac__pool_queue *home;
	RETURN_IF_ERROR(clpac__transfer_begin(buffer, "fill", &home, err));
	st = keep_order(home, err);
	if (st == CLPAC_OK)
		st = home->queue->operations->fill(home->queue, buffer->block, offset, bytes, value, err);
	clpac__transfer_end(buffer, home);
	return st;
}

clpac_status clpac_pool_request_zeroed(clpac_pool *pool, const clpac_request *request, clpac_buffer **out,
				       clpac_error *err)
{
	NEED(pool);
	NEED(request);
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac_buffer *made = NULL;
	TRY(clpac_pool_request(pool, request, &made, err));
	clpac__pool_queue *home;
	TRY(clpac__transfer_begin(made, "fill", &home, err));
	st = home->queue->operations->fill(home->queue, made->block, 0, made->bytes, 0, err);
	if (st == CLPAC_OK)
		st = keep_order(home, err);
	clpac__transfer_end(made, home);
	if (st != CLPAC_OK)
		goto done;
	*out = made;
	made = NULL;
done:
	clpac_buffer_release(made);
	return st;
}

/* The target's queue makes the copy, so it first waits for the work on the source in other queues.  A use of the source
 * is held. */
static clpac_status follow_source(clpac_buffer *source, clpac__pool_queue *home, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_event *event = NULL;
	if (source->home != home)
		TRY(clpac__pool_queue_mark(source->home, &event, err));
	if (event)
		TRY(clpac__pool_queue_wait_for(home, event, err));
	TRY(clpac__use_follow(source, home, err));
done:
	clpac__pool_forget(source->pool, event);
	return st;
}

/* Whether one command can make the copy: the buffers are of one device, and of one pool or of the queue of both pools.
 */
static bool is_direct(const clpac_buffer *source, const clpac_buffer *target)
{
	const clpac__pool_queue *from = source->home, *to = target->home;
	return source->pool == target->pool ||
	       (source->pool->queues[0].queue == target->pool->queues[0].queue && !from->ordinal && !to->ordinal);
}

clpac_status clpac_buffer_copy(clpac_buffer *source, size_t source_offset, clpac_buffer *target, size_t target_offset,
			       size_t bytes, clpac_error *err)
{
	NEED(source);
	NEED(target);
	clpac_status st = CLPAC_OK;
	bool is_taken = false;
	TRY(clpac__buffer_check(source, "copy from", source_offset, bytes, err));
	TRY(clpac__buffer_check(target, "copy to", target_offset, bytes, err));
	if (!bytes)
		goto done;
	const size_t apart =
		source_offset < target_offset ? target_offset - source_offset : source_offset - target_offset;
	if (source == target && apart < bytes)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "copy: %zu bytes from %zu to %zu of the same buffer \"%s\" overlap; copy through another buffer",
		     bytes, source_offset, target_offset, target->tag);
	if (!is_direct(source, target)) {
		TRY(clpac__copy_across(source, source_offset, target, target_offset, bytes, err));
		goto done;
	}
	is_taken = clpac__use_take(source, CLPAC__USE_OF_POOL);
	if (!is_taken)
		FAIL(CLPAC_ERROR_ARGUMENT, "copy from: the buffer is being released");
	if (source->pool == target->pool)
		TRY(follow_source(source, target->home, err));
	else
		TRY(clpac__use_follow(source, source->home, err));
	clpac__pool_queue *home;
	TRY(clpac__transfer_begin(target, "copy to", &home, err));
	st = keep_order(home, err);
	if (st == CLPAC_OK)
		st = home->queue->operations->copy(home->queue, source->block, source_offset, target->block,
						   target_offset, bytes, err);
	clpac__transfer_end(target, home);
	if (source->pool == target->pool && source->home != home)
		clpac__use_note(source, home);
done:
	if (is_taken)
		clpac__use_give(source, CLPAC__USE_OF_POOL);
	return st;
}

clpac_status clpac_buffer_map(clpac_buffer *buffer, size_t offset, size_t bytes, clpac_access access, void **out,
			      clpac_error *err)
{
	NEED(buffer);
	NEED(out);
	clpac_status st = CLPAC_OK;
	bool is_in_place = true;
	RETURN_IF_ERROR(clpac__buffer_check(buffer, "map", offset, bytes, err));
	if (!bytes)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "map: 0 bytes of buffer \"%s\": ask for at least 1", buffer->tag);
	if (access != CLPAC_READ && access != CLPAC_WRITE && access != CLPAC_READ_WRITE)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "map: access is %d: no such access", (int)access);
	if (buffer->mapping)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "map: buffer \"%s\" is mapped already; unmap it first", buffer->tag);
	if (atomic_load(&buffer->uses) & CLPAC__USES_OF_CALLER)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "map: buffer \"%s\" is in use; end its uses first", buffer->tag);
	clpac_pool *pool = buffer->pool;
	clpac__pool_queue *home;
	RETURN_IF_ERROR(clpac__transfer_begin(buffer, "map", &home, err));
	void *mapping = NULL;
	st = home->queue->operations->map(home->queue, buffer->block, offset, bytes, access & CLPAC_READ,
					  access & CLPAC_WRITE, &mapping, &is_in_place, err);
	if (st == CLPAC_OK)
		buffer->mapping = mapping;
	clpac__transfer_end(buffer, home);
	if (st != CLPAC_OK)
		return st;
	if (!is_in_place) {
		if (access & CLPAC_READ)
			clpac__transfer_count(&pool->bytes_from_device, buffer, bytes);
		if (access & CLPAC_WRITE)
			clpac__transfer_count(&pool->bytes_to_device, buffer, bytes);
		pthread_mutex_lock(&pool->lock);
		pool->ledger.now.host_copies++;
		pthread_mutex_unlock(&pool->lock);
	}
	*out = mapping;
	return st;
}

clpac_status clpac__buffer_unmap(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err)
{
	clpac__pool_queue *home = clpac__pool_queue_lock_home(pool, buffer);
	const clpac_status st = home->queue->operations->unmap(home->queue, buffer->block, buffer->mapping, err);
	pthread_mutex_unlock(&home->driver);
	buffer->mapping = NULL;
	return st;
}

clpac_status clpac_buffer_unmap(clpac_buffer *buffer, clpac_error *err)
{
	NEED(buffer);
	RETURN_IF_ERROR(clpac__buffer_check(buffer, "unmap", 0, 0, err));
	if (!buffer->mapping)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "unmap: buffer \"%s\" is not mapped", buffer->tag);
	return clpac__buffer_unmap(buffer->pool, buffer, err);
}

bool clpac__buffer_pin(clpac_buffer *buffer)
{
	if (!clpac__use_take(buffer, CLPAC__USE_OF_POOL))
		return false;
	buffer->is_pinned = true;
	clpac__use_give(buffer, CLPAC__USE_OF_POOL);
	return true;
}

size_t clpac_buffer_bytes(const clpac_buffer *buffer)
{
	if (!clpac__buffer_is_live(buffer))
		return 0;
	return buffer->bytes;
}

size_t clpac_buffer_class(const clpac_buffer *buffer)
{
	if (!clpac__buffer_is_live(buffer))
		return 0;
	return buffer->class_bytes;
}

uint64_t clpac_buffer_id(const clpac_buffer *buffer)
{
	if (!clpac__buffer_is_live(buffer))
		return 0;
	return buffer->id;
}

const char *clpac_buffer_tag(const clpac_buffer *buffer)
{
	if (!clpac__buffer_is_live(buffer))
		return "";
	return buffer->tag;
}

clpac_pool *clpac_buffer_pool(const clpac_buffer *buffer)
{
	if (!clpac__buffer_is_live(buffer))
		return NULL;
	return atomic_load_explicit(&buffer->pool->is_given_up, memory_order_relaxed) ? NULL : buffer->pool;
}

clpac_pool *clpac__buffer_pool(const clpac_buffer *buffer)
{
	return buffer->pool;
}
