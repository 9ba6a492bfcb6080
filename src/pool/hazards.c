/* Hazards: work that may still use a released block, and waiting for it. */
#include "pool/pool_parts.h"

#include "base/memory.h"

static void finish(clpac__pool_queue *place)
{
	pthread_mutex_lock(&place->driver);
	clpac__queue *queue = place->queue;
	if (queue)
		queue->operations->finish(queue, NULL);
	pthread_mutex_unlock(&place->driver);
}

static void forget_first(clpac_pool *pool, clpac_buffer *buffer)
{
	clpac__pending *first = buffer->pending;
	buffer->pending = first->next;
	clpac__pool_forget(pool, first->event);
	clpac__free(first);
}

static void wait_for_first(clpac_pool *pool, const clpac_buffer *buffer)
{
	clpac__queue *queue = pool->queues[0].queue;
	queue->operations->wait(queue, buffer->pending->event, NULL);
}

static void mark(clpac_pool *pool, clpac_buffer *buffer, clpac__pool_queue *place)
{
	clpac__pending *pending = clpac__alloc_zero(sizeof *pending);
	if (!pending || clpac__pool_queue_mark(place, &pending->event, NULL) != CLPAC_OK) {
		finish(place);
		clpac__free(pending);
		return;
	}
	if (!pending->event) { /* the queue was closed meanwhile */
		clpac__free(pending);
		return;
	}
	pending->next = buffer->pending;
	buffer->pending = pending;
	(void)pool;
}

void clpac__hazards_mark(clpac_pool *pool, clpac_buffer *buffer)
{
	clpac__pool_queue *home = buffer->home;
	const unsigned n = atomic_load_explicit(&pool->n_queues, memory_order_acquire);
	for (unsigned i = 0; i < n; i++)
		if ((buffer->recorded >> i & 1) && &pool->queues[i] != home && pool->queues[i].queue)
			mark(pool, buffer, &pool->queues[i]);
	if (home && !home->is_in_order) {
		mark(pool, buffer, home);
		buffer->home = NULL;
	}
	buffer->recorded = 0;
}

clpac_status clpac__hazards_add(clpac_pool *pool, clpac_buffer *buffer, clpac_event *event, clpac_error *err)
{
	clpac__queue *queue = pool->queues[0].queue;
	clpac__pending *pending = clpac__alloc_zero(sizeof *pending);
	if (!pending)
		return clpac__fail(err, CLPAC_ERROR_NO_MEMORY,
				   "the host has no memory left for an event of buffer \"%s\"", buffer->tag);
	queue->operations->retain(queue, event);
	pending->event = event;
	pending->next = buffer->pending;
	buffer->pending = pending;
	return CLPAC_OK;
}

bool clpac__hazards_poll(clpac_pool *pool, clpac_buffer *buffer)
{
	clpac__queue *queue = pool->queues[0].queue;
	while (buffer->pending && queue->operations->has_passed(queue, buffer->pending->event))
		forget_first(pool, buffer);
	return !buffer->pending;
}

void clpac__hazards_wait(clpac_pool *pool, clpac_buffer *buffer)
{
	while (buffer->pending) {
		/* An event whose work failed has passed too: nothing uses the block any more. */
		wait_for_first(pool, buffer);
		forget_first(pool, buffer);
	}
}

void clpac__hazards_move(clpac_pool *pool, clpac_buffer *buffer, clpac__pool_queue *to)
{
	clpac__pool_queue *home = buffer->home;
	if (home && home != to)
		mark(pool, buffer, home);
	while (buffer->pending) {
		if (clpac__pool_queue_wait_for(to, buffer->pending->event, NULL) != CLPAC_OK)
			wait_for_first(pool, buffer);
		forget_first(pool, buffer);
	}
	buffer->home = to;
}
