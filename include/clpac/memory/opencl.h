/** @file memory/opencl.h
 *  A context and its pool on an application's own OpenCL objects, and the OpenCL objects behind those of clpac.
 *
 *      clpac_context_from_opencl(context, device, queue, NULL, &clpac, &err);
 *      clpac_pool_allocate(clpac_context_pool(clpac), bytes, "weights", &buffer, &err);
 *      cl_mem memory = clpac_buffer_opencl(buffer);
 *      clSetKernelArg(kernel, 0, sizeof memory, &memory);
 *
 *  Installed where clpac was built with OpenCL.  No ownership of an application's handle is taken: references are
 *  retained and released in pairs.
 *
 *  Threads: as clpac/memory/context.h and clpac/memory/pool.h say of objects made here.  The application's own threads
 *  may use its objects meanwhile, as OpenCL lets them.
 */
#ifndef CLPAC_MEMORY_OPENCL_H
#define CLPAC_MEMORY_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120 /* what is declared here needs no newer one */
#endif
#include <CL/cl.h>

#include <clpac/memory/context.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/options.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a context on an application's OpenCL context instead of opening a device.
 *  @param context with the device among its own.
 *  @param device at least OpenCL 1.2, with a compiler.
 *  @param queue in order, of that context and device; what is put into it by either side happens in that order.  NULL:
 * one is made in the context.  An out-of-order queue is added to a pool with clpac_queue_from_opencl.
 *  @param options NULL for defaults; copied.  options->device says nothing here.
 *  @param[out] out the caller's to close, with clpac_context_close.
 *  Errors: CLPAC_ERROR_ARGUMENT (NULL, a device or queue of another context, an out-of-order queue),
 * CLPAC_ERROR_UNSUPPORTED (the device lacks what clpac needs), CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_MEMORY. Cost: below a
 * millisecond; kernels are made with the first plan. */
clpac_status clpac_context_from_opencl(cl_context context, cl_device_id device, cl_command_queue queue,
				       const clpac_options *options, clpac_context **out, clpac_error *err);

/** Adds an application's queue to a pool, beside those of clpac_queue_open.
 *  @param queue in order or out of order, of the pool's OpenCL context and device.
 *  @param[out] out the caller's to close with clpac_queue_close, before the pool is destroyed.
 *  Errors: CLPAC_ERROR_ARGUMENT (NULL, another context or device, a pool that is not on OpenCL, too many queues),
 *  CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_queue_from_opencl(clpac_pool *pool, cl_command_queue queue, clpac_queue **out, clpac_error *err);

/** An application's event as one of clpac's, of its own queues too.
 *  @param event of the pool's OpenCL context, put into a queue that has been flushed: clpac waits for it without
 * flushing.
 *  @param[out] out the caller's to release with clpac_event_release.
 *  Errors: CLPAC_ERROR_ARGUMENT (NULL, another context, a pool that is not on OpenCL), CLPAC_ERROR_DEVICE. */
clpac_status clpac_event_from_opencl(clpac_pool *pool, cl_event event, clpac_event **out, clpac_error *err);

/* The OpenCL objects behind those of clpac: not retained, valid as long as these.  NULL where they are not on OpenCL.
 */

/** The buffer's memory, for kernels and commands of the application; a sub-buffer where it lies in a segment.  From now
 * on until it is released the buffer stays where it is: it is neither moved by clpac_pool_defragment nor promoted.
 * Commands that the application puts into other queues than the buffer's own are told to the pool with
 * clpac_buffer_record, or by clpac_buffer_release_after.  At least as large as the buffer. */
cl_mem clpac_buffer_opencl(clpac_buffer *buffer);
/** The queue's command queue. */
cl_command_queue clpac_queue_opencl(const clpac_queue *queue);
/** The context that a pool's memory is of. */
cl_context clpac_pool_opencl(const clpac_pool *pool);
/** The event's handle.  @param pool that made the event. */
cl_event clpac_event_opencl(const clpac_pool *pool, clpac_event *event);

#ifdef __cplusplus
}
#endif
#endif
