/* Creating and destroying a store, and its pools. */
#include "memory/store/store_parts.h"

#include <string.h>
#include "base/memory.h"
#include "memory/pool/pool.h"
#include "base/sized.h"

static const uint64_t LONGEST_HALF_LIFE = (uint64_t)1
					  << 40; /* its product with the logarithm of a count fits a stamp */

static uint64_t or_no_limit(uint64_t limit)
{
	return limit ? limit : UINT64_MAX;
}

clpac_status clpac_store_create(clpac_pool *pool, const clpac_store_options *given, clpac_store **out, clpac_error *err)
{
	NEED(pool, out);
	NEED_POOL_HERE(pool);
	clpac_status st = CLPAC_OK;
	clpac_store_options own, *options = &own;
	clpac_store *made = NULL;
	TRY(clpac__take_sized(&own, given, clpac_store_options, err));
	if (options->file_bytes && !options->folder)
		FAIL(CLPAC_ERROR_ARGUMENT, "file_bytes of a store are given, but no folder");
	if (options->frequency_half_life > LONGEST_HALF_LIFE)
		FAIL(CLPAC_ERROR_ARGUMENT, "frequency_half_life of a store is %llu: it must be from 0 to %llu",
		     (unsigned long long)options->frequency_half_life, (unsigned long long)LONGEST_HALF_LIFE);
	made = clpac__alloc_pages(sizeof *made); /* shards are aligned to cache lines */
	if (!made)
		FAIL_NO_MEMORY(sizeof *made);
	memset(made, 0, sizeof *made);
	made->process = clpac__process;
	atomic_init(&made->n_holders, 1);
	made->evicted = options->evicted;
	made->user = options->user;
	made->half_life = options->frequency_half_life;
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
	*out = made, made = NULL;
done:
	clpac_store_destroy(made);
	return st;
}

/* Takes all out of the table; an entry that somebody holds is discarded by whoever gives the last reference back. */
static void empty(clpac__shard *shard)
{
	clpac_entry *chain = NULL;
	pthread_mutex_lock(&shard->lock);
	for (size_t k = 0; k < shard->n_slots; k++)
		while (shard->slots[k].entry) { /* taking one out moves the next one up */
			clpac_entry *entry = shard->slots[k].entry;
			if (clpac__entry_take_out(entry)) {
				entry->body->next = chain;
				chain = entry;
			}
		}
	pthread_mutex_unlock(&shard->lock);
	clpac__entries_discard(chain);
}

void clpac_store_destroy(clpac_store *store)
{
	if (!clpac__store_is_here(store))
		return;
	for (unsigned i = 0; i < atomic_load(&store->n_pools); i++)
		clpac_pool_remove_relief(store->pools[i], CLPAC_LADDER_EVICT, clpac__store_relieve, store);
	for (unsigned i = 0; i < CLPAC__SHARDS; i++)
		empty(&store->shards[i]);
	clpac__store_let_go(store);
}

clpac_status clpac_store_add_pool(clpac_store *store, clpac_pool *pool, clpac_error *err)
{
	NEED(store, pool);
	NEED_HERE(store);
	NEED_POOL_HERE(pool);
	clpac_status st = CLPAC_OK;
	bool is_new = true;
	/* Held over the whole call, so that two threads cannot add the same pool twice; registering calls nobody
	 * back. */
	pthread_mutex_lock(&store->lock);
	unsigned n = atomic_load_explicit(&store->n_pools, memory_order_relaxed);
	for (unsigned i = 0; i < n; i++)
		is_new &= store->pools[i] != pool;
	if (is_new && n == CLPAC_MAX_STORE_POOLS)
		st = clpac__fail(err, CLPAC_ERROR_ARGUMENT, "a store has at most %d pools", CLPAC_MAX_STORE_POOLS);
	else if (is_new)
		st = clpac__pool_add_reclaimer(pool, &clpac__store_reclaimer, clpac__store_relieve, store, err);
	if (is_new && st == CLPAC_OK) {
		store->pools[n] = pool;
		clpac__pool_hold(pool);
		atomic_store_explicit(&store->n_pools, n + 1, memory_order_release);
	}
	pthread_mutex_unlock(&store->lock);
	return st;
}

clpac_pool *clpac_store_pool(const clpac_store *store)
{
	return store ? store->pools[0] : NULL;
}
