/* Giving cached memory back. */
#include "memory/pool/room/room.h"

#include <time.h>

/* Cached bytes; approximate under concurrency. */
static uint64_t cached_bytes(clpac_pool *pool)
{
	clpac__magazines_empty(pool, &pool->depot);
	return pool->depot.bytes + pool->segments.free_bytes;
}

uint64_t clpac_pool_trim(clpac_pool *pool, uint64_t target_bytes)
{
	if (!clpac__pool_is_here(pool))
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
	if (!clpac__pool_is_here(pool))
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

/* --- For pools that share a limit: a starved one trims the caches of others ------------------ */

/* Bytes that a pool's caches could give back, at most. */
static uint64_t most_to_give(clpac_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	clpac__tally sum;
	uint64_t hits, in_magazines;
	size_t n_cached;
	clpac__magazines_sum(pool, &sum, &hits, &n_cached, &in_magazines);
	const uint64_t allocated = pool->ledger.now.allocated_bytes, in_use = (uint64_t)sum.in_use_bytes;
	pthread_mutex_unlock(&pool->lock);
	return allocated > in_use ? allocated - in_use : 0;
}

static uint64_t give_back(clpac_pool *pool, uint64_t bytes)
{
	pthread_mutex_lock(&pool->lock);
	clpac__pool_collect(pool);
	clpac__pool_merge(pool);
	const uint64_t released = clpac__pool_evict(pool, bytes);
	pthread_mutex_unlock(&pool->lock);
	clpac__pool_tell(pool);
	return released;
}

/* Trims the pools at or below one limit, which lacks bytes. */
static uint64_t trim_below(const clpac_pool *pool, const clpac_limit *limit, uint64_t lacking_bytes)
{
	clpac_pool *siblings[CLPAC__MOST_SIBLINGS];
	const unsigned n = clpac__limit_siblings(limit, pool, siblings);
	uint64_t cached = 0, released = 0;
	for (unsigned i = 0; i < n; i++)
		cached += most_to_give(siblings[i]);
	/* Nobody is trimmed in vain. */
	for (unsigned i = 0; i < n && cached >= lacking_bytes && released < lacking_bytes; i++)
		released += give_back(siblings[i], lacking_bytes - released);
	clpac__siblings_let_go(siblings, n);
	return released;
}

uint64_t clpac__pool_trim_siblings(const clpac_pool *pool, const clpac_limit *limit, uint64_t bytes,
				   uint64_t own_cached_bytes)
{
	uint64_t released = 0;
	for (; limit; limit = clpac__limit_parent(limit)) {
		const clpac_limit *tight = clpac__limit_tightest(limit, bytes);
		if (!tight)
			break;
		limit = tight;
		const uint64_t lacking = bytes - clpac__limit_room_here(limit);
		if (lacking > own_cached_bytes)
			released += trim_below(pool, limit, lacking - own_cached_bytes);
	}
	return released;
}
