/* The promises of clpac/memory/store.h, on every device. */
#include "store_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include <clpac/memory/store.h>
#include <clpac/memory/trace.h>
#include <clpac/memory/buffer.h>
#include "memory/pool/pool.h"
#include "random.h"
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

START_TEST(several_arrays_live_under_one_key)
{
	enum { SAMPLES = 3000 };
	static float samples[SAMPLES], found[SAMPLES];
	static uint8_t marks[7], found_marks[7];
	clpac_entry *entry = NULL;
	size_t n = 0;
	for (int i = 0; i < SAMPLES; i++)
		samples[i] = (float)i / 7;
	random_bytes(1, marks, sizeof marks);
	const clpac_stored_array arrays[] = {
		{.name = "marks", .type = "uint8", .shape = {7}, .bytes = sizeof marks, .data = marks},
		{.name = "samples", .type = "float32", .shape = {3, 1000}, .bytes = sizeof samples, .data = samples},
	};
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = 8 << 20}}, (clpac_store_options){0});
	OK(clpac_store_save(store, "both", 2, arrays, &(clpac_metadata){.text = "about"}, CLPAC_PUT_FAIL, &err));
	assert_refused(clpac_store_save(store, "both", 2, arrays, NULL, CLPAC_PUT_FAIL, &err), err,
		       CLPAC_ERROR_ARGUMENT, "already");
	for (int round = 0; round < 2; round++) {
		OK(clpac_store_acquire(store, "both", &entry, &err));
		const clpac_stored_array *listed = clpac_entry_arrays(entry, &n);
		ck_assert_uint_eq(n, 2);
		ck_assert_str_eq(listed[0].name, "marks");
		ck_assert_ptr_null(listed[0].data);
		const clpac_stored_array *array = clpac_entry_array(entry, "samples");
		ck_assert_ptr_eq(array, &listed[1]);
		ck_assert_str_eq(array->type, "float32");
		ck_assert_uint_eq(array->shape[1], 1000);
		ck_assert_uint_eq(array->offset % CLPAC_ARRAY_ALIGNMENT, 0);
		ck_assert_uint_ge(array->offset, sizeof marks);
		ck_assert_ptr_null(clpac_entry_array(entry, "spectra"));
		OK(clpac_buffer_read(clpac_entry_buffer(entry), array->offset, array->bytes, found, &err));
		ck_assert_mem_eq(found, samples, sizeof samples);
		OK(clpac_store_get(store, "both", listed[0].offset, sizeof marks, found_marks, &err));
		ck_assert_mem_eq(found_marks, marks, sizeof marks);
		ck_assert_str_eq(clpac_entry_metadata(entry)->text, "about");
		clpac_entry_release(entry);
		/* To a file, as one. */
		ck_assert_uint_gt(clpac_store_evict(store, pool, 1), 0);
	}
	/* A single array needs no name, and an entry of clpac_store_put has none. */
	OK(clpac_store_save(store, "one", 1, &(clpac_stored_array){.bytes = 4, .data = samples}, NULL, CLPAC_PUT_FAIL,
			    &err));
	OK(clpac_store_acquire(store, "one", &entry, &err));
	ck_assert_uint_eq(clpac_entry_bytes(entry), 4);
	ck_assert_str_eq(clpac_entry_arrays(entry, &n)->name, "");
	clpac_entry_release(entry);
	put(0);
	OK(clpac_store_look(store, key_of(0), &entry, &err));
	ck_assert_ptr_null(clpac_entry_arrays(entry, &n));
	ck_assert_uint_eq(n, 0);
	clpac_entry_release(entry);
	close_target();
}

/* The error bound of clpac_store_save_half, at any scale. */
START_TEST(halves_come_back_within_their_bound_at_any_scale)
{
	enum { SAMPLES = 10000, FIRST = 77 };
	static const double scales[] = {1, 1e-6, 1e6, 1e38, 1e-38, 1e-44};
	static float samples[SAMPLES], found[SAMPLES];
	unsigned long long state = 11;
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = 8 << 20}},
		    (clpac_store_options){.host_bytes = 1 << 20});
	for (size_t scale = 0; scale < COUNT(scales); scale++) {
		double largest = 0;
		for (int i = 0; i < SAMPLES; i++) {
			const double part = ldexp(2 * random_unit(&state) - 1, -(int)random_below(&state, 50));
			samples[i] = (float)(scales[scale] * part);
			largest = fmax(largest, fabs((double)samples[i]));
		}
		samples[100] = NAN;
		samples[101] = -INFINITY;
		samples[102] = 0;
		const clpac_stored_array array = {.name = "samples",
						  .type = "float32",
						  .shape = {SAMPLES},
						  .bytes = sizeof samples,
						  .data = samples};
		OK(clpac_store_save_half(store, "half", 1, &array, NULL, CLPAC_PUT_REPLACE, &err));
		clpac_store_evict(store, pool, 1);
		OK(clpac_store_get_floats(store, "half", "samples", FIRST, SAMPLES - FIRST, found + FIRST, &err));
		for (int i = FIRST; i < SAMPLES; i++) {
			const double x = (double)samples[i], most = fmax(0x1p-11 * fabs(x), 0x1p-39 * largest);
			if (i == 100)
				assert_in_model(isnan(found[i]), scale, i);
			else if (i == 101)
				assert_in_model(found[i] == -INFINITY, scale, i);
			else /* the float that it comes back as is rounded too where it is subnormal */
				assert_in_model(fabs((double)found[i] - x) <= most + 0x1p-150, scale, i);
		}
		clpac_entry *entry = NULL;
		OK(clpac_store_acquire(store, "half", &entry, &err));
		ck_assert_uint_eq(clpac_entry_array(entry, "samples")->bytes, SAMPLES * 2);
		ck_assert_int_eq(strncmp(clpac_entry_array(entry, "samples")->type, "float16*2^", 10), 0);
		clpac_entry_release(entry);
	}
	assert_refused(clpac_store_get_floats(store, "half", "samples", SAMPLES, 1, found, &err), err,
		       CLPAC_ERROR_ARGUMENT, "are not in array");
	assert_refused(clpac_store_get_floats(store, "half", "other", 0, 1, found, &err), err, CLPAC_ERROR_ARGUMENT,
		       "no array \"other\"");
	const clpac_stored_array whole = {.name = "n", .type = "int32", .bytes = 8, .data = samples};
	assert_refused(clpac_store_save_half(store, "n", 1, &whole, NULL, CLPAC_PUT_FAIL, &err), err,
		       CLPAC_ERROR_ARGUMENT, "float32");
	OK(clpac_store_save(store, "n", 1, &whole, NULL, CLPAC_PUT_FAIL, &err));
	assert_refused(clpac_store_get_floats(store, "n", "n", 0, 1, found, &err), err, CLPAC_ERROR_ARGUMENT, "int32");
	close_target();
}

START_TEST(arrays_that_make_no_sense_are_refused)
{
	clpac_buffer *buffer = NULL;
	const uint8_t byte = 1;
	const clpac_stored_array good = {.name = "a", .bytes = 1, .data = &byte};
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = 8 << 20}}, (clpac_store_options){0});
	OK(clpac_pool_allocate(pool, 100, "law", &buffer, &err));
	const struct {
		clpac_stored_array array;
		const char *words;
	} cases[] = {
		{{.name = "b", .offset = 100, .bytes = 1}, "\"k\": the 1 bytes of array \"b\" from byte 100 on"},
		{{.name = "b", .offset = 1, .bytes = SIZE_MAX}, "are not in a buffer of 100 bytes"},
		{{.name = "b", .offset = SIZE_MAX, .bytes = 2}, "are not in a buffer of 100 bytes"},
		{{.name = "b"}, "array \"b\" has 0 bytes"},
		{{.name = "a", .bytes = 1}, "two arrays are called \"a\""},
		{{.name = "b", .type = "0123456789abcdef", .bytes = 1}, "array \"b\" has no end"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_refused(clpac_store_put_arrays(store, "k", buffer, 2,
						      (clpac_stored_array[]){good, cases[i].array}, NULL,
						      CLPAC_PUT_FAIL, &err),
			       err, CLPAC_ERROR_ARGUMENT, cases[i].words);
	assert_refused(clpac_store_save(store, "k", 0, &good, NULL, CLPAC_PUT_FAIL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "0 arrays");
	assert_refused(clpac_store_save(store, "k", 1, &(clpac_stored_array){.bytes = 1}, NULL, CLPAC_PUT_FAIL, &err),
		       err, CLPAC_ERROR_ARGUMENT, "is NULL");
	assert_refused(clpac_store_save(store, "k", 2,
					(clpac_stored_array[]){good, {.name = "b", .bytes = SIZE_MAX, .data = &byte}},
					NULL, CLPAC_PUT_FAIL, &err),
		       err, CLPAC_ERROR_ARGUMENT, "beyond any buffer");
	ck_assert(!clpac_store_exists(store, "k"));
	/* A part of a larger buffer of the application's own. */
	OK(clpac_store_put_arrays(store, "k", buffer, 1, &(clpac_stored_array){.name = "a", .offset = 99, .bytes = 1},
				  NULL, CLPAC_PUT_FAIL, &err));
	close_target();
}

static clpac_status load_stored(void *user, clpac_store *of, const char *key, clpac_metadata *metadata,
				clpac_buffer **out, clpac_error *why)
{
	(void)of, (void)key, (void)metadata, (void)why;
	*out = user;
	return CLPAC_OK;
}

/* Whoever puts a buffer gives it away: nobody else can put it again, or release it. */
START_TEST(a_buffer_has_one_key_and_one_owner)
{
	static const clpac_put modes[] = {CLPAC_PUT_FAIL, CLPAC_PUT_REPLACE, CLPAC_PUT_KEEP};
	clpac_buffer *buffer = NULL;
	clpac_entry *entry = NULL;
	clpac_store *other = NULL;
	clpac_scope *scope = NULL;
	clpac_pool_statistics now;
	const char *both = "\"second\": its buffer is a store's already, under key \"entry 0\"";
	open_target(_i, &(clpac_pool_options){.budget = {.bytes = 8 << 20}},
		    (clpac_store_options){.host_bytes = 1 << 20});
	OK(clpac_store_create(pool, NULL, &other, &err));
	put(0);
	OK(clpac_store_acquire(store, key_of(0), &entry, &err));
	buffer = clpac_entry_buffer(entry);
	for (unsigned mode = 0; mode < COUNT(modes); mode++) {
		assert_refused(clpac_store_put(store, "second", buffer, NULL, modes[mode], &err), err,
			       CLPAC_ERROR_ARGUMENT, both);
		assert_refused(clpac_store_put(other, "second", buffer, NULL, modes[mode], &err), err,
			       CLPAC_ERROR_ARGUMENT, both);
	}
	assert_refused(clpac_store_put(store, key_of(0), buffer, NULL, CLPAC_PUT_REPLACE, &err), err,
		       CLPAC_ERROR_ARGUMENT, "under key \"entry 0\"");
	clpac_entry *loaded = NULL;
	assert_refused(clpac_store_fetch(store, "second", NULL, load_stored, buffer, &loaded, &err), err,
		       CLPAC_ERROR_ARGUMENT, both);
	ck_assert(!clpac_store_exists(store, "second"));
	check(0);
	/* Releasing it is as wrong. */
	clpac_buffer_release(buffer);
	assert_refused(clpac_buffer_release_after(buffer, 0, NULL, &err), err, CLPAC_ERROR_ARGUMENT, "entry 0");
	assert_refused(clpac_pool_release(pool, buffer, &err), err, CLPAC_ERROR_ARGUMENT, "entry 0");
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_ge(now.bad_releases, 2);
	uint64_t n = 0;
	assert_refused(clpac_pool_take_faults(pool, &n, &err), err, CLPAC_ERROR_ARGUMENT, "entry 0");
	clpac_entry_release(entry);
	/* Moved away and brought back, it is a store's again. */
	ck_assert_uint_gt(clpac_store_evict(store, pool, 1), 0);
	OK(clpac_store_acquire(store, key_of(0), &entry, &err));
	assert_refused(clpac_store_put(other, "second", clpac_entry_buffer(entry), NULL, CLPAC_PUT_FAIL, &err), err,
		       CLPAC_ERROR_ARGUMENT, both);
	clpac_entry_release(entry);
	/* A put that is refused leaves the buffer its owner's, also for the next put. */
	OK(clpac_pool_allocate(pool, BYTES, "law", &buffer, &err));
	assert_refused(clpac_store_put(store, key_of(0), buffer, NULL, CLPAC_PUT_FAIL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "already");
	OK(clpac_store_put(other, key_of(0), buffer, NULL, CLPAC_PUT_FAIL, &err));
	/* The end of a scope does not release what was put. */
	OK(clpac_scope_begin(pool, CLPAC_SCOPE_RELEASE, "scope", &scope, &err));
	put(1);
	OK(clpac_scope_end(scope, NULL, &err));
	OK(clpac_pool_take_faults(pool, NULL, &err));
	check(1);
	check(0);
	clpac_store_destroy(other);
	close_target();
}

TCase *store_laws(size_t n)
{
	TCase *laws = tcase_create("store laws");
	tcase_add_loop_test(laws, entries_keep_their_content_on_the_host_and_in_files, 0, (int)n);
	tcase_add_loop_test(laws, a_store_gives_way_to_requests_of_its_pool, 0, (int)n);
	tcase_add_loop_test(laws, a_buffer_has_one_key_and_one_owner, 0, (int)n);
	tcase_add_loop_test(laws, several_arrays_live_under_one_key, 0, (int)n);
	tcase_add_loop_test(laws, halves_come_back_within_their_bound_at_any_scale, 0, (int)n);
	tcase_add_loop_test(laws, arrays_that_make_no_sense_are_refused, 0, (int)n);
	tcase_add_loop_test(laws, work_still_pending_on_an_entry_is_in_what_is_moved, 0, (int)n);
	return laws;
}
