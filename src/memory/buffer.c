/* A buffer's content and facts.  Ranges are checked against the bytes asked for, not against the larger class. */
#include "memory/pool_parts.h"

clpac__block *clpac__buffer_block(const clpac_buffer *buffer)
{
	return buffer->block;
}

static clpac_status check_range(const clpac_buffer *buffer, const char *what, size_t offset, size_t bytes,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (!buffer)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: the buffer is NULL", what);
	if (!buffer->pool)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: the pool of buffer \"%s\" was destroyed before it", what, buffer->tag);
	if (!buffer->is_in_use)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: buffer %llu \"%s\" was released before", what,
		     (unsigned long long)buffer->id, buffer->tag);
	if (offset > buffer->bytes || bytes > buffer->bytes - offset)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s: %zu bytes from byte %zu on are not in buffer \"%s\" of %zu bytes", what,
		     bytes, offset, buffer->tag, buffer->bytes);
done:
	return st;
}

clpac_status clpac_buffer_write(clpac_buffer *buffer, size_t offset, size_t bytes, const void *source, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_range(buffer, "write", offset, bytes, err));
	if (!bytes)
		goto done;
	clpac_pool *pool = buffer->pool;
	pthread_mutex_lock(&pool->driver);
	st = pool->queue->operations->write(pool->queue, buffer->block, offset, bytes, source, err);
	pthread_mutex_unlock(&pool->driver);
done:
	return st;
}

clpac_status clpac_buffer_read(clpac_buffer *buffer, size_t offset, size_t bytes, void *target, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_range(buffer, "read", offset, bytes, err));
	if (!bytes)
		goto done;
	clpac_pool *pool = buffer->pool;
	pthread_mutex_lock(&pool->driver);
	st = pool->queue->operations->read(pool->queue, buffer->block, offset, bytes, target, err);
	pthread_mutex_unlock(&pool->driver);
done:
	return st;
}

clpac_status clpac_buffer_fill(clpac_buffer *buffer, size_t offset, size_t bytes, uint8_t value, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_range(buffer, "fill", offset, bytes, err));
	if (!bytes)
		goto done;
	clpac_pool *pool = buffer->pool;
	pthread_mutex_lock(&pool->driver);
	st = pool->queue->operations->fill(pool->queue, buffer->block, offset, bytes, value, err);
	pthread_mutex_unlock(&pool->driver);
done:
	return st;
}

clpac_status clpac_buffer_copy(clpac_buffer *source, size_t source_offset, clpac_buffer *target, size_t target_offset,
			       size_t bytes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_range(source, "copy from", source_offset, bytes, err));
	TRY(check_range(target, "copy to", target_offset, bytes, err));
	if (!bytes)
		goto done;
	clpac_pool *pool = target->pool;
	if (source->pool->queue != pool->queue)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "copy: buffers \"%s\" and \"%s\" are of two devices; read the one and write the other",
		     source->tag, target->tag);
	size_t apart = source_offset < target_offset ? target_offset - source_offset : source_offset - target_offset;
	if (source == target && apart < bytes)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "copy: %zu bytes from %zu to %zu of the same buffer \"%s\" overlap; go by way of another one",
		     bytes, source_offset, target_offset, target->tag);
	pthread_mutex_lock(&pool->driver);
	st = pool->queue->operations->copy(pool->queue, source->block, source_offset, target->block, target_offset,
					   bytes, err);
	pthread_mutex_unlock(&pool->driver);
done:
	return st;
}

size_t clpac_buffer_bytes(const clpac_buffer *buffer)
{
	return buffer->bytes;
}

size_t clpac_buffer_class(const clpac_buffer *buffer)
{
	return buffer->class_bytes;
}

uint64_t clpac_buffer_id(const clpac_buffer *buffer)
{
	return buffer->id;
}

const char *clpac_buffer_tag(const clpac_buffer *buffer)
{
	return buffer->tag;
}

clpac_pool *clpac_buffer_pool(const clpac_buffer *buffer)
{
	return buffer->pool;
}
