/** @file memory/estimate.h
 * Memory needed by a job, computed before the job allocates it: for any job from the sizes and lifetimes of its
 * buffers, for a transformer from its shape.  Also chooses the best device on which that much fits.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_ESTIMATE_H
#define CLPAC_MEMORY_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/memory/device.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Any job ---------------------------------------------------------------------------------- */

/** A buffer of a job: alive from one moment until just before another, in any unit of time that only grows. */
typedef struct clpac_lifetime {
	uint64_t bytes;	     /**< 0 takes no memory. */
	uint64_t begin, end; /**< begin < end. */
} clpac_lifetime;

/** The peak memory of a job. */
typedef struct clpac_peak_bytes {
	uint64_t live_bytes; /**< Most bytes alive at once: no allocator needs less. */
	uint64_t live_at;    /**< The first moment of that peak. */
	size_t live_buffers; /**< Number of buffers alive then. */
	/** The same peak in size classes rounded up to the alignment: the most that a pool has in use. */
	uint64_t taken_bytes;
	uint64_t taken_at;
	/** Memory of a pool that never gives anything back: for each class as many blocks as were ever in use at once.
	 * A pool warmed up with this much makes no driver call during the job.
	 */
	uint64_t kept_bytes;
	uint64_t total_bytes; /**< Sum of all buffers, whenever they were alive. */
} clpac_peak_bytes;

/** Estimates a job from the sizes and lifetimes of its buffers.
 * @param lifetimes n lifetimes in any order; a buffer that ends at a moment makes room for those that begin then.
 * @param classes_per_octave as for clpac_size_class; 0 is the default.
 * @param alignment bytes, a power of two; each class is rounded up to a multiple of it. 0 is 1.
 * Errors: CLPAC_ERROR_ARGUMENT (an empty lifetime, bytes without a class, sums beyond 64 bits), CLPAC_ERROR_NO_MEMORY.
 * Cost: n log n.
 */
clpac_status clpac_estimate_lifetimes(const clpac_lifetime *lifetimes, size_t n, unsigned classes_per_octave,
				      uint64_t alignment, clpac_peak_bytes *out, clpac_error *err);

/* --- Transformers ----------------------------------------------------------------------------- */

/** A decoder of the usual shape (Vaswani et al. 2017, "Attention is all you need"), as loaded for inference.  Zero
 * means default.
 */
typedef struct clpac_transformer {
	size_t size; /**< sizeof(clpac_transformer), or 0: the members of clpac 0.1. */
	uint64_t n_layers, d_model, n_heads, d_ff, vocabulary; /**< No defaults. */
	/** Heads of keys and values; fewer than n_heads with grouped or multi-query attention (Ainslie et al. 2023,
	 * Shazeer 2019). 0 is n_heads.
	 */
	uint64_t n_kv_heads;
	uint64_t d_head;      /**< 0 is d_model / n_heads. */
	uint64_t n_positions; /**< Learned positions; 0: none (rotary positions have no weights). */
	bool is_gated;	      /**< The feed-forward part has three matrices (SwiGLU, Shazeer 2020) instead of two. */
	bool is_tied;	      /**< Input and output embeddings are one matrix. */
	bool has_norm_bias;   /**< Norms have a bias beside their scale (LayerNorm rather than RMSNorm). */
	bool has_qkv_bias;
	bool has_other_biases;	  /**< The attention's output and the feed-forward part have biases. */
	unsigned weight_bits;	  /**< Per weight; 0 is 16. */
	unsigned weight_group;	  /**< Weights that share a scale, when quantised; 0: no scales. */
	unsigned scale_bits;	  /**< Per scale; 0 is 16. */
	unsigned cache_bits;	  /**< Per number of the key-value cache; 0 is 16. */
	unsigned activation_bits; /**< 0 is 16. */
	uint64_t batch;		  /**< Sequences at once; 0 is 1. */
	uint64_t sequence;	  /**< Tokens per sequence in the cache; 0 is 1. */
	/** Tokens per sequence that pass through the layers at once: the prompt's, or 1 while generating. 0 is 1. */
	uint64_t step;
	/** The attention scores are never stored (Dao et al. 2022, FlashAttention). */
	bool is_attention_fused;
	/** Logits are kept for every token of the step rather than for each sequence's last token. */
	bool has_all_logits;
} clpac_transformer;

/** Memory of a transformer by purpose. */
typedef struct clpac_transformer_bytes {
	uint64_t n_parameters;
	uint64_t weight_bytes;
	uint64_t cache_bytes;
	uint64_t activation_bytes;
	uint64_t total_bytes;
} clpac_transformer_bytes;

/** Estimates a transformer's inference by closed forms.  With d = d_model, a = n_heads d_head, k = n_kv_heads d_head, T
 * = batch x step:
 *
 * - parameters: V d (twice when not tied) + P d + L (attention d a + 2 d k + a d, feed-forward 2 or 3 of d d_ff, two
 *   norms of d) + a last norm of d, and any biases (Vaswani et al. 2017, section 3);
 * - weight_bytes: each parameter in weight_bits, and scale_bits for every weight_group of them;
 * - cache_bytes: 2 L k sequence batch numbers, a key and a value per token and layer (Pope et al. 2022, "Efficiently
 *   scaling transformer inference", section 2; Kwon et al. 2023, "PagedAttention": 800 KiB a token for OPT-13B);
 * - activation_bytes: the largest set of activations alive at once, which is one of
 *
 *     the attention:          T (2 d + 2 a + 2 k), and the scores, batch n_heads step sequence, unless fused
 *     the feed-forward part:  T (2 d + d_ff), or T (2 d + 2 d_ff) when gated
 *     the logits:             (d + V) for each token that has them
 *
 * where 2 d are the residual and its norm, 2 a the queries and weighted values, 2 k the new keys and values (sizes of
 * the tensors as in Korthikanti et al. 2022, section 4.1; inference keeps those of one layer only).
 *
 * Not included: a program's padding, the workspaces of its libraries, double buffering.
 * Errors: CLPAC_ERROR_ARGUMENT names the member (0 where there is no default, heads that do not divide, more than 64
 * bits hold).
 */
clpac_status clpac_estimate_transformer(const clpac_transformer *shape, clpac_transformer_bytes *out, clpac_error *err);

/* --- The device for it ------------------------------------------------------------------------ */

/** The best device on which this many bytes fit: the first in the list's order that the selection allows and of which a
 * pool with default options may take this much (0.9 of its memory, and all of its free memory but 512 MiB or a
 * quarter).
 * @param list free_bytes is as of when the list was made: clpac_devices_refresh gives a current one.
 * @param selection as for clpac_devices_select; "" or NULL: any usual device ("best").
 * @param[out] out the device; valid as long as the list.
 * Errors: CLPAC_ERROR_ARGUMENT for a selection that cannot be read, CLPAC_ERROR_NO_DEVICE when no device is large
 * enough, with the reason against each.
 */
clpac_status clpac_device_for(const clpac_device_list *list, uint64_t bytes, const char *selection,
			      const clpac_device **out, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
