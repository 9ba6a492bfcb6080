/* Loading through the store: once for all callers, again where the file changed, and whole or not at all. */
#include "runner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "store_truth.h"

static simulated_device device;
static clpac_pool *pool;
static clpac_store *store;
static clpac_error err;

static void begin(const clpac_store_options *options)
{
	pool = open_pool(&device, 1 << 20, NULL);
	assert_works(clpac_store_create(pool, options, &store, &err), err);
}

static clpac_store_statistics now(void)
{
	clpac_store_statistics statistics;
	clpac_store_measure(store, &statistics, sizeof statistics);
	return statistics;
}

struct loader {
	int which; /* the pattern's number */
	size_t bytes;
	unsigned naps_ms; /* how long a load takes */
	atomic_uint n_calls;
	unsigned n_failing;   /* this many calls fail first */
	const char *asks_for; /* a key that the loader itself fetches */
	bool makes_nothing;
};

/* Runs in any thread, so every fault is returned as an error of the fetch. */
static clpac_status load(void *user, clpac_store *of, const char *key, clpac_metadata *metadata, clpac_buffer **out,
			 clpac_error *error)
{
	struct loader *loader = user;
	unsigned number = atomic_fetch_add(&loader->n_calls, 1) + 1;
	if (clpac_store_exists(of, key))
		return clpac__fail(error, CLPAC_ERROR_INTERNAL, "%s is there while it is being loaded", key);
	for (unsigned i = 0; i < loader->naps_ms; i++)
		usleep(1000);
	if (loader->asks_for) {
		clpac_entry *entry = NULL;
		struct loader other = {.which = 50, .bytes = 60};
		clpac_status st = clpac_store_fetch(of, loader->asks_for, NULL, load, &other, &entry, error);
		clpac_entry_release(entry);
		if (st != CLPAC_OK)
			return st;
	}
	if (number <= loader->n_failing)
		return clpac__fail(error, CLPAC_ERROR_FORMAT, "broken on purpose");
	strcpy(metadata->type, "byte");
	metadata->shape[0] = loader->bytes;
	if (!loader->makes_nothing) {
		clpac_error why;
		unsigned char content[1000];
		clpac_buffer *buffer = NULL;
		make_pattern(content, loader->bytes, loader->which);
		if (clpac_pool_allocate(pool, loader->bytes, key, &buffer, &why) != CLPAC_OK) {
			*error = why;
			return why.status;
		}
		clpac_status st = clpac_buffer_write(buffer, 0, loader->bytes, content, error);
		if (st != CLPAC_OK) {
			clpac_buffer_release(buffer);
			return st;
		}
		*out = buffer;
	}
	return CLPAC_OK;
}

static clpac_entry *fetch(struct loader *loader, const clpac_metadata *about)
{
	clpac_entry *entry = NULL;
	assert_works(clpac_store_fetch(store, "a", about, load, loader, &entry, &err), err);
	check_buffer(clpac_entry_buffer(entry), loader->bytes, loader->which);
	return entry;
}

TEST(a_second_problem_on_the_same_file_loads_nothing)
{
	begin(&(clpac_store_options){.host_bytes = 1000});
	struct loader loader = {.which = 1, .bytes = 100};
	clpac_metadata about = {.file = "a.edf", .file_bytes = 10, .file_time_ns = 5};
	clpac_entry *first = fetch(&loader, &about), *second = fetch(&loader, &about), *third = fetch(&loader, NULL);
	ck_assert_ptr_eq(first, second);
	ck_assert_ptr_eq(first, third);
	ck_assert_str_eq(clpac_entry_metadata(first)->type, "byte");
	ck_assert_uint_eq(clpac_entry_metadata(first)->shape[0], 100);
	ck_assert_str_eq(clpac_entry_metadata(first)->file, "a.edf");
	clpac_entry_release(first);
	clpac_entry_release(second);
	clpac_entry_release(third);
	/* An entry evicted from the device is not loaded again either. */
	ck_assert_uint_ne(clpac_store_evict(store, pool, 1), 0);
	clpac_entry_release(fetch(&loader, &about));
	ck_assert_uint_eq(now().restores, 1);
	ck_assert_uint_eq(loader.n_calls, 1);
	ck_assert_uint_eq(now().loads, 1);
	ck_assert_uint_eq(now().loaded_bytes, 100);
	ck_assert_uint_eq(now().hits, 3);
	ck_assert_uint_eq(now().misses, 1);
	end_store(store, pool, &device);
}

TEST(a_changed_file_is_loaded_anew)
{
	begin(NULL);
	struct loader loader = {.which = 1, .bytes = 100};
	static const clpac_metadata versions[] = {
		{.file = "a.edf", .file_bytes = 10, .file_time_ns = 5},
		{.file = "a.edf", .file_bytes = 11, .file_time_ns = 5},
		{.file = "a.edf", .file_bytes = 11, .file_time_ns = 6},
		{.file = "b.edf", .file_bytes = 11, .file_time_ns = 6},
	};
	clpac_entry *first = fetch(&loader, &versions[0]);
	for (unsigned i = 1; i < 4; i++) {
		loader.which++;
		loader.bytes++;
		clpac_entry_release(fetch(&loader, &versions[i]));
		clpac_entry_release(fetch(&loader, &versions[i]));
		ck_assert_uint_eq(loader.n_calls, i + 1);
	}
	check_buffer(clpac_entry_buffer(first), 100, 1);
	clpac_entry_release(first);
	ck_assert_uint_eq(now().replaced, 3);
	ck_assert_uint_eq(now().entries, 1);
	ck_assert_uint_eq(in_use(pool), clpac_pool_class(pool, 103));
	end_store(store, pool, &device);
}

TEST(a_load_that_fails_leaves_nothing_and_the_next_one_tries)
{
	begin(&(clpac_store_options){.device_bytes = 100});
	struct loader loader = {.which = 1, .bytes = 100, .n_failing = 1};
	clpac_entry *entry = NULL;
	assert_refused(clpac_store_fetch(store, "a", NULL, load, &loader, &entry, &err), err, CLPAC_ERROR_FORMAT,
		       "on purpose");
	ck_assert_ptr_null(entry);
	ck_assert(!clpac_store_exists(store, "a"));
	struct loader lazy = {.makes_nothing = true};
	assert_refused(clpac_store_fetch(store, "a", NULL, load, &lazy, &entry, &err), err, CLPAC_ERROR_ARGUMENT,
		       "no buffer");
	struct loader large = {.bytes = 101};
	assert_refused(clpac_store_fetch(store, "a", NULL, load, &large, &entry, &err), err,
		       CLPAC_ERROR_NO_DEVICE_MEMORY, "at most 100");
	ck_assert_uint_eq(in_use(pool), 0);
	struct loader own = {.bytes = 10, .asks_for = "a"};
	assert_refused(clpac_store_fetch(store, "a", NULL, load, &own, &entry, &err), err, CLPAC_ERROR_ARGUMENT,
		       "this thread is loading it");
	check_store(store);
	clpac_entry_release(fetch(&loader, NULL));
	ck_assert_uint_eq(now().load_failures, 4);
	ck_assert_uint_eq(now().loads, 5);
	/* A loader may fetch another key. */
	struct loader asking = {.bytes = 10, .which = 3, .asks_for = "b"};
	assert_works(clpac_store_fetch(store, "c", NULL, load, &asking, &entry, &err), err);
	clpac_entry_release(entry);
	ck_assert(clpac_store_exists(store, "b"));
	end_store(store, pool, &device);
}

TEST(fetching_survives_every_failing_allocation)
{
	begin(NULL);
	struct loader loader = {.which = 1, .bytes = 100};
	clpac_entry *entry = NULL;
	assert_survives_failing_allocations(clpac_store_fetch(store, "a", NULL, load, &loader, &entry, &err),
					    clpac_entry_release(entry));
	ck_assert_uint_eq(now().entries, 1);
	end_store(store, pool, &device);
}

enum { N_THREADS = 6 };

static void *fetch_in_thread(void *loader)
{
	clpac_entry *entry = NULL;
	if (clpac_store_fetch(store, "a", NULL, load, loader, &entry, NULL) != CLPAC_OK)
		return NULL;
	clpac_entry_release(entry);
	return loader;
}

static unsigned fetch_in_threads(struct loader *loader)
{
	pthread_t threads[N_THREADS];
	unsigned n_served = 0;
	for (int i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, fetch_in_thread, loader), 0);
	for (int i = 0; i < N_THREADS; i++) {
		void *served;
		pthread_join(threads[i], &served);
		n_served += served != NULL;
	}
	return n_served;
}

TEST(threads_that_ask_at_the_same_time_load_once)
{
	begin(NULL);
	struct loader loader = {.which = 1, .bytes = 100, .naps_ms = 50};
	ck_assert_uint_eq(fetch_in_threads(&loader), N_THREADS);
	ck_assert_uint_eq(loader.n_calls, 1);
	ck_assert_uint_eq(now().loads, 1);
	ck_assert_uint_eq(now().misses, 1);
	ck_assert_uint_eq(now().hits, N_THREADS - 1);
	end_store(store, pool, &device);
}

TEST(after_a_failed_load_one_of_those_who_waited_tries)
{
	begin(NULL);
	struct loader loader = {.which = 1, .bytes = 100, .naps_ms = 20, .n_failing = 2};
	ck_assert_uint_eq(fetch_in_threads(&loader), N_THREADS - 2);
	ck_assert_uint_eq(loader.n_calls, 3);
	ck_assert_uint_eq(now().load_failures, 2);
	end_store(store, pool, &device);
}

struct deletion {
	pthread_t thread;
	clpac_status st;
	atomic_bool is_done;
};

static void *delete_in_thread(void *argument)
{
	struct deletion *deletion = argument;
	deletion->st = clpac_store_delete(store, "a", NULL);
	atomic_store(&deletion->is_done, true);
	return NULL;
}

static clpac_status load_and_look(void *user, clpac_store *of, const char *key, clpac_metadata *metadata,
				  clpac_buffer **out, clpac_error *error)
{
	struct deletion *deletion = user;
	ck_assert_int_eq(pthread_create(&deletion->thread, NULL, delete_in_thread, deletion), 0);
	usleep(20000);
	ck_assert(!atomic_load(&deletion->is_done));
	struct loader loader = {.which = 1, .bytes = 100};
	return load(&loader, of, key, metadata, out, error);
}

TEST(deleting_waits_for_the_load)
{
	begin(NULL);
	struct deletion deletion = {.st = CLPAC_OK};
	clpac_entry *entry = NULL;
	assert_works(clpac_store_fetch(store, "a", NULL, load_and_look, &deletion, &entry, &err), err);
	pthread_join(deletion.thread, NULL);
	ck_assert_int_eq(deletion.st, CLPAC_OK);
	ck_assert(atomic_load(&deletion.is_done));
	ck_assert(!clpac_store_exists(store, "a"));
	check_buffer(clpac_entry_buffer(entry), 100, 1);
	clpac_entry_release(entry);
	ck_assert_uint_eq(now().load_waits, 1);
	end_store(store, pool, &device);
}
