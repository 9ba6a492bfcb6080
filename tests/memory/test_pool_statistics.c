/* The pool's statistics: peaks, text and JSON. */
#include "runner.h"

#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/statistics.h>
#include "assertions.h"
#include "base/memory.h"
#include "memory/pool/pool.h"
#include "pool_truth.h"

TEST(peaks_begin_anew_from_the_present_values)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 1 << 20, NULL);
	clpac_buffer *a = take(pool, 1000), *b = take(pool, 5000);
	clpac_buffer_release(b);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.peak_allocated_bytes, 1024 + 5120);
	ck_assert_uint_eq(now.peak_in_use_bytes, 1024 + 5120);
	ck_assert_uint_eq(now.peak_requested_bytes, 6000);
	ck_assert_uint_eq(now.peak_pooled_bytes, 5120);
	ck_assert_uint_eq(now.waste_bytes, 24);
	ck_assert_uint_eq(clpac_pool_clear(pool), 5120);
	clpac_pool_reset_peaks(pool);
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.peak_allocated_bytes, 1024);
	ck_assert_uint_eq(now.peak_in_use_bytes, 1024);
	ck_assert_uint_eq(now.peak_requested_bytes, 1000);
	ck_assert_uint_eq(now.peak_pooled_bytes, 0);
	ck_assert_uint_eq(now.misses, 2);
	clpac_buffer_release(a);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

static const clpac_pool_statistics example = {
	.budget_bytes = 3 * (uint64_t)1024 * 1024 * 1024 / 2,
	.allocated_bytes = 1023,
	.in_use_bytes = 1024,
	.pooled_bytes = 2047,
	.requested_bytes = 5,
	.waste_bytes = 6,
	.peak_allocated_bytes = 7,
	.peak_in_use_bytes = 8,
	.peak_pooled_bytes = 9,
	.peak_requested_bytes = 10,
	.active_buffers = 11,
	.pooled_buffers = 12,
	.pending_buffers = 13,
	.hits = 14,
	.misses = 15,
	.hit_rate = 0.125,
	.driver_creates = 16,
	.driver_releases = 17,
	.driver_calls = 18,
	.parts_created = 19,
	.segments = 20,
	.segment_bytes = 21,
	.free_segment_bytes = 22,
	.largest_free_bytes = 23,
	.fragmentation = 0.75,
	.out_of_memory_events = 24,
	.retries = 25,
	.refusals = 26,
	.queue_waits = 27,
	.fallbacks = 28,
	.promotions = 29,
	.host_buffers = 30,
	.host_bytes = 31,
	.host_copies = 32,
	.bad_releases = 18446744073709551615u,
	.canary_failures = 33,
	.ladder = {101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115},
	.pressure = CLPAC_PRESSURE_HIGH,
	.bytes_to_device = 34,
	.bytes_from_device = 35,
};

TEST(json_has_every_member_under_its_name)
{
	char *text = NULL;
	ck_assert_int_eq(clpac_pool_statistics_json(&example, &text, NULL), CLPAC_OK);
	ck_assert_str_eq(
		text, "{\"budget_bytes\": 1610612736, \"allocated_bytes\": 1023, \"in_use_bytes\": 1024, "
		      "\"pooled_bytes\": 2047, \"requested_bytes\": 5, \"waste_bytes\": 6, \"peak_allocated_bytes\": "
		      "7, \"peak_in_use_bytes\": 8, \"peak_pooled_bytes\": 9, \"peak_requested_bytes\": 10, "
		      "\"active_buffers\": 11, \"pooled_buffers\": 12, \"pending_buffers\": 13, \"hits\": 14, "
		      "\"misses\": 15, \"hit_rate\": 0.125, \"driver_creates\": 16, \"driver_releases\": 17, "
		      "\"driver_calls\": 18, \"parts_created\": 19, \"segments\": 20, \"segment_bytes\": 21, "
		      "\"free_segment_bytes\": 22, \"largest_free_bytes\": 23, \"fragmentation\": 0.75, "
		      "\"out_of_memory_events\": 24, \"retries\": 25, \"refusals\": 26, \"queue_waits\": 27, "
		      "\"fallbacks\": 28, \"promotions\": 29, \"host_buffers\": 30, \"host_bytes\": 31, "
		      "\"host_copies\": 32, \"bad_releases\": 18446744073709551615, \"canary_failures\": 33, "
		      "\"ladder\": {\"finished\": 101, \"other_queues\": 102, \"merge\": 103, \"share\": 104, "
		      "\"siblings\": 105, \"evict\": 106, \"trim\": 107, \"compact\": 108, "
		      "\"callback\": 109, \"pending\": 110, \"segments\": 111, \"smaller\": 112, "
		      "\"dedicated\": 113, \"wait\": 114, \"host\": 115}, \"pressure\": \"high\", "
		      "\"bytes_to_device\": 34, \"bytes_from_device\": 35}");
	clpac_text_free(text);

	clpac_pool_statistics unlimited = {.budget_bytes = UINT64_MAX};
	ck_assert_int_eq(clpac_pool_statistics_json(&unlimited, &text, NULL), CLPAC_OK);
	ck_assert_ptr_eq(strstr(text, "{\"budget_bytes\": null, "), text);
	clpac_text_free(text);
}

TEST(text_has_a_line_per_number_with_bytes_in_words)
{
	char *text = NULL;
	ck_assert_int_eq(clpac_pool_statistics_text(&example, &text, NULL), CLPAC_OK);
	static const char *const lines[] = {
		"budget                  1.5 GiB (1610612736 B)\n",
		"on the device           1023 B\n",
		"in use                  1.0 KiB (1024 B)\n",
		"cached                  1.9 KiB (2047 B)\n",
		"lost to size classes    6 B\n",
		"hit rate                13 %\n",
		"driver calls            18\n",
		"pressure                high\n",
		"fragmentation           75 %\n",
		"mapped by a copy        32\n",
		"sent to the device      34 B\n",
		"fetched from the device 35 B\n",
		"helped out of memory    finished 101, other_queues 102, merge 103, ",
	};
	for (size_t i = 0; i < COUNT(lines); i++)
		ck_assert_msg(strstr(text, lines[i]) != NULL, "%s is not in:\n%s", lines[i], text);
	clpac_text_free(text);

	clpac_pool_statistics unlimited = {.budget_bytes = UINT64_MAX};
	ck_assert_int_eq(clpac_pool_statistics_text(&unlimited, &text, NULL), CLPAC_OK);
	ck_assert_ptr_eq(strstr(text, "budget                  no limit known\n"), text);
	ck_assert_ptr_nonnull(strstr(text, "helped out of memory    nothing\n"));
	clpac_text_free(text);
}

TEST(a_text_that_finds_no_host_memory_is_an_error_and_leaks_nothing)
{
	typedef clpac_status writer(const clpac_pool_statistics *, char **, clpac_error *);
	static writer *const writers[] = {clpac_pool_statistics_text, clpac_pool_statistics_json};
	for (size_t i = 0; i < COUNT(writers); i++) {
		unsigned long number = 0;
		clpac_status st;
		do {
			char *text = NULL;
			clpac_error err = {0};
			clpac__fail_allocation(++number, false);
			st = writers[i](&example, &text, &err);
			if (st != CLPAC_OK) {
				ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
				ck_assert_int_eq(err.status, CLPAC_ERROR_NO_MEMORY);
				ck_assert_ptr_null(text);
			}
			clpac_text_free(text);
		} while (st != CLPAC_OK);
		ck_assert_uint_gt(number, 1);
		clpac__fail_allocation(0, false);
	}
}

TEST(every_pressure_has_a_text)
{
	static const char *const texts[] = {"low", "medium", "high", "critical"};
	for (int i = 0; i < CLPAC_PRESSURE_COUNT; i++)
		ck_assert_str_eq(clpac_pressure_text((clpac_pressure)i), texts[i]);
	ck_assert_str_eq(clpac_pressure_text((clpac_pressure)99), "unknown pressure");
}

TEST(every_step_of_the_ladder_has_a_text)
{
	static const char *const texts[] = {"finished", "other_queues", "merge",     "share",	 "siblings",
					    "evict",	"trim",		"compact",   "callback", "pending",
					    "segments", "smaller",	"dedicated", "wait",	 "host"};
	for (int i = 0; i < CLPAC_LADDER_COUNT; i++)
		ck_assert_str_eq(clpac_ladder_text((clpac_ladder_step)i), texts[i]);
	ck_assert_str_eq(clpac_ladder_text((clpac_ladder_step)99), "unknown step");
}
