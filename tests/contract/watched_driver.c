/* Wrappers of the driver's functions: they count waits and held references, and fail when told to. */
#include "watched_driver.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "memory/opencl/opencl.h"

struct watched_driver driver;

static bool fails(const char *name)
{
	if (++driver.n_calls != driver.failing_call)
		return false;
	driver.failed_name = name;
	return true;
}

static void note_wait(bool is_one)
{
	const unsigned at = is_one ? driver.n_waits++ : WATCHED_WAITS;
	if (at >= WATCHED_WAITS)
		return;
	driver.at_wait[at].n_launches = driver.n_launches;
	driver.at_wait[at].bytes_written = driver.bytes_written;
}

/* dlsym returns an object pointer; POSIX guarantees that it can hold a function's. */
#define REAL(name)                                                                                                     \
	static __typeof__(&name) real;                                                                                 \
	if (!real)                                                                                                     \
	*(void **)&real = dlsym(RTLD_NEXT, #name)

#define WATCHED(name, waits, parameters, arguments)                                                                    \
	cl_int CL_API_CALL name parameters                                                                             \
	{                                                                                                              \
		REAL(name);                                                                                            \
		note_wait((waits) != 0);                                                                               \
		return fails(#name) ? CL_OUT_OF_RESOURCES : real arguments;                                            \
	}
#define RELEASES(name, type)                                                                                           \
	cl_int CL_API_CALL name(type object)                                                                           \
	{                                                                                                              \
		REAL(name);                                                                                            \
		driver.n_objects--;                                                                                    \
		return real(object);                                                                                   \
	}

#define RETAINS(name, type)                                                                                            \
	cl_int CL_API_CALL name(type object)                                                                           \
	{                                                                                                              \
		REAL(name);                                                                                            \
		driver.n_objects++;                                                                                    \
		return real(object);                                                                                   \
	}
#define CREATES(type, name, parameters, arguments)                                                                     \
	type CL_API_CALL name parameters                                                                               \
	{                                                                                                              \
		REAL(name);                                                                                            \
		const type made = real arguments;                                                                      \
		driver.n_objects += made != NULL;                                                                      \
		return made;                                                                                           \
	}

WATCHED(clFinish, true, (cl_command_queue queue), (queue))
WATCHED(clWaitForEvents, true, (cl_uint n, const cl_event *events), (n, events))
WATCHED(clFlush, false, (cl_command_queue queue), (queue))
WATCHED(clSetKernelArg, false, (cl_kernel kernel, cl_uint i, size_t size, const void *value), (kernel, i, size, value))
WATCHED(clGetMemObjectInfo, false, (cl_mem memory, cl_mem_info what, size_t room, void *value, size_t *size),
	(memory, what, room, value, size))
WATCHED(clGetEventInfo, false, (cl_event event, cl_event_info what, size_t room, void *value, size_t *size),
	(event, what, room, value, size))
cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t room, void *value,
					   size_t *size)
{
	REAL(clGetEventProfilingInfo);
	return driver.tells_no_time ? CL_PROFILING_INFO_NOT_AVAILABLE : real(event, what, room, value, size);
}

/* The stage that a kernel computes; CLPAC__STAGE_COUNT for one of a transform. */
static unsigned stage_of(cl_kernel kernel)
{
	char name[128] = "";
	unsigned stage = 0;
	clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
	while (stage < CLPAC__STAGE_COUNT && strcmp(clpac__stage_get(stage)->name, name) != 0)
		stage++;
	return stage;
}

/* Whether groups are parts of a row, of a size that the kernel allows, and fill the items. */
static bool has_groups(cl_command_queue queue, cl_kernel kernel, cl_uint n, const size_t *items, const size_t *local)
{
	cl_device_id device = NULL;
	size_t most = 0;
	clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
	clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
	if (!local || !local[0] || local[0] > most || items[0] % local[0])
		return false;
	for (cl_uint i = 1; i < n; i++)
		if (local[i] != 1)
			return false;
	return true;
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint n, const size_t *offset,
					  const size_t *items, const size_t *local, cl_uint n_events,
					  const cl_event *events, cl_event *event)
{
	REAL(clEnqueueNDRangeKernel);
	const unsigned stage = stage_of(kernel);
	unsigned long long all = 1;
	driver.n_launches++;
	driver.launches_of[stage]++;
	if (fails("clEnqueueNDRangeKernel"))
		return CL_OUT_OF_RESOURCES;
	for (cl_uint i = 0; i < n; i++) {
		const size_t n_groups = items[i] / (local ? local[i] : 1);
		all *= items[i];
		if (i && stage < CLPAC__STAGE_COUNT && driver.most_groups && n_groups > driver.most_groups)
			return CL_INVALID_GLOBAL_WORK_SIZE;
	}
	if (stage < CLPAC__STAGE_COUNT && all > driver.most_items[stage])
		driver.most_items[stage] = all;
	if (stage < CLPAC__STAGE_COUNT)
		driver.n_without_group += !has_groups(queue, kernel, n, items, local);
	if (stage < CLPAC__STAGE_COUNT && driver.swallows) {
		for (const double end = clpac__clock_seconds() + driver.swallow_s; clpac__clock_seconds() < end;)
			continue;
		return CL_SUCCESS;
	}
	return real(queue, kernel, n, offset, items, local, n_events, events, event);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool is_waited_for, size_t offset,
					size_t bytes, const void *source, cl_uint n_events, const cl_event *events,
					cl_event *event)
{
	REAL(clEnqueueWriteBuffer);
	driver.bytes_written += bytes;
	note_wait(is_waited_for != 0);
	if (fails("clEnqueueWriteBuffer"))
		return CL_OUT_OF_RESOURCES;
	return real(queue, memory, is_waited_for, offset, bytes, source, n_events, events, event);
}
cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool is_waited_for, size_t offset,
				       size_t bytes, void *target, cl_uint n_events, const cl_event *events,
				       cl_event *event)
{
	REAL(clEnqueueReadBuffer);
	note_wait(is_waited_for != 0);
	driver.bytes_read += bytes;
	if (fails("clEnqueueReadBuffer"))
		return CL_OUT_OF_RESOURCES;
	return real(queue, memory, is_waited_for, offset, bytes, target, n_events, events, event);
}
RELEASES(clReleaseMemObject, cl_mem)
RELEASES(clReleaseEvent, cl_event)
RELEASES(clReleaseContext, cl_context)
RELEASES(clReleaseCommandQueue, cl_command_queue)
RELEASES(clReleaseProgram, cl_program)
RELEASES(clReleaseKernel, cl_kernel)
RETAINS(clRetainMemObject, cl_mem)
RETAINS(clRetainEvent, cl_event)
RETAINS(clRetainContext, cl_context)
RETAINS(clRetainCommandQueue, cl_command_queue)
RETAINS(clRetainProgram, cl_program)
CREATES(cl_context, clCreateContext,
	(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
	 void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *code),
	(properties, n, devices, notify, user, code))
CREATES(cl_command_queue, clCreateCommandQueue,
	(cl_context of, cl_device_id on, cl_command_queue_properties properties, cl_int *code),
	(of, on, properties, code))
CREATES(cl_mem, clCreateBuffer, (cl_context of, cl_mem_flags flags, size_t size, void *host, cl_int *code),
	(of, flags, size, host, code))
CREATES(cl_event, clCreateUserEvent, (cl_context of, cl_int *code), (of, code))
CREATES(cl_program, clCreateProgramWithSource,
	(cl_context of, cl_uint n, const char **lines, const size_t *lengths, cl_int *code),
	(of, n, lines, lengths, code))
CREATES(cl_program, clCreateProgramWithBinary,
	(cl_context of, cl_uint n, const cl_device_id *devices, const size_t *lengths, const unsigned char **binaries,
	 cl_int *status, cl_int *code),
	(of, n, devices, lengths, binaries, status, code))
CREATES(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *code), (program, name, code))

void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool wait, cl_map_flags flags,
				     size_t offset, size_t bytes, cl_uint n_events, const cl_event *events,
				     cl_event *event, cl_int *code)
{
	REAL(clEnqueueMapBuffer);
	note_wait(wait != 0);
	return real(queue, memory, wait, flags, offset, bytes, n_events, events, event, code);
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void *pattern, size_t size,
				       size_t offset, size_t bytes, cl_uint n_events, const cl_event *events,
				       cl_event *event)
{
	REAL(clEnqueueFillBuffer);
	const cl_int code = real(queue, memory, pattern, size, offset, bytes, n_events, events, event);
	driver.n_objects += code == CL_SUCCESS && event;
	return code;
}

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n_events, const cl_event *events,
					       cl_event *event)
{
	REAL(clEnqueueMarkerWithWaitList);
	if (fails("clEnqueueMarkerWithWaitList"))
		return CL_OUT_OF_RESOURCES;
	const cl_int code = real(queue, n_events, events, event);
	driver.n_objects += code == CL_SUCCESS && event;
	return code;
}

cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint n_events, const cl_event *events,
						cl_event *event)
{
	REAL(clEnqueueBarrierWithWaitList);
	if (fails("clEnqueueBarrierWithWaitList"))
		return CL_OUT_OF_RESOURCES;
	const cl_int code = real(queue, n_events, events, event);
	driver.n_objects += code == CL_SUCCESS && event;
	return code;
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type, const void *region,
				     cl_int *code)
{
	REAL(clCreateSubBuffer);
	if (fails("clCreateSubBuffer")) {
		*code = CL_OUT_OF_RESOURCES;
		return NULL;
	}
	const cl_mem made = real(whole, flags, type, region, code);
	driver.n_objects += made != NULL;
	return made;
}
