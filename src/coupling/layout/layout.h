/* The sizes of a plan's buffers for a given batch, group of bands and chunk of surrogates.
 *
 * Pure arithmetic.  The estimate of a plan and its allocations use the same table, so they cannot differ.
 */
#ifndef CLPAC_COUPLING_LAYOUT_LAYOUT_H
#define CLPAC_COUPLING_LAYOUT_LAYOUT_H

#include <clpac/problem.h>
#include "coupling/fft/engine.h"
#include "coupling/stages/compute.h"

/* The buffers of a plan.  Shapes in parentheses, slowest dimension first; S series of a batch, B blocks of a series
 * that are in flight, G bands of a group.  B, G and length are those of a bank; a buffer serves both banks in turn. */
enum clpac__part {
	CLPAC__PART_SAMPLES = 0,	/* (S, n_samples) f4 */
	CLPAC__PART_ARRAY,		/* (S, phase or amplitude, kept) f4; the caller's phases and amplitudes only */
	CLPAC__PART_FACTS,		/* (S, 4) i4; only for samples on the device, see cl/centre.cl */
	CLPAC__PART_EXTENDED,		/* (S, B, length) f4; not for wide transforms */
	CLPAC__PART_SPECTRUM,		/* (S, B, length) c8 */
	CLPAC__PART_PHASE_RESPONSE,	/* (phase, length) f4; of joined banks (phase + amplitude, length) */
	CLPAC__PART_AMPLITUDE_RESPONSE, /* (amplitude, length) f4; not of joined banks */
	CLPAC__PART_ANALYTIC,		/* (S, B, G, length / gap) c8; of joined banks phases first */
	CLPAC__PART_ENERGY,		/* (S, B, n_strips) f4 */
	CLPAC__PART_NOISE_WEIGHTS,	/* (phase, n_strips) f4 */
	CLPAC__PART_COARSE_WEIGHTS,	/* (phase, n_strips) f4; coarse values only */
	CLPAC__PART_NOISE,		/* (S, B, G) f4 */
	CLPAC__PART_TAPS,		/* (phase, tap_stride, 2) i8 */
	CLPAC__PART_ORDERS,		/* (phase, 2) u4 */
	CLPAC__PART_DIRECTIONS,		/* (bins + 1, 2) i8 */
	CLPAC__PART_STRETCHES,		/* (n_stretches, 2) u4 */
	CLPAC__PART_SOURCES,		/* (kept) u4; this and the next: gathered only */
	CLPAC__PART_PASSED_BINS,	/* (S, phase, passed_stride) u1 */
	CLPAC__PART_FILTERED,		/* (S, G, hilbert_length) f4; this and the next three: trimmed only */
	CLPAC__PART_HILBERT_SPECTRUM,	/* (S, G, hilbert_stride) c8 */
	CLPAC__PART_HILBERT_WEIGHTS,	/* (hilbert_stride) f4 */
	CLPAC__PART_HILBERT_ANALYTIC,	/* (S, G, hilbert_length) c8 */
	CLPAC__PART_BINS,		/* (S, phase, bin_stride) u1 */
	CLPAC__PART_TILE_COUNTS,	/* (S, phase, 3 bins, n_tiles) u4 */
	CLPAC__PART_COUNTS,		/* (S, phase, 3 bins) u4 */
	CLPAC__PART_LARGEST,		/* (S, phase) u4 */
	CLPAC__PART_STARTS,		/* (S, phase, n_spans, 2 bins + 4) u4 */
	CLPAC__PART_WEIGHTS,		/* (S, phase, 2 bins) f4 */
	CLPAC__PART_EDGES,		/* (S, phase, capacity) u4 */
	CLPAC__PART_WANDER,		/* (S, phase) f4 */
	CLPAC__PART_AMPLITUDE,		/* (S, rows, padded) f4, later the prefix sums u4 */
	CLPAC__PART_AMPLITUDE_MOMENTS,	/* (S, n_tiles, 4, padded) f4 */
	CLPAC__PART_LEVEL,		/* (S, 2, padded) f4 */
	CLPAC__PART_TILE_SUMS,		/* (S, n_tiles, padded) u4 */
	CLPAC__PART_TOTALS,		/* (S, padded) u4 */
	CLPAC__PART_SHIFTS,		/* (S, 1 + surrogates, 3) u4: clpac__shift; the first is the unshifted 0 */
	CLPAC__PART_OBSERVED,		/* (S, phase, padded) f4 */
	CLPAC__PART_CHUNK,		/* (S, phase, chunk, padded) f4 */
	CLPAC__PART_CARRY,		/* (S, padded) u4; this and the next: several spans only */
	CLPAC__PART_UNFINISHED,		/* (S, phase, clpac__sums_at_once x bins x padded) u4 */
	CLPAC__PART_SHIFTED_ROWS, /* (S, amplitude, shifted.length) f4; this and the next three: all shifts at once */
	CLPAC__PART_SHIFTED_AMPLITUDES, /* (S, amplitude, shifted.length) c8 */
	CLPAC__PART_SHIFTED_PHASES,	/* (shifted.n_pairs, shifted.length) c8 */
	CLPAC__PART_SHIFTED_PRODUCTS,	/* (shifted.bands, n_pairs, n_values) c8, and a vector */
	CLPAC__PART_VECTORS,		/* (S, phase, kept) c8; this and the next four: linear measures only */
	CLPAC__PART_VECTOR_SUMS,	/* (S, phase, n_tiles, 5) f4 */
	CLPAC__PART_VECTOR_FACTS,	/* (S, phase, 5) f4 */
	CLPAC__PART_ROW_SUMS,		/* (S, amplitude, n_tiles, 2) f4 */
	CLPAC__PART_ROW_FACTS,		/* (S, amplitude, 2) f4 */
	CLPAC__PART_SCORES,		/* (kept) f4; this and the next three: ranks only */
	CLPAC__PART_SCORED,		/* (S, phase, kept) c8 */
	CLPAC__PART_KEYS,		/* (phase, amplitude or sheets, kept) 2 u4 */
	CLPAC__PART_MERGED,		/* the same */
	CLPAC__PART_ENVELOPE,		/* (S or slots, kept) f4; phase locking, and ranks of slots */
	CLPAC__PART_ENVELOPE_VECTORS,	/* (S or slots, phase, kept) c8; phase locking only */
	/* Amplitudes that are other than shifted (variants.c), in slots. */
	CLPAC__PART_DRAWS,	       /* (S, surrogates, n_blocks, 2) u4: clpac__block; (S, surrogates) u4: segments */
	CLPAC__PART_VARIANTS,	       /* (slots, rows, padded) f4, later u4: as AMPLITUDE */
	CLPAC__PART_VARIANT_OFFSETS,   /* (slots, n_blocks, padded) u4; blocks only */
	CLPAC__PART_VARIANT_LEVEL,     /* (slots, 2, padded) f4 */
	CLPAC__PART_VARIANT_TOTALS,    /* (slots, padded) u4 */
	CLPAC__PART_SCORED_SHEETS,     /* (slots, or S for blocks, kept, padded) f4; ranks only */
	CLPAC__PART_EXPONENTS,	       /* (S) i4: this and the next: permuted segments of linear measures only */
	CLPAC__PART_VARIANT_EXPONENTS, /* (slots) i4 */
	CLPAC__PART_VARIANT_LARGEST,   /* (slots, phase) u4: the kept samples; not for blocks */
	CLPAC__PART_MOMENTS,	       /* (S, phase, 3, padded) f4 */
	CLPAC__PART_VALID,	       /* (phase, padded) f4: 1 for cells that count, 0 for others */
	CLPAC__PART_VARIANCES,	       /* (S, phase, padded) f4; this and the next: cl/standing_spreads.cl */
	CLPAC__PART_SPREADS,	       /* (S, phase) f4 */
	CLPAC__PART_MAXIMA,	       /* (S, surrogates) f4 */
	CLPAC__PART_LINKS,	       /* (phase, amplitude) u4; this and the next three: clusters only */
	CLPAC__PART_BOUNDS,	       /* (S, phase, 3, padded) f4 */
	CLPAC__PART_CLUSTERS,	       /* (S, phase, padded) u4 */
	CLPAC__PART_HEAVIEST,	       /* (S, 1 + surrogates) f4 */
	CLPAC__PART_DISTRIBUTION,      /* (S, phase, bins, padded) f4 */
	CLPAC__PART_FFT,	       /* working memory of the transforms */
	/* The own parts of the second measure that shares slots with the first, of the third, and so on. */
	CLPAC__PART_FURTHER,
	CLPAC__OWN_PARTS = 10,
	CLPAC__PART_COUNT = CLPAC__PART_FURTHER + (CLPAC_MEASURE_COUNT - 1) * CLPAC__OWN_PARTS
};

/* The parts that a measure has of its own while several are computed side by side. */
extern const enum clpac__part clpac__own_parts[CLPAC__OWN_PARTS];
/* The part that a part is of its measure; itself for those before CLPAC__PART_FURTHER. */
enum clpac__part clpac__part_kind(enum clpac__part part);

const char *clpac__part_text(enum clpac__part part);
/* Whether a part is written when a plan is made, and by no run. */
bool clpac__part_is_constant(enum clpac__part part);

/* How the bands of one use are filtered: in overlapping blocks of a series, each of them one transform. */
typedef struct clpac__bank {
	size_t first, n;       /* its bands among all */
	size_t pad;	       /* samples before and behind that a filtered value depends on: the longest order */
	size_t length;	       /* of the transform of a block, step + 2 pad at least */
	size_t step, n_blocks; /* filtered samples of a block; blocks of a series */
	size_t blocks;	       /* B: those in flight at once, set by strategy.c */
	size_t gap;	       /* samples from one analytic value to the next: cl/coarse_bins.cl; 1: each has its own */
} clpac__bank;

/* How the indices of all shifts are computed at once (cl/all_shifts.cl). */
typedef struct clpac__shifted {
	size_t length;	      /* of the transforms of whole series; 0: there are none */
	size_t gap, n_values; /* shifts are multiples of the gap; sums that a transform gives */
	size_t n_pairs;	      /* complex sequences of a phase band */
	size_t bands, phases; /* amplitude bands at once; phase bands, more than one with all amplitude bands alone */
} clpac__shifted;

/* The analytic values of a block; 0 for a bank that is not used. */
static inline size_t clpac__bank_values(const clpac__bank *bank)
{
	return bank->length ? bank->length / bank->gap : 0;
}

typedef struct clpac__layout {
	/* Set by the problem. */
	size_t n_samples; /* of a staged row (used_samples.h) */
	size_t n_series, n_phase, n_amplitude, n_bins, n_surrogates;
	clpac__bank banks[2]; /* by clpac_band_use; zeros if the caller supplies phases and amplitudes */
	bool is_trimmed;
	bool is_wide; /* blocks become spectra by wide transforms (coupling/fft/engine.h), in place */
	clpac__shifted shifted;
	size_t n_measures;
	size_t sharing;		     /* measures that take surrogates from the same slots: all, or 1 (measures.c) */
	bool has_linear;	     /* measures that are cross-correlations (cl/linear_measures.cl) */
	bool has_ranks;		     /* one of them takes ranks */
	bool has_locking;	     /* one of them takes the phase of amplitudes */
	bool is_all;		     /* every shift is taken: surrogates come from transforms, whatever the measure */
	bool passes_lists;	     /* binned measures pass the prefix sums once for each shift */
	clpac_null null;	     /* CLPAC_NULL_SHIFTS without surrogates */
	size_t n_segments, n_blocks; /* of a channel; of CLPAC_NULL_BLOCKS */
	bool has_clusters;	     /* clusters of cells are wanted */
	bool has_arrays;	     /* the caller supplies phases and amplitudes */
	bool has_pairs;		     /* channels are coupled in pairs, and each is filtered once (pairs.c) */
	size_t strip, n_strips;	     /* frequencies of a strip, strips of a phase block: cl/noise.cl */
	size_t tap_stride;	     /* taps reserved for each phase band: cl/settle_bins.cl; 0 if trimmed */
	size_t hilbert_length, hilbert_stride;	     /* of the transform of the kept samples; 0 unless trimmed */
	size_t edge, kept;			     /* samples dropped at each end, and those left and used */
	size_t n_stretches, n_pieces, begin, passed; /* the samples that pass the filters: number `begin` and up */
	bool is_gathered;			     /* of which some are used, in several pieces: cl/used_samples.cl */
	size_t passed_stride;			     /* of their bins */
	size_t bin_stride, tile, n_tiles, capacity;
	size_t groups, padded; /* vectors of a sample's amplitudes, a multiple of row_stride; bands including padding */
	bool walks_lists;      /* whole series, each shift from row 0 of a single copy on (cl/bin_tiles.cl) */
	size_t row_stride;     /* vectors from a group's sample to its next (cl/amplitude.cl) */

	/* Long series are cut into spans, and their prefix sums into windows of as many rows (cl/window_sums.cl). */
	size_t span, n_spans; /* samples, a multiple of the tile; 1 span: all of them at once */
	bool is_streamed;     /* windows are made when they are needed, and not kept */
	size_t rows;	      /* of the prefix sums that are there */
	size_t vector_width, together, abreast, ranked, moment_groups; /* bands of a vector; cl/shared/together.h */

	uint64_t most_steps; /* of an item's loops in one launch: steps.h; UINT64_MAX: any number */

	/* Set by strategy.c.  Of variants: surrogates of each series at once, or segments of a channel. */
	size_t batch, group_bands, chunk, at_once;

	uint64_t bytes[CLPAC__PART_COUNT]; /* 0: not needed */
} clpac__layout;

/* Fills all members that do not depend on the device's free memory. */
clpac_status clpac__layout_begin(const clpac_problem *problem, const clpac__queue *queue,
				 const clpac__fft_engine *engine, clpac__layout *layout, clpac_error *err);

/* Decides the blocks of a bank for `wanted` filtered samples of a series; n, first, pad and gap are set, and pad is a
 * multiple of the gap, as the step becomes.  With one_block all of them are one block. */
void clpac__bank_divide(clpac__bank *bank, size_t wanted, bool one_block, const clpac__queue *queue,
			const clpac__fft_engine *engine);

/* Sets B of both banks, at most their blocks. */
void clpac__layout_set_blocks(clpac__layout *layout, size_t blocks);

/* G of a bank: group_bands, or more where its blocks are shorter than those of the other bank, as many as the same
 * buffer holds. */
size_t clpac__layout_group(const clpac__layout *layout, clpac_band_use use);

/* Whether the blocks of the amplitude bank are those of the phase bank, and all of them in flight: then the spectra of
 * samples that passed the phase bank are there, and are those of the amplitude bank. */
bool clpac__layout_shares_spectra(const clpac__layout *layout);

/* Whether both banks pass one selection and one inverse transform, which saves two launches: group_bands then counts
 * the bands of both. */
bool clpac__layout_joins_banks(const clpac__layout *layout);

/* Whether they can: all blocks and bands are in flight, and every sample is filtered by both banks, once. */
bool clpac__layout_may_join(const clpac__layout *layout);

/* The same for the caller's phases and amplitudes, n_samples of each: nothing is filtered. */
clpac_status clpac__layout_begin_arrays(const clpac_problem *problem, const clpac__queue *queue,
					const clpac__fft_engine *engine, clpac__layout *layout, clpac_error *err);

/* Fills `bytes` from batch, group_bands and chunk. */
void clpac__layout_measure(clpac__layout *layout, bool with_distribution);

uint64_t clpac__layout_total(const clpac__layout *layout);
/* The bytes of a part before CLPAC__PART_FURTHER, those of further measures added. */
uint64_t clpac__layout_kind(const clpac__layout *layout, enum clpac__part kind);

/* Whether surrogates take other amplitudes than shifted ones (variants.c). */
static inline bool clpac__has_variants(const clpac__layout *layout)
{
	return layout->null >= CLPAC_NULL_TRIALS;
}

/* The slots for such amplitudes; 0 without. */
size_t clpac__layout_slots(const clpac__layout *layout);
/* Index of a group's first sample among the vectors of a series of n_rows rows (cl/amplitude.cl). */
size_t clpac__place_of_group(const clpac__layout *layout, size_t group, size_t n_rows);
/* Edge lists that an item of place_edges takes (cl/phase_edges.cl): one, or on CPUs all. */
static inline size_t clpac__layout_lists(const clpac__layout *layout)
{
	return layout->vector_width == 1 ? 1 : 2 * layout->n_bins;
}

/* Vectors that hold n numbers. */
size_t clpac__vectors(const clpac__layout *layout, size_t n);

/* The most surrogates of a chunk whose indices kernels can count in 32 bits, within a series and with the recording
 * before them; 1 at least. */
size_t clpac__layout_countable_shifts(const clpac__layout *layout);

/* Rows of a transform on devices that are no CPUs: engines give each row a group of the third dimension, of which
 * NVIDIA's devices have so many. */
enum { CLPAC__MOST_ROWS = 65535 };

/* The series that are filtered at once: a batch, or the slots where those are filtered. */
size_t clpac__layout_filtered(const clpac__layout *layout);

/* Shifts whose sums over bins are kept while windows pass: the unshifted one and a chunk of surrogates. */
size_t clpac__sums_at_once(const clpac__layout *layout);

/* Whether each tile of the prefix sums adds up the tiles before it by itself, which saves a launch: in series of one
 * span and of few tiles. */
bool clpac__adds_up_tiles(const clpac__layout *layout);

#endif
