/* Putting a batch: all entries are made first, then the room; then all enter the table together, with every affected
 * shard locked.
 */
#include "memory/store/store_parts.h"

#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/pool.h>
#include "base/memory.h"

struct batch {
	clpac_store *store;
	size_t n;
	clpac_entry **entries; /* NULL once the table owns it */
	clpac__key *keys;
	clpac_put mode;
	bool touched[CLPAC__SHARDS];
	uint64_t rooms_needed[CLPAC__ROOMS], rooms_taken[CLPAC__ROOMS];
	clpac_entry *replaced; /* a chain of replaced entries that nobody holds */
	uint64_t n_replaced, n_put;
};

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static clpac_status check_twins(size_t n, const clpac_put_item *items, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const void **sorted;
	TRY(NEW_ARRAY(sorted, n));
	for (size_t i = 0; i < n; i++)
		sorted[i] = items[i].key;
	qsort(sorted, n, sizeof *sorted, compare_keys);
	for (size_t i = 1; i < n; i++)
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			FAIL(CLPAC_ERROR_ARGUMENT, "key \"%s\" occurs twice in one batch", (const char *)sorted[i]);
done:
	clpac__free(sorted);
	return st;
}

static clpac_status make_entries(struct batch *batch, const clpac_put_item *items, const clpac__arrays *arrays,
				 clpac_error *err)
{
	for (size_t i = 0; i < batch->n; i++) {
		unsigned pool;
		clpac__key *key = &batch->keys[i];
		RETURN_IF_ERROR(clpac__key_make(batch->store, items[i].key, key, err));
		if (!items[i].buffer)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "key \"%s\": the buffer to put is NULL", key->text);
		RETURN_IF_ERROR(clpac__store_pool_number(batch->store, items[i].buffer, key->text, &pool, err));
		RETURN_IF_ERROR(clpac__entry_create(batch->store, key, items[i].metadata, &batch->entries[i], err));
		if (arrays)
			RETURN_IF_ERROR(clpac__entry_set_arrays(batch->entries[i], &arrays[i],
								clpac_buffer_bytes(items[i].buffer), err));
		RETURN_IF_ERROR(clpac__entry_set_buffer(batch->entries[i], items[i].buffer, pool, err));
		batch->touched[key->shard - batch->store->shards] = true;
	}
	return CLPAC_OK;
}

static void lock_shards(struct batch *batch)
{
	for (unsigned i = 0; i < CLPAC__SHARDS; i++)
		if (batch->touched[i])
			pthread_mutex_lock(&batch->store->shards[i].lock);
}

static void unlock_shards(struct batch *batch)
{
	for (unsigned i = CLPAC__SHARDS; i-- > 0;)
		if (batch->touched[i])
			pthread_mutex_unlock(&batch->store->shards[i].lock);
}

/* Called with the shards locked: determines the room that the batch needs, and makes room in the tables.  *unsettled is
 * a key to wait for, or NULL. */
static clpac_status survey(struct batch *batch, const clpac__key **unsettled, clpac_error *err)
{
	size_t n_new[CLPAC__SHARDS] = {0};
	*unsettled = NULL;
	memset(batch->rooms_needed, 0, sizeof batch->rooms_needed);
	for (size_t i = 0; i < batch->n; i++) {
		const clpac__key *key = &batch->keys[i];
		const clpac_entry *old = clpac__shard_find(key->shard, key);
		if (old && old->state != CLPAC__ENTRY_SETTLED) {
			*unsettled = key;
			return CLPAC_OK;
		}
		if (old && batch->mode == CLPAC_PUT_FAIL)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "there is an entry \"%s\" already; delete it first or put with CLPAC_PUT_REPLACE",
				     key->text);
		if (old && batch->mode == CLPAC_PUT_KEEP)
			continue;
		batch->rooms_needed[CLPAC__ROOM_DEVICE] += batch->entries[i]->body->bytes;
		batch->rooms_needed[CLPAC__ROOM_ENTRIES] += !old;
		n_new[key->shard - batch->store->shards]++;
	}
	for (unsigned i = 0; i < CLPAC__SHARDS; i++)
		if (n_new[i] && !clpac__shard_reserve(&batch->store->shards[i], n_new[i]))
			RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the table of a store");
	return CLPAC_OK;
}

static bool has_rooms(const struct batch *batch)
{
	for (unsigned room = 0; room < CLPAC__ROOMS; room++)
		if (batch->rooms_taken[room] < batch->rooms_needed[room])
			return false;
	return true;
}

static clpac_status make_rooms(struct batch *batch, clpac_error *err)
{
	for (unsigned room = 0; room < CLPAC__ROOMS; room++) {
		uint64_t needed = batch->rooms_needed[room], taken = batch->rooms_taken[room];
		if (taken >= needed)
			continue;
		RETURN_IF_ERROR(clpac__store_make_room(batch->store, (enum clpac__room)room, needed - taken, err));
		batch->rooms_taken[room] = needed;
	}
	return CLPAC_OK;
}

static void release_rooms(struct batch *batch)
{
	for (unsigned room = 0; room < CLPAC__ROOMS; room++)
		if (batch->rooms_taken[room])
			clpac__store_release_room(batch->store, (enum clpac__room)room, batch->rooms_taken[room]);
}

static clpac_status await_key(const clpac__key *key, clpac_error *err)
{
	clpac_entry *entry;
	pthread_mutex_lock(&key->shard->lock);
	clpac_status st = clpac__shard_find_settled(key->shard, key, &entry, err);
	pthread_mutex_unlock(&key->shard->lock);
	return st;
}

/* Called with the shards locked and all resources at hand: cannot fail. */
static void enter(struct batch *batch)
{
	for (size_t i = 0; i < batch->n; i++) {
		clpac_entry *entry = batch->entries[i], *old = clpac__shard_find(entry->body->shard, &batch->keys[i]);
		if (old && batch->mode == CLPAC_PUT_KEEP)
			continue;
		if (old) {
			batch->n_replaced++;
			if (clpac__entry_take_out(old)) {
				old->body->next = batch->replaced;
				batch->replaced = old;
			}
		}
		batch->rooms_taken[CLPAC__ROOM_DEVICE] -= entry->body->bytes;
		batch->rooms_taken[CLPAC__ROOM_ENTRIES] -= !old;
		clpac__shard_insert(entry->body->shard, entry);
		clpac__entry_touch(batch->store, entry);
		clpac__entry_settle(entry);
		batch->entries[i] = NULL;
		batch->n_put++;
	}
}

/* clpac_store_put_batch; arrays: of each item, or NULL. */
static clpac_status store_put(clpac_store *store, size_t n, const clpac_put_item *items, const clpac__arrays *arrays,
			      clpac_put mode, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct batch batch = {.store = store, .n = n, .mode = mode};
	bool is_in = false;
	batch.entries = clpac__alloc_array(n, sizeof *batch.entries);
	batch.keys = clpac__alloc_array(n, sizeof *batch.keys);
	if (!batch.entries || !batch.keys)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a list of %zu entries", n);
	if ((unsigned)mode > CLPAC_PUT_KEEP)
		FAIL(CLPAC_ERROR_ARGUMENT, "put: mode is %d: give a value of clpac_put", (int)mode);
	TRY(make_entries(&batch, items, arrays, err));
	if (n > 1)
		TRY(check_twins(n, items, err));

	while (!is_in) {
		const clpac__key *unsettled = NULL;
		lock_shards(&batch);
		st = survey(&batch, &unsettled, err);
		is_in = st == CLPAC_OK && !unsettled && has_rooms(&batch);
		if (is_in)
			enter(&batch);
		unlock_shards(&batch);
		TRY(st);
		if (unsettled)
			TRY(await_key(unsettled, err));
		else if (!is_in)
			TRY(make_rooms(&batch, err));
	}
	clpac__entries_discard(batch.replaced);
	clpac__store_count(store, &store->counts.puts, batch.n_put);
	clpac__store_count(store, &store->counts.replaced, batch.n_replaced);
done:
	/* Entries left over at the end are those whose key was kept. */
	for (size_t i = 0; batch.entries && i < n; i++) {
		if (!batch.entries[i])
			continue;
		clpac__entry_return_buffer(batch.entries[i]);
		clpac__entry_free(batch.entries[i]);
		if (is_in)
			clpac_buffer_release(items[i].buffer);
	}
	release_rooms(&batch);
	FREE_ALL(batch.entries, batch.keys);
	return st;
}

clpac_status clpac_store_put_batch(clpac_store *store, size_t n, const clpac_put_item *items, clpac_put mode,
				   clpac_error *err)
{
	NEED(store);
	NEED_AS(items || !n, "items");
	NEED_HERE(store);
	return store_put(store, n, items, NULL, mode, err);
}

clpac_status clpac_store_put(clpac_store *store, const char *key, clpac_buffer *buffer, const clpac_metadata *metadata,
			     clpac_put mode, clpac_error *err)
{
	NEED(store, key, buffer);
	NEED_HERE(store);
	return store_put(store, 1, &(clpac_put_item){key, buffer, metadata}, NULL, mode, err);
}

/* --- Several arrays under one key ----------------------------------------------------------------- */

clpac_status clpac_store_put_arrays(clpac_store *store, const char *key, clpac_buffer *buffer, size_t n,
				    const clpac_stored_array *arrays, const clpac_metadata *metadata, clpac_put mode,
				    clpac_error *err)
{
	NEED(store, key, buffer);
	NEED_AS(arrays || !n, "arrays");
	NEED_HERE(store);
	return store_put(store, 1, &(clpac_put_item){key, buffer, metadata}, &(clpac__arrays){n, arrays}, mode, err);
}

/* Offsets for arrays that follow each other, and the bytes of them all. */
static clpac_status lay_out(const char *key, size_t n, clpac_stored_array *arrays, size_t *bytes, clpac_error *err)
{
	size_t end = 0;
	for (size_t i = 0; i < n; i++) {
		const char *name = clpac__array_name(&arrays[i]);
		if (!arrays[i].data)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "key \"%s\": the data of array \"%s\" is NULL", key, name);
		if (end > SIZE_MAX - CLPAC_ARRAY_ALIGNMENT)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "key \"%s\": array \"%s\" lies beyond any buffer", key,
				     name);
		arrays[i].offset = clpac__round_up(end, CLPAC_ARRAY_ALIGNMENT);
		if (!clpac__size_add(arrays[i].offset, arrays[i].bytes, &end))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "key \"%s\": %zu bytes of array \"%s\" are beyond any buffer", key,
				     arrays[i].bytes, name);
	}
	*bytes = end;
	return CLPAC_OK;
}

clpac_status clpac_store_save(clpac_store *store, const char *key, size_t n, const clpac_stored_array *given,
			      const clpac_metadata *metadata, clpac_put mode, clpac_error *err)
{
	NEED(store, key);
	NEED_AS(given, "arrays");
	NEED_HERE(store);
	clpac_status st = CLPAC_OK;
	clpac_buffer *buffer = NULL;
	size_t bytes = 0;
	clpac_stored_array *arrays = clpac__alloc_array(n, sizeof *arrays);
	if (!arrays)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a list of %zu arrays", n);
	if (!n)
		FAIL(CLPAC_ERROR_ARGUMENT, "key \"%s\": 0 arrays are to be saved: give 1 or more", key);
	memcpy(arrays, given, n * sizeof *arrays);
	TRY(lay_out(key, n, arrays, &bytes, err));
	TRY(clpac_pool_allocate(clpac_store_pool(store), bytes, "store", &buffer, err));
	for (size_t i = 0; i < n; i++)
		TRY(clpac_buffer_write(buffer, arrays[i].offset, arrays[i].bytes, arrays[i].data, err));
	TRY(clpac_store_put_arrays(store, key, buffer, n, arrays, metadata, mode, err));
	buffer = NULL;
done:
	clpac_buffer_release(buffer);
	clpac__free(arrays);
	return st;
}
