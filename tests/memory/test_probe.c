/* Measuring a device's memory by taking it: the result, the release of every block, and the cases in which it is
 * refused. */
#include "runner.h"

#include <clpac/memory/buffer.h>

#include "assertions.h"
#include "pool_truth.h"

enum { MIB = 1 << 20 };

TEST(the_probe_finds_what_is_free_to_within_a_mebibyte_and_gives_it_back)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 40 * MIB + MIB / 2, NULL);
	clpac_buffer *held = take(pool, 8 * MIB);
	uint64_t found = 0;
	ck_assert_int_eq(clpac_pool_probe_free_memory(pool, 1024 * (uint64_t)MIB, &found, NULL), CLPAC_OK);
	ck_assert_uint_le(found, 32 * MIB + MIB / 2);
	ck_assert_uint_gt(found, 31 * MIB);
	ck_assert_uint_eq(device.live_bytes, 8 * MIB);

	ck_assert_int_eq(clpac_pool_probe_free_memory(pool, 5 * MIB, &found, NULL), CLPAC_OK);
	ck_assert_uint_eq(found, 5 * MIB);
	ck_assert_uint_eq(device.live_bytes, 8 * MIB);
	clpac_buffer_release(held);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

/* A lazy driver promises memory that it does not have: only the first use fails. */
TEST(what_fails_at_first_use_is_not_counted)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 64 * MIB, NULL);
	uint64_t found = 1;
	device.largest_bytes = 8 * MIB;
	simulated_fail_from(&device, 3, SIMULATED_FILL, CLPAC_ERROR_NO_DEVICE_MEMORY, -4);
	ck_assert_int_eq(clpac_pool_probe_free_memory(pool, 64 * MIB, &found, NULL), CLPAC_OK);
	ck_assert_uint_eq(found, 16 * MIB);
	ck_assert_uint_eq(device.live_blocks, 0);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

TEST(a_device_that_is_the_hosts_cpu_is_not_probed)
{
	static const clpac_device_kind kinds[] = {CLPAC_DEVICE_NATIVE, CLPAC_DEVICE_OPENCL_CPU};
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 64 * MIB, NULL);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		clpac_error err;
		uint64_t found = 7;
		device.queue.device.kind = kinds[i];
		ck_assert_int_eq(clpac_pool_probe_free_memory(pool, 64 * MIB, &found, &err), CLPAC_ERROR_UNSUPPORTED);
		ck_assert_uint_eq(found, 7);
		ck_assert_uint_eq(device.n_calls, 0);
	}
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}
