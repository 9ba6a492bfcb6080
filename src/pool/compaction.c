/* Compaction now and then, so that segments do not stay sparse until a request needs them. */
#include "pool/pool_parts.h"

#include "base/clock.h"

/* True for one thread, which makes the pass; the next one counts from now. */
static bool is_due(clpac_pool *pool)
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
	pthread_mutex_unlock(&pool->lock);
	return is_due;
}

void clpac__pool_compact_in_turn(clpac_pool *pool)
{
	/* A move that fails leaves the buffer where it was. */
	if (atomic_load_explicit(&pool->compaction.is_wanted, memory_order_relaxed) && is_due(pool))
		clpac_pool_defragment(pool, pool->compaction.max_bytes, NULL, NULL);
}
