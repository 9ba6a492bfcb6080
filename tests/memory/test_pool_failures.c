/* One job through the whole interface, with every driver call and every host allocation failing in turn: whatever
 * fails, the ledger stays true, nothing leaks, and the pool works on. */
#include "runner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>
#include <clpac/memory/statistics.h>
#include "assertions.h"
#include "base/memory.h"
#include "memory/pool/pool.h"
#include "pool_truth.h"

/* The job: all operations of a pool, in a budget so tight that cached blocks must be evicted. */
static clpac_status work(clpac_pool *pool, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_buffer *many[4] = {0}, *large = NULL;
	char *text = NULL;
	char there[100] = "there and back", back[100] = "";
	TRY(clpac_pool_warm_up(pool, 2, (size_t[]){1000, 300}, (size_t[]){3, 2}, err));
	TRY(clpac_pool_allocate_batch(pool, 4, (size_t[]){1000, 100, 300, 1024}, NULL, many, err));
	TRY(clpac_buffer_fill(many[0], 0, 1000, 7, err));
	TRY(clpac_buffer_write(many[0], 1, sizeof there, there, err));
	TRY(clpac_buffer_copy(many[0], 1, many[1], 0, sizeof there, err));
	TRY(clpac_buffer_read(many[1], 0, sizeof back, back, err));
	ck_assert_str_eq(back, there);
	clpac_buffer_release(many[3]);
	many[3] = NULL;
	TRY(clpac_pool_allocate(pool, 5000, "large", &large, err));
	clpac_buffer_release_batch(many, 4);
	clpac_pool_trim(pool, 1500);
	TRY(clpac_pool_allocate_batch(pool, 3, (size_t[]){1000, 1000, 1000}, NULL, many, err));
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	TRY(clpac_pool_statistics_json(&now, &text, err));
	TRY(clpac_pool_snapshot(pool, "test_pool_failures.json", err));
done:
	unlink("test_pool_failures.json");
	clpac_text_free(text);
	clpac_buffer_release(large);
	clpac_buffer_release_batch(many, 4);
	return st;
}

/* The rest of the interface: parts of segments, queues, events, fallbacks and mappings, on a device that lags. */
static uint64_t let_go(void *user, clpac_pool *pool, uint64_t bytes)
{
	clpac_buffer **held = user;
	(void)pool;
	if (!*held)
		return 0;
	clpac_buffer_release(*held);
	*held = NULL;
	return bytes;
}

static void check_pattern(clpac_buffer *buffer, const unsigned char *memory, unsigned char value)
{
	/* One abort instead of an assertion for each byte: assertions write a mark when they hold. */
	for (size_t i = 0; i < clpac_buffer_bytes(buffer); i++)
		if (memory[i] != value)
			ck_abort_msg("byte %zu of buffer \"%s\" is %d and not %d", i, clpac_buffer_tag(buffer),
				     memory[i], value);
}

static clpac_status work_in_queues(clpac_pool *pool, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	enum { PART = 1024 };
	clpac_queue *first = NULL, *second = NULL;
	clpac_buffer *parts[12] = {0}, *held = NULL, *large = NULL, *fallback = NULL, *recycled = NULL;
	clpac_event *event = NULL;
	void *memory = NULL;
	unsigned char bytes[15 * PART];
	TRY(clpac_pool_add_relief(pool, CLPAC_LADDER_CALLBACK, let_go, &held, err));
	TRY(clpac_queue_open(pool, true, &first, err));
	TRY(clpac_queue_open(pool, false, &second, err));
	for (int i = 0; i < 12; i++) {
		const clpac_request request = {
			.bytes = PART, .tag = "part", .queue = i % 3 ? i % 2 ? first : second : NULL};
		TRY(clpac_pool_request(pool, &request, &parts[i], err));
		TRY(clpac_buffer_fill(parts[i], 0, PART, (uint8_t)i, err));
	}
	TRY(clpac_queue_finish(pool, second, err)); /* earlier commands have no other order */
	TRY(clpac_buffer_copy(parts[4], 0, parts[5], 0, PART, err));
	TRY(clpac_buffer_record(parts[0], first, err));
	TRY(clpac_queue_mark(pool, first, &event, err));
	TRY(clpac_queue_wait_for(pool, second, event, err));
	TRY(clpac_buffer_release_after(parts[3], 1, &event, err));
	parts[3] = NULL;
	for (int i = 0; i < 12; i++)
		if (i != 3 && i != 5 && i != 9) {
			clpac_buffer_release(parts[i]);
			parts[i] = NULL;
		}
	TRY(clpac_pool_defragment(pool, 16 * PART, NULL, err));
	TRY(clpac_buffer_read(parts[5], 0, PART, bytes, err));
	check_pattern(parts[5], bytes, 4);
	TRY(clpac_pool_allocate(pool, 3 * PART, "held", &held, err));
	TRY(clpac_pool_allocate(pool, 10 * PART, "large", &large, err));
	const clpac_request request = {.bytes = 15 * PART, .tag = "fallback", .placement = CLPAC_PLACE_PREFER_DEVICE};
	const clpac_request on_host = {.bytes = PART / 2, .tag = "on host", .placement = CLPAC_PLACE_HOST};
	TRY(clpac_pool_request(pool, &request, &fallback, err));
	TRY(clpac_buffer_fill(fallback, 0, 15 * PART, 3, err));
	TRY(clpac_pool_request(pool, &on_host, &parts[0], err));
	TRY(clpac_buffer_fill(parts[0], 0, PART / 2, 2, err));
	TRY(clpac_buffer_map(parts[9], 0, PART, CLPAC_READ_WRITE, &memory, err));
	check_pattern(parts[9], memory, 9);
	TRY(clpac_buffer_unmap(parts[9], err));
	clpac_buffer_release(large);
	large = NULL;
	clpac_pool_trim(pool, 3 * PART);
	TRY(clpac_pool_promote(pool, NULL, err));
	TRY(clpac_buffer_read(fallback, 0, 15 * PART, bytes, err));
	check_pattern(fallback, bytes, 3);
	TRY(clpac_buffer_read(parts[0], 0, PART / 2, bytes, err));
	check_pattern(parts[0], bytes, 2);
	const clpac_request again = {.bytes = PART, .tag = "recycled", .queue = second};
	TRY(clpac_pool_request(pool, &again, &recycled, err));
	TRY(clpac_buffer_fill(recycled, 0, PART, 1, err));
	TRY(clpac_event_wait(pool, event, err));
	TRY(clpac_queue_finish(pool, NULL, err));
done:
	clpac_pool_remove_relief(pool, CLPAC_LADDER_CALLBACK, let_go, &held);
	clpac_event_release(pool, event);
	clpac_buffer_release(held);
	clpac_buffer_release(large);
	clpac_buffer_release(fallback);
	clpac_buffer_release_batch(parts, 12);
	clpac_queue_close(pool, first);
	clpac_buffer_release(recycled); /* a buffer may outlive its queue, and the pool closes open queues */
	clpac_queue_close(pool, second);
	return st;
}

static const struct job {
	clpac_status (*work)(clpac_pool *pool, clpac_error *err);
	uint64_t budget;
	clpac_pool_options options;
	bool is_lagging;
} jobs[] = {
	{work, 8500, {0}, false},
	{work_in_queues, 27500, {.cache = {.blocks = CLPAC_BLOCKS_WHOLE, .max_kept_per_class = 3}}, true},
	{work_in_queues,
	 27500,
	 {.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS, .max_segment_bytes = 8192, .max_kept_per_class = 3}},
	 false},
	{work_in_queues,
	 27500,
	 {.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS, .max_segment_bytes = 8192, .max_kept_per_class = 3}},
	 true},
};
enum { N_JOBS = COUNT(jobs) };

static clpac_pool *open_for(const struct job *job, simulated_device *device)
{
	clpac_pool *pool = open_pool(device, job->budget, &job->options);
	device->is_lagging = job->is_lagging;
	return pool;
}

static void end(clpac_pool *pool, simulated_device *device)
{
	simulated_pass(&device->queue);
	clpac_pool_destroy(pool);
	check_nothing_left(device);
}

/* After the failure: nothing is in use, the ledger is true, the caches can be emptied, and the same job succeeds. */
static void check_works_on(const struct job *job, clpac_pool *pool, const simulated_device *device)
{
	clpac_pool_statistics now;
	for (int is_cleared = 0; is_cleared < 2; is_cleared++) {
		check_truth(pool, device);
		clpac_pool_measure(pool, &now, sizeof now);
		ck_assert_uint_eq(now.active_buffers, 0);
		ck_assert_uint_eq(now.in_use_bytes, 0);
		ck_assert_uint_eq(now.requested_bytes, 0);
		ck_assert_uint_eq(now.host_bytes, 0);
		ck_assert_uint_eq(device->hazards, 0);
		clpac_error err = {0};
		ck_assert_msg(job->work(pool, &err) == CLPAC_OK, "afterwards: %s", err.text);
		clpac_queue_finish(pool, NULL, NULL);
		clpac_pool_clear(pool);
		ck_assert_uint_eq(device->live_bytes, 0);
	}
	check_truth(pool, device);
}

struct failure {
	clpac_status status;
	int code;
};

/* In OpenCL's numbers: -5 out of resources, -4 allocation failure, -6 out of host memory, -61 invalid buffer size.  A
 * failure at first use is one at the first transfer or launch, which are among the failing calls too. */
static const struct failure failures[] = {
	{CLPAC_ERROR_DEVICE, -5},
	{CLPAC_ERROR_NO_DEVICE_MEMORY, -4},
	{CLPAC_ERROR_NO_MEMORY, -6},
	{CLPAC_ERROR_ARGUMENT, -61},
};
enum { N_FAILURES = COUNT(failures) };

static void fail_every_call(const struct job *job, bool is_sticky)
{
	for (int i = 0; i < N_FAILURES; i++) {
		unsigned n_failed = 0;
		for (unsigned long number = 1;; number++) {
			simulated_device device;
			clpac_pool *pool = open_for(job, &device);
			unsigned long before = device.n_calls;
			(is_sticky ? simulated_fail_from : simulated_fail)(&device, number, SIMULATED_ANY,
									   failures[i].status, failures[i].code);
			clpac_error err = {0};
			clpac_status st = job->work(pool, &err);
			bool was_reached = device.n_calls - before >= number;
			if (st != CLPAC_OK) {
				ck_assert_int_eq(err.status, st);
				ck_assert_uint_gt(strlen(err.text), 0);
				/* A refusal because of the budget is not the driver's. */
				if (!strstr(err.text, "no room in the pool's budget")) {
					ck_assert_int_eq(st, failures[i].status);
					ck_assert_int_eq(err.native_code, failures[i].code);
				}
				n_failed++;
			}
			simulated_fail(&device, 0, SIMULATED_ANY, CLPAC_OK, 0);
			check_works_on(job, pool, &device);
			end(pool, &device);
			if (!was_reached)
				break;
		}
		ck_assert_uint_gt(n_failed, 5);
	}
}

TEST(the_jobs_touch_all_there_is)
{
	for (int i = 1; i < N_JOBS; i++) {
		simulated_device device;
		clpac_pool *pool = open_for(&jobs[i], &device);
		clpac_error err = {0};
		clpac_pool_statistics now;
		ck_assert_msg(jobs[i].work(pool, &err) == CLPAC_OK, "job %d: %s", i, err.text);
		clpac_pool_measure(pool, &now, sizeof now);
		ck_assert_uint_gt(now.fallbacks, 0);
		ck_assert_uint_gt(now.promotions, 0);
		ck_assert_uint_gt(now.host_copies, 0);
		ck_assert_uint_gt(now.out_of_memory_events, 0);
		ck_assert_uint_eq(now.parts_created > 0, jobs[i].options.cache.blocks == CLPAC_BLOCKS_SEGMENTS);
		for (int call = 0; call < SIMULATED_CALLS; call++)
			ck_assert_msg(device.n_calls_of[call] || call == SIMULATED_PREPARE ||
					      call == SIMULATED_LAUNCH || call == SIMULATED_WRITE ||
					      (call == SIMULATED_CREATE_PART && !now.parts_created),
				      "job %d makes no call %d", i, call);
		check_truth(pool, &device);
		end(pool, &device);
	}
}

TEST_EACH(any_one_failing_driver_call_leaves_the_ledger_true_and_the_pool_working, N_JOBS)
{
	fail_every_call(&jobs[_i], false);
}

TEST_EACH(a_driver_that_fails_from_some_call_on_leaves_the_ledger_true_and_the_pool_working, N_JOBS)
{
	fail_every_call(&jobs[_i], true);
}

TEST(a_driver_without_room_is_told_with_the_numbers_and_its_code)
{
	static const int codes[] = {-4, -6};
	for (int i = 0; i < 2; i++) {
		simulated_device device;
		clpac_pool *pool = open_pool(&device, 8500, NULL);
		clpac_buffer *held = take(pool, 1000), *cached = take(pool, 500), *refused = NULL;
		clpac_buffer_release(cached);
		const clpac_status st = i ? CLPAC_ERROR_NO_MEMORY : CLPAC_ERROR_NO_DEVICE_MEMORY;
		simulated_fail_from(&device, 1, SIMULATED_CREATE, st, codes[i]);
		clpac_error err = {0};
		char expected[400];
		ck_assert_int_eq(clpac_pool_allocate(pool, 2000, "spectrum", &refused, &err), st);
		ck_assert_int_eq(err.native_code, codes[i]);
		snprintf(expected, sizeof expected,
			 "buffer \"spectrum\" of 2000 bytes (class 2048): the driver has no room though the pool holds "
			 "1024 of its "
			 "budget of 8500 (1024 in use, 0 cached, largest free piece 0); release buffers or lower the "
			 "budget: simulated "
			 "create fails with "
			 "code %d",
			 codes[i]);
		ck_assert_str_eq(err.text, expected);
		/* The pool released the cached block and asked the driver again, in vain. */
		clpac_pool_statistics now;
		clpac_pool_measure(pool, &now, sizeof now);
		ck_assert_uint_eq(now.retries, 1);
		ck_assert_uint_eq(device.n_calls_of[SIMULATED_CREATE], 4);
		check_truth(pool, &device);
		simulated_fail(&device, 0, SIMULATED_ANY, CLPAC_OK, 0);
		clpac_buffer_release(held);
		end(pool, &device);
	}
}

TEST_EACH(any_failing_host_allocation_leaves_the_ledger_true_and_the_pool_working, N_JOBS)
{
	const struct job *job = &jobs[_i];
	for (int is_sticky = 0; is_sticky < 2; is_sticky++) {
		unsigned n_failed = 0;
		for (unsigned long number = 1;; number++) {
			simulated_device device;
			clpac_pool *pool = open_for(job, &device);
			clpac__fail_allocation(number, is_sticky);
			clpac_error err = {0};
			clpac_status st = job->work(pool, &err);
			bool was_reached = clpac__count_allocations() >= number;
			clpac__fail_allocation(0, false);
			if (st != CLPAC_OK) {
				ck_assert_int_eq(err.status, st);
				if (!strstr(err.text, "no room in the pool's budget"))
					ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
				n_failed++;
			}
			check_works_on(job, pool, &device);
			end(pool, &device);
			if (!was_reached)
				break;
		}
		ck_assert_uint_gt(n_failed, 5);
	}
}

TEST(a_pool_that_cannot_be_made_for_lack_of_host_memory_leaves_nothing)
{
	simulated_device device;
	simulated_open(&device, 1 << 20, 0);
	clpac_status st;
	unsigned long number = 0;
	do {
		clpac_pool *pool = NULL;
		clpac_error err = {0};
		clpac__fail_allocation(++number, false);
		st = clpac__pool_create(&device.queue, NULL, 0, &pool, &err);
		if (st != CLPAC_OK) {
			ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
			ck_assert_int_eq(err.status, st);
			ck_assert_ptr_null(pool);
		}
		clpac_pool_destroy(pool);
	} while (st != CLPAC_OK);
	ck_assert_uint_eq(number, 4);
	check_nothing_left(&device);
}
