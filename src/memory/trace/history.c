#include "memory/trace/trace_hooks.h"

#include <string.h>
#include "base/memory.h"

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
