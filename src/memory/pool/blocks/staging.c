/* Staging: transfers through pinned memory. */
#include "memory/pool/blocks/blocks.h"

#include <string.h>

enum { PAGE_BYTES = 4096 };

void clpac__staging_open(clpac__staging *staging, size_t bytes)
{
	pthread_mutex_init(&staging->lock, NULL); /* cannot fail with default attributes */
	staging->bytes = bytes;
	staging->slot_bytes = bytes / CLPAC__STAGING_SLOTS / PAGE_BYTES * PAGE_BYTES;
}

static clpac_status pass(clpac__staging *staging, unsigned slot, clpac__queue *queue, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_event *event = staging->events[slot];
	if (event) {
		st = queue->operations->wait(queue, event, err);
		queue->operations->forget(queue, event);
		staging->events[slot] = NULL;
	}
	return st;
}

void clpac__staging_close(clpac__staging *staging, clpac__pool_queue *own)
{
	clpac__queue *queue = own->queue;
	pthread_mutex_lock(&own->driver);
	for (unsigned i = 0; i < CLPAC__STAGING_SLOTS; i++)
		pass(staging, i, queue, NULL);
	if (staging->memory)
		queue->operations->unmap(queue, staging->block, staging->memory, NULL);
	if (staging->block)
		queue->operations->release(queue, staging->block);
	pthread_mutex_unlock(&own->driver);
	pthread_mutex_destroy(&staging->lock);
}

/* Makes the ring.  Its lock is held. */
static bool make(clpac__staging *staging, clpac__pool_queue *own)
{
	clpac__queue *queue = own->queue;
	void *memory = NULL;
	const size_t bytes = CLPAC__STAGING_SLOTS * staging->slot_bytes;
	pthread_mutex_lock(&own->driver);
	clpac_status st = queue->operations->create_pinned(queue, bytes, &staging->block, NULL);
	if (st == CLPAC_OK)
		st = queue->operations->map(queue, staging->block, 0, bytes, true, true, &memory, NULL, NULL);
	if (st != CLPAC_OK && staging->block) {
		queue->operations->release(queue, staging->block);
		staging->block = NULL;
	}
	pthread_mutex_unlock(&own->driver);
	staging->memory = memory;
	staging->has_failed = st != CLPAC_OK;
	return st == CLPAC_OK;
}

bool clpac__staging_take(clpac_pool *pool, const clpac_buffer *buffer, size_t bytes)
{
	clpac__staging *staging = &pool->staging;
	if (bytes < CLPAC__STAGED_BYTES || pool->queues[0].queue->has_unified_memory || buffer->is_on_host ||
	    !staging->slot_bytes || pthread_mutex_trylock(&staging->lock) != 0)
		return false;
	if (staging->block || (!staging->has_failed && make(staging, &pool->queues[0])))
		return true;
	pthread_mutex_unlock(&staging->lock);
	return false;
}

void clpac__staging_give(clpac_pool *pool)
{
	pthread_mutex_unlock(&pool->staging.lock);
}

/* Marks the end of work with a slot.  Without an event the work is waited for. */
static clpac_status mark(clpac__staging *staging, unsigned slot, clpac__queue *queue, clpac_error *err)
{
	const clpac_status st = queue->operations->mark(queue, &staging->events[slot], err);
	if (st != CLPAC_OK)
		queue->operations->finish(queue, NULL);
	return st;
}

clpac_status clpac__staging_write(clpac_pool *pool, clpac__queue *queue, clpac__block *block, size_t offset,
				  size_t bytes, const void *source, clpac_error *err)
{
	clpac__staging *staging = &pool->staging;
	for (size_t at = 0, n; at < bytes; at += n) {
		const unsigned slot = staging->next++ % CLPAC__STAGING_SLOTS;
		unsigned char *place = staging->memory + slot * staging->slot_bytes;
		n = bytes - at < staging->slot_bytes ? bytes - at : staging->slot_bytes;
		RETURN_IF_ERROR(pass(staging, slot, queue, err));
		memcpy(place, (const unsigned char *)source + at, n);
		RETURN_IF_ERROR(queue->operations->write_later(queue, block, offset + at, n, place, err));
		RETURN_IF_ERROR(mark(staging, slot, queue, err));
	}
	/* Other queues may use the bytes on return, as after any write. */
	for (unsigned i = 0; i < CLPAC__STAGING_SLOTS; i++)
		RETURN_IF_ERROR(pass(staging, i, queue, err));
	return CLPAC_OK;
}

/* Whether the work with a slot is done. */
static bool is_free(clpac__staging *staging, unsigned slot, clpac__queue *queue)
{
	clpac_event *event = staging->events[slot];
	if (event && !queue->operations->has_passed(queue, event))
		return false;
	if (event)
		queue->operations->forget(queue, event);
	staging->events[slot] = NULL;
	return true;
}

clpac_status clpac__staging_write_later(clpac_pool *pool, clpac__queue *queue, clpac__block *block, size_t offset,
					size_t bytes, const void *source, size_t *staged, clpac_error *err)
{
	clpac__staging *staging = &pool->staging;
	size_t at = 0;
	for (size_t n; at < bytes; at += n) {
		const unsigned slot = staging->next % CLPAC__STAGING_SLOTS;
		unsigned char *place = staging->memory + slot * staging->slot_bytes;
		if (!is_free(staging, slot, queue))
			break;
		n = bytes - at < staging->slot_bytes ? bytes - at : staging->slot_bytes;
		memcpy(place, (const unsigned char *)source + at, n);
		RETURN_IF_ERROR(queue->operations->write_later(queue, block, offset + at, n, place, err));
		staging->next++;
		RETURN_IF_ERROR(mark(staging, slot, queue, err));
	}
	*staged = at;
	return CLPAC_OK;
}

clpac_status clpac__staging_read(clpac_pool *pool, clpac__queue *queue, clpac__block *block, size_t offset,
				 size_t bytes, void *target, clpac_error *err)
{
	clpac__staging *staging = &pool->staging;
	const size_t each = staging->slot_bytes, n_chunks = (bytes + each - 1) / each;
	size_t n_put = 0;
	for (unsigned i = 0; i < CLPAC__STAGING_SLOTS; i++)
		RETURN_IF_ERROR(pass(staging, i, queue, err));
	for (size_t chunk = 0; chunk < n_chunks; chunk++) {
		const unsigned slot = chunk % CLPAC__STAGING_SLOTS;
		for (; n_put < n_chunks && n_put < chunk + CLPAC__STAGING_SLOTS; n_put++) {
			const unsigned next = n_put % CLPAC__STAGING_SLOTS;
			RETURN_IF_ERROR(
				queue->operations->read_later(queue, block, offset + n_put * each,
							      bytes - n_put * each < each ? bytes - n_put * each : each,
							      staging->memory + next * each, err));
			RETURN_IF_ERROR(mark(staging, next, queue, err));
		}
		RETURN_IF_ERROR(pass(staging, slot, queue, err));
		memcpy((unsigned char *)target + chunk * each, staging->memory + slot * each,
		       bytes - chunk * each < each ? bytes - chunk * each : each);
	}
	return CLPAC_OK;
}
