/* OpenCL's functions, taken from the loader when OpenCL is first looked at, so that a process that computes on the
 * native device alone loads no library of OpenCL.
 *
 * Every file that calls OpenCL includes this header; the names then mean the entries of the table.  A file that forgets
 * it does not link, and neither does a name that lacks its entry.
 */
#ifndef CLPAC_MEMORY_OPENCL_CALLS_H
#define CLPAC_MEMORY_OPENCL_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/memory/options.h>
#include "memory/opencl/cl.h"

/* clang-format off */
#define CLPAC__OPENCL_CALLS(ENTRY) \
	ENTRY(clBuildProgram) \
	ENTRY(clCreateBuffer) \
	ENTRY(clCreateCommandQueue) \
	ENTRY(clCreateContext) \
	ENTRY(clCreateKernel) \
	ENTRY(clCreateProgramWithBinary) \
	ENTRY(clCreateProgramWithSource) \
	ENTRY(clCreateSubBuffer) \
	ENTRY(clEnqueueBarrierWithWaitList) \
	ENTRY(clEnqueueCopyBuffer) \
	ENTRY(clEnqueueFillBuffer) \
	ENTRY(clEnqueueMapBuffer) \
	ENTRY(clEnqueueMarkerWithWaitList) \
	ENTRY(clEnqueueNDRangeKernel) \
	ENTRY(clEnqueueReadBuffer) \
	ENTRY(clEnqueueUnmapMemObject) \
	ENTRY(clEnqueueWriteBuffer) \
	ENTRY(clFinish) \
	ENTRY(clFlush) \
	ENTRY(clGetCommandQueueInfo) \
	ENTRY(clGetContextInfo) \
	ENTRY(clGetDeviceIDs) \
	ENTRY(clGetDeviceInfo) \
	ENTRY(clGetEventInfo) \
	ENTRY(clGetEventProfilingInfo) \
	ENTRY(clGetKernelWorkGroupInfo) \
	ENTRY(clGetMemObjectInfo) \
	ENTRY(clGetPlatformIDs) \
	ENTRY(clGetPlatformInfo) \
	ENTRY(clGetProgramBuildInfo) \
	ENTRY(clGetProgramInfo) \
	ENTRY(clReleaseCommandQueue) \
	ENTRY(clReleaseContext) \
	ENTRY(clReleaseEvent) \
	ENTRY(clReleaseKernel) \
	ENTRY(clReleaseMemObject) \
	ENTRY(clReleaseProgram) \
	ENTRY(clRetainCommandQueue) \
	ENTRY(clRetainContext) \
	ENTRY(clRetainEvent) \
	ENTRY(clRetainProgram) \
	ENTRY(clSetKernelArg) \
	ENTRY(clSetMemObjectDestructorCallback) \
	ENTRY(clWaitForEvents)

typedef struct clpac__opencl_call_table {
#define ENTRY(name) __typeof__(&name) name;
	CLPAC__OPENCL_CALLS(ENTRY)
#undef ENTRY
} clpac__opencl_call_table;

/* Names stay those of the entries in a file that defines this. */
#ifndef CLPAC__OPENCL_BARE_NAMES
#define clBuildProgram clpac__opencl_calls.clBuildProgram
#define clCreateBuffer clpac__opencl_calls.clCreateBuffer
#define clCreateCommandQueue clpac__opencl_calls.clCreateCommandQueue
#define clCreateContext clpac__opencl_calls.clCreateContext
#define clCreateKernel clpac__opencl_calls.clCreateKernel
#define clCreateProgramWithBinary clpac__opencl_calls.clCreateProgramWithBinary
#define clCreateProgramWithSource clpac__opencl_calls.clCreateProgramWithSource
#define clCreateSubBuffer clpac__opencl_calls.clCreateSubBuffer
#define clEnqueueBarrierWithWaitList clpac__opencl_calls.clEnqueueBarrierWithWaitList
#define clEnqueueCopyBuffer clpac__opencl_calls.clEnqueueCopyBuffer
#define clEnqueueFillBuffer clpac__opencl_calls.clEnqueueFillBuffer
#define clEnqueueMapBuffer clpac__opencl_calls.clEnqueueMapBuffer
#define clEnqueueMarkerWithWaitList clpac__opencl_calls.clEnqueueMarkerWithWaitList
#define clEnqueueNDRangeKernel clpac__opencl_calls.clEnqueueNDRangeKernel
#define clEnqueueReadBuffer clpac__opencl_calls.clEnqueueReadBuffer
#define clEnqueueUnmapMemObject clpac__opencl_calls.clEnqueueUnmapMemObject
#define clEnqueueWriteBuffer clpac__opencl_calls.clEnqueueWriteBuffer
#define clFinish clpac__opencl_calls.clFinish
#define clFlush clpac__opencl_calls.clFlush
#define clGetCommandQueueInfo clpac__opencl_calls.clGetCommandQueueInfo
#define clGetContextInfo clpac__opencl_calls.clGetContextInfo
#define clGetDeviceIDs clpac__opencl_calls.clGetDeviceIDs
#define clGetDeviceInfo clpac__opencl_calls.clGetDeviceInfo
#define clGetEventInfo clpac__opencl_calls.clGetEventInfo
#define clGetEventProfilingInfo clpac__opencl_calls.clGetEventProfilingInfo
#define clGetKernelWorkGroupInfo clpac__opencl_calls.clGetKernelWorkGroupInfo
#define clGetMemObjectInfo clpac__opencl_calls.clGetMemObjectInfo
#define clGetPlatformIDs clpac__opencl_calls.clGetPlatformIDs
#define clGetPlatformInfo clpac__opencl_calls.clGetPlatformInfo
#define clGetProgramBuildInfo clpac__opencl_calls.clGetProgramBuildInfo
#define clGetProgramInfo clpac__opencl_calls.clGetProgramInfo
#define clReleaseCommandQueue clpac__opencl_calls.clReleaseCommandQueue
#define clReleaseContext clpac__opencl_calls.clReleaseContext
#define clReleaseEvent clpac__opencl_calls.clReleaseEvent
#define clReleaseKernel clpac__opencl_calls.clReleaseKernel
#define clReleaseMemObject clpac__opencl_calls.clReleaseMemObject
#define clReleaseProgram clpac__opencl_calls.clReleaseProgram
#define clRetainCommandQueue clpac__opencl_calls.clRetainCommandQueue
#define clRetainContext clpac__opencl_calls.clRetainContext
#define clRetainEvent clpac__opencl_calls.clRetainEvent
#define clRetainProgram clpac__opencl_calls.clRetainProgram
#define clSetKernelArg clpac__opencl_calls.clSetKernelArg
#define clSetMemObjectDestructorCallback clpac__opencl_calls.clSetMemObjectDestructorCallback
#define clWaitForEvents clpac__opencl_calls.clWaitForEvents
#endif
/* clang-format on */

/* Empty until clpac__opencl_load succeeds, constant from then on.  Answers that cannot be true are failures already
 * (checked_calls.h). */
extern clpac__opencl_call_table clpac__opencl_calls;

/* Fills the table: with the functions that the application has linked or preloaded, otherwise with those of OpenCL's
 * loader (libraries.h).  False, with the reason in `why`, when there is none; the next call then tries again.  Any
 * thread; a mutex once the table is filled. */
bool clpac__opencl_load(char *why, size_t size);

enum { CLPAC__OPENCL_LIBRARY_SIZE = sizeof((clpac_options *)0)->opencl_library };

/* Fills the table with the functions of a loader of this path, clpac_options.opencl_library; *is_new: it was empty.
 * Errors: CLPAC_ERROR_ARGUMENT for a file that is no loader, and where the table has those of another;
 * CLPAC_ERROR_FORKED.  Any thread. */
clpac_status clpac__opencl_use(const char *path, bool *is_new, clpac_error *err);

/* The path by which the loader in use was named; "": it was not. */
const char *clpac__opencl_named(char path[CLPAC__OPENCL_LIBRARY_SIZE]);

/* Whether the loader, and so drivers, were loaded by a process that this one was forked from: then nothing of them may
 * be called, and clpac__opencl_load fails. */
bool clpac__opencl_is_of_parent(void);

#endif
