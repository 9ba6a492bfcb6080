/* Who watches a pool: tracker, trace, scopes, and the list of faults; and what the pool tells them.
 *
 * The pool asks clpac__watch_is_on at each allocation and release, one load and one branch, and tells only then:
 *
 *     an allocation    once the buffer is its owner's, before the request returns
 *     a refusal        when the request failed for lack of memory
 *     a release        before anybody else can have the handle or the block, so that no record of the next owner comes
 * first a move           when the buffer changed between device and host
 *
 * all without any lock of the pool. */
#ifndef CLPAC_TRACE_TRACE_HOOKS_H
#define CLPAC_TRACE_TRACE_HOOKS_H

#include "trace/faults.h"
#include "trace/recorder.h"
#include "trace/scope.h"
#include "trace/tracker.h"

/* In each pool. */
typedef struct clpac__watch {
	atomic_uint n_watching;	 /* tracker, trace, and each open scope */
	clpac__tracker *tracker; /* NULL: not tracked */
	clpac__recorder recorder;
	clpac__scopes scopes;
	clpac__faults faults;
} clpac__watch;

/* In each buffer.  Zeroed: nobody knows of it. */
typedef struct clpac__notes {
	clpac__record *record;
	clpac__scope_link scope;
	bool is_armed; /* its margins are watched (checked.h) */
} clpac__notes;

/* The pool's options: is_tracked makes the tracker.  Errors: CLPAC_ERROR_NO_MEMORY; it is to be closed all the same. */
clpac_status clpac__watch_open(clpac__watch *watch, bool is_tracked, clpac_error *err);
void clpac__watch_close(clpac__watch *watch);

static inline bool clpac__watch_is_on(clpac__watch *watch)
{
	return atomic_load_explicit(&watch->n_watching, memory_order_relaxed) != 0;
}

static inline void clpac__watch_allocated(clpac__watch *watch, clpac__notes *notes, const clpac__watched *what,
					  clpac_trace_outcome outcome)
{
	if (watch->tracker)
		notes->record = clpac__tracker_add(watch->tracker, what);
	if (clpac__recorder_is_on(&watch->recorder))
		clpac__recorder_note(&watch->recorder, CLPAC_TRACE_ALLOCATE, outcome, what);
	if (clpac__scopes_are_open(&watch->scopes))
		clpac__scopes_allocated(&watch->scopes, &notes->scope, what->class_bytes);
}

void clpac__watch_refused(clpac__watch *watch, const clpac__watched *what);
/* Forgets a released buffer's record; true when others than the tracker are to be told of the release too. */
static inline bool clpac__watch_forget(clpac__watch *watch, clpac__notes *notes)
{
	clpac__tracker_remove(watch->tracker, notes->record);
	notes->record = NULL;
	return clpac__recorder_is_on(&watch->recorder) ||
	       atomic_load_explicit(&notes->scope.scope, memory_order_relaxed) != NULL;
}
void clpac__watch_released(clpac__watch *watch, clpac__notes *notes, const clpac__watched *what);
void clpac__watch_moved(clpac__watch *watch, clpac__notes *notes, bool is_on_device);

/* Begin and end of a trace, counted among those who watch. */
clpac_status clpac__watch_trace(clpac__watch *watch, const char *path, clpac_error *err);
clpac_status clpac__watch_end_trace(clpac__watch *watch, clpac_error *err);

#endif
