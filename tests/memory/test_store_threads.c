/* Threads share a store too small for them, in a pool too small for it: a held buffer keeps its content, a released one
 * is never found, each key is loaded by one thread at a time, and the counts are right in the end.  Meant for
 * ThreadSanitizer too. */
#include "runner.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "store_truth.h"

enum { N_THREADS = 4, N_KEYS = 24, N_ROUNDS = 2500, MAX_WORDS = 40 };

struct shared {
	clpac_store *store;
	clpac_pool *pool;
	atomic_uint n_wrong, n_failed, n_loads, n_told, n_held;
	atomic_uint loading[N_KEYS];
	atomic_ullong last_content;
};

struct worker {
	struct shared *shared;
	unsigned long long state;
};

static void name_key(size_t i, char key[32])
{
	snprintf(key, 32, "%s/%zu", i % 3 ? "some" : "other", i);
}

/* Words computed from the first, which identifies the owner: a buffer recycled too early would show. */
static clpac_status make_content(struct shared *shared, size_t i, size_t n, clpac_buffer **out, clpac_error *err)
{
	uint64_t words[MAX_WORDS];
	unsigned long long state = atomic_fetch_add(&shared->last_content, 1) << 8 | i;
	for (size_t k = 0; k < n; k++) {
		words[k] = state;
		random_bits(&state);
	}
	clpac_buffer *buffer = NULL;
	clpac_status st = clpac_pool_allocate(shared->pool, n * sizeof *words, "thread", &buffer, err);
	if (st == CLPAC_OK)
		st = clpac_buffer_write(buffer, 0, n * sizeof *words, words, err);
	if (st == CLPAC_OK)
		*out = buffer;
	else
		clpac_buffer_release(buffer);
	return st;
}

static bool is_content_of(size_t i, const uint64_t *words, size_t n)
{
	unsigned long long state = words[0];
	bool is_right = (words[0] & 255) == i;
	for (size_t k = 0; k < n; k++) {
		is_right &= words[k] == state;
		random_bits(&state);
	}
	return is_right;
}

static void expect(struct shared *shared, clpac_status st)
{
	if (st != CLPAC_OK && st != CLPAC_ERROR_ARGUMENT && st != CLPAC_ERROR_NO_DEVICE_MEMORY)
		atomic_fetch_add(&shared->n_failed, 1);
}

static void verify(struct shared *shared, size_t i, clpac_entry *entry)
{
	uint64_t words[MAX_WORDS];
	clpac_buffer *buffer = clpac_entry_buffer(entry);
	size_t bytes = clpac_entry_bytes(entry);
	for (int again = 0; again < 2; again++) {
		if (!buffer || clpac_buffer_bytes(buffer) != bytes ||
		    clpac_buffer_read(buffer, 0, bytes, words, NULL) != CLPAC_OK ||
		    !is_content_of(i, words, bytes / sizeof *words))
			atomic_fetch_add(&shared->n_wrong, 1);
		sched_yield();
	}
	atomic_fetch_add(&shared->n_held, 1);
	clpac_entry_release(entry);
}

static clpac_status load(void *user, clpac_store *store, const char *key, clpac_metadata *metadata, clpac_buffer **out,
			 clpac_error *err)
{
	struct shared *shared = user;
	size_t i = (size_t)atoi(strchr(key, '/') + 1);
	(void)store;
	(void)metadata;
	if (atomic_fetch_add(&shared->loading[i], 1) != 0)
		atomic_fetch_add(&shared->n_wrong, 1);
	sched_yield();
	clpac_status st = make_content(shared, i, MAX_WORDS / 2, out, err);
	atomic_fetch_sub(&shared->loading[i], 1);
	atomic_fetch_add(&shared->n_loads, 1);
	return st;
}

static void note(void *user, clpac_store *store, const clpac_entry *entry, clpac_eviction what)
{
	struct shared *shared = user;
	clpac_entry *found = NULL;
	size_t i = (size_t)atoi(strchr(clpac_entry_key(entry), '/') + 1);
	(void)what;
	/* Content found under the key now is whole. */
	if (clpac_store_look(store, clpac_entry_key(entry), &found, NULL) == CLPAC_OK) {
		uint64_t words[MAX_WORDS];
		clpac_buffer *buffer = clpac_entry_buffer(found);
		size_t bytes = clpac_entry_bytes(found);
		if (buffer && (clpac_buffer_read(buffer, 0, bytes, words, NULL) != CLPAC_OK ||
			       !is_content_of(i, words, bytes / sizeof *words)))
			atomic_fetch_add(&shared->n_wrong, 1);
		clpac_entry_release(found);
	}
	atomic_fetch_add(&shared->n_told, 1);
}

static void put(struct shared *shared, size_t i, const char *key, unsigned long long *state)
{
	clpac_buffer *buffer = NULL;
	clpac_status st = make_content(shared, i, 1 + random_below(state, MAX_WORDS), &buffer, NULL);
	expect(shared, st);
	if (st != CLPAC_OK)
		return;
	st = clpac_store_put(shared->store, key, buffer, NULL, (clpac_put)random_below(state, 3), NULL);
	expect(shared, st);
	if (st != CLPAC_OK)
		clpac_buffer_release(buffer);
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct shared *shared = worker->shared;
	unsigned long long *state = &worker->state;
	for (int round = 0; round < N_ROUNDS; round++) {
		char key[32];
		size_t i = random_below(state, N_KEYS);
		unsigned choice = (unsigned)random_below(state, 100);
		clpac_entry *entry = NULL;
		clpac_status st = CLPAC_OK;
		name_key(i, key);
		if (choice < 25) {
			put(shared, i, key, state);
		} else if (choice < 60) {
			st = clpac_store_acquire(shared->store, key, &entry, NULL);
			if (st == CLPAC_OK)
				verify(shared, i, entry);
		} else if (choice < 80) {
			st = clpac_store_fetch(shared->store, key, NULL, load, shared, &entry, NULL);
			if (st == CLPAC_OK)
				verify(shared, i, entry);
		} else if (choice < 88) {
			uint64_t word = 0;
			st = clpac_store_get(shared->store, key, 0, sizeof word, &word, NULL);
			if (st == CLPAC_OK && (word & 255) != i)
				atomic_fetch_add(&shared->n_wrong, 1);
		} else if (choice < 93) {
			st = clpac_store_delete(shared->store, key, NULL);
		} else if (choice < 95) {
			clpac_store_delete_prefix(shared->store, "other/1");
		} else if (choice < 97) {
			clpac_store_evict(shared->store, shared->pool, 400);
		} else {
			clpac_key_list list = {0};
			clpac_store_statistics now;
			st = clpac_store_list(shared->store, "some", "*", &list, NULL);
			clpac_key_list_clear(&list);
			clpac_store_measure(shared->store, &now, sizeof now);
		}
		expect(shared, st);
	}
	return NULL;
}

static void run(uint64_t pool_bytes, const clpac_store_options *options)
{
	simulated_device device;
	clpac_error err;
	pthread_t threads[N_THREADS];
	struct worker workers[N_THREADS];
	struct shared shared = {.last_content = 1};
	clpac_store_options own = *options;
	char folder[] = "/tmp/clpac-test-XXXXXX";
	ck_assert_ptr_nonnull(mkdtemp(folder));
	own.folder = own.file_bytes ? folder : NULL;
	own.evicted = note;
	own.user = &shared;
	shared.pool = open_pool(&device, pool_bytes, NULL);
	device.yields = 1;
	assert_works(clpac_store_create(shared.pool, &own, &shared.store, &err), err);
	for (int i = 0; i < N_THREADS; i++) {
		workers[i] = (struct worker){&shared, 77u * (unsigned)(i + 1)};
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(shared.n_wrong, 0);
	ck_assert_uint_eq(shared.n_failed, 0);
	ck_assert_uint_gt(shared.n_loads, 10);
	ck_assert_uint_gt(shared.n_told, 10);
	ck_assert_uint_gt(shared.n_held, N_ROUNDS / 2);
	clpac_store_statistics now;
	clpac_store_measure(shared.store, &now, sizeof now);
	ck_assert_uint_eq(now.bad_releases, 0);
	ck_assert_uint_eq(now.spill_failures, 0);
	ck_assert_uint_eq(now.loads, shared.n_loads);
	ck_assert_uint_eq(now.evictions + now.spills_to_host + now.spills_to_file, shared.n_told);
	end_store(shared.store, shared.pool, &device);
	ck_assert_int_eq(rmdir(folder), 0);
}

SECONDS(60);

TEST(threads_share_a_store_that_drops)
{
	run(1 << 20, &(clpac_store_options){.device_bytes = 3000});
}

TEST(threads_share_a_store_that_moves_to_host_and_files)
{
	run(1 << 20, &(clpac_store_options){.device_bytes = 2000, .host_bytes = 1000, .file_bytes = 2000});
}

TEST(threads_share_a_store_in_a_pool_without_room)
{
	run(4096, &(clpac_store_options){.host_bytes = 2000, .max_entries = 20});
}
