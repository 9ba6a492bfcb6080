/* One job through a whole store, with every driver call and every host allocation failing in turn: successes are
 * complete, failures leave nothing, and the store works on. */
#include "runner.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "store_truth.h"

static clpac_status make(clpac_pool *pool, int which, clpac_buffer **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	unsigned char content[500];
	clpac_buffer *buffer = NULL;
	make_pattern(content, sizeof content, which);
	TRY(clpac_pool_allocate(pool, sizeof content, "work", &buffer, err));
	TRY(clpac_buffer_write(buffer, 0, sizeof content, content, err));
	*out = buffer;
	buffer = NULL;
done:
	clpac_buffer_release(buffer);
	return st;
}

static clpac_status load(void *user, clpac_store *store, const char *key, clpac_metadata *metadata, clpac_buffer **out,
			 clpac_error *err)
{
	(void)key;
	metadata->text = "loaded";
	return make(clpac_store_pool(store), *(int *)user, out, err);
}

static void check_content(clpac_store *store, const char *key, int which)
{
	/* A read that fails on purpose proves nothing; content that can be read is right. */
	unsigned char found[500], expected[500];
	make_pattern(expected, sizeof expected, which);
	if (clpac_store_get(store, key, 0, sizeof found, found, NULL) == CLPAC_OK)
		ck_assert_msg(memcmp(found, expected, sizeof found) == 0, "%s has a wrong content", key);
}

/* Room for two buffers on the device and one on the host; the rest goes to files. */
static clpac_status work(clpac_store *store, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_pool *pool = clpac_store_pool(store);
	clpac_put_item items[2] = {{.key = "x"}, {.key = "y"}};
	clpac_buffer *buffers[2] = {0}, *single = NULL;
	clpac_entry *entries[2] = {0}, *one = NULL;
	clpac_store_scope *scope = NULL;
	clpac_key_list list = {0};
	int which = 3;
	bool has_x, has_y;
	TRY(make(pool, 1, &buffers[0], err));
	TRY(make(pool, 2, &buffers[1], err));
	items[0].buffer = buffers[0];
	items[1].buffer = buffers[1];
	st = clpac_store_put_batch(store, 2, items, CLPAC_PUT_FAIL, err);
	has_x = clpac_store_exists(store, "x");
	has_y = clpac_store_exists(store, "y");
	ck_assert_int_eq(has_x, st == CLPAC_OK);
	ck_assert_int_eq(has_y, st == CLPAC_OK);
	if (st != CLPAC_OK)
		goto done;
	buffers[0] = buffers[1] = NULL;
	TRY(clpac_store_fetch(store, "z", &(clpac_metadata){.file = "f", .file_bytes = 1}, load, &which, &one, err));
	clpac_entry_release(one);
	one = NULL;
	TRY(make(pool, 4, &single, err));
	TRY(clpac_store_put(store, "z/4", single, NULL, CLPAC_PUT_REPLACE, err));
	single = NULL;
	TRY(clpac_store_acquire_batch(store, 2, (const char *const[]){"x", "y"}, entries, err));
	check_content(store, "x", 1);
	check_content(store, "z", 3);
	clpac_entry_release_batch(entries, 2);
	TRY(clpac_store_scope_open(store, NULL, &scope, err));
	TRY(clpac_store_scope_acquire(scope, "z", &one, err));
	one = NULL;
	TRY(clpac_store_list(store, "z", "*", &list, err));
	ck_assert_uint_eq(list.n, 2);
	clpac_store_evict(store, pool, UINT64_MAX);
	check_content(store, "y", 2);
	check_content(store, "z/4", 4);
done:
	clpac_key_list_clear(&list);
	clpac_store_scope_close(scope);
	clpac_entry_release_batch(entries, 2);
	clpac_entry_release(one);
	clpac_buffer_release_batch(buffers, 2);
	clpac_buffer_release(single);
	clpac_store_delete_prefix(store, NULL);
	return st;
}

static char folder[] = "/tmp/clpac-test-XXXXXX";
static simulated_device device;
static clpac_pool *pool;

static clpac_status open_store(clpac_store **out, clpac_error *err)
{
	return clpac_store_create(
		pool, &(clpac_store_options){.device_bytes = 1000, .host_bytes = 500, .folder = folder}, out, err);
}

static void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	pool = open_pool(&device, 1 << 20, &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_WHOLE}});
}

static void check_works_on(clpac_store *store)
{
	clpac_error err;
	check_store(store);
	ck_assert_uint_eq(in_use(pool), 0);
	ck_assert_msg(work(store, &err) == CLPAC_OK, "afterwards: %s", err.text);
	check_store(store);
}

SECONDS(60);

TEST(every_failing_driver_call_is_an_error_and_leaves_a_whole_store)
{
	static const struct {
		clpac_status status;
		int code;
	} failures[] = {{CLPAC_ERROR_DEVICE, -5}, {CLPAC_ERROR_NO_DEVICE_MEMORY, -4}, {CLPAC_ERROR_NO_MEMORY, -6}};
	begin();
	for (size_t i = 0; i < COUNT(failures); i++) {
		unsigned long number = 0, n_failed = 0, n_calls;
		do {
			clpac_store *store;
			clpac_error err;
			assert_works(open_store(&store, &err), err);
			clpac_pool_clear(pool);
			simulated_fail(&device, ++number, SIMULATED_ANY, failures[i].status, failures[i].code);
			err.status = CLPAC_OK;
			clpac_status st = work(store, &err);
			n_calls = device.n_seen;
			n_failed += st != CLPAC_OK;
			if (st != CLPAC_OK)
				ck_assert_int_eq(err.status, st);
			simulated_fail(&device, 0, SIMULATED_ANY, CLPAC_OK, 0);
			check_works_on(store);
			clpac_store_destroy(store);
		} while (number <= n_calls);
		ck_assert_uint_gt(number, 10);
		ck_assert_uint_gt(n_failed, 5);
	}
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
	ck_assert_int_eq(rmdir(folder), 0);
}

TEST(every_failing_allocation_is_an_error_and_leaves_a_whole_store)
{
	begin();
	for (int is_sticky = 0; is_sticky < 2; is_sticky++) {
		unsigned long number = 0, n_failed = 0, n_made;
		do {
			clpac_store *store;
			clpac_error err;
			assert_works(open_store(&store, &err), err);
			clpac_pool_clear(pool);
			clpac__fail_allocation(++number, is_sticky);
			clpac_status st = work(store, &err);
			n_made = clpac__count_allocations();
			clpac__fail_allocation(0, false);
			n_failed += st != CLPAC_OK;
			if (st != CLPAC_OK)
				ck_assert_int_eq(err.status, st);
			check_works_on(store);
			clpac_store_destroy(store);
		} while (number <= n_made);
		ck_assert_uint_gt(number, 30);
		ck_assert_uint_gt(n_failed, 20);
	}
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
	ck_assert_int_eq(rmdir(folder), 0);
}

TEST(a_store_that_cannot_be_made_leaves_nothing)
{
	begin();
	clpac_store *store = NULL;
	clpac_error err;
	assert_survives_failing_allocations(open_store(&store, &err), clpac_store_destroy(store));
	/* A pool serves eight stores at most. */
	clpac_store *many[9] = {0};
	for (int i = 0; i < 8; i++)
		assert_works(open_store(&many[i], &err), err);
	ck_assert_int_eq(open_store(&many[8], &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_null(many[8]);
	for (int i = 0; i < 9; i++)
		clpac_store_destroy(many[i]);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
	ck_assert_int_eq(rmdir(folder), 0);
}
