/* Entries evicted to the host and to files, and brought back with the same content; failures of files; the pool's
 * ladder. */
#include "runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "store_truth.h"

static simulated_device device;
static clpac_pool *pool;
static clpac_store *store;
static clpac_error err;
static char folder[64];

static void begin(const clpac_store_options *options, uint64_t pool_bytes)
{
	clpac_store_options own = *options;
	snprintf(folder, sizeof folder, "/tmp/clpac-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	if (own.folder)
		own.folder = folder;
	pool = open_pool(&device, pool_bytes, NULL);
	assert_works(clpac_store_create(pool, &own, &store, &err), err);
}

static void end(void)
{
	end_store(store, pool, &device);
	/* The store leaves nothing in the caller's folder. */
	ck_assert_msg(rmdir(folder) == 0, "%s: %s", folder, strerror(errno));
}

static clpac_store_statistics now(void)
{
	clpac_store_statistics statistics;
	clpac_store_measure(store, &statistics, sizeof statistics);
	return statistics;
}

static clpac_store_place place_of(const char *key)
{
	clpac_entry *entry = NULL;
	assert_works(clpac_store_look(store, key, &entry, &err), err);
	clpac_store_place place = clpac_entry_place(entry);
	ck_assert_int_eq(clpac_entry_buffer(entry) != NULL, place == CLPAC_ON_DEVICE);
	clpac_entry_release(entry);
	return place;
}

/* A file in the store's own folder within the test's: the n-th, or NULL. */
static const char *spill_file(unsigned n, char path[300])
{
	struct dirent *item;
	char inner[150] = "";
	DIR *outer = opendir(folder);
	while ((item = readdir(outer)))
		if (item->d_name[0] != '.')
			snprintf(inner, sizeof inner, "%s/%.60s", folder, item->d_name);
	closedir(outer);
	DIR *files = opendir(inner);
	const char *found = NULL;
	while (files && (item = readdir(files)))
		if (item->d_name[0] != '.' && !n--) {
			snprintf(path, 300, "%s/%.60s", inner, item->d_name);
			found = path;
		}
	closedir(files);
	return found;
}

TEST(what_leaves_the_device_goes_to_the_host_then_to_a_file_and_comes_back)
{
	begin(&(clpac_store_options){.device_bytes = 3000, .host_bytes = 2500, .folder = "here"}, 1 << 20);
	static const char *const keys[] = {"a", "b", "c", "d", "e", "f", "g"};
	for (int i = 0; i < 7; i++)
		put_pattern(store, pool, keys[i], 1000 + (size_t)i, i);
	ck_assert_int_eq(place_of("a"), CLPAC_IN_FILE);
	ck_assert_int_eq(place_of("b"), CLPAC_IN_FILE);
	ck_assert_int_eq(place_of("c"), CLPAC_IN_FILE);
	ck_assert_int_eq(place_of("d"), CLPAC_ON_HOST);
	ck_assert_int_eq(place_of("e"), CLPAC_ON_HOST);
	ck_assert_int_eq(place_of("f"), CLPAC_ON_DEVICE);
	ck_assert_uint_eq(now().file_entries, 3);
	ck_assert_uint_eq(now().host_bytes, 2007);
	ck_assert_uint_eq(now().file_bytes, 3003);
	/* Read in place. */
	for (int i = 0; i < 7; i++)
		check_pattern(store, keys[i], 1000 + (size_t)i, i);
	ck_assert_int_eq(place_of("a"), CLPAC_IN_FILE);
	/* Brought back, from the host or a file. */
	for (int i = 0; i < 7; i++) {
		clpac_entry *entry = hold(store, keys[i]);
		check_buffer(clpac_entry_buffer(entry), 1000 + (size_t)i, i);
		clpac_entry_release(entry);
		ck_assert_int_eq(place_of(keys[i]), CLPAC_ON_DEVICE);
	}
	ck_assert_uint_eq(now().entries, 7);
	ck_assert_uint_eq(now().evictions, 0);
	ck_assert_uint_eq(now().spill_failures, 0);
	ck_assert_uint_ge(now().restores, 5);
	check_store(store);
	end();
}

TEST(contents_of_every_size_survive_a_file)
{
	enum { PIECE = 1 << 20 };
	static const size_t sizes[] = {1, 7, 8, 9, 4095, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 3};
	begin(&(clpac_store_options){.folder = "here"}, 8 << 20);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		put_pattern(store, pool, "a", sizes[i], (int)i);
		ck_assert_uint_eq(clpac_store_evict(store, pool, 1), clpac_pool_class(pool, sizes[i]));
		ck_assert_int_eq(place_of("a"), CLPAC_IN_FILE);
		check_pattern(store, "a", sizes[i], (int)i);
		unsigned char *expected = malloc(sizes[i]), found[5];
		make_pattern(expected, sizes[i], (int)i);
		/* Across the border of two pieces where there are two. */
		size_t from = sizes[i] > PIECE ? PIECE - 2 : sizes[i] / 2,
		       n = sizes[i] - from < 5 ? sizes[i] - from : 5;
		assert_works(clpac_store_get(store, "a", from, n, found, &err), err);
		ck_assert_mem_eq(found, expected + from, n);
		free(expected);
		clpac_entry *entry = hold(store, "a");
		check_buffer(clpac_entry_buffer(entry), sizes[i], (int)i);
		clpac_entry_release(entry);
		assert_works(clpac_store_delete(store, "a", &err), err);
	}
	end();
}

TEST(files_are_the_owners_alone_and_go_with_their_entries)
{
	char path[300];
	struct stat facts;
	begin(&(clpac_store_options){.folder = "here"}, 1 << 20);
	put_pattern(store, pool, "a", 100, 1);
	put_pattern(store, pool, "b", 100, 2);
	clpac_store_evict(store, pool, UINT64_MAX);
	ck_assert_uint_eq(now().file_entries, 2);
	ck_assert_ptr_nonnull(spill_file(1, path));
	ck_assert_int_eq(stat(path, &facts), 0);
	ck_assert_uint_eq(facts.st_mode & 0777, 0600);
	ck_assert_int_eq(facts.st_size, 100);
	*strrchr(path, '/') = 0;
	ck_assert_int_eq(stat(path, &facts), 0);
	ck_assert_uint_eq(facts.st_mode & 0777, 0700);
	assert_works(clpac_store_delete(store, "a", &err), err);
	ck_assert_ptr_null(spill_file(1, path));
	clpac_entry_release(hold(store, "b"));
	ck_assert_ptr_null(spill_file(0, path));
	clpac_store_evict(store, pool, UINT64_MAX);
	ck_assert_ptr_nonnull(spill_file(0, path));
	end();
}

TEST(a_changed_cut_or_missing_file_is_an_error_and_never_content)
{
	char path[300];
	unsigned char byte = 0;
	clpac_entry *entry = NULL;
	begin(&(clpac_store_options){.folder = "here"}, 1 << 20);
	put_pattern(store, pool, "a", 1000, 1);
	clpac_store_evict(store, pool, 1);
	ck_assert_ptr_nonnull(spill_file(0, path));
	for (int at = 0; at < 1000; at += 333) {
		int file = open(path, O_RDWR);
		ck_assert_int_eq(pread(file, &byte, 1, at), 1);
		byte ^= 1;
		ck_assert_int_eq(pwrite(file, &byte, 1, at), 1);
		assert_refused(clpac_store_acquire(store, "a", &entry, &err), err, CLPAC_ERROR_FORMAT, "checksum");
		assert_refused(clpac_store_get(store, "a", 999, 1, &byte, &err), err, CLPAC_ERROR_FORMAT, "\"a\"");
		ck_assert_int_eq(pread(file, &byte, 1, at), 1);
		byte ^= 1;
		ck_assert_int_eq(pwrite(file, &byte, 1, at), 1);
		close(file);
	}
	check_pattern(store, "a", 1000, 1);
	ck_assert_int_eq(truncate(path, 999), 0);
	assert_refused(clpac_store_acquire(store, "a", &entry, &err), err, CLPAC_ERROR_FORMAT, "999 bytes");
	ck_assert_int_eq(unlink(path), 0);
	assert_refused(clpac_store_acquire(store, "a", &entry, &err), err, CLPAC_ERROR_IO, "\"a\"");
	ck_assert_int_eq(err.native_code, ENOENT);
	ck_assert_ptr_null(entry);
	ck_assert_uint_eq(in_use(pool), 0);
	ck_assert_uint_eq(now().device_bytes, 0);
	ck_assert(clpac_store_exists(store, "a"));
	ck_assert_uint_eq(now().spill_failures, 6);
	assert_works(clpac_store_delete(store, "a", &err), err);
	end();
}

TEST(a_full_disk_is_an_error_and_the_entry_stays_where_it_was)
{
	char path[300];
	begin(&(clpac_store_options){.device_bytes = 2000, .folder = "here"}, 1 << 20);
	put_pattern(store, pool, "a", 1500, 1);
	clpac_buffer *buffer = take_pattern(pool, 1500, 2);
	struct rlimit limit = {500, RLIM_INFINITY}, before;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit.rlim_max = before.rlim_max;
	/* No assertion under the limit: Check keeps its messages in a file. */
	setrlimit(RLIMIT_FSIZE, &limit);
	clpac_status st = clpac_store_put(store, "b", buffer, NULL, CLPAC_PUT_FAIL, &err);
	uint64_t released = clpac_store_evict(store, pool, 1);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_refused(st, err, CLPAC_ERROR_IO, "\"a\"");
	ck_assert_int_eq(err.native_code, EFBIG);
	ck_assert_uint_eq(released, 0);
	ck_assert_int_eq(place_of("a"), CLPAC_ON_DEVICE);
	ck_assert_ptr_null(spill_file(0, path));
	ck_assert_uint_eq(now().spill_failures, 2);
	check_store(store);
	/* With room on the disk the same calls work. */
	assert_works(clpac_store_put(store, "b", buffer, NULL, CLPAC_PUT_FAIL, &err), err);
	check_pattern(store, "a", 1500, 1);
	check_pattern(store, "b", 1500, 2);
	end();
}

TEST(what_fits_nowhere_is_dropped)
{
	begin(&(clpac_store_options){.device_bytes = 1000, .host_bytes = 400}, 1 << 20);
	put_pattern(store, pool, "large", 600, 1);
	put_pattern(store, pool, "small", 300, 2);
	put_pattern(store, pool, "more", 600, 3);
	ck_assert(!clpac_store_exists(store, "large"));
	put_pattern(store, pool, "again", 300, 4);
	ck_assert_int_eq(place_of("small"), CLPAC_ON_HOST);
	/* The host's least recently used entry is evicted for the next. */
	put_pattern(store, pool, "last", 600, 5);
	ck_assert(!clpac_store_exists(store, "more"));
	put_pattern(store, pool, "end", 350, 6);
	ck_assert_int_eq(place_of("again"), CLPAC_ON_HOST);
	ck_assert(!clpac_store_exists(store, "small"));
	check_pattern(store, "again", 300, 4);
	clpac_buffer *buffer = take_pattern(pool, 1001, 7);
	assert_refused(clpac_store_put(store, "huge", buffer, NULL, CLPAC_PUT_FAIL, &err), err,
		       CLPAC_ERROR_NO_DEVICE_MEMORY, "at most 1000");
	clpac_buffer_release(buffer);
	end();
}

TEST(bringing_one_back_never_drops_that_one)
{
	begin(&(clpac_store_options){.device_bytes = 500, .host_bytes = 500}, 1 << 20);
	put_pattern(store, pool, "a", 500, 1);
	put_pattern(store, pool, "b", 500, 2);
	ck_assert_int_eq(place_of("a"), CLPAC_ON_HOST);
	clpac_entry *a = hold(store, "a");
	check_buffer(clpac_entry_buffer(a), 500, 1);
	clpac_entry_release(a);
	/* The host was full of "a" when "b" was evicted for it. */
	ck_assert(!clpac_store_exists(store, "b"));
	/* While all is held on the device, nothing can come back, and nothing is lost. */
	put_pattern(store, pool, "c", 500, 3);
	clpac_entry *c = hold(store, "c"), *refused = NULL;
	assert_refused(clpac_store_acquire(store, "a", &refused, &err), err, CLPAC_ERROR_NO_DEVICE_MEMORY, "held");
	clpac_entry_release(c);
	check_pattern(store, "a", 500, 1);
	check_store(store);
	end();
}

/* The keys that the callback was told, and whether each dropped entry could still be found. */
static char told[400];
static bool was_found;

static void note(void *user, clpac_store *from, const clpac_entry *entry, clpac_eviction what)
{
	static const char *const words[] = {"host", "file", "dropped"};
	const char *key = clpac_entry_key(entry);
	ck_assert_ptr_eq(user, told);
	snprintf(told + strlen(told), sizeof told - strlen(told), "%s:%s:%s ", key, words[what],
		 clpac_entry_metadata(entry)->type);
	if (what == CLPAC_DROPPED) {
		clpac_entry *found = NULL;
		was_found |= clpac_store_exists(from, key);
		was_found |= clpac_store_acquire(from, key, &found, NULL) == CLPAC_OK;
		/* The callback may use the store, and even put the same key. */
		if (strcmp(key, "again") == 0)
			put_pattern(from, clpac_store_pool(from), key, 10, 9);
	}
}

TEST(the_callback_hears_of_each_eviction_and_finds_no_dropped_key)
{
	begin(&(clpac_store_options){.device_bytes = 1000,
				     .host_bytes = 500,
				     .folder = "here",
				     .file_bytes = 500,
				     .evicted = note,
				     .user = told},
	      1 << 20);
	for (int i = 0; i < 5; i++) {
		char key[8];
		clpac_metadata about = {.type = "t"};
		snprintf(key, sizeof key, "%d", i);
		about.type[1] = (char)('0' + i);
		assert_works(clpac_store_put(store, key, take_pattern(pool, 500, i), &about, CLPAC_PUT_FAIL, &err),
			     err);
	}
	ck_assert_str_eq(told, "0:host:t0 0:file:t0 1:host:t1 0:dropped:t0 1:file:t1 2:host:t2 ");
	ck_assert_uint_eq(clpac_store_delete_prefix(store, NULL), 4);
	*told = 0;
	put_pattern(store, pool, "again", 600, 1);
	put_pattern(store, pool, "b", 1000, 2);
	ck_assert_str_eq(told, "again:dropped: again:host: ");
	ck_assert(!was_found);
	check_pattern(store, "again", 10, 9);
	check_pattern(store, "b", 1000, 2);
	end();
}

static clpac_entry *brought_meanwhile;

static void bring_a_meanwhile(void *user, clpac_store *from, const clpac_entry *entry, clpac_eviction what)
{
	bool *is_wanted = user;
	(void)entry, (void)what;
	if (!*is_wanted)
		return;
	*is_wanted = false;
	brought_meanwhile = hold(from, "a");
}

TEST(an_entry_that_was_brought_back_meanwhile_is_found_and_counted)
{
	bool is_wanted = false;
	begin(
		&(clpac_store_options){
			.device_bytes = 2000, .host_bytes = 10000, .evicted = bring_a_meanwhile, .user = &is_wanted},
		1 << 20);
	put_pattern(store, pool, "a", 1000, 1);
	put_pattern(store, pool, "b", 1000, 2);
	put_pattern(store, pool, "c", 1000, 3);
	ck_assert_int_eq(place_of("a"), CLPAC_ON_HOST);
	const clpac_store_statistics before = now();
	/* While room is made for this request, its entry comes back by another. */
	is_wanted = true;
	clpac_entry *a = hold(store, "a");
	ck_assert_ptr_eq(a, brought_meanwhile);
	ck_assert_uint_eq(now().hits, before.hits + 2);
	ck_assert_uint_eq(now().misses, before.misses);
	ck_assert_uint_eq(now().restores, before.restores + 1);
	check_buffer(clpac_entry_buffer(a), 1000, 1);
	clpac_entry_release(a);
	clpac_entry_release(brought_meanwhile);
	check_store(store);
	end();
}

TEST(a_pool_without_room_gets_it_from_the_store)
{
	begin(&(clpac_store_options){.host_bytes = 8192}, 8192);
	static const char *const keys[] = {"a", "b", "c", "d", "e", "f", "g"};
	for (int i = 0; i < 7; i++)
		put_pattern(store, pool, keys[i], 1024, i);
	ck_assert_uint_eq(in_use(pool), 7168);
	ck_assert_uint_eq(now().reliefs, 0);
	clpac_entry *held = hold(store, "b");
	clpac_entry_release(hold(store, "a"));
	clpac_buffer *buffer = take(pool, 2048);
	ck_assert_int_eq(place_of("c"), CLPAC_ON_HOST);
	ck_assert_int_eq(place_of("a"), CLPAC_ON_DEVICE);
	clpac_pool_statistics of_pool;
	clpac_pool_measure(pool, &of_pool, sizeof of_pool);
	ck_assert_uint_ge(of_pool.ladder[CLPAC_LADDER_EVICT], 1);
	ck_assert_uint_ge(now().reliefs, 1);
	ck_assert_uint_ge(now().relieved_bytes, 1024);
	clpac_buffer *large = take(pool, 4096);
	ck_assert_uint_ge(now().relieved_bytes, 4096);
	ck_assert_uint_eq(now().evictions, 0);
	ck_assert_uint_ge(now().spills_to_host, 4);
	check_buffer(clpac_entry_buffer(held), 1024, 1);
	/* Held entries stay, and the request fails with its own text. */
	clpac_buffer *refused = NULL;
	assert_refused(clpac_pool_allocate(pool, 4096, "too large", &refused, &err), err, CLPAC_ERROR_NO_DEVICE_MEMORY,
		       "too large");
	check_buffer(clpac_entry_buffer(held), 1024, 1);
	clpac_entry_release(held);
	clpac_buffer_release(buffer);
	clpac_buffer_release(large);
	/* Bringing an entry back uses the same ladder. */
	for (int i = 0; i < 7; i++)
		if (clpac_store_exists(store, keys[i])) {
			held = hold(store, keys[i]);
			check_buffer(clpac_entry_buffer(held), 1024, i);
			clpac_entry_release(held);
		}
	end();
}

TEST(a_pool_gets_room_only_from_its_own_entries)
{
	simulated_device elsewhere;
	clpac_pool *second = open_pool(&elsewhere, 4096, NULL);
	begin(&(clpac_store_options){0}, 4096);
	assert_works(clpac_store_add_pool(store, second, &err), err);
	put_pattern(store, pool, "first", 4096, 1);
	put_pattern(store, second, "second", 4096, 2);
	clpac_buffer *buffer = take(second, 4096);
	ck_assert(clpac_store_exists(store, "first"));
	ck_assert(!clpac_store_exists(store, "second"));
	clpac_buffer_release(buffer);
	end();
	clpac_pool_destroy(second);
	check_nothing_left(&elsewhere);
}
