/* Assertions that hold of any pool. */
#include "pool_truth.h"

#include <clpac/memory/statistics.h>

#include "test_thread.h"
#include "memory/pool/blocks/blocks.h"

/* ck_assert writes a mark for every assertion that holds: too slow for property tests, which come here a million
 * times. */
#define HOLDS(a, is, b)                                                                                                \
	do {                                                                                                           \
		if (!((a)is(b)))                                                                                       \
			ck_abort_msg("%s %s %s does not hold: %llu, %llu", #a, #is, #b, (unsigned long long)(a),       \
				     (unsigned long long)(b));                                                         \
	} while (0)

/* Parts that nobody has used, so that the device knows nothing of them. */
static unsigned long count_unused(clpac_pool *pool)
{
	unsigned long n = 0;
	pthread_mutex_lock(&pool->lock);
	for (const clpac_buffer *buffer = pool->handles; buffer; buffer = buffer->next)
		n += !buffer->block;
	pthread_mutex_unlock(&pool->lock);
	return n;
}

void check_truth_after_threads(clpac_pool *pool, const simulated_device *device)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	HOLDS(now.allocated_bytes, ==, device->live_bytes);
	HOLDS(now.allocated_bytes, ==, now.in_use_bytes + now.pooled_bytes);
	HOLDS(now.active_buffers - now.host_buffers + now.pooled_buffers, ==,
	      device->live_blocks - now.segments + device->live_parts + count_unused(pool));
	HOLDS(now.host_buffers, ==, device->live_host_blocks);
	HOLDS(now.host_bytes, ==, device->live_host_bytes);
	HOLDS(now.parts_created, >=, device->live_parts + device->n_part_releases + count_unused(pool));
	HOLDS(now.segment_bytes, <=, now.allocated_bytes);
	HOLDS(now.free_segment_bytes, <=, now.segment_bytes);
	HOLDS(now.largest_free_bytes, <=, now.free_segment_bytes);
	HOLDS(now.pending_buffers, <=, now.pooled_buffers);
	HOLDS(now.driver_creates, ==, device->n_calls_of[SIMULATED_CREATE]);
	HOLDS(now.driver_releases, ==, device->n_releases);
	HOLDS(now.driver_calls, ==, now.driver_creates + now.driver_releases);
	HOLDS(now.waste_bytes, ==, now.in_use_bytes - now.requested_bytes);
	HOLDS(now.allocated_bytes, <=, now.budget_bytes);
	HOLDS(device->peak_bytes, <=, now.budget_bytes);
	HOLDS(now.requested_bytes, <=, now.in_use_bytes);
	HOLDS(now.peak_allocated_bytes, >=, now.allocated_bytes);
	HOLDS(now.peak_in_use_bytes, >=, now.in_use_bytes);
	HOLDS(now.peak_pooled_bytes, >=, now.pooled_bytes);
	HOLDS(now.peak_requested_bytes, >=, now.requested_bytes);
	HOLDS(device->breaches, ==, 0);
}

void check_truth(clpac_pool *pool, const simulated_device *device)
{
	check_truth_after_threads(pool, device);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	HOLDS(now.peak_allocated_bytes, ==, device->peak_bytes);
}

void check_nothing_left(const simulated_device *device)
{
	ck_assert_uint_eq(device->live_blocks, 0);
	ck_assert_uint_eq(device->live_bytes, 0);
	ck_assert_uint_eq(device->live_parts, 0);
	ck_assert_uint_eq(device->live_host_blocks, 0);
	ck_assert_uint_eq(device->live_mappings, 0);
	ck_assert_uint_eq(device->live_events, 0);
	ck_assert_uint_eq(device->live_siblings, 0);
	ck_assert_uint_eq(device->hazards, 0);
	ck_assert_uint_eq(device->breaches, 0);
	ck_assert_uint_eq(device->overlaps, 0);
}

clpac_pool *open_pool(simulated_device *device, uint64_t memory_bytes, const clpac_pool_options *options)
{
	clpac_pool_options all = options ? *options : (clpac_pool_options){0};
	if (!all.cache.blocks)
		all.cache.blocks = CLPAC_BLOCKS_WHOLE;
	all.budget.fraction = 1;
	all.budget.minimum_free_bytes = 1; /* the smallest that is not the default */
	simulated_open(device, memory_bytes, 0);
	device->queue.device.memory_bytes = memory_bytes + 1;
	clpac_error err = {0};
	clpac_pool *pool = NULL;
	ck_assert_msg(clpac__pool_create(&device->queue, &all, 0, &pool, &err) == CLPAC_OK, "%s", err.text);
	return pool;
}

clpac_buffer *take(clpac_pool *pool, size_t bytes)
{
	clpac_error err = {0};
	clpac_buffer *buffer = NULL;
	ck_assert_msg(clpac_pool_allocate(pool, bytes, "test", &buffer, &err) == CLPAC_OK, "%s", err.text);
	return buffer;
}
