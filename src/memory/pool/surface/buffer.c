/* A buffer's content and facts.  Ranges are checked against the bytes requested rather than against the larger class.
 * Transfers go through the queue that the buffer belongs to.
 */
#include "memory/pool/surface/surface.h"

#include <clpac/memory/buffer.h>

clpac_status clpac__transfer_begin(clpac_buffer *buffer, const char *what, clpac__pool_queue **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool is_taken = false;
	if (buffer->is_on_host)
		clpac__buffer_promote(buffer->pool, buffer, NULL);
	is_taken = clpac__use_take(buffer, CLPAC__USE_OF_POOL);
	if (!is_taken)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: the buffer is being released", what);
	TRY(clpac__buffer_need_block(buffer, err));
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

clpac_status clpac__keep_order(clpac__pool_queue *home, clpac_error *err)
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
	NEED_BUFFER_HERE(buffer);
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
	NEED_BUFFER_HERE(buffer);
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
	NEED_BUFFER_HERE(buffer);
	clpac_status st = CLPAC_OK;
	RETURN_IF_ERROR(clpac__buffer_check(buffer, "fill", offset, bytes, err));
	if (!bytes)
		return st;
	clpac__pool_queue *home;
	RETURN_IF_ERROR(clpac__transfer_begin(buffer, "fill", &home, err));
	st = clpac__keep_order(home, err);
	if (st == CLPAC_OK)
		st = home->queue->operations->fill(home->queue, buffer->block, offset, bytes, value, err);
	clpac__transfer_end(buffer, home);
	return st;
}

clpac_status clpac_pool_request_zeroed(clpac_pool *pool, const clpac_request *request, clpac_buffer **out,
				       clpac_error *err)
{
	NEED(pool, request, out);
	NEED_HERE(pool);
	clpac_status st = CLPAC_OK;
	clpac_buffer *made = NULL;
	TRY(clpac_pool_request(pool, request, &made, err));
	clpac__pool_queue *home;
	TRY(clpac__transfer_begin(made, "fill", &home, err));
	st = home->queue->operations->fill(home->queue, made->block, 0, made->bytes, 0, err);
	if (st == CLPAC_OK)
		st = clpac__keep_order(home, err);
	clpac__transfer_end(made, home);
	TRY(st);
	*out = made, made = NULL;
done:
	clpac_buffer_release(made);
	return st;
}

clpac_status clpac_buffer_map(clpac_buffer *buffer, size_t offset, size_t bytes, clpac_access access, void **out,
			      clpac_error *err)
{
	NEED(buffer, out);
	NEED_BUFFER_HERE(buffer);
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
	RETURN_IF_ERROR(st);
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

clpac_status clpac_buffer_unmap(clpac_buffer *buffer, clpac_error *err)
{
	NEED(buffer);
	NEED_BUFFER_HERE(buffer);
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
