/* Every driver call of the OpenCL backend failing in turn: each failure is reported as what it is, nothing is lost, and
 * the next attempt works.
 *
 * The functions below replace the driver's in this program; all calls but the chosen one go on to the driver. */
#include "config.h"

#include "assertions.h"
#include "runner.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "coupling/fft/engine.h"
#include "coupling/opencl/opencl_compute.h"
#include "coupling/registry/registry.h"
#include "queue_kernels.h"
#include "targets.h"

const int runner_no_fork = 1;

static unsigned n_calls, failing_call; /* from 1; 0: none */
static cl_int failing_code;
static char failed_name[64];
static long n_objects; /* made and not yet released, as far as this program sees */

static bool retains_fail; /* false for clFFT: it ignores a failed retain and would release what it does not own */

static bool fails(const char *name)
{
	if (!failing_call || ++n_calls != failing_call)
		return false;
	snprintf(failed_name, sizeof failed_name, "%s", name);
	return true;
}

/* dlsym returns an object pointer; POSIX guarantees that it can hold a function's. */
#define REAL(name)                                                                                                     \
	static __typeof__(&name) real;                                                                                 \
	if (!real)                                                                                                     \
	*(void **)&real = dlsym(RTLD_NEXT, #name)

#define CREATES(type, name, parameters, arguments)                                                                     \
	type CL_API_CALL name parameters                                                                               \
	{                                                                                                              \
		REAL(name);                                                                                            \
		if (fails(#name)) {                                                                                    \
			*code = failing_code;                                                                          \
			return NULL;                                                                                   \
		}                                                                                                      \
		type made = real arguments;                                                                            \
		n_objects += made != NULL;                                                                             \
		return made;                                                                                           \
	}
#define ANSWERS(name, parameters, arguments)                                                                           \
	cl_int CL_API_CALL name parameters                                                                             \
	{                                                                                                              \
		REAL(name);                                                                                            \
		return fails(#name) ? failing_code : real arguments;                                                   \
	}
/* The same for a call that may make an event, its last argument. */
#define MARKS(name, parameters, arguments)                                                                             \
	cl_int CL_API_CALL name parameters                                                                             \
	{                                                                                                              \
		REAL(name);                                                                                            \
		if (fails(#name))                                                                                      \
			return failing_code;                                                                           \
		cl_int code = real arguments;                                                                          \
		n_objects += code == CL_SUCCESS && event;                                                              \
		return code;                                                                                           \
	}
#define RETAINS(name, type)                                                                                            \
	cl_int CL_API_CALL name(type object)                                                                           \
	{                                                                                                              \
		REAL(name);                                                                                            \
		if (retains_fail && fails(#name))                                                                      \
			return failing_code;                                                                           \
		n_objects++;                                                                                           \
		return real(object);                                                                                   \
	}
#define RELEASES(name, type)                                                                                           \
	cl_int CL_API_CALL name(type object)                                                                           \
	{                                                                                                              \
		REAL(name);                                                                                            \
		n_objects--;                                                                                           \
		return real(object);                                                                                   \
	}

CREATES(cl_context, clCreateContext,
	(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
	 void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *code),
	(properties, n, devices, notify, user, code))
CREATES(cl_command_queue, clCreateCommandQueue,
	(cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *code),
	(context, device, properties, code))
CREATES(cl_mem, clCreateBuffer, (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code),
	(context, flags, size, host, code))
CREATES(cl_mem, clCreateSubBuffer,
	(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type, const void *region, cl_int *code),
	(whole, flags, type, region, code))
CREATES(cl_program, clCreateProgramWithSource,
	(cl_context context, cl_uint n, const char **lines, const size_t *lengths, cl_int *code),
	(context, n, lines, lengths, code))
CREATES(cl_program, clCreateProgramWithBinary,
	(cl_context context, cl_uint n, const cl_device_id *devices, const size_t *lengths,
	 const unsigned char **binaries, cl_int *status, cl_int *code),
	(context, n, devices, lengths, binaries, status, code))
CREATES(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *code), (program, name, code))
RELEASES(clReleaseContext, cl_context)
RELEASES(clReleaseCommandQueue, cl_command_queue)
RELEASES(clReleaseMemObject, cl_mem)
RELEASES(clReleaseProgram, cl_program)
RELEASES(clReleaseKernel, cl_kernel)
RELEASES(clReleaseEvent, cl_event)
RETAINS(clRetainContext, cl_context)
RETAINS(clRetainCommandQueue, cl_command_queue)
RETAINS(clRetainProgram, cl_program)
ANSWERS(clBuildProgram,
	(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
	 void(CL_CALLBACK *notify)(cl_program, void *), void *user),
	(program, n, devices, options, notify, user))
ANSWERS(clGetProgramInfo, (cl_program program, cl_program_info what, size_t room, void *value, size_t *size),
	(program, what, room, value, size))
ANSWERS(clGetKernelWorkGroupInfo,
	(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t room, void *value, size_t *size),
	(kernel, device, what, room, value, size))
ANSWERS(clSetKernelArg, (cl_kernel kernel, cl_uint i, size_t size, const void *value), (kernel, i, size, value))
ANSWERS(clEnqueueNDRangeKernel,
	(cl_command_queue queue, cl_kernel kernel, cl_uint n, const size_t *offset, const size_t *items,
	 const size_t *local, cl_uint n_events, const cl_event *events, cl_event *event),
	(queue, kernel, n, offset, items, local, n_events, events, event))
ANSWERS(clEnqueueWriteBuffer,
	(cl_command_queue queue, cl_mem memory, cl_bool wait, size_t offset, size_t bytes, const void *source,
	 cl_uint n_events, const cl_event *events, cl_event *event),
	(queue, memory, wait, offset, bytes, source, n_events, events, event))
ANSWERS(clEnqueueReadBuffer,
	(cl_command_queue queue, cl_mem memory, cl_bool wait, size_t offset, size_t bytes, void *target,
	 cl_uint n_events, const cl_event *events, cl_event *event),
	(queue, memory, wait, offset, bytes, target, n_events, events, event))
MARKS(clEnqueueFillBuffer,
      (cl_command_queue queue, cl_mem memory, const void *pattern, size_t size, size_t offset, size_t bytes,
       cl_uint n_events, const cl_event *events, cl_event *event),
      (queue, memory, pattern, size, offset, bytes, n_events, events, event))
ANSWERS(clEnqueueCopyBuffer,
	(cl_command_queue queue, cl_mem source, cl_mem target, size_t from, size_t to, size_t bytes, cl_uint n_events,
	 const cl_event *events, cl_event *event),
	(queue, source, target, from, to, bytes, n_events, events, event))
MARKS(clEnqueueMarkerWithWaitList, (cl_command_queue queue, cl_uint n_events, const cl_event *events, cl_event *event),
      (queue, n_events, events, event))
MARKS(clEnqueueBarrierWithWaitList, (cl_command_queue queue, cl_uint n_events, const cl_event *events, cl_event *event),
      (queue, n_events, events, event))
ANSWERS(clEnqueueUnmapMemObject,
	(cl_command_queue queue, cl_mem memory, void *pointer, cl_uint n_events, const cl_event *events,
	 cl_event *event),
	(queue, memory, pointer, n_events, events, event))
ANSWERS(clSetMemObjectDestructorCallback, (cl_mem memory, void(CL_CALLBACK *notify)(cl_mem, void *), void *user),
	(memory, notify, user))
ANSWERS(clFlush, (cl_command_queue queue), (queue))

void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool wait, cl_map_flags flags,
				     size_t offset, size_t bytes, cl_uint n_events, const cl_event *events,
				     cl_event *event, cl_int *code)
{
	REAL(clEnqueueMapBuffer);
	if (fails("clEnqueueMapBuffer")) {
		*code = failing_code;
		return NULL;
	}
	return real(queue, memory, wait, flags, offset, bytes, n_events, events, event, code);
}

ANSWERS(clWaitForEvents, (cl_uint n, const cl_event *events), (n, events))
ANSWERS(clFinish, (cl_command_queue queue), (queue))

static clpac_options options = {.cache = "none"};
static clpac_error err;
static int target_number;

/* One of everything that a run does.  The queue is closed whatever happens. */
static clpac_status use_everything(void)
{
	clpac_status st = CLPAC_OK;
	const target *where = targets_get((size_t)target_number);
	clpac__queue *queue = NULL;
	clpac__block *a = NULL, *b = NULL;
	float samples[200] = {0};

	TRY(where->backend->open(&where->device, &options, &queue, &err));
	const clpac__queue_operations *on = queue->operations;
	TRY(on->create(queue, sizeof samples, &a, &err));
	TRY(on->create(queue, sizeof samples, &b, &err));
	TRY(on->write(queue, a, 0, sizeof samples, samples, &err));
	TRY(on->fill(queue, b, 3, 100, 7, &err));
	TRY(on->copy(queue, a, 0, b, 0, 100, &err));
	TRY(clpac__compute_prepare(queue, 18, &err));
	TRY(clpac__compute_launch(queue,
				  &(clpac__launch){.items = {200, 1, 1},
						   CLPAC__STAGE(extend, .samples = a, .extended = b, .n_samples = 200,
								.begin = 0, .step = 200, .first_section = 0,
								.n_sections = 1, .pad = 0, .length = 200)},
				  &err));
	TRY(on->finish(queue, &err));
	TRY(on->read(queue, b, 0, sizeof samples, samples, &err));
done:
	if (queue) {
		queue->operations->release(queue, a);
		queue->operations->release(queue, b);
		queue->operations->close(queue);
	}
	return st;
}

static void count_calls(unsigned *out)
{
	failing_call = UINT32_MAX;
	n_calls = 0;
	ck_assert_msg(use_everything() == CLPAC_OK, "%s", err.text);
	*out = n_calls;
}

/* The final wait, whose failure has no caller left to report to.  Drivers that forget flushed commands wait for a
 * marker instead. */
static bool is_wait_for_the_end(const char *call)
{
	return strcmp(call, "clFinish") == 0 ||
	       (clpac__opencl_quirks_of(&targets_get((size_t)target_number)->device).finish_forgets_flushed &&
		(strcmp(call, "clEnqueueMarkerWithWaitList") == 0 || strcmp(call, "clWaitForEvents") == 0));
}

START_TEST(whichever_call_fails_is_named_and_nothing_is_lost)
{
	static const cl_int codes[] = {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY};
	unsigned all;
	target_number = _i;
	retains_fail = true;
	count_calls(&all);
	ck_assert_uint_gt(all, 20);
	long before = n_objects;
	unsigned n_reported = 0;
	for (unsigned k = 1; k <= all; k++) {
		failing_code = codes[k % 3];
		failing_call = k;
		n_calls = 0;
		err = (clpac_error){0};
		clpac_status st = use_everything();
		ck_assert_int_eq(n_objects, before);
		/* Two failures go unreported: without the group's size groups are of one item, and closing can only
		 * go on. */
		if (st == CLPAC_OK) {
			ck_assert_msg(strcmp(failed_name, "clGetKernelWorkGroupInfo") == 0 ||
					      (k + 3 > all && is_wait_for_the_end(failed_name)),
				      "%s failed and no error was reported", failed_name);
			continue;
		}
		n_reported++;
		ck_assert_int_eq(err.status, st);
		ck_assert_int_eq(err.native_code, failing_code);
		ck_assert_msg(strncmp(err.text, failed_name, strlen(failed_name)) == 0 &&
				      strstr(err.text, clpac__opencl_code_name(failing_code)) &&
				      strstr(err.text, targets_get((size_t)_i)->device.name),
			      "%s: %s", failed_name, err.text);
	}
	ck_assert_uint_gt(n_reported, 20);
	failing_call = 0;
	retains_fail = false;
	ck_assert_int_eq(use_everything(), CLPAC_OK);
}

/* The pool's calls: memory of every kind, two queues, events. */
static clpac_status use_memory(void)
{
	clpac_status st = CLPAC_OK;
	const target *where = targets_get((size_t)target_number);
	clpac__queue *queue = NULL, *other = NULL;
	clpac__block *whole = NULL, *part = NULL, *here = NULL;
	clpac_event *event = NULL;
	void *mapped = NULL;
	unsigned char bytes[1000] = {0};

	TRY(where->backend->open(&where->device, &options, &queue, &err));
	const clpac__queue_operations *on = queue->operations;
	TRY(on->open_sibling(queue, false, &other, &err));
	TRY(on->create(queue, 4 * queue->part_alignment + sizeof bytes, &whole, &err));
	TRY(on->create_part(queue, whole, queue->part_alignment, sizeof bytes, &part, &err));
	TRY(on->create_on_host(queue, sizeof bytes, &here, &err));
	TRY(on->write(queue, here, 0, sizeof bytes, bytes, &err));
	TRY(on->mark(queue, &event, &err));
	TRY(on->wait_for(other, event, &err));
	TRY(on->copy(other, here, 0, part, 0, sizeof bytes, &err));
	TRY(on->map(other, part, 0, sizeof bytes, true, true, &mapped, NULL, &err));
	void *place = mapped;
	mapped = NULL;
	TRY(on->unmap(other, part, place, &err));
	TRY(on->read(other, whole, 0, sizeof bytes, bytes, &err));
	TRY(on->wait(queue, event, &err));
	TRY(on->finish(other, &err));
done:
	if (queue) {
		if (event)
			queue->operations->forget(queue, event);
		queue->operations->release(queue, part);
		queue->operations->release(queue, whole);
		queue->operations->release(queue, here);
		if (other)
			queue->operations->close(other);
		queue->operations->close(queue);
	}
	return st;
}

static const struct {
	cl_int code;
	clpac_status status; /* status of a call that makes memory */
	const char *advice;
} codes_of_memory[] = {
	{-4, CLPAC_ERROR_NO_DEVICE_MEMORY, "lower the memory option"},
	{-5, CLPAC_ERROR_NO_DEVICE_MEMORY, "lower the memory option"},
	{-6, CLPAC_ERROR_NO_MEMORY, "no host memory"},
	{-61, CLPAC_ERROR_ARGUMENT, "too large: one block is larger than the device allows"},
};
enum { N_CODES = COUNT(codes_of_memory) };

START_TEST(every_call_of_the_pool_fails_with_every_code_of_memory)
{
	target_number = _i;
	retains_fail = true;
	failing_call = UINT32_MAX;
	n_calls = 0;
	const long before = n_objects;
	ck_assert_msg(use_memory() == CLPAC_OK, "%s", err.text);
	const unsigned all = n_calls;
	ck_assert_int_eq(n_objects, before);
	ck_assert_uint_gt(all, 20);
	for (size_t c = 0; c < N_CODES; c++) {
		unsigned n_reported = 0;
		failing_code = codes_of_memory[c].code;
		for (unsigned k = 1; k <= all; k++) {
			failing_call = k;
			n_calls = 0;
			err = (clpac_error){0};
			clpac_status st = use_memory();
			ck_assert_msg(n_objects == before, "%s failed and %ld objects are left", failed_name,
				      n_objects - before);
			if (st == CLPAC_OK) { /* closing can only go on */
				ck_assert_msg(is_wait_for_the_end(failed_name), "%s failed and no error was reported",
					      failed_name);
				continue;
			}
			n_reported++;
			/* Out of resources means lack of memory where memory is made, and a device error elsewhere. */
			ck_assert_msg(st == codes_of_memory[c].status ||
					      (failing_code == -5 && st == CLPAC_ERROR_DEVICE),
				      "%s, %d: %s", failed_name, failing_code, clpac_status_text(st));
			ck_assert_int_eq(err.native_code, failing_code);
			ck_assert_msg(strncmp(err.text, failed_name, strlen(failed_name)) == 0 &&
					      strstr(err.text, clpac__opencl_code_name(failing_code)) &&
					      strstr(err.text, targets_get((size_t)_i)->device.name),
				      "%s: %s", failed_name, err.text);
		}
		ck_assert_uint_gt(n_reported, 20);
	}
	failing_call = 0;
	retains_fail = false;
	ck_assert_int_eq(use_memory(), CLPAC_OK);
}

typedef clpac_status create_function(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);

START_TEST(too_little_memory_and_too_large_a_block_are_told_apart)
{
	clpac__queue *queue = target_open(targets_get((size_t)_i));
	create_function *const creates[] = {queue->operations->create, queue->operations->create_on_host};
	for (size_t where = 0; where < 2; where++) {
		/* clCreateBuffer, the call after it on the host, and the first use of the buffer */
		for (unsigned call = 1; call <= 2 + where; call++) {
			for (size_t i = 0; i < N_CODES; i++) {
				clpac__block *block = NULL;
				long before = n_objects;
				n_calls = 0;
				failing_call = call;
				failing_code = codes_of_memory[i].code;
				ck_assert_int_eq(creates[where](queue, 12352, &block, &err), codes_of_memory[i].status);
				ck_assert_ptr_null(block);
				ck_assert_int_eq(n_objects, before);
				ck_assert_msg(strstr(err.text, "12352 bytes") &&
						      strstr(err.text, codes_of_memory[i].advice),
					      "%s", err.text);
				failing_call = 0;
			}
		}
	}
	queue->operations->close(queue);
}

START_TEST(each_failing_allocation_of_the_host_leaves_nothing)
{
	target_number = _i;
	const long before = n_objects;
	clpac__fail_allocation(0, false);
	ck_assert_int_eq(use_memory(), CLPAC_OK);
	const unsigned long all = clpac__count_allocations();
	ck_assert_uint_gt(all, 5);
	for (unsigned long k = 1; k <= all; k++) {
		clpac__fail_allocation(k, false);
		clpac_status st = use_memory();
		clpac__fail_allocation(0, false);
		ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
		ck_assert_int_eq(n_objects, before);
	}
}

/* A made-up binary would do too, but some drivers end the process over it. */
START_TEST(a_stored_binary_that_the_driver_refuses_is_compiled_again)
{
	const target *where = targets_get((size_t)_i);
	const char *base = getenv("CLPAC_TEST_BUILDDIR");
	clpac_options cached = {0};
	char file[600];
	snprintf(cached.cache, sizeof cached.cache, "%s/clpac-refused-XXXXXX", base ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(cached.cache));
	/* Compiled and stored; loaded; refused when it is read, and when it is built. */
	static const struct {
		unsigned failing_call, n_compiled;
	} cases[] = {{0, 1}, {0, 0}, {1, 1}, {2, 1}, {0, 0}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		clpac__queue *queue = NULL;
		ck_assert_int_eq(where->backend->open(&where->device, &cached, &queue, &err), CLPAC_OK);
		clpac__opencl_of(queue)->quirks.keeps_programs = false; /* as where clpac keeps them */
		n_calls = 0;
		failing_call = cases[i].failing_call;
		failing_code = CL_INVALID_BINARY;
		ck_assert_msg(clpac__compute_prepare(queue, 18, &err) == CLPAC_OK, "%s", err.text);
		failing_call = 0;
		ck_assert_uint_eq(clpac__opencl_compute_of(queue)->n_compiled, cases[i].n_compiled);
		ck_assert_uint_eq(clpac__opencl_compute_of(queue)->n_from_cache, 1 - cases[i].n_compiled);
		queue->operations->close(queue);
	}
	DIR *open = opendir(cached.cache);
	ck_assert_ptr_nonnull(open);
	for (struct dirent *entry; (entry = readdir(open));) {
		snprintf(file, sizeof file, "%s/%s", cached.cache, entry->d_name);
		unlink(file);
	}
	closedir(open);
	ck_assert_int_eq(rmdir(cached.cache), 0); /* the folder is empty */
}

#ifdef HAVE_CLFFT
extern const clpac__fft_engine clpac__fft_clfft;

/* The targets that the engine serves. */
static size_t with_clfft[MAX_TARGETS];

static int count_with_clfft(size_t n_targets)
{
	int n = 0;
	for (size_t i = 0; i < n_targets; i++)
		if (target_takes(targets_get(i), "clfft"))
			with_clfft[n++] = i;
	return n;
}

START_TEST(a_transform_that_cannot_be_made_says_why_and_the_next_one_works)
{
	const clpac__fft_shape shape = {CLPAC__FFT_INVERSE, 64, 2, 0, 0};
	unsigned all;
	for (unsigned k = 0;; k++) {
		clpac__queue *queue = target_open(targets_get(with_clfft[_i]));
		clpac__fft *fft = NULL;
		n_calls = 0;
		failing_call = k ? k : UINT32_MAX;
		failing_code = CL_OUT_OF_RESOURCES;
		clpac_status st = clpac__fft_clfft.create(queue, &shape, &fft, &err);
		failing_call = 0;
		if (k == 0)
			all = n_calls;
		/* clFFT ignores some failures of its own, for example by compiling the kernel again. */
		if (st == CLPAC_OK)
			clpac__fft_clfft.destroy(fft);
		else
			ck_assert_msg(strstr(err.text, "clfft") && strstr(err.text, "64") && !fft, "%s", err.text);
		queue->operations->close(queue);
		if (k == all)
			break;
	}
}

START_TEST(a_length_with_a_large_factor_is_refused_by_clfft)
{
	const clpac__fft_shape shape = {CLPAC__FFT_INVERSE, 2 * 17, 1, 0, 0};
	clpac__queue *queue = target_open(targets_get(with_clfft[_i]));
	clpac__fft *fft = NULL;
	ck_assert_int_eq(clpac__fft_clfft.create(queue, &shape, &fft, &err), CLPAC_ERROR_UNSUPPORTED);
	ck_assert_msg(strstr(err.text, "length 34") && strstr(err.text, "prime factors up to 13"), "%s", err.text);
	queue->operations->close(queue);
}

START_TEST(more_than_clfft_can_count_is_refused)
{
	static const clpac__fft_shape shapes[] = {
		{CLPAC__FFT_INVERSE, (1 << 24) + 16, 1, 0, 0},
		{CLPAC__FFT_INVERSE, 1 << 20, 1 << 11, 0, 0},
		{CLPAC__FFT_FORWARD, 16, 1 << 10, 1 << 22, 9},
		{CLPAC__FFT_INVERSE, 16, SIZE_MAX / 8, 0, 0},
		{CLPAC__FFT_INVERSE, 16, 0, 0, 0},
	};
	clpac__queue *queue = target_open(targets_get(with_clfft[_i]));
	for (size_t i = 0; i < COUNT(shapes); i++) {
		clpac__fft *fft = NULL;
		ck_assert_int_eq(clpac__fft_clfft.create(queue, &shapes[i], &fft, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_null(fft);
	}
	queue->operations->close(queue);
}

START_TEST(a_transform_checks_its_blocks)
{
	const clpac__fft_shape shape = {CLPAC__FFT_FORWARD, 64, 2, 64, 33};
	clpac__queue *queue = target_open(targets_get(with_clfft[_i]));
	clpac__fft *fft = NULL;
	clpac__block *small = NULL, *large = NULL, *work = NULL;
	ck_assert_int_eq(clpac__fft_clfft.create(queue, &shape, &fft, &err), CLPAC_OK);
	ck_assert_int_eq(queue->operations->create(queue, 128 * sizeof(float), &small, &err), CLPAC_OK);
	ck_assert_int_eq(queue->operations->create(queue, 132 * sizeof(float), &large, &err), CLPAC_OK);
	ck_assert_int_eq(queue->operations->create(queue, clpac__fft_clfft.workspace_bytes(fft), &work, &err),
			 CLPAC_OK);
	ck_assert_int_eq(clpac__fft_clfft.run(fft, small, small, work, 2, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "the output has 512 bytes and needs 528"));
	ck_assert_int_eq(clpac__fft_clfft.run(fft, NULL, large, work, 2, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac__fft_clfft.run(fft, small, large, NULL, 2, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac__fft_clfft.run(fft, small, large, work, 3, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac__fft_clfft.run(fft, small, large, work, 0, &err), CLPAC_OK);
	ck_assert_int_eq(clpac__fft_clfft.run(fft, small, large, work, 2, &err), CLPAC_OK);
	failing_code = CL_OUT_OF_RESOURCES;
	clpac_status st = CLPAC_ERROR_INTERNAL;
	for (failing_call = 1; st != CLPAC_OK; failing_call++) {
		n_calls = 0;
		st = clpac__fft_clfft.run(fft, small, large, work, 2, &err);
		ck_assert_msg(st == CLPAC_OK || st == CLPAC_ERROR_DEVICE || st == CLPAC_ERROR_NO_DEVICE_MEMORY,
			      "call %d: %s", (int)failing_call, clpac_status_text(st));
		ck_assert_msg(st == CLPAC_OK || strstr(err.text, queue->device.name), "%s", err.text);
	}
	ck_assert_int_gt(failing_call, 2);
	failing_call = 0;
	ck_assert_int_eq(clpac__fft_clfft.run(fft, small, large, work, 2, &err), CLPAC_OK);
	queue->operations->release(queue, work);
	clpac__fft_clfft.destroy(fft);
	clpac__fft_clfft.destroy(NULL);
	queue->operations->release(queue, small);
	queue->operations->release(queue, large);
	queue->operations->close(queue);
}
#endif

#ifdef HAVE_VKFFT
extern const clpac__fft_engine clpac__fft_vkfft;

/* One step with roots of unity; Bluestein's algorithm with its chirps; two steps with memory between them. */
static const size_t vkfft_lengths[] = {64, 17, 8192};

START_TEST(whichever_call_fails_while_vkfft_plans_it_is_said_and_nothing_is_kept)
{
	for (size_t i = 0; i < COUNT(vkfft_lengths); i++) {
		const clpac__fft_shape shape = {CLPAC__FFT_INVERSE, vkfft_lengths[i], 2, 0, 0};
		clpac__queue *queue = target_open(targets_get((size_t)_i));
		unsigned all = 0;
		for (unsigned k = 0; k <= all; k++) {
			clpac__fft *fft = NULL;
			const long before = n_objects;
			n_calls = 0;
			failing_call = k ? k : UINT32_MAX;
			failing_code = CL_OUT_OF_RESOURCES;
			clpac_status st = clpac__fft_vkfft.create(queue, &shape, &fft, &err);
			all = k ? all : n_calls;
			failing_call = 0;
			ck_assert_int_eq(st == CLPAC_OK, fft != NULL);
			ck_assert_msg(k || st == CLPAC_OK, "%s", err.text);
			ck_assert_msg(st == CLPAC_OK || strstr(err.text, "vkfft") ||
					      strstr(err.text, queue->device.name),
				      "%s: %s", failed_name, err.text);
			clpac__fft_vkfft.destroy(fft);
			/* When its chirps fail, VkFFT forgets the queue that it made for them, with the commands in
			 * it. */
			ck_assert_msg(n_objects == before || (k && shape.length == 17),
				      "length %zu, call %u, %s: %ld objects are left", shape.length, k, failed_name,
				      n_objects - before);
		}
		ck_assert_uint_gt(all, 2);
		queue->operations->close(queue);
	}
}

START_TEST(a_transform_of_vkfft_holds_no_memory_and_its_runs_report_what_fails)
{
	for (size_t i = 0; i < COUNT(vkfft_lengths); i++) {
		const clpac__fft_shape shape = {CLPAC__FFT_FORWARD, vkfft_lengths[i], 2, vkfft_lengths[i],
						vkfft_lengths[i]};
		clpac__queue *queue = target_open(targets_get((size_t)_i));
		const clpac__queue_operations *on = queue->operations;
		clpac__fft *fft = NULL;
		clpac__block *in = NULL, *out = NULL, *work = NULL;
		clpac__opencl_program *program = NULL; /* of widen and halve, which its runs launch */
		unsigned all = 0;
		ck_assert_int_eq(clpac__fft_vkfft.create(queue, &shape, &fft, &err), CLPAC_OK);
		const size_t at = clpac__round_up(clpac__fft_vkfft.workspace_bytes(fft), 4096);
		const size_t tables = clpac__fft_vkfft.table_bytes(fft), bytes = 2 * shape.length * 8;
		ck_assert_uint_gt(tables, 0);
		ck_assert_int_eq(on->create(queue, bytes, &in, &err), CLPAC_OK);
		ck_assert_int_eq(on->create(queue, bytes, &out, &err), CLPAC_OK);
		ck_assert_int_eq(on->create(queue, at + tables, &work, &err), CLPAC_OK);
		ck_assert_int_eq(on->fill(queue, in, 0, bytes, 0, &err), CLPAC_OK);
		ck_assert_int_eq(clpac__opencl_program_get(clpac__opencl_compute_of(queue), CLPAC__OPENCL_FURTHER, 0,
							   &program, &err),
				 CLPAC_OK);
		ck_assert_int_eq(clpac__fft_vkfft.write_tables(fft, work, at + 64, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(err.text, "tables"));
		ck_assert_int_eq(clpac__fft_vkfft.write_tables(fft, NULL, 0, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_int_eq(clpac__fft_vkfft.write_tables(fft, work, at, &err), CLPAC_OK);
		for (unsigned k = 0; k <= all; k++) {
			const long before = n_objects;
			n_calls = 0;
			failing_call = k ? k : UINT32_MAX;
			failing_code = CL_OUT_OF_RESOURCES;
			clpac_status st = clpac__fft_vkfft.run(fft, in, out, work, 2, &err);
			all = k ? all : n_calls;
			failing_call = 0;
			ck_assert_msg(k ? st == CLPAC_ERROR_DEVICE || st == CLPAC_ERROR_NO_DEVICE_MEMORY
					: st == CLPAC_OK,
				      "call %u, %s: %s", k, failed_name, clpac_status_text(st));
			ck_assert_msg(!k || strstr(err.text, queue->device.name), "%s", err.text);
			ck_assert_int_eq(n_objects, before);
		}
		ck_assert_uint_gt(all, 4);
		/* A run waits for nothing and makes nothing but sub-buffers: all of its calls were counted. */
		on->release(queue, in);
		on->release(queue, out);
		on->release(queue, work);
		clpac__fft_vkfft.destroy(fft);
		clpac__fft_vkfft.destroy(NULL);
		on->close(queue);
	}
}
#endif

const char *skip_reason(void)
{
	return targets_missing("opencl");
}

Suite *suite(void)
{
	int n = (int)targets_find("opencl");
	Suite *s = suite_create("OpenCL failures");
	TCase *c = tcase_create("failing drivers");
	tcase_add_loop_test(c, whichever_call_fails_is_named_and_nothing_is_lost, 0, n);
	tcase_add_loop_test(c, every_call_of_the_pool_fails_with_every_code_of_memory, 0, n);
	tcase_add_loop_test(c, each_failing_allocation_of_the_host_leaves_nothing, 0, n);
	tcase_add_loop_test(c, too_little_memory_and_too_large_a_block_are_told_apart, 0, n);
	tcase_add_loop_test(c, a_stored_binary_that_the_driver_refuses_is_compiled_again, 0, n);
#ifdef HAVE_CLFFT
	const int n_clfft = count_with_clfft((size_t)n);
	tcase_add_loop_test(c, a_transform_that_cannot_be_made_says_why_and_the_next_one_works, 0, n_clfft);
	tcase_add_loop_test(c, a_length_with_a_large_factor_is_refused_by_clfft, 0, n_clfft);
	tcase_add_loop_test(c, more_than_clfft_can_count_is_refused, 0, n_clfft);
	tcase_add_loop_test(c, a_transform_checks_its_blocks, 0, n_clfft);
#endif
#ifdef HAVE_VKFFT
	tcase_add_loop_test(c, whichever_call_fails_while_vkfft_plans_it_is_said_and_nothing_is_kept, 0, n);
	tcase_add_loop_test(c, a_transform_of_vkfft_holds_no_memory_and_its_runs_report_what_fails, 0, n);
#endif
	suite_add_tcase(s, c);
	return s;
}
