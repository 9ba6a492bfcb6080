/* One job through the whole interface, with every driver call and every host allocation in turn failing: whatever
 * fails, the ledger stays true, nothing leaks, and the pool works on. */
#include "runner.h"

#include <string.h>
#include "base/memory.h"
#include "memory/pool.h"
#include "pool_truth.h"

const char *skip_reason(void)
{
	return NULL;
}

/* All there is to do with a pool, in a budget so tight that cached blocks must give way. */
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
	clpac_pool_measure(pool, &now);
	TRY(clpac_pool_statistics_json(&now, &text, err));
done:
	clpac_text_free(text);
	clpac_buffer_release(large);
	clpac_buffer_release_batch(many, 4);
	return st;
}

enum { BUDGET = 8500 };

/* After the failure: nothing is in use, the ledger is true, and the same job succeeds. */
static void check_works_on(clpac_pool *pool, const simulated_device *device)
{
	check_truth(pool, device);
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now);
	ck_assert_uint_eq(now.active_buffers, 0);
	ck_assert_uint_eq(now.in_use_bytes, 0);
	ck_assert_uint_eq(now.requested_bytes, 0);
	clpac_error err = {0};
	ck_assert_msg(work(pool, &err) == CLPAC_OK, "afterwards: %s", err.text);
	check_truth(pool, device);
}

struct failure {
	clpac_status status;
	int code;
};

/* -5 out of resources, -4 allocation failure, -6 out of host memory, -61 invalid buffer size: as OpenCL numbers
 * them. */
static const struct failure failures[] = {
	{CLPAC_ERROR_DEVICE, -5},
	{CLPAC_ERROR_NO_DEVICE_MEMORY, -4},
	{CLPAC_ERROR_NO_MEMORY, -6},
	{CLPAC_ERROR_ARGUMENT, -61},
};
enum { N_FAILURES = sizeof failures / sizeof *failures };

static void fail_every_call(bool is_sticky)
{
	for (int i = 0; i < N_FAILURES; i++) {
		unsigned n_failed = 0;
		for (unsigned long number = 1;; number++) {
			simulated_device device;
			clpac_pool *pool = open_pool(&device, BUDGET, NULL);
			unsigned long before = device.n_calls;
			(is_sticky ? simulated_fail_from : simulated_fail)(&device, number, SIMULATED_ANY,
									   failures[i].status, failures[i].code);
			clpac_error err = {0};
			clpac_status st = work(pool, &err);
			bool was_reached = device.n_calls - before >= number;
			if (st != CLPAC_OK) {
				ck_assert_int_eq(st, failures[i].status);
				ck_assert_int_eq(err.status, st);
				ck_assert_int_eq(err.native_code, failures[i].code);
				ck_assert_uint_gt(strlen(err.text), 0);
				n_failed++;
			}
			simulated_fail(&device, 0, SIMULATED_ANY, CLPAC_OK, 0);
			check_works_on(pool, &device);
			clpac_pool_destroy(pool);
			check_nothing_left(&device);
			if (!was_reached)
				break;
		}
		ck_assert_uint_gt(n_failed, 5);
	}
}

START_TEST(any_one_failing_driver_call_leaves_the_ledger_true_and_the_pool_working)
{
	fail_every_call(false);
}
END_TEST

START_TEST(a_driver_that_fails_from_some_call_on_leaves_the_ledger_true_and_the_pool_working)
{
	fail_every_call(true);
}
END_TEST

START_TEST(any_failing_host_allocation_leaves_the_ledger_true_and_the_pool_working)
{
	for (int is_sticky = 0; is_sticky < 2; is_sticky++) {
		unsigned n_failed = 0;
		for (unsigned long number = 1;; number++) {
			simulated_device device;
			clpac_pool *pool = open_pool(&device, BUDGET, NULL);
			clpac__fail_allocation(number, is_sticky);
			clpac_error err = {0};
			clpac_status st = work(pool, &err);
			bool was_reached = clpac__count_allocations() >= number;
			clpac__fail_allocation(0, false);
			if (st != CLPAC_OK) {
				ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
				ck_assert_int_eq(err.status, st);
				n_failed++;
			}
			check_works_on(pool, &device);
			clpac_pool_destroy(pool);
			check_nothing_left(&device);
			if (!was_reached)
				break;
		}
		ck_assert_uint_gt(n_failed, 5);
	}
}
END_TEST

START_TEST(a_pool_that_cannot_be_made_for_lack_of_host_memory_leaves_nothing)
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
END_TEST

Suite *suite(void)
{
	Suite *made = suite_create("pool under failures");
	TCase *driver = tcase_create("driver");
	tcase_add_test(driver, any_one_failing_driver_call_leaves_the_ledger_true_and_the_pool_working);
	tcase_add_test(driver, a_driver_that_fails_from_some_call_on_leaves_the_ledger_true_and_the_pool_working);
	suite_add_tcase(made, driver);
	TCase *host = tcase_create("host");
	tcase_add_test(host, any_failing_host_allocation_leaves_the_ledger_true_and_the_pool_working);
	tcase_add_test(host, a_pool_that_cannot_be_made_for_lack_of_host_memory_leaves_nothing);
	suite_add_tcase(made, host);
	return made;
}
