/** @file opencl.h
 *  Plans that run on an application's own OpenCL memory.
 *
 *      const clpac_opencl_run run = {.samples = {signal}, .arrays[CLPAC_Z] = {map}};
 *      clpac_plan_enqueue_opencl(plan, &run, &done, &err);
 *
 *  The plan's context comes from clpac/memory/opencl.h.  Installed where clpac was built with OpenCL.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
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

/** A place in one of the application's buffers: from byte `offset` on, a multiple of 4.  memory NULL: none. */
typedef struct clpac_opencl_memory {
	cl_mem memory;
	size_t offset;
} clpac_opencl_memory;

/** Outputs of one measure by clpac_array. */
typedef struct clpac_opencl_arrays {
	clpac_opencl_memory arrays[CLPAC_ARRAY_COUNT];
} clpac_opencl_arrays;

/** Input and outputs of a run; zero means default.  Every buffer belongs to the plan's OpenCL context and may be a
 *  sub-buffer.  No written byte may belong to another of the buffers' ranges. */
typedef struct clpac_opencl_run {
	clpac_opencl_memory samples; /**< float32 (channel, segment, sample); only read. */
	size_t sample_stride;	     /**< Distance between samples, in samples, below 2^32; 0 is 1. */
	size_t segment_stride;	     /**< The same between segments; 0 is n_samples * sample_stride. */
	size_t channel_stride;	     /**< The same between channels; 0 is n_segments * segment_stride. */

	/** Outputs by clpac_array: float32, shaped as in a result and written whole; only those that a result of the
	 *  plan's problem holds, but for q_bh, q_by, p_gamma, bin_counts and those of clusters, which are
	 *  finished on the host, as p_max is where the family is the run.  Indices and their statistics are those of
	 *  the problem's first measure. */
	clpac_opencl_memory arrays[CLPAC_ARRAY_COUNT];
	/** Output, uint32 (channel, segment): the warnings of each series as bits 1u << clpac_warning_kind; 0: none. */
	clpac_opencl_memory warnings;

	cl_uint n_wait;	      /**< Number of events in wait. */
	const cl_event *wait; /**< The run begins after these events of the same context; NULL if n_wait is 0. */

	/** Outputs of the problem's further measures, in its order: further[0] has those of the second one.  Arrays
	 *  that are of no measure, distributions, preferred phases and mean vectors, stand above alone.  Read, not
	 *  kept; NULL if n_further is 0. */
	const clpac_opencl_arrays *further;
	size_t n_further; /**< At most the problem's n_measures - 1; measures behind them are computed, not written. */
} clpac_opencl_run;

/** Puts a run of a plan into the queue of its context and returns.  Nothing comes to the host and nothing is waited for
 *  (no clFinish, no blocking transfer, no clWaitForEvents).  The run comes after everything that was put into the queue
 *  before, earlier runs of the plan too, and before everything put there later; the queue is flushed.
 *
 *  The results are those of clpac_plan_run for the same samples up to rounding, NaN for the same series and cells:
 *  - Modulation indices, surrogate indices, their means and distributions come from the same kernels.  Samples are
 *    centred with integers here and in double there, which may change the last bit of a few.
 *  - z, p, deviations and standardized statistics are computed in single precision: within 1e-6 of clpac_plan_run's if
 *    surrogates differ by more than their rounding, which fails only for a signal on an offset about 10^6 times as
 *    large (doc/opencl.md).  So if two cells of a series are that close, the peak distribution may be
 *    that of the other.
 *  - A stretch at one value, which gives NaN, is here also what clpac_plan_run takes for the signal: waves that were
 *    cut at their ends, turns of slow waves in coarse steps, values that come often.
 *  - Samples below 2^-126 keep their digits; distributions, mvl and dpac below it are 0 on devices without denormal
 *    numbers.
 *
 *  @param plan on an OpenCL device.  clpac_plan_destroy waits for enqueued runs.
 *  @param run read, not kept; at least one array or warnings.  The buffers may be released when this returns, as after
 *  any command; until the run is done the application must not change their content.
 *  @param[out] done an event that completes with the run; the caller releases it with clReleaseEvent.  NULL: no event.
 *  Errors: CLPAC_ERROR_ARGUMENT (names the memory that is NULL, too small, of another context, overlapping or not
 *  kept), CLPAC_ERROR_UNSUPPORTED (the plan moved to the native CPU for lack of device memory;
 *  CLPAC_NULL_TRIALS or CLPAC_NULL_PHASES, stretches or pairs, which are made of samples on the host: clpac_plan_run
 *  computes these),
 *  CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_DEVICE_MEMORY.  After an error in the middle of a run the
 *  arrays are undefined, and the plan can be used again.
 *  Cost: some tens of commands per batch, microseconds each.  The first call draws the shifts and keeps them, 12 bytes
 *  per series and surrogate (for one batch only if all series share them), and compiles kernels that plans with the
 *  defaults do not launch; some drivers compile the others then, too. */
clpac_status clpac_plan_enqueue_opencl(clpac_plan *plan, const clpac_opencl_run *run, cl_event *done, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
