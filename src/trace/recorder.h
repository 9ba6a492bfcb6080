/* The recorder of a trace: events go into chunks in memory, and a thread of its own writes them out as CSV. */
#ifndef CLPAC_TRACE_RECORDER_H
#define CLPAC_TRACE_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include "trace/tracker.h"

typedef struct clpac__trace_chunk clpac__trace_chunk;

/* In each pool.  `control` lets begin and end take turns; `lock` guards the rest while a trace is on, and is never
 * held over the writing. */
typedef struct clpac__recorder {
	atomic_bool is_on;
	pthread_mutex_t control, lock;
	pthread_cond_t filled, emptied;
	clpac__trace_chunk *current;	  /* being filled; NULL: none was to be had */
	clpac__trace_chunk *first, *last; /* waiting for the writer */
	clpac__trace_chunk *spare;
	size_t n_chunks;
	bool is_ending, is_stalled;
	uint64_t n_lost, begun_ns;

	pthread_t thread;
	FILE *file;
	char *path;
	int trouble; /* errno of the first failure to write; the writer's until it was joined */
} clpac__recorder;

void clpac__recorder_init(clpac__recorder *recorder);
void clpac__recorder_destroy(clpac__recorder *recorder); /* ends a trace that is on */

/* As clpac_trace_begin and clpac_trace_end.  *was_on tells whether a trace is over now. */
clpac_status clpac__recorder_begin(clpac__recorder *recorder, const char *path, clpac_error *err);
clpac_status clpac__recorder_end(clpac__recorder *recorder, bool *was_on, clpac_error *err);

static inline bool clpac__recorder_is_on(clpac__recorder *recorder)
{
	return atomic_load_explicit(&recorder->is_on, memory_order_relaxed);
}

/* Writes down an event, if a trace is on. */
void clpac__recorder_note(clpac__recorder *recorder, clpac_trace_operation operation, clpac_trace_outcome outcome,
			  const clpac__watched *what);

#endif
