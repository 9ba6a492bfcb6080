/* One context of an OpenCL device for several threads. */
#include "runner.h"

#include <stdio.h>

#include "opencl/opencl.h"
#include "places.h"
#include "plan/context.h"
#include "sharing_laws.h"
#include "targets.h"

const int runner_no_fork = 1;
const char *skip_reason(void)
{
	return targets_find("opencl") ? NULL : "no OpenCL device that can be used (clpac devices says why)";
}

static clpac_context *open_as(int i, const char *platform)
{
	const target *where = targets_get((size_t)i);
	clpac_device device = where->device;
	clpac_options options = where->options;
	clpac_context *context = NULL;
	clpac_error err = {0};
	options.log = sharing_log;
	snprintf(device.platform_name, sizeof device.platform_name, "%s", platform);
	ck_assert_msg(clpac_context_open(&device, &options, &context, &err) == CLPAC_OK, "%s", err.text);
	return context;
}

START_TEST(what_several_threads_need_is_built_once)
{
	clpac_context *context = open_as(_i, targets_get((size_t)_i)->device.platform_name);
	sharing_check_plans(context, targets_get((size_t)_i)->label);
	unsigned n = 0;
	for (clpac__opencl_program *made = clpac__opencl_of(context->queue)->programs; made; made = made->next, n++)
		for (clpac__opencl_program *other = made->next; other; other = other->next)
			ck_assert_uint_ne(made->n_bins, other->n_bins);
	ck_assert_uint_eq(n, SHARING_BUILDS);
	clpac_context_close(context);
}
END_TEST

START_TEST(a_driver_that_is_not_thread_safe_is_entered_by_one_at_a_time)
{
	clpac_context *context = open_as(_i, "Oclgrind");
	ck_assert_ptr_eq(context->queue->operations, &clpac__opencl_serial_operations);
	sharing_check_plans(context, "in turn");
	sharing_check_functions(context, "in turn");
	clpac_context_close(context);
}
END_TEST

START_TEST(every_engine_transforms_for_several_threads)
{
	const target *where = targets_get((size_t)_i);
	sharing_check_engines(&where->device, where->options, where->label);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("a context for several threads");
	const int n = (int)targets_find("opencl");
	suite_add_tcase(s, sharing_laws((size_t)n));
	TCase *t = tcase_create("engines, builds and turns");
	tcase_add_loop_test(t, every_engine_transforms_for_several_threads, 0, n);
	tcase_add_loop_test(t, what_several_threads_need_is_built_once, 0, n);
	tcase_add_loop_test(t, a_driver_that_is_not_thread_safe_is_entered_by_one_at_a_time, 0, n);
	suite_add_tcase(s, t);
	return s;
}
