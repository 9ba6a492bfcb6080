/* Test patterns, and assertions that hold of any store. */
#include "store_truth.h"

#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"

void make_pattern(unsigned char *out, size_t bytes, int which)
{
	unsigned long long state = 0x1234567u + (unsigned)which;
	for (size_t i = 0; i < bytes; i += 8) {
		unsigned long long word = random_bits(&state);
		memcpy(out + i, &word, bytes - i < 8 ? bytes - i : 8);
	}
}

clpac_buffer *take_pattern(clpac_pool *pool, size_t bytes, int which)
{
	clpac_error err = {0};
	clpac_buffer *buffer = NULL;
	unsigned char *content = malloc(bytes);
	make_pattern(content, bytes, which);
	assert_works(clpac_pool_allocate(pool, bytes, "pattern", &buffer, &err), err);
	assert_works(clpac_buffer_write(buffer, 0, bytes, content, &err), err);
	free(content);
	return buffer;
}

void put_pattern(clpac_store *store, clpac_pool *pool, const char *key, size_t bytes, int which)
{
	clpac_error err = {0};
	assert_works(clpac_store_put(store, key, take_pattern(pool, bytes, which), NULL, CLPAC_PUT_FAIL, &err), err);
}

clpac_entry *hold(clpac_store *store, const char *key)
{
	clpac_error err = {0};
	clpac_entry *entry = NULL;
	assert_works(clpac_store_acquire(store, key, &entry, &err), err);
	return entry;
}

static void compare(const unsigned char *found, size_t bytes, int which, const char *what)
{
	unsigned char *expected = malloc(bytes);
	make_pattern(expected, bytes, which);
	if (memcmp(found, expected, bytes) != 0)
		ck_abort_msg("%s: %zu bytes are not pattern %d", what, bytes, which);
	free(expected);
}

void check_pattern(clpac_store *store, const char *key, size_t bytes, int which)
{
	clpac_error err = {0};
	unsigned char *found = malloc(bytes);
	assert_works(clpac_store_get(store, key, 0, bytes, found, &err), err);
	compare(found, bytes, which, key);
	free(found);
}

void check_buffer(clpac_buffer *buffer, size_t bytes, int which)
{
	clpac_error err = {0};
	unsigned char *found = malloc(bytes);
	ck_assert_uint_eq(clpac_buffer_bytes(buffer), bytes);
	assert_works(clpac_buffer_read(buffer, 0, bytes, found, &err), err);
	compare(found, bytes, which, "buffer");
	free(found);
}

uint64_t in_use(clpac_pool *pool)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	return now.in_use_bytes;
}

void check_store(clpac_store *store)
{
	clpac_store_statistics now;
	uint64_t bytes[CLPAC_STORE_PLACES] = {0}, entries = 0;
	clpac_store_measure(store, &now, sizeof now);
	ck_assert_uint_eq(now.referenced_entries, 0);
	for (int i = 0; i < CLPAC__SHARDS; i++) {
		const clpac__shard *shard = &store->shards[i];
		size_t used = 0;
		for (size_t k = 0; k < shard->n_slots; k++) {
			const clpac_entry *entry = shard->slots[k].entry;
			if (!entry)
				continue;
			const clpac__content *content = &entry->body->content;
			bool is_on_device = content->place == CLPAC_ON_DEVICE;
			used++;
			bytes[content->place] += content->bytes;
			ck_assert_int_eq(entry->state, CLPAC__ENTRY_SETTLED);
			ck_assert_int_eq(entry->body->node.is_in, !(atomic_load(&entry->holds) & CLPAC__HOLDS_PARKED));
			ck_assert_ptr_eq(atomic_load(&entry->buffer), content->buffer);
			ck_assert_int_eq(is_on_device, content->buffer != NULL);
			ck_assert_int_eq(content->place == CLPAC_ON_HOST, content->data != NULL);
		}
		ck_assert_uint_eq(used, shard->n_used);
		entries += used;
	}
	ck_assert_uint_eq(now.entries, entries);
	ck_assert_uint_eq(store->taken[CLPAC__ROOM_ENTRIES], entries);
	ck_assert_uint_eq(now.device_bytes, bytes[CLPAC_ON_DEVICE]);
	ck_assert_uint_eq(now.host_bytes, bytes[CLPAC_ON_HOST]);
	ck_assert_uint_eq(now.file_bytes, bytes[CLPAC_IN_FILE]);
	for (int room = 0; room < CLPAC__ROOMS; room++) {
		ck_assert_uint_eq(store->leaving[room], 0);
		ck_assert_uint_le(store->taken[room], store->limits[room]);
	}
}

void end_store(clpac_store *store, clpac_pool *pool, const simulated_device *device)
{
	check_store(store);
	clpac_store_destroy(store);
	ck_assert_uint_eq(in_use(pool), 0);
	clpac_pool_destroy(pool);
	check_nothing_left(device);
}
