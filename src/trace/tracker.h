/* The records of who holds what, one for each buffer in use.
 *
 * Adding and removing take no lock and meet no other thread: each thread has a shard of its own (up to 64), a record
 * is claimed by one compare-and-swap of its id and given up by one exchange.  A list is made beside them; it tells a
 * record that changed under its eyes by the id, which no other buffer ever has.  Only a removal that falls into the
 * making of a list waits for its end.  A record lies where it is for the tracker's life, so that the buffer can keep
 * its address; it is removed before the pool gives the buffer's memory to anybody else. */
#ifndef CLPAC_TRACE_TRACKER_H
#define CLPAC_TRACE_TRACKER_H

#include <stdbool.h>
#include <stdint.h>
#include <clpac/memory/trace.h>
#include "base/error.h"

typedef struct clpac__tracker clpac__tracker;
typedef struct clpac__record clpac__record;

/* What those who watch a pool are told of a buffer. */
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

/* The buffer moved to the device or to the host. */
void clpac__tracker_move(clpac__record *record, bool is_on_device); /* NULL is fine */

/* As clpac_pool_list. */
clpac_status clpac__tracker_list(clpac__tracker *tracker, double older_than_s, clpac_live_list *out, clpac_error *err);

#endif
