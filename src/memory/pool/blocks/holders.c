/* Holders of a pool: its owner, and what was made on it.  The last of them ends it, in the way that the pool was given
 * when it was made. */
#include "memory/pool/blocks/blocks.h"

clpac_status clpac__pool_need_here(const clpac_pool *pool, const char *function, clpac_error *err)
{
	return clpac__is_foreign(pool->process) ? clpac__forked_fail(err, function, "pool") : CLPAC_OK;
}

bool clpac__pool_is_over(clpac_pool *pool)
{
	return !pool->n_holders && clpac__magazines_are_idle(pool);
}

void clpac__pool_hold(clpac_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->n_holders++;
	pthread_mutex_unlock(&pool->lock);
}

bool clpac__pool_try_hold(clpac_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	const bool is_over = clpac__pool_is_over(pool);
	pool->n_holders += !is_over;
	pthread_mutex_unlock(&pool->lock);
	return !is_over;
}

void clpac__pool_let_go(clpac_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->n_holders--;
	const bool is_over = clpac__pool_is_over(pool);
	pthread_mutex_unlock(&pool->lock);
	if (is_over)
		pool->end(pool);
}
