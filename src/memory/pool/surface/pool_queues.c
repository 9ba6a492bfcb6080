/* The queues of a pool. */
#include "memory/pool/surface/surface.h"

#include <clpac/memory/queue.h>

#include "base/memory.h"

clpac_status clpac__pool_queue_add(clpac_pool *pool, clpac__queue *queue, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	pthread_mutex_lock(&pool->lock);
	const unsigned n = atomic_load_explicit(&pool->n_queues, memory_order_relaxed);
	unsigned i = 1;
	while (i < n && pool->queues[i].is_taken)
		i++;
	if (i == CLPAC__MAX_QUEUES)
		FAIL(CLPAC_ERROR_ARGUMENT, "the pool has %u queues: close one before opening another", i);
	clpac__pool_queue *place = &pool->queues[i];
	if (i == n)
		pthread_mutex_init(&place->driver, NULL);
	place->ordinal = i;
	place->is_in_order = queue->is_in_order;
	place->is_taken = true;
	place->queue = queue;
	pool->n_holders++;
	if (i == n)
		atomic_store_explicit(&pool->n_queues, n + 1, memory_order_release);
done:
	pthread_mutex_unlock(&pool->lock);
	return st;
}

clpac_status clpac_queue_open(clpac_pool *pool, bool is_in_order, clpac_queue **out, clpac_error *err)
{
	NEED(pool, out);
	NEED_HERE(pool);
	clpac_status st = CLPAC_OK;
	clpac__pool_queue *own = &pool->queues[0];
	clpac__queue *queue = NULL;
	pthread_mutex_lock(&own->driver);
	st = own->queue->operations->open_sibling(own->queue, is_in_order, &queue, err);
	pthread_mutex_unlock(&own->driver);
	TRY(st);
	TRY(clpac__pool_queue_add(pool, queue, err));
	*out = queue, queue = NULL;
done:
	if (queue)
		queue->operations->close(queue);
	return st;
}

/* Removes a queue from all blocks: its work is done, so nothing waits for it. */
static void forget_queue(clpac_pool *pool, clpac__pool_queue *place)
{
	clpac__magazines_empty(pool, &pool->depot);
	for (clpac_buffer *buffer = pool->handles; buffer; buffer = buffer->next) {
		const bool is_in_use = atomic_load_explicit(&buffer->is_in_use, memory_order_relaxed);
		clpac__pool_queue *home = place;
		if (buffer->recorded >> place->ordinal & 1)
			buffer->recorded &= ~(1u << place->ordinal);
		/* Fails if a thread on the ladder is just moving the block to another queue, which then stands. */
		atomic_compare_exchange_strong(&buffer->home, &home, is_in_use ? &pool->queues[0] : NULL);
	}
	for (clpac__segment *segment = pool->segments.first; segment; segment = segment->next)
		if (segment->home == place)
			clpac__segments_rehome(&pool->segments, segment, &pool->queues[0]);
}

void clpac_queue_close(clpac_pool *pool, clpac_queue *queue)
{
	if (!clpac__pool_is_here(pool))
		return;
	clpac__pool_queue *place = queue ? clpac__pool_queue_find(pool, queue) : NULL;
	if (!place || place == &pool->queues[0])
		return;
	pthread_mutex_lock(&place->driver);
	queue->operations->finish(queue, NULL);
	place->queue = NULL; /* a thread with a block of this queue in hand finds nothing to wait for */
	pthread_mutex_unlock(&place->driver);
	pthread_mutex_lock(&pool->lock);
	forget_queue(pool, place);
	place->is_taken = false;
	pthread_mutex_unlock(&pool->lock);
	queue->operations->close(queue);
	clpac__pool_let_go(pool);
}

clpac_queue *clpac_pool_queue(const clpac_pool *pool)
{
	return pool ? pool->queues[0].queue : NULL;
}

clpac_status clpac_queue_finish(clpac_pool *pool, clpac_queue *queue, clpac_error *err)
{
	NEED(pool);
	NEED_HERE(pool);
	clpac__pool_queue *place = clpac__pool_queue_need(pool, queue, "finish", err);
	if (!place)
		return CLPAC_ERROR_ARGUMENT;
	pthread_mutex_lock(&place->driver);
	clpac_status st = place->queue->operations->finish(place->queue, err);
	pthread_mutex_unlock(&place->driver);
	return st;
}

/* --- Events ---------------------------------------------------------------------------------- */

clpac_status clpac_queue_mark(clpac_pool *pool, clpac_queue *queue, clpac_event **out, clpac_error *err)
{
	NEED(pool, out);
	NEED_HERE(pool);
	clpac__pool_queue *place = clpac__pool_queue_need(pool, queue, "mark", err);
	clpac_event *made = NULL;
	clpac_status st = place ? clpac__pool_queue_mark(place, &made, err) : CLPAC_ERROR_ARGUMENT;
	if (st == CLPAC_OK && made)
		st = clpac__pool_event_add(pool, made, err);
	if (st == CLPAC_OK)
		*out = made;
	return st;
}

clpac_status clpac_queue_wait_for(clpac_pool *pool, clpac_queue *queue, clpac_event *event, clpac_error *err)
{
	NEED(pool, event);
	NEED_HERE(pool);
	clpac__pool_queue *place = clpac__pool_queue_need(pool, queue, "wait for an event", err);
	if (!place)
		return CLPAC_ERROR_ARGUMENT;
	RETURN_IF_ERROR(clpac__pool_event_need(event, "wait for an event", err));
	return clpac__pool_queue_wait_for(place, event, err);
}

bool clpac_event_has_passed(clpac_pool *pool, clpac_event *event)
{
	if (!clpac__pool_is_here(pool) || !event || clpac__pool_event_need(event, "", NULL) != CLPAC_OK)
		return false;
	clpac__queue *queue = pool->queues[0].queue;
	return queue->operations->has_passed(queue, event);
}

clpac_status clpac_event_wait(clpac_pool *pool, clpac_event *event, clpac_error *err)
{
	NEED(pool, event);
	NEED_HERE(pool);
	clpac__queue *queue = pool->queues[0].queue;
	RETURN_IF_ERROR(clpac__pool_event_need(event, "wait for an event", err));
	return queue->operations->wait(queue, event, err);
}

/* --- Events that pools handed out ------------------------------------------------------------- */

/* The events that pools handed out.  A device may hand out the same handle for several moments (the native one does),
 * so that each is counted. */

typedef struct known_event {
	const clpac_pool *pool;
	const clpac_event *event;
	size_t n;
	struct known_event *next;
} known_event;

enum { BUCKETS = 64 };

static struct bucket {
	pthread_mutex_t lock;
	known_event *first;
} buckets[BUCKETS];

/* Makes the locks; in a child the parent's events are forgotten. */
static void make(void)
{
	for (unsigned i = 0; i < BUCKETS; i++) {
		pthread_mutex_init(&buckets[i].lock, NULL); /* cannot fail with default attributes */
		buckets[i].first = NULL;
	}
}

/* The bucket of an event, locked.  Handles are addresses of objects: their low bits tell nothing. */
static struct bucket *lock_bucket(const clpac_event *event)
{
	static clpac__renewal renewal = CLPAC__RENEWAL_DUE;
	const uintptr_t address = (uintptr_t)event;
	if (clpac__renewal_begin(&renewal)) {
		make();
		clpac__renewal_end(&renewal, true);
	}
	struct bucket *bucket = &buckets[(address >> 4 ^ address >> 10) % BUCKETS];
	pthread_mutex_lock(&bucket->lock);
	return bucket;
}

/* The place of an event of one pool, or of any for NULL; it holds NULL where there is none. */
static known_event **place_of(struct bucket *bucket, const clpac_pool *pool, const clpac_event *event)
{
	known_event **place = &bucket->first;
	while (*place && ((*place)->event != event || (pool && (*place)->pool != pool)))
		place = &(*place)->next;
	return place;
}

clpac_status clpac__pool_event_add(clpac_pool *pool, clpac_event *event, clpac_error *err)
{
	known_event *made = clpac__alloc_zero(sizeof *made);
	if (!made) {
		pool->queues[0].queue->operations->forget(pool->queues[0].queue, event);
		RETURN_NO_MEMORY(sizeof *made);
	}
	struct bucket *bucket = lock_bucket(event);
	known_event **place = place_of(bucket, pool, event);
	if (!*place) {
		made->pool = pool;
		made->event = event;
		*place = made, made = NULL;
	}
	(*place)->n++;
	pthread_mutex_unlock(&bucket->lock);
	clpac__pool_hold(pool);
	clpac__free(made);
	return CLPAC_OK;
}

clpac_status clpac__pool_event_need(const clpac_event *event, const char *what, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct bucket *bucket = lock_bucket(event);
	if (!*place_of(bucket, NULL, event))
		st = clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				 "%s: event %p was released before, or no pool handed it out", what,
				 (const void *)event);
	pthread_mutex_unlock(&bucket->lock);
	return st;
}

clpac_status clpac__pool_events_need(size_t n, clpac_event *const *events, const char *what, const char *tag,
				     clpac_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (!events[i])
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s of buffer \"%s\": event %zu of %zu is NULL", what, tag,
				     i, n);
	for (size_t i = 0; i < n; i++)
		RETURN_IF_ERROR(clpac__pool_event_need(events[i], what, err));
	return CLPAC_OK;
}

/* Takes back one that the pool handed out; false, and a bad release is counted, where it has none out.  Without the
 * pool's lock. */
static bool event_remove(clpac_pool *pool, clpac_event *event)
{
	known_event *gone = NULL;
	struct bucket *bucket = lock_bucket(event);
	known_event **place = place_of(bucket, pool, event);
	const bool is_known = *place;
	if (is_known && !--(*place)->n) {
		gone = *place;
		*place = gone->next;
	}
	pthread_mutex_unlock(&bucket->lock);
	clpac__free(gone);
	if (is_known)
		return true;
	clpac__pool_bad_release(pool, "an event was released that the pool did not hand out, or once too often");
	return false;
}

void clpac_event_release(clpac_pool *pool, clpac_event *event)
{
	if (!clpac__pool_is_here(pool) || !event || !event_remove(pool, event))
		return;
	clpac__pool_forget(pool, event);
	clpac__pool_let_go(pool);
}
