/** @file memory/opencl.h
 * A context and its pool on an application's own OpenCL objects, and the OpenCL objects behind clpac's.
 *
 *     clpac_context_from_opencl(context, device, queue, NULL, &clpac, &err);
 *     clpac_pool_allocate(clpac_context_pool(clpac), bytes, "weights", &buffer, &err);
 *     void *memory;
 *     clpac_buffer_use_begin(buffer, NULL, &memory, &err);
 *     clSetKernelArg(kernel, 0, sizeof memory, &memory);
 *     ... clEnqueueNDRangeKernel into the context's queue ...
 *     clpac_buffer_use_end(buffer, NULL, &err);
 *
 * Installed if clpac was built with OpenCL. clpac takes no ownership of an application's handle: it retains and
 * releases references in pairs.
 *
 * CL/cl.h is included as it is: the version of OpenCL is the includer's.  Define CL_TARGET_OPENCL_VERSION, say as 120
 * or 300, before this header, or for the whole program; nothing declared here needs more than 1.2.  Where it is not
 * defined the headers of OpenCL take their newest version, and say so.
 *
 * Threads: as in clpac/memory/context.h and clpac/memory/pool.h.  The application's own threads may use its objects
 * meanwhile, as OpenCL allows.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_OPENCL_H
#define CLPAC_MEMORY_OPENCL_H

#include <CL/cl.h>

#include <clpac/memory/context.h>
#include <clpac/memory/options.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a context on an application's OpenCL context instead of opening a device.
 * @param context a context that contains the device.
 * @param device at least OpenCL 1.2, with a compiler.
 * @param queue an in-order queue of that context and device; commands of both sides execute in the order in which they
 *   are put.  NULL: one is made in the context.  An out-of-order queue is added to a pool with clpac_queue_from_opencl.
 * @param options NULL for defaults; copied. options->device is ignored.
 * @param[out] out the context; the caller closes it with clpac_context_close.
 * Errors: CLPAC_ERROR_ARGUMENT (NULL, a device or queue of another context, an out-of-order queue),
 * CLPAC_ERROR_UNSUPPORTED (the device lacks a feature that clpac needs), CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_MEMORY.
 * Cost: less than a millisecond; kernels are made with the first plan.
 */
clpac_status clpac_context_from_opencl(cl_context context, cl_device_id device, cl_command_queue queue,
				       const clpac_options *options, clpac_context **out, clpac_error *err);

/** Adds an application's queue to a pool, beside those of clpac_queue_open.
 * @param queue in order or out of order, of the pool's OpenCL context and device.
 * @param[out] out the queue; the caller closes it with clpac_queue_close; the pool stays until then.
 * Errors: CLPAC_ERROR_ARGUMENT (NULL, another context or device, a pool that is not on OpenCL, too many queues),
 * CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_queue_from_opencl(clpac_pool *pool, cl_command_queue queue, clpac_queue **out, clpac_error *err);

/** Makes a clpac event of an application's event.
 * @param event of the pool's OpenCL context, in any queue that has been flushed: clpac waits for it without flushing.
 * @param[out] out the event; the caller releases it with clpac_event_release.
 * Errors: CLPAC_ERROR_ARGUMENT (NULL, another context, a pool that is not on OpenCL), CLPAC_ERROR_DEVICE.
 */
clpac_status clpac_event_from_opencl(clpac_pool *pool, cl_event event, clpac_event **out, clpac_error *err);

/* The functions below return the OpenCL objects behind clpac's: not retained, valid as long as clpac's object, NULL for
 * an object that is not on OpenCL. */

/** The device's handle, for clGetDeviceInfo, clCreateContext and programs of the application.  NULL for a device that
 * is not OpenCL's, that is gone, or whose numbers mean another one by now.  The driver's, valid as long as the process.
 */
cl_device_id clpac_device_opencl(const clpac_device *device);
/** The buffer's memory, for the application's kernels and commands; a sub-buffer when the buffer lies in a segment,
 * made at the first use; NULL for a released buffer, as clpac/memory/buffer.h has it, and where there is no memory left
 * for the sub-buffer.  It is at least as large as the buffer.  From this call until its release the buffer is neither
 * moved nor promoted: clpac_buffer_use_begin holds it for a while only. Commands that the application puts into queues
 * other than the buffer's own must be made known to the pool, with clpac_buffer_record or clpac_buffer_release_after.
 */
cl_mem clpac_buffer_opencl(clpac_buffer *buffer);
/** The queue's command queue.  The queue must be open. */
cl_command_queue clpac_queue_opencl(const clpac_queue *queue);
/** The OpenCL context of a pool's memory. */
cl_context clpac_pool_opencl(const clpac_pool *pool);
/** The event's handle; NULL for a released event.
 * @param pool the pool that made the event.
 */
cl_event clpac_event_opencl(const clpac_pool *pool, clpac_event *event);

#ifdef __cplusplus
}
#endif
#endif
