/* How full a pool is, and what depends on it: the limit of cached blocks, and changes that are not delivered yet. */
#include "memory/pool/blocks/blocks.h"

enum { GROWTH = 8 /* factor for the limit of cached blocks while the budget is mostly free */ };
static const double PLENTY = 0.3;

/* The limit of cached blocks follows the pressure. */
void clpac__pool_follow(clpac_pool *pool)
{
	size_t kept = pool->max_kept;
	clpac__ledger_follow(&pool->ledger);
	if (pool->ledger.now.pressure >= CLPAC_PRESSURE_HIGH)
		kept = kept / 2 ? kept / 2 : 1;
	else if (pool->may_grow && clpac__ledger_part(&pool->ledger) < PLENTY)
		kept *= GROWTH;
	atomic_store_explicit(&pool->kept, kept, memory_order_relaxed);
	atomic_store_explicit(&pool->magazines.allocated_bytes, pool->ledger.now.allocated_bytes, memory_order_relaxed);
	atomic_store_explicit(&pool->has_news, pool->ledger.n_path > 0, memory_order_relaxed);
}

uint64_t clpac_pool_budget(const clpac_pool *pool)
{
	if (!pool)
		return 0;
	return atomic_load_explicit(&pool->budget_bytes, memory_order_relaxed);
}

clpac_pressure clpac_pool_pressure(clpac_pool *pool)
{
	if (!clpac__pool_is_here(pool))
		return CLPAC_PRESSURE_LOW;
	pthread_mutex_lock(&pool->lock);
	clpac__pool_follow(pool); /* other pools may have changed a limit that this one shares */
	clpac_pressure pressure = pool->ledger.now.pressure;
	pthread_mutex_unlock(&pool->lock);
	return pressure;
}
