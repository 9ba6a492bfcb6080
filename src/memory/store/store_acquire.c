/* Finding entries.  An entry on its device gets a reference and a time stamp; any other is brought back. */
#include "memory/store/store_parts.h"

#include <clpac/memory/buffer.h>

#include "base/memory.h"
#include "memory/pool/pool.h"

/* A place for the entry's content on its device: room in the store and a buffer of the pool.  Both may call back. */
static clpac_status prepare_buffer(clpac_entry *entry, clpac_buffer **out, clpac_error *err)
{
	clpac_store *store = entry->body->store;
	clpac_status st = clpac__store_make_room(store, CLPAC__ROOM_DEVICE, entry->body->bytes, err);
	RETURN_IF_ERROR(st);
	st = clpac_pool_allocate(store->pools[entry->body->pool], entry->body->bytes, "store", out, err);
	if (st != CLPAC_OK)
		clpac__store_release_room(store, CLPAC__ROOM_DEVICE, entry->body->bytes);
	return st;
}

static void give_buffer_back(clpac_entry *entry, clpac_buffer *buffer)
{
	clpac_buffer_release(buffer);
	clpac__store_release_room(entry->body->store, CLPAC__ROOM_DEVICE, entry->body->bytes);
}

/* Copies the content of an entry that this thread is moving into the buffer, and settles the entry. */
static clpac_status restore(clpac_entry *entry, clpac_buffer *buffer, clpac_error *err)
{
	clpac_store *store = entry->body->store;
	clpac__shard *shard = entry->body->shard;
	clpac__content old = entry->body->content, new = {.place = CLPAC_ON_DEVICE, .buffer = buffer};
	size_t bytes = entry->body->bytes;
	clpac_status st = clpac__content_copy(&old, store->folder, entry->key, &new, err);
	if (st == CLPAC_OK)
		st = clpac__buffer_own(buffer, entry->key, err);

	pthread_mutex_lock(&shard->lock);
	if (st == CLPAC_OK) {
		entry->body->content = new;
		atomic_store_explicit(&entry->buffer, buffer, memory_order_release);
		shard->hits++;
	}
	clpac__entry_settle(entry);
	pthread_mutex_unlock(&shard->lock);

	if (st == CLPAC_OK) {
		enum clpac__room room = (enum clpac__room)old.place;
		clpac__content_discard(&old, store->folder);
		clpac__store_release_room(store, room, bytes);
		clpac__store_count(store, &store->counts.restores, 1);
		clpac__store_count(store, &store->counts.restored_bytes, bytes);
	} else {
		give_buffer_back(entry, buffer);
		clpac__store_count(store, &store->counts.spill_failures, 1);
	}
	return st;
}

clpac_status clpac__store_bring(clpac_entry *entry, clpac__shard *shard, bool *has_left, clpac_error *err)
{
	clpac_buffer *buffer = NULL;
	*has_left = false;
	clpac__entry_refer(entry);
	clpac__entry_touch(shard->store, entry);
	if (atomic_load_explicit(&entry->buffer, memory_order_relaxed)) {
		shard->hits++;
		pthread_mutex_unlock(&shard->lock);
		return CLPAC_OK;
	}
	pthread_mutex_unlock(&shard->lock);

	clpac_status st = prepare_buffer(entry, &buffer, err);
	if (st != CLPAC_OK) {
		clpac_entry_release(entry);
		return st;
	}
	pthread_mutex_lock(&shard->lock);
	while (entry->state != CLPAC__ENTRY_SETTLED)
		pthread_cond_wait(&shard->settled, &shard->lock);
	*has_left = atomic_load_explicit(&entry->holds, memory_order_relaxed) & CLPAC__HOLDS_GONE;
	bool is_there = entry->body->content.place == CLPAC_ON_DEVICE;
	bool is_mine = !*has_left && !is_there;
	if (is_mine)
		clpac__entry_begin_move(entry);
	else if (!*has_left)
		shard->hits++;
	pthread_mutex_unlock(&shard->lock);

	if (is_mine)
		st = restore(entry, buffer, err);
	else
		give_buffer_back(entry, buffer);
	if (*has_left || st != CLPAC_OK)
		clpac_entry_release(entry);
	return st;
}

static clpac_status no_such_entry(clpac_error *err, const char *text)
{
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "there is no entry \"%s\"", text);
}

/* Fast path of clpac__shard_find_settled and clpac__store_bring, for an entry settled on its device: the usual case. */
static clpac_entry *acquire_fast(clpac_store *store, const clpac__key *key)
{
	clpac__shard *shard = key->shard;
	clpac__shard_expect(shard, key);
	pthread_mutex_lock(&shard->lock);
	clpac_entry *entry = clpac__shard_find(shard, key);
	if (entry &&
	    (entry->state != CLPAC__ENTRY_SETTLED || !atomic_load_explicit(&entry->buffer, memory_order_relaxed)))
		entry = NULL;
	if (entry) {
		clpac__entry_refer(entry);
		clpac__entry_touch(store, entry);
		shard->hits++;
	}
	pthread_mutex_unlock(&shard->lock);
	return entry;
}

clpac_status clpac_store_acquire(clpac_store *store, const char *text, clpac_entry **out, clpac_error *err)
{
	NEED(store);
	NEED_AS(text, "key");
	NEED(out);
	NEED_HERE(store);
	clpac_status st = CLPAC_OK;
	clpac__key key;
	RETURN_IF_ERROR(clpac__key_make(store, text, &key, err));
	clpac_entry *found = acquire_fast(store, &key);
	if (found) {
		*out = found;
		return st;
	}
	for (bool has_left = true; has_left;) {
		clpac_entry *entry = NULL;
		pthread_mutex_lock(&key.shard->lock);
		st = clpac__shard_find_settled(key.shard, &key, &entry, err);
		if (st == CLPAC_OK && !entry) {
			key.shard->misses++;
			st = no_such_entry(err, text);
		}
		if (st != CLPAC_OK) {
			pthread_mutex_unlock(&key.shard->lock);
			return st;
		}
		RETURN_IF_ERROR(clpac__store_bring(entry, key.shard, &has_left, err));
		if (!has_left)
			*out = entry;
	}
	return st;
}

clpac_status clpac_store_acquire_batch(clpac_store *store, size_t n, const char *const *keys, clpac_entry **out,
				       clpac_error *err)
{
	NEED(store);
	NEED_AS(keys || !n, "keys");
	NEED_AS(out || !n, "out");
	NEED_HERE(store);
	clpac_status st = CLPAC_OK;
	clpac_entry **made = clpac__alloc_array(n, sizeof *made);
	if (!made)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a list of %zu entries", n);
	for (size_t i = 0; i < n; i++)
		TRY(clpac_store_acquire(store, keys[i], &made[i], err));
	for (size_t i = 0; i < n; i++) {
		out[i] = made[i];
		made[i] = NULL;
	}
done:
	if (made)
		clpac_entry_release_batch(made, n);
	clpac__free(made);
	return st;
}

clpac_status clpac_store_look(clpac_store *store, const char *text, clpac_entry **out, clpac_error *err)
{
	NEED(store);
	NEED_AS(text, "key");
	NEED(out);
	NEED_HERE(store);
	clpac_status st = CLPAC_OK;
	clpac__key key;
	clpac_entry *entry = NULL;
	RETURN_IF_ERROR(clpac__key_make(store, text, &key, err));
	pthread_mutex_lock(&key.shard->lock);
	st = clpac__shard_find_settled(key.shard, &key, &entry, err);
	if (st == CLPAC_OK) {
		key.shard->hits += entry != NULL;
		key.shard->misses += entry == NULL;
		if (entry)
			clpac__entry_refer(entry);
		else
			st = no_such_entry(err, text);
	}
	pthread_mutex_unlock(&key.shard->lock);
	if (st == CLPAC_OK)
		*out = entry;
	return st;
}

clpac_status clpac_store_get(clpac_store *store, const char *text, size_t offset, size_t bytes, void *target,
			     clpac_error *err)
{
	NEED(store);
	NEED_AS(text, "key");
	NEED_AS(target || !bytes, "target");
	NEED_HERE(store);
	clpac_status st = CLPAC_OK;
	clpac_entry *entry = NULL;
	bool is_moving = false;
	TRY(clpac_store_look(store, text, &entry, err));
	if (offset > entry->body->bytes || bytes > entry->body->bytes - offset)
		FAIL(CLPAC_ERROR_ARGUMENT, "%zu bytes from byte %zu on are not in entry \"%s\" of %zu bytes", bytes,
		     offset, text, entry->body->bytes);

	/* On the device the reference keeps the content in place; elsewhere another thread that acquires the entry
	 * would move it. */
	clpac__shard *shard = entry->body->shard;
	pthread_mutex_lock(&shard->lock);
	while (entry->state != CLPAC__ENTRY_SETTLED)
		pthread_cond_wait(&shard->settled, &shard->lock);
	clpac__entry_touch(store, entry);
	clpac__content content = entry->body->content;
	bool is_in_table = !(atomic_load_explicit(&entry->holds, memory_order_relaxed) & CLPAC__HOLDS_GONE);
	is_moving = content.place != CLPAC_ON_DEVICE && is_in_table;
	if (is_moving)
		clpac__entry_begin_move(entry);
	pthread_mutex_unlock(&shard->lock);

	if (bytes)
		st = clpac__content_read(&content, store->folder, text, offset, bytes, target, err);
	if (is_moving) {
		pthread_mutex_lock(&shard->lock);
		clpac__entry_settle(entry);
		pthread_mutex_unlock(&shard->lock);
	}
done:
	clpac_entry_release(entry);
	return st;
}
