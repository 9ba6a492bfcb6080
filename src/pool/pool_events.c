/* The events that a pool handed out.  A device may hand out the same handle for several moments (the native one does),
 * so that each is counted. */
#include "pool/pool_parts.h"

#include "base/memory.h"

struct clpac__known_event {
	clpac_event *event;
	size_t n;
	clpac__known_event *next;
};

/* Handles are addresses of objects: their low bits tell nothing. */
static clpac__known_event **place_of(clpac_pool *pool, const clpac_event *event)
{
	const uintptr_t address = (uintptr_t)event;
	clpac__known_event **place = &pool->events.buckets[(address >> 4 ^ address >> 10) % CLPAC__EVENT_BUCKETS];
	while (*place && (*place)->event != event)
		place = &(*place)->next;
	return place;
}

clpac_status clpac__pool_event_add(clpac_pool *pool, clpac_event *event, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__known_event *made = clpac__alloc_zero(sizeof *made);
	if (!made) {
		pool->queues[0].queue->operations->forget(pool->queues[0].queue, event);
		FAIL_NO_MEMORY(sizeof *made);
	}
	pthread_mutex_lock(&pool->lock);
	clpac__known_event **place = place_of(pool, event);
	if (!*place) {
		made->event = event;
		*place = made;
		made = NULL;
	}
	(*place)->n++;
	pool->n_holders++;
	pthread_mutex_unlock(&pool->lock);
	clpac__free(made);
done:
	return st;
}

bool clpac__pool_event_remove(clpac_pool *pool, clpac_event *event)
{
	clpac__known_event *gone = NULL;
	pthread_mutex_lock(&pool->lock);
	clpac__known_event **place = place_of(pool, event);
	const bool is_known = *place;
	if (!is_known) {
		pool->ledger.now.bad_releases++;
	} else if (!--(*place)->n) {
		gone = *place;
		*place = gone->next;
	}
	pthread_mutex_unlock(&pool->lock);
	clpac__free(gone);
	if (!is_known)
		clpac__faults_add(&pool->watch.faults, "an event was released that the pool did not hand out, or once "
						       "too often");
	return is_known;
}
