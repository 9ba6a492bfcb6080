/* One context of an OpenCL device for several threads. */
#include "runner.h"

#include <stdio.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/pool.h>

#include "coupling/opencl/opencl_compute.h"
#include "coupling/registry/registry.h"
#include "places.h"
#include "memory/context/context.h"
#include "sharing_laws.h"
#include "targets.h"

const int runner_no_fork = 1;
const char *skip_reason(void)
{
	return targets_missing("opencl");
}

static clpac_context *open_with(int i, const char *platform, clpac_log_function *log, void *log_user)
{
	const target *where = targets_get((size_t)i);
	clpac_device device = where->device;
	clpac_options options = where->options;
	clpac_context *context = NULL;
	clpac_error err = {0};
	options.log = log;
	options.log_user = log_user;
	snprintf(device.platform_name, sizeof device.platform_name, "%s", platform);
	ck_assert_msg(clpac_context_open(&device, &options, &context, &err) == CLPAC_OK, "%s", err.text);
	return context;
}

static clpac_context *open_as(int i, const char *platform)
{
	return open_with(i, platform, NULL, NULL);
}

START_TEST(what_several_threads_need_is_built_once)
{
	clpac_context *context = open_as(_i, targets_get((size_t)_i)->device.platform_name);
	sharing_check_plans(context, targets_get((size_t)_i)->label);
	unsigned n = 0;
	for (clpac__opencl_program *made = clpac__opencl_compute_of(context->queue)->programs; made;
	     made = made->next, n++)
		for (clpac__opencl_program *other = made->next; other; other = other->next)
			ck_assert(made->part != other->part || made->n_bins != other->n_bins);
	ck_assert_uint_eq(n, SHARING_BUILDS);
	clpac_context_close(context);
}

START_TEST(a_driver_that_is_not_thread_safe_is_entered_by_one_at_a_time)
{
	clpac_context *context = open_as(_i, "Oclgrind");
	ck_assert_ptr_eq(context->queue->operations, &clpac__opencl_serial_operations);
	sharing_check_plans(context, "in turn");
	clpac_context_close(context);
}

static void count_lines(void *user, clpac_log_level level, const char *text)
{
	(void)level, (void)text;
	++*(unsigned *)user;
}

START_TEST(nothing_is_said_while_the_pool_holds_its_locks)
{
	/* A log function that allocated under the pool's locks would wait for ever. */
	static const char *const platforms[] = {"Oclgrind", NULL};
	for (size_t k = 0; k < 2; k++) {
		const char *platform = platforms[k] ? platforms[k] : targets_get((size_t)_i)->device.platform_name;
		unsigned n_lines = 0;
		clpac_context *context = open_with(_i, platform, count_lines, &n_lines);
		clpac__opencl_queue *queue = clpac__opencl_of(context->queue);
		clpac_buffer *buffer = NULL;
		clpac_error err = {0};
		ck_assert_msg(clpac__compute_prepare(&queue->base, 18, &err) == CLPAC_OK, "%s", err.text);
		n_lines = 0;
		clpac__opencl_log(queue, CLPAC_LOG_INFO, "a line of the driver's");
		ck_assert_msg(clpac_pool_allocate(clpac_context_pool(context), 4096, "line", &buffer, &err) == CLPAC_OK,
			      "%s", err.text);
		clpac_buffer_release(buffer);
		clpac_pool_clear(clpac_context_pool(context));
		ck_assert_uint_eq(n_lines, 0);
		ck_assert_msg(clpac__compute_prepare(&queue->base, 18, &err) == CLPAC_OK, "%s", err.text);
		ck_assert_uint_eq(n_lines, 1);
		clpac_context_close(context);
	}
}

START_TEST(every_engine_transforms_for_several_threads)
{
	const target *where = targets_get((size_t)_i);
	sharing_check_engines(&where->device, where->options, where->label);
}

Suite *suite(void)
{
	Suite *s = suite_create("a context for several threads");
	const int n = (int)targets_find("opencl");
	suite_add_tcase(s, sharing_laws((size_t)n));
	TCase *t = tcase_create("engines, builds and turns");
	tcase_add_loop_test(t, every_engine_transforms_for_several_threads, 0, n);
	tcase_add_loop_test(t, what_several_threads_need_is_built_once, 0, n);
	tcase_add_loop_test(t, a_driver_that_is_not_thread_safe_is_entered_by_one_at_a_time, 0, n);
	tcase_add_loop_test(t, nothing_is_said_while_the_pool_holds_its_locks, 0, n);
	suite_add_tcase(s, t);
	return s;
}
