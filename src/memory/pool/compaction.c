/* Compaction now and then, so that segments do not stay sparse until a request needs them. */
#include "memory/pool/pool_parts.h"

#include "base/clock.h"

/* True for one thread, which makes the pass and moves so many bytes at most; the next one counts from now. */
static bool is_due(clpac_pool *pool, uint64_t *max_bytes)
{
	const double now_s = clpac__clock_seconds();
	pthread_mutex_lock(&pool->lock);
	const uint64_t releases = clpac__magazines_releases(pool);
	const bool is_due = releases - pool->compaction.last_releases >= pool->compaction.every_releases &&
			    now_s - pool->compaction.last_s >= pool->compaction.every_s;
	if (is_due) {
		pool->compaction.last_releases = releases;
		pool->compaction.last_s = now_s;
	}
	*max_bytes = pool->compaction.max_bytes;
	pthread_mutex_unlock(&pool->lock);
	return is_due;
}

void clpac__pool_compact_in_turn(clpac_pool *pool)
{
	uint64_t max_bytes;
	/* A move that fails leaves the buffer where it was. */
	if (atomic_load_explicit(&pool->compaction.is_wanted, memory_order_relaxed) && is_due(pool, &max_bytes))
		clpac_pool_defragment(pool, max_bytes, NULL, NULL);
}
