#include "memory/trace/trace_hooks.h"

clpac_status clpac__watch_open(clpac__watch *watch, bool is_tracked, size_t n_events, clpac_error *err)
{
	watch->tracker = NULL;
	watch->history = NULL;
	atomic_init(&watch->n_watching, (unsigned)is_tracked + (n_events > 0));
	clpac__recorder_init(&watch->recorder);
	clpac__scopes_init(&watch->scopes);
	clpac__faults_init(&watch->faults);
	if (is_tracked)
		RETURN_IF_ERROR(clpac__tracker_create(&watch->tracker, err));
	if (n_events)
		RETURN_IF_ERROR(clpac__history_create(n_events, &watch->history, err));
	return CLPAC_OK;
}

void clpac__watch_close(clpac__watch *watch)
{
	clpac__recorder_destroy(&watch->recorder);
	clpac__scopes_destroy(&watch->scopes);
	clpac__faults_destroy(&watch->faults);
	clpac__tracker_destroy(watch->tracker);
	clpac__history_destroy(watch->history);
	watch->tracker = NULL;
	watch->history = NULL;
}

void clpac__watch_refused(clpac__watch *watch, const clpac__watched *what)
{
	if (clpac__recorder_is_on(&watch->recorder))
		clpac__recorder_note(&watch->recorder, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_REFUSED, what);
	if (watch->history)
		clpac__history_note(watch->history, CLPAC_TRACE_ALLOCATE, CLPAC_TRACE_REFUSED, what);
	if (clpac__scopes_are_open(&watch->scopes))
		clpac__scopes_refused(&watch->scopes);
}

void clpac__watch_released(clpac__watch *watch, clpac__notes *notes, const clpac__watched *what)
{
	if (clpac__recorder_is_on(&watch->recorder))
		clpac__recorder_note(&watch->recorder, CLPAC_TRACE_RELEASE, CLPAC_TRACE_NONE, what);
	if (watch->history)
		clpac__history_note(watch->history, CLPAC_TRACE_RELEASE, CLPAC_TRACE_NONE, what);
	clpac__scopes_released(&watch->scopes, &notes->scope);
}

void clpac__watch_moved(clpac__watch *watch, clpac__notes *notes, bool is_on_device)
{
	if (watch->tracker)
		clpac__tracker_move(notes->record, is_on_device);
}

clpac_status clpac__watch_trace(clpac__watch *watch, const char *path, clpac_error *err)
{
	clpac_status st = clpac__recorder_begin(&watch->recorder, path, err);
	if (st == CLPAC_OK)
		atomic_fetch_add_explicit(&watch->n_watching, 1, memory_order_relaxed);
	return st;
}

clpac_status clpac__watch_end_trace(clpac__watch *watch, clpac_error *err)
{
	/* The trace is over if one was on, even when writing failed. */
	bool was_on = false;
	clpac_status st = clpac__recorder_end(&watch->recorder, &was_on, err);
	if (was_on)
		atomic_fetch_sub_explicit(&watch->n_watching, 1, memory_order_relaxed);
	return st;
}
