/** @file estimate.h
 *  How much memory a plan will take, by part, before it takes it.  Any other job: clpac/memory/estimate.h.
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

/** What a plan's buffers are for. */
typedef enum clpac_plan_use {
	CLPAC_USE_INPUT = 0,   /**< A batch of series as they came, and extended at their ends. */
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

/** "input", "filters", ...  Never NULL. */
const char *clpac_plan_use_text(clpac_plan_use use);

/** Bytes of some buffers. */
typedef struct clpac_bytes {
	size_t n_buffers;
	uint64_t requested_bytes; /**< Asked for. */
	uint64_t taken_bytes;	  /**< That they take from the pool's budget: their size classes. */
} clpac_bytes;

/** What a plan holds on its device, or will. */
typedef struct clpac_plan_bytes {
	size_t size;			  /**< Bytes of this struct that were filled. */
	clpac_bytes uses[CLPAC_USE_ROOM]; /**< By clpac_plan_use; zeros from CLPAC_USE_COUNT on. */
	clpac_bytes total;
	uint64_t budget_bytes;	 /**< What it might take. */
	clpac_strategy strategy; /**< Vectorized, chunked or sequential. */
	size_t batch_series, group_bands, chunk_surrogates;
	size_t n_steps;		  /**< Ways to compute that are left for lack of memory. */
	char backend[16];	  /**< Where it runs: the context's, or "native" when only there it fits. */
	bool has_made_transforms; /**< The FFT engine knows its working memory only of transforms that are made (clFFT).
				   */
} clpac_plan_bytes;

/** What clpac_plan_create with these arguments would hold on its device: the very bytes that the context's pool then
 * counts as requested and in use, if nothing else is allocated or released in between and the driver grants what the
 * budget allows.
 *
 *  All parts but one are arithmetic.  The FFT's working memory is too on native devices; clFFT tells it only of
 * transforms that are made, so there the transforms are made and let go of again (has_made_transforms), and a plan made
 * afterwards finds their kernels compiled.
 *  @param[out] out filled up to size bytes.  @param size sizeof(clpac_plan_bytes), as the caller's header has it.
 *  Errors: as for clpac_plan_create.  Any thread. Cost: microseconds; on OpenCL
 * that of the transforms, up to seconds per new FFT length. */
clpac_status clpac_estimate_plan(clpac_context *context, const clpac_problem *problem,
				 const clpac_plan_options *options, clpac_plan_bytes *out, size_t size,
				 clpac_error *err);

/** What a plan does hold.  @param[out] out and size as for clpac_estimate_plan. */
void clpac_plan_measure(const clpac_plan *plan, clpac_plan_bytes *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
