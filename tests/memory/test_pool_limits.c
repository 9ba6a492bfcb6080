/* The pool at its limits: the origin of the budget, evictions before a request is refused, and the pressure. */
#include "runner.h"

#include <stdio.h>
#include <math.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "memory/pool/blocks/ledger.h"
#include "memory/pool/pool.h"
#include "pool_truth.h"
#include "random.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

TEST(the_budget_is_the_smallest_of_its_limits)
{
	static const struct {
		uint64_t memory, free, budget;
		double fraction;
		uint64_t minimum, cap, expected;
	} cases[] = {
		/* 0.9 of 16 GiB leaves more than 512 MiB. */
		{16 * GIB, 0, 0, 0, 0, 0, (uint64_t)(0.9 * 16 * (double)GIB)},
		/* 0.9 of 4 GiB leaves less than 512 MiB. */
		{4 * GIB, 0, 0, 0, 0, 0, 4 * GIB - 512 * MIB},
		/* A quarter of a small device. */
		{1 * GIB, 0, 0, 0, 0, 0, 768 * MIB},
		{16 * GIB, 2 * GIB, 0, 0, 0, 0, 2 * GIB - 512 * MIB},
		{16 * GIB, 1 * GIB, 0, 0, 0, 0, 768 * MIB},
		/* A driver that reports more free memory than the device has. */
		{1 * GIB, 2 * GIB, 0, 1, 1, 0, 1 * GIB - 1},
		{16 * GIB, 0, 0, 0.5, 0, 0, 8 * GIB},
		{16 * GIB, 0, 0, 1, 3 * GIB, 0, 13 * GIB},
		{16 * GIB, 0, 5 * GIB, 0, 0, 0, 5 * GIB},
		{16 * GIB, 0, 5 * GIB, 0, 0, 4 * GIB, 4 * GIB},
		{16 * GIB, 0, 5 * GIB, 0, 0, 6 * GIB, 5 * GIB},
		{16 * GIB, 0, 50 * GIB, 1, 1, 0, 16 * GIB - 1},
		/* Neither size is known. */
		{0, 0, 0, 0, 0, 0, UINT64_MAX},
		{0, 0, 3, 0, 0, 0, 3},
		{0, 0, 0, 0, 0, 7, 7},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac_device device = {.memory_bytes = cases[i].memory, .free_bytes = cases[i].free};
		clpac_pool_options options = {.budget = {.bytes = cases[i].budget,
							 .fraction = cases[i].fraction,
							 .minimum_free_bytes = cases[i].minimum}};
		uint64_t budget = 0;
		ck_assert_int_eq(clpac__budget_find(&options, &device, cases[i].cap, &budget, NULL), CLPAC_OK);
		ck_assert_msg(budget == cases[i].expected, "case %zu: %llu instead of %llu", i,
			      (unsigned long long)budget, (unsigned long long)cases[i].expected);
	}
}

TEST(a_cap_in_words_is_one_more_limit)
{
	static const struct {
		const char *cap;
		uint64_t memory, expected;
	} cases[] = {
		{"", 4 * GIB, 3 * GIB},		{"300M", 4 * GIB, 300 * MIB}, {"25%", 4 * GIB, GIB},
		{"3000M", 4 * GIB, 3000 * MIB}, {"4G", 4 * GIB, 3 * GIB},     {"100%", 4 * GIB, 3 * GIB},
		{"12345", 4 * GIB, 12345},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const clpac_device device = {.memory_bytes = cases[i].memory};
		clpac_pool_options options = {.budget = {.minimum_free_bytes = GIB}};
		snprintf(options.budget.cap, sizeof options.budget.cap, "%s", cases[i].cap);
		uint64_t budget = 0;
		clpac_error err = {0};
		ck_assert_msg(clpac__budget_find(&options, &device, 0, &budget, &err) == CLPAC_OK, "%s", err.text);
		ck_assert_msg(budget == cases[i].expected, "%s: %llu", cases[i].cap, (unsigned long long)budget);
	}
}

TEST(options_that_make_no_sense_are_refused_by_name)
{
	static const struct {
		clpac_pool_options options;
		uint64_t memory;
		clpac_status status;
		const char *words;
	} cases[] = {
		{{.budget = {.fraction = -0.5}}, GIB, CLPAC_ERROR_ARGUMENT, "fraction is -0.5: "},
		{{.budget = {.fraction = 1.01}}, GIB, CLPAC_ERROR_ARGUMENT, "fraction is 1.01: "},
		{{.budget = {.fraction = NAN}}, GIB, CLPAC_ERROR_ARGUMENT, "fraction is nan"},
		{{.budget = {.fraction = 2}}, 0, CLPAC_ERROR_ARGUMENT, "fraction is 2: "},
		{{.budget = {.wait_s = -1}}, GIB, CLPAC_ERROR_ARGUMENT, "wait_s is -1: "},
		{{.budget = {.wait_s = INFINITY}}, GIB, CLPAC_ERROR_ARGUMENT, "wait_s is inf"},
		{{.preset = CLPAC_PRESET_COUNT}, GIB, CLPAC_ERROR_ARGUMENT, "preset is 3: "},
		{{.cache = {.blocks = (clpac_blocks)-1}}, GIB, CLPAC_ERROR_ARGUMENT, "blocks is -1: "},
		{{.placement = CLPAC_PLACE_COUNT}, GIB, CLPAC_ERROR_ARGUMENT, "placement is 4: "},
		{{.budget = {.cap = "12345678901234567890123456789012"}},
		 GIB,
		 CLPAC_ERROR_ARGUMENT,
		 "cap of a pool: 32 characters without an ending NUL"},
		{{.budget = {.cap = "much"}}, GIB, CLPAC_ERROR_ARGUMENT, "cap of a pool: "},
		{{.budget = {.cap = "0%"}}, GIB, CLPAC_ERROR_ARGUMENT, "cap of a pool: "},
		{{.budget = {.cap = "101%"}}, GIB, CLPAC_ERROR_ARGUMENT, "cap of a pool: "},
		{{.cache = {.preallocate_bytes = GIB, .blocks = CLPAC_BLOCKS_WHOLE}},
		 GIB,
		 CLPAC_ERROR_ARGUMENT,
		 "preallocate_bytes is 1073741824, but the pool has no segments"},
		{{.cache = {.preallocate_bytes = 2 * MIB}, .budget = {.bytes = MIB}},
		 GIB,
		 CLPAC_ERROR_NO_DEVICE_MEMORY,
		 "preallocate_bytes is 2097152, more than the pool's budget of 1048576"},
		{{.cache = {.classes_per_octave = 3}}, GIB, CLPAC_ERROR_ARGUMENT, "classes_per_octave is 3: "},
		{{.cache = {.classes_per_octave = 128}}, GIB, CLPAC_ERROR_ARGUMENT, "classes_per_octave is 128: "},
		{{.budget = {.minimum_free_bytes = 1000}},
		 1000,
		 CLPAC_ERROR_NO_DEVICE_MEMORY,
		 "minimum_free_bytes is 1000, but only 1000"},
		{{.budget = {.fraction = 0.01}},
		 10,
		 CLPAC_ERROR_NO_DEVICE_MEMORY,
		 "a fraction of 0.01 of the device's 10 bytes"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		simulated_device device;
		simulated_open(&device, cases[i].memory, 0);
		clpac_pool *pool = NULL;
		clpac_error err = {0};
		ck_assert_int_eq(clpac__pool_create(&device.queue, &cases[i].options, 0, &pool, &err), cases[i].status);
		ck_assert_int_eq(err.status, cases[i].status);
		ck_assert_msg(strstr(err.text, cases[i].words) == err.text, "case %zu: %s", i, err.text);
		ck_assert_ptr_null(pool);
	}
}

static void check_refusal(clpac_pool *pool, size_t bytes, clpac_status status, const char *text)
{
	clpac_buffer *buffer = NULL;
	clpac_error err = {0};
	ck_assert_int_eq(clpac_pool_allocate(pool, bytes, "huge", &buffer, &err), status);
	ck_assert_int_eq(err.status, status);
	ck_assert_str_eq(err.text, text);
	ck_assert_ptr_null(buffer);
}

TEST(an_impossible_size_is_refused_and_costs_nobody_a_cached_block)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10000, NULL);
	clpac_buffer_release(take(pool, 4096));
	unsigned long n_calls = device.n_calls;
	check_refusal(pool, 0, CLPAC_ERROR_ARGUMENT, "buffer \"huge\" of 0 bytes: ask for at least 1");
	check_refusal(pool, SIZE_MAX, CLPAC_ERROR_ARGUMENT,
		      "buffer \"huge\" of 18446744073709551615 bytes: no size class is that large");
	check_refusal(
		pool, 10001, CLPAC_ERROR_NO_DEVICE_MEMORY,
		"buffer \"huge\" of 10001 bytes (class 10240): no room in the pool's budget of 10000: 0 in use by 0 "
		"buffers, 4096 cached, largest free piece 0; release buffers or raise the budget");
	ck_assert_uint_eq(device.n_calls, n_calls);
	ck_assert_uint_eq(device.live_bytes, 4096);
	check_truth(pool, &device);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.refusals, 1);
	ck_assert_uint_eq(now.out_of_memory_events, 1);
	ck_assert_uint_eq(now.retries, 0);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(a_request_above_the_devices_largest_block_is_told_from_lack_of_memory)
{
	simulated_device device;
	simulated_open(&device, 1 << 20, 1000);
	clpac_pool *pool = NULL;
	ck_assert_int_eq(clpac__pool_create(&device.queue, NULL, 0, &pool, NULL), CLPAC_OK);
	check_refusal(pool, 1001, CLPAC_ERROR_ARGUMENT,
		      "buffer \"huge\" of 1001 bytes: the largest block of device simulated has 1000; ask for "
		      "smaller pieces");
	clpac_pool_destroy(pool);

	/* A driver that does not report its largest allocation. */
	device.queue.device.max_allocation_bytes = 0;
	ck_assert_int_eq(clpac__pool_create(&device.queue, NULL, 0, &pool, NULL), CLPAC_OK);
	clpac_buffer_release(take(pool, 500));
	check_refusal(
		pool, 1001, CLPAC_ERROR_ARGUMENT,
		"buffer \"huge\" of 1001 bytes (class 1024): simulated block of 1024 bytes: the largest has 1000");
	ck_assert_uint_eq(device.live_blocks, 1);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(a_class_above_a_limit_is_cut_where_the_request_itself_fits)
{
	simulated_device device;
	simulated_open(&device, 1 << 20, 1000);
	clpac_pool *pool = NULL;
	ck_assert_int_eq(clpac__pool_create(&device.queue, NULL, 0, &pool, NULL), CLPAC_OK);
	ck_assert_uint_eq(clpac_size_class(990, 0), 1024);
	ck_assert_uint_eq(clpac_pool_class(pool, 990), 1000);
	clpac_buffer *buffer = take(pool, 990);
	ck_assert_uint_eq(simulated_size(clpac__buffer_block(buffer)), 1000);
	clpac_buffer_release(buffer);
	buffer = take(pool, 1000);
	ck_assert_uint_eq(device.n_calls, 1);
	check_truth(pool, &device);
	clpac_buffer_release(buffer);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);

	pool = open_pool(&device, 1000, NULL);
	buffer = take(pool, 999);
	ck_assert_uint_eq(clpac_buffer_class(buffer), 1000);
	check_truth(pool, &device);
	clpac_buffer_release(buffer);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(at_the_budget_the_oldest_cached_blocks_give_way)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	clpac_buffer *buffers[3] = {take(pool, 1024), take(pool, 2048), take(pool, 4096)};
	clpac_buffer_release(buffers[1]);
	clpac_buffer_release(buffers[2]);
	clpac_buffer_release(buffers[0]);
	/* 7168 are cached and 3072 free. 3584 need some of the 2048, which are the oldest; then 0.85 of the budget
	 * remains, so that the 4096, by now the oldest, are released too (pressure High). */
	buffers[0] = take(pool, 3584);
	ck_assert_uint_eq(device.n_releases, 2);
	ck_assert_uint_eq(device.live_bytes, 1024 + 3584);
	check_truth(pool, &device);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.out_of_memory_events, 1);
	ck_assert_uint_eq(now.retries, 1);
	ck_assert_uint_eq(now.refusals, 0);
	ck_assert_uint_eq(now.ladder[CLPAC_LADDER_TRIM], 1);

	/* Releasing the whole cache would not be enough, so it stays. */
	check_refusal(
		pool, 7000, CLPAC_ERROR_NO_DEVICE_MEMORY,
		"buffer \"huge\" of 7000 bytes (class 7168): no room in the pool's budget of 10240: 3584 in use by 1 "
		"buffers, 1024 cached, largest free piece 0; release buffers or raise the budget");
	ck_assert_uint_eq(device.n_releases, 2);
	check_truth(pool, &device);
	buffers[1] = take(pool, 6656);
	ck_assert_uint_eq(device.live_bytes, 10240);
	clpac_buffer_release(buffers[0]);
	clpac_buffer_release(buffers[1]);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(the_ladder_gives_back_the_oldest_blocks_and_no_more_than_the_budget_lacks)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	clpac_buffer *oldest = take(pool, 6144), *younger = take(pool, 1024), *youngest = take(pool, 512);
	clpac_buffer_release(oldest);
	clpac_buffer_release(younger);
	clpac_buffer_release(youngest);
	clpac_buffer *buffer = take(pool, 3072); /* lacks 512 bytes, which the oldest block alone more than covers */
	ck_assert_uint_eq(device.n_releases, 1);
	ck_assert_uint_eq(device.live_bytes, 1024 + 512 + 3072);
	check_truth(pool, &device);
	clpac_buffer_release(buffer);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(when_the_driver_has_no_room_cached_blocks_give_way_until_it_has)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, &(clpac_pool_options){.cache = {.max_kept_per_class = 100}});
	clpac_buffer *buffers[10];
	for (int i = 0; i < 10; i++)
		buffers[i] = take(pool, 256);
	clpac_buffer_release_batch(buffers, 10);
	device.memory_bytes = 2560; /* another process took the rest */
	buffers[0] = take(pool, 384);
	/* The request for 384 first frees two of 256.  A third goes because the driver refused 2944 bytes: 2432 of them
	 * are pressure High, which is left below 0.75. */
	ck_assert_uint_eq(device.n_releases, 3);
	buffers[1] = take(pool, 2048);
	check_truth(pool, &device);
	ck_assert_uint_eq(device.live_bytes, 2048 + 384);

	clpac_error err;
	clpac_buffer *more = NULL;
	ck_assert_int_eq(clpac_pool_allocate(pool, 1000, "more", &more, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_str_eq(
		err.text,
		"buffer \"more\" of 1000 bytes (class 1024): the driver has no room though the pool holds 2432 of "
		"its budget of 10240 (2432 in use, 0 cached, largest free piece 0); release buffers or lower the "
		"budget: simulated block of "
		"1024 bytes: 2432 of 2560 are taken");
	check_truth(pool, &device);
	clpac_buffer_release_batch(buffers, 2);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(what_the_driver_lacks_is_found_by_doubling)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 10240, &(clpac_pool_options){.cache = {.max_kept_per_class = 100}});
	clpac_buffer *buffers[10];
	for (int i = 0; i < 10; i++)
		buffers[i] = take(pool, 256);
	clpac_buffer_release_batch(buffers, 10);
	device.memory_bytes = 2160; /* 400 less than is taken */
	/* The request for 320 frees two of 256 in vain; the next attempt, for 640, frees three, which is enough. */
	buffers[0] = take(pool, 320);
	ck_assert_uint_eq(device.n_releases, 5);
	check_truth(pool, &device);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.out_of_memory_events, 1);
	ck_assert_uint_eq(now.retries, 2);
	ck_assert_uint_eq(now.driver_creates, 13);
	clpac_buffer_release(buffers[0]);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(a_driver_failure_of_another_kind_is_passed_on_with_its_code_at_once)
{
	static const clpac_status statuses[] = {CLPAC_ERROR_DEVICE, CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_INTERNAL};
	for (size_t i = 0; i < COUNT(statuses); i++) {
		simulated_device device;
		clpac_pool *pool = open_pool(&device, 10240, NULL);
		clpac_buffer_release(take(pool, 1024));
		simulated_fail(&device, 1, SIMULATED_CREATE, statuses[i], -5);
		clpac_error err = {0};
		clpac_buffer *buffer = NULL;
		ck_assert_int_eq(clpac_pool_allocate(pool, 100, "unlucky", &buffer, &err), statuses[i]);
		ck_assert_int_eq(err.native_code, -5);
		ck_assert_str_eq(err.text,
				 "buffer \"unlucky\" of 100 bytes (class 104): simulated create fails with code -5");
		ck_assert_ptr_null(buffer);
		ck_assert_uint_eq(device.live_blocks, 1);
		check_truth(pool, &device);
		clpac_pool_destroy(pool);
		check_nothing_left(&device);
	}
}

TEST(a_warm_up_that_cannot_fit_is_refused_and_raises_no_limit)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 102400, NULL);
	clpac_error err;
	ck_assert_int_eq(clpac_pool_warm_up(pool, 2, (size_t[]){1024, 1000}, (size_t[]){50, 51}, &err),
			 CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_str_eq(
		err.text,
		"warm-up with 51 buffers of 1000 bytes (class 1024): only 51200 of the pool's budget of 102400 are "
		"left; ask for fewer or raise the budget");
	ck_assert_int_eq(clpac_pool_warm_up(pool, 1, (size_t[]){1024}, (size_t[]){SIZE_MAX}, &err),
			 CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_int_eq(clpac_pool_warm_up(pool, 1, (size_t[]){0}, (size_t[]){1}, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_uint_eq(device.n_calls, 0);

	/* The request alone would fit, but buffers in use take half of the budget. */
	clpac_buffer *half = take(pool, 51200);
	ck_assert_int_eq(clpac_pool_warm_up(pool, 1, (size_t[]){1024}, (size_t[]){80}, &err),
			 CLPAC_ERROR_NO_DEVICE_MEMORY);
	check_truth(pool, &device);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	/* Blocks made before the failure stay cached as after a release: up to half of a class's limit, in no thread's
	 * magazine. */
	ck_assert_uint_eq(now.pooled_buffers, 4);
	clpac_buffer_release(half);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(pressure_rises_and_falls_through_all_levels_with_hysteresis)
{
	/* 1 % of the budget is 1024 bytes. Each row is a step: the hundredths taken after it, and the level. */
	static const struct {
		unsigned taken;
		clpac_pressure level;
	} steps[] = {
		{59, CLPAC_PRESSURE_LOW},	{60, CLPAC_PRESSURE_MEDIUM},	{55, CLPAC_PRESSURE_MEDIUM},
		{54, CLPAC_PRESSURE_LOW},	{59, CLPAC_PRESSURE_LOW},	{79, CLPAC_PRESSURE_MEDIUM},
		{80, CLPAC_PRESSURE_HIGH},	{75, CLPAC_PRESSURE_HIGH},	{74, CLPAC_PRESSURE_MEDIUM},
		{94, CLPAC_PRESSURE_HIGH},	{95, CLPAC_PRESSURE_CRITICAL},	{90, CLPAC_PRESSURE_CRITICAL},
		{89, CLPAC_PRESSURE_HIGH},	{100, CLPAC_PRESSURE_CRITICAL}, {0, CLPAC_PRESSURE_LOW},
		{100, CLPAC_PRESSURE_CRITICAL}, {76, CLPAC_PRESSURE_HIGH},	{57, CLPAC_PRESSURE_MEDIUM},
		{0, CLPAC_PRESSURE_LOW},
	};
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 102400, NULL);
	clpac_buffer *buffers[100];
	unsigned n = 0;
	for (size_t i = 0; i < COUNT(steps); i++) {
		while (n < steps[i].taken)
			buffers[n++] = take(pool, 1024);
		while (n > steps[i].taken)
			clpac_buffer_release(buffers[--n]);
		clpac_pool_clear(pool);
		ck_assert_msg(clpac_pool_pressure(pool) == steps[i].level, "step %zu: %s", i,
			      clpac_pressure_text(clpac_pool_pressure(pool)));
	}
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(cached_blocks_press_nothing)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 1024, NULL);
	clpac_buffer *buffer = take(pool, 1024);
	ck_assert_int_eq(clpac_pool_pressure(pool), CLPAC_PRESSURE_CRITICAL);
	clpac_buffer_release(buffer);
	ck_assert_uint_eq(device.live_bytes, 1024);
	ck_assert_int_eq(clpac_pool_pressure(pool), CLPAC_PRESSURE_LOW);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

/* ---- Other settings -------------------------------------------------------------------------- */

TEST(settings_change_while_a_pool_is_in_use)
{
	simulated_device device;
	clpac_error err = {0};
	clpac_pool *pool = open_pool(&device, 10240, &(clpac_pool_options){.cache = {.max_kept_per_class = 100}});
	clpac_pool_options options = {.budget = {.bytes = 4096, .fraction = 1, .minimum_free_bytes = 1}};
	clpac_buffer *held = take(pool, 2048), *cached[6], *refused = NULL;
	for (int i = 0; i < 6; i++)
		cached[i] = take(pool, 1024);
	clpac_buffer_release_batch(cached, 6);
	ck_assert_uint_eq(device.live_bytes, 8192);
	/* Cached memory goes back for a lower budget. */
	ck_assert_int_eq(clpac_pool_configure(pool, &options, &err), CLPAC_OK);
	ck_assert_uint_eq(clpac_pool_budget(pool), 4096);
	ck_assert_uint_le(device.live_bytes, 4096);
	device.peak_bytes = device.live_bytes; /* the peak was within the budget of its time */
	clpac_pool_reset_peaks(pool);
	check_truth(pool, &device);
	ck_assert_int_eq(clpac_pool_allocate(pool, 4096, "refused", &refused, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	/* What is in use stays, and so do the settings. */
	options.budget.bytes = 1024;
	ck_assert_int_eq(clpac_pool_configure(pool, &options, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_ptr_nonnull(strstr(err.text, "a budget of 1024 bytes: the pool holds 2048"));
	ck_assert_uint_eq(clpac_pool_budget(pool), 4096);
	/* Up to what it was. */
	options.budget.bytes = 10240;
	options.cache.max_kept_per_class = 1;
	options.placement = CLPAC_PLACE_PREFER_DEVICE;
	ck_assert_int_eq(clpac_pool_configure(pool, &options, &err), CLPAC_OK);
	ck_assert_uint_eq(clpac_pool_budget(pool), 10240);
	clpac_buffer *large = take(pool, 8192), *fallback = take(pool, 2048);
	ck_assert(!clpac_buffer_is_on_device(fallback));
	check_truth(pool, &device);
	clpac_buffer_release(fallback);
	clpac_buffer_release(large);
	clpac_buffer_release(held);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

static clpac_pool_statistics numbers_of(clpac_pool *pool)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	return now;
}

static clpac_status make_warm(simulated_device *device, const char *warm_up, clpac_error *err)
{
	clpac_pool_options options = {.budget = {.bytes = MIB, .minimum_free_bytes = 1}};
	clpac_pool *pool = NULL;
	snprintf(options.warm_up, sizeof options.warm_up, "%s", warm_up);
	simulated_open(device, 4 * MIB, 4 * MIB);
	const clpac_status st = clpac__pool_create(&device->queue, &options, 0, &pool, err);
	clpac_pool_destroy(pool);
	check_nothing_left(device);
	return st;
}

TEST(a_pool_is_made_warm_by_its_options)
{
	static const char *const wrong[] = {"1M",    "1M*",	   "*3",    "1X*2",  "0*2",   "1M*2,",
					    ",1M*2", "1M*2,,1K*1", "1M*-1", "1KK*2", "1M*2x", "99999999999999999999*1"};
	simulated_device device;
	clpac_error err = {0};
	clpac_buffer *held[5];
	clpac_pool *pool = open_pool(&device, MIB, &(clpac_pool_options){.warm_up = "16K*2,1000*3"});
	const uint64_t calls = numbers_of(pool).driver_calls;
	for (int i = 0; i < 5; i++)
		held[i] = take(pool, i < 2 ? 16 << 10 : 1000);
	ck_assert_uint_eq(numbers_of(pool).driver_calls, calls);
	ck_assert_uint_eq(numbers_of(pool).hits, 5);
	clpac_buffer_release_batch(held, 5);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);

	assert_works(make_warm(&device, "1*1", &err), err);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		ck_assert_int_eq(make_warm(&device, wrong[i], &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_msg(strstr(err.text, "warm_up") && strstr(err.text, wrong[i]), "%s: %s", wrong[i], err.text);
	}
	/* More than the budget. */
	ck_assert_int_eq(make_warm(&device, "64K*2,512K*2", &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_msg(strstr(err.text, "warm_up"), "%s", err.text);
}

/* How many bytes of cached parts a pool has before it makes another segment. */
TEST(cached_parts_merge_before_growth_from_the_fraction_on_that_was_chosen)
{
	for (int is_eager = 0; is_eager < 2; is_eager++) {
		enum { N = 64, PART = 4096 };
		simulated_device device;
		clpac_buffer *parts[N];
		clpac_pool *pool = open_pool(&device, 4 * MIB,
					     &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
									     .max_segment_bytes = 512 << 10,
									     .preallocate_bytes = 512 << 10,
									     .max_kept_per_class = 4 * N},
								   .merge_fraction = is_eager ? 0.3 : 0.6});
		for (int i = 0; i < N; i++)
			parts[i] = take(pool, PART);
		clpac_buffer *rest = take(pool, (512 << 10) - N * PART);
		clpac_buffer_release_batch(parts, N); /* half of the segment is cached in parts */
		clpac_buffer *other = take(pool, 8192);
		ck_assert_uint_eq(numbers_of(pool).segments, is_eager ? 1 : 2);
		clpac_buffer_release(other);
		clpac_buffer_release(rest);
		clpac_pool_destroy(pool);
		check_nothing_left(&device);
	}
}

TEST(a_budget_is_raised_above_its_first_value_where_the_device_has_room)
{
	simulated_device device;
	clpac_error err = {0};
	clpac_buffer *more;
	clpac_pool_options options = {.budget = {.bytes = MIB, .fraction = 1, .minimum_free_bytes = 1}};
	clpac_pool *pool = open_pool(&device, 8 * MIB, &options);
	ck_assert_uint_eq(clpac_pool_budget(pool), MIB);
	options.budget.bytes = 4 * MIB;
	assert_works(clpac_pool_configure(pool, &options, &err), err);
	ck_assert_uint_eq(clpac_pool_budget(pool), 4 * MIB);
	more = take(pool, 3 * MIB);
	check_truth(pool, &device);
	options.budget.bytes = 9 * MIB;
	ck_assert_int_eq(clpac_pool_configure(pool, &options, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_msg(strstr(err.text, "a budget of 9437184 bytes") && strstr(err.text, "leave 8388608"), "%s",
		      err.text);
	ck_assert_uint_eq(clpac_pool_budget(pool), 4 * MIB);
	clpac_buffer_release(more);
	/* No number: what it was made with. */
	options.budget.bytes = 0;
	assert_works(clpac_pool_configure(pool, &options, &err), err);
	ck_assert_uint_eq(clpac_pool_budget(pool), MIB);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(settings_that_cannot_change_are_refused_by_name)
{
	simulated_device device;
	clpac_error err = {0};
	clpac_limit *limit = NULL;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	ck_assert_int_eq(clpac_limit_create(1000, &limit, &err), CLPAC_OK);
	const struct {
		const char *name;
		clpac_pool_options options;
	} cases[] = {
		{"budget.limit", {.budget.limit = limit}},
		{"cache.classes_per_octave", {.cache.classes_per_octave = 16}},
		{"cache.blocks", {.cache.blocks = CLPAC_BLOCKS_SEGMENTS}},
		{"cache.preallocate_bytes", {.cache.preallocate_bytes = 1}},
		{"checks.is_tracked", {.checks.is_tracked = true}},
		{"checks.is_checked", {.checks.is_checked = true}},
		{"warm_up", {.warm_up = "1K*1"}},
		{"preset", {.preset = CLPAC_PRESET_COUNT}},
		{"fraction", {.budget.fraction = 2}},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		ck_assert_int_eq(clpac_pool_configure(pool, &cases[i].options, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_msg(strstr(err.text, cases[i].name), "%s: %s", cases[i].name, err.text);
		ck_assert_uint_eq(clpac_pool_budget(pool), 10240);
	}
	/* As it was made is fine. */
	const clpac_pool_options same = {.cache = {.classes_per_octave = 8, .blocks = CLPAC_BLOCKS_WHOLE}};
	ck_assert_int_eq(clpac_pool_configure(pool, &same, &err), CLPAC_OK);
	clpac_limit_destroy(limit);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

/* --- A budget that is nearly full ------------------------------------------------------------- */

/* Whole blocks in classes of a 64th refuse nothing that fits, however the budget was used before: no byte is lost
 * between blocks.  The sizes spread over a thousandfold, 90 to 98 % of the budget stay in use, and half of it goes at
 * once now and then. */
TEST(whole_blocks_refuse_nothing_that_fits)
{
	enum { N = 4000, MOST = 512 };
	const uint64_t budget = 64 * MIB;
	simulated_device device;
	clpac_pool *pool =
		open_pool(&device, budget,
			  &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_WHOLE,
							  .classes_per_octave = CLPAC_MAX_CLASSES_PER_OCTAVE}});
	clpac_buffer *held[MOST];
	uint64_t held_bytes = 0;
	unsigned long long state = 4;
	size_t n_held = 0, n_fitting = 0, n_beyond = 0;
	for (size_t i = 0; i < N; i++) {
		const size_t bytes = (size_t)(8192 * pow(1024, random_unit(&state)));
		const uint64_t class_bytes = clpac_pool_class(pool, bytes);
		clpac_buffer *buffer = NULL;
		while (n_held && (n_held == MOST || held_bytes > budget / 100 * 98 ||
				  (i % 500 == 0 && held_bytes > budget / 2))) {
			const size_t k = random_below(&state, n_held);
			held_bytes -= clpac_pool_class(pool, clpac_buffer_bytes(held[k]));
			clpac_buffer_release(held[k]);
			held[k] = held[--n_held];
		}
		const bool fits = held_bytes + class_bytes <= budget;
		const clpac_status st = clpac_pool_allocate(pool, bytes, "random", &buffer, NULL);
		ck_assert_msg(st == (fits ? CLPAC_OK : CLPAC_ERROR_NO_DEVICE_MEMORY), "request %zu of %zu bytes", i,
			      bytes);
		*(fits ? &n_fitting : &n_beyond) += 1;
		if (!fits)
			continue;
		ck_assert_uint_ge(class_bytes, bytes);
		ck_assert_uint_le(class_bytes - bytes, bytes / 64 + 128);
		held[n_held++] = buffer;
		held_bytes += class_bytes;
	}
	ck_assert_msg(n_beyond > 10, "only %zu of %d requests met a full budget", n_beyond, N);
	ck_assert_uint_gt(n_fitting, N / 2);
	while (n_held)
		clpac_buffer_release(held[--n_held]);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(a_summary_says_what_a_pool_is_doing)
{
	simulated_device device;
	char *text = NULL;
	clpac_pool *pool = open_pool(&device, 10240, NULL);
	clpac_buffer *held = take(pool, 6144), *refused = NULL;
	clpac_buffer_release(take(pool, 1024));
	ck_assert_int_eq(clpac_pool_allocate(pool, 8192, "refused", &refused, NULL), CLPAC_ERROR_NO_DEVICE_MEMORY);
	clpac_buffer *other = take(pool, 4096); /* for which the cached block goes back */
	ck_assert_int_eq(clpac_pool_summary(pool, &text, NULL), CLPAC_OK);
	ck_assert_str_eq(text, "10.0 KiB (10240 B) of 10.0 KiB (10240 B) on the device, pressure critical\n"
			       "10.0 KiB (10240 B) in 2 buffers, at most 10.0 KiB (10240 B)\n"
			       "0 B cached, largest free piece 0 B\n"
			       "4 requests, 0 % from the cache, 4 driver calls\n"
			       "2 found no room at first, 1 refused, 0 placed on the host; helped by trim 1\n");
	clpac_text_free(text);
	clpac_buffer_release(held);
	clpac_buffer_release(other);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}
