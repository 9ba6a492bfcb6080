/* Giving cached memory back on request. */
#include "memory/pool/pool_parts.h"

#include <time.h>

/* Cached bytes; approximate under concurrency. */
static uint64_t cached_bytes(clpac_pool *pool)
{
	clpac__magazines_empty(pool, &pool->depot);
	return pool->depot.bytes + pool->segments.free_bytes;
}

uint64_t clpac_pool_trim(clpac_pool *pool, uint64_t target_bytes)
{
	if (!pool)
		return 0;
	pthread_mutex_lock(&pool->lock);
	const uint64_t before = pool->ledger.now.allocated_bytes;
	clpac__pool_collect(pool);
	/* Blocks whose events had passed and that no cache had room for have gone already. */
	const uint64_t after = pool->ledger.now.allocated_bytes;
	uint64_t evicted = before > after ? before - after : 0;
	const uint64_t cached = cached_bytes(pool);
	if (cached > target_bytes)
		evicted += clpac__pool_evict(pool, cached - target_bytes);
	pthread_mutex_unlock(&pool->lock);
	clpac__pool_tell(pool);
	return evicted;
}

uint64_t clpac_pool_clear(clpac_pool *pool)
{
	return clpac_pool_trim(pool, 0);
}

uint64_t clpac_pool_trim_older(clpac_pool *pool, double age_s)
{
	if (!pool)
		return 0;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	const double before_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - age_s;
	clpac_buffer *chain = NULL;
	pthread_mutex_lock(&pool->lock);
	clpac__pool_collect(pool);
	clpac__magazines_empty(pool, &pool->depot);
	const uint64_t allocated = pool->ledger.now.allocated_bytes;
	while (pool->depot.oldest && 1e-9 * (double)pool->depot.oldest->released_ns <= before_s) {
		clpac_buffer *buffer = clpac__free_list_take_oldest(&pool->depot);
		buffer->below = chain;
		chain = buffer;
	}
	clpac__pool_drop(pool, chain);
	clpac__pool_release_segments(pool, UINT64_MAX);
	const uint64_t now_allocated = pool->ledger.now.allocated_bytes;
	pthread_mutex_unlock(&pool->lock);
	clpac__pool_tell(pool);
	/* Other threads may have allocated more meanwhile than was released. */
	return allocated > now_allocated ? allocated - now_allocated : 0;
}
