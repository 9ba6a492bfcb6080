/* Scopes: nested stretches of a thread's work on a pool that know the buffers allocated in them.
 *
 * A buffer is a member of the innermost scope of its thread on its pool at its allocation, by a link inside the buffer,
 * and counts for the outer scopes too.  One lock per pool guards its scopes and the links; it is taken only for buffers
 * in scopes.
 */
#ifndef CLPAC_MEMORY_TRACE_SCOPE_H
#define CLPAC_MEMORY_TRACE_SCOPE_H

#include <pthread.h>
#include <stdatomic.h>
#include <clpac/memory/trace.h>
#include "base/error.h"

/* The link in each buffer.  Zeroed: in no scope. */
typedef struct clpac__scope_link {
	_Atomic(clpac_scope *) scope; /* changes from NULL only in an allocation */
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

#endif
