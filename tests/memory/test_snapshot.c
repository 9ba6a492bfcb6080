/* The process's one list of devices: the machine is looked at once, the list is given to all callers, replaced on
 * request, and kept as long as anybody holds it. Built with the thread sanitizer, this is also its check for races. */
#include "runner.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include <clpac/memory/context.h>
#include <clpac/memory/pool.h>
#include "assertions.h"
#include "base/memory.h"
#include "memory/device/list.h"

static clpac_error err;

static clpac_device_list *find(void)
{
	clpac_device_list *list = NULL;
	assert_works(clpac_devices_find(&list, &err), err);
	ck_assert_ptr_nonnull(list);
	return list;
}

static clpac_device_list *refresh(void)
{
	clpac_device_list *list = NULL;
	assert_works(clpac_devices_refresh(&list, &err), err);
	ck_assert_ptr_nonnull(list);
	return list;
}

/* Evidence of a look at the machine: every platform, every device and the list itself are allocated. */
static unsigned long allocations_of_a_look(const clpac_device_list *list)
{
	return clpac_platforms_count(list) + clpac_devices_count(list) + 1;
}

static void check_equal(const clpac_device_list *a, const clpac_device_list *b)
{
	ck_assert_uint_eq(clpac_devices_count(a), clpac_devices_count(b));
	ck_assert_uint_eq(clpac_platforms_count(a), clpac_platforms_count(b));
	for (size_t i = 0; i < clpac_devices_count(a); i++)
		ck_assert_str_eq(clpac_devices_get(a, i)->name, clpac_devices_get(b, i)->name);
	for (size_t i = 0; i < clpac_platforms_count(a); i++)
		ck_assert_str_eq(clpac_platforms_get(a, i)->name, clpac_platforms_get(b, i)->name);
}

TEST(the_machine_is_looked_at_once)
{
	clpac__fail_allocation(0, false);
	clpac_device_list *first = find();
	const clpac_device *device = clpac_devices_get(first, 0);
	ck_assert_uint_eq(clpac__count_allocations(), allocations_of_a_look(first));
	clpac__fail_allocation(1, true);
	clpac_device_list *second = find();
	ck_assert_ptr_eq(clpac_devices_get(second, 0), device);
	clpac_devices_destroy(first);
	clpac_devices_destroy(second);
	second = find(); /* nobody held the first */
	ck_assert_ptr_eq(clpac_devices_get(second, 0), device);
	ck_assert_str_ne(device->name, "");
	ck_assert_uint_eq(clpac__count_allocations(), 0);
	clpac_devices_destroy(second);
}

TEST(a_refresh_looks_again_and_the_old_list_stays)
{
	clpac_device_list *old = find();
	static clpac_device copy;
	copy = *clpac_devices_get(old, 0);
	clpac__fail_allocation(0, false);
	clpac_device_list *fresh = refresh(), *after = find();
	ck_assert_uint_eq(clpac__count_allocations(), allocations_of_a_look(fresh));
	ck_assert_ptr_ne(clpac_devices_get(fresh, 0), clpac_devices_get(old, 0));
	ck_assert_ptr_eq(clpac_devices_get(fresh, 0), clpac_devices_get(after, 0));
	check_equal(old, fresh);
	ck_assert_mem_eq(clpac_devices_get(old, 0), &copy, sizeof copy);
	clpac_devices_destroy(old);
	check_equal(fresh, after);
	clpac_devices_destroy(fresh);
	clpac_devices_destroy(after);
}

TEST(a_list_outlives_the_refresh_that_replaced_it)
{
	clpac_device_list *lists[5] = {find()};
	for (size_t i = 1; i < COUNT(lists); i++)
		lists[i] = refresh();
	for (size_t i = 0; i + 1 < COUNT(lists); i++) {
		check_equal(lists[i], lists[COUNT(lists) - 1]);
		clpac_devices_destroy(lists[i]);
	}
	clpac_devices_destroy(lists[COUNT(lists) - 1]);
}

TEST(a_refresh_can_be_the_first_look)
{
	clpac_device_list *fresh = refresh();
	clpac__fail_allocation(1, true);
	clpac_device_list *list = find();
	ck_assert_ptr_eq(clpac_devices_get(list, 0), clpac_devices_get(fresh, 0));
	clpac_devices_destroy(list);
	clpac_devices_destroy(fresh);
}

/* If a failed look kept anything, a later one would need fewer allocations. */
TEST(a_first_look_that_fails_leaves_nothing)
{
	clpac_device_list *list = NULL;
	for (unsigned long failing = 1; !list; failing++) {
		clpac__fail_allocation(failing, false);
		clpac_status st = clpac_devices_find(&list, &err);
		const unsigned long made = clpac__count_allocations();
		clpac__fail_allocation(0, false);
		if (st == CLPAC_OK) {
			ck_assert_uint_eq(made, failing - 1);
			ck_assert_uint_eq(made, allocations_of_a_look(list));
		} else {
			ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
			ck_assert_int_eq(err.status, st);
			ck_assert_uint_eq(made, failing);
			ck_assert_ptr_null(list);
		}
	}
	clpac_devices_destroy(list);
}

TEST(a_refresh_that_fails_leaves_the_list_before)
{
	clpac_device_list *before = find(), *fresh = NULL;
	for (unsigned long failing = 1; !fresh; failing++) {
		clpac__fail_allocation(failing, false);
		clpac_status st = clpac_devices_refresh(&fresh, &err);
		const unsigned long made = clpac__count_allocations();
		clpac__fail_allocation(0, false);
		clpac_device_list *after = find();
		ck_assert_ptr_eq(clpac_devices_get(after, 0), clpac_devices_get(st == CLPAC_OK ? fresh : before, 0));
		clpac_devices_destroy(after);
		if (st == CLPAC_OK) {
			ck_assert_uint_eq(made, allocations_of_a_look(fresh));
			ck_assert_uint_eq(failing, made + 1);
		} else {
			ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
			ck_assert_ptr_null(fresh);
		}
	}
	clpac_devices_destroy(before);
	clpac_devices_destroy(fresh);
}

TEST(nobody_need_want_the_error)
{
	clpac_device_list *list = NULL;
	clpac__fail_allocation(1, false);
	ck_assert_int_eq(clpac_devices_find(&list, NULL), CLPAC_ERROR_NO_MEMORY);
	clpac__fail_allocation(1, false);
	ck_assert_int_eq(clpac_devices_refresh(&list, NULL), CLPAC_ERROR_NO_MEMORY);
	ck_assert_ptr_null(list);
}

/* --- Threads --- */

enum { N_THREADS = 8, N_ROUNDS = 200 };

static atomic_uint n_arrived;

/* Makes all threads begin together. */
static void wait_for_all(void)
{
	atomic_fetch_add(&n_arrived, 1);
	while (atomic_load(&n_arrived) < N_THREADS)
		sched_yield();
}

/* LLVM, which some drivers contain, gives the thread that starts it a signal stack. AddressSanitizer takes that stack
 * for its own when the thread ends, and ends the process because it cannot unmap it. */
static void drop_signal_stack(void)
{
	sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
}

static void run_threads(void *(*work)(void *), void *argument, size_t bytes_each)
{
	pthread_t threads[N_THREADS];
	for (size_t i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, (char *)argument + i * bytes_each), 0);
	for (size_t i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

static void *find_first(void *argument)
{
	clpac_device_list **list = argument;
	wait_for_all();
	if (clpac_devices_find(list, NULL) != CLPAC_OK)
		*list = NULL;
	drop_signal_stack();
	return NULL;
}

/* A missing lock would show in most attempts, not in all: several run, each in a process that has not looked yet. */
TEST_EACH(threads_that_ask_together_look_once, 10)
{
	clpac_device_list *lists[N_THREADS] = {0};
	clpac__fail_allocation(0, false);
	run_threads(find_first, lists, sizeof *lists);
	for (size_t i = 0; i < N_THREADS; i++) {
		ck_assert_ptr_nonnull(lists[i]);
		ck_assert_ptr_eq(clpac_devices_get(lists[i], 0), clpac_devices_get(lists[0], 0));
	}
	ck_assert_uint_eq(clpac__count_allocations(), allocations_of_a_look(lists[0]));
	for (size_t i = 0; i < N_THREADS; i++)
		clpac_devices_destroy(lists[i]);
}

struct asker {
	bool refreshes;
	unsigned n_wrong;
};

static bool has_native(const clpac_device_list *list)
{
	for (size_t i = 0; i < clpac_devices_count(list); i++)
		if (clpac_devices_get(list, i)->kind == CLPAC_DEVICE_NATIVE)
			return true;
	return false;
}

/* Holds each list until the next one exists. */
static void *ask(void *argument)
{
	struct asker *asker = argument;
	clpac_device_list *held = NULL;
	wait_for_all();
	for (unsigned i = 0; i < N_ROUNDS; i++) {
		const bool looks = asker->refreshes && i % 20 == 0;
		clpac_device_list *list = NULL;
		if ((looks ? clpac_devices_refresh : clpac_devices_find)(&list, NULL) != CLPAC_OK ||
		    !has_native(list) || (held && !has_native(held)))
			asker->n_wrong++;
		clpac_devices_destroy(held);
		held = list;
	}
	clpac_devices_destroy(held);
	drop_signal_stack();
	return NULL;
}

TEST(threads_may_ask_while_others_refresh)
{
	struct asker askers[N_THREADS] = {{.refreshes = true}, {.refreshes = true}};
	run_threads(ask, askers, sizeof *askers);
	for (size_t i = 0; i < N_THREADS; i++)
		ck_assert_uint_eq(askers[i].n_wrong, 0);
}

/* --- Outdated facts --- */

/* The native device, with a long outdated value of its free memory. */
static clpac_context *open_native(uint64_t free_bytes)
{
	clpac_device_list *list = find();
	const clpac_device *native;
	clpac_context *context = NULL;
	assert_works(clpac_devices_select(list, "native", 0, &native, &err), err);
	clpac_device device = *native;
	device.free_bytes = free_bytes;
	clpac_devices_destroy(list);
	assert_works(clpac_context_open(&device, &(clpac_options){.threads = 1}, &context, &err), err);
	return context;
}

TEST(a_context_asks_anew_what_is_free)
{
	clpac_context *context = open_native(1 << 20);
	const clpac_free_memory now = clpac_pool_free_memory(clpac_context_pool(context));
	if (now.knowledge == CLPAC_EXACT) {
		ck_assert_uint_gt(clpac_context_device(context)->free_bytes, 4 << 20);
		ck_assert_uint_gt(clpac_pool_budget(clpac_context_pool(context)), 1 << 20);
	}
	clpac_context_close(context);
}

TEST(what_the_list_did_not_tell_stays_unknown)
{
	clpac_context *context = open_native(0);
	ck_assert_uint_eq(clpac_context_device(context)->free_bytes, 0);
	clpac_context_close(context);
}
