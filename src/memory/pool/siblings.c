/* Pools that share a limit: a starved one trims the others' caches. */
#include "memory/pool/pool_parts.h"

#include "memory/pool/limit.h"

/* Bytes that a pool's caches could give back, at most. */
static uint64_t cached_bytes(clpac_pool *pool)
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
		cached += cached_bytes(siblings[i]);
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
