/* The places of a pool's queues, and driver calls that find them open or closed. */
#include "memory/pool/blocks/blocks.h"

clpac__pool_queue *clpac__pool_queue_search(clpac_pool *pool, const clpac_queue *queue)
{
	if (queue == pool->queues[0].queue)
		return &pool->queues[0];
	const unsigned n = atomic_load_explicit(&pool->n_queues, memory_order_acquire);
	for (unsigned i = 1; i < n; i++)
		if (pool->queues[i].queue == queue)
			return &pool->queues[i];
	return NULL;
}

clpac__pool_queue *clpac__pool_queue_need(clpac_pool *pool, const clpac_queue *queue, const char *what,
					  clpac_error *err)
{
	clpac__pool_queue *found = clpac__pool_queue_find(pool, queue);
	if (!found)
		clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			    "%s: the queue is not one of the pool's on %s; open it with clpac_queue_open on this pool",
			    what, pool->queues[0].queue->device.name);
	return found;
}

clpac__pool_queue *clpac__pool_queue_lock_home(clpac_pool *pool, const clpac_buffer *buffer)
{
	clpac__pool_queue *home = buffer->home;
	if (home) {
		pthread_mutex_lock(&home->driver);
		if (home->queue)
			return home;
		pthread_mutex_unlock(&home->driver);
	}
	pthread_mutex_lock(&pool->queues[0].driver);
	return &pool->queues[0];
}

clpac_status clpac__pool_queue_mark(clpac__pool_queue *place, clpac_event **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	pthread_mutex_lock(&place->driver);
	clpac__queue *queue = place->queue;
	*out = NULL;
	if (queue)
		st = queue->operations->mark(queue, out, err);
	pthread_mutex_unlock(&place->driver);
	return st;
}

clpac_status clpac__pool_queue_wait_for(clpac__pool_queue *place, clpac_event *event, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	pthread_mutex_lock(&place->driver);
	clpac__queue *queue = place->queue;
	if (!queue)
		FAIL(CLPAC_ERROR_ARGUMENT, "wait for an event: the queue is closed");
	st = queue->operations->wait_for(queue, event, err);
done:
	pthread_mutex_unlock(&place->driver);
	return st;
}

void clpac__pool_forget(clpac_pool *pool, clpac_event *event)
{
	clpac__queue *queue = pool->queues[0].queue;
	if (event)
		queue->operations->forget(queue, event);
}

void clpac__pool_queues_destroy(clpac_pool *pool)
{
	const unsigned n = atomic_load_explicit(&pool->n_queues, memory_order_relaxed);
	for (unsigned i = 0; i < n; i++)
		pthread_mutex_destroy(&pool->queues[i].driver);
}
