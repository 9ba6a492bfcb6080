/** @file estimate.h
 *  How much memory a job will take, before it takes it: a plan's by part, any job's from the sizes and lifetimes of its
 *  buffers, a transformer's from its shape; and the best device on which so much fits.
 */
#ifndef CLPAC_ESTIMATE_H
#define CLPAC_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/device.h>
#include <clpac/plan.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Plans ------------------------------------------------------------------------------------ */

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
	clpac_bytes uses[CLPAC_USE_COUNT];
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
 * afterwards finds their kernels compiled. Errors: as for clpac_plan_create.  Any thread. Cost: microseconds; on OpenCL
 * that of the transforms, up to seconds per new FFT length. */
clpac_status clpac_estimate_plan(clpac_context *context, const clpac_problem *problem,
				 const clpac_plan_options *options, clpac_plan_bytes *out, clpac_error *err);

/** What a plan does hold. */
void clpac_plan_measure(const clpac_plan *plan, clpac_plan_bytes *out);

/* --- Any job ---------------------------------------------------------------------------------- */

/** A buffer of a job: alive from one moment until just before another, in any unit that only grows. */
typedef struct clpac_lifetime {
	uint64_t bytes;	     /**< 0 takes nothing. */
	uint64_t begin, end; /**< begin < end. */
} clpac_lifetime;

/** What a job takes at its worst. */
typedef struct clpac_peak_bytes {
	uint64_t live_bytes;  /**< Most bytes alive at once: no allocator needs less. */
	uint64_t live_at;     /**< The first such moment. */
	size_t live_buffers;  /**< How many are alive then. */
	uint64_t taken_bytes; /**< The same for size classes, rounded up to the alignment: what a pool has in use at
				 most. */
	uint64_t taken_at;
	uint64_t kept_bytes;  /**< What a pool holds that never gives anything back: for each class, as many blocks as
				 were ever  in use at once.  With so much, warmed up, the job makes no driver call. */
	uint64_t total_bytes; /**< Of all buffers, whenever they lived. */
} clpac_peak_bytes;

/** Estimates a job from the sizes and lifetimes of its buffers.
 *  @param lifetimes n of them, in any order; a buffer that ends at a moment makes room for those that begin then.
 *  @param classes_per_octave as for clpac_size_class; 0 is the default.
 *  @param alignment bytes, a power of two to whose multiples each class is rounded up; 0 is 1.
 *  Errors: CLPAC_ERROR_ARGUMENT (an empty lifetime, bytes without a class, sums beyond 64 bits), CLPAC_ERROR_NO_MEMORY.
 *  Cost: n log n. */
clpac_status clpac_estimate_lifetimes(const clpac_lifetime *lifetimes, size_t n, unsigned classes_per_octave,
				      uint64_t alignment, clpac_peak_bytes *out, clpac_error *err);

/* --- Transformers ----------------------------------------------------------------------------- */

/** A decoder of the usual shape (Vaswani et al. 2017, "Attention is all you need"), as it is loaded for inference.
 *  Zero means default. */
typedef struct clpac_transformer {
	uint64_t n_layers, d_model, n_heads, d_ff, vocabulary; /**< No defaults. */
	uint64_t n_kv_heads;  /**< Heads of keys and values; fewer than n_heads with grouped or multi-query attention
				 (Ainslie et  al. 2023, Shazeer 2019).  0 is n_heads. */
	uint64_t d_head;      /**< 0 is d_model / n_heads. */
	uint64_t n_positions; /**< Learned positions; 0: none (rotary ones have no weights). */
	bool is_gated;	      /**< The feed-forward part has three matrices (SwiGLU, Shazeer 2020) and not two. */
	bool is_tied;	      /**< Input and output embeddings are one matrix. */
	bool has_norm_bias;   /**< Norms have a bias beside their scale (LayerNorm and not RMSNorm). */
	bool has_qkv_bias;
	bool has_other_biases;	  /**< The attention's output and the feed-forward part. */
	unsigned weight_bits;	  /**< Per weight; 0 is 16. */
	unsigned weight_group;	  /**< Weights that share a scale, for quantised ones; 0: no scales. */
	unsigned scale_bits;	  /**< Per scale; 0 is 16. */
	unsigned cache_bits;	  /**< Per number of the KV cache; 0 is 16. */
	unsigned activation_bits; /**< 0 is 16. */
	uint64_t batch;		  /**< Sequences at once; 0 is 1. */
	uint64_t sequence;	  /**< Tokens per sequence that the cache holds; 0 is 1. */
	uint64_t step; /**< Tokens per sequence that go through the layers at once: the prompt's, or 1 while generating;
			  0 is 1. */
	bool is_attention_fused; /**< The scores are never written down (Dao et al. 2022, FlashAttention). */
	bool has_all_logits;	 /**< Logits of every token of the step, and not of each sequence's last alone. */
} clpac_transformer;

/** What it takes. */
typedef struct clpac_transformer_bytes {
	uint64_t n_parameters;
	uint64_t weight_bytes;
	uint64_t cache_bytes;
	uint64_t activation_bytes;
	uint64_t total_bytes;
} clpac_transformer_bytes;

/** Estimates a transformer's inference by closed forms.  With d = d_model, a = n_heads d_head, k = n_kv_heads d_head,
 *  T = batch x step:
 *
 *  - parameters: V d (twice when not tied) + P d + L (attention d a + 2 d k + a d, feed-forward 2 or 3 of d d_ff, two
 * norms of d) + a last norm of d, and the biases there are (Vaswani et al. 2017, section 3);
 *  - weight_bytes: each parameter in weight_bits, and scale_bits for every weight_group of them;
 *  - cache_bytes: 2 L k sequence batch numbers, a key and a value per token and layer (Pope et al. 2022, "Efficiently
 * scaling transformer inference", section 2; Kwon et al. 2023, "PagedAttention": 800 KiB a token for OPT-13B);
 *  - activation_bytes: the largest of what is alive at once in
 *      the attention   T (2 d + 2 a + 2 k), and the scores, batch n_heads step sequence, unless fused,
 *      the feed-forward part  T (2 d + d_ff), or T (2 d + 2 d_ff) when gated,
 *      the logits      (d + V) for each token that has them,
 *    where 2 d are the residual and its norm, 2 a queries and weighted values, 2 k the new keys and values (sizes of
 * the tensors as in Korthikanti et al. 2022, section 4.1, of which inference keeps one layer's alone).
 *
 *  What a program adds, padding, workspaces of its libraries, its own buffers twice, is not in it.
 *  Errors: CLPAC_ERROR_ARGUMENT names the member (0 where there is no default, heads that do not divide, more than 64
 * bits hold). */
clpac_status clpac_estimate_transformer(const clpac_transformer *shape, clpac_transformer_bytes *out, clpac_error *err);

/* --- The device for it ------------------------------------------------------------------------ */

/** The best device on which so many bytes fit: the first in the list's order that the selection allows and of whose
 * memory a pool with default options may take so much (0.9 of it, and of what is free all but 512 MiB or a quarter).
 *  @param list what is free on its devices is of when it was made: clpac_devices_refresh gives one of now.
 *  @param selection as for clpac_devices_select; "" or NULL: any usual device ("best").
 *  @param[out] out valid as long as the list.
 *  Errors: CLPAC_ERROR_ARGUMENT for a selection that cannot be read, CLPAC_ERROR_NO_DEVICE when none is large enough,
 * with the reason against each. */
clpac_status clpac_device_for(const clpac_device_list *list, uint64_t bytes, const char *selection,
			      const clpac_device **out, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
