/* Loading a missing entry once: the first thread enters the key as loading and calls the loader; the others wait until
 * the key is settled or gone.
 */
#include "memory/store/store_parts.h"

#include <string.h>
#include <clpac/memory/buffer.h>
#include "memory/pool/pool.h"

/* True when the entry was made from the wanted file in its present state. */
static bool is_fresh(const clpac_entry *entry, const clpac_metadata *wanted)
{
	const clpac_metadata *has = &entry->body->metadata;
	return !wanted || !wanted->file ||
	       (has->file_bytes == wanted->file_bytes && has->file_time_ns == wanted->file_time_ns &&
		strcmp(has->file, wanted->file) == 0);
}

/* Obtains the loader's buffer and its room in the store, or neither. */
static clpac_status load_buffer(clpac_entry *entry, const clpac_metadata *wanted, clpac_load_function *load, void *user,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	static const clpac_metadata none;
	clpac_store *store = entry->body->store;
	clpac_metadata metadata = wanted ? *wanted : none;
	clpac_buffer *buffer = NULL;
	unsigned pool;
	bool has_room = false, is_owned = false;
	TRY(load(user, store, entry->key, &metadata, &buffer, err));
	if (!buffer)
		FAIL(CLPAC_ERROR_ARGUMENT, "the loader of key \"%s\" made no buffer but returned CLPAC_OK", entry->key);
	TRY(clpac__store_pool_number(store, buffer, entry->key, &pool, err));
	TRY(clpac__entry_describe(entry, &metadata, err));
	TRY(clpac__entry_set_buffer(entry, buffer, pool, err));
	is_owned = true;
	TRY(clpac__store_make_room(store, CLPAC__ROOM_DEVICE, entry->body->bytes, err));
	has_room = true;
	TRY(clpac__store_make_room(store, CLPAC__ROOM_ENTRIES, 1, err));
	buffer = NULL;
done:
	if (buffer && has_room)
		clpac__store_release_room(store, CLPAC__ROOM_DEVICE, entry->body->bytes);
	if (buffer && is_owned)
		clpac__entry_return_buffer(entry);
	/* One that was released before, or is another key's, is not the loader's to give. */
	if (clpac__buffer_is_live(buffer) && clpac__buffer_check_release(buffer, NULL) == CLPAC_OK)
		clpac_buffer_release(buffer);
	return st;
}

/* Loads an entry that is in the table as loading.  On success the caller holds it; otherwise it is gone. */
static clpac_status load_entry(clpac_entry *entry, const clpac_metadata *wanted, clpac_load_function *load, void *user,
			       clpac_error *err)
{
	clpac_store *store = entry->body->store;
	clpac__shard *shard = entry->body->shard;
	clpac_status st = load_buffer(entry, wanted, load, user, err);
	uint64_t bytes = entry->body->bytes;

	pthread_mutex_lock(&shard->lock);
	if (st == CLPAC_OK) {
		clpac__entry_refer(entry);
		clpac__entry_touch(store, entry);
		clpac__entry_settle(entry);
	} else {
		clpac__shard_remove(shard, entry);
		pthread_cond_broadcast(&shard->settled);
	}
	pthread_mutex_unlock(&shard->lock);

	clpac__store_count(store, &store->counts.loads, 1);
	if (st == CLPAC_OK) {
		clpac__store_count(store, &store->counts.loaded_bytes, bytes);
		clpac__store_count(store, &store->counts.puts, 1);
	} else {
		clpac__store_count(store, &store->counts.load_failures, 1);
		clpac__entry_free(entry);
	}
	return st;
}

/* Called with the shard locked: enters the key as loading in place of a stale entry (NULL: none), and unlocks the
 * shard. */
static void enter(clpac_entry *made, clpac_entry *stale)
{
	clpac_store *store = made->body->store;
	bool is_to_discard = stale && clpac__entry_take_out(stale);
	made->body->shard->misses++;
	clpac__shard_insert(made->body->shard, made);
	pthread_mutex_unlock(&made->body->shard->lock);
	if (stale) {
		clpac__store_release_room(store, CLPAC__ROOM_ENTRIES, 1);
		clpac__store_count(store, &store->counts.replaced, 1);
	}
	if (is_to_discard)
		clpac__entry_discard(stale);
}

clpac_status clpac_store_fetch(clpac_store *store, const char *text, const clpac_metadata *metadata,
			       clpac_load_function *load, void *user, clpac_entry **out, clpac_error *err)
{
	NEED(store);
	NEED_AS(text, "key");
	NEED(load, out);
	NEED_HERE(store);
	clpac_status st = CLPAC_OK;
	clpac__key key;
	clpac_entry *made = NULL, *entry = NULL;
	TRY(clpac__key_make(store, text, &key, err));
	for (bool has_left = true; has_left;) {
		pthread_mutex_lock(&key.shard->lock);
		st = clpac__shard_find_settled(key.shard, &key, &entry, err);
		bool is_there = st == CLPAC_OK && entry && is_fresh(entry, metadata);
		if (is_there) {
			TRY(clpac__store_bring(entry, key.shard, &has_left, err)); /* unlocks the shard */
			continue;
		}
		if (st == CLPAC_OK && made && !clpac__shard_reserve(key.shard, 1))
			st = clpac__fail(err, CLPAC_ERROR_NO_MEMORY,
					 "the host has no memory left for the table of a store");
		if (st == CLPAC_OK && made) {
			enter(made, entry); /* unlocks the shard */
			entry = made, made = NULL;
			TRY(load_entry(entry, metadata, load, user, err));
			break;
		}
		pthread_mutex_unlock(&key.shard->lock);
		TRY(st);
		TRY(clpac__entry_create(store, &key, metadata, &made, err));
	}
	*out = entry;
done:
	clpac__entry_free(made);
	return st;
}
