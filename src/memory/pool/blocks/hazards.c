/* Hazards: work that may still use a released block, and waiting for it. */
#include "memory/pool/blocks/blocks.h"

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
	const clpac__pending *first = buffer->pending;
	queue->operations->wait(queue, first->event, NULL);
}

static void mark(clpac_buffer *buffer, clpac__pool_queue *place)
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
	pending->place = place;
	pending->next = buffer->pending;
	buffer->pending = pending;
}

/* Takes the events out that have passed, and those of one queue that are not its newest. */
static void drop(clpac_pool *pool, clpac_buffer *buffer, const clpac__pool_queue *place)
{
	clpac__queue *queue = pool->queues[0].queue;
	clpac__pending *left = NULL, **last = &left, *each = buffer->pending;
	bool has_newest = false;
	while (each) {
		clpac__pending *next = each->next;
		const bool is_older = place && each->place == place && has_newest;
		has_newest |= each->place == place;
		if (is_older || queue->operations->has_passed(queue, each->event)) {
			clpac__pool_forget(pool, each->event);
			clpac__free(each);
		} else {
			*last = each;
			last = &each->next;
		}
		each = next;
	}
	*last = NULL;
	buffer->pending = left;
}

void clpac__hazards_note(clpac_pool *pool, clpac_buffer *buffer, clpac__pool_queue *place)
{
	mark(buffer, place);
	drop(pool, buffer, place);
}

clpac_status clpac__hazards_follow(clpac_pool *pool, clpac_buffer *buffer, clpac__pool_queue *place, clpac_error *err)
{
	drop(pool, buffer, NULL);
	for (const clpac__pending *each = buffer->pending; each; each = each->next)
		if (each->place != place || !place->is_in_order)
			RETURN_IF_ERROR(clpac__pool_queue_wait_for(place, each->event, err));
	return CLPAC_OK;
}

void clpac__hazards_mark(clpac_pool *pool, clpac_buffer *buffer)
{
	clpac__pool_queue *home = buffer->home;
	const unsigned n = atomic_load_explicit(&pool->n_queues, memory_order_acquire);
	for (unsigned i = 0; i < n; i++)
		if ((buffer->recorded >> i & 1) && &pool->queues[i] != home && pool->queues[i].queue)
			mark(buffer, &pool->queues[i]);
	if (home && !home->is_in_order) {
		mark(buffer, home);
		buffer->home = NULL;
	}
	buffer->recorded = 0;
}

clpac_status clpac__hazards_add(clpac_pool *pool, clpac_buffer *buffer, size_t n, clpac_event *const *events,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__queue *queue = pool->queues[0].queue;
	clpac__pending *made = NULL;
	for (size_t i = 0; i < n; i++) {
		clpac__pending *pending = clpac__alloc_zero(sizeof *pending);
		if (!pending)
			FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for an event of buffer \"%s\"",
			     buffer->tag);
		pending->next = made;
		made = pending;
	}
	for (size_t i = 0; i < n; i++) {
		clpac__pending *first = made;
		made = first->next;
		st = queue->operations->retain(queue, events[i], err);
		if (st != CLPAC_OK) {
			clpac__free(first);
			goto done;
		}
		first->event = events[i];
		first->next = buffer->pending;
		buffer->pending = first;
	}
done:
	while (made) {
		clpac__pending *first = made;
		made = first->next;
		clpac__free(first);
	}
	return st;
}

bool clpac__hazards_poll(clpac_pool *pool, clpac_buffer *buffer)
{
	clpac__queue *queue = pool->queues[0].queue;
	for (const clpac__pending *first; (first = buffer->pending);)
		if (!queue->operations->has_passed(queue, first->event))
			return false;
		else
			forget_first(pool, buffer);
	return true;
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
		mark(buffer, home);
	for (const clpac__pending *first; (first = buffer->pending);) {
		if (clpac__pool_queue_wait_for(to, first->event, NULL) != CLPAC_OK)
			wait_for_first(pool, buffer);
		forget_first(pool, buffer);
	}
	buffer->home = to;
}
