/* The events that pools handed out.  A device may hand out the same handle for several moments (the native one does),
 * so that each is counted. */
#include "memory/pool/surface/surface.h"

#include "base/memory.h"

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
		*place = made;
		made = NULL;
	}
	(*place)->n++;
	pthread_mutex_unlock(&bucket->lock);
	clpac__pool_hold(pool);
	clpac__free(made);
	return CLPAC_OK;
}

bool clpac__pool_event_remove(clpac_pool *pool, clpac_event *event)
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
