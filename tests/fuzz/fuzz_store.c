/* Fuzzer's target: files of a store.  The input is the file, as it is and with its checksums mended, since no random
 * byte would match them.  What can be read is written again, and that reads as the same entries. */
#include <stdlib.h>
#include <string.h>

#include <clpac/memory/context.h>
#include <clpac/memory/store.h>
#include <clpac/memory/pool.h>

#include "fuzz/fuzz_input.h"
#include "memory/store/store_parts.h"

enum { HEAD_BYTES = 24, CONTENT_PLACE = 40, PIECE_BYTES = 1 << 20 };

static clpac_context *context;
static clpac_pool *pool;

static clpac_store *make_store(void)
{
	static const clpac_options options = {.device = "native", .cache = "none"};
	static const clpac_pool_options small = {.budget = {.bytes = 4 << 20}};
	clpac_store *store = NULL;
	clpac_error err;
	FUZZ_LAW(context || clpac_context_open(NULL, &options, &context, &err) == CLPAC_OK);
	FUZZ_LAW(pool || clpac_pool_create(context, &small, &pool, &err) == CLPAC_OK);
	FUZZ_LAW(clpac_store_create(pool, NULL, &store, &err) == CLPAC_OK);
	return store;
}

static uint64_t number_at(const uint8_t *at)
{
	uint64_t number = 0;
	for (int i = 0; i < 8; i++)
		number |= (uint64_t)at[i] << 8 * i;
	return number;
}

/* Writes the right checksum behind each entry whose sizes fit the file. */
static void mend_checksums(uint8_t *data, size_t size)
{
	size_t at = HEAD_BYTES;
	while (at <= size && size - at > CONTENT_PLACE + 8) {
		const uint64_t head = number_at(data + at), content = number_at(data + at + CONTENT_PLACE);
		if (head > size - at || content > size - at - head || size - at - head - content < 8)
			return;
		uint64_t sum = clpac__hash(data + at, (size_t)head, 1);
		at += (size_t)head;
		for (uint64_t i = 0; i < content; i += PIECE_BYTES)
			sum = clpac__hash(data + at + i,
					  (size_t)(content - i < PIECE_BYTES ? content - i : PIECE_BYTES), sum);
		at += (size_t)content;
		for (int i = 0; i < 8; i++)
			data[at++] = (uint8_t)(sum >> 8 * i);
	}
}

static size_t count_keys(clpac_store *store)
{
	clpac_key_list keys = {0};
	clpac_error err;
	FUZZ_LAW(clpac_store_list(store, NULL, NULL, &keys, &err) == CLPAC_OK);
	const size_t n = keys.n;
	clpac_key_list_clear(&keys);
	return n;
}

static void check_same(clpac_store *store, clpac_store *again)
{
	clpac_key_list keys = {0};
	clpac_error err;
	FUZZ_LAW(clpac_store_list(store, NULL, NULL, &keys, &err) == CLPAC_OK);
	FUZZ_LAW(count_keys(again) == keys.n);
	for (size_t i = 0; i < keys.n; i++) {
		clpac_entry *a = NULL, *b = NULL;
		FUZZ_LAW(clpac_store_look(store, keys.keys[i], &a, &err) == CLPAC_OK);
		FUZZ_LAW(clpac_store_look(again, keys.keys[i], &b, &err) == CLPAC_OK);
		const size_t n = clpac_entry_bytes(a);
		FUZZ_LAW(n == clpac_entry_bytes(b));
		char *x = malloc(n), *y = malloc(n);
		FUZZ_LAW(x && y);
		FUZZ_LAW(clpac_store_get(store, keys.keys[i], 0, n, x, &err) == CLPAC_OK);
		FUZZ_LAW(clpac_store_get(again, keys.keys[i], 0, n, y, &err) == CLPAC_OK);
		FUZZ_LAW(memcmp(x, y, n) == 0);
		FUZZ_LAW(strcmp(clpac_entry_metadata(a)->text, clpac_entry_metadata(b)->text) == 0);
		free(x);
		free(y);
		clpac_entry_release(a);
		clpac_entry_release(b);
	}
	clpac_key_list_clear(&keys);
}

static void read_file(const uint8_t *data, size_t size)
{
	clpac_store *store = make_store(), *again = make_store();
	clpac_error err = {0};
	size_t n = 0;
	clpac_status st = clpac_store_read(store, fuzz_write("x.store", data, size), CLPAC_PUT_REPLACE, &n, &err);
	fuzz_outcome(st, &err, st == CLPAC_OK);
	FUZZ_LAW(st != CLPAC_ERROR_FORMAT || count_keys(store) == 0);
	if (st == CLPAC_OK) {
		FUZZ_LAW(n >= count_keys(store));
		st = clpac_store_write(store, fuzz_path("y.store"), NULL, &err);
		fuzz_outcome(st, &err, st == CLPAC_OK);
		FUZZ_LAW(st == CLPAC_OK);
		st = clpac_store_read(again, fuzz_path("y.store"), CLPAC_PUT_FAIL, &n, &err);
		if (st != CLPAC_OK && st != CLPAC_ERROR_NO_DEVICE_MEMORY)
			fuzz_broken(__FILE__, __LINE__, "what was written is read", err.text);
		if (st == CLPAC_OK)
			check_same(store, again);
	}
	clpac_store_destroy(again);
	clpac_store_destroy(store);
}

int FUZZ_TARGET(store)(const uint8_t *data, size_t size)
{
	uint8_t *mended = malloc(size + !size);
	FUZZ_LAW(mended != NULL);
	if (size)
		memcpy(mended, data, size);
	read_file(data, size);
	mend_checksums(mended, size);
	read_file(mended, size);
	free(mended);
	return 0;
}
