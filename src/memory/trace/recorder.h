/* The recorder of a trace: events are collected in chunks in memory, and a writer thread writes them as CSV. */
#ifndef CLPAC_MEMORY_TRACE_RECORDER_H
#define CLPAC_MEMORY_TRACE_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include "memory/trace/tracker.h"

typedef struct clpac__trace_chunk clpac__trace_chunk;

/* The recorder in each pool. `control` makes begin and end take turns. `lock` guards the rest while a trace is on and
 * is never held over writing. */
typedef struct clpac__recorder {
	atomic_bool is_on;
	pthread_mutex_t control, lock;
	pthread_cond_t filled, emptied;
	clpac__trace_chunk *current;	  /* being filled; NULL: no memory for one */
	clpac__trace_chunk *first, *last; /* waiting for the writer */
	clpac__trace_chunk *spare;
	size_t n_chunks;
	bool is_ending, is_stalled;
	uint64_t n_lost, begun_ns;

	pthread_t thread;
	FILE *file;
	char *path;
	int trouble; /* errno of the first failed write; only the writer's until it was joined */
} clpac__recorder;

void clpac__recorder_init(clpac__recorder *recorder);
void clpac__recorder_destroy(clpac__recorder *recorder); /* ends a trace that is on */

/* clpac_trace_begin and clpac_trace_end.  *was_on: a trace was on and is over now. */
clpac_status clpac__recorder_begin(clpac__recorder *recorder, const char *path, clpac_error *err);
clpac_status clpac__recorder_end(clpac__recorder *recorder, bool *was_on, clpac_error *err);

static inline bool clpac__recorder_is_on(clpac__recorder *recorder)
{
	return atomic_load_explicit(&recorder->is_on, memory_order_relaxed);
}

/* Records an event if a trace is on. */
void clpac__recorder_note(clpac__recorder *recorder, clpac_trace_operation operation, clpac_trace_outcome outcome,
			  const clpac__watched *what);

#endif
