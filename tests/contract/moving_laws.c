/* Moves, snapshots, statistics and promotions beside requests and releases. */
#include "moving_laws.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/memory/store.h>
#include <clpac/memory/trace.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include "assertions.h"
#include "files.h"
#include "memory/pool/pool.h"
#include "random.h"
#include "simulated.h"
#include "targets.h"

enum {
	WORKERS = 2,
	HELD = 40, /* by each worker */
	BOXES = 4,
	QUEUES = 3,
	LARGEST = 32768,
	PHASE = 64, /* rounds after which a worker lets most of its buffers go, so that segments are sparse */
	LEAST_PHASES = 10,
	MOST_PHASES = 20 * LEAST_PHASES,
	LEAST_MOVES = 10,
	KEYS = 5,
	STORED = 5000
};

/* A buffer whose every byte is `value`. */
struct item {
	clpac_buffer *buffer;
	size_t bytes;
	unsigned char value;
	void *memory; /* at its last use; NULL: not used yet */
};

/* Opened before and closed after each law, for target number _i. */
static struct {
	clpac__queue *queue;
	clpac_pool *pool;
	clpac_store *store;
	clpac_queue *queues[QUEUES];
	_Atomic(struct item *) boxes[BOXES]; /* for the other worker */
	atomic_uint n_working, n_passes, n_moved, n_refused, n_wrong, n_failed;
	_Atomic uint64_t n_promoted; /* by transfers too */
	pthread_mutex_t lock;
	char failure[CLPAC_ERROR_TEXT_SIZE]; /* the first; guarded by the lock */
	const char *snapshot;
	bool has_fallbacks;
} shared;

static void complain(const char *what, const char *why)
{
	pthread_mutex_lock(&shared.lock);
	if (!atomic_fetch_add(&shared.n_failed, 1))
		snprintf(shared.failure, sizeof shared.failure, "%s: %.200s", what, why);
	pthread_mutex_unlock(&shared.lock);
}

static bool succeeds(const char *what, clpac_status st, const clpac_error *err)
{
	if (st == CLPAC_OK)
		return true;
	complain(what, err->text);
	return false;
}

struct worker {
	unsigned long long state;
	struct item *held[HELD];
	unsigned char bytes[LARGEST];
	clpac_queue *on; /* of its kernels; no other thread puts work into it */
	pthread_t thread;
};

static bool is_all(const unsigned char *bytes, size_t n, unsigned char value)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

static void check(struct worker *worker, const struct item *item)
{
	clpac_error err;
	if (succeeds("read", clpac_buffer_read(item->buffer, 0, item->bytes, worker->bytes, &err), &err) &&
	    !is_all(worker->bytes, item->bytes, item->value))
		atomic_fetch_add(&shared.n_wrong, 1);
	if (clpac_buffer_bytes(item->buffer) != item->bytes || clpac_buffer_class(item->buffer) < item->bytes ||
	    strcmp(clpac_buffer_tag(item->buffer), "moving") != 0)
		complain("facts", "of a buffer are another's");
}

static void let_go(struct worker *worker, struct item *item)
{
	if (!item)
		return;
	check(worker, item);
	clpac_buffer_release(item->buffer);
	free(item);
}

static struct item *take(struct worker *worker)
{
	clpac_error err;
	struct item *made = calloc(1, sizeof *made);
	if (!made)
		abort();
	made->bytes = ((size_t)64 << random_below(&worker->state, 9)) + random_below(&worker->state, 64);
	if (made->bytes > LARGEST)
		made->bytes = LARGEST;
	made->value = (unsigned char)random_bits(&worker->state);
	const clpac_request request = {
		.bytes = made->bytes, .tag = "moving", .queue = shared.queues[random_below(&worker->state, QUEUES)]};
	const clpac_status st = clpac_pool_request(shared.pool, &request, &made->buffer, &err);
	if (st == CLPAC_OK) {
		memset(worker->bytes, made->value, made->bytes);
		succeeds("write", clpac_buffer_write(made->buffer, 0, made->bytes, worker->bytes, &err), &err);
		return made;
	}
	if (st == CLPAC_ERROR_NO_DEVICE_MEMORY || st == CLPAC_ERROR_NO_MEMORY)
		atomic_fetch_add(&shared.n_refused, 1);
	else
		succeeds("request", st, &err);
	free(made);
	return NULL;
}

/* A kernel that sets all bytes, in the worker's queue. */
static void use(struct worker *worker, struct item *item)
{
	clpac_error err;
	void *memory = NULL;
	if (!succeeds("begin of a use", clpac_buffer_use_begin(item->buffer, worker->on, &memory, &err), &err))
		return;
	if (item->memory && memory != item->memory)
		atomic_fetch_add(&shared.n_moved, 1);
	item->memory = memory;
	item->value = (unsigned char)random_bits(&worker->state);
	succeeds("fill",
		 worker->on->operations->fill(worker->on, clpac__buffer_block(item->buffer), 0, item->bytes,
					      item->value, &err),
		 &err);
	succeeds("end of a use", clpac_buffer_use_end(item->buffer, worker->on, &err), &err);
}

static void map(struct worker *worker, struct item *item)
{
	clpac_error err;
	void *bytes = NULL;
	item->value = (unsigned char)random_bits(&worker->state);
	if (!succeeds("map", clpac_buffer_map(item->buffer, 0, item->bytes, CLPAC_READ_WRITE, &bytes, &err), &err))
		return;
	memset(bytes, item->value, item->bytes);
	succeeds("unmap", clpac_buffer_unmap(item->buffer, &err), &err);
}

static void transfer_later(struct worker *worker, struct item *item)
{
	clpac_error err;
	clpac_event *event = NULL;
	item->value = (unsigned char)random_bits(&worker->state);
	memset(worker->bytes, item->value, item->bytes);
	if (succeeds("write", clpac_buffer_write_later(item->buffer, 0, item->bytes, worker->bytes, &event, &err),
		     &err))
		succeeds("wait", clpac_event_wait(shared.pool, event, &err), &err);
	clpac_event_release(shared.pool, event);
}

static void copy(struct worker *worker, const struct item *from, struct item *to)
{
	clpac_error err;
	(void)worker;
	if (!from || from == to || from->bytes < to->bytes)
		return;
	if (succeeds("copy", clpac_buffer_copy(from->buffer, 0, to->buffer, 0, to->bytes, &err), &err))
		to->value = from->value;
}

static bool has_seen_enough(void)
{
	return atomic_load(&shared.n_moved) >= LEAST_MOVES &&
	       (!shared.has_fallbacks || atomic_load(&shared.n_promoted));
}

/* Leaves segments sparse, and room for what is on the host, for a pass of the other thread, and uses what is left. */
static void thin_out(struct worker *worker, unsigned one_in)
{
	const unsigned n_passes = atomic_load(&shared.n_passes);
	for (size_t i = 0; i < HELD; i++) {
		struct item **slot = &worker->held[i];
		if (!*slot)
			continue;
		if (i % one_in && clpac_buffer_is_on_device((*slot)->buffer)) {
			let_go(worker, *slot);
			*slot = NULL;
		} else if (i % 2) {
			use(worker, *slot);
		}
	}
	/* The second one begun from now on ends after all of this. */
	while (atomic_load(&shared.n_passes) < n_passes + 2)
		sched_yield();
	for (size_t i = 0; i < HELD; i++)
		if (worker->held[i])
			use(worker, worker->held[i]);
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	for (unsigned round = 0; round < MOST_PHASES * PHASE; round++) {
		if (round >= LEAST_PHASES * PHASE && has_seen_enough())
			break;
		if (round % PHASE == 0)
			thin_out(worker, round / PHASE % 2 ? 4 : 40);
		struct item **slot = &worker->held[random_below(&worker->state, HELD)];
		if (!*slot) {
			*slot = take(worker);
			continue;
		}
		switch (random_below(&worker->state, 8)) {
		case 0:
			map(worker, *slot);
			break;
		case 1:
			transfer_later(worker, *slot);
			break;
		case 2:
			copy(worker, worker->held[random_below(&worker->state, HELD)], *slot);
			break;
		case 3:
		case 4:
			use(worker, *slot);
			break;
		case 5:
			*slot = atomic_exchange(&shared.boxes[random_below(&worker->state, BOXES)], *slot);
			break;
		default:
			let_go(worker, *slot);
			*slot = NULL;
		}
	}
	for (size_t i = 0; i < HELD; i++)
		let_go(worker, worker->held[i]);
	atomic_fetch_sub(&shared.n_working, 1);
	return NULL;
}

/* Arrays in a store on the pool, which the ladder may evict. */
static void *keep(void *argument)
{
	static const char *const keys[KEYS] = {"a", "b", "c", "d", "e"};
	static unsigned char bytes[STORED], found[STORED];
	unsigned long long state = 99;
	(void)argument;
	while (atomic_load(&shared.n_working)) {
		const size_t k = random_below(&state, KEYS);
		const clpac_stored_array array = {
			.type = "bytes", .shape = {STORED - 100 * k}, .bytes = STORED - 100 * k, .data = bytes};
		clpac_error err;
		memset(bytes, (int)k, sizeof bytes);
		clpac_status st = clpac_store_save(shared.store, keys[k], 1, &array, NULL, CLPAC_PUT_REPLACE, &err);
		if (st != CLPAC_OK && st != CLPAC_ERROR_NO_DEVICE_MEMORY && st != CLPAC_ERROR_NO_MEMORY)
			succeeds("save", st, &err);
		/* One that was evicted for good is no key any more. */
		st = clpac_store_get(shared.store, keys[k], 0, array.bytes, found, &err);
		if (st == CLPAC_OK && !is_all(found, array.bytes, (unsigned char)k))
			atomic_fetch_add(&shared.n_wrong, 1);
		if (st != CLPAC_OK && st != CLPAC_ERROR_ARGUMENT)
			succeeds("get", st, &err);
	}
	return NULL;
}

/* Moves and looks, until the others are done. */
static void *move_and_look(void *argument)
{
	const clpac_pool_options *options = argument;
	for (unsigned round = 0; atomic_load(&shared.n_working); round++) {
		clpac_error err;
		clpac_pool_statistics now;
		succeeds("defragment", clpac_pool_defragment(shared.pool, UINT64_MAX, NULL, &err), &err);
		succeeds("promote", clpac_pool_promote(shared.pool, NULL, &err), &err);
		clpac_pool_measure(shared.pool, &now, sizeof now);
		atomic_store(&shared.n_promoted, now.promotions);
		if (now.allocated_bytes > now.budget_bytes || now.in_use_bytes + now.pooled_bytes > now.allocated_bytes)
			complain("statistics", "more bytes than the pool has");
		atomic_fetch_add(&shared.n_passes, 1);
		if (round % 4 == 0)
			succeeds("snapshot", clpac_pool_snapshot(shared.pool, shared.snapshot, &err), &err);
		if (round % 4 == 1)
			clpac_pool_trim(shared.pool, now.pooled_bytes / 2);
		if (round % 4 == 2) {
			clpac_pool_options other = *options;
			other.compaction.max_bytes = 4096 * (1 + round % 64);
			succeeds("configure", clpac_pool_configure(shared.pool, &other, &err), &err);
		}
		if (round % 4 == 3 && options->checks.is_tracked) {
			clpac_live_list list;
			if (succeeds("list", clpac_pool_list(shared.pool, 0, &list, &err), &err))
				clpac_live_list_free(&list);
		}
	}
	return NULL;
}

static void run(int i, const clpac_pool_options *options)
{
	static struct worker workers[WORKERS];
	pthread_t mover, reclaimer;
	clpac_error err;
	memset(&shared, 0, sizeof shared);
	memset(workers, 0, sizeof workers);
	pthread_mutex_init(&shared.lock, NULL);
	shared.has_fallbacks = options->placement == CLPAC_PLACE_PREFER_DEVICE;
	shared.snapshot = files_path("moving.json");
	shared.queue = target_open(targets_get((size_t)i));
	if (strcmp(shared.queue->device.backend, "simulated") == 0)
		((simulated_device *)(void *)shared.queue)->yields = 1;
	OK(clpac__pool_create(shared.queue, options, 0, &shared.pool, &err));
	OK(clpac_store_create(shared.pool, NULL, &shared.store, &err));
	shared.queues[0] = clpac_pool_queue(shared.pool);
	OK(clpac_queue_open(shared.pool, true, &shared.queues[1], &err));
	OK(clpac_queue_open(shared.pool, false, &shared.queues[2], &err));
	atomic_store(&shared.n_working, WORKERS);
	for (unsigned w = 0; w < WORKERS; w++) {
		workers[w].state = 17 * (unsigned)i + w;
		OK(clpac_queue_open(shared.pool, true, &workers[w].on, &err));
		ck_assert_int_eq(pthread_create(&workers[w].thread, NULL, work, &workers[w]), 0);
	}
	ck_assert_int_eq(pthread_create(&mover, NULL, move_and_look, (void *)options), 0);
	ck_assert_int_eq(pthread_create(&reclaimer, NULL, keep, NULL), 0);
	for (unsigned w = 0; w < WORKERS; w++)
		pthread_join(workers[w].thread, NULL);
	pthread_join(mover, NULL);
	pthread_join(reclaimer, NULL);
	for (unsigned b = 0; b < BOXES; b++)
		let_go(&workers[0], atomic_load(&shared.boxes[b]));
	ck_assert_msg(!shared.n_failed, "%u failures; the first: %s", shared.n_failed, shared.failure);
	ck_assert_uint_eq(shared.n_wrong, 0);
	ck_assert_uint_gt(shared.n_moved, 0);
	clpac_store_destroy(shared.store);
	clpac_pool_statistics now;
	uint64_t n_faults = 0;
	clpac_pool_measure(shared.pool, &now, sizeof now);
	ck_assert_uint_eq(now.active_buffers, 0);
	ck_assert_uint_eq(now.bad_releases + now.canary_failures, 0);
	ck_assert_uint_ge(now.refusals, shared.n_refused ? 1 : 0);
	OK(clpac_pool_take_faults(shared.pool, &n_faults, &err));
	ck_assert_uint_eq(n_faults, 0);
	for (unsigned w = 0; w < WORKERS; w++)
		clpac_queue_close(shared.pool, workers[w].on);
	clpac_queue_close(shared.pool, shared.queues[1]);
	clpac_queue_close(shared.pool, shared.queues[2]);
	clpac_pool_destroy(shared.pool);
	if (strcmp(shared.queue->device.backend, "simulated") == 0) {
		const simulated_device *device = (const void *)shared.queue;
		simulated_pass(shared.queue); /* a wait in the pool's own queue holds its event until then */
		ck_assert_uint_eq(device->hazards + device->breaches, 0);
		ck_assert_uint_eq(device->overlaps, 0);
		ck_assert_uint_eq(device->live_blocks + device->live_parts + device->live_host_blocks, 0);
		ck_assert_uint_eq(device->live_events, 0);
	}
	shared.queue->operations->close(shared.queue);
	pthread_mutex_destroy(&shared.lock);
}

/* So small that segments are cut up, and requests go down the ladder. */
static const clpac_pool_options tight = {
	.budget = {.bytes = 224 << 10, .minimum_free_bytes = 1},
	.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS, .max_segment_bytes = 64 << 10},
	.may_move = true,
	.compaction = {.releases = 50},
};

START_TEST(buffers_keep_their_bytes_while_another_thread_moves_them_and_looks)
{
	run(_i, &tight);
}

START_TEST(observers_are_told_the_truth_meanwhile)
{
	clpac_pool_options options = tight;
	options.checks.is_tracked = true;
	options.snapshot.events = 64;
	run(_i, &options);
}

START_TEST(fallback_buffers_are_promoted_meanwhile)
{
	clpac_pool_options options = tight;
	options.placement = CLPAC_PLACE_PREFER_DEVICE;
	options.checks.is_tracked = true;
	run(_i, &options);
	ck_assert_uint_gt(shared.n_promoted, 0);
}

START_TEST(checked_buffers_are_moved_meanwhile)
{
	clpac_pool_options options = tight;
	options.budget.bytes = 320 << 10; /* margins take some of it */
	options.checks.is_checked = true;
	run(_i, &options);
}

enum { RELEASES = 400 };

static void *promote(void *argument)
{
	(void)argument;
	clpac_error err;
	while (atomic_load(&shared.n_working))
		succeeds("promote", clpac_pool_promote(shared.pool, NULL, &err), &err);
	return NULL;
}

START_TEST(a_buffer_may_be_released_while_it_is_promoted)
{
	pthread_t mover;
	clpac_error err;
	clpac_pool_options options = tight;
	clpac_pool_statistics now;
	clpac_live_list list;
	options.placement = CLPAC_PLACE_PREFER_DEVICE;
	options.cache.blocks = CLPAC_BLOCKS_WHOLE;
	options.checks.is_tracked = true;
	memset(&shared, 0, sizeof shared);
	pthread_mutex_init(&shared.lock, NULL);
	shared.queue = target_open(targets_get((size_t)_i));
	OK(clpac__pool_create(shared.queue, &options, 0, &shared.pool, &err));
	atomic_store(&shared.n_working, 1);
	ck_assert_int_eq(pthread_create(&mover, NULL, promote, NULL), 0);
	for (unsigned k = 0; k < RELEASES; k++) {
		clpac_buffer *filling, *fallback;
		OK(clpac_pool_request(shared.pool, &(clpac_request){.bytes = 128 << 10, .tag = "filling"}, &filling,
				      &err));
		OK(clpac_pool_request(shared.pool, &(clpac_request){.bytes = 128 << 10, .tag = "fallback"}, &fallback,
				      &err));
		clpac_buffer_release(filling);
		/* It is seen there before its move has ended. */
		while (!clpac_buffer_is_on_device(fallback) && !atomic_load(&shared.n_failed))
			sched_yield();
		clpac_buffer_release(fallback);
	}
	atomic_store(&shared.n_working, 0);
	pthread_join(mover, NULL);
	clpac_pool_measure(shared.pool, &now, sizeof now);
	ck_assert_uint_gt(now.promotions, 0);
	ck_assert_uint_eq(now.active_buffers + now.bad_releases, 0);
	OK(clpac_pool_list(shared.pool, 0, &list, &err));
	ck_assert_uint_eq(list.n, 0);
	clpac_live_list_free(&list);
	ck_assert_msg(!shared.n_failed, "%u failures; the first: %s", shared.n_failed, shared.failure);
	clpac_pool_destroy(shared.pool);
	shared.queue->operations->close(shared.queue);
	pthread_mutex_destroy(&shared.lock);
}

TCase *moving_laws(size_t n)
{
	TCase *laws = tcase_create("moving laws");
	tcase_set_timeout(laws, 120);
	tcase_add_checked_fixture(laws, files_begin, files_end);
	tcase_add_loop_test(laws, buffers_keep_their_bytes_while_another_thread_moves_them_and_looks, 0, (int)n);
	tcase_add_loop_test(laws, observers_are_told_the_truth_meanwhile, 0, (int)n);
	tcase_add_loop_test(laws, fallback_buffers_are_promoted_meanwhile, 0, (int)n);
	tcase_add_loop_test(laws, checked_buffers_are_moved_meanwhile, 0, (int)n);
	tcase_add_loop_test(laws, a_buffer_may_be_released_while_it_is_promoted, 0, (int)n);
	return laws;
}
