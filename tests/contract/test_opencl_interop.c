/* clpac/memory/opencl.h: an application's own OpenCL objects in clpac, and clpac's in the application's hands. */
#include "runner.h"

#include <clpac/memory/opencl.h>
#include <clpac/memory/store.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/queue.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include "memory/pool/pool.h"
#include "memory/pool/blocks/handle.h"
#include "memory/context/context.h"
#include "coupling/layout/context_engine.h"
#include "coupling/registry/registry.h"
#include "targets.h"
#include "noise.h"

const int runner_no_fork = 1;

enum { N = 100000 };

static cl_device_id device;
static cl_context context;
static cl_command_queue commands;
static clpac_context *clpac;
static clpac_pool *pool;
static clpac_error err;

#define CL_OK(call) ck_assert_int_eq(call, CL_SUCCESS)
#define REFUSED(call, part)                                                                                            \
	do {                                                                                                           \
		err = (clpac_error){0};                                                                                \
		ck_assert_int_eq(call, CLPAC_ERROR_ARGUMENT);                                                          \
		ck_assert_msg(strstr(err.text, part) != NULL, "%s", err.text);                                         \
	} while (0)

static cl_uint references_of_context(void)
{
	cl_uint n = 0;
	CL_OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL));
	return n;
}

static cl_uint references_of_queue(cl_command_queue queue)
{
	cl_uint n = 0;
	CL_OK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof n, &n, NULL));
	return n;
}

/* Drivers release a command's objects a moment after the command has finished: counts are read once they rest, and
 * waited for. */
#define SETTLES(count, expected)                                                                                       \
	do {                                                                                                           \
		for (int i_ = 0; i_ < 5000 && (count) != (expected); i_++)                                             \
			usleep(1000);                                                                                  \
		ck_assert_uint_eq(count, expected);                                                                    \
	} while (0)

static cl_uint at_rest(cl_uint (*count)(void))
{
	cl_uint n = count();
	for (int quiet = 0; quiet < 50; quiet++) {
		usleep(1000);
		if (count() != n)
			quiet = 0;
		n = count();
	}
	return n;
}

static cl_command_queue make_queue(cl_context of, cl_command_queue_properties properties)
{
	cl_int code;
	cl_command_queue queue = clCreateCommandQueue(of, device, properties, &code);
	CL_OK(code);
	return queue;
}

/* The driver's choice. */
static bool has_unordered_queues(void)
{
	cl_command_queue_properties offered = 0;
	CL_OK(clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof offered, &offered, NULL));
	return offered & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
}

static void find_device(int i)
{
	clpac__queue *queue = target_open(targets_get((size_t)i));
	cl_command_queue opened = clpac_queue_opencl(queue);
	CL_OK(clGetCommandQueueInfo(opened, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
	queue->operations->close(queue);
}

static void open_all(int i)
{
	cl_int code;
	find_device(i);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	CL_OK(code);
	commands = make_queue(context, 0);
	OK(clpac_context_from_opencl(context, device, commands, NULL, &clpac, &err));
	pool = clpac_context_pool(clpac);
}

static void close_all(void)
{
	clpac_context_close(clpac);
	SETTLES(references_of_queue(commands), 1);
	CL_OK(clReleaseCommandQueue(commands));
	CL_OK(clReleaseContext(context));
}

static clpac_buffer *take(clpac_queue *queue)
{
	clpac_buffer *buffer = NULL;
	OK(clpac_pool_request(pool, &(clpac_request){.bytes = N, .tag = "test", .queue = queue}, &buffer, &err));
	return buffer;
}

static cl_device_id device_of_numbers(cl_uint platform, cl_uint index)
{
	cl_platform_id platforms[64];
	cl_device_id devices[64];
	cl_uint n_platforms = 0, n_devices = 0;
	CL_OK(clGetPlatformIDs(64, platforms, &n_platforms));
	ck_assert_uint_lt(platform, n_platforms);
	CL_OK(clGetDeviceIDs(platforms[platform], CL_DEVICE_TYPE_ALL, 64, devices, &n_devices));
	ck_assert_uint_lt(index, n_devices);
	return devices[index];
}

START_TEST(a_device_gives_its_handle)
{
	clpac_device_list *list = NULL;
	size_t n_opencl = 0;
	OK(clpac_devices_find(&list, &err));
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		const clpac_device *each = clpac_devices_get(list, i);
		if (strcmp(each->backend, "opencl") != 0) {
			ck_assert_ptr_null(clpac_device_opencl(each));
			continue;
		}
		ck_assert_ptr_eq(clpac_device_opencl(each),
				 device_of_numbers((cl_uint)each->platform, (cl_uint)each->index));
		clpac_device another = *each;
		strcpy(another.name, "another device");
		ck_assert_ptr_null(clpac_device_opencl(&another));
		n_opencl++;
	}
	ck_assert_uint_gt(n_opencl, 0);
	ck_assert_ptr_eq(clpac_device_opencl(clpac_context_device(clpac)), device);
	clpac_devices_destroy(list);
}

START_TEST(a_context_works_on_the_applications_own_objects)
{
	static unsigned char put[N], got[N];
	open_all(_i);
	ck_assert_str_eq(clpac_context_device(clpac)->name, targets_get((size_t)_i)->device.name);
	ck_assert_int_eq(clpac_context_device(clpac)->platform, targets_get((size_t)_i)->device.platform);
	ck_assert_int_eq(clpac_context_device(clpac)->index, targets_get((size_t)_i)->device.index);
	ck_assert_str_eq(clpac_context_device(clpac)->platform_name, targets_get((size_t)_i)->device.platform_name);
	ck_assert(clpac_pool_opencl(pool) == context);
	ck_assert(clpac_queue_opencl(clpac_pool_queue(pool)) == commands);

	/* The application's commands and clpac's are in one order, in one queue. */
	random_bytes(1, put, N);
	clpac_buffer *from = take(NULL), *to = take(NULL);
	OK(clpac_buffer_write(from, 0, N, put, &err));
	cl_mem source = clpac_buffer_opencl(from), target = clpac_buffer_opencl(to);
	ck_assert(source && target && source != target);
	ck_assert(from->is_pinned && to->is_pinned);
	CL_OK(clEnqueueCopyBuffer(commands, source, target, 0, 0, N, 0, NULL, NULL));
	OK(clpac_buffer_fill(from, 0, N, 0, &err));
	OK(clpac_buffer_read(to, 0, N, got, &err));
	ck_assert_mem_eq(got, put, N);
	CL_OK(clEnqueueReadBuffer(commands, source, CL_TRUE, 0, N, got, 0, NULL, NULL));
	ck_assert_uint_eq(got[N - 1], 0);
	clpac_buffer_release(from);
	clpac_buffer_release(to);
	close_all();
}

START_TEST(kernels_are_made_in_the_applications_context)
{
	open_all(_i);
	clpac__queue *queue = clpac->queue;
	clpac_buffer *in = take(NULL), *out = take(NULL);
	static float x[1000], got[1000];
	for (int i = 0; i < 1000; i++)
		x[i] = (float)i;
	OK(clpac_buffer_write(in, 0, sizeof x, x, &err));
	OK(clpac__context_equip(clpac, &err)); /* makes libclpac look at the options of all contexts here */
	OK(clpac__compute_prepare(queue, 18, &err));
	OK(clpac__compute_launch(queue,
				 &(clpac__launch){.items = {1000, 1, 1},
						  CLPAC__STAGE(extend, .samples = clpac__buffer_block(in),
							       .extended = clpac__buffer_block(out), .n_samples = 1000,
							       .begin = 0, .step = 1000, .first_section = 0,
							       .n_sections = 1, .pad = 0, .length = 1000)},
				 &err));
	OK(clpac_buffer_read(out, 0, sizeof got, got, &err));
	ck_assert_mem_eq(got, x, sizeof x);
	clpac_buffer_release(in);
	clpac_buffer_release(out);
	close_all();
}

/* A kernel of the application reads what clpac_store_save_half stored: the same values as clpac_store_get_floats. */
START_TEST(a_kernel_reads_stored_halves)
{
	enum { SAMPLES = 1000 };
	static const char *const source = "kernel void widen(global const half *halves, global float *out, int k)\n"
					  "{\n"
					  "	const size_t i = get_global_id(0);\n"
					  "	out[i] = ldexp(vload_half(i, halves), k);\n"
					  "}\n";
	static float samples[SAMPLES], wanted[SAMPLES], found[SAMPLES];
	clpac_store *store = NULL;
	clpac_entry *entry = NULL;
	cl_int code;
	open_all(_i);
	for (int i = 0; i < SAMPLES; i++)
		samples[i] = 1e-9f * (float)(i * i) - 1e-5f;
	OK(clpac_store_create(pool, NULL, &store, &err));
	OK(clpac_store_save_half(
		store, "half", 1,
		&(clpac_stored_array){.name = "x", .type = "float32", .bytes = sizeof samples, .data = samples}, NULL,
		CLPAC_PUT_FAIL, &err));
	OK(clpac_store_get_floats(store, "half", "x", 0, SAMPLES, wanted, &err));
	OK(clpac_store_acquire(store, "half", &entry, &err));
	cl_program program = clCreateProgramWithSource(context, 1, (const char *[]){source}, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
	cl_kernel kernel = clCreateKernel(program, "widen", &code);
	CL_OK(code);
	clpac_buffer *out = take(NULL);
	cl_mem halves = clpac_buffer_opencl(clpac_entry_buffer(entry)), floats = clpac_buffer_opencl(out);
	const cl_int power = atoi(clpac_entry_array(entry, "x")->type + strlen("float16*2^"));
	CL_OK(clSetKernelArg(kernel, 0, sizeof halves, &halves));
	CL_OK(clSetKernelArg(kernel, 1, sizeof floats, &floats));
	CL_OK(clSetKernelArg(kernel, 2, sizeof power, &power));
	CL_OK(clEnqueueNDRangeKernel(commands, kernel, 1, NULL, (size_t[]){SAMPLES}, NULL, 0, NULL, NULL));
	OK(clpac_buffer_read(out, 0, sizeof found, found, &err));
	ck_assert_mem_eq(found, wanted, sizeof found);
	clpac_buffer_release(out);
	clpac_entry_release(entry);
	clpac_store_destroy(store);
	CL_OK(clReleaseKernel(kernel));
	CL_OK(clReleaseProgram(program));
	close_all();
}

START_TEST(references_are_given_back)
{
	open_all(_i);
	const cl_uint of_context = at_rest(references_of_context), of_queue = references_of_queue(commands);
	cl_command_queue other = make_queue(context, 0);
	const cl_uint with_other = at_rest(references_of_context);
	clpac_context *second = NULL;
	clpac_queue *queue = NULL;
	OK(clpac_context_from_opencl(context, device, NULL, NULL, &second, &err)); /* makes a queue of its own */
	ck_assert(clpac_queue_opencl(clpac_pool_queue(clpac_context_pool(second))) != commands);
	OK(clpac_queue_from_opencl(clpac_context_pool(second), other, &queue, &err));
	ck_assert(clpac_queue_opencl(queue) == other);
	SETTLES(references_of_queue(other), 2);
	clpac_queue_close(clpac_context_pool(second), queue);
	SETTLES(references_of_queue(other), 1);
	clpac_context_close(second);
	SETTLES(references_of_context(), with_other);
	CL_OK(clReleaseCommandQueue(other));
	SETTLES(references_of_context(), of_context);
	SETTLES(references_of_queue(commands), of_queue);
	close_all();
}

START_TEST(an_adopted_queue_is_ordered_like_any_other)
{
	enum { ROUNDS = 20 };
	static unsigned char got[N], expected[N];
	open_all(_i);
	const cl_command_queue_properties orders[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
	for (size_t order = 0; order < (has_unordered_queues() ? 2 : 1); order++) {
		cl_command_queue other = make_queue(context, orders[order]);
		clpac_queue *queue = NULL;
		clpac_buffer *kept[ROUNDS];
		OK(clpac_queue_from_opencl(pool, other, &queue, &err));
		for (int round = 0; round < ROUNDS; round++) {
			/* The same block, from queue to queue, each time while a copy of it is under way. */
			kept[round] = take(round % 2 ? queue : NULL);
			clpac_buffer *passing = take(round % 2 ? queue : NULL);
			cl_command_queue where = round % 2 ? other : commands;
			cl_mem memory = clpac_buffer_opencl(passing), target = clpac_buffer_opencl(kept[round]);
			const cl_uchar value = (cl_uchar)(round + 1);
			cl_event filled;
			CL_OK(clEnqueueFillBuffer(where, memory, &value, 1, 0, N, 0, NULL, &filled));
			CL_OK(clEnqueueCopyBuffer(where, memory, target, 0, 0, N, 1, &filled, NULL));
			CL_OK(clReleaseEvent(filled));
			clpac_buffer_release(passing);
		}
		OK(clpac_queue_finish(pool, queue, &err));
		for (int round = 0; round < ROUNDS; round++) {
			memset(expected, round + 1, N);
			OK(clpac_buffer_read(kept[round], 0, N, got, &err));
			ck_assert_mem_eq(got, expected, N);
			clpac_buffer_release(kept[round]);
		}
		clpac_queue_close(pool, queue);
		CL_OK(clReleaseCommandQueue(other));
	}
	close_all();
}

START_TEST(an_applications_event_is_waited_for)
{
	open_all(_i);
	cl_int code;
	cl_event users = clCreateUserEvent(context, &code);
	clpac_event *event = NULL, *mine = NULL;
	CL_OK(code);
	OK(clpac_event_from_opencl(pool, users, &event, &err));
	ck_assert(clpac_event_opencl(pool, event) == users);
	ck_assert(!clpac_event_has_passed(pool, event));
	CL_OK(clSetUserEventStatus(users, CL_COMPLETE));
	OK(clpac_event_wait(pool, event, &err));
	ck_assert(clpac_event_has_passed(pool, event));
	clpac_event_release(pool, event);
	CL_OK(clReleaseEvent(users));

	/* An event of failed work passes too, and waiting for it reports the failure. */
	users = clCreateUserEvent(context, &code);
	CL_OK(code);
	OK(clpac_event_from_opencl(pool, users, &event, &err));
	CL_OK(clSetUserEventStatus(users, -1234));
	ck_assert(clpac_event_has_passed(pool, event));
	ck_assert_int_eq(clpac_event_wait(pool, event, &err), CLPAC_ERROR_DEVICE);
	ck_assert_int_eq(err.native_code, -1234);
	clpac_event_release(pool, event);
	CL_OK(clReleaseEvent(users));

	/* The application waits for one of clpac's events. */
	OK(clpac_queue_mark(pool, NULL, &mine, &err));
	cl_event handle = clpac_event_opencl(pool, mine);
	CL_OK(clWaitForEvents(1, &handle));
	clpac_event_release(pool, mine);
	close_all();
}

START_TEST(what_does_not_belong_together_is_refused)
{
	open_all(_i);
	cl_int code;
	clpac_context *none = NULL;
	clpac_queue *queue = NULL;
	clpac_event *event = NULL;
	cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	CL_OK(code);
	cl_command_queue elsewhere = make_queue(foreign, 0);
	cl_event users = clCreateUserEvent(foreign, &code);
	CL_OK(code);
	const cl_uint before = at_rest(references_of_context);
	REFUSED(clpac_context_from_opencl(NULL, device, commands, NULL, &none, &err), "context is NULL");
	REFUSED(clpac_context_from_opencl(context, NULL, commands, NULL, &none, &err), "device is NULL");
	REFUSED(clpac_context_from_opencl(context, (cl_device_id)(void *)context, NULL, NULL, &none, &err), "none of");
	REFUSED(clpac_context_from_opencl(context, device, elsewhere, NULL, &none, &err), "another context");
	REFUSED(clpac_context_from_opencl(context, device, commands, &(clpac_options){.vector_width = 3}, &none, &err),
		"vector_width");
	REFUSED(clpac_queue_from_opencl(pool, NULL, &queue, &err), "NULL");
	REFUSED(clpac_queue_from_opencl(pool, elsewhere, &queue, &err), "another context");
	REFUSED(clpac_event_from_opencl(pool, NULL, &event, &err), "NULL");
	REFUSED(clpac_event_from_opencl(pool, users, &event, &err), "another context");
	if (has_unordered_queues()) {
		cl_command_queue unordered = make_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
		REFUSED(clpac_context_from_opencl(context, device, unordered, NULL, &none, &err), "out of order");
		CL_OK(clReleaseCommandQueue(unordered));
	}
	SETTLES(references_of_context(), before);
	ck_assert(!none && !queue && !event);
	CL_OK(clSetUserEventStatus(users, CL_COMPLETE)); /* NVIDIA's driver waits for it when the context goes */
	CL_OK(clReleaseEvent(users));
	CL_OK(clReleaseCommandQueue(elsewhere));
	CL_OK(clReleaseContext(foreign));
	close_all();
}

START_TEST(a_pool_that_is_not_on_opencl_says_so)
{
	open_all(_i);
	clpac_device_list *list = NULL;
	const clpac_device *native;
	clpac_context *other = NULL;
	clpac_buffer *buffer = NULL;
	clpac_event *event = NULL;
	clpac_queue *queue = NULL;
	OK(clpac_devices_find(&list, &err));
	OK(clpac_devices_select(list, "native", 0, &native, &err));
	OK(clpac_context_open(native, NULL, &other, &err));
	clpac_pool *elsewhere = clpac_context_pool(other);
	OK(clpac_pool_allocate(elsewhere, N, "test", &buffer, &err));
	ck_assert(!clpac_buffer_opencl(buffer) && !clpac_buffer_opencl(NULL));
	ck_assert(!buffer->is_pinned);
	ck_assert(!clpac_pool_opencl(elsewhere));
	ck_assert(!clpac_queue_opencl(clpac_pool_queue(elsewhere)) && !clpac_queue_opencl(NULL));
	REFUSED(clpac_queue_from_opencl(elsewhere, commands, &queue, &err), "no OpenCL device");
	REFUSED(clpac_event_from_opencl(elsewhere, (cl_event)(void *)elsewhere, &event, &err), "no OpenCL device");
	OK(clpac_queue_mark(elsewhere, NULL, &event, &err));
	ck_assert(!clpac_event_opencl(elsewhere, event));
	clpac_event_release(elsewhere, event);
	clpac_buffer_release(buffer);
	clpac_context_close(other);
	clpac_devices_destroy(list);
	close_all();
}

const char *skip_reason(void)
{
	return targets_missing("opencl");
}

Suite *suite(void)
{
	int n = (int)targets_find("opencl");
	Suite *s = suite_create("OpenCL interoperation");
	TCase *t = tcase_create("interoperation");
	tcase_add_test(t, a_device_gives_its_handle);
	tcase_add_loop_test(t, a_context_works_on_the_applications_own_objects, 0, n);
	tcase_add_loop_test(t, kernels_are_made_in_the_applications_context, 0, n);
	tcase_add_loop_test(t, a_kernel_reads_stored_halves, 0, n);
	tcase_add_loop_test(t, references_are_given_back, 0, n);
	tcase_add_loop_test(t, an_adopted_queue_is_ordered_like_any_other, 0, n);
	tcase_add_loop_test(t, an_applications_event_is_waited_for, 0, n);
	tcase_add_loop_test(t, what_does_not_belong_together_is_refused, 0, n);
	tcase_add_loop_test(t, a_pool_that_is_not_on_opencl_says_so, 0, n);
	suite_add_tcase(s, t);
	return s;
}
