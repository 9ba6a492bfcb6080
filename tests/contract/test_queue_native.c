/* The laws of a queue on the native backend, and tests of its particulars. */
#include "runner.h"

#include <string.h>

#include "base/memory.h"
#include "queue_kernels.h"
#include "order_laws.h"
#include "queue_laws.h"
#include "settle_laws.h"
#include "targets.h"
#include "coupling/registry/registry.h"

static const target *first(void)
{
	return targets_get(0);
}

START_TEST(each_failing_allocation_is_an_error_that_leaves_nothing)
{
	clpac_error err;
	unsigned long needed;
	clpac__queue *queue = NULL;
	clpac__block *block = NULL;

	clpac__fail_allocation(0, false);
	queue = target_open(first());
	needed = clpac__count_allocations();
	ck_assert_uint_gt(needed, 0);
	for (unsigned long number = 1; number <= needed; number++) {
		clpac__queue *none = NULL;
		clpac__fail_allocation(number, false);
		clpac_status st = first()->backend->open(&first()->device, &first()->options, &none, &err);
		ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
		ck_assert_ptr_null(none);
	}
	static const clpac_status expected[] = {CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_NO_DEVICE_MEMORY};
	for (unsigned long number = 1; number <= 2; number++) {
		clpac__fail_allocation(number, false);
		ck_assert_int_eq(queue->operations->create(queue, 4096, &block, &err), expected[number - 1]);
		ck_assert_ptr_null(block);
	}
	clpac__fail_allocation(0, false);
	queue->operations->close(queue);
}

START_TEST(more_than_the_free_memory_is_refused_before_the_system_kills)
{
	clpac_error err;
	clpac__block *block = NULL;
	clpac__queue *queue = target_open(first());
	size_t bytes = (size_t)queue->device.memory_bytes;
	/* All of the machine's memory is allowed as a size, but never free: this program runs in it. */
	ck_assert_uint_gt(bytes, 0);
	ck_assert_int_eq(queue->operations->create(queue, bytes, &block, &err), CLPAC_ERROR_NO_DEVICE_MEMORY);
	ck_assert_ptr_null(block);
	ck_assert_ptr_nonnull(strstr(err.text, "available"));
	queue->operations->close(queue);
}

START_TEST(a_wrong_option_is_refused)
{
	clpac_error err;
	clpac__queue *queue = NULL;
	clpac_options options = {.threads = 100000};
	ck_assert_int_eq(first()->backend->open(&first()->device, &options, &queue, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "100000"));
	options = (clpac_options){.instruction_set = "mmx"};
	ck_assert_int_eq(first()->backend->open(&first()->device, &options, &queue, &err), CLPAC_OK);
	clpac__compute *compute = NULL;
	ck_assert_int_eq(clpac__compute_get(queue, &compute, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "mmx"));
	ck_assert_ptr_null(compute);
	queue->operations->close(queue);
}

START_TEST(without_options_all_cores_and_the_widest_vectors_are_used)
{
	clpac__queue *queue = NULL;
	ck_assert_int_eq(first()->backend->open(&first()->device, NULL, &queue, NULL), CLPAC_OK);
	ck_assert_uint_eq(queue->n_threads, first()->device.compute_units);
	ck_assert_uint_eq(width_of(queue), first()->device.vector_width_float);
	queue->operations->close(queue);
}

const char *skip_reason(void)
{
	return targets_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("native queue");
	suite_add_tcase(s, queue_laws(targets_find("native")));
	suite_add_tcase(s, settle_laws(targets_find("native")));
	suite_add_tcase(s, order_thread_laws(2));
	suite_add_tcase(s, block_laws(2)); /* one thread and three; these laws do not depend on the instruction set */
	suite_add_tcase(s, order_laws(2));
	TCase *t = tcase_create("native");
	tcase_add_test(t, each_failing_allocation_is_an_error_that_leaves_nothing);
	tcase_add_test(t, more_than_the_free_memory_is_refused_before_the_system_kills);
	tcase_add_test(t, a_wrong_option_is_refused);
	tcase_add_test(t, without_options_all_cores_and_the_widest_vectors_are_used);
	suite_add_tcase(s, t);
	return s;
}
