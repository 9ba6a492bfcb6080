/* Limits of a store: room that is taken, given back, and awaited from other threads that are about to free it. */
#include "memory/store/store_parts.h"

/* Called with the store's lock held. */
static bool fits(const clpac_store *store, enum clpac__room room, uint64_t amount)
{
	return store->taken[room] <= store->limits[room] && amount <= store->limits[room] - store->taken[room];
}

bool clpac__store_take_room(clpac_store *store, enum clpac__room room, uint64_t amount)
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

bool clpac__store_await_room(clpac_store *store, enum clpac__room room, uint64_t amount)
{
	pthread_mutex_lock(&store->lock);
	bool is_worth_it = fits(store, room, amount) || store->leaving[room];
	if (is_worth_it && !fits(store, room, amount))
		pthread_cond_wait(&store->freed, &store->lock);
	pthread_mutex_unlock(&store->lock);
	return is_worth_it;
}
