/* Entries: making and freeing them, references, queries. */
#include "memory/store/store_parts.h"

#include <string.h>
#include <clpac/memory/buffer.h>
#include "base/memory.h"
#include "memory/pool/pool.h"

clpac_status clpac__store_pool_number(const clpac_store *store, const clpac_buffer *buffer, const char *key,
				      unsigned *out, clpac_error *err)
{
	if (!clpac__buffer_is_live(buffer))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "key \"%s\": its buffer was released before", key);
	const clpac_pool *pool = clpac_buffer_pool(buffer);
	unsigned n = atomic_load_explicit(&store->n_pools, memory_order_acquire);
	for (unsigned i = 0; i < n; i++)
		if (store->pools[i] == pool) {
			*out = i;
			return CLPAC_OK;
		}
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "key \"%s\": its buffer is of a pool that the store does not have; add it first", key);
}

clpac_status clpac__entry_create(clpac_store *store, const clpac__key *key, const clpac_metadata *metadata,
				 clpac_entry **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	static const clpac_metadata none;
	clpac__entry_body *body = clpac__alloc_zero(sizeof *body);
	clpac_entry *made = NULL;
	if (!body)
		FAIL_NO_MEMORY(sizeof *body);
	pthread_mutex_lock(&key->shard->lock);
	made = clpac__shard_take_record(key->shard);
	pthread_mutex_unlock(&key->shard->lock);
	if (!made)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for entry \"%s\"", key->text);
	clpac__store_hold(store);
	*made = (clpac_entry){.body = body, .state = CLPAC__ENTRY_LOADING};
	made->key_bytes = (uint32_t)key->bytes;
	body->entry = made;
	body->store = store;
	body->shard = key->shard;
	body->hash = key->hash;
	body->mover = pthread_self();
	body = NULL;
	made->key = key->bytes < sizeof made->short_key ? made->short_key : clpac__alloc(key->bytes + 1);
	if (!made->key)
		FAIL_NO_MEMORY(key->bytes + 1);
	memcpy(made->key, key->text, key->bytes + 1);
	TRY(clpac__entry_describe(made, metadata ? metadata : &none, err));
	*out = made, made = NULL;
done:
	clpac__free(body);
	clpac__entry_free(made);
	return st;
}

clpac_status clpac__entry_describe(clpac_entry *entry, const clpac_metadata *metadata, clpac_error *err)
{
	const char *file = metadata->file ? metadata->file : "", *text = metadata->text ? metadata->text : "";
	size_t file_bytes = strlen(file) + 1, text_bytes = strlen(text) + 1, bytes = 0;
	if (!memchr(metadata->type, 0, sizeof metadata->type))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "key \"%s\": its type tag has no end within %d bytes", entry->key,
			     CLPAC_TYPE_SIZE);
	char *strings = clpac__size_add(file_bytes, text_bytes, &bytes) ? clpac__alloc(bytes) : NULL;
	if (!strings)
		RETURN_NO_MEMORY(bytes);
	memcpy(strings, file, file_bytes);
	memcpy(strings + file_bytes, text, text_bytes);
	/* The old strings are freed last: metadata may point to them. */
	char *old = entry->body->strings;
	entry->body->metadata = *metadata;
	entry->body->metadata.file = strings;
	entry->body->metadata.text = strings + file_bytes;
	entry->body->strings = strings;
	clpac__free(old);
	return CLPAC_OK;
}

void clpac__entry_free(clpac_entry *entry)
{
	if (!entry)
		return;
	clpac_store *store = entry->body->store;
	clpac__shard *shard = entry->body->shard;
	FREE_ALL(entry->body->strings, entry->body->arrays, entry->body);
	if (entry->key != entry->short_key)
		clpac__free(entry->key);
	pthread_mutex_lock(&shard->lock);
	clpac__shard_give_record(shard, entry);
	pthread_mutex_unlock(&shard->lock);
	clpac__store_let_go(store);
}

clpac_status clpac__entry_set_buffer(clpac_entry *entry, clpac_buffer *buffer, unsigned pool, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__buffer_own(buffer, entry->key, err));
	entry->body->pool = pool;
	entry->body->bytes = clpac_buffer_bytes(buffer);
	entry->body->content = (clpac__content){
		.place = CLPAC_ON_DEVICE,
		.bytes = entry->body->bytes,
		.buffer = buffer,
	};
	atomic_store_explicit(&entry->buffer, buffer, memory_order_release);
	return CLPAC_OK;
}

void clpac__entry_return_buffer(clpac_entry *entry)
{
	clpac__buffer_disown(entry->body->content.buffer);
	entry->body->content = (clpac__content){0};
	atomic_store_explicit(&entry->buffer, NULL, memory_order_release);
}

static clpac__order *order_of(clpac_entry *entry)
{
	unsigned number = entry->body->content.place == CLPAC_ON_DEVICE ? entry->body->pool
			  : entry->body->content.place == CLPAC_ON_HOST ? (unsigned)CLPAC__ORDER_HOST
									: (unsigned)CLPAC__ORDER_FILE;
	return &entry->body->shard->orders[number];
}

void clpac__entry_begin_move(clpac_entry *entry)
{
	if (entry->body->node.is_in)
		clpac__order_remove(order_of(entry), &entry->body->node);
	entry->state = CLPAC__ENTRY_MOVING;
	entry->body->mover = pthread_self();
}

void clpac__entry_settle(clpac_entry *entry)
{
	entry->state = CLPAC__ENTRY_SETTLED;
	atomic_fetch_and_explicit(&entry->holds, ~CLPAC__HOLDS_PARKED, memory_order_relaxed);
	clpac__order_add(order_of(entry), &entry->body->node, entry->stamp);
	pthread_cond_broadcast(&entry->body->shard->settled);
}

clpac_entry *clpac__shard_oldest(clpac__shard *shard, unsigned number)
{
	clpac__order *order = &shard->orders[number];
	while (order->top) {
		clpac_entry *entry =
			((clpac__entry_body *)(void *)((char *)order->top - offsetof(clpac__entry_body, node)))->entry;
		/* The flag is set before the count is read: a thread that gives the last reference back later then sees
		 * the flag. */
		uint64_t holds = atomic_fetch_or_explicit(&entry->holds, CLPAC__HOLDS_PARKED, memory_order_acq_rel);
		bool is_free = !(holds & CLPAC__HOLDS_COUNT) && !entry->body->pins;
		if (is_free)
			atomic_fetch_and_explicit(&entry->holds, ~CLPAC__HOLDS_PARKED, memory_order_relaxed);
		if (is_free && entry->body->node.stamp == entry->stamp)
			return entry;
		clpac__order_remove(order, &entry->body->node);
		if (is_free)
			clpac__order_add(order, &entry->body->node, entry->stamp);
	}
	return NULL;
}

bool clpac__entry_take_out(clpac_entry *entry)
{
	if (entry->body->node.is_in)
		clpac__order_remove(order_of(entry), &entry->body->node);
	clpac__shard_remove(entry->body->shard, entry);
	uint64_t holds = atomic_fetch_or_explicit(&entry->holds, CLPAC__HOLDS_GONE, memory_order_acq_rel);
	return !(holds & CLPAC__HOLDS_COUNT);
}

void clpac__entry_discard(clpac_entry *entry)
{
	clpac_store *store = entry->body->store;
	enum clpac__room room = (enum clpac__room)entry->body->content.place;
	uint64_t bytes = entry->body->content.bytes;
	clpac__content_discard(&entry->body->content, store->folder);
	clpac__store_release_room(store, room, bytes);
	clpac__entry_free(entry);
}

void clpac__entries_discard(clpac_entry *chain)
{
	while (chain) {
		clpac_entry *entry = chain;
		chain = entry->body->next;
		clpac__entry_discard(entry);
	}
}

void clpac_entry_hold(clpac_entry *entry)
{
	if (!entry || !clpac__store_is_here(entry->body->store))
		return;
	clpac__entry_refer(entry);
}

/* Releases the last reference of an entry with a flag, or detects a reference that was never taken. */
static void release_slowly(clpac_entry *entry)
{
	clpac__shard *shard = entry->body->shard;
	bool is_to_discard = false;
	if (!clpac__store_is_here(entry->body->store))
		return;
	pthread_mutex_lock(&shard->lock);
	uint64_t holds = atomic_load_explicit(&entry->holds, memory_order_acquire);
	if (!(holds & CLPAC__HOLDS_COUNT)) {
		shard->bad_releases++;
	} else {
		holds = atomic_fetch_sub_explicit(&entry->holds, 1, memory_order_acq_rel) - 1;
		bool is_last = !(holds & CLPAC__HOLDS_COUNT);
		is_to_discard = is_last && holds & CLPAC__HOLDS_GONE;
		if (is_last && holds == CLPAC__HOLDS_PARKED && !entry->body->pins &&
		    entry->state == CLPAC__ENTRY_SETTLED) {
			atomic_fetch_and_explicit(&entry->holds, ~CLPAC__HOLDS_PARKED, memory_order_relaxed);
			clpac__order_add(order_of(entry), &entry->body->node, entry->stamp);
		}
	}
	pthread_mutex_unlock(&shard->lock);
	if (is_to_discard)
		clpac__entry_discard(entry);
}

void clpac_entry_release(clpac_entry *entry)
{
	if (!entry)
		return;
	uint64_t holds = atomic_load_explicit(&entry->holds, memory_order_relaxed);
	while (holds && !(holds & ~CLPAC__HOLDS_COUNT))
		if (atomic_compare_exchange_weak_explicit(&entry->holds, &holds, holds - 1, memory_order_release,
							  memory_order_relaxed))
			return; /* from here on the entry may be gone */
	release_slowly(entry);
}

void clpac_entry_release_batch(clpac_entry **entries, size_t n)
{
	if (!entries)
		return;
	for (size_t i = 0; i < n; i++) {
		clpac_entry_release(entries[i]);
		entries[i] = NULL;
	}
}

/* Pinning leaves an entry in the order of use; it is parked when it would be evicted. */
static clpac_status change_pins(clpac_store *store, const char *text, int change, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__key key;
	clpac_entry *entry = NULL;
	RETURN_IF_ERROR(clpac__key_make(store, text, &key, err));
	pthread_mutex_lock(&key.shard->lock);
	st = clpac__shard_find_settled(key.shard, &key, &entry, err);
	if (st == CLPAC_OK && !entry)
		st = clpac__fail(err, CLPAC_ERROR_ARGUMENT, "there is no entry \"%s\" to %s", text,
				 change > 0 ? "pin" : "unpin");
	else if (st == CLPAC_OK && change < 0 && !entry->body->pins)
		st = clpac__fail(err, CLPAC_ERROR_ARGUMENT, "entry \"%s\" is not pinned", text);
	else if (st == CLPAC_OK) {
		entry->body->pins += (unsigned)change;
		uint64_t holds = atomic_load_explicit(&entry->holds, memory_order_acquire);
		if (!entry->body->pins && holds == CLPAC__HOLDS_PARKED) {
			atomic_fetch_and_explicit(&entry->holds, ~CLPAC__HOLDS_PARKED, memory_order_relaxed);
			clpac__order_add(order_of(entry), &entry->body->node, entry->stamp);
		}
	}
	pthread_mutex_unlock(&key.shard->lock);
	return st;
}

clpac_status clpac_store_pin(clpac_store *store, const char *key, clpac_error *err)
{
	NEED(store, key);
	NEED_HERE(store);
	return change_pins(store, key, 1, err);
}

clpac_status clpac_store_unpin(clpac_store *store, const char *key, clpac_error *err)
{
	NEED(store, key);
	NEED_HERE(store);
	return change_pins(store, key, -1, err);
}

clpac_buffer *clpac_entry_buffer(const clpac_entry *entry)
{
	return entry ? atomic_load_explicit(&entry->buffer, memory_order_acquire) : NULL;
}

const char *clpac_entry_key(const clpac_entry *entry)
{
	return entry ? entry->key : "";
}

const clpac_metadata *clpac_entry_metadata(const clpac_entry *entry)
{
	return entry ? &entry->body->metadata : NULL;
}

size_t clpac_entry_bytes(const clpac_entry *entry)
{
	return entry ? entry->body->bytes : 0;
}

clpac_pool *clpac_entry_pool(const clpac_entry *entry)
{
	return entry ? entry->body->store->pools[entry->body->pool] : NULL;
}

clpac_store_place clpac_entry_place(const clpac_entry *entry)
{
	if (!entry || !clpac__store_is_here(entry->body->store))
		return CLPAC_ON_DEVICE;
	pthread_mutex_lock(&entry->body->shard->lock);
	clpac_store_place place = entry->body->content.place;
	pthread_mutex_unlock(&entry->body->shard->lock);
	return place;
}
