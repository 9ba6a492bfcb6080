/* Eviction: the least recently used entry that nobody holds or pins moves one place down, or leaves.
 *
 * Order of steps: room in the lower place is made first, for the candidate's bytes.  Then the candidate is taken out,
 * under its shard's lock, so that nobody finds it any more.  Then it is moved and its buffer released without a lock.
 * Then the callback is called.  So nobody is called back while this thread is moving an entry.
 */
#include "memory/store/store_parts.h"

#include <inttypes.h>
#include <clpac/memory/buffer.h>

/* The orders of use that hold the consumers of one kind of room. */
struct range {
	unsigned first, end;
};

static struct range orders_of(clpac_store *store, enum clpac__room room, const clpac_pool *pool)
{
	unsigned n_pools = atomic_load_explicit(&store->n_pools, memory_order_acquire);
	if (room == CLPAC__ROOM_HOST)
		return (struct range){CLPAC__ORDER_HOST, CLPAC__ORDER_HOST + 1};
	if (room == CLPAC__ROOM_FILE)
		return (struct range){CLPAC__ORDER_FILE, CLPAC__ORDER_FILE + 1};
	if (room == CLPAC__ROOM_ENTRIES)
		return (struct range){0, CLPAC__ORDERS};
	for (unsigned i = 0; pool && i < n_pools; i++)
		if (store->pools[i] == pool)
			return (struct range){i, i + 1};
	return (struct range){0, pool ? 0 : n_pools};
}

struct candidate {
	clpac__shard *shard; /* NULL: no candidate */
	unsigned order;
	uint64_t stamp;
	size_t bytes;
	const clpac__offer *offer; /* this entry, or none; NULL: the oldest of its shard */
};

static struct candidate find_candidate(clpac_store *store, struct range orders)
{
	struct candidate best = {0};
	for (unsigned i = 0; i < CLPAC__SHARDS; i++) {
		clpac__shard *shard = &store->shards[i];
		pthread_mutex_lock(&shard->lock);
		for (unsigned order = orders.first; order < orders.end; order++) {
			clpac_entry *entry = shard->orders[order].top ? clpac__shard_oldest(shard, order) : NULL;
			if (entry && (!best.shard || entry->stamp < best.stamp))
				best = (struct candidate){shard, order, entry->stamp, entry->body->bytes, NULL};
		}
		pthread_mutex_unlock(&shard->lock);
	}
	return best;
}

/* Makes room for that many bytes in a lower place.  CLPAC_STORE_PLACES: there is none, so the entry is to be
 * dropped. */
static clpac_status find_target(clpac_store *store, enum clpac__room room, size_t bytes, clpac_store_place *out,
				clpac_error *err)
{
	*out = CLPAC_STORE_PLACES;
	for (unsigned below = (unsigned)room + 1; below < CLPAC_STORE_PLACES; below++) {
		if (bytes > store->limits[below])
			continue;
		clpac_error why = {0};
		clpac_status st = clpac__store_make_room(store, (enum clpac__room)below, bytes, &why);
		if (st == CLPAC_OK) {
			*out = (clpac_store_place)below;
			break;
		}
		/* A lack of room below is no failure; an entry there that cannot be moved out is. */
		if (st != CLPAC_ERROR_NO_DEVICE_MEMORY) {
			if (err)
				*err = why;
			return st;
		}
	}
	return CLPAC_OK;
}

/* The shard of a hash, as clpac__key_make divides keys. */
static clpac__shard *shard_of(clpac_store *store, uint64_t hash)
{
	return &store->shards[hash >> (64 - CLPAC__SHARD_BITS)];
}

/* The record if it is in the table; otherwise it may be another entry's, or nobody's.  The shard's lock is held. */
static clpac_entry *find_record(const clpac__shard *shard, uint64_t hash, const void *record)
{
	const size_t mask = shard->n_slots - 1;
	for (size_t i = hash & mask; shard->n_slots && shard->slots[i].entry; i = (i + 1) & mask)
		if (shard->slots[i].entry == record)
			return shard->slots[i].entry;
	return NULL;
}

/* True when nobody holds or pins an entry, which then is not parked; else it is parked.  The shard's lock is held. */
static bool is_free(clpac_entry *entry)
{
	/* The flag is set before the count is read, as in clpac__shard_oldest. */
	const uint64_t holds = atomic_fetch_or_explicit(&entry->holds, CLPAC__HOLDS_PARKED, memory_order_acq_rel);
	if (!(holds & CLPAC__HOLDS_COUNT) && !entry->body->pins) {
		atomic_fetch_and_explicit(&entry->holds, ~CLPAC__HOLDS_PARKED, memory_order_relaxed);
		return true;
	}
	if (entry->body->node.is_in)
		clpac__order_remove(&entry->body->shard->orders[entry->body->pool], &entry->body->node);
	return false;
}

/* The entry of an offer if it still is in the table, on the device, and held by nobody.  The shard's lock is held. */
static clpac_entry *find_offered(clpac__shard *shard, const clpac__offer *offer)
{
	clpac_entry *entry = find_record(shard, offer->hash, offer->entry);
	if (!entry || entry->state != CLPAC__ENTRY_SETTLED || entry->body->content.place != CLPAC_ON_DEVICE ||
	    entry->body->content.buffer != offer->buffer)
		return NULL;
	return is_free(entry) ? entry : NULL;
}

/* Takes the candidate, which may be another entry by now; NULL: none, or one whose size differs from the one planned
 * for. */
static clpac_entry *take(const struct candidate *candidate, bool is_to_drop)
{
	clpac__shard *shard = candidate->shard;
	pthread_mutex_lock(&shard->lock);
	clpac_entry *entry =
		candidate->offer ? find_offered(shard, candidate->offer) : clpac__shard_oldest(shard, candidate->order);
	if (entry && entry->body->bytes == candidate->bytes) {
		if (is_to_drop)
			clpac__entry_take_out(entry);
		else
			clpac__entry_begin_move(entry);
		if (entry->body->content.place == CLPAC_ON_DEVICE)
			atomic_store_explicit(&entry->buffer, NULL, memory_order_release);
		clpac__store_leaving(entry->body->store, (enum clpac__room)entry->body->content.place, 1);
		if (is_to_drop)
			clpac__store_leaving(entry->body->store, CLPAC__ROOM_ENTRIES, 1);
	} else {
		entry = NULL;
	}
	pthread_mutex_unlock(&shard->lock);
	return entry;
}

static void add_released(const clpac__content *content, uint64_t *released)
{
	if (released && content->buffer && clpac_buffer_is_on_device(content->buffer))
		*released += clpac_buffer_class(content->buffer);
}

static void tell(clpac_entry *entry, clpac_eviction what)
{
	if (entry->body->store->evicted)
		entry->body->store->evicted(entry->body->store->user, entry->body->store, entry, what);
}

static void drop(clpac_entry *entry, uint64_t *released)
{
	clpac_store *store = entry->body->store;
	enum clpac__room room = (enum clpac__room)entry->body->content.place;
	add_released(&entry->body->content, released);
	clpac__content_discard(&entry->body->content, store->folder);
	clpac__store_release_room(store, room, entry->body->bytes);
	clpac__store_release_room(store, CLPAC__ROOM_ENTRIES, 1);
	clpac__store_leaving(store, room, -1);
	clpac__store_leaving(store, CLPAC__ROOM_ENTRIES, -1);
	clpac__store_count(store, &store->counts.evictions, 1);
	clpac__store_count(store, &store->counts.evicted_bytes, entry->body->bytes);
	tell(entry, CLPAC_DROPPED);
	clpac__entry_free(entry);
}

static clpac_status move_down(clpac_entry *entry, clpac_store_place target, uint64_t *released, clpac_error *err)
{
	clpac_store *store = entry->body->store;
	clpac__content old = entry->body->content, new = {.place = target};
	enum clpac__room room = (enum clpac__room)old.place;
	bool is_to_file = target == CLPAC_IN_FILE;
	clpac_status st = clpac__content_copy(&old, store->folder, entry->key, &new, err);

	pthread_mutex_lock(&entry->body->shard->lock);
	if (st == CLPAC_OK) {
		entry->body->content = new;
		clpac__entry_refer(entry); /* for the callback */
	} else {
		atomic_store_explicit(&entry->buffer, old.buffer, memory_order_release);
	}
	clpac__entry_settle(entry);
	pthread_mutex_unlock(&entry->body->shard->lock);

	if (st == CLPAC_OK) {
		size_t bytes = new.bytes;
		add_released(&old, released);
		clpac__content_discard(&old, store->folder);
		clpac__store_release_room(store, room, bytes);
		clpac__store_leaving(store, room, -1);
		clpac__store_count(store, is_to_file ? &store->counts.spills_to_file : &store->counts.spills_to_host,
				   1);
		clpac__store_count(store, &store->counts.spilled_bytes, bytes);
		tell(entry, is_to_file ? CLPAC_MOVED_TO_FILE : CLPAC_MOVED_TO_HOST);
		clpac_entry_release(entry);
	} else {
		clpac__store_release_room(store, (enum clpac__room)target, old.bytes);
		clpac__store_leaving(store, room, -1);
		clpac__store_count(store, &store->counts.spill_failures, 1);
	}
	return st;
}

/* Evicts the least recently used entry of one place (and of one pool unless NULL), or of any place for
 * CLPAC__ROOM_ENTRIES. *has_evicted is false when no entry can go.  *released (nullable) grows by the bytes given back
 * to the pool.  Calls back. */
static clpac_status store_evict_one(clpac_store *store, enum clpac__room room, const clpac_pool *pool,
				    bool *has_evicted, uint64_t *released, clpac_error *err)
{
	struct range orders = orders_of(store, room, pool);
	for (;;) {
		clpac_store_place target = CLPAC_STORE_PLACES;
		struct candidate candidate = find_candidate(store, orders);
		*has_evicted = candidate.shard;
		if (!candidate.shard)
			return CLPAC_OK;
		if (room < CLPAC__ROOM_ENTRIES) {
			clpac_status st = find_target(store, room, candidate.bytes, &target, err);
			RETURN_IF_ERROR(st);
		}
		bool is_to_drop = target == CLPAC_STORE_PLACES;
		clpac_entry *entry = take(&candidate, is_to_drop);
		if (entry && is_to_drop)
			drop(entry, released);
		else if (entry)
			return move_down(entry, target, released, err);
		else if (!is_to_drop)
			clpac__store_release_room(store, (enum clpac__room)target, candidate.bytes);
		if (entry)
			return CLPAC_OK;
	}
}

/* --- Room ---------------------------------------------------------------------------------------- */

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
	clpac__fail(err, CLPAC_ERROR_NO_DEVICE_MEMORY,
		    "no room for %" PRIu64 " bytes in a store of at most %" PRIu64 " on the %s: %" PRIu64
		    " are taken, and what could go is held or pinned; release entries or raise %s_bytes",
		    amount, store->limits[room], clpac_store_place_text((clpac_store_place)room), taken,
		    clpac_store_place_text((clpac_store_place)room));
	return clpac__of_bytes(err, CLPAC_ERROR_NO_DEVICE_MEMORY, amount, store->limits[room]);
}

clpac_status clpac__store_make_room(clpac_store *store, enum clpac__room room, uint64_t amount, clpac_error *err)
{
	if (amount > store->limits[room])
		return refuse(store, room, amount, err);
	while (!clpac__store_take_room(store, room, amount)) {
		bool has_evicted = false;
		clpac_status st = store_evict_one(store, room, NULL, &has_evicted, NULL, err);
		RETURN_IF_ERROR(st);
		if (!has_evicted && !clpac__store_await_room(store, room, amount))
			return refuse(store, room, amount, err);
	}
	return CLPAC_OK;
}

/* --- What the pool chooses -------------------------------------------------------------------- */

static uint64_t age_of(const clpac_store *store, const clpac_entry *entry)
{
	const uint64_t now = atomic_load_explicit(&store->clock, memory_order_relaxed);
	return now > entry->stamp ? now - entry->stamp : 0;
}

static void offer_oldest(clpac_store *store, const clpac_pool *pool, clpac__offers *offers)
{
	const struct candidate candidate = find_candidate(store, orders_of(store, CLPAC__ROOM_DEVICE, pool));
	if (!candidate.shard)
		return;
	pthread_mutex_lock(&candidate.shard->lock);
	clpac_entry *entry = clpac__shard_oldest(candidate.shard, candidate.order);
	if (entry)
		clpac__offers_add(offers, entry->body->content.buffer, entry, entry->body->hash, age_of(store, entry));
	pthread_mutex_unlock(&candidate.shard->lock);
}

static void offer(void *user, clpac_pool *pool, bool oldest_only, clpac__offers *offers)
{
	clpac_store *store = user;
	const struct range orders = orders_of(store, CLPAC__ROOM_DEVICE, pool);
	if (oldest_only) {
		clpac__store_count(store, &store->counts.reliefs, 1); /* each time the pool asks, it begins so */
		offer_oldest(store, pool, offers);
		return;
	}
	for (unsigned i = 0; i < CLPAC__SHARDS && orders.first < orders.end; i++) {
		clpac__shard *shard = &store->shards[i];
		pthread_mutex_lock(&shard->lock);
		for (size_t k = 0; k < shard->n_slots; k++) {
			clpac_entry *entry = shard->slots[k].entry;
			if (entry && entry->state == CLPAC__ENTRY_SETTLED && entry->body->pool == orders.first &&
			    entry->body->content.place == CLPAC_ON_DEVICE && !entry->body->pins &&
			    !(atomic_load_explicit(&entry->holds, memory_order_acquire) & CLPAC__HOLDS_COUNT))
				clpac__offers_add(offers, entry->body->content.buffer, entry, shard->slots[k].hash,
						  age_of(store, entry));
		}
		pthread_mutex_unlock(&shard->lock);
	}
}

static uint64_t evict_offered(void *user, clpac_pool *pool, const clpac__offer *offer)
{
	clpac_store *store = user;
	clpac_store_place target = CLPAC_STORE_PLACES;
	uint64_t released = 0;
	(void)pool;
	struct candidate candidate = {.shard = shard_of(store, offer->hash), .offer = offer};
	pthread_mutex_lock(&candidate.shard->lock);
	const clpac_entry *planned = find_offered(candidate.shard, offer);
	candidate.bytes = planned ? planned->body->bytes : 0;
	pthread_mutex_unlock(&candidate.shard->lock);
	/* An entry that cannot be moved stays: the ladder has other steps. */
	if (!planned || find_target(store, CLPAC__ROOM_DEVICE, candidate.bytes, &target, NULL) != CLPAC_OK)
		return 0;
	const bool is_to_drop = target == CLPAC_STORE_PLACES;
	clpac_entry *entry = take(&candidate, is_to_drop);
	if (entry && is_to_drop)
		drop(entry, &released);
	else if (entry)
		move_down(entry, target, &released, NULL);
	else if (!is_to_drop)
		clpac__store_release_room(store, (enum clpac__room)target, candidate.bytes);
	clpac__store_count(store, &store->counts.relieved_bytes, released);
	return released;
}

static void hold(void *user)
{
	clpac__store_hold(user);
}

static void let_go(void *user)
{
	clpac__store_let_go(user);
}

const clpac__reclaimer clpac__store_reclaimer = {offer, evict_offered, hold, let_go};

/* --- What the application asks for ------------------------------------------------------------ */

uint64_t clpac_store_evict(clpac_store *store, clpac_pool *pool, uint64_t bytes)
{
	if (!clpac__store_is_here(store) || !pool)
		return 0;
	uint64_t released = 0;
	bool has_evicted = true;
	/* An entry that cannot be moved stays, and so do all entries used after it: the ladder has other steps. */
	while (released < bytes && has_evicted)
		if (store_evict_one(store, CLPAC__ROOM_DEVICE, pool, &has_evicted, &released, NULL) != CLPAC_OK)
			break;
	return released;
}

uint64_t clpac__store_relieve(void *user, clpac_pool *pool, uint64_t bytes)
{
	clpac_store *store = user;
	uint64_t released = clpac_store_evict(store, pool, bytes);
	clpac__store_count(store, &store->counts.reliefs, 1);
	clpac__store_count(store, &store->counts.relieved_bytes, released);
	return released;
}
