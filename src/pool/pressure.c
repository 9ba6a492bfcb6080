/* Pressure: watchers, caches that shrink by themselves, and functions that release memory on request. */
#include "pool/pool_parts.h"

enum { GROWTH = 8 /* factor for the limit of cached blocks while the budget is mostly free */ };
static const double PLENTY = 0.3;

/* --- Watchers --------------------------------------------------------------------------------- */

clpac_status clpac_pool_watch(clpac_pool *pool, clpac_pressure_function *function, void *user, clpac_error *err)
{
	NEED(pool);
	NEED(function);
	clpac_status st = CLPAC_OK;
	clpac__watcher *place = NULL;
	pthread_mutex_lock(&pool->lock);
	for (unsigned i = 0; i < CLPAC__MAX_LISTENERS; i++) {
		clpac__watcher *watcher = &pool->watchers[i];
		if (watcher->function == function && watcher->user == user)
			FAIL(CLPAC_ERROR_ARGUMENT, "watch: this function watches the pool already");
		if (!watcher->function && !place)
			place = watcher;
	}
	if (!place)
		FAIL(CLPAC_ERROR_ARGUMENT, "watch: the pool has %d watchers already; remove one first",
		     CLPAC__MAX_LISTENERS);
	*place = (clpac__watcher){function, user};
done:
	pthread_mutex_unlock(&pool->lock);
	return st;
}

void clpac_pool_unwatch(clpac_pool *pool, clpac_pressure_function *function, void *user)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	for (unsigned i = 0; i < CLPAC__MAX_LISTENERS; i++)
		if (pool->watchers[i].function == function && pool->watchers[i].user == user)
			pool->watchers[i] = (clpac__watcher){0};
	pthread_mutex_unlock(&pool->lock);
}

/* The limit of cached blocks follows the pressure. */
void clpac__pool_follow(clpac_pool *pool)
{
	size_t kept = pool->max_kept;
	if (pool->ledger.now.pressure >= CLPAC_PRESSURE_HIGH)
		kept = kept / 2 ? kept / 2 : 1;
	else if (pool->may_grow && clpac__ledger_part(&pool->ledger) < PLENTY)
		kept *= GROWTH;
	atomic_store_explicit(&pool->kept, kept, memory_order_relaxed);
	atomic_store_explicit(&pool->magazines.allocated_bytes, pool->ledger.now.allocated_bytes, memory_order_relaxed);
	atomic_store_explicit(&pool->has_news, pool->ledger.n_path > 0, memory_order_relaxed);
}

/* At High, cached memory goes back until the level is left or nothing is cached.  At Critical, stores and the
 * application are asked to release memory first. */
static void relieve(clpac_pool *pool, clpac_pressure level)
{
	const double leave_at = level == CLPAC_PRESSURE_CRITICAL ? 0.90 : 0.75;
	const uint64_t target = (uint64_t)(leave_at * (double)pool->ledger.now.budget_bytes);
	static const clpac_ladder_step asked[] = {CLPAC_LADDER_EVICT, CLPAC_LADDER_CALLBACK};
	for (unsigned i = 0; i <= 2 && pool->ledger.now.allocated_bytes >= target; i++) {
		const uint64_t excess = pool->ledger.now.allocated_bytes - target + 1;
		const uint64_t evicted = clpac__pool_evict(pool, excess);
		if (evicted >= excess || level != CLPAC_PRESSURE_CRITICAL || i == 2)
			break;
		pthread_mutex_unlock(&pool->lock);
		clpac__pool_ask_relief(pool, asked[i], excess - evicted);
		pthread_mutex_lock(&pool->lock);
	}
}

static void tell_watchers(clpac_pool *pool, clpac_pressure from, clpac_pressure to)
{
	clpac__watcher watchers[CLPAC__MAX_LISTENERS];
	for (unsigned i = 0; i < CLPAC__MAX_LISTENERS; i++)
		watchers[i] = pool->watchers[i];
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < CLPAC__MAX_LISTENERS; i++)
		if (watchers[i].function)
			watchers[i].function(watchers[i].user, pool, from, to);
	pthread_mutex_lock(&pool->lock);
}

void clpac__pool_tell(clpac_pool *pool)
{
	clpac_pressure from, to;
	if (!atomic_load_explicit(&pool->has_news, memory_order_relaxed))
		return;
	pthread_mutex_lock(&pool->lock);
	/* One thread delivers at a time, so that watchers see the order; a change caused by a watcher is delivered
	 * after the present one. */
	while (!pool->is_telling && clpac__ledger_next_edge(&pool->ledger, &from, &to)) {
		pool->is_telling = true;
		tell_watchers(pool, from, to);
		if (to > from && to >= CLPAC_PRESSURE_HIGH)
			relieve(pool, to);
		pool->is_telling = false;
		atomic_store_explicit(&pool->has_news, pool->ledger.n_path > 0, memory_order_relaxed);
	}
	pthread_mutex_unlock(&pool->lock);
}

/* --- Relief ----------------------------------------------------------------------------------- */

clpac_status clpac_pool_add_relief(clpac_pool *pool, clpac_ladder_step step, clpac_relief_function *function,
				   void *user, clpac_error *err)
{
	NEED(pool);
	NEED(function);
	clpac_status st = CLPAC_OK;
	clpac__relief *place = NULL;
	unsigned n = 0;
	pthread_mutex_lock(&pool->lock);
	if (step != CLPAC_LADDER_EVICT && step != CLPAC_LADDER_CALLBACK)
		FAIL(CLPAC_ERROR_ARGUMENT, "relief: step \"%s\" asks nobody; give evict or callback",
		     clpac_ladder_text(step));
	for (unsigned i = 0; i < 2 * CLPAC__MAX_LISTENERS; i++) {
		clpac__relief *relief = &pool->reliefs[i];
		n += relief->function && relief->step == step;
		if (!relief->function && !place)
			place = relief;
	}
	if (n == CLPAC__MAX_LISTENERS)
		FAIL(CLPAC_ERROR_ARGUMENT, "relief: the pool has %u functions for step \"%s\" already", n,
		     clpac_ladder_text(step));
	*place = (clpac__relief){step, function, user};
done:
	pthread_mutex_unlock(&pool->lock);
	return st;
}

void clpac_pool_remove_relief(clpac_pool *pool, clpac_ladder_step step, clpac_relief_function *function, void *user)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	for (unsigned i = 0; i < 2 * CLPAC__MAX_LISTENERS; i++)
		if (pool->reliefs[i].step == step && pool->reliefs[i].function == function &&
		    pool->reliefs[i].user == user)
			pool->reliefs[i] = (clpac__relief){0};
	pthread_mutex_unlock(&pool->lock);
}

/* The pool that this thread is asking for relief: a function that allocates meanwhile must not be asked again. */
static _Thread_local const clpac_pool *asking;

uint64_t clpac__pool_ask_relief(clpac_pool *pool, clpac_ladder_step step, uint64_t bytes)
{
	clpac__relief reliefs[2 * CLPAC__MAX_LISTENERS];
	uint64_t released = 0;
	if (asking == pool)
		return 0;
	pthread_mutex_lock(&pool->lock);
	for (unsigned i = 0; i < 2 * CLPAC__MAX_LISTENERS; i++)
		reliefs[i] = pool->reliefs[i];
	pthread_mutex_unlock(&pool->lock);
	const clpac_pool *outer = asking;
	asking = pool;
	for (unsigned i = 0; i < 2 * CLPAC__MAX_LISTENERS && released < bytes; i++)
		if (reliefs[i].function && reliefs[i].step == step)
			released += reliefs[i].function(reliefs[i].user, pool, bytes - released);
	asking = outer;
	return released;
}
