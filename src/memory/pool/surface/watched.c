/* The watchers of a pool (tracker, scopes, trace, faults), as the application asks them. */
#include "memory/pool/surface/surface.h"

#include <clpac/memory/buffer.h>

clpac_status clpac_pool_list(clpac_pool *pool, double older_than_s, clpac_live_list *out, clpac_error *err)
{
	NEED(pool, out);
	NEED_HERE(pool);
	if (!pool->watch.tracker)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "list of buffers: the pool was made without clpac_pool_options.checks.is_tracked");
	return clpac__tracker_list(pool->watch.tracker, older_than_s, out, err);
}

clpac_status clpac_pool_take_faults(clpac_pool *pool, uint64_t *n, clpac_error *err)
{
	NEED(pool);
	NEED_HERE(pool);
	return clpac__faults_take(&pool->watch.faults, n, err);
}

clpac_status clpac_trace_begin(clpac_pool *pool, const char *path, clpac_error *err)
{
	NEED(pool, path);
	NEED_HERE(pool);
	return clpac__watch_trace(&pool->watch, path, err);
}

clpac_status clpac_trace_end(clpac_pool *pool, clpac_error *err)
{
	NEED(pool);
	NEED_HERE(pool);
	return clpac__watch_end_trace(&pool->watch, err);
}

/* --- Scopes ---------------------------------------------------------------------------------- */

clpac_status clpac_scope_begin(clpac_pool *pool, clpac_scope_kind kind, const char *name, clpac_scope **out,
			       clpac_error *err)
{
	NEED(pool, out);
	NEED_HERE(pool);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	clpac_status st = clpac__scopes_push(&pool->watch.scopes, kind, name, &now, out, err);
	if (st == CLPAC_OK) {
		atomic_fetch_add_explicit(&pool->watch.n_watching, 1, memory_order_relaxed);
		clpac__pool_hold(pool);
	}
	return st;
}

static clpac_buffer *buffer_of(clpac__scope_link *link)
{
	return (clpac_buffer *)(void *)((char *)link - offsetof(clpac_buffer, notes.scope));
}

static clpac_pool *pool_of(clpac__scopes *scopes)
{
	return (clpac_pool *)(void *)((char *)scopes - offsetof(clpac_pool, watch.scopes));
}

static void add_changes(clpac_scope_report *report, const clpac_pool_statistics *before,
			const clpac_pool_statistics *after)
{
	report->hits = after->hits - before->hits;
	report->misses = after->misses - before->misses;
	report->driver_calls = after->driver_calls - before->driver_calls;
	report->fragmentation_before = before->fragmentation;
	report->fragmentation_after = after->fragmentation;
	report->pool_bytes_before = before->allocated_bytes;
	report->pool_bytes_after = after->allocated_bytes;
}

clpac_status clpac_scope_end(clpac_scope *scope, clpac_scope_report *out, clpac_error *err)
{
	NEED(scope);
	clpac_scope_report report;
	clpac_pool_statistics before, after;
	clpac__scope_link *chain;
	clpac__scopes *home = clpac__scope_home(scope);
	if (home)
		NEED_OF_HERE(pool_of(home)->process, "scope");
	RETURN_IF_ERROR(clpac__scopes_pop(scope, &report, &before, &chain, err));
	while (chain) {
		clpac__scope_link *link = chain;
		chain = link->next;
		if (clpac__buffer_check_release(buffer_of(link), NULL) != CLPAC_OK)
			continue; /* a store owns it now */
		clpac_buffer_release(buffer_of(link));
		report.n_released_at_end++;
	}
	if (home) {
		clpac_pool *pool = pool_of(home);
		atomic_fetch_sub_explicit(&pool->watch.n_watching, 1, memory_order_relaxed);
		clpac_pool_measure(pool, &after, sizeof after);
		add_changes(&report, &before, &after);
		clpac__pool_let_go(pool);
	}
	if (out)
		*out = report;
	return CLPAC_OK;
}

void clpac_scope_keep(clpac_buffer *buffer)
{
	if (clpac__buffer_is_live(buffer) && clpac__pool_is_here(buffer->pool))
		clpac__scopes_keep(&buffer->pool->watch.scopes, &buffer->notes.scope);
}
