/* The events that a pool handed out and that were not released yet: so one that is released once too often is refused
 * instead of handed to the driver, and each keeps the pool. */
#ifndef CLPAC_POOL_POOL_EVENTS_H
#define CLPAC_POOL_POOL_EVENTS_H

#include <clpac/memory/pool.h>

enum { CLPAC__EVENT_BUCKETS = 64 };

typedef struct clpac__known_event clpac__known_event;
typedef struct clpac__events {
	clpac__known_event *buckets[CLPAC__EVENT_BUCKETS];
} clpac__events;

/* Notes an event that is about to be handed out; the pool has one holder more.  On failure the event is forgotten.
 * Without the lock. */
clpac_status clpac__pool_event_add(clpac_pool *pool, clpac_event *event, clpac_error *err);

/* Takes back one that was handed out; false, and a bad release is counted, where none is out.  Without the lock. */
bool clpac__pool_event_remove(clpac_pool *pool, clpac_event *event);

#endif
