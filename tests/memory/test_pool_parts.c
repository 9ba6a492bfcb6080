/* Random work on a pool whose blocks are parts of segments, with several queues, on a device that lags.  Here not every
 * byte can be predicted (test_pool_model.c predicts it where blocks are whole), but laws hold: no content is ever
 * damaged, no two buffers share a byte, the ledger is the device's truth, and a refused request finds no free piece
 * that is large enough.  A failure replays from the seed in its message. */
#include "runner.h"

#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include "memory/pool/surface/surface.h"
#include "pool_truth.h"
#include "random.h"
#include "assertions.h"

enum { MAX_LIVE = 48, MAX_BYTES = 100000, N_OPERATIONS = 8000, N_QUEUES = 4 };

struct shadow {
	clpac_buffer *buffer;
	size_t bytes;
	uint64_t pattern; /* content[i] is byte i of this stream */
};

struct model {
	unsigned long long seed, state;
	unsigned n_operations;
	clpac_pool *pool;
	simulated_device device;
	clpac_queue *queues[N_QUEUES]; /* the pool's own, one in order, one out of order, and one that comes and goes */
	size_t n_queues;	       /* in use */
	struct shadow live[MAX_LIVE];
	size_t n_live;
	uint64_t n_refused, n_moved;
};

#define CHECK(condition) assert_in_model(condition, m->seed, m->n_operations)

static size_t below(struct model *m, size_t n)
{
	return (size_t)(random_bits(&m->state) % n);
}

static void fill_pattern(unsigned long long pattern, unsigned char *out, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += sizeof pattern) {
		const uint64_t word = random_bits(&pattern);
		memcpy(out + i, &word, bytes - i < sizeof word ? bytes - i : sizeof word);
	}
}

static void check_content(struct model *m, const struct shadow *shadow)
{
	static unsigned char expected[MAX_BYTES], found[MAX_BYTES];
	fill_pattern(shadow->pattern, expected, shadow->bytes);
	CHECK(clpac_buffer_read(shadow->buffer, 0, shadow->bytes, found, NULL) == CLPAC_OK);
	CHECK(memcmp(found, expected, shadow->bytes) == 0);
}

/* Written by a copy from a second buffer, which is released at once, so that queues have work that lags. */
static void write_content(struct model *m, struct shadow *shadow)
{
	static unsigned char content[MAX_BYTES];
	clpac_buffer *passing = NULL;
	fill_pattern(shadow->pattern, content, shadow->bytes);
	const clpac_request request = {
		.bytes = shadow->bytes, .tag = "passing", .queue = m->queues[below(m, m->n_queues)]};
	if (below(m, 2) && clpac_pool_request(m->pool, &request, &passing, NULL) == CLPAC_OK) {
		CHECK(clpac_buffer_write(passing, 0, shadow->bytes, content, NULL) == CLPAC_OK);
		CHECK(clpac_buffer_copy(passing, 0, shadow->buffer, 0, shadow->bytes, NULL) == CLPAC_OK);
		clpac_buffer_release(passing);
	} else {
		CHECK(clpac_buffer_write(shadow->buffer, 0, shadow->bytes, content, NULL) == CLPAC_OK);
	}
}

/* Parts were coalesced, pending blocks waited for, empty segments given back: and still there was no room. */
static void check_refusal(struct model *m, size_t bytes)
{
	const uint64_t class_bytes = clpac_pool_class(m->pool, bytes);
	clpac_pool_statistics now;
	clpac_pool_measure(m->pool, &now, sizeof now);
	CHECK(now.largest_free_bytes < class_bytes);
	CHECK(now.budget_bytes - now.allocated_bytes + now.pooled_bytes - now.free_segment_bytes < class_bytes);
	CHECK(now.pending_buffers == 0);
	/* Segments of an eighth of the budget, and one queue: a request that would fit twice is never refused. */
	if (m->n_queues == 1)
		CHECK(2 * (now.in_use_bytes + class_bytes) > now.budget_bytes);
	m->n_refused++;
}

static void allocate(struct model *m)
{
	const size_t bytes = 1 + below(m, (size_t)1 << below(m, 17)) % MAX_BYTES;
	clpac_buffer *buffer = NULL;
	if (m->n_live == MAX_LIVE)
		return;
	const clpac_request request = {.bytes = bytes, .tag = "model", .queue = m->queues[below(m, m->n_queues)]};
	const clpac_status st = clpac_pool_request(m->pool, &request, &buffer, NULL);
	if (st != CLPAC_OK) {
		CHECK(st == CLPAC_ERROR_NO_DEVICE_MEMORY);
		check_refusal(m, bytes);
		return;
	}
	struct shadow *shadow = &m->live[m->n_live++];
	*shadow = (struct shadow){buffer, bytes, random_bits(&m->state)};
	write_content(m, shadow);
}

static void release(struct model *m, size_t i)
{
	check_content(m, &m->live[i]);
	clpac_buffer_release(m->live[i].buffer);
	m->live[i] = m->live[--m->n_live];
}

static void check_disjoint(struct model *m)
{
	const unsigned char *begins[MAX_LIVE];
	for (size_t i = 0; i < m->n_live; i++)
		begins[i] = simulated_bytes(clpac__buffer_block(m->live[i].buffer));
	for (size_t i = 0; i < m->n_live; i++)
		for (size_t k = 0; k < i; k++)
			CHECK(begins[i] + clpac_buffer_class(m->live[i].buffer) <= begins[k] ||
			      begins[k] + clpac_buffer_class(m->live[k].buffer) <= begins[i]);
}

static void check_numbers(struct model *m)
{
	clpac_pool_statistics now;
	uint64_t in_use = 0, requested = 0;
	for (size_t i = 0; i < m->n_live; i++) {
		in_use += clpac_buffer_class(m->live[i].buffer);
		requested += m->live[i].bytes;
	}
	clpac_pool_measure(m->pool, &now, sizeof now);
	CHECK(now.in_use_bytes == in_use);
	CHECK(now.requested_bytes == requested);
	CHECK(now.active_buffers == m->n_live);
	CHECK(now.fragmentation >= 0 && now.fragmentation <= 1);
	CHECK(m->device.hazards == 0);
	check_truth(m->pool, &m->device);
}

static void reopen_queue(struct model *m)
{
	clpac_queue_close(m->pool, m->queues[N_QUEUES - 1]);
	CHECK(clpac_queue_open(m->pool, below(m, 2), &m->queues[N_QUEUES - 1], NULL) == CLPAC_OK);
}

static void one_operation(struct model *m)
{
	const size_t choice = below(m, 200);
	if (choice < 90)
		allocate(m);
	else if (choice < 160 && m->n_live)
		release(m, below(m, m->n_live));
	else if (choice < 170 && m->n_live)
		check_content(m, &m->live[below(m, m->n_live)]);
	else if (choice < 180)
		simulated_pass(m->queues[below(m, m->n_queues)]);
	else if (choice < 185)
		clpac_pool_trim(m->pool, below(m, 200000));
	else if (choice < 187)
		reopen_queue(m);
	else if (choice < 190) {
		const unsigned long n_copies = m->device.n_calls_of[SIMULATED_COPY];
		CHECK(clpac_pool_defragment(m->pool, below(m, 200000), NULL, NULL) == CLPAC_OK);
		m->n_moved += m->device.n_calls_of[SIMULATED_COPY] - n_copies;
	} else if (choice < 191) {
		const uint64_t before = m->device.live_bytes;
		CHECK(clpac_pool_clear(m->pool) == before - m->device.live_bytes);
	}
	if (m->n_operations % 8 == 0)
		check_disjoint(m);
	check_numbers(m);
}

/* Returns the number of refused requests. */
static uint64_t run_model(uint64_t seed, uint64_t budget, size_t n_queues, bool is_lagging)
{
	struct model *m = calloc(1, sizeof *m);
	m->seed = m->state = seed;
	m->pool = open_pool(&m->device, budget,
			    &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
							    .max_segment_bytes = n_queues == 1 ? 0 : 128 << 10},
						  .may_move = seed % 2});
	m->n_queues = n_queues;
	m->device.is_lagging = is_lagging;
	m->queues[0] = clpac_pool_queue(m->pool);
	for (int i = 1; i < N_QUEUES; i++)
		CHECK(clpac_queue_open(m->pool, i & 1, &m->queues[i], NULL) == CLPAC_OK);
	for (; m->n_operations < N_OPERATIONS; m->n_operations++)
		one_operation(m);
	clpac_pool_statistics now;
	clpac_pool_measure(m->pool, &now, sizeof now);
	/* A pool that is short of room coalesces released parts rather than cache them, for how long its load decides.
	 */
	CHECK(now.hits > N_OPERATIONS / 1000);
	CHECK(now.parts_created > 20);
	CHECK(n_queues == 1 || m->n_moved > 10);
	CHECK(n_queues == 1 || !m->n_refused || now.queue_waits > 10);
	while (m->n_live)
		release(m, m->n_live - 1);
	for (int i = 0; i < N_QUEUES; i++)
		clpac_queue_finish(m->pool, m->queues[i], NULL);
	const uint64_t all = m->device.live_bytes;
	CHECK(clpac_pool_clear(m->pool) == all);
	CHECK(m->device.live_bytes == 0 && m->device.live_parts == 0);
	check_numbers(m);
	for (int i = 1; i < N_QUEUES; i++)
		clpac_queue_close(m->pool, m->queues[i]);
	simulated_pass(&m->device.queue);
	clpac_pool_destroy(m->pool);
	check_nothing_left(&m->device);
	const uint64_t n_refused = m->n_refused;
	free(m);
	return n_refused;
}

TEST(a_roomy_pool_keeps_its_laws)
{
	ck_assert_uint_eq(run_model(1, 8 << 20, N_QUEUES, false), 0);
	ck_assert_uint_eq(run_model(2, 8 << 20, N_QUEUES, true), 0);
}

TEST(a_tight_pool_keeps_its_laws)
{
	for (uint64_t seed = 11; seed <= 14; seed++)
		ck_assert_uint_gt(run_model(seed, 400000, N_QUEUES, seed & 1), 0);
}

TEST(a_very_tight_pool_keeps_its_laws)
{
	for (uint64_t seed = 21; seed <= 24; seed++)
		ck_assert_uint_gt(run_model(seed, 150001, N_QUEUES, seed & 1), 0);
}

TEST(in_one_queue_what_would_fit_twice_is_never_refused)
{
	uint64_t n_refused = 0;
	for (uint64_t seed = 31; seed <= 46; seed++)
		n_refused += run_model(seed, 530000, 1, seed & 1);
	ck_assert_uint_gt(n_refused, 0); /* requests that do not fit are refused */
}
