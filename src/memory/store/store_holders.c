/* Holders of a store: its owner, entries, and scopes.  The last of them ends it. */
#include "memory/store/store_parts.h"

#include "base/memory.h"
#include "memory/pool/pool.h"

static void end(clpac_store *store)
{
	for (unsigned i = 0; i < CLPAC__SHARDS; i++) {
		clpac__shard *shard = &store->shards[i];
		clpac__free(shard->slots);
		clpac__shard_free_pages(shard);
		pthread_cond_destroy(&shard->settled);
		pthread_mutex_destroy(&shard->lock);
	}
	clpac__spill_folder_destroy(store->folder);
	pthread_cond_destroy(&store->freed);
	pthread_mutex_destroy(&store->lock);
	for (unsigned i = 0; i < atomic_load(&store->n_pools); i++)
		clpac__pool_let_go(store->pools[i]);
	clpac__free_pages(store);
}

void clpac__store_hold(clpac_store *store)
{
	atomic_fetch_add(&store->n_holders, 1);
}

void clpac__store_let_go(clpac_store *store)
{
	if (atomic_fetch_sub(&store->n_holders, 1) == 1)
		end(store);
}
