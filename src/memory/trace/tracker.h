/* The tracker: a record for each buffer in use.
 *
 * Adding and removing take no lock and do not contend with other threads: each thread has a shard of its own (up to
 * 64), a record is claimed by one compare-and-swap of its id and freed by one exchange.  A list is made concurrently;
 * it detects a record that changed while being read by its id, which is unique.  Only a removal during the making of a
 * list waits for its end.  A record never moves during the tracker's life, so the buffer can keep its address; it is
 * removed before the pool gives the buffer's memory to another owner.
 */
#ifndef CLPAC_MEMORY_TRACE_TRACKER_H
#define CLPAC_MEMORY_TRACE_TRACKER_H

#include <stdbool.h>
#include <stdint.h>
#include <clpac/memory/trace.h>
#include "base/error.h"

typedef struct clpac__tracker clpac__tracker;
typedef struct clpac__record clpac__record;

/* Facts about a buffer for the observers of a pool. */
typedef struct clpac__watched {
	uint64_t id; /* neither 0 nor UINT64_MAX; 0 in a refusal */
	uint64_t bytes, class_bytes, n_elements;
	const char *tag;  /* never NULL */
	const char *file; /* or NULL */
	int line;
	bool is_on_device;
	uint32_t queue; /* 0: the pool's own */
} clpac__watched;

clpac_status clpac__tracker_create(clpac__tracker **out, clpac_error *err);
void clpac__tracker_destroy(clpac__tracker *tracker); /* NULL is fine */

/* The buffer's record; NULL when the host has no memory for it, which is counted. */
clpac__record *clpac__tracker_add(clpac__tracker *tracker, const clpac__watched *what);
void clpac__tracker_remove(clpac__tracker *tracker, clpac__record *record); /* NULL is fine */

/* Records that a buffer moved to the device or to the host. */
void clpac__tracker_move(clpac__record *record, bool is_on_device); /* NULL is fine */

/* clpac_pool_list. */
clpac_status clpac__tracker_list(clpac__tracker *tracker, double older_than_s, clpac_live_list *out, clpac_error *err);

#endif
