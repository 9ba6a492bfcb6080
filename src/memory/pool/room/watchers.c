/* Changes of pressure, which watchers are told; and a pool that holds much: caches shrink, and stores and the
 * application are asked to release memory. */
#include "memory/pool/room/room.h"

clpac_status clpac_pool_watch(clpac_pool *pool, clpac_pressure_function *function, void *user, clpac_error *err)
{
	NEED(pool, function);
	NEED_HERE(pool);
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
	if (!clpac__pool_is_here(pool))
		return;
	pthread_mutex_lock(&pool->lock);
	for (unsigned i = 0; i < CLPAC__MAX_LISTENERS; i++)
		if (pool->watchers[i].function == function && pool->watchers[i].user == user)
			pool->watchers[i] = (clpac__watcher){0};
	pthread_mutex_unlock(&pool->lock);
}

/* At High of what is held, cached memory goes back until the level is left or nothing is cached.  At Critical, stores
 * and the application are asked to release memory first. */
static void relieve(clpac_pool *pool, clpac_pressure level)
{
	const double leave_at = level == CLPAC_PRESSURE_CRITICAL ? 0.90 : 0.75;
	static const clpac_ladder_step asked[] = {CLPAC_LADDER_EVICT, CLPAC_LADDER_CALLBACK};
	uint64_t excess;
	for (unsigned i = 0; i <= 2 && (excess = clpac__ledger_excess(&pool->ledger, leave_at)); i++) {
		const uint64_t evicted = clpac__pool_evict(pool, excess);
		if (evicted >= excess || level != CLPAC_PRESSURE_CRITICAL || i == 2)
			break;
		pthread_mutex_unlock(&pool->lock);
		clpac__pool_ask_relief(pool, asked[i], excess - evicted, true);
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

/* Tells of this pool alone, not of those that share a limit with it. */
static void tell_own(clpac_pool *pool)
{
	clpac_pressure from, to;
	if (!atomic_load_explicit(&pool->has_news, memory_order_relaxed))
		return;
	pthread_mutex_lock(&pool->lock);
	/* One thread delivers at a time, so that watchers see the order; a change caused by a watcher is noted, and
	 * delivered after the present one. */
	for (clpac__pool_follow(pool); !pool->is_telling; clpac__pool_follow(pool)) {
		const bool is_pressure = clpac__levels_next(&pool->ledger.pressure, &from, &to);
		if (!is_pressure && !clpac__levels_next(&pool->ledger.held, &from, &to))
			break;
		pool->is_telling = true;
		if (is_pressure)
			tell_watchers(pool, from, to);
		else if (to > from && to >= CLPAC_PRESSURE_HIGH)
			relieve(pool, to);
		pool->is_telling = false;
	}
	pthread_mutex_unlock(&pool->lock);
}

/* Lets all pools of the tree follow a change of pressure of its limits. */
static void tell_siblings(clpac_pool *pool)
{
	enum { MOST_ROUNDS = 8 }; /* watchers may cause further changes; what is left is told the next time */
	clpac_limit *limit = pool->ledger.limit;
	for (int round = 0; round < MOST_ROUNDS && clpac__limit_take_news(limit); round++) {
		clpac_pool *siblings[CLPAC__MOST_SIBLINGS];
		const unsigned n = clpac__limit_siblings(clpac__limit_root(limit), NULL, siblings);
		for (unsigned i = 0; i < n; i++) {
			pthread_mutex_lock(&siblings[i]->lock);
			clpac__pool_follow(siblings[i]);
			pthread_mutex_unlock(&siblings[i]->lock);
			tell_own(siblings[i]);
		}
		clpac__siblings_let_go(siblings, n);
	}
}

void clpac__pool_tell(clpac_pool *pool)
{
	tell_own(pool);
	if (clpac__limit_has_news(pool->ledger.limit))
		tell_siblings(pool);
}
