/* News for the watchers of a pool (tracker, scopes, trace) and its list of faults. */
#include "memory/pool/surface/surface.h"

void clpac__pool_note_allocation(clpac_pool *pool, clpac_buffer *buffer, const clpac_request *request, bool is_hit)
{
	const clpac__watched what = {
		.id = buffer->id,
		.bytes = buffer->bytes,
		.class_bytes = buffer->class_bytes,
		.n_elements = request->n_elements,
		.tag = buffer->tag,
		.file = request->file,
		.line = request->line,
		.is_on_device = !buffer->is_on_host,
		.queue = buffer->home->ordinal,
	};
	clpac__watch_allocated(&pool->watch, &buffer->notes, &what,
			       buffer->is_on_host ? CLPAC_TRACE_HOST
			       : is_hit		  ? CLPAC_TRACE_HIT
						  : CLPAC_TRACE_MISS);
}

void clpac__pool_note_refusal(clpac_pool *pool, const clpac__room_need *need)
{
	const clpac__watched what = {.bytes = need->bytes,
				     .class_bytes = need->class_bytes,
				     .tag = need->tag,
				     .queue = need->queue->ordinal};
	clpac__watch_refused(&pool->watch, &what);
}

void clpac__pool_note_release(clpac_pool *pool, clpac_buffer *buffer)
{
	if (!clpac__watch_forget(&pool->watch, &buffer->notes))
		return;
	const clpac__watched what = {
		.id = buffer->id,
		.bytes = buffer->bytes,
		.class_bytes = buffer->class_bytes,
		.tag = buffer->tag,
		.queue = buffer->home ? buffer->home->ordinal : 0,
	};
	clpac__watch_released(&pool->watch, &buffer->notes, &what);
}

void clpac__pool_bad_release(clpac_pool *pool, const char *text)
{
	if (clpac__is_foreign(pool->process))
		return;
	pthread_mutex_lock(&pool->lock);
	pool->ledger.now.bad_releases++;
	pthread_mutex_unlock(&pool->lock);
	clpac__faults_add(&pool->watch.faults, text);
}

bool clpac__buffer_refuse_release(clpac_buffer *buffer)
{
	clpac_error fault;
	if (clpac__is_foreign(buffer->pool->process))
		return true;
	if (clpac__buffer_check_release(buffer, &fault) == CLPAC_OK)
		return false;
	clpac__pool_bad_release(buffer->pool, fault.text);
	return true;
}
