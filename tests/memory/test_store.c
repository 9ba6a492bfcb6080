/* The store alone: put, find, hold, delete and count entries, and the order in which they are evicted. */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void end(void)
{
	end_store(store, pool, &device);
}

static clpac_store_statistics now(void)
{
	clpac_store_statistics statistics;
	clpac_store_measure(store, &statistics, sizeof statistics);
	return statistics;
}

TEST(what_was_put_is_found_under_its_key)
{
	begin(NULL);
	clpac_metadata about = {.type = "float32",
				.shape = {2, 50},
				.file = "a.edf",
				.file_bytes = 7,
				.file_time_ns = -3,
				.text = "band=alpha"};
	clpac_buffer *buffer = take_pattern(pool, 400, 1);
	assert_works(clpac_store_put(store, "a", buffer, &about, CLPAC_PUT_FAIL, &err), err);
	clpac_entry *entry = hold(store, "a");
	ck_assert_ptr_eq(clpac_entry_buffer(entry), buffer);
	ck_assert_str_eq(clpac_entry_key(entry), "a");
	ck_assert_uint_eq(clpac_entry_bytes(entry), 400);
	ck_assert_ptr_eq(clpac_entry_pool(entry), pool);
	ck_assert_int_eq(clpac_entry_place(entry), CLPAC_ON_DEVICE);
	const clpac_metadata *found = clpac_entry_metadata(entry);
	ck_assert_str_eq(found->type, "float32");
	ck_assert_uint_eq(found->shape[1], 50);
	ck_assert_str_eq(found->file, "a.edf");
	ck_assert_ptr_ne(found->file, about.file);
	ck_assert_uint_eq(found->file_bytes, 7);
	ck_assert_int_eq(found->file_time_ns, -3);
	ck_assert_str_eq(found->text, "band=alpha");
	clpac_entry_release(entry);
	check_pattern(store, "a", 400, 1);
	put_pattern(store, pool, "b", 10, 2);
	entry = hold(store, "b");
	ck_assert_str_eq(clpac_entry_metadata(entry)->file, "");
	ck_assert_str_eq(clpac_entry_metadata(entry)->text, "");
	clpac_entry_release(entry);
	ck_assert(clpac_store_exists(store, "a"));
	ck_assert(!clpac_store_exists(store, "c"));
	ck_assert(!clpac_store_exists(store, ""));
	ck_assert_ptr_eq(clpac_store_pool(store), pool);
	end();
}

TEST(keys_of_every_length_and_number_are_kept_apart)
{
	enum { N = 3000 };
	char key[200];
	begin(NULL);
	for (int i = 0; i < N; i++) {
		snprintf(key, sizeof key, "%0*d", 1 + i % 150, i);
		clpac_buffer *buffer = NULL;
		assert_works(clpac_pool_allocate(pool, sizeof i, "key", &buffer, &err), err);
		assert_works(clpac_buffer_write(buffer, 0, sizeof i, &i, &err), err);
		assert_works(clpac_store_put(store, key, buffer, NULL, CLPAC_PUT_FAIL, &err), err);
	}
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < N; i++) {
			int found = -1;
			snprintf(key, sizeof key, "%0*d", 1 + i % 150, i);
			if (round && i % 3 == 0) {
				assert_refused(clpac_store_get(store, key, 0, sizeof found, &found, &err), err,
					       CLPAC_ERROR_ARGUMENT, key);
				continue;
			}
			assert_works(clpac_store_get(store, key, 0, sizeof found, &found, &err), err);
			ck_assert_int_eq(found, i);
			if (!round && i % 3 == 0)
				assert_works(clpac_store_delete(store, key, &err), err);
		}
	ck_assert_uint_eq(now().entries, N - N / 3);
	end();
}

TEST(a_key_that_is_there_fails_is_replaced_or_kept)
{
	begin(NULL);
	put_pattern(store, pool, "a", 100, 1);
	clpac_buffer *buffer = take_pattern(pool, 200, 2);
	assert_refused(clpac_store_put(store, "a", buffer, NULL, CLPAC_PUT_FAIL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "\"a\" already");
	check_pattern(store, "a", 100, 1);
	/* The buffer still belongs to the caller. */
	assert_works(clpac_store_put(store, "a", buffer, NULL, CLPAC_PUT_KEEP, &err), err);
	check_pattern(store, "a", 100, 1);
	ck_assert_uint_eq(in_use(pool), clpac_pool_class(pool, 100));
	assert_works(clpac_store_put(store, "a", take_pattern(pool, 300, 3), NULL, CLPAC_PUT_REPLACE, &err), err);
	check_pattern(store, "a", 300, 3);
	ck_assert_uint_eq(in_use(pool), clpac_pool_class(pool, 300));

	/* A holder of the old entry keeps it. */
	clpac_entry *old = hold(store, "a");
	assert_works(clpac_store_put(store, "a", take_pattern(pool, 50, 4), NULL, CLPAC_PUT_REPLACE, &err), err);
	check_buffer(clpac_entry_buffer(old), 300, 3);
	check_pattern(store, "a", 50, 4);
	ck_assert_uint_eq(now().device_bytes, 350);
	ck_assert_uint_eq(now().entries, 1);
	clpac_entry_release(old);
	ck_assert_uint_eq(now().device_bytes, 50);
	ck_assert_uint_eq(now().puts, 3);
	ck_assert_uint_eq(now().replaced, 2);
	end();
}

TEST(a_deleted_entry_lives_until_its_last_holder_releases_it)
{
	begin(NULL);
	put_pattern(store, pool, "a", 100, 1);
	clpac_entry *first = hold(store, "a"), *second = hold(store, "a");
	clpac_entry_hold(second);
	assert_works(clpac_store_delete(store, "a", &err), err);
	ck_assert(!clpac_store_exists(store, "a"));
	assert_refused(clpac_store_delete(store, "a", &err), err, CLPAC_ERROR_ARGUMENT, "no entry \"a\"");
	clpac_entry_release(first);
	clpac_entry_release(second);
	check_buffer(clpac_entry_buffer(second), 100, 1);
	ck_assert_uint_ne(in_use(pool), 0);
	clpac_entry_release(second);
	ck_assert_uint_eq(in_use(pool), 0);
	ck_assert_uint_eq(now().deleted, 1);
	ck_assert_uint_eq(now().device_bytes, 0);
	end();
}

TEST(one_release_too_many_is_ignored_and_counted)
{
	begin(NULL);
	put_pattern(store, pool, "a", 100, 1);
	clpac_entry *entry = hold(store, "a");
	clpac_entry_release(entry);
	clpac_entry_release(entry);
	clpac_entry_release(NULL);
	ck_assert_uint_eq(now().bad_releases, 1);
	check_pattern(store, "a", 100, 1);
	end();
}

TEST(the_least_recently_used_goes_first)
{
	begin(&(clpac_store_options){.device_bytes = 500});
	static const char *const keys[] = {"a", "b", "c", "d", "e"};
	for (int i = 0; i < 5; i++)
		put_pattern(store, pool, keys[i], 100, i);
	/* Used in the order c, a, e, b, d by different means. */
	clpac_entry_release(hold(store, "c"));
	clpac_entry_release(hold(store, "a"));
	check_pattern(store, "e", 100, 4);
	clpac_entry_release(hold(store, "b"));
	clpac_entry_release(hold(store, "d"));
	static const char *const going[] = {"c", "a", "e", "b", "d"};
	for (int i = 0; i < 5; i++) {
		char key[8];
		snprintf(key, sizeof key, "new%d", i);
		ck_assert(clpac_store_exists(store, going[i]));
		put_pattern(store, pool, key, 100, i);
		ck_assert_msg(!clpac_store_exists(store, going[i]), "%s is still there", going[i]);
		ck_assert_uint_eq(now().entries, 5);
	}
	ck_assert_uint_eq(now().evictions, 5);
	ck_assert_uint_eq(now().evicted_bytes, 500);
	ck_assert_uint_eq(now().peak_device_bytes, 500);
	end();
}

/* Against the definition: the sum over all uses, each halved by age, of every entry; the victim has the smallest. */
TEST(the_least_often_used_goes_first_where_uses_fade)
{
	enum { KEYS = 40, KEPT = 12, ROUNDS = 1500, BYTES = 10 };
	static const uint64_t half_lives[] = {1, 7, 50, 100000};
	for (size_t k = 0; k < COUNT(half_lives); k++) {
		double sums[KEYS] = {0};
		unsigned long long state = 3 + k;
		begin(&(clpac_store_options){.device_bytes = KEPT * BYTES, .frequency_half_life = half_lives[k]});
		const double fading = exp2(-1.0 / (double)half_lives[k]);
		for (int round = 0; round < ROUNDS; round++) {
			/* Low keys are used more often. */
			const unsigned used = (unsigned)random_below(&state, 1 + random_below(&state, KEYS));
			char key[8];
			snprintf(key, sizeof key, "%u", used);
			if (clpac_store_exists(store, key)) {
				clpac_entry_release(hold(store, key));
			} else {
				double least = INFINITY;
				int n_before = 0;
				for (int i = 0; i < KEYS; i++)
					n_before += sums[i] > 0;
				for (int i = 0; i < KEYS && n_before == KEPT; i++)
					least = sums[i] > 0 && sums[i] < least ? sums[i] : least;
				put_pattern(store, pool, key, BYTES, (int)used);
				for (int i = 0; i < KEYS; i++) {
					char other[8];
					snprintf(other, sizeof other, "%d", i);
					if (!(sums[i] > 0) || clpac_store_exists(store, other))
						continue;
					/* Stamps count in 64ths of a use. */
					const double slack = exp2(2.0 / 64 / (double)half_lives[k]);
					ck_assert_msg(sums[i] <= least * slack,
						      "half-life %llu, round %d: %d with %g was evicted before %g",
						      (unsigned long long)half_lives[k], round, i, sums[i], least);
					sums[i] = 0;
				}
			}
			for (int i = 0; i < KEYS; i++)
				sums[i] *= fading;
			sums[used] += 1;
		}
		ck_assert_uint_gt(now().evictions, 100);
		end();
	}
}

TEST(no_more_entries_than_allowed_stay)
{
	begin(&(clpac_store_options){.max_entries = 2});
	put_pattern(store, pool, "a", 100, 1);
	put_pattern(store, pool, "b", 100, 2);
	clpac_entry_release(hold(store, "a"));
	put_pattern(store, pool, "c", 100, 3);
	ck_assert(clpac_store_exists(store, "a"));
	ck_assert(!clpac_store_exists(store, "b"));
	/* A replacement takes no further place, even when all entries are held. */
	clpac_entry *a = hold(store, "a"), *c = hold(store, "c");
	assert_works(clpac_store_put(store, "c", take_pattern(pool, 10, 4), NULL, CLPAC_PUT_REPLACE, &err), err);
	clpac_buffer *buffer = take_pattern(pool, 10, 5);
	clpac_entry *new = hold(store, "c");
	assert_refused(clpac_store_put(store, "d", buffer, NULL, CLPAC_PUT_FAIL, &err), err,
		       CLPAC_ERROR_NO_DEVICE_MEMORY, "at most 2");
	clpac_buffer_release(buffer);
	clpac_entry_release(a);
	clpac_entry_release(c);
	clpac_entry_release(new);
	end();
}

TEST(what_is_held_or_pinned_stays)
{
	begin(&(clpac_store_options){.device_bytes = 300});
	put_pattern(store, pool, "a", 100, 1);
	put_pattern(store, pool, "b", 100, 2);
	put_pattern(store, pool, "c", 100, 3);
	clpac_entry *a = hold(store, "a");
	assert_works(clpac_store_pin(store, "b", &err), err);
	assert_works(clpac_store_pin(store, "b", &err), err);
	put_pattern(store, pool, "d", 100, 4);
	ck_assert(!clpac_store_exists(store, "c"));
	assert_works(clpac_store_pin(store, "d", &err), err);
	clpac_buffer *buffer = take_pattern(pool, 100, 5);
	assert_refused(clpac_store_put(store, "e", buffer, NULL, CLPAC_PUT_FAIL, &err), err,
		       CLPAC_ERROR_NO_DEVICE_MEMORY, "at most 300");
	ck_assert_uint_eq(now().referenced_entries, 1);
	ck_assert_uint_eq(now().pinned_entries, 2);

	/* One unpin of two is not enough; a release is. */
	assert_works(clpac_store_unpin(store, "b", &err), err);
	assert_refused(clpac_store_put(store, "e", buffer, NULL, CLPAC_PUT_FAIL, &err), err,
		       CLPAC_ERROR_NO_DEVICE_MEMORY, "held or pinned");
	clpac_entry_release(a);
	assert_works(clpac_store_put(store, "e", buffer, NULL, CLPAC_PUT_FAIL, &err), err);
	ck_assert(!clpac_store_exists(store, "a"));
	assert_works(clpac_store_unpin(store, "b", &err), err);
	assert_refused(clpac_store_unpin(store, "b", &err), err, CLPAC_ERROR_ARGUMENT, "not pinned");
	put_pattern(store, pool, "f", 100, 6);
	ck_assert(!clpac_store_exists(store, "b"));
	assert_refused(clpac_store_pin(store, "b", &err), err, CLPAC_ERROR_ARGUMENT, "no entry");
	/* Pinned entries can be deleted. */
	assert_works(clpac_store_delete(store, "d", &err), err);
	end();
}

TEST(a_batch_goes_in_as_a_whole_or_not_at_all)
{
	begin(&(clpac_store_options){.device_bytes = 400, .max_entries = 3});
	clpac_buffer *buffers[4];
	clpac_put_item items[4];
	static const char *const keys[] = {"w", "x", "y", "z"};
	for (int i = 0; i < 4; i++) {
		buffers[i] = take_pattern(pool, 100, i);
		items[i] = (clpac_put_item){.key = keys[i], .buffer = buffers[i]};
	}
	assert_refused(clpac_store_put_batch(store, 4, items, CLPAC_PUT_FAIL, &err), err, CLPAC_ERROR_NO_DEVICE_MEMORY,
		       "at most 3");
	ck_assert_uint_eq(now().entries, 0);
	ck_assert_uint_eq(now().device_bytes, 0);
	put_pattern(store, pool, "x", 50, 9);
	assert_refused(clpac_store_put_batch(store, 3, items, CLPAC_PUT_FAIL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "\"x\"");
	ck_assert_uint_eq(now().entries, 1);
	items[2].key = "w";
	assert_refused(clpac_store_put_batch(store, 3, items, CLPAC_PUT_REPLACE, &err), err, CLPAC_ERROR_ARGUMENT,
		       "twice");
	items[2] = (clpac_put_item){.key = "y", .buffer = buffers[0]};
	assert_refused(clpac_store_put_batch(store, 3, items, CLPAC_PUT_REPLACE, &err), err, CLPAC_ERROR_ARGUMENT,
		       "\"y\": its buffer is a store's already, under key \"w\"");
	items[2].buffer = buffers[2];
	assert_works(clpac_store_put_batch(store, 3, items, CLPAC_PUT_KEEP, &err), err);
	check_pattern(store, "w", 100, 0);
	check_pattern(store, "x", 50, 9);
	check_pattern(store, "y", 100, 2);
	assert_works(clpac_store_put_batch(store, 0, NULL, CLPAC_PUT_FAIL, &err), err);

	clpac_entry *entries[3] = {0};
	assert_refused(clpac_store_acquire_batch(store, 3, (const char *const[]){"w", "gone", "y"}, entries, &err), err,
		       CLPAC_ERROR_ARGUMENT, "gone");
	ck_assert_ptr_null(entries[0]);
	ck_assert_uint_eq(now().referenced_entries, 0);
	assert_works(clpac_store_acquire_batch(store, 3, (const char *const[]){"w", "x", "w"}, entries, &err), err);
	ck_assert_ptr_eq(entries[0], entries[2]);
	ck_assert_uint_eq(now().referenced_entries, 2);
	clpac_entry_release_batch(entries, 3);
	ck_assert_ptr_null(entries[1]);
	ck_assert_uint_eq(now().referenced_entries, 0);
	clpac_buffer_release(buffers[3]);
	end();
}

TEST(keys_are_listed_by_prefix_and_pattern)
{
	begin(NULL);
	static const char *const keys[] = {"b/1/x", "a/1/x", "a/1/y", "a/2/x", "ab", "\xc3\xa4/1"};
	for (size_t i = 0; i < COUNT(keys); i++)
		put_pattern(store, pool, keys[i], 8, (int)i);
	static const struct {
		const char *prefix, *pattern, *found;
	} cases[] = {
		{NULL, NULL, "a/1/x a/1/y a/2/x ab b/1/x \xc3\xa4/1 "},
		{"a/", NULL, "a/1/x a/1/y a/2/x "},
		{"", "*x", "a/1/x a/2/x b/1/x "},
		{"a", "*/?/x", "a/1/x a/2/x "},
		{NULL, "[ab]/1/*", "a/1/x a/1/y b/1/x "},
		{NULL, "[!a]/1/*", "b/1/x "},
		{NULL, "[b-z]*", "b/1/x "},
		{NULL, "?/1", "\xc3\xa4/1 "},
		{NULL, "a\\b", "ab "},
		{NULL, "*a*1*", "a/1/x a/1/y "},
		{NULL, "", ""},
		{"c", NULL, ""},
		{NULL, "[a", ""},
		{NULL, "**", "a/1/x a/1/y a/2/x ab b/1/x \xc3\xa4/1 "},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char found[200] = "";
		clpac_key_list list = {0};
		assert_works(clpac_store_list(store, cases[i].prefix, cases[i].pattern, &list, &err), err);
		for (size_t k = 0; k < list.n; k++)
			strcat(strcat(found, list.keys[k]), " ");
		ck_assert_str_eq(found, cases[i].found);
		clpac_key_list_clear(&list);
	}
	clpac_key_list list = {0};
	assert_survives_failing_allocations(clpac_store_list(store, NULL, NULL, &list, &err),
					    clpac_key_list_clear(&list));

	clpac_entry *held = hold(store, "a/1/x");
	ck_assert_uint_eq(clpac_store_delete_prefix(store, "a/"), 3);
	ck_assert(clpac_store_exists(store, "ab"));
	check_buffer(clpac_entry_buffer(held), 8, 1);
	clpac_entry_release(held);
	ck_assert_uint_eq(clpac_store_delete_prefix(store, NULL), 3);
	ck_assert_uint_eq(now().entries, 0);
	ck_assert_uint_eq(in_use(pool), 0);
	end();
}

TEST(keys_have_one_normal_spelling)
{
	static const char *const cases[][2] = {
		{"a", "a"},
		{"  a b\t", "a b"},
		{"/data//x.edf", "/data/x.edf"},
		{"./data/./x.edf/", "data/x.edf"},
		{" / data / x ", "/data/x"},
		{"///a", "/a"},
		{"a/../b", "a/../b"},
		{"A/\xc3\xa9/.hidden", "A/\xc3\xa9/.hidden"},
		{"a\\b", "a\\b"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *normal = NULL, *again = NULL;
		assert_works(clpac_key_normalise(cases[i][0], &normal, &err), err);
		ck_assert_str_eq(normal, cases[i][1]);
		assert_works(clpac_key_normalise(normal, &again, &err), err);
		ck_assert_str_eq(again, normal);
		clpac_text_free(normal);
		clpac_text_free(again);
	}
	static const char *const nothing[] = {"", " ", "/", " // . / ", "."};
	for (size_t i = 0; i < COUNT(nothing); i++) {
		char *normal = NULL;
		assert_refused(clpac_key_normalise(nothing[i], &normal, &err), err, CLPAC_ERROR_ARGUMENT,
			       "nothing is left");
		ck_assert_ptr_null(normal);
	}
}

TEST(a_pattern_of_many_stars_costs_no_more_than_lengths_multiplied)
{
	char text[4000], pattern[201];
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = 0;
	for (size_t i = 0; i < 100; i++)
		memcpy(pattern + 2 * i, "*a", 2);
	strcpy(pattern + 199, "b");
	ck_assert(!clpac__matches(pattern, text));
	ck_assert(clpac__matches("[]]", "]"));
	ck_assert(clpac__matches("[^]]", "a"));
	ck_assert(!clpac__matches("[a-]", "b"));
	ck_assert(clpac__matches("[a-]", "-"));
	ck_assert(clpac__matches("\\*", "*"));
	ck_assert(!clpac__matches("\\*", "a"));
	ck_assert(clpac__matches("a\\", "a\\"));
}

TEST(scopes_release_what_they_took)
{
	begin(NULL);
	put_pattern(store, pool, "a", 8, 1);
	put_pattern(store, pool, "b", 8, 2);
	clpac_store_scope *outer, *middle, *inner, *other;
	clpac_entry *entry;
	assert_works(clpac_store_scope_open(store, NULL, &outer, &err), err);
	assert_works(clpac_store_scope_open(store, outer, &middle, &err), err);
	assert_refused(clpac_store_scope_open(store, outer, &other, &err), err, CLPAC_ERROR_ARGUMENT, "open scope");
	assert_works(clpac_store_scope_open(store, middle, &inner, &err), err);
	for (int i = 0; i < 20; i++)
		assert_works(clpac_store_scope_acquire(inner, "a", &entry, &err), err);
	assert_works(clpac_store_scope_take(outer, hold(store, "b"), &err), err);
	assert_refused(clpac_store_scope_acquire(inner, "gone", &entry, &err), err, CLPAC_ERROR_ARGUMENT, "gone");
	ck_assert_uint_eq(now().referenced_entries, 2);
	clpac_store_scope_close(middle);
	ck_assert_uint_eq(now().referenced_entries, 1);
	/* The outer scope can now have another inner one, and closes it together with itself. */
	assert_works(clpac_store_scope_open(store, outer, &other, &err), err);
	assert_works(clpac_store_scope_acquire(other, "a", &entry, &err), err);
	ck_assert_uint_eq(now().referenced_entries, 2);
	clpac_store_scope_close(outer);
	clpac_store_scope_close(NULL);
	ck_assert_uint_eq(now().referenced_entries, 0);
	ck_assert_uint_eq(now().bad_releases, 0);
	end();
}

TEST(wrong_arguments_are_refused_in_words)
{
	simulated_device elsewhere;
	clpac_pool *foreign = open_pool(&elsewhere, 1 << 16, NULL);
	assert_refused(clpac_store_create(NULL, NULL, &store, &err), err, CLPAC_ERROR_ARGUMENT, "pool");
	begin(NULL);
	clpac_store *refused = NULL;
	assert_refused(clpac_store_create(pool, &(clpac_store_options){.file_bytes = 1}, &refused, &err), err,
		       CLPAC_ERROR_ARGUMENT, "folder");
	assert_refused(clpac_store_create(pool, &(clpac_store_options){.folder = "/nowhere/at/all"}, &refused, &err),
		       err, CLPAC_ERROR_IO, "/nowhere/at/all");
	clpac_buffer *buffer = take(pool, 10), *other = take(foreign, 10);
	clpac_entry *entry = NULL;
	clpac_metadata endless;
	memset(&endless, 0, sizeof endless);
	memset(endless.type, 'x', sizeof endless.type);
	char byte;
	assert_refused(clpac_store_put(store, "", buffer, NULL, CLPAC_PUT_FAIL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "key");
	assert_refused(clpac_store_put(store, NULL, buffer, NULL, CLPAC_PUT_FAIL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "key");
	assert_refused(clpac_store_put(store, "a", NULL, NULL, CLPAC_PUT_FAIL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "NULL");
	assert_refused(clpac_store_put(store, "a", other, NULL, CLPAC_PUT_FAIL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "pool");
	assert_refused(clpac_store_put(store, "a", buffer, &endless, CLPAC_PUT_FAIL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "type");
	assert_refused(clpac_store_put(store, "a", buffer, NULL, (clpac_put)9, &err), err, CLPAC_ERROR_ARGUMENT, "9");
	assert_refused(clpac_store_acquire(store, "a", &entry, &err), err, CLPAC_ERROR_ARGUMENT, "\"a\"");
	assert_refused(clpac_store_look(store, "a", &entry, &err), err, CLPAC_ERROR_ARGUMENT, "\"a\"");
	assert_refused(clpac_store_get(store, "a", 0, 1, &byte, &err), err, CLPAC_ERROR_ARGUMENT, "\"a\"");
	ck_assert_ptr_null(entry);
	assert_works(clpac_store_put(store, "a", buffer, NULL, CLPAC_PUT_FAIL, &err), err);
	assert_refused(clpac_store_get(store, "a", 10, 1, &byte, &err), err, CLPAC_ERROR_ARGUMENT, "of 10 bytes");
	assert_refused(clpac_store_get(store, "a", SIZE_MAX, 2, &byte, &err), err, CLPAC_ERROR_ARGUMENT, "of 10 bytes");
	assert_works(clpac_store_get(store, "a", 10, 0, NULL, &err), err);
	ck_assert_uint_eq(now().misses, 3);

	/* Adding a pool makes its buffers acceptable. */
	assert_works(clpac_store_add_pool(store, foreign, &err), err);
	assert_works(clpac_store_add_pool(store, foreign, &err), err);
	assert_works(clpac_store_put(store, "b", other, NULL, CLPAC_PUT_FAIL, &err), err);
	entry = hold(store, "b");
	ck_assert_ptr_eq(clpac_entry_pool(entry), foreign);
	clpac_entry_release(entry);
	end();
	clpac_pool_destroy(foreign);
	check_nothing_left(&elsewhere);
}

TEST(every_number_is_in_text_and_json)
{
	clpac_store_statistics numbers = {.entries = 1, .device_bytes = 2, .hit_rate = 0.25, .bad_releases = 3};
	char *text = NULL;
	assert_works(clpac_store_statistics_json(&numbers, &text, &err), err);
	ck_assert_ptr_eq(strstr(text, "{\"entries\": 1, \"device_entries\": 0, "), text);
	ck_assert_ptr_nonnull(strstr(text, "\"device_bytes\": 2, "));
	ck_assert_ptr_nonnull(strstr(text, "\"hit_rate\": 0.25, "));
	ck_assert_ptr_nonnull(strstr(text, "\"bad_releases\": 3}"));
	clpac_text_free(text);
	assert_works(clpac_store_statistics_text(&numbers, &text, &err), err);
	ck_assert_ptr_nonnull(strstr(text, "bytes on the device     2 B\n"));
	ck_assert_ptr_nonnull(strstr(text, "hit rate                25 %\n"));
	clpac_text_free(text);
	assert_survives_failing_allocations(clpac_store_statistics_json(&numbers, &text, &err), clpac_text_free(text));
	assert_survives_failing_allocations(clpac_store_statistics_text(&numbers, &text, &err), clpac_text_free(text));
	for (int i = 0; i <= CLPAC_STORE_PLACES; i++)
		ck_assert_str_eq(clpac_store_place_text((clpac_store_place)i),
				 ((const char *const[]){"device", "host", "file", "unknown place"})[i]);
}

TEST(hits_and_misses_are_counted)
{
	begin(NULL);
	put_pattern(store, pool, "a", 8, 1);
	clpac_entry *entry;
	for (int i = 0; i < 3; i++)
		clpac_entry_release(hold(store, "a"));
	clpac_store_acquire(store, "b", &entry, NULL);
	ck_assert_uint_eq(now().hits, 3);
	ck_assert_uint_eq(now().misses, 1);
	assert_close(now().hit_rate, 0.75, 0);
	end();
}
