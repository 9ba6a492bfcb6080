/* Copies between buffers. */
#include "memory/pool/surface/surface.h"

#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>

#include "base/memory.h"

/* --- Between buffers that no single command can copy, as those of two devices ---------------------
 *
 * Through the host, chunk by chunk.  While one device takes a chunk, the other one sends the next. */

enum { CHUNK_BYTES = 4 << 20, SLOTS = 2 };

struct crossing {
	clpac_buffer *source, *target;
	size_t source_offset, target_offset, bytes, chunk_bytes;
	unsigned char *staged[SLOTS];
	clpac_event *read[SLOTS], *written[SLOTS]; /* NULL: nothing under way */
};

static clpac_status pass(const clpac_buffer *buffer, clpac_event **event, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (*event) {
		st = clpac_event_wait(buffer->pool, *event, err);
		clpac_event_release(buffer->pool, *event);
		*event = NULL;
	}
	return st;
}

static size_t chunk_size(const struct crossing *crossing, size_t chunk)
{
	const size_t left = crossing->bytes - chunk * crossing->chunk_bytes;
	return left < crossing->chunk_bytes ? left : crossing->chunk_bytes;
}

/* Has a chunk sent, once its place on the host is free. */
static clpac_status begin_chunk(struct crossing *crossing, size_t chunk, clpac_error *err)
{
	const size_t slot = chunk % SLOTS;
	RETURN_IF_ERROR(pass(crossing->target, &crossing->written[slot], err));
	return clpac_buffer_read_later(crossing->source, crossing->source_offset + chunk * crossing->chunk_bytes,
				       chunk_size(crossing, chunk), crossing->staged[slot], &crossing->read[slot], err);
}

/* Waits for the copy.  CLPAC_ERROR_NO_MEMORY. */
static clpac_status copy_across(clpac_buffer *source, size_t source_offset, clpac_buffer *target, size_t target_offset,
				size_t bytes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct crossing crossing = {.source = source,
				    .target = target,
				    .source_offset = source_offset,
				    .target_offset = target_offset,
				    .bytes = bytes,
				    .chunk_bytes = bytes < CHUNK_BYTES ? bytes : CHUNK_BYTES};
	const size_t n_chunks = (bytes + crossing.chunk_bytes - 1) / crossing.chunk_bytes;
	for (size_t i = 0; i < SLOTS && i < n_chunks; i++) {
		crossing.staged[i] = clpac__alloc_pages(crossing.chunk_bytes);
		if (!crossing.staged[i])
			FAIL_NO_MEMORY(crossing.chunk_bytes);
	}
	TRY(begin_chunk(&crossing, 0, err));
	for (size_t chunk = 0; chunk < n_chunks; chunk++) {
		const size_t slot = chunk % SLOTS;
		TRY(pass(source, &crossing.read[slot], err));
		if (chunk + 1 < n_chunks)
			TRY(begin_chunk(&crossing, chunk + 1, err));
		TRY(clpac_buffer_write_later(target, target_offset + chunk * crossing.chunk_bytes,
					     chunk_size(&crossing, chunk), crossing.staged[slot],
					     &crossing.written[slot], err));
	}
	for (size_t i = 0; i < SLOTS; i++)
		TRY(pass(target, &crossing.written[i], err));
done:
	/* After a failure what is under way still uses the memory. */
	for (size_t i = 0; i < SLOTS; i++) {
		pass(source, &crossing.read[i], NULL);
		pass(target, &crossing.written[i], NULL);
		clpac__free_pages(crossing.staged[i]);
	}
	return st != CLPAC_OK ? clpac__fail_context(err, st, "copy of %zu bytes through the host", bytes) : st;
}

/* --- Any ------------------------------------------------------------------------------------- */

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
	NEED(source, target);
	NEED_BUFFER_HERE(source);
	NEED_BUFFER_HERE(target);
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
		TRY(copy_across(source, source_offset, target, target_offset, bytes, err));
		goto done;
	}
	is_taken = clpac__use_take(source, CLPAC__USE_OF_POOL);
	if (!is_taken)
		FAIL(CLPAC_ERROR_ARGUMENT, "copy from: the buffer is being released");
	TRY(clpac__buffer_need_block(source, err));
	if (source->pool == target->pool)
		TRY(follow_source(source, target->home, err));
	else
		TRY(clpac__use_follow(source, source->home, err));
	clpac__pool_queue *home;
	TRY(clpac__transfer_begin(target, "copy to", &home, err));
	st = clpac__keep_order(home, err);
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

/* --- Transfers that are not waited for -------------------------------------------------------- */

/* Transfers that are not waited for: the caller gets an event. */

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
	if (st == CLPAC_OK && out)
		st = mark_or_finish(queue, &event, err);
	pthread_mutex_unlock(&home->driver);
	if (event)
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
	if (st == CLPAC_OK && out)
		st = mark_or_finish(queue, &event, err);
	pthread_mutex_unlock(&home->driver);
	if (event)
		st = hand_out(buffer, event, out, err);
	clpac__use_give(buffer, CLPAC__USE_OF_POOL);
	return st;
}
