/* What is noted of a pool: events, the last ones in a ring, faults, and the threads that they are of. */
#include "memory/trace/trace_hooks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

uint64_t clpac__noted_clock_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

clpac__noted clpac__noted_make(uint64_t begun_ns, clpac_trace_operation operation, clpac_trace_outcome outcome,
			       const clpac__watched *what)
{
	clpac__noted noted = {
		.time_ns = clpac__noted_clock_ns() - begun_ns,
		.id = what->id,
		.bytes = what->bytes,
		.class_bytes = what->class_bytes,
		.thread = clpac__thread_number(),
		.queue = what->queue,
		.operation = (uint8_t)operation,
		.outcome = (uint8_t)outcome,
	};
	memcpy(noted.tag, what->tag, strnlen(what->tag, CLPAC__NOTED_TAG_SIZE - 1));
	return noted;
}

/* --- The last events -------------------------------------------------------------------------- */

clpac_status clpac__history_create(size_t capacity, clpac__history **out, clpac_error *err)
{
	clpac__history *made = NULL;
	size_t bytes;
	if (!clpac__size_mul(capacity, sizeof *made->events, &bytes) || !clpac__size_add(bytes, sizeof *made, &bytes) ||
	    !(made = clpac__alloc_zero(bytes)))
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "snapshot.events is %zu: the host has no memory left for so many",
			     capacity);
	made->capacity = capacity;
	made->begun_ns = clpac__noted_clock_ns();
	*out = made;
	return CLPAC_OK;
}

void clpac__history_destroy(clpac__history *history)
{
	clpac__free(history);
}

void clpac__history_note(clpac__history *history, clpac_trace_operation operation, clpac_trace_outcome outcome,
			 const clpac__watched *what)
{
	/* The time is taken under the latch, so that times never decrease. */
	clpac__latch_take(&history->lock);
	history->events[history->n++ % history->capacity] =
		clpac__noted_make(history->begun_ns, operation, outcome, what);
	clpac__latch_leave(&history->lock);
}

size_t clpac__history_copy(clpac__history *history, clpac__noted *events, uint64_t *n_before)
{
	clpac__latch_take(&history->lock);
	const size_t n = history->n < history->capacity ? (size_t)history->n : history->capacity;
	*n_before = history->n - n;
	const size_t first = (size_t)(*n_before % history->capacity), to_end = history->capacity - first;
	const size_t before_wrap = n < to_end ? n : to_end;
	memcpy(events, history->events + first, before_wrap * sizeof *events);
	memcpy(events + before_wrap, history->events, (n - before_wrap) * sizeof *events);
	clpac__latch_leave(&history->lock);
	return n;
}

/* --- Faults ----------------------------------------------------------------------------------- */

void clpac__faults_init(clpac__faults *faults)
{
	pthread_mutex_init(&faults->lock, NULL); /* cannot fail with default attributes */
	faults->n = 0;
}

void clpac__faults_destroy(clpac__faults *faults)
{
	pthread_mutex_destroy(&faults->lock);
}

void clpac__faults_add(clpac__faults *faults, const char *text)
{
	pthread_mutex_lock(&faults->lock);
	if (!faults->n++)
		clpac__fail(&faults->first, CLPAC_ERROR_ARGUMENT, "%s", text);
	pthread_mutex_unlock(&faults->lock);
}

clpac_status clpac__faults_take(clpac__faults *faults, uint64_t *n, clpac_error *err)
{
	pthread_mutex_lock(&faults->lock);
	uint64_t n_taken = faults->n;
	if (n_taken && err)
		*err = faults->first;
	faults->n = 0;
	pthread_mutex_unlock(&faults->lock);
	if (n)
		*n = n_taken;
	return n_taken ? CLPAC_ERROR_ARGUMENT : CLPAC_OK;
}

/* --- Numbers of threads ----------------------------------------------------------------------- */

static atomic_uint n_threads;
_Thread_local uint32_t clpac__thread_ordinal CLPAC__NEAR_THREAD;

#ifndef _WIN32
/* A number that was the parent's owns locks of its pools, which no thread of a child may take for its own. */
static void forget_number(void)
{
	clpac__thread_ordinal = 0;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(NULL, NULL, forget_number);
}
#endif

uint32_t clpac__thread_count_in(void)
{
	return clpac__thread_ordinal = atomic_fetch_add_explicit(&n_threads, 1, memory_order_relaxed) + 1;
}
