/* Random entries and requests under one cap: a request that is larger than any entry costs the store at most twice its
 * own bytes, and is never refused while what nobody holds would make room for it.  What is held stays, and no content
 * changes.  A failure replays from the seed in its message. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <clpac/memory/store.h>
#include <clpac/memory/buffer.h>
#include "memory/pool/surface/surface.h"
#include "pool_truth.h"
#include "random.h"
#include "assertions.h"

enum { KIB = 1024, MIB = 1024 * KIB, MAX_HELD = 24, MAX_LIVE = 24, N_OPERATIONS = 2500 };

struct model {
	unsigned long long seed, state;
	unsigned n_operations;
	clpac_pool *pool;
	clpac_store *store;
	simulated_device device;
	clpac_entry *held[MAX_HELD];
	size_t n_held;
	clpac_buffer *live[MAX_LIVE];
	size_t n_live;
	uint64_t n_keys, n_refused, n_evicting, largest_bytes; /* the largest entry ever put */
};

#define CHECK(condition) assert_in_model(condition, m->seed, m->n_operations)

static size_t below(struct model *m, size_t n)
{
	return (size_t)(random_bits(&m->state) % n);
}

static uint64_t evicted_bytes(const struct model *m)
{
	clpac_store_statistics now;
	clpac_store_measure(m->store, &now, sizeof now);
	return now.evicted_bytes;
}

/* A refusal means: were everything evicted that nobody holds, there still would be no room.  Tried out. */
static void check_refusal(struct model *m, size_t class_bytes)
{
	clpac_pool *pool = m->pool;
	m->n_refused++;
	clpac_store_evict(m->store, pool, UINT64_MAX);
	pthread_mutex_lock(&pool->lock);
	clpac__pool_merge(pool);
	const uint64_t reclaimable = clpac__pool_reclaimable(pool);
	CHECK(clpac__segments_largest_free(&pool->segments) < class_bytes);
	CHECK(clpac__ledger_room(&pool->ledger) + reclaimable < class_bytes);
	pthread_mutex_unlock(&pool->lock);
}

static clpac_buffer *take_checked(struct model *m, size_t bytes)
{
	clpac_buffer *buffer = NULL;
	const uint64_t before = evicted_bytes(m);
	clpac_pool_statistics held;
	clpac_pool_reset_peaks(m->pool);
	m->device.peak_bytes = m->device.live_bytes;
	const clpac_status st = clpac_pool_allocate(m->pool, bytes, "model", &buffer, NULL);
	clpac_pool_measure(m->pool, &held, sizeof held);
	const uint64_t evicted = evicted_bytes(m) - before;
	const size_t class_bytes = clpac_pool_class(m->pool, bytes);
	m->n_evicting += evicted > 0;
	if (st != CLPAC_OK) {
		CHECK(st == CLPAC_ERROR_NO_DEVICE_MEMORY);
		/* Arrays whose eviction could not help stay. */
		CHECK(evicted == 0);
		check_refusal(m, class_bytes);
		return NULL;
	}
	/* A pool that comes to hold 0.95 of its budget goes down to 0.90 of it, whatever was asked for. */
	const uint64_t budget = clpac_pool_budget(m->pool), most = held.peak_allocated_bytes;
	const uint64_t relief = most >= (uint64_t)(0.95 * (double)budget) ? budget / 10 + m->largest_bytes : 0;
	const uint64_t one = m->largest_bytes > bytes ? m->largest_bytes : 0;
	CHECK(evicted <= 2 * class_bytes + one + relief);
	return buffer;
}

static void put(struct model *m)
{
	char key[32];
	const size_t bytes = 1 + below(m, (size_t)64 << below(m, m->seed & 1 ? 16 : 13));
	clpac_buffer *buffer = take_checked(m, bytes);
	if (!buffer)
		return;
	m->largest_bytes = bytes > m->largest_bytes ? bytes : m->largest_bytes;
	snprintf(key, sizeof key, "%llu", (unsigned long long)m->n_keys++);
	CHECK(clpac_store_put(m->store, key, buffer, NULL, CLPAC_PUT_FAIL, NULL) == CLPAC_OK);
}

static void hold(struct model *m)
{
	char key[32];
	if (m->n_held == MAX_HELD || !m->n_keys)
		return;
	snprintf(key, sizeof key, "%llu",
		 (unsigned long long)(m->n_keys - 1 - below(m, m->n_keys < 200 ? m->n_keys : 200)));
	if (clpac_store_acquire(m->store, key, &m->held[m->n_held], NULL) == CLPAC_OK)
		m->n_held++;
}

static void let_go(struct model *m, size_t i)
{
	CHECK(clpac_entry_buffer(m->held[i]) && clpac_buffer_bytes(clpac_entry_buffer(m->held[i])));
	clpac_entry_release(m->held[i]);
	m->held[i] = m->held[--m->n_held];
}

static void one_operation(struct model *m)
{
	const size_t choice = below(m, 100);
	if (choice < 55) {
		put(m);
	} else if (choice < 65 && m->n_live < MAX_LIVE) {
		clpac_buffer *buffer = take_checked(m, ((size_t)1 + below(m, 12)) * MIB / 2);
		if (buffer)
			m->live[m->n_live++] = buffer;
	} else if (choice < 75 && m->n_live) {
		const size_t i = below(m, m->n_live);
		clpac_buffer_release(m->live[i]);
		m->live[i] = m->live[--m->n_live];
	} else if (choice < 88) {
		hold(m);
	} else if (m->n_held) {
		let_go(m, below(m, m->n_held));
	}
	check_truth(m->pool, &m->device);
}

static void run_model(uint64_t seed, clpac_blocks blocks, uint64_t cap_bytes)
{
	struct model *m = calloc(1, sizeof *m);
	m->seed = m->state = seed;
	m->pool = open_pool(&m->device, cap_bytes, &(clpac_pool_options){.cache = {.blocks = blocks}});
	CHECK(clpac_store_create(m->pool, NULL, &m->store, NULL) == CLPAC_OK);
	for (; m->n_operations < N_OPERATIONS; m->n_operations++)
		one_operation(m);
	CHECK(m->n_evicting > 5);
	while (m->n_held)
		let_go(m, m->n_held - 1);
	clpac_buffer_release_batch(m->live, m->n_live);
	clpac_store_destroy(m->store);
	clpac_pool_destroy(m->pool);
	check_nothing_left(&m->device);
	free(m);
}

TEST(a_request_costs_a_store_at_most_twice_its_bytes)
{
	for (uint64_t seed = 1; seed <= 8; seed++)
		run_model(seed, CLPAC_BLOCKS_SEGMENTS, (seed % 3 + 1) * 8 * MIB);
}

TEST(so_it_does_where_blocks_are_whole)
{
	for (uint64_t seed = 11; seed <= 14; seed++)
		run_model(seed, CLPAC_BLOCKS_WHOLE, (seed % 3 + 1) * 8 * MIB);
}
