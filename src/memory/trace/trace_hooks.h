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

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <clpac/memory/trace.h>

#include "base/error.h"
#include "base/latch.h"

/* --- The tracker ----------------------------------------------------------------------------- */

/* The tracker: a record for each buffer in use.
 *
 * Adding and removing take no lock and do not contend with other threads: each thread has a shard of its own (up to
 * 64), a record is claimed by one compare-and-swap of its id and freed by one exchange.  A list is made concurrently;
 * it detects a record that changed while being read by its id, which is unique.  Only a removal during the making of a
 * list waits for its end.  A record never moves during the tracker's life, so the buffer can keep its address; it is
 * removed before the pool gives the buffer's memory to another owner.
 */

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

/* --- An event as observers keep it ----------------------------------------------------------- */

/* An allocation or a release as observers keep it: all facts copied, since a buffer's tag need not outlive it. */

enum { CLPAC__NOTED_TAG_SIZE = 48 };

typedef struct clpac__noted {
	uint64_t time_ns, id, bytes, class_bytes;
	uint32_t thread, queue;
	uint8_t operation, outcome; /* clpac_trace_operation, clpac_trace_outcome */
	char tag[CLPAC__NOTED_TAG_SIZE];
} clpac__noted;
_Static_assert(sizeof(clpac__noted) == 96, "the limits in bytes count on it");

/* Nanoseconds of a monotonic clock. */
uint64_t clpac__noted_clock_ns(void);

/* An event of this moment, in the caller's thread; times count from begun_ns. */
clpac__noted clpac__noted_make(uint64_t begun_ns, clpac_trace_operation operation, clpac_trace_outcome outcome,
			       const clpac__watched *what);

/* --- The last events ------------------------------------------------------------------------- */

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

/* --- The trace ------------------------------------------------------------------------------- */

/* The recorder of a trace: events are collected in chunks in memory, and a writer thread writes them as CSV. */

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

/* Names of the columns and values of a trace file, for reader and writer. */
#define CLPAC__TRACE_HEAD "time_ns,thread,operation,id,bytes,class_bytes,queue,tag,outcome"

extern const char *const clpac__trace_operations[CLPAC_TRACE_OPERATIONS];
extern const char *const clpac__trace_outcomes[CLPAC_TRACE_OUTCOMES];

/* --- Scopes ---------------------------------------------------------------------------------- */

/* Scopes: nested stretches of a thread's work on a pool that know the buffers allocated in them.
 *
 * A buffer is a member of the innermost scope of its thread on its pool at its allocation, by a link inside the buffer,
 * and counts for the outer scopes too.  One lock per pool guards its scopes and the links; it is taken only for buffers
 * in scopes.
 */

/* The link in each buffer in use. */
typedef struct clpac__scope_link {
	_Atomic(clpac_scope *) scope; /* NULL: in none; changes from NULL only in an allocation */
	struct clpac__scope_link *previous, *next;
	uint64_t bytes;
} clpac__scope_link;

/* The scopes of each pool. */
typedef struct clpac__scopes {
	pthread_mutex_t lock;
	clpac_scope *open;  /* chain of all open scopes, in no order */
	atomic_uint n_open; /* while 0, allocations skip all scope work */
} clpac__scopes;

void clpac__scopes_init(clpac__scopes *scopes);
/* Detaches the buffers.  Scopes still open remain for their owners to end, and are empty. */
void clpac__scopes_destroy(clpac__scopes *scopes);

static inline bool clpac__scopes_are_open(clpac__scopes *scopes)
{
	return atomic_load_explicit(&scopes->n_open, memory_order_relaxed) != 0;
}

/* The calling thread allocated a buffer of that many bytes, or was refused one. */
void clpac__scopes_allocated(clpac__scopes *scopes, clpac__scope_link *link, uint64_t bytes);
void clpac__scopes_refused(clpac__scopes *scopes);

/* A buffer is about to be released, by any thread. */
void clpac__scopes_released(clpac__scopes *scopes, clpac__scope_link *link);

/* clpac_scope_keep. */
void clpac__scopes_keep(clpac__scopes *scopes, clpac__scope_link *link);

/* Begins a scope inside those that the calling thread has open. `before` is stored and returned by pop. */
clpac_status clpac__scopes_push(clpac__scopes *scopes, clpac_scope_kind kind, const char *name,
				const clpac_pool_statistics *before, clpac_scope **out, clpac_error *err);

/* Ends and frees a scope.  *report gets the numbers of its buffers; *before the value given to push; *to_release the
 * members to release, a chain through `next` in no scope.  All other members go to the outer scope. */
clpac_status clpac__scopes_pop(clpac_scope *scope, clpac_scope_report *report, clpac_pool_statistics *before,
			       clpac__scope_link **to_release, clpac_error *err);

/* The scopes of the pool that a scope is on; NULL when the pool was destroyed. */
clpac__scopes *clpac__scope_home(const clpac_scope *scope);

/* --- Faults ---------------------------------------------------------------------------------- */

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

/* --- All of a pool --------------------------------------------------------------------------- */

/* The observers of each pool. */
typedef struct clpac__watch {
	atomic_uint n_watching;	 /* number of observers: tracker, last events, trace, and each open scope */
	clpac__tracker *tracker; /* NULL: not tracked */
	clpac__history *history; /* NULL: no last events are kept */
	clpac__recorder recorder;
	clpac__scopes scopes;
	clpac__faults faults;
} clpac__watch;

/* The records in each buffer in use.  Without a record and a scope: no observer knows it. */
typedef struct clpac__notes {
	clpac__record *record;
	clpac__scope_link scope;
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

/* A small number for each thread, from 0 on, in the order of first use; it identifies threads in reports and spreads
 * them over shards.  Never reused.
 */

/* This model needs no call in a shared library; the loader always has room for four bytes of it. */
#if defined(__GNUC__)
#define CLPAC__NEAR_THREAD __attribute__((tls_model("initial-exec")))
#else
#define CLPAC__NEAR_THREAD
#endif

extern _Thread_local uint32_t clpac__thread_ordinal CLPAC__NEAR_THREAD; /* the number plus 1; 0: none yet */
uint32_t clpac__thread_count_in(void);

static inline uint32_t clpac__thread_number(void)
{
	uint32_t ordinal = clpac__thread_ordinal;
	return (ordinal ? ordinal : clpac__thread_count_in()) - 1;
}

#endif
