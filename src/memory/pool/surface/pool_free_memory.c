/* The device's free memory, and how it is known. */
#include "memory/pool/surface/surface.h"

#include "base/clock.h"

enum { CALLS_BETWEEN = 30 };
static const double SECONDS_BETWEEN = 0.1;

static clpac_free_memory ask(clpac_pool *pool)
{
	clpac__pool_queue *own = &pool->queues[0];
	const uint64_t size = own->queue->device.memory_bytes;
	pthread_mutex_lock(&own->driver);
	clpac_free_memory answer = own->queue->operations->free_memory(own->queue);
	pthread_mutex_unlock(&own->driver);
	if (answer.knowledge == CLPAC_UNKNOWN && size) {
		const uint64_t held = atomic_load_explicit(&pool->magazines.allocated_bytes, memory_order_relaxed);
		answer = (clpac_free_memory){size > held ? size - held : 0, CLPAC_ESTIMATED};
	}
	return answer;
}

clpac_free_memory clpac_pool_free_memory(clpac_pool *pool)
{
	if (!clpac__pool_is_here(pool))
		return (clpac_free_memory){0};
	const double now_s = clpac__clock_seconds();
	pthread_mutex_lock(&pool->lock);
	const bool is_fresh = pool->free_memory_asked && pool->free_memory_asked % CALLS_BETWEEN &&
			      now_s - pool->free_memory_s < SECONDS_BETWEEN;
	clpac_free_memory answer = pool->free_memory;
	pool->free_memory_asked = is_fresh ? pool->free_memory_asked + 1 : 1;
	pthread_mutex_unlock(&pool->lock);
	if (is_fresh)
		return answer;
	answer = ask(pool);
	pthread_mutex_lock(&pool->lock);
	pool->free_memory = answer;
	pool->free_memory_s = now_s;
	pthread_mutex_unlock(&pool->lock);
	return answer;
}

/* Allocates blocks of falling size until not even the smallest can be had, then gives all of them back. */
clpac_status clpac_pool_probe_free_memory(clpac_pool *pool, uint64_t max_bytes, uint64_t *bytes, clpac_error *err)
{
	NEED(pool);
	NEED(bytes);
	NEED_HERE(pool);
	enum { MOST_BLOCKS = 1024, SMALLEST = 1 << 20 };
	clpac_status st = CLPAC_OK;
	clpac__block *held[MOST_BLOCKS];
	size_t n = 0;
	uint64_t found = 0;
	clpac__pool_queue *own = &pool->queues[0];
	const clpac_device *device = &own->queue->device;
	pthread_mutex_lock(&own->driver);
	if (device->kind == CLPAC_DEVICE_NATIVE || device->kind == CLPAC_DEVICE_OPENCL_CPU)
		FAIL(CLPAC_ERROR_UNSUPPORTED,
		     "probing %s would take memory from every program of this computer; ask clpac_pool_free_memory",
		     device->name);
	for (uint64_t size = pool->largest_bytes < max_bytes ? pool->largest_bytes : max_bytes;
	     size >= SMALLEST && n < MOST_BLOCKS;) {
		clpac_error unused;
		const uint64_t rest = max_bytes - found;
		if (size > rest) {
			size = rest;
			continue;
		}
		if (own->queue->operations->create(own->queue, (size_t)size, &held[n], &unused) != CLPAC_OK) {
			size /= 2;
			continue;
		}
		const clpac_status touched =
			own->queue->operations->fill(own->queue, held[n], 0, (size_t)size, 0, &unused) == CLPAC_OK
				? own->queue->operations->finish(own->queue, &unused)
				: CLPAC_ERROR_DEVICE;
		n++;
		if (touched != CLPAC_OK)
			break;
		found += size;
	}
	*bytes = found;
done:
	while (n)
		own->queue->operations->release(own->queue, held[--n]);
	pthread_mutex_unlock(&own->driver);
	return st;
}
