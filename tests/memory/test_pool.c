/* The pool in normal operation: allocations served by the cache and by the driver, and a buffer as its owner sees
 * it. */
#include "runner.h"

#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include <clpac/memory/statistics.h>
#include "assertions.h"
#include "memory/pool/pool.h"
#include "pool_truth.h"

enum { MEBIBYTE = 1 << 20 };

TEST(a_released_block_serves_the_next_request_of_its_class_without_a_driver_call)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEBIBYTE, NULL);
	clpac_buffer *first = take(pool, 1000);
	clpac__block *block = clpac__buffer_block(first);
	ck_assert_uint_eq(simulated_size(block), 1024);
	clpac_buffer_release(first);

	clpac_buffer *second = take(pool, 1020);
	ck_assert_ptr_eq(clpac__buffer_block(second), block);
	ck_assert_uint_eq(device.n_calls, 1);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.hits, 1);
	ck_assert_uint_eq(now.misses, 1);
	ck_assert(now.hit_rate == 0.5);
	check_truth(pool, &device);

	clpac_buffer_release(second);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(the_block_used_last_is_used_next)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEBIBYTE, NULL);
	clpac_buffer *buffers[3] = {take(pool, 64), take(pool, 64), take(pool, 64)};
	clpac__block *blocks[3];
	for (int i = 0; i < 3; i++)
		blocks[i] = clpac__buffer_block(buffers[i]);
	clpac_buffer_release_batch(buffers, 3);
	for (int i = 0; i < 3; i++) {
		ck_assert_ptr_null(buffers[i]);
		buffers[i] = take(pool, 64);
		ck_assert_ptr_eq(clpac__buffer_block(buffers[i]), blocks[2 - i]);
	}
	clpac_buffer_release_batch(buffers, 3);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

/* The number of blocks of a class that stay cached after so many releases by one thread. */
static unsigned long kept_of(clpac_pool *pool, const simulated_device *device, int n)
{
	clpac_buffer *buffers[100];
	for (int i = 0; i < n; i++)
		buffers[i] = take(pool, 100);
	clpac_buffer_release_batch(buffers, (size_t)n);
	check_truth(pool, device);
	return device->live_blocks;
}

TEST(no_more_blocks_of_a_class_are_kept_than_the_options_say)
{
	for (unsigned kept = 1; kept <= 9; kept++) {
		simulated_device device;
		clpac_pool *pool =
			open_pool(&device, MEBIBYTE, &(clpac_pool_options){.cache = {.max_kept_per_class = kept}});
		ck_assert_uint_eq(kept_of(pool, &device, 20), kept);
		clpac_pool_destroy(pool);
		check_nothing_left(&device);
	}
}

TEST(by_default_eight_blocks_of_a_class_are_kept_and_eight_times_as_many_where_there_is_plenty)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEBIBYTE, NULL);
	ck_assert_uint_eq(kept_of(pool, &device, 100), 64);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);

	pool = open_pool(&device, MEBIBYTE, NULL);
	clpac_buffer *large = take(pool, MEBIBYTE * 3 / 8);
	ck_assert_uint_eq(kept_of(pool, &device, 100), 8 + 1);
	clpac_buffer_release(large);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(presets_keep_more_or_less_and_the_constrained_one_takes_less_of_the_device)
{
	static const struct {
		clpac_preset preset;
		unsigned kept;
		uint64_t budget;
	} cases[] = {{CLPAC_PRESET_BALANCED, 8, 921600},
		     {CLPAC_PRESET_THROUGHPUT, 32, 921600},
		     {CLPAC_PRESET_CONSTRAINED, 2, 614400}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		simulated_device device;
		simulated_open(&device, 1024000, 0);
		const clpac_pool_options options = {.preset = cases[i].preset,
						    .cache = {.blocks = CLPAC_BLOCKS_WHOLE},
						    .budget = {.minimum_free_bytes = 1}};
		clpac_pool *pool = NULL;
		ck_assert_int_eq(clpac__pool_create(&device.queue, &options, 0, &pool, NULL), CLPAC_OK);
		ck_assert_uint_eq(clpac_pool_budget(pool), cases[i].budget);
		clpac_buffer *large = take(pool, 400000);
		ck_assert_uint_eq(kept_of(pool, &device, 100), cases[i].kept + 1);
		clpac_buffer_release(large);
		clpac_pool_destroy(pool);
		check_nothing_left(&device);
	}
}

TEST(a_buffer_tells_what_it_is)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEBIBYTE, &(clpac_pool_options){.cache = {.classes_per_octave = 16}});
	clpac_buffer *spectrum = NULL, *nameless = NULL;
	ck_assert_int_eq(clpac_pool_allocate(pool, 1025, "spectrum", &spectrum, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_pool_allocate(pool, 1025, NULL, &nameless, NULL), CLPAC_OK);
	ck_assert_uint_eq(clpac_buffer_bytes(spectrum), 1025);
	ck_assert_uint_eq(clpac_buffer_class(spectrum), 1088);
	ck_assert_uint_eq(clpac_pool_class(pool, 1025), 1088);
	ck_assert_uint_eq(clpac_pool_class(pool, 0), 0);
	ck_assert_uint_eq(clpac_pool_class(pool, SIZE_MAX), 0);
	ck_assert_str_eq(clpac_buffer_tag(spectrum), "spectrum");
	ck_assert_str_eq(clpac_buffer_tag(nameless), "");
	ck_assert_ptr_eq(clpac_buffer_pool(spectrum), pool);
	ck_assert_ptr_eq(clpac_pool_queue(pool), &device.queue);
	ck_assert_uint_eq(clpac_pool_budget(pool), MEBIBYTE);

	uint64_t id = clpac_buffer_id(nameless);
	ck_assert_uint_eq(clpac_buffer_id(spectrum), 1);
	ck_assert_uint_eq(id, 2);
	clpac_buffer_release(nameless);
	nameless = take(pool, 1030);
	ck_assert_uint_eq(clpac_buffer_id(nameless), 3);
	clpac_buffer_release(nameless);
	clpac_buffer_release(spectrum);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(what_is_written_filled_and_copied_is_read_back)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEBIBYTE, NULL);
	clpac_buffer *a = take(pool, 10), *b = take(pool, 10);
	ck_assert_int_eq(clpac_buffer_write(a, 0, 10, "0123456789", NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_fill(b, 0, 10, '.', NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_copy(a, 2, b, 5, 3, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_copy(b, 5, b, 0, 5, NULL), CLPAC_OK);
	char text[11] = {0};
	ck_assert_int_eq(clpac_buffer_read(b, 0, 10, text, NULL), CLPAC_OK);
	ck_assert_str_eq(text, "234..234..");
	ck_assert_int_eq(clpac_buffer_read(a, 9, 1, text, NULL), CLPAC_OK);
	ck_assert_int_eq(text[0], '9');
	clpac_buffer_release(a);
	clpac_buffer_release(b);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(a_transfer_outside_the_bytes_asked_for_is_refused_with_the_numbers)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEBIBYTE, NULL);
	static const struct {
		size_t offset, bytes;
	} outside[] = {{0, 1001}, {1, 1000}, {1000, 1}, {1001, 0}, {SIZE_MAX, 1}, {1, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}};
	clpac_buffer *buffer = take(pool, 1000), *other = take(pool, 2000);
	unsigned long n_calls = device.n_calls;
	char byte = 0;
	clpac_error err;
	for (size_t i = 0; i < COUNT(outside); i++) {
		size_t offset = outside[i].offset, bytes = outside[i].bytes;
		ck_assert_int_eq(clpac_buffer_write(buffer, offset, bytes, &byte, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_int_eq(clpac_buffer_read(buffer, offset, bytes, &byte, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_int_eq(clpac_buffer_fill(buffer, offset, bytes, 0, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_int_eq(clpac_buffer_copy(buffer, offset, other, 0, bytes, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_int_eq(clpac_buffer_copy(other, 0, buffer, offset, bytes, &err), CLPAC_ERROR_ARGUMENT);
	}
	clpac_buffer_write(buffer, 990, 20, &byte, &err);
	ck_assert_str_eq(err.text, "write: 20 bytes from byte 990 on are not in buffer \"test\" of 1000 bytes");
	ck_assert_int_eq(clpac_buffer_write(NULL, 0, 1, &byte, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_buffer_copy(buffer, 0, NULL, 0, 1, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_buffer_write(buffer, 1000, 0, NULL, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_read(buffer, 0, 0, NULL, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_fill(buffer, 0, 0, 0, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_copy(buffer, 0, other, 0, 0, NULL), CLPAC_OK);
	ck_assert_uint_eq(device.n_calls, n_calls);
	clpac_buffer_release(buffer);
	clpac_buffer_release(other);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(a_copy_that_overlaps_is_refused_and_one_to_another_device_made)
{
	simulated_device here, there;
	clpac_pool *pool = open_pool(&here, MEBIBYTE, NULL), *elsewhere = open_pool(&there, MEBIBYTE, NULL);
	clpac_buffer *buffer = take(pool, 100), *foreign = take(elsewhere, 100);
	clpac_error err;
	ck_assert_int_eq(clpac_buffer_copy(buffer, 0, buffer, 9, 10, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_buffer_copy(buffer, 9, buffer, 0, 10, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "overlap"));
	ck_assert_int_eq(clpac_buffer_copy(buffer, 0, buffer, 10, 10, &err), CLPAC_OK);
	char found[10] = "";
	ck_assert_int_eq(clpac_buffer_write(buffer, 3, 4, "text", &err), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_copy(buffer, 3, foreign, 9, 4, &err), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_read(foreign, 9, 4, found, &err), CLPAC_OK);
	ck_assert_str_eq(found, "text");
	clpac_buffer_release(buffer);
	clpac_buffer_release(foreign);
	clpac_pool_destroy(pool);
	clpac_pool_destroy(elsewhere);
	check_nothing_left(&here);
	check_nothing_left(&there);
}

TEST(a_second_release_is_ignored_and_counted_and_a_released_buffer_has_no_content)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEBIBYTE, NULL);
	clpac_buffer *buffer = take(pool, 100);
	clpac_buffer_release(buffer);
	clpac_buffer_release(buffer);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.bad_releases, 1);
	ck_assert_uint_eq(now.pooled_buffers, 1);
	check_truth(pool, &device);
	clpac_error err;
	ck_assert_int_eq(clpac_buffer_fill(buffer, 0, 1, 0, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, "fill: buffer 1 was released before");
	clpac_buffer_release(NULL);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(a_buffer_that_outlives_its_pool_keeps_its_memory_until_it_is_released)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEBIBYTE, NULL);
	clpac_buffer *buffers[3] = {take(pool, 100), take(pool, 100), take(pool, 5000)};
	clpac_buffer_release(buffers[1]);
	clpac_pool_destroy(pool);
	clpac_pool_destroy(NULL);
	ck_assert_uint_gt(device.live_blocks, 0);
	clpac_error err;
	unsigned char byte = 0;
	ck_assert_ptr_null(clpac_buffer_pool(buffers[0]));
	ck_assert_int_eq(clpac_buffer_fill(buffers[2], 0, 1, 7, &err), CLPAC_OK);
	clpac_buffer_release(buffers[0]);
	ck_assert_int_eq(clpac_buffer_read(buffers[2], 0, 1, &byte, &err), CLPAC_OK);
	ck_assert_uint_eq(byte, 7);
	clpac_buffer_release(buffers[2]);
	check_nothing_left(&device);
}

TEST(a_fitting_job_makes_no_driver_call_after_warm_up)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEBIBYTE, NULL);
	/* 1000 and 1010 share a class: 15 blocks, more than are kept by default. */
	ck_assert_int_eq(clpac_pool_warm_up(pool, 3, (size_t[]){1000, 5000, 1010}, (size_t[]){12, 1, 3}, NULL),
			 CLPAC_OK);
	ck_assert_uint_eq(device.live_blocks, 16);
	check_truth(pool, &device);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.hits + now.misses + now.peak_in_use_bytes + now.peak_requested_bytes, 0);
	ck_assert_uint_eq(now.pooled_buffers, 16);

	unsigned long n_calls = device.n_calls, n_releases = device.n_releases;
	for (int round = 0; round < 3; round++) {
		clpac_buffer *buffers[16];
		for (int i = 0; i < 16; i++)
			buffers[i] = take(pool, i < 15 ? 1005 : 4999);
		clpac_buffer_release_batch(buffers, 16);
	}
	ck_assert_uint_eq(device.n_calls, n_calls);
	ck_assert_uint_eq(device.n_releases, n_releases);

	/* Blocks that are already cached count. */
	ck_assert_int_eq(clpac_pool_warm_up(pool, 1, (size_t[]){1000}, (size_t[]){14}, NULL), CLPAC_OK);
	ck_assert_uint_eq(device.n_calls, n_calls);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(a_batch_is_allocated_whole_or_not_at_all)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 4096, NULL);
	static const char *const tags[] = {"a", "b", "c"};
	clpac_buffer *out[3] = {0};
	clpac_error err;
	ck_assert_int_eq(clpac_pool_allocate_batch(pool, 3, (size_t[]){2048, 1024, 2048}, tags, out, &err),
			 CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_ptr_nonnull(strstr(err.text, "\"c\""));
	ck_assert(err.wanted_bytes == 2048 && err.available_bytes == 4096);
	ck_assert(!out[0] && !out[1] && !out[2]);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.active_buffers, 0);
	check_truth(pool, &device);

	ck_assert_int_eq(clpac_pool_allocate_batch(pool, 3, (size_t[]){2048, 1024, 1000}, tags, out, &err), CLPAC_OK);
	ck_assert_str_eq(clpac_buffer_tag(out[2]), "c");
	clpac_buffer_release_batch(out, 3);
	ck_assert_int_eq(clpac_pool_allocate_batch(pool, 2, (size_t[]){1, 2}, NULL, out, &err), CLPAC_OK);
	clpac_buffer_release_batch(out, 2);
	ck_assert_int_eq(clpac_pool_allocate_batch(pool, 0, NULL, NULL, NULL, &err), CLPAC_OK);
	ck_assert_int_eq(clpac_pool_allocate_batch(pool, SIZE_MAX, (size_t[]){1}, NULL, out, &err),
			 CLPAC_ERROR_NO_MEMORY);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(trim_and_clear_return_the_bytes_released_and_begin_with_the_oldest)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, MEBIBYTE, NULL);
	clpac_buffer *old = take(pool, 1024), *young = take(pool, 2048), *youngest = take(pool, 4096);
	clpac__block *kept = clpac__buffer_block(youngest);
	clpac_buffer_release(old);
	clpac_buffer_release(young);
	clpac_buffer_release(youngest);
	ck_assert_uint_eq(clpac_pool_trim(pool, 8000), 0);
	ck_assert_uint_eq(clpac_pool_trim(pool, 7000), 1024);
	ck_assert_uint_eq(clpac_pool_trim(pool, 6000), 2048);
	check_truth(pool, &device);
	youngest = take(pool, 4096);
	ck_assert_ptr_eq(clpac__buffer_block(youngest), kept);
	ck_assert_uint_eq(clpac_pool_clear(pool), 0);
	clpac_buffer_release(youngest);
	ck_assert_uint_eq(clpac_pool_clear(pool), 4096);
	ck_assert_uint_eq(device.live_blocks, 0);
	check_truth(pool, &device);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}
