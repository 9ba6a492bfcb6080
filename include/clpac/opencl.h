/** @file opencl.h
 *  Plans that run on an application's own OpenCL memory.
 *
 *      clpac_plan_enqueue_opencl(plan, &(clpac_opencl_run){.samples = {signal}, .arrays[CLPAC_Z] = {map}}, &done,
 * &err);
 *
 *  The plan's context comes from clpac/memory/opencl.h.  Installed where clpac was built with OpenCL.
 */
#ifndef CLPAC_OPENCL_H
#define CLPAC_OPENCL_H

#include <clpac/memory/opencl.h>
#include <clpac/plan.h>
#include <clpac/result.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
