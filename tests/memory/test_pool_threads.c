/* Threads that share a pool: buffers are never shared by mistake, every request that fits is served however full the
 * caches are, the driver sees one thread at a time, and the ledger is true in the end.  Meant for ThreadSanitizer
 * too. */
#include "runner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include <clpac/memory/statistics.h>
#include "memory/pool/pool.h"
#include "pool_truth.h"
#include "random.h"

enum { N_THREADS = 4, N_HELD = 4, N_ROUNDS = 3000, MAX_BYTES = 2000, N_MAILBOXES = 8 };

struct shared {
	clpac_pool *pool;
	_Atomic(clpac_buffer *) mailboxes[N_MAILBOXES]; /* buffers for another thread to release */
	atomic_uint n_requests, n_refused, n_mixed_up, n_failed;
	bool has_allowance;
	atomic_llong allowance; /* bytes, in size classes, that may still be taken */
};

struct worker {
	struct shared *shared;
	unsigned long long state;
};

/* Claims bytes before they are allocated: a request with a claim must fit. */
static bool claim(struct shared *shared, size_t bytes)
{
	if (!shared->has_allowance)
		return true;
	long long class_bytes = (long long)clpac_pool_class(shared->pool, bytes);
	if (atomic_fetch_sub(&shared->allowance, class_bytes) >= class_bytes)
		return true;
	atomic_fetch_add(&shared->allowance, class_bytes);
	return false;
}

/* Writes the id at both ends: another user of the block would overwrite it. */
static void sign(struct shared *shared, clpac_buffer *buffer)
{
	uint64_t id = clpac_buffer_id(buffer);
	if (clpac_buffer_write(buffer, 0, sizeof id, &id, NULL) != CLPAC_OK ||
	    clpac_buffer_write(buffer, clpac_buffer_bytes(buffer) - sizeof id, sizeof id, &id, NULL) != CLPAC_OK)
		atomic_fetch_add(&shared->n_failed, 1);
}

static void verify_and_release(struct shared *shared, clpac_buffer *buffer)
{
	if (!buffer)
		return;
	uint64_t first = 0, last = 0, id = clpac_buffer_id(buffer);
	if (clpac_buffer_read(buffer, 0, sizeof id, &first, NULL) != CLPAC_OK ||
	    clpac_buffer_read(buffer, clpac_buffer_bytes(buffer) - sizeof id, sizeof id, &last, NULL) != CLPAC_OK)
		atomic_fetch_add(&shared->n_failed, 1);
	if (first != id || last != id)
		atomic_fetch_add(&shared->n_mixed_up, 1);
	long long class_bytes = (long long)clpac_buffer_class(buffer);
	clpac_buffer_release(buffer);
	atomic_fetch_add(&shared->allowance, class_bytes);
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct shared *shared = worker->shared;
	clpac_buffer *held[N_HELD] = {0};
	for (int round = 0; round < N_ROUNDS; round++) {
		size_t i = random_bits(&worker->state) % N_HELD;
		if (random_bits(&worker->state) % 10 == 0) {
			size_t box = random_bits(&worker->state) % N_MAILBOXES;
			held[i] = atomic_exchange(&shared->mailboxes[box], held[i]);
		}
		verify_and_release(shared, held[i]);
		held[i] = NULL;
		size_t bytes =
			2 * sizeof(uint64_t) + random_bits(&worker->state) % (MAX_BYTES - 2 * sizeof(uint64_t) + 1);
		if (!claim(shared, bytes))
			continue;
		atomic_fetch_add(&shared->n_requests, 1);
		clpac_status st = clpac_pool_allocate(shared->pool, bytes, "thread", &held[i], NULL);
		if (st == CLPAC_OK)
			sign(shared, held[i]);
		else if (st == CLPAC_ERROR_NO_DEVICE_MEMORY)
			atomic_fetch_add(&shared->n_refused, 1);
		else
			atomic_fetch_add(&shared->n_failed, 1);
		if (round % 500 == 499) {
			clpac_pool_statistics now;
			clpac_pool_measure(shared->pool, &now, sizeof now);
			if (now.allocated_bytes > now.budget_bytes ||
			    now.in_use_bytes + now.pooled_bytes > now.allocated_bytes ||
			    clpac_pool_pressure(shared->pool) >= CLPAC_PRESSURE_COUNT)
				atomic_fetch_add(&shared->n_failed, 1);
			clpac_pool_trim(shared->pool, now.pooled_bytes / 2);
		}
	}
	for (int i = 0; i < N_HELD; i++)
		verify_and_release(shared, held[i]);
	return NULL;
}

static void run_threads(simulated_device *device, clpac_pool *pool, struct shared *shared)
{
	pthread_t threads[N_THREADS];
	struct worker workers[N_THREADS];
	shared->pool = pool;
	device->yields = 2;
	for (int i = 0; i < N_THREADS; i++) {
		workers[i] = (struct worker){shared, (unsigned long long)i};
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < N_MAILBOXES; i++)
		verify_and_release(shared, atomic_load(&shared->mailboxes[i]));
	ck_assert_uint_eq(shared->n_mixed_up, 0);
	ck_assert_uint_eq(shared->n_failed, 0);
	check_truth_after_threads(pool, device);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	ck_assert_uint_eq(now.in_use_bytes, 0);
	ck_assert_uint_eq(now.hits + now.misses, shared->n_requests);
	ck_assert_uint_eq(now.refusals, shared->n_refused);
	clpac_pool_destroy(pool);
	check_nothing_left(device);
}

TEST(what_fits_is_never_refused_however_full_the_caches_are)
{
	/* Two thirds of what the threads would like to hold, every byte of it claimed before it is requested. */
	enum { BUDGET = 16000 };
	simulated_device device;
	clpac_pool *pool = open_pool(&device, BUDGET, &(clpac_pool_options){.cache = {.max_kept_per_class = 1000}});
	struct shared shared = {.has_allowance = true, .allowance = BUDGET};
	run_threads(&device, pool, &shared);
	ck_assert_uint_eq(shared.n_refused, 0);
}

TEST(a_pool_too_small_for_its_threads_refuses_and_keeps_its_books)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, N_THREADS * N_HELD * MAX_BYTES / 4, NULL);
	struct shared shared = {0};
	run_threads(&device, pool, &shared);
	ck_assert_uint_gt(shared.n_refused, 0);
}

TEST(a_driver_smaller_than_the_budget_ends_no_thread_in_a_wait)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, N_THREADS * N_HELD * MAX_BYTES, NULL);
	device.memory_bytes /= 4;
	struct shared shared = {0};
	run_threads(&device, pool, &shared);
	ck_assert_uint_gt(shared.n_refused, 0);
}

TEST(parts_of_segments_are_shared_out_as_safely)
{
	simulated_device device;
	clpac_pool *pool =
		open_pool(&device, 100000,
			  &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS, .max_segment_bytes = 8192}});
	struct shared shared = {0};
	run_threads(&device, pool, &shared);
}

/* ---- Producers and consumers ----------------------------------------------------------------- */

enum { N_PAIRS = 2, N_ITEMS = 4000, ITEM = 512 };

struct belt {
	struct shared *shared;
	clpac_queue *queue; /* of the producer's buffers */
	_Atomic(clpac_buffer *) items[4];
};

static void *produce(void *user)
{
	struct belt *belt = user;
	for (int i = 0; i < N_ITEMS; i++) {
		clpac_buffer *buffer = NULL;
		const clpac_request request = {
			.bytes = ITEM + 64 * (size_t)(i % 3), .tag = "item", .queue = belt->queue};
		if (clpac_pool_request(belt->shared->pool, &request, &buffer, NULL) != CLPAC_OK) {
			atomic_fetch_add(&belt->shared->n_failed, 1);
			continue;
		}
		sign(belt->shared, buffer);
		while (buffer) {
			clpac_buffer *nobody = NULL;
			if (atomic_compare_exchange_strong(&belt->items[i % 4], &nobody, buffer))
				buffer = NULL;
			else
				sched_yield();
		}
	}
	return NULL;
}

static void *consume(void *user)
{
	struct belt *belt = user;
	for (int i = 0; i < N_ITEMS; i++) {
		clpac_buffer *buffer = NULL;
		while (!(buffer = atomic_exchange(&belt->items[i % 4], NULL)))
			sched_yield();
		verify_and_release(belt->shared, buffer);
	}
	return NULL;
}

TEST(what_one_thread_makes_another_releases)
{
	static const clpac_blocks strategies[] = {CLPAC_BLOCKS_WHOLE, CLPAC_BLOCKS_SEGMENTS};
	for (int s = 0; s < 2; s++) {
		simulated_device device;
		clpac_pool *pool =
			open_pool(&device, 200000,
				  &(clpac_pool_options){.cache = {.blocks = strategies[s], .max_segment_bytes = 8192}});
		struct shared shared = {.pool = pool};
		struct belt belts[N_PAIRS];
		pthread_t threads[2 * N_PAIRS];
		for (int i = 0; i < N_PAIRS; i++) {
			belts[i] = (struct belt){.shared = &shared};
			ck_assert_int_eq(clpac_queue_open(pool, i % 2, &belts[i].queue, NULL), CLPAC_OK);
			ck_assert_int_eq(pthread_create(&threads[2 * i], NULL, produce, &belts[i]), 0);
			ck_assert_int_eq(pthread_create(&threads[2 * i + 1], NULL, consume, &belts[i]), 0);
		}
		for (int i = 0; i < 2 * N_PAIRS; i++)
			pthread_join(threads[i], NULL);
		ck_assert_uint_eq(shared.n_mixed_up, 0);
		ck_assert_uint_eq(shared.n_failed, 0);
		clpac_pool_statistics now;
		clpac_pool_measure(pool, &now, sizeof now);
		ck_assert_uint_eq(now.hits + now.misses, N_PAIRS * N_ITEMS);
		/* Those of the in-order queue; the other queue's blocks may all be waiting for their work still. */
		ck_assert_uint_gt(now.hits, N_ITEMS / 2);
		ck_assert_uint_eq(now.in_use_bytes, 0);
		check_truth_after_threads(pool, &device);
		for (int i = 0; i < N_PAIRS; i++)
			clpac_queue_close(pool, belts[i].queue);
		clpac_pool_destroy(pool);
		check_nothing_left(&device);
	}
}

/* ---- Threads that end ------------------------------------------------------------------------ */

static void *release_and_end(void *user)
{
	clpac_buffer *buffers[4];
	for (int i = 0; i < 4; i++)
		if (clpac_pool_allocate(user, 1000, "left", &buffers[i], NULL) != CLPAC_OK)
			return NULL;
	clpac_buffer_release_batch(buffers, 4);
	return user;
}

TEST(the_blocks_of_a_thread_that_ended_are_found_before_the_driver_is_asked)
{
	simulated_device device;
	clpac_pool *pool = open_pool(&device, 100000, &(clpac_pool_options){.cache = {.max_kept_per_class = 100}});
	clpac_buffer *buffers[4];
	/* More threads than magazines: each but the first finds the blocks that the one before left. */
	for (int i = 0; i < 100; i++) {
		pthread_t thread;
		void *result = NULL;
		ck_assert_int_eq(pthread_create(&thread, NULL, release_and_end, pool), 0);
		pthread_join(thread, &result);
		ck_assert_ptr_eq(result, pool);
	}
	for (int i = 0; i < 4; i++)
		buffers[i] = take(pool, 1000);
	ck_assert_uint_eq(device.n_calls_of[SIMULATED_CREATE], 4);
	ck_assert_uint_eq(device.n_releases, 0);
	check_truth_after_threads(pool, &device);
	clpac_buffer_release_batch(buffers, 4);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

/* ---- Queues that come and go
 * -------------------------------------------------------------- */

enum { N_OPENINGS = 300 };

static void *open_and_close(void *user)
{
	struct worker *worker = user;
	struct shared *shared = worker->shared;
	for (int i = 0; i < N_OPENINGS; i++) {
		clpac_queue *queue = NULL;
		clpac_buffer *buffers[3] = {0};
		if (clpac_queue_open(shared->pool, i % 2, &queue, NULL) != CLPAC_OK) {
			atomic_fetch_add(&shared->n_failed, 1);
			continue;
		}
		for (int k = 0; k < 3; k++) {
			const clpac_request request = {.bytes = 100 + random_bits(&worker->state) % MAX_BYTES,
						       .tag = "passing",
						       .queue = queue};
			atomic_fetch_add(&shared->n_requests, 1);
			if (clpac_pool_request(shared->pool, &request, &buffers[k], NULL) == CLPAC_OK)
				sign(shared, buffers[k]);
			else
				atomic_fetch_add(&shared->n_refused, 1);
		}
		/* Two buffers are released to the queue before it is closed, and one outlives it. */
		for (int k = 0; k < 2; k++)
			verify_and_release(shared, buffers[k]);
		clpac_queue_close(shared->pool, queue);
		verify_and_release(shared, buffers[2]);
	}
	return NULL;
}

TEST(queues_come_and_go_beside_the_work_of_other_threads)
{
	static const clpac_blocks strategies[] = {CLPAC_BLOCKS_WHOLE, CLPAC_BLOCKS_SEGMENTS};
	for (int s = 0; s < 2; s++) {
		simulated_device device;
		/* So tight that threads take from each other's queues. */
		clpac_pool *pool =
			open_pool(&device, 20000,
				  &(clpac_pool_options){.cache = {.blocks = strategies[s], .max_segment_bytes = 8192}});
		struct shared shared = {.pool = pool};
		pthread_t threads[N_THREADS];
		struct worker workers[N_THREADS];
		device.yields = 1;
		for (int i = 0; i < N_THREADS; i++) {
			workers[i] = (struct worker){&shared, (unsigned long long)i};
			ck_assert_int_eq(pthread_create(&threads[i], NULL, i % 2 ? open_and_close : work, &workers[i]),
					 0);
		}
		for (int i = 0; i < N_THREADS; i++)
			pthread_join(threads[i], NULL);
		for (int i = 0; i < N_MAILBOXES; i++)
			verify_and_release(&shared, atomic_load(&shared.mailboxes[i]));
		ck_assert_uint_eq(shared.n_mixed_up, 0);
		ck_assert_uint_eq(shared.n_failed, 0);
		check_truth_after_threads(pool, &device);
		clpac_pool_statistics now;
		clpac_pool_measure(pool, &now, sizeof now);
		ck_assert_uint_eq(now.in_use_bytes, 0);
		ck_assert_uint_eq(now.hits + now.misses, shared.n_requests);
		ck_assert_uint_gt(now.queue_waits, 0);
		clpac_pool_destroy(pool);
		check_nothing_left(&device);
	}
}
