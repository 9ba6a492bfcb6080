/* Transfers that are not waited for: the caller gets an event. */
#include "memory/pool/surface/surface.h"

#include <clpac/memory/buffer.h>

/* Marks the end of a transfer that was put into a queue.  If that fails, the transfer is waited for: the host's memory
 * may go when the caller has the error.  The queue's driver lock is held. */
static clpac_status mark_or_finish(clpac__queue *queue, clpac_event **out, clpac_error *err)
{
	const clpac_status st = queue->operations->mark(queue, out, err);
	if (st != CLPAC_OK)
		queue->operations->finish(queue, NULL);
	return st;
}

/* Hands the event out; like mark_or_finish when that fails. */
static clpac_status hand_out(clpac_buffer *buffer, clpac_event *event, clpac_event **out, clpac_error *err)
{
	clpac_pool *pool = buffer->pool;
	clpac__queue *queue = pool->queues[0].queue;
	clpac_status st = queue->operations->retain(queue, event, err);
	if (st == CLPAC_OK)
		st = clpac__pool_event_add(pool, event, err);
	if (st == CLPAC_OK)
		*out = event;
	else
		queue->operations->wait(queue, event, NULL);
	clpac__pool_forget(pool, event);
	return st;
}

clpac_status clpac_buffer_write_later(clpac_buffer *buffer, size_t offset, size_t bytes, const void *source,
				      clpac_event **out, clpac_error *err)
{
	NEED(buffer);
	NEED_AS(source || !bytes, "source");
	NEED(out);
	NEED_BUFFER_HERE(buffer);
	clpac_status st = CLPAC_OK;
	clpac_event *event = NULL;
	bool is_staged = false;
	size_t staged = 0;
	clpac__pool_queue *home;
	clpac_pool *pool = buffer->pool; /* the buffer may be another owner's at the end */
	TRY(clpac__buffer_check(buffer, "write", offset, bytes, err));
	is_staged = clpac__staging_take(pool, buffer, bytes);
	TRY(clpac__transfer_begin(buffer, "write", &home, err));
	clpac__transfer_count(&pool->bytes_to_device, buffer, bytes);
	clpac__queue *queue = home->queue;
	if (is_staged)
		st = clpac__staging_write_later(pool, queue, buffer->block, offset, bytes, source, &staged, err);
	if (st == CLPAC_OK && staged < bytes)
		st = queue->operations->write_later(queue, buffer->block, offset + staged, bytes - staged,
						    (const unsigned char *)source + staged, err);
	if (st == CLPAC_OK)
		st = mark_or_finish(queue, &event, err);
	pthread_mutex_unlock(&home->driver);
	if (st == CLPAC_OK)
		st = hand_out(buffer, event, out, err);
	clpac__use_give(buffer, CLPAC__USE_OF_POOL);
done:
	if (is_staged)
		clpac__staging_give(pool);
	return st;
}

clpac_status clpac_buffer_read_later(clpac_buffer *buffer, size_t offset, size_t bytes, void *target, clpac_event **out,
				     clpac_error *err)
{
	NEED(buffer);
	NEED_AS(target || !bytes, "target");
	NEED(out);
	NEED_BUFFER_HERE(buffer);
	clpac_status st = CLPAC_OK;
	clpac_event *event = NULL;
	clpac__pool_queue *home;
	RETURN_IF_ERROR(clpac__buffer_check(buffer, "read", offset, bytes, err));
	RETURN_IF_ERROR(clpac__transfer_begin(buffer, "read", &home, err));
	clpac__transfer_count(&buffer->pool->bytes_from_device, buffer, bytes);
	clpac__queue *queue = home->queue;
	if (bytes)
		st = queue->operations->read_later(queue, buffer->block, offset, bytes, target, err);
	if (st == CLPAC_OK)
		st = mark_or_finish(queue, &event, err);
	pthread_mutex_unlock(&home->driver);
	if (st == CLPAC_OK)
		st = hand_out(buffer, event, out, err);
	clpac__use_give(buffer, CLPAC__USE_OF_POOL);
	return st;
}
