/* Buffers on the host as a fallback: same to their owner as others, counted separately, and moved to the device once
 * there is room. */
#include "runner.h"

#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/statistics.h>
#include "assertions.h"
#include "memory/pool/pool.h"
#include "pool_truth.h"
#include "coupling/stages/stages.h"
#include "coupling/registry/registry.h"

enum { BUDGET = 10240 };

static clpac_buffer *take_placed(clpac_pool *pool, size_t bytes, clpac_placement placement)
{
	clpac_error err = {0};
	clpac_buffer *buffer = NULL;
	const clpac_request request = {.bytes = bytes, .tag = "placed", .placement = placement};
	ck_assert_msg(clpac_pool_request(pool, &request, &buffer, &err) == CLPAC_OK, "%s", err.text);
	return buffer;
}

static clpac_buffer *take_fallback(clpac_pool *pool, size_t bytes)
{
	clpac_buffer *buffer = take_placed(pool, bytes, CLPAC_PLACE_PREFER_DEVICE);
	ck_assert(!clpac_buffer_is_on_device(buffer));
	return buffer;
}

static clpac_pool_statistics numbers_of(clpac_pool *pool)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	return now;
}

static void check_text(clpac_buffer *buffer, const char *expected)
{
	char found[100] = "";
	ck_assert_int_eq(clpac_buffer_read(buffer, 0, strlen(expected), found, NULL), CLPAC_OK);
	ck_assert_str_eq(found, expected);
}

static void end(clpac_pool *pool, const simulated_device *device)
{
	clpac_pool_destroy(pool);
	check_nothing_left(device);
}

TEST(a_buffer_that_prefers_the_device_goes_to_the_host_only_for_lack_of_room)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, BUDGET, NULL);
	clpac_buffer *first = take_placed(pool, 8192, CLPAC_PLACE_PREFER_DEVICE);
	ck_assert(clpac_buffer_is_on_device(first));
	clpac_buffer *second = take_fallback(pool, 4000);
	ck_assert_uint_eq(clpac_buffer_bytes(second), 4000);
	ck_assert_uint_eq(clpac_buffer_class(second), 4096);
	ck_assert_uint_ne(clpac_buffer_id(second), clpac_buffer_id(first));
	ck_assert_str_eq(clpac_buffer_tag(second), "placed");
	clpac_pool_statistics now = numbers_of(pool);
	ck_assert_uint_eq(now.fallbacks, 1);
	ck_assert_uint_eq(now.host_buffers, 1);
	ck_assert_uint_eq(now.host_bytes, 4096);
	ck_assert_uint_eq(now.active_buffers, 2);
	ck_assert_uint_eq(now.in_use_bytes, 8192); /* on the device */
	ck_assert_uint_eq(now.requested_bytes, 8192);
	check_truth(pool, &device);
	clpac_buffer_release(second);
	now = numbers_of(pool);
	ck_assert_uint_eq(now.host_buffers, 0);
	ck_assert_uint_eq(now.fallbacks, 1);
	ck_assert_uint_eq(device.live_host_blocks, 0);
	clpac_buffer_release(first);
	end(pool, &device);
}

TEST(buffers_on_the_host_stay_within_their_budget)
{
	simulated_device device;
	clpac_error err = {0};
	clpac_pool *pool = open_pool(&device, BUDGET, &(clpac_pool_options){.fallback_bytes = 8192});
	clpac_buffer *first = take_placed(pool, 8192, CLPAC_PLACE_DEVICE), *a = take_fallback(pool, 4096),
		     *b = take_placed(pool, 4096, CLPAC_PLACE_HOST), *refused = NULL;
	const clpac_request more = {.bytes = 2100, .tag = "more", .placement = CLPAC_PLACE_HOST},
			    fallback = {.bytes = 2100, .tag = "fall", .placement = CLPAC_PLACE_PREFER_DEVICE};
	assert_refused(clpac_pool_request(pool, &more, &refused, &err), err, CLPAC_ERROR_NO_MEMORY, "fallback_bytes");
	assert_refused(clpac_pool_request(pool, &fallback, &refused, &err), err, CLPAC_ERROR_NO_DEVICE_MEMORY,
		       "8192 of 8192");
	ck_assert_uint_eq(device.live_host_bytes, 8192);
	/* A failure of the driver gives its bytes back. */
	clpac_buffer_release(b);
	simulated_fail(&device, 1, SIMULATED_CREATE_ON_HOST, CLPAC_ERROR_NO_MEMORY, -6);
	assert_refused(clpac_pool_request(pool, &more, &refused, &err), err, CLPAC_ERROR_NO_MEMORY, "simulated");
	b = take_placed(pool, 4096, CLPAC_PLACE_HOST);
	/* A promotion does too. */
	clpac_buffer_release(first);
	clpac_pool_clear(pool);
	assert_works(clpac_pool_promote(pool, NULL, &err), err);
	ck_assert(clpac_buffer_is_on_device(a));
	clpac_buffer *c = take_placed(pool, 4096, CLPAC_PLACE_HOST);
	clpac_buffer_release(a);
	clpac_buffer_release(b);
	clpac_buffer_release(c);
	end(pool, &device);
}

TEST(without_an_option_half_of_the_hosts_memory_is_the_budget_there)
{
	simulated_device device;
	clpac_error err = {0};
	clpac_pool *pool = open_pool(&device, BUDGET, NULL);
	device.host_memory_bytes = 40000;
	clpac_buffer *a = take_placed(pool, 16384, CLPAC_PLACE_HOST), *refused = NULL;
	const clpac_request more = {.bytes = 4096, .tag = "more", .placement = CLPAC_PLACE_HOST};
	assert_refused(clpac_pool_request(pool, &more, &refused, &err), err, CLPAC_ERROR_NO_MEMORY, "16384 of 20000");
	assert_works(clpac_pool_configure(pool, &(clpac_pool_options){.fallback_bytes = 30000}, &err), err);
	clpac_buffer *b = take_placed(pool, 4096, CLPAC_PLACE_HOST);
	clpac_buffer_release(a);
	clpac_buffer_release(b);
	end(pool, &device);
}

TEST(pools_that_say_nothing_share_half_of_the_hosts_memory)
{
	simulated_device devices[2];
	clpac_error err = {0};
	clpac_pool *pools[2];
	for (int i = 0; i < 2; i++) {
		pools[i] = open_pool(&devices[i], BUDGET, NULL);
		devices[i].host_memory_bytes = 40000;
	}
	clpac_buffer *a = take_placed(pools[0], 16384, CLPAC_PLACE_HOST), *refused = NULL;
	const clpac_request more = {.bytes = 4096, .tag = "more", .placement = CLPAC_PLACE_HOST};
	for (int i = 0; i < 2; i++) {
		assert_refused(clpac_pool_request(pools[i], &more, &refused, &err), err, CLPAC_ERROR_NO_MEMORY,
			       "16384 of 20000 bytes that the pools of the process may take");
		ck_assert_uint_eq(numbers_of(pools[i]).host_bytes, i ? 0 : 16384);
	}
	/* A pool with a number of its own does not count there; its buffers stay where they counted when that changes.
	 */
	assert_works(clpac_pool_configure(pools[1], &(clpac_pool_options){.fallback_bytes = 30000}, &err), err);
	clpac_buffer *b = take_placed(pools[1], 4096, CLPAC_PLACE_HOST);
	assert_works(clpac_pool_configure(pools[1], &(clpac_pool_options){0}, &err), err);
	clpac_buffer *c = take_placed(pools[1], 2048, CLPAC_PLACE_HOST);
	clpac_buffer_release(b);
	clpac_buffer_release(a);
	clpac_buffer_release(c);
	/* With nothing taken, it is found anew. */
	devices[1].host_memory_bytes = 8192;
	clpac_buffer *d = take_placed(pools[1], 4096, CLPAC_PLACE_HOST);
	assert_refused(clpac_pool_request(pools[0], &more, &refused, &err), err, CLPAC_ERROR_NO_MEMORY, "4096 of 4096");
	clpac_buffer_release(d);
	for (int i = 0; i < 2; i++)
		end(pools[i], &devices[i]);
}

TEST(a_limit_for_the_host_is_one_of_a_tree)
{
	simulated_device devices[2];
	clpac_error err = {0};
	clpac_limit *machine = NULL, *host = NULL;
	clpac_pool *pools[2];
	assert_works(clpac_limit_create(24 << 10, &machine, &err), err);
	assert_works(clpac_limit_create_under(machine, 16 << 10, &host, &err), err);
	/* The second pool's device is the host: its budget is of the same tree. */
	for (int i = 0; i < 2; i++)
		pools[i] = open_pool(&devices[i], BUDGET,
				     &(clpac_pool_options){.fallback_limit = host,
							   .fallback_bytes = i ? 0 : 12 << 10,
							   .budget = {.limit = i ? machine : NULL}});
	clpac_buffer *a = take_placed(pools[0], 8 << 10, CLPAC_PLACE_HOST),
		     *b = take_placed(pools[1], 4 << 10, CLPAC_PLACE_HOST), *refused = NULL;
	ck_assert_uint_eq(clpac_limit_taken(host), 12 << 10);
	ck_assert_uint_eq(clpac_limit_taken(machine), 12 << 10);
	const clpac_request more = {.bytes = 8 << 10, .tag = "more", .placement = CLPAC_PLACE_HOST};
	assert_refused(clpac_pool_request(pools[0], &more, &refused, &err), err, CLPAC_ERROR_NO_MEMORY,
		       "8192 of 12288 bytes that the pool may take");
	assert_refused(clpac_pool_request(pools[1], &more, &refused, &err), err, CLPAC_ERROR_NO_MEMORY,
		       "12288 of 16384 bytes that the limit that pools share allows there");
	/* What the second pool only caches on its device gives way to a buffer on the host. */
	clpac_buffer_release(take_placed(pools[1], 10 << 10, CLPAC_PLACE_DEVICE));
	ck_assert_uint_eq(clpac_limit_taken(machine), 22 << 10);
	clpac_buffer *c = take_placed(pools[0], 4 << 10, CLPAC_PLACE_HOST);
	ck_assert_uint_eq(clpac_limit_taken(machine), 16 << 10);
	/* What it uses there does not. */
	clpac_buffer_release(c);
	clpac_buffer *used = take_placed(pools[1], 10 << 10, CLPAC_PLACE_DEVICE);
	const clpac_request last = {.bytes = 4 << 10, .tag = "last", .placement = CLPAC_PLACE_HOST};
	assert_refused(clpac_pool_request(pools[0], &last, &refused, &err), err, CLPAC_ERROR_NO_MEMORY,
		       "22528 of 24576");
	ck_assert_uint_eq(numbers_of(pools[0]).host_bytes, 8 << 10); /* refusals took nothing */
	/* Nor does a failure of the driver. */
	clpac_buffer_release(used);
	simulated_fail(&devices[0], 1, SIMULATED_CREATE_ON_HOST, CLPAC_ERROR_NO_MEMORY, -6);
	assert_refused(clpac_pool_request(pools[0], &last, &refused, &err), err, CLPAC_ERROR_NO_MEMORY, "simulated");
	ck_assert_uint_eq(clpac_limit_taken(host), 12 << 10);
	assert_refused(clpac_pool_configure(pools[0], &(clpac_pool_options){.fallback_limit = machine}, &err), err,
		       CLPAC_ERROR_ARGUMENT, "fallback_limit");
	/* The pools keep the limit, and a promotion gives back what it took. */
	clpac_limit_destroy(host);
	clpac_buffer *full = take_placed(pools[0], BUDGET, CLPAC_PLACE_DEVICE);
	clpac_buffer_release(a);
	clpac_buffer *fallback = take_fallback(pools[0], 2 << 10);
	clpac_buffer_release(full);
	clpac_pool_clear(pools[0]);
	assert_works(clpac_pool_promote(pools[0], NULL, &err), err);
	ck_assert(clpac_buffer_is_on_device(fallback));
	clpac_pool_clear(pools[1]);
	ck_assert_uint_eq(clpac_limit_taken(machine), 4 << 10);
	clpac_buffer_release(fallback);
	clpac_buffer_release(b);
	ck_assert_uint_eq(clpac_limit_taken(machine), 0);
	clpac_limit_destroy(machine);
	for (int i = 0; i < 2; i++)
		end(pools[i], &devices[i]);
}

TEST(bytes_are_counted_both_ways)
{
	simulated_device device;
	clpac_error err = {0};
	unsigned char bytes[3000] = {0};
	void *mapping;
	clpac_pool *pool = open_pool(&device, BUDGET, NULL);
	clpac_buffer *here = take_placed(pool, 3000, CLPAC_PLACE_DEVICE),
		     *there = take_placed(pool, 3000, CLPAC_PLACE_HOST);
	for (int i = 0; i < 2; i++) {
		clpac_buffer *buffer = i ? there : here;
		assert_works(clpac_buffer_write(buffer, 0, 3000, bytes, &err), err);
		assert_works(clpac_buffer_read(buffer, 100, 200, bytes, &err), err);
		assert_works(clpac_buffer_map(buffer, 0, 50, CLPAC_READ_WRITE, &mapping, &err), err);
		assert_works(clpac_buffer_unmap(buffer, &err), err);
		assert_works(clpac_buffer_fill(buffer, 0, 50, 1, &err), err);
		ck_assert_uint_eq(numbers_of(pool).bytes_to_device, 3050);
		ck_assert_uint_eq(numbers_of(pool).bytes_from_device, 250);
	}
	clpac_buffer_release(here);
	clpac_buffer_release(there);
	end(pool, &device);
}

TEST(a_pools_own_placement_is_what_requests_get_that_do_not_say)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, BUDGET, &(clpac_pool_options){.placement = CLPAC_PLACE_PREFER_DEVICE});
	clpac_buffer *all = take(pool, BUDGET), *fallback = take(pool, 100), *refused = NULL;
	ck_assert(!clpac_buffer_is_on_device(fallback));
	const clpac_request request = {.bytes = 100, .placement = CLPAC_PLACE_DEVICE};
	ck_assert_int_eq(clpac_pool_request(pool, &request, &refused, NULL), CLPAC_ERROR_NO_DEVICE_MEMORY);
	clpac_buffer_release(all);
	clpac_buffer_release(fallback);
	clpac_pool_destroy(pool);

	pool = open_pool(&device, BUDGET, &(clpac_pool_options){.placement = CLPAC_PLACE_HOST});
	all = take(pool, 100);
	ck_assert(!clpac_buffer_is_on_device(all));
	ck_assert_uint_eq(numbers_of(pool).fallbacks, 0); /* requested on the host, so not a fallback */
	ck_assert_uint_eq(device.live_blocks, 0);
	clpac_buffer_release(all);
	end(pool, &device);
}

TEST(contents_are_the_same_wherever_a_buffer_lives)
{
	static const clpac_placement places[] = {CLPAC_PLACE_DEVICE, CLPAC_PLACE_HOST};
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 2; b++) {
			simulated_device device;
			clpac_pool *pool = open_pool(&device, BUDGET, NULL);
			clpac_buffer *source = take_placed(pool, 20, places[a]),
				     *target = take_placed(pool, 20, places[b]);
			void *mapped = NULL;
			ck_assert_int_eq(clpac_buffer_write(source, 0, 20, "0123456789abcdefghij", NULL), CLPAC_OK);
			ck_assert_int_eq(clpac_buffer_fill(target, 0, 20, '.', NULL), CLPAC_OK);
			ck_assert_int_eq(clpac_buffer_copy(source, 2, target, 5, 3, NULL), CLPAC_OK);
			ck_assert_int_eq(clpac_buffer_map(target, 4, 6, CLPAC_READ_WRITE, &mapped, NULL), CLPAC_OK);
			ck_assert_mem_eq(mapped, ".234..", 6);
			memcpy(mapped, "mapped", 6);
			ck_assert_int_eq(clpac_buffer_unmap(target, NULL), CLPAC_OK);
			check_text(target, "....mapped..........");
			check_text(source, "0123456789abcdefghij");
			clpac_error err = {0};
			ck_assert_int_eq(clpac_buffer_write(target, 15, 6, "outside", &err), CLPAC_ERROR_ARGUMENT);
			check_truth(pool, &device);
			clpac_buffer_release(source);
			clpac_buffer_release(target);
			end(pool, &device);
		}
}

TEST(a_fallback_buffer_moves_to_the_device_at_the_first_transfer_once_there_is_room)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, BUDGET, NULL);
	clpac_buffer *large = take(pool, 9216), *fallback = take_fallback(pool, 2000);
	ck_assert_int_eq(clpac_buffer_write(fallback, 0, 5, "moved", NULL), CLPAC_OK);
	check_text(fallback, "moved");
	ck_assert(!clpac_buffer_is_on_device(fallback));
	clpac_buffer_release(large); /* cached: it gives way */
	ck_assert(!clpac_buffer_is_on_device(fallback));
	const uint64_t id = clpac_buffer_id(fallback);
	check_text(fallback, "moved");
	ck_assert(clpac_buffer_is_on_device(fallback));
	ck_assert_uint_eq(clpac_buffer_id(fallback), id);
	ck_assert_str_eq(clpac_buffer_tag(fallback), "placed");
	const clpac_pool_statistics now = numbers_of(pool);
	ck_assert_uint_eq(now.promotions, 1);
	ck_assert_uint_eq(now.host_buffers, 0);
	ck_assert_uint_eq(now.active_buffers, 1);
	ck_assert_uint_eq(now.in_use_bytes, 2048);
	ck_assert_uint_eq(now.requested_bytes, 2000);
	check_truth(pool, &device);
	clpac_buffer_release(fallback);
	ck_assert_uint_eq(numbers_of(pool).pooled_bytes, 2048);
	end(pool, &device);
}

TEST(fallback_buffers_are_promoted_oldest_first_until_there_is_no_room)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, BUDGET, NULL);
	clpac_buffer *large = take(pool, BUDGET), *fallbacks[4];
	char text[2] = "0";
	size_t n = 99;
	for (int i = 0; i < 4; i++) {
		fallbacks[i] = take_fallback(pool, 4000);
		text[0] = (char)('0' + i);
		ck_assert_int_eq(clpac_buffer_write(fallbacks[i], 0, 1, text, NULL), CLPAC_OK);
	}
	ck_assert_int_eq(clpac_pool_promote(pool, &n, NULL), CLPAC_OK);
	ck_assert_uint_eq(n, 0);
	clpac_buffer_release(large);
	clpac_pool_clear(pool);
	ck_assert_int_eq(clpac_pool_promote(pool, &n, NULL), CLPAC_OK);
	ck_assert_uint_eq(n, 2);
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(clpac_buffer_is_on_device(fallbacks[i]), i < 2);
		text[0] = (char)('0' + i);
		check_text(fallbacks[i], text);
	}
	check_truth(pool, &device);
	bool is_on_device = true;
	ck_assert_int_eq(clpac_buffer_promote(fallbacks[3], &is_on_device, NULL), CLPAC_OK);
	ck_assert(!is_on_device);
	clpac_buffer_release(fallbacks[0]);
	/* The block is cached, and serves at once. */
	const unsigned long n_creates = device.n_calls_of[SIMULATED_CREATE];
	ck_assert_int_eq(clpac_buffer_promote(fallbacks[3], &is_on_device, NULL), CLPAC_OK);
	ck_assert(is_on_device);
	ck_assert_uint_eq(device.n_calls_of[SIMULATED_CREATE], n_creates);
	check_text(fallbacks[3], "3");
	for (int i = 1; i < 4; i++)
		clpac_buffer_release(fallbacks[i]);
	end(pool, &device);
}

TEST(what_was_placed_on_the_host_or_is_known_outside_stays_there)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, BUDGET, NULL);
	clpac_buffer *large = take(pool, BUDGET), *pinned = take_fallback(pool, 100),
		     *mapped = take_fallback(pool, 100);
	clpac_buffer *placed = take_placed(pool, 100, CLPAC_PLACE_HOST);
	bool is_on_device = true;
	void *memory = NULL;
	clpac_error err = {0};
	size_t n = 99;
	clpac__buffer_pin(pinned);
	ck_assert_int_eq(clpac_buffer_map(mapped, 0, 100, CLPAC_WRITE, &memory, NULL), CLPAC_OK);
	clpac_buffer_release(large);
	clpac_pool_clear(pool);
	ck_assert_int_eq(clpac_buffer_promote(placed, &is_on_device, NULL), CLPAC_OK);
	ck_assert(!is_on_device);
	is_on_device = true;
	ck_assert_int_eq(clpac_buffer_promote(pinned, &is_on_device, NULL), CLPAC_OK);
	ck_assert(!is_on_device);
	ck_assert_int_eq(clpac_buffer_promote(mapped, &is_on_device, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, "promote: buffer \"placed\" is mapped; unmap it first");
	ck_assert_int_eq(clpac_pool_promote(pool, &n, NULL), CLPAC_OK);
	ck_assert_uint_eq(n, 0);
	memcpy(memory, "host", 4);
	ck_assert_int_eq(clpac_buffer_unmap(mapped, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_pool_promote(pool, NULL, NULL), CLPAC_OK);
	ck_assert(clpac_buffer_is_on_device(mapped));
	check_text(mapped, "host");
	check_truth(pool, &device);
	clpac_buffer_release(placed);
	clpac_buffer_release(pinned);
	clpac_buffer_release(mapped);
	end(pool, &device);
}

TEST(a_move_that_fails_leaves_the_buffer_whole_on_the_host)
{
	static const enum simulated_call calls[] = {SIMULATED_CREATE, SIMULATED_COPY, SIMULATED_FINISH};
	for (int i = 0; i < 3; i++) {
		simulated_device device;
		clpac_pool *pool = open_pool(&device, BUDGET, NULL);
		clpac_buffer *large = take(pool, BUDGET), *fallback = take_fallback(pool, 100);
		bool is_on_device = true;
		clpac_error err = {0};
		ck_assert_int_eq(clpac_buffer_write(fallback, 0, 5, "whole", NULL), CLPAC_OK);
		clpac_buffer_release(large);
		clpac_pool_clear(pool);
		simulated_fail(&device, 1, calls[i], CLPAC_ERROR_DEVICE, -5);
		/* No room is not an error; a failing device is. */
		const clpac_status st = clpac_buffer_promote(fallback, &is_on_device, &err);
		if (calls[i] == SIMULATED_CREATE) {
			ck_assert_int_eq(st, CLPAC_OK);
			ck_assert(!is_on_device);
		} else {
			ck_assert_int_eq(st, CLPAC_ERROR_DEVICE);
			ck_assert_int_eq(err.native_code, -5);
			ck_assert_ptr_nonnull(strstr(err.text, "moving buffer \"placed\" of 100 bytes to the device"));
		}
		ck_assert(!clpac_buffer_is_on_device(fallback));
		check_truth(pool, &device);
		/* The failed promotion spoils no transfer. */
		simulated_fail(&device, 1, calls[i], CLPAC_ERROR_DEVICE, -5);
		check_text(fallback, "whole");
		simulated_fail(&device, 0, SIMULATED_ANY, CLPAC_OK, 0);
		check_text(fallback, "whole");
		ck_assert(clpac_buffer_is_on_device(fallback));
		check_truth(pool, &device);
		clpac_buffer_release(fallback);
		end(pool, &device);
	}
}

TEST(a_host_without_memory_ends_in_the_refusal_of_the_device)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, BUDGET, &(clpac_pool_options){.fallback_bytes = 1 << 20});
	device.host_memory_bytes = 5000;
	clpac_buffer *large = take(pool, BUDGET), *fallback = take_fallback(pool, 4000), *refused = NULL;
	clpac_error err = {0};
	const clpac_request request = {.bytes = 4000, .tag = "last", .placement = CLPAC_PLACE_PREFER_DEVICE};
	ck_assert_int_eq(clpac_pool_request(pool, &request, &refused, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_ptr_nonnull(
		strstr(err.text, "buffer \"last\" of 4000 bytes (class 4096): no room in the pool's budget"));
	const clpac_request on_host = {.bytes = 4000, .tag = "last", .placement = CLPAC_PLACE_HOST};
	ck_assert_int_eq(clpac_pool_request(pool, &on_host, &refused, &err), CLPAC_ERROR_NO_MEMORY);
	ck_assert_ptr_nonnull(strstr(err.text, "buffer \"last\" of 4000 bytes on the host"));
	ck_assert_ptr_null(refused);
	ck_assert_uint_eq(numbers_of(pool).fallbacks, 1);
	check_truth(pool, &device);
	clpac_buffer_release(large);
	clpac_buffer_release(fallback);
	end(pool, &device);
}

TEST(mappings_are_copies_only_where_the_device_has_memory_of_its_own)
{
	static const clpac_access accesses[] = {CLPAC_READ, CLPAC_WRITE, CLPAC_READ_WRITE};
	for (int is_unified = 0; is_unified < 2; is_unified++)
		for (int is_on_host = 0; is_on_host < 2; is_on_host++) {
			simulated_device device;
			clpac_pool *pool = open_pool(&device, BUDGET, NULL);
			device.queue.has_unified_memory = is_unified;
			clpac_buffer *buffer =
				take_placed(pool, 100, is_on_host ? CLPAC_PLACE_HOST : CLPAC_PLACE_DEVICE);
			for (int i = 0; i < 3; i++) {
				void *memory = NULL;
				ck_assert_int_eq(clpac_buffer_map(buffer, 10, 50, accesses[i], &memory, NULL),
						 CLPAC_OK);
				const bool is_in_place = memory == simulated_bytes(clpac__buffer_block(buffer)) + 10;
				ck_assert_int_eq(is_in_place, is_unified || is_on_host);
				if (accesses[i] & CLPAC_WRITE)
					memset(memory, 'a' + i, 50);
				ck_assert_int_eq(clpac_buffer_unmap(buffer, NULL), CLPAC_OK);
			}
			char last = 0;
			ck_assert_int_eq(clpac_buffer_read(buffer, 59, 1, &last, NULL), CLPAC_OK);
			ck_assert_int_eq(last, 'c');
			ck_assert_uint_eq(numbers_of(pool).host_copies, is_unified || is_on_host ? 0 : 3);
			ck_assert_uint_eq(numbers_of(pool).host_copies, device.n_map_copies);
			clpac_buffer_release(buffer);
			end(pool, &device);
		}
}

TEST(a_mapping_is_refused_where_it_makes_no_sense_and_ends_with_its_buffer)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, BUDGET, NULL);
	clpac_buffer *buffer = take(pool, 100);
	clpac_error err = {0};
	void *memory = NULL;
	ck_assert_int_eq(clpac_buffer_map(buffer, 0, 0, CLPAC_READ, &memory, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_buffer_map(buffer, 1, 100, CLPAC_READ, &memory, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_buffer_map(buffer, 0, 1, (clpac_access)4, &memory, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, "map: access is 4: no such access");
	ck_assert_int_eq(clpac_buffer_unmap(buffer, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, "unmap: buffer \"test\" is not mapped");
	ck_assert_uint_eq(device.n_calls_of[SIMULATED_MAP], 0);
	ck_assert_int_eq(clpac_buffer_map(buffer, 0, 1, CLPAC_READ, &memory, &err), CLPAC_OK);
	ck_assert_int_eq(clpac_buffer_map(buffer, 0, 1, CLPAC_READ, &memory, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, "map: buffer \"test\" is mapped already; unmap it first");
	clpac_buffer_release(buffer);
	ck_assert_uint_eq(device.live_mappings, 0);
	/* A fallback does not outlive the pool either. */
	buffer = take(pool, 100);
	ck_assert_int_eq(clpac_buffer_map(buffer, 0, 1, CLPAC_READ, &memory, &err), CLPAC_OK);
	clpac_pool_destroy(pool);
	ck_assert_uint_eq(device.live_mappings, 1);
	clpac_buffer_release(buffer);
	check_nothing_left(&device);
}

/* Adds the bytes of the first buffer to those of the second. */
static void add(void *user, const clpac__launch *launch, unsigned char *const *memory)
{
	(void)user;
	for (size_t i = 0; i < launch->items[0]; i++)
		memory[1][i] = (unsigned char)(memory[1][i] + memory[0][i]);
}

TEST(a_stage_takes_buffers_of_either_kind)
{
	static const clpac_placement places[] = {CLPAC_PLACE_DEVICE, CLPAC_PLACE_HOST};
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 2; b++) {
			simulated_device device;
			clpac_pool *pool = open_pool(&device, BUDGET, NULL);
			simulated_computes(&device);
			device.stage = add;
			clpac_buffer *source = take_placed(pool, 100, places[a]),
				     *target = take_placed(pool, 100, places[b]);
			unsigned char found[100];
			ck_assert_int_eq(clpac_buffer_fill(source, 0, 100, 40, NULL), CLPAC_OK);
			ck_assert_int_eq(clpac_buffer_fill(target, 0, 100, 2, NULL), CLPAC_OK);
			const clpac__launch launch = {
				.items = {100, 1, 1},
				CLPAC__STAGE(widen, .real = clpac__buffer_block(source),
					     .wide = clpac__buffer_block(target), .length = 0, .stride = 0),
			};
			ck_assert_int_eq(clpac__compute_launch(&device.queue, &launch, NULL), CLPAC_OK);
			ck_assert_int_eq(clpac_buffer_read(target, 0, 100, found, NULL), CLPAC_OK);
			for (int i = 0; i < 100; i++)
				ck_assert_int_eq(found[i], 42);
			clpac_buffer_release(source);
			clpac_buffer_release(target);
			end(pool, &device);
		}
}
