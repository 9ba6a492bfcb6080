/* Creating and destroying a store, and its pools. */
#include "store/store_parts.h"

#include <string.h>
#include "base/memory.h"

static uint64_t or_no_limit(uint64_t limit)
{
	return limit ? limit : UINT64_MAX;
}

clpac_status clpac_store_create(clpac_pool *pool, const clpac_store_options *options, clpac_store **out,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	static const clpac_store_options defaults;
	options = options ? options : &defaults;
	clpac_store *made = NULL;
	if (!pool)
		FAIL(CLPAC_ERROR_ARGUMENT, "a store needs a pool");
	if (options->file_bytes && !options->folder)
		FAIL(CLPAC_ERROR_ARGUMENT, "file_bytes of a store are given, but no folder");
	made = clpac__alloc_pages(sizeof *made); /* shards are aligned to cache lines */
	if (!made)
		FAIL_NO_MEMORY(sizeof *made);
	memset(made, 0, sizeof *made);
	made->evicted = options->evicted;
	made->user = options->user;
	made->limits[CLPAC__ROOM_DEVICE] = or_no_limit(options->device_bytes);
	made->limits[CLPAC__ROOM_HOST] = options->host_bytes;
	made->limits[CLPAC__ROOM_FILE] = options->folder ? or_no_limit(options->file_bytes) : 0;
	made->limits[CLPAC__ROOM_ENTRIES] = or_no_limit(options->max_entries);
	/* These cannot fail with default attributes. */
	pthread_mutex_init(&made->lock, NULL);
	pthread_cond_init(&made->freed, NULL);
	for (unsigned i = 0; i < CLPAC__SHARDS; i++) {
		made->shards[i].store = made;
		pthread_mutex_init(&made->shards[i].lock, NULL);
		pthread_cond_init(&made->shards[i].settled, NULL);
	}
	if (options->folder)
		TRY(clpac__spill_folder_create(options->folder, &made->folder, err));
	TRY(clpac_store_add_pool(made, pool, err));
	*out = made;
	made = NULL;
done:
	clpac_store_destroy(made);
	return st;
}

void clpac_store_destroy(clpac_store *store)
{
	if (!store)
		return;
	for (unsigned i = 0; i < atomic_load(&store->n_pools); i++)
		clpac_pool_remove_relief(store->pools[i], CLPAC_LADDER_EVICT, clpac__store_relieve, store);
	for (unsigned i = 0; i < CLPAC__SHARDS; i++) {
		clpac__shard *shard = &store->shards[i];
		for (size_t k = 0; k < shard->n_slots; k++)
			if (shard->slots[k].entry)
				clpac__entry_discard(shard->slots[k].entry);
		clpac__free(shard->slots);
		clpac__shard_free_pages(shard);
		pthread_cond_destroy(&shard->settled);
		pthread_mutex_destroy(&shard->lock);
	}
	clpac__spill_folder_destroy(store->folder);
	pthread_cond_destroy(&store->freed);
	pthread_mutex_destroy(&store->lock);
	clpac__free_pages(store);
}

clpac_status clpac_store_add_pool(clpac_store *store, clpac_pool *pool, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool is_new = true;
	if (!pool)
		FAIL(CLPAC_ERROR_ARGUMENT, "the pool to add to a store is NULL");
	/* Held over the whole call, so that two threads cannot add the same pool twice; registering calls nobody
	 * back. */
	pthread_mutex_lock(&store->lock);
	unsigned n = atomic_load_explicit(&store->n_pools, memory_order_relaxed);
	for (unsigned i = 0; i < n; i++)
		is_new &= store->pools[i] != pool;
	if (is_new && n == CLPAC_MAX_STORE_POOLS)
		st = clpac__fail(err, CLPAC_ERROR_ARGUMENT, "a store has at most %d pools", CLPAC_MAX_STORE_POOLS);
	else if (is_new)
		st = clpac_pool_add_relief(pool, CLPAC_LADDER_EVICT, clpac__store_relieve, store, err);
	if (is_new && st == CLPAC_OK) {
		store->pools[n] = pool;
		atomic_store_explicit(&store->n_pools, n + 1, memory_order_release);
	}
	pthread_mutex_unlock(&store->lock);
done:
	return st;
}

clpac_pool *clpac_store_pool(const clpac_store *store)
{
	return store->pools[0];
}
