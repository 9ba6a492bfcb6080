/* The last events of a pool, in a ring: the newest takes the place of the oldest.  They are for a snapshot, which tells
 * what came before a refusal. */
#ifndef CLPAC_MEMORY_TRACE_HISTORY_H
#define CLPAC_MEMORY_TRACE_HISTORY_H

#include "base/latch.h"
#include "memory/trace/noted.h"

typedef struct clpac__history {
	clpac__latch lock;
	size_t capacity;
	uint64_t n; /* events noted so far, those included whose place was taken */
	uint64_t begun_ns;
	clpac__noted events[];
} clpac__history;

/* Keeps the last `capacity` events, 1 or more.  CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__history_create(size_t capacity, clpac__history **out, clpac_error *err);
void clpac__history_destroy(clpac__history *history); /* NULL is fine */

void clpac__history_note(clpac__history *history, clpac_trace_operation operation, clpac_trace_outcome outcome,
			 const clpac__watched *what);

/* Copies the events that are left, the oldest first, into room for `capacity`, and returns their number.  *n_before:
 * how many came before them. */
size_t clpac__history_copy(clpac__history *history, clpac__noted *events, uint64_t *n_before);

#endif
