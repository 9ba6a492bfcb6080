/* The events that pools handed out and that were not released yet: so a released one is refused instead of handed to
 * the driver, and each keeps its pool.
 *
 * One table for all pools, since an event of one pool may be waited for in queues of another on the same device.  Each
 * of its buckets has a lock of its own, under which nothing else is locked.
 */
#ifndef CLPAC_MEMORY_POOL_POOL_EVENTS_H
#define CLPAC_MEMORY_POOL_POOL_EVENTS_H

#include <clpac/memory/pool.h>

/* Notes an event that is about to be handed out; the pool has one holder more.  On failure the event is forgotten.
 * Without the pool's lock. */
clpac_status clpac__pool_event_add(clpac_pool *pool, clpac_event *event, clpac_error *err);

/* Takes back one that the pool handed out; false, and a bad release is counted, where it has none out.  Without the
 * pool's lock. */
bool clpac__pool_event_remove(clpac_pool *pool, clpac_event *event);

/* CLPAC_ERROR_ARGUMENT where no pool has the event out; `what` is the failed operation. */
clpac_status clpac__pool_event_need(const clpac_event *event, const char *what, clpac_error *err);
/* The same for each of n, which may not be NULL either; tag is that of the buffer concerned. */
clpac_status clpac__pool_events_need(size_t n, clpac_event *const *events, const char *what, const char *tag,
				     clpac_error *err);

#endif
