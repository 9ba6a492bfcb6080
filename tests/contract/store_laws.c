/* The promises of clpac/memory/store.h, on every device. */
#include "store_laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include <clpac/memory/store.h>
#include "pool/pool.h"
#include "targets.h"
#include "noise.h"

/* Opened before and closed after each test, for target number _i. */
static clpac__queue *queue;
static clpac_pool *pool;
static clpac_store *store;
static clpac_error err;
static char folder[64];

static void open_target(int i, const clpac_pool_options *options, clpac_store_options store_options)
{
	snprintf(folder, sizeof folder, "/tmp/clpac-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	store_options.folder = folder;
	queue = target_open(targets_get((size_t)i));
	OK(clpac__pool_create(queue, options, 0, &pool, &err));
	OK(clpac_store_create(pool, &store_options, &store, &err));
}

static void close_target(void)
{
	clpac_store_destroy(store);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.in_use_bytes, 0);
	clpac_pool_destroy(pool);
	queue->operations->close(queue);
	ck_assert_int_eq(rmdir(folder), 0);
}

enum { BYTES = 300000, N = 10 };

static const char *key_of(unsigned i)
{
	static char key[16];
	snprintf(key, sizeof key, "entry %u", i);
	return key;
}

static void put(unsigned i)
{
	clpac_buffer *buffer = NULL;
	unsigned char *content = malloc(BYTES + i);
	random_bytes(i, content, BYTES + i);
	OK(clpac_pool_allocate(pool, BYTES + i, "law", &buffer, &err));
	OK(clpac_buffer_write(buffer, 0, BYTES + i, content, &err));
	OK(clpac_store_put(store, key_of(i), buffer, NULL, CLPAC_PUT_FAIL, &err));
	free(content);
}

static void check(unsigned i)
{
	unsigned char *expected = malloc(BYTES + i), *found = malloc(BYTES + i);
	clpac_entry *entry = NULL;
	random_bytes(i, expected, BYTES + i);
	OK(clpac_store_get(store, key_of(i), 0, BYTES + i, found, &err));
	ck_assert_msg(memcmp(found, expected, BYTES + i) == 0, "entry %u, read where it is stored, is not what was put",
		      i);
	memset(found, 0, BYTES + i);
	OK(clpac_store_acquire(store, key_of(i), &entry, &err));
	OK(clpac_buffer_read(clpac_entry_buffer(entry), 0, BYTES + i, found, &err));
	ck_assert_msg(memcmp(found, expected, BYTES + i) == 0, "entry %u on the device is not what was put", i);
	clpac_entry_release(entry);
	free(expected);
	free(found);
}

START_TEST(entries_keep_their_content_on_the_host_and_in_files)
{
	open_target(_i, NULL, (clpac_store_options){.device_bytes = 3 * (BYTES + N), .host_bytes = 3 * (BYTES + N)});
	for (unsigned i = 0; i < N; i++)
		put(i);
	clpac_store_statistics now;
	clpac_store_measure(store, &now, sizeof now);
	ck_assert_uint_eq(now.device_entries, 3);
	ck_assert_uint_eq(now.host_entries, 3);
	ck_assert_uint_eq(now.file_entries, N - 6);
	for (unsigned i = 0; i < 2 * N; i++)
		check(i * 7 % N);
	close_target();
}
END_TEST

START_TEST(a_store_gives_way_to_requests_of_its_pool)
{
	enum { BUDGET = 2 << 20 };
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = BUDGET}}, (clpac_store_options){0});
	for (unsigned i = 0; i < N; i++)
		put(i);
	clpac_buffer *buffer = NULL;
	OK(clpac_pool_allocate(pool, BUDGET / 2, "law", &buffer, &err));
	clpac_store_statistics now;
	clpac_store_measure(store, &now, sizeof now);
	ck_assert_uint_eq(now.entries, N);
	ck_assert_uint_gt(now.reliefs, 0);
	ck_assert_uint_gt(now.file_entries, 0);
	for (unsigned i = 0; i < N; i++)
		check(i);
	clpac_buffer_release(buffer);
	close_target();
}
END_TEST

START_TEST(work_still_pending_on_an_entry_is_in_what_is_moved)
{
	open_target(_i, NULL, (clpac_store_options){.host_bytes = 1 << 20});
	put(0);
	clpac_entry *entry = NULL;
	unsigned char found[2] = {0};
	for (uint8_t round = 1; round < 20; round++) {
		OK(clpac_store_acquire(store, key_of(0), &entry, &err));
		OK(clpac_buffer_fill(clpac_entry_buffer(entry), 0, BYTES, round, &err));
		clpac_entry_release(entry);
		ck_assert_uint_gt(clpac_store_evict(store, pool, 1), 0);
		OK(clpac_store_get(store, key_of(0), BYTES - 2, 2, found, &err));
		ck_assert_uint_eq(found[0], round);
		ck_assert_uint_eq(found[1], round);
	}
	close_target();
}
END_TEST

TCase *store_laws(size_t n)
{
	TCase *laws = tcase_create("store laws");
	tcase_add_loop_test(laws, entries_keep_their_content_on_the_host_and_in_files, 0, (int)n);
	tcase_add_loop_test(laws, a_store_gives_way_to_requests_of_its_pool, 0, (int)n);
	tcase_add_loop_test(laws, work_still_pending_on_an_entry_is_in_what_is_moved, 0, (int)n);
	return laws;
}
