/* The nested scopes of each thread, and the members of each scope. */
#include "memory/trace/trace_hooks.h"

#include <string.h>
#include "base/clock.h"
#include "base/memory.h"

enum { NAME_SIZE = 32 };

struct clpac_scope {
	_Atomic(clpac__scopes *) home; /* NULL once the pool was destroyed */
	clpac_scope *outer;	       /* the next outer scope on the same pool */
	clpac_scope *outer_of_any;     /* the thread's next outer scope on any pool */
	clpac_scope *previous, *next;  /* in the chain of the pool's scopes */
	clpac_scope_kind kind;
	char name[NAME_SIZE];
	uint32_t thread;
	double begun_s;
	clpac_pool_statistics before;
	clpac__scope_link *members;

	uint64_t n_allocated, n_released, n_refused;
	uint64_t bytes_allocated, live_bytes, peak_bytes;
};

static _Thread_local clpac_scope *innermost;

void clpac__scopes_init(clpac__scopes *scopes)
{
	pthread_mutex_init(&scopes->lock, NULL); /* cannot fail with default attributes */
	scopes->open = NULL;
	atomic_init(&scopes->n_open, 0);
}

void clpac__scopes_destroy(clpac__scopes *scopes)
{
	for (clpac_scope *scope = scopes->open; scope; scope = scope->next) {
		for (clpac__scope_link *link = scope->members; link; link = link->next)
			atomic_store_explicit(&link->scope, NULL, memory_order_relaxed);
		scope->members = NULL;
		scope->outer = NULL;
		atomic_store_explicit(&scope->home, NULL, memory_order_relaxed);
	}
	scopes->open = NULL;
	pthread_mutex_destroy(&scopes->lock);
}

clpac__scopes *clpac__scope_home(const clpac_scope *scope)
{
	return atomic_load_explicit(&scope->home, memory_order_relaxed);
}

/* The calling thread's innermost scope on a pool.  Only the thread itself begins and ends its scopes. */
static clpac_scope *current(const clpac__scopes *scopes)
{
	clpac_scope *scope = innermost;
	while (scope && clpac__scope_home(scope) != scopes)
		scope = scope->outer_of_any;
	return scope;
}

static void join(clpac_scope *scope, clpac__scope_link *link)
{
	link->previous = NULL;
	link->next = scope->members;
	if (link->next)
		link->next->previous = link;
	scope->members = link;
	atomic_store_explicit(&link->scope, scope, memory_order_relaxed);
}

static void leave(clpac_scope *scope, clpac__scope_link *link)
{
	if (link->previous)
		link->previous->next = link->next;
	else
		scope->members = link->next;
	if (link->next)
		link->next->previous = link->previous;
	link->previous = link->next = NULL;
	atomic_store_explicit(&link->scope, NULL, memory_order_relaxed);
}

void clpac__scopes_allocated(clpac__scopes *scopes, clpac__scope_link *link, uint64_t bytes)
{
	clpac_scope *scope = current(scopes);
	if (!scope)
		return;
	pthread_mutex_lock(&scopes->lock);
	link->bytes = bytes;
	join(scope, link);
	for (; scope; scope = scope->outer) {
		scope->n_allocated++;
		scope->bytes_allocated += bytes;
		scope->live_bytes += bytes;
		if (scope->peak_bytes < scope->live_bytes)
			scope->peak_bytes = scope->live_bytes;
	}
	pthread_mutex_unlock(&scopes->lock);
}

void clpac__scopes_refused(clpac__scopes *scopes)
{
	/* Refusals are counted and read by the scope's own thread only. */
	for (clpac_scope *scope = current(scopes); scope; scope = scope->outer)
		scope->n_refused++;
}

static void count_release(clpac_scope *scope, uint64_t bytes)
{
	for (; scope; scope = scope->outer) {
		scope->n_released++;
		scope->live_bytes -= bytes;
	}
}

void clpac__scopes_released(clpac__scopes *scopes, clpac__scope_link *link)
{
	/* An unscoped buffer stays unscoped until reallocated. */
	if (!atomic_load_explicit(&link->scope, memory_order_relaxed))
		return;
	pthread_mutex_lock(&scopes->lock);
	clpac_scope *scope = atomic_load_explicit(&link->scope, memory_order_relaxed);
	if (scope) {
		count_release(scope, link->bytes);
		leave(scope, link);
	}
	pthread_mutex_unlock(&scopes->lock);
}

void clpac__scopes_keep(clpac__scopes *scopes, clpac__scope_link *link)
{
	pthread_mutex_lock(&scopes->lock);
	clpac_scope *scope = atomic_load_explicit(&link->scope, memory_order_relaxed);
	if (scope) {
		leave(scope, link);
		scope->live_bytes -= link->bytes;
		if (scope->outer)
			join(scope->outer, link);
	}
	pthread_mutex_unlock(&scopes->lock);
}

clpac_status clpac__scopes_push(clpac__scopes *scopes, clpac_scope_kind kind, const char *name,
				const clpac_pool_statistics *before, clpac_scope **out, clpac_error *err)
{
	clpac_scope *scope = NULL;
	if ((unsigned)kind >= CLPAC_SCOPE_KINDS)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "scope \"%s\": kind is %d: give a value of clpac_scope_kind",
			     name ? name : "", (int)kind);
	RETURN_IF_ERROR(NEW(scope));
	atomic_init(&scope->home, scopes);
	scope->kind = kind;
	memcpy(scope->name, name ? name : "", name ? strnlen(name, NAME_SIZE - 1) : 0);
	scope->thread = clpac__thread_number();
	scope->before = *before;
	scope->begun_s = clpac__clock_seconds();
	scope->outer = current(scopes);
	scope->outer_of_any = innermost;
	innermost = scope;

	pthread_mutex_lock(&scopes->lock);
	scope->next = scopes->open;
	if (scope->next)
		scope->next->previous = scope;
	scopes->open = scope;
	atomic_fetch_add_explicit(&scopes->n_open, 1, memory_order_relaxed);
	pthread_mutex_unlock(&scopes->lock);
	*out = scope;
	return CLPAC_OK;
}

static void forget(clpac_scope *scope)
{
	clpac_scope **at = &innermost;
	while (*at && *at != scope)
		at = &(*at)->outer_of_any;
	if (*at)
		*at = scope->outer_of_any;
}

/* Dissolves a scope: its members go to the outer scope, into no scope, or into a chain to be released. */
static clpac__scope_link *dissolve(clpac_scope *scope)
{
	clpac__scope_link *chain = NULL;
	while (scope->members) {
		clpac__scope_link *link = scope->members;
		leave(scope, link);
		if (scope->kind == CLPAC_SCOPE_RELEASE) {
			count_release(scope->outer, link->bytes);
			link->next = chain;
			chain = link;
		} else if (scope->outer) {
			join(scope->outer, link);
		}
	}
	return chain;
}

static void unlist(clpac__scopes *scopes, clpac_scope *scope)
{
	if (scope->previous)
		scope->previous->next = scope->next;
	else
		scopes->open = scope->next;
	if (scope->next)
		scope->next->previous = scope->previous;
	atomic_fetch_sub_explicit(&scopes->n_open, 1, memory_order_relaxed);
}

clpac_status clpac__scopes_pop(clpac_scope *scope, clpac_scope_report *report, clpac_pool_statistics *before,
			       clpac__scope_link **to_release, clpac_error *err)
{
	clpac__scopes *scopes = clpac__scope_home(scope);
	if (scope->thread != clpac__thread_number())
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "scope \"%s\" was begun by thread %u and cannot be ended by thread %u", scope->name,
			     (unsigned)scope->thread, (unsigned)clpac__thread_number());
	clpac_scope *first = scopes ? current(scopes) : scope;
	if (first != scope)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "scope \"%s\" cannot be ended before \"%s\", which was begun in it",
			     scope->name, first ? first->name : "");

	*to_release = NULL;
	if (scopes)
		pthread_mutex_lock(&scopes->lock);
	*report = (clpac_scope_report){
		.n_allocated = scope->n_allocated,
		.n_released = scope->n_released,
		.bytes_allocated = scope->bytes_allocated,
		.bytes_left = scope->live_bytes,
		.peak_bytes = scope->peak_bytes,
		.n_refused = scope->n_refused,
		.seconds = clpac__clock_seconds() - scope->begun_s,
	};
	*before = scope->before;
	if (scopes) {
		*to_release = dissolve(scope);
		unlist(scopes, scope);
		pthread_mutex_unlock(&scopes->lock);
	}
	forget(scope);
	clpac__free(scope);
	return CLPAC_OK;
}
