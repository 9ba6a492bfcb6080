/* The observers of a pool (tracker, trace, last events, scopes, the list of faults), and the notifications they get.
 *
 * The pool asks clpac__watch_is_on at each allocation and release, which is one load and one branch, and notifies only
 * then:
 *
 * - an allocation: once the buffer belongs to its owner, before the request returns;
 * - a refusal: when the request failed for lack of memory;
 * - a release: before any other thread can have the handle or the block, so that no record of the next owner precedes
 *   it;
 * - a move: when the buffer changed between device and host.
 *
 * No lock of the pool is held during a notification.
 */
#ifndef CLPAC_MEMORY_TRACE_TRACE_HOOKS_H
#define CLPAC_MEMORY_TRACE_TRACE_HOOKS_H

#include "memory/trace/recorder.h"
#include "memory/trace/scope.h"
#include "memory/trace/tracker.h"
#include <pthread.h>
#include <stdint.h>
#include "base/error.h"
#include "base/latch.h"
#include "memory/trace/noted.h"

/* Faults of a pool's users: their number, and the text of the first. */

typedef struct clpac__faults {
	pthread_mutex_t lock;
	uint64_t n;
	clpac_error first;
} clpac__faults;

void clpac__faults_init(clpac__faults *faults);
void clpac__faults_destroy(clpac__faults *faults);
void clpac__faults_add(clpac__faults *faults, const char *text);
/* As clpac_pool_take_faults. */
clpac_status clpac__faults_take(clpac__faults *faults, uint64_t *n, clpac_error *err);

/* The last events of a pool, in a ring: the newest takes the place of the oldest.  They are for a snapshot, which tells
 * what came before a refusal. */

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

/* The observers of each pool. */
typedef struct clpac__watch {
	atomic_uint n_watching;	 /* number of observers: tracker, last events, trace, and each open scope */
	clpac__tracker *tracker; /* NULL: not tracked */
	clpac__history *history; /* NULL: no last events are kept */
	clpac__recorder recorder;
	clpac__scopes scopes;
	clpac__faults faults;
} clpac__watch;

/* The records in each buffer.  Zeroed: no observer knows it. */
typedef struct clpac__notes {
	clpac__record *record;
	clpac__scope_link scope;
	atomic_bool is_armed; /* its margins are verified (memory/pool/checked.h) */
} clpac__notes;

/* Makes the tracker if is_tracked, and keeps the last n_events events.  Errors: CLPAC_ERROR_NO_MEMORY; the watch must
 * be closed even then. */
clpac_status clpac__watch_open(clpac__watch *watch, bool is_tracked, size_t n_events, clpac_error *err);
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
	if (watch->history)
		clpac__history_note(watch->history, CLPAC_TRACE_ALLOCATE, outcome, what);
	if (clpac__scopes_are_open(&watch->scopes))
		clpac__scopes_allocated(&watch->scopes, &notes->scope, what->class_bytes);
}

void clpac__watch_refused(clpac__watch *watch, const clpac__watched *what);
/* Removes a released buffer's record; true when observers other than the tracker must be notified of the release. */
static inline bool clpac__watch_forget(clpac__watch *watch, clpac__notes *notes)
{
	clpac__tracker_remove(watch->tracker, notes->record);
	notes->record = NULL;
	return clpac__recorder_is_on(&watch->recorder) || watch->history ||
	       atomic_load_explicit(&notes->scope.scope, memory_order_relaxed) != NULL;
}
void clpac__watch_released(clpac__watch *watch, clpac__notes *notes, const clpac__watched *what);
void clpac__watch_moved(clpac__watch *watch, clpac__notes *notes, bool is_on_device);

/* Begins and ends a trace, which counts as an observer. */
clpac_status clpac__watch_trace(clpac__watch *watch, const char *path, clpac_error *err);
clpac_status clpac__watch_end_trace(clpac__watch *watch, clpac_error *err);

#endif
