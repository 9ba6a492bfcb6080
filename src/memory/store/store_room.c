/* Limits of a store: room for entries, and waiting for room that other threads are about to free. */
#include "memory/store/store_parts.h"

#include <inttypes.h>

/* Called with the store's lock held. */
static bool fits(const clpac_store *store, enum clpac__room room, uint64_t amount)
{
	return store->taken[room] <= store->limits[room] && amount <= store->limits[room] - store->taken[room];
}

static bool take(clpac_store *store, enum clpac__room room, uint64_t amount)
{
	pthread_mutex_lock(&store->lock);
	bool is_taken = fits(store, room, amount);
	if (is_taken) {
		store->taken[room] += amount;
		if (store->peaks[room] < store->taken[room])
			store->peaks[room] = store->taken[room];
	}
	pthread_mutex_unlock(&store->lock);
	return is_taken;
}

void clpac__store_release_room(clpac_store *store, enum clpac__room room, uint64_t amount)
{
	pthread_mutex_lock(&store->lock);
	store->taken[room] -= amount;
	pthread_cond_broadcast(&store->freed);
	pthread_mutex_unlock(&store->lock);
}

void clpac__store_leaving(clpac_store *store, enum clpac__room room, int change)
{
	pthread_mutex_lock(&store->lock);
	if (change > 0)
		store->leaving[room]++;
	else
		store->leaving[room]--;
	pthread_cond_broadcast(&store->freed);
	pthread_mutex_unlock(&store->lock);
}

void clpac__store_count(clpac_store *store, uint64_t *count, uint64_t n)
{
	pthread_mutex_lock(&store->lock);
	*count += n;
	pthread_mutex_unlock(&store->lock);
}

/* Called when nothing can be evicted.  Waits for entries that other threads are moving out; true when trying again
 * makes sense. */
static bool await_room(clpac_store *store, enum clpac__room room, uint64_t amount)
{
	pthread_mutex_lock(&store->lock);
	bool is_worth_it = fits(store, room, amount) || store->leaving[room];
	if (is_worth_it && !fits(store, room, amount))
		pthread_cond_wait(&store->freed, &store->lock);
	pthread_mutex_unlock(&store->lock);
	return is_worth_it;
}

static clpac_status refuse(clpac_store *store, enum clpac__room room, uint64_t amount, clpac_error *err)
{
	pthread_mutex_lock(&store->lock);
	uint64_t taken = store->taken[room];
	pthread_mutex_unlock(&store->lock);
	if (room == CLPAC__ROOM_ENTRIES)
		return clpac__fail(err, CLPAC_ERROR_NO_DEVICE_MEMORY,
				   "no room for %" PRIu64 " more entries in a store of at most %" PRIu64
				   ": it has %" PRIu64
				   ", and those that could go are held or pinned; release some or raise max_entries",
				   amount, store->limits[room], taken);
	return clpac__fail(err, CLPAC_ERROR_NO_DEVICE_MEMORY,
			   "no room for %" PRIu64 " bytes in a store of at most %" PRIu64 " on the %s: %" PRIu64
			   " are taken, and what could go is held or pinned; release entries or raise %s_bytes",
			   amount, store->limits[room], clpac_store_place_text((clpac_store_place)room), taken,
			   clpac_store_place_text((clpac_store_place)room));
}

clpac_status clpac__store_make_room(clpac_store *store, enum clpac__room room, uint64_t amount, clpac_error *err)
{
	if (amount > store->limits[room])
		return refuse(store, room, amount, err);
	while (!take(store, room, amount)) {
		bool has_evicted = false;
		clpac_status st = clpac__store_evict_one(store, room, NULL, &has_evicted, NULL, err);
		if (st != CLPAC_OK)
			return st;
		if (!has_evicted && !await_room(store, room, amount))
			return refuse(store, room, amount, err);
	}
	return CLPAC_OK;
}
