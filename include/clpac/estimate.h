/** @file estimate.h
 *  How much memory a plan will take, by use, before it is made.  For other jobs see clpac/memory/estimate.h.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_ESTIMATE_H
#define CLPAC_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/memory/context.h>
#include <clpac/memory/estimate.h>
#include <clpac/plan.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The uses of a plan's buffers. */
typedef enum clpac_plan_use {
	CLPAC_USE_INPUT = 0,   /**< A batch of series, as given and extended at both ends. */
	CLPAC_USE_FILTERS,     /**< The filters' responses. */
	CLPAC_USE_SPECTRUM,    /**< The series' spectra. */
	CLPAC_USE_BANDS,       /**< The analytic signals of a group of bands. */
	CLPAC_USE_EDGES,       /**< Phase bins, and the lists of their edges. */
	CLPAC_USE_PREFIX_SUMS, /**< The amplitudes, as prefix sums. */
	CLPAC_USE_SURROGATES,  /**< Shifts, the indices of a chunk of surrogates, their moments. */
	CLPAC_USE_INDICES,     /**< The indices and distributions of a batch. */
	CLPAC_USE_FFT,	       /**< The transforms' working memory. */
	CLPAC_USE_COUNT
} clpac_plan_use;

enum { CLPAC_USE_ROOM = 16 /**< Uses that clpac_plan_bytes has room for. */ };

/** The name of a use: "input", "filters", ...  Never NULL; "unknown use" for any other number.  Any thread. */
const char *clpac_plan_use_text(clpac_plan_use use);

/** Number and size of some buffers. */
typedef struct clpac_bytes {
	size_t n_buffers;
	uint64_t requested_bytes; /**< Bytes asked for. */
	uint64_t taken_bytes;	  /**< Bytes charged to the pool's budget: the size classes. */
} clpac_bytes;

/** The memory that a plan holds on its device, or will hold. */
typedef struct clpac_plan_bytes {
	size_t size; /**< Bytes of this struct that were filled. */
	/** By clpac_plan_use; zeros from CLPAC_USE_COUNT on.  A buffer that serves several in turn counts for the use
	 * that needs most of it. */
	clpac_bytes uses[CLPAC_USE_ROOM];
	clpac_bytes total;
	uint64_t budget_bytes;	 /**< Most bytes that the plan may take. */
	clpac_strategy strategy; /**< Vectorized, chunked or sequential. */
	size_t batch_series, group_bands, chunk_surrogates;
	size_t n_steps;		  /**< Layouts given up for lack of memory. */
	char backend[16];	  /**< Backend of the context, or "native" if the plan fits only there. */
	bool has_made_transforms; /**< Transforms were made to learn their working memory (clFFT tells it no sooner). */
} clpac_plan_bytes;

/** Estimates what clpac_plan_create would hold on its device with the same arguments: exactly the bytes that the
 *  context's pool then counts as requested and in use, if nothing else is allocated or released in between and the
 *  driver grants what the budget allows.
 *
 *  All parts are computed, except the FFT's working memory on some OpenCL devices: clFFT tells it only for transforms
 *  that exist, so the transforms are made and destroyed again (has_made_transforms), and a plan made afterwards finds
 *  their kernels compiled.
 *
 *  A problem with tied_amplitudes is computed phase band by phase band (clpac_problem_run): the estimate is that of the
 *  phase band whose plan takes most.
 *  @param context open; used as by clpac_plan_create, nothing stays allocated in its pool.
 *  @param problem read, not kept.
 *  @param options NULL for defaults.
 *  @param[out] out filled up to size bytes; unchanged after an error.
 *  @param size sizeof(clpac_plan_bytes), as the caller's header has it.
 *  Errors: as for clpac_plan_create.  Any thread.
 *  Cost: microseconds; on OpenCL that of making the transforms, up to seconds per new FFT length. */
clpac_status clpac_estimate_plan(clpac_context *context, const clpac_problem *problem,
				 const clpac_plan_options *options, clpac_plan_bytes *out, size_t size,
				 clpac_error *err);

/** Measures the memory that a plan holds now.  Not while the plan runs.  @param[out] out and size as for
 *  clpac_estimate_plan.  Cost: microseconds. */
void clpac_plan_measure(const clpac_plan *plan, clpac_plan_bytes *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
