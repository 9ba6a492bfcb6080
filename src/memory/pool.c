/* A pool's life, and the questions it answers. */
#include "memory/pool_parts.h"

#include "base/memory.h"
#include "memory/budget.h"
#include "memory/size_class.h"

enum { DEFAULT_KEPT_PER_CLASS = 8 };

clpac_status clpac__pool_create(clpac__queue *queue, const clpac_pool_options *options, uint64_t cap_bytes,
				clpac_pool **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	static const clpac_pool_options defaults;
	options = options ? options : &defaults;
	unsigned n = options->classes_per_octave ? options->classes_per_octave : CLPAC_DEFAULT_CLASSES_PER_OCTAVE;
	size_t n_kept = options->max_kept_per_class ? options->max_kept_per_class : DEFAULT_KEPT_PER_CLASS;
	uint64_t largest = queue->device.max_allocation_bytes;
	clpac_pool *pool = clpac__alloc_zero(sizeof *pool);
	if (!pool)
		FAIL_NO_MEMORY(sizeof *pool);

	if (!clpac__classes_per_octave_is_good(n))
		FAIL(CLPAC_ERROR_ARGUMENT, "classes_per_octave is %u: it must be a power of two from 1 to %d", n,
		     CLPAC_MAX_CLASSES_PER_OCTAVE);
	TRY(clpac__budget_find(options, &queue->device, cap_bytes, &pool->ledger.now.budget_bytes, err));
	TRY(clpac__cache_create(&pool->cache, clpac__size_class_count(n), n_kept, err));

	pool->queue = queue;
	pool->classes_per_octave = n;
	pool->largest_bytes = largest && largest < SIZE_MAX ? (size_t)largest : SIZE_MAX;
	/* These cannot fail with default attributes. */
	pthread_mutex_init(&pool->book, NULL);
	pthread_cond_init(&pool->settled, NULL);
	pthread_mutex_init(&pool->driver, NULL);
	*out = pool;
	pool = NULL;
done:
	clpac__free(pool);
	return st;
}

void clpac_pool_destroy(clpac_pool *pool)
{
	if (!pool)
		return;
	clpac_pool_clear(pool);
	while (pool->active.oldest) {
		clpac_buffer *buffer = pool->active.oldest;
		clpac__list_remove(&pool->active, buffer);
		pool->queue->operations->release(pool->queue, buffer->block);
		buffer->block = NULL;
		buffer->pool = NULL;
	}
	clpac__cache_destroy(&pool->cache);
	pthread_mutex_destroy(&pool->driver);
	pthread_cond_destroy(&pool->settled);
	pthread_mutex_destroy(&pool->book);
	clpac__free(pool);
}

clpac__queue *clpac__pool_queue(const clpac_pool *pool)
{
	return pool->queue;
}

uint64_t clpac_pool_budget(const clpac_pool *pool)
{
	return pool->ledger.now.budget_bytes;
}

uint64_t clpac_pool_trim(clpac_pool *pool, uint64_t target_bytes)
{
	uint64_t evicted = 0;
	pthread_mutex_lock(&pool->book);
	uint64_t pooled = pool->ledger.now.pooled_bytes;
	if (pooled > target_bytes)
		evicted = clpac__pool_evict(pool, pooled - target_bytes);
	pthread_mutex_unlock(&pool->book);
	return evicted;
}

uint64_t clpac_pool_clear(clpac_pool *pool)
{
	return clpac_pool_trim(pool, 0);
}

clpac_pressure clpac_pool_pressure(clpac_pool *pool)
{
	pthread_mutex_lock(&pool->book);
	clpac_pressure pressure = pool->ledger.now.pressure;
	pthread_mutex_unlock(&pool->book);
	return pressure;
}

void clpac_pool_measure(clpac_pool *pool, clpac_pool_statistics *out)
{
	pthread_mutex_lock(&pool->book);
	clpac__ledger_measure(&pool->ledger, out);
	pthread_mutex_unlock(&pool->book);
}

void clpac_pool_reset_peaks(clpac_pool *pool)
{
	pthread_mutex_lock(&pool->book);
	clpac__ledger_reset_peaks(&pool->ledger);
	pthread_mutex_unlock(&pool->book);
}
