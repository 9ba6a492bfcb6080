/** @file opencl.h
 *  A pool, and plans, on an application's own OpenCL objects, and the OpenCL objects behind clpac's.
 *
 *      clpac_context_from_opencl(context, device, queue, NULL, &clpac, &err);
 *      clpac_pool_allocate(clpac_context_pool(clpac), bytes, "weights", &buffer, &err);
 *      cl_mem memory = clpac_buffer_opencl(buffer);
 *      clSetKernelArg(kernel, 0, sizeof memory, &memory);
 *
 *      clpac_plan_enqueue_opencl(plan, &(clpac_opencl_run){.samples = {signal}, .arrays[CLPAC_Z] = {map}}, &done,
 * &err);
 *
 *  The only header of clpac that includes one of OpenCL's; installed where clpac was built with OpenCL.  It takes no
 * ownership of an application's handle: references are retained and released in pairs.
 *
 *  Threads: as clpac/context.h and clpac/memory.h say of what is made here.  The application's own threads may use its
 * objects meanwhile, as OpenCL lets them.
 */
#ifndef CLPAC_OPENCL_H
#define CLPAC_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120 /* what is declared here needs no newer one */
#endif
#include <CL/cl.h>

#include <clpac/context.h>
#include <clpac/memory.h>
#include <clpac/options.h>
#include <clpac/plan.h>
#include <clpac/result.h>
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

/* --- Runs on an application's memory ---------------------------------------------------------- */

/** A place in a buffer of the application's: from byte `offset` on, a multiple of 4.  memory NULL: none. */
typedef struct clpac_opencl_memory {
	cl_mem memory;
	size_t offset;
} clpac_opencl_memory;

/** What a plan is to read and write; zero means default.  Every buffer is of the plan's OpenCL context, a sub-buffer if
 * need be, and of what is written no byte is anything else's too. */
typedef struct clpac_opencl_run {
	clpac_opencl_memory samples; /**< float32 (channel, segment, sample); only read. */
	size_t sample_stride;	     /**< From a sample to the next, in samples, each below 2^32; 0: 1 */
	size_t segment_stride;	     /**< from a segment to the next; 0: n_samples * sample_stride */
	size_t channel_stride;	     /**< from a channel to the next; 0: n_segments * segment_stride. */
	clpac_opencl_memory arrays[CLPAC_ARRAY_COUNT]; /**< float32, each as in a result (clpac_array) and written
					   whole; of those that a result of the plan's problem would hold. */
	clpac_opencl_memory warnings; /**< uint32 (channel, segment): what clpac_report would warn of in each series, as
					 bits 1u << clpac_warning_kind; 0: nothing. */
	cl_uint n_wait;		      /**< The run begins after these events, of the same context; */
	const cl_event *wait;	      /**< NULL where there are none. */
} clpac_opencl_run;

/** Puts a run of a plan into the queue of its context and returns: nothing comes to the host, and nothing is waited for
 * (no clFinish, no blocking transfer, no clWaitForEvents).  It comes after what was put into that queue before, earlier
 *  runs of the plan too, and before what is put later; the queue is flushed.
 *
 *  The numbers are those of clpac_plan_run for the same samples, NaN for the same series and cells.  Modulation
 * indices, surrogate indices, their means and distributions come from the same kernels; samples are centred with
 * integers here and in double there, which may round one of many differently in its last bit.  z, p and deviations are
 * computed in single precision: within 1e-6 of the others where surrogates differ by more than their rounding, as they
 * do of all but a signal on an offset some 10^6 times as large (doc/opencl.md).  So where two cells of a series are as
 * close as that, the peak distribution may be the other one's. Samples of less than 2^-126 keep their digits;
 * distributions of less are 0 on devices that have no such numbers.
 *  @param plan on an OpenCL device; used by one thread at a time.  clpac_plan_destroy waits for such runs.
 *  @param run read, not kept; at least one array or warnings.  The buffers may be released when this returns, as after
 * any command; their content is the run's until it is done.
 *  @param[out] done complete when the run is; the caller's to release with clReleaseEvent.  NULL: not wanted.
 *  Errors: CLPAC_ERROR_ARGUMENT (names what is NULL, too small, of another context, overlapping or not kept),
 *  CLPAC_ERROR_UNSUPPORTED (the plan went to the native CPU for lack of device memory), CLPAC_ERROR_NO_MEMORY,
 * CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_DEVICE_MEMORY.  After an error in the middle the arrays are undefined, and the
 * plan can be used again. Cost: some tens of commands a batch, microseconds each.  The first call draws the shifts and
 * keeps them, 12 bytes a series and surrogate (a batch's alone where all series share them), and some drivers compile
 * kernels then. */
clpac_status clpac_plan_enqueue_opencl(clpac_plan *plan, const clpac_opencl_run *run, cl_event *done, clpac_error *err);

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
