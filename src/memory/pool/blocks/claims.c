/* Claims of buffers: nobody else uses a claimed one, so that its block may change. */
#include "memory/pool/blocks/blocks.h"

uint64_t clpac__use_wait_for_move(const clpac_buffer *buffer)
{
	clpac_pool *pool = buffer->pool;
	uint64_t uses;
	pthread_mutex_lock(&pool->lock);
	while ((uses = atomic_load(&buffer->uses)) & CLPAC__USE_MOVING)
		pthread_cond_wait(&pool->settled, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	return uses;
}

bool clpac__use_defer_release(clpac_buffer *buffer)
{
	uint64_t uses = atomic_load(&buffer->uses);
	do {
		if (uses & CLPAC__USE_MOVING)
			uses = clpac__use_wait_for_move(buffer);
		if (!uses)
			return false;
		buffer->tag =
			"released while in use"; /* for what the last use finds: the owner's may be gone by then */
	} while (!atomic_compare_exchange_weak(&buffer->uses, &uses, uses | CLPAC__USE_RELEASED));
	return true;
}

bool clpac__use_claim(clpac_buffer *buffer)
{
	uint64_t none = 0;
	if (!atomic_compare_exchange_strong(&buffer->uses, &none, CLPAC__USE_MOVING))
		return false;
	/* A cached block's; a new owner who sees the claim waits for the pool's lock. */
	if (atomic_load(&buffer->is_in_use))
		return true;
	atomic_store(&buffer->uses, 0);
	return false;
}

void clpac__use_unclaim(clpac_pool *pool, clpac_buffer *buffer)
{
	atomic_store(&buffer->uses, 0);
	pthread_cond_broadcast(&pool->settled);
}

void clpac__uses_settle(clpac_pool *pool)
{
	clpac_buffer *claimed = NULL;
	for (clpac_buffer *buffer = pool->handles; buffer; buffer = buffer->next)
		if (atomic_load(&buffer->is_in_use) && buffer->pending && clpac__use_claim(buffer)) {
			buffer->below = claimed;
			claimed = buffer;
		}
	if (!claimed)
		return;
	pthread_mutex_unlock(&pool->lock);
	for (clpac_buffer *buffer = claimed; buffer; buffer = buffer->below)
		clpac__hazards_poll(pool, buffer);
	pthread_mutex_lock(&pool->lock);
	while (claimed) {
		clpac_buffer *buffer = claimed;
		claimed = buffer->below;
		buffer->below = NULL;
		clpac__use_unclaim(pool, buffer);
	}
}
