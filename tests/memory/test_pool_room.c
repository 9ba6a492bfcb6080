/* Random work under a cap, with sizes on both sides of the bound between small and large buffers: a request is refused
 * only where no free piece of any segment, no cached memory and no rest of the budget would have held it; nor, where
 * pools share a tree of limits, what the others only cache.  A failure replays from the seed in its message. */
#include "runner.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include "memory/pool/surface/surface.h"
#include "pool_truth.h"
#include "random.h"
#include "assertions.h"

enum { KIB = 1024, MIB = 1024 * KIB, MAX_LIVE = 400, N_OPERATIONS = 4000, N_QUEUES = 3 };

struct model {
	unsigned long long seed, state;
	unsigned n_operations;
	clpac_pool *pool;
	simulated_device device;
	clpac_queue *queues[N_QUEUES];
	size_t n_queues;
	clpac_buffer *live[MAX_LIVE];
	size_t n_live;
	uint64_t n_refused;
};

#define CHECK(condition) assert_in_model(condition, m->seed, m->n_operations)

static size_t below(struct model *m, size_t n)
{
	return (size_t)(random_bits(&m->state) % n);
}

/* Bytes that the caches would give back to the budget: whole blocks, and segments without a piece in use. */
static uint64_t reclaimable(clpac_pool *pool)
{
	uint64_t bytes = pool->segments.empty_bytes;
	for (const clpac_buffer *buffer = pool->depot.oldest; buffer; buffer = buffer->newer)
		bytes += buffer->segment ? 0 : buffer->class_bytes;
	return bytes;
}

static void check_refusal(struct model *m, size_t class_bytes)
{
	clpac_pool *pool = m->pool;
	pthread_mutex_lock(&pool->lock);
	clpac__pool_merge(pool);
	CHECK(clpac__segments_largest_free(&pool->segments) < class_bytes);
	CHECK(clpac__ledger_room(&pool->ledger) + reclaimable(pool) < class_bytes);
	CHECK(!pool->pending);
	pthread_mutex_unlock(&pool->lock);
	m->n_refused++;
}

/* Sizes are evenly spread over the octaves from 64 bytes to 4 MiB, or few and large. */
static size_t random_size(struct model *m)
{
	if (m->seed & 1 && below(m, 2))
		return (1 + below(m, 4)) * MIB / 2;
	const size_t most = (size_t)64 << below(m, 17);
	return 1 + most / 2 + below(m, most / 2);
}

static void allocate(struct model *m)
{
	const clpac_request request = {
		.bytes = random_size(m), .tag = "model", .queue = m->queues[below(m, m->n_queues)]};
	clpac_buffer *buffer = NULL;
	const clpac_status st = clpac_pool_request(m->pool, &request, &buffer, NULL);
	if (st == CLPAC_OK) {
		m->live[m->n_live++] = buffer;
		return;
	}
	CHECK(st == CLPAC_ERROR_NO_DEVICE_MEMORY);
	check_refusal(m, clpac_pool_class(m->pool, request.bytes));
}

static void release(struct model *m, size_t i)
{
	clpac_buffer_release(m->live[i]);
	m->live[i] = m->live[--m->n_live];
}

static uint64_t run_model(uint64_t seed, uint64_t cap_bytes, size_t n_queues, bool is_lagging)
{
	struct model *m = calloc(1, sizeof *m);
	m->seed = m->state = seed;
	m->pool = open_pool(&m->device, cap_bytes, &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS}});
	m->n_queues = n_queues;
	m->device.is_lagging = is_lagging;
	m->queues[0] = clpac_pool_queue(m->pool);
	for (size_t i = 1; i < n_queues; i++)
		CHECK(clpac_queue_open(m->pool, i & 1, &m->queues[i], NULL) == CLPAC_OK);
	for (; m->n_operations < N_OPERATIONS; m->n_operations++) {
		if (m->n_live < MAX_LIVE && below(m, 100) < 55)
			allocate(m);
		else if (m->n_live)
			release(m, below(m, m->n_live));
		if (m->n_operations % 500 == 499)
			while (m->n_live > MAX_LIVE / 8)
				release(m, below(m, m->n_live));
		check_truth(m->pool, &m->device);
	}
	while (m->n_live)
		release(m, m->n_live - 1);
	for (size_t i = 1; i < n_queues; i++)
		clpac_queue_close(m->pool, m->queues[i]);
	simulated_pass(&m->device.queue);
	clpac_pool_destroy(m->pool);
	check_nothing_left(&m->device);
	const uint64_t n_refused = m->n_refused;
	free(m);
	return n_refused;
}

TEST(what_fits_is_not_refused_in_one_queue)
{
	for (uint64_t seed = 1; seed <= 8; seed++)
		ck_assert_uint_gt(run_model(seed, (seed % 4 + 1) * 16 * MIB, 1, false), 0);
}

TEST(what_fits_is_not_refused_in_several_queues)
{
	for (uint64_t seed = 11; seed <= 16; seed++)
		ck_assert_uint_gt(run_model(seed, (seed % 3 + 1) * 16 * MIB, N_QUEUES, seed & 2), 0);
}

/* --- Buffers of one size ---------------------------------------------------------------------- */

/* How many buffers of a size a new pool of that budget gives. */
static size_t most_of(size_t bytes, uint64_t budget, uint64_t max_segment_bytes, size_t *class_bytes)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, budget,
				     &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
								     .max_segment_bytes = max_segment_bytes}});
	clpac_buffer *buffers[1024];
	size_t n = 0;
	*class_bytes = clpac_pool_class(pool, bytes);
	while (n < COUNT(buffers) && clpac_pool_allocate(pool, bytes, "one size", &buffers[n], NULL) == CLPAC_OK)
		n++;
	check_truth(pool, &device);
	clpac_buffer_release_batch(buffers, n);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
	return n;
}

TEST(buffers_of_any_one_size_can_take_97_percent_of_a_budget)
{
	static const struct {
		uint64_t budget, max_segment_bytes;
	} cases[] = {
		{4 * MIB, 0}, {16 * MIB, 0}, {24 * MIB + 64 * KIB, 0}, {16 * MIB, 3 * MIB + 64}, {16 * MIB, 16 * MIB}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const uint64_t budget = cases[i].budget;
		for (double bytes = (double)budget / 500; bytes <= (double)budget; bytes *= 1.07) {
			size_t class_bytes;
			const size_t n = most_of((size_t)bytes, budget, cases[i].max_segment_bytes, &class_bytes);
			ck_assert_msg((double)n >= floor(0.97 * (double)budget / (double)class_bytes),
				      "%zu of %zu bytes under %llu", n, class_bytes, (unsigned long long)budget);
		}
	}
}

/* --- Several pools, a tree of limits ---------------------------------------------------------- */

enum { N_POOLS = 4, MOST_OF_A_POOL = 40 };

struct family {
	unsigned long long seed, state;
	unsigned n_operations;
	clpac_limit *limits[3]; /* the first above the two others */
	clpac_pool *pools[N_POOLS];
	simulated_device devices[N_POOLS];
	clpac_buffer *live[N_POOLS][MOST_OF_A_POOL];
	size_t n_live[N_POOLS];
	uint64_t n_refused, n_helped;
};

/* The limit above pool i. */
static unsigned limit_of(size_t i)
{
	return i == 0 ? 0 : 1 + i % 2;
}

static uint64_t cached_of(clpac_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	clpac__pool_merge(pool);
	const uint64_t bytes = clpac__pool_reclaimable(pool);
	pthread_mutex_unlock(&pool->lock);
	return bytes;
}

/* The bytes that a limit could give to a pool, were all caches of its pools given back. */
static uint64_t room_in(struct family *m, unsigned limit, uint64_t limit_bytes)
{
	uint64_t room = limit_bytes - clpac_limit_taken(m->limits[limit]);
	for (size_t i = 0; i < N_POOLS; i++)
		if (limit == 0 || limit_of(i) == limit)
			room += cached_of(m->pools[i]);
	return room;
}

static void check_family(struct family *m)
{
	uint64_t taken[3] = {0};
	for (size_t i = 0; i < N_POOLS; i++) {
		clpac_pool_statistics now;
		clpac_pool_measure(m->pools[i], &now, sizeof now);
		CHECK(now.allocated_bytes == m->devices[i].live_bytes);
		taken[0] += now.allocated_bytes;
		if (limit_of(i))
			taken[limit_of(i)] += now.allocated_bytes;
	}
	for (int i = 0; i < 3; i++)
		CHECK(clpac_limit_taken(m->limits[i]) == taken[i]);
}

static void run_family(uint64_t seed, clpac_blocks blocks)
{
	static const uint64_t limit_bytes[] = {24 * MIB, 12 * MIB, 16 * MIB};
	struct family *m = calloc(1, sizeof *m);
	m->seed = m->state = seed;
	for (int i = 0; i < 3; i++)
		CHECK(clpac_limit_create_under(i ? m->limits[0] : NULL, limit_bytes[i], &m->limits[i], NULL) ==
		      CLPAC_OK);
	for (size_t i = 0; i < N_POOLS; i++)
		m->pools[i] = open_pool(&m->devices[i], 20 * MIB,
					&(clpac_pool_options){.budget = {.limit = m->limits[limit_of(i)]},
							      .cache = {.blocks = blocks}});
	for (; m->n_operations < N_OPERATIONS; m->n_operations++) {
		const size_t i = random_bits(&m->state) % N_POOLS;
		if (m->n_live[i] < MOST_OF_A_POOL && random_bits(&m->state) % 100 < 55) {
			const size_t most = (size_t)64 << random_bits(&m->state) % 17;
			const size_t bytes = 1 + random_bits(&m->state) % most;
			clpac_buffer *buffer = NULL;
			if (clpac_pool_allocate(m->pools[i], bytes, "model", &buffer, NULL) == CLPAC_OK) {
				m->live[i][m->n_live[i]++] = buffer;
			} else {
				const size_t class_bytes = clpac_pool_class(m->pools[i], bytes);
				const uint64_t own = clpac_pool_budget(m->pools[i]) - m->devices[i].live_bytes +
						     cached_of(m->pools[i]);
				CHECK(own < class_bytes || room_in(m, 0, limit_bytes[0]) < class_bytes ||
				      room_in(m, limit_of(i), limit_bytes[limit_of(i)]) < class_bytes);
				m->n_refused++;
			}
		} else if (m->n_live[i]) {
			const size_t k = random_bits(&m->state) % m->n_live[i];
			clpac_buffer_release(m->live[i][k]);
			m->live[i][k] = m->live[i][--m->n_live[i]];
		}
		check_family(m);
	}
	for (size_t i = 0; i < N_POOLS; i++) {
		clpac_pool_statistics now;
		clpac_pool_measure(m->pools[i], &now, sizeof now);
		m->n_helped += now.ladder[CLPAC_LADDER_SIBLINGS];
		clpac_buffer_release_batch(m->live[i], m->n_live[i]);
		clpac_pool_destroy(m->pools[i]);
		check_nothing_left(&m->devices[i]);
	}
	CHECK(m->n_helped > 0);
	for (int i = 0; i < 3; i++) {
		CHECK(clpac_limit_taken(m->limits[i]) == 0);
		clpac_limit_destroy(m->limits[i]);
	}
	free(m);
}

TEST(no_pool_is_starved_by_what_others_only_cache)
{
	for (uint64_t seed = 21; seed <= 26; seed++)
		run_family(seed, seed & 1 ? CLPAC_BLOCKS_WHOLE : CLPAC_BLOCKS_SEGMENTS);
}

/* --- What another thread is just evicting ----------------------------------------------------- */

/* A reclaimer of two buffers: while it evicts them for one thread, another one requests. */
struct reclaimer {
	clpac_pool *pool;
	clpac_buffer *kept[2], *got;
	pthread_t other;
	clpac_status st;
	atomic_bool is_evicting, has_ended;
};

static void *request_meanwhile(void *user)
{
	struct reclaimer *reclaimer = user;
	reclaimer->st = clpac_pool_allocate(reclaimer->pool, KIB, "other", &reclaimer->got, NULL);
	atomic_store(&reclaimer->has_ended, true);
	return NULL;
}

static void offer_first(void *user, clpac_pool *pool, bool oldest_only, clpac__offers *offers)
{
	struct reclaimer *reclaimer = user;
	(void)pool;
	(void)oldest_only;
	if (!atomic_load(&reclaimer->is_evicting))
		clpac__offers_add(offers, reclaimer->kept[0], reclaimer, 0, 1);
}

static uint64_t evict_slowly(void *user, clpac_pool *pool, const clpac__offer *offer)
{
	enum { LONG = 20000 };
	struct reclaimer *reclaimer = user;
	clpac_pool_statistics now = {0};
	(void)offer;
	atomic_store(&reclaimer->is_evicting, true);
	ck_assert_int_eq(pthread_create(&reclaimer->other, NULL, request_meanwhile, reclaimer), 0);
	while (now.out_of_memory_events < 2)
		clpac_pool_measure(pool, &now, sizeof now);
	for (int i = 0; i < LONG && !atomic_load(&reclaimer->has_ended); i++)
		sched_yield();
	clpac_buffer_release_batch(reclaimer->kept, 2);
	return 2 * (uint64_t)KIB;
}

static uint64_t give_nothing(void *user, clpac_pool *pool, uint64_t bytes)
{
	(void)user;
	(void)pool;
	(void)bytes;
	return 0;
}

static void count_nothing(void *user)
{
	(void)user;
}

TEST(what_another_thread_is_just_evicting_is_waited_for)
{
	static const clpac__reclaimer functions = {offer_first, evict_slowly, count_nothing, count_nothing};
	simulated_device device;
	struct reclaimer reclaimer = {.pool = open_pool(&device, 2 * KIB, NULL)};
	for (int i = 0; i < 2; i++)
		reclaimer.kept[i] = take(reclaimer.pool, KIB);
	ck_assert_int_eq(clpac__pool_add_reclaimer(reclaimer.pool, &functions, give_nothing, &reclaimer, NULL),
			 CLPAC_OK);
	clpac_buffer *own = take(reclaimer.pool, KIB);
	pthread_join(reclaimer.other, NULL);
	ck_assert_int_eq(reclaimer.st, CLPAC_OK);
	clpac_pool_remove_relief(reclaimer.pool, CLPAC_LADDER_EVICT, give_nothing, &reclaimer);
	clpac_buffer_release(own);
	clpac_buffer_release(reclaimer.got);
	clpac_pool_destroy(reclaimer.pool);
	check_nothing_left(&device);
}
