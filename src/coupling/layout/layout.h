/* The sizes of a plan's buffers for a given batch, group of bands and chunk of surrogates.
 *
 * Pure arithmetic.  The estimate of a plan and its allocations use the same table, so they cannot differ.
 */
#ifndef CLPAC_COUPLING_LAYOUT_LAYOUT_H
#define CLPAC_COUPLING_LAYOUT_LAYOUT_H

#include <clpac/problem.h>
#include "coupling/fft/engine.h"
#include "coupling/needs/needs.h"
#include "coupling/stages/compute.h"

/* How the bands of one use are filtered: in overlapping sections of a series, each of them one transform. */
typedef struct clpac__bank {
	size_t first, n;	 /* its bands among all */
	size_t pad;		 /* samples before and behind that a filtered value depends on: the longest order */
	size_t length;		 /* of the transform of a section, step + 2 pad at least */
	size_t step, n_sections; /* filtered samples of a section; sections of a series */
	size_t sections;	 /* B: those in flight at once, set by strategy.c */
	size_t gap; /* samples from one analytic value to the next: cl/coarse_bins.cl; 1: each has its own */
} clpac__bank;

/* How the indices of all shifts are computed at once (cl/all_shifts.cl). */
typedef struct clpac__shifted {
	size_t length;	      /* of the transforms of whole series; 0: there are none */
	size_t gap, n_values; /* shifts are multiples of the gap; sums that a transform gives */
	size_t n_pairs;	      /* complex sequences of a phase band */
	size_t bands, phases; /* amplitude bands at once; phase bands, more than one with all amplitude bands alone */
} clpac__shifted;

/* The analytic values of a section; 0 for a bank that is not used. */
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
	bool is_wide; /* sections become spectra by wide transforms (coupling/fft/engine.h), in place */
	clpac__shifted shifted;
	size_t n_measures;
	size_t sharing;		     /* measures that take surrogates from the same slots: all, or 1 (measures.c) */
	bool has_linear;	     /* measures that are cross-correlations (cl/linear_measures.cl) */
	bool has_ranks;		     /* one of them takes ranks */
	bool has_slow;		     /* one of them sees the phase beside the slow amplitude */
	bool has_locking;	     /* one of them takes the phase of amplitudes */
	bool is_all;		     /* every shift is taken: surrogates come from transforms, whatever the measure */
	bool passes_lists;	     /* binned measures pass the prefix sums once for each shift */
	clpac_null null;	     /* CLPAC_NULL_SHIFTS without surrogates */
	size_t n_segments, n_blocks; /* of a channel; time blocks of CLPAC_NULL_BLOCKS */
	bool has_clusters;	     /* clusters of cells are wanted */
	bool has_arrays;	     /* the caller supplies phases and amplitudes */
	bool has_pairs;		     /* channels are coupled in pairs, and each is filtered once (pairs.c) */
	size_t strip, n_strips;	     /* frequencies of a strip, strips of a phase section: cl/noise.cl */
	size_t tap_stride;	     /* taps reserved for each phase band: cl/settle_bins.cl; 0 if trimmed */
	size_t hilbert_length, hilbert_stride;	     /* of the transform of the kept samples; 0 unless trimmed */
	size_t edge, kept;			     /* samples dropped at each end, and those left and used */
	size_t n_stretches, n_pieces, begin, passed; /* the samples that pass the filters: number `begin` and up */
	bool is_gathered;			     /* of which some are used, in several pieces: cl/used_samples.cl */
	size_t passed_stride;			     /* of their bins */
	size_t bin_stride, tile, n_tiles, capacity;
	size_t edge_tile, n_edge_tiles; /* tiles of the edge lists: fused.h */
	size_t groups, padded; /* vectors of a sample's amplitudes, a multiple of row_stride; bands including padding */
	bool walks_lists;      /* whole series, each shift from row 0 of a single copy on (cl/bin_tiles.cl) */
	size_t row_stride;     /* vectors from a group's sample to its next (cl/amplitude.cl) */

	/* Long series are cut into spans, and their prefix sums into slabs of as many rows (cl/slab_sums.cl). */
	size_t span, n_spans; /* samples, a multiple of the tile; 1 span: all of them at once */
	bool is_streamed;     /* slabs are made when they are needed, and not kept */
	size_t rows;	      /* of the prefix sums that are there */
	size_t vector_width, together, abreast, ranked, moment_groups; /* bands of a vector; cl/shared/together.h */
	size_t tiles_abreast;

	uint64_t most_steps; /* of an item's loops in one launch: steps.h; UINT64_MAX: any number */

	/* Set by strategy.c.  Of variants: surrogates of each series at once, or segments of a channel. */
	size_t batch, group_bands, chunk, at_once;

	uint64_t bytes[CLPAC__TENSOR_COUNT]; /* 0: not needed */
	uint8_t lives[CLPAC__TENSOR_COUNT];  /* bits of clpac__time; the last of the eight: from batch to batch */
	uint8_t rooms[CLPAC__TENSOR_COUNT];  /* the tensor in whose buffer a tensor lies: its own, or a larger one's */
} clpac__layout;

/* Fills all members but the sizes of batches; what is kept of long series depends on the budget in bytes. */
clpac_status clpac__layout_begin(const clpac_problem *problem, const clpac__queue *queue,
				 const clpac__fft_engine *engine, uint64_t budget, clpac__layout *layout,
				 clpac_error *err);

/* Decides the sections of a bank for `wanted` filtered samples of a series; n, first, pad and gap are set, and pad is a
 * multiple of the gap, as the step becomes.  With one_section all of them are one section. */
void clpac__bank_divide(clpac__bank *bank, size_t wanted, bool one_section, const clpac__queue *queue,
			const clpac__fft_engine *engine);

/* Sets B of both banks, at most their sections. */
void clpac__layout_set_sections(clpac__layout *layout, size_t sections);

/* G of a bank: group_bands, or more where its sections are shorter than those of the other bank, as many as the same
 * buffer holds. */
size_t clpac__layout_group(const clpac__layout *layout, clpac_band_use use);

/* Whether the sections of the amplitude bank are those of the phase bank, and all of them in flight: then the spectra
 * of samples that passed the phase bank are there, and are those of the amplitude bank. */
bool clpac__layout_shares_spectra(const clpac__layout *layout);

/* Whether both banks pass one selection and one inverse transform, which saves two launches: group_bands then counts
 * the bands of both. */
bool clpac__layout_joins_banks(const clpac__layout *layout);

/* Whether they can: all sections and bands are in flight, and every sample is filtered by both banks, once. */
bool clpac__layout_may_join(const clpac__layout *layout);

/* The same for the caller's phases and amplitudes, n_samples of each: nothing is filtered. */
clpac_status clpac__layout_begin_arrays(const clpac_problem *problem, const clpac__queue *queue,
					const clpac__fft_engine *engine, uint64_t budget, clpac__layout *layout,
					clpac_error *err);

/* Fills `bytes`, `lives` and `rooms` from batch, group_bands and chunk, by the tables of all passes. */
void clpac__layout_measure(clpac__layout *layout, bool with_distribution);

/* Whether a tensor is needed and has a buffer of its own, in which others may lie. */
bool clpac__has_own_buffer(const clpac__layout *layout, int tensor);
/* The bytes of all buffers. */
uint64_t clpac__layout_total(const clpac__layout *layout);
/* The bytes of a tensor before CLPAC__TENSOR_FURTHER, those of further measures added. */
uint64_t clpac__layout_kind(const clpac__layout *layout, enum clpac__tensor kind);

/* Analytic values of a band that are in flight, in the bank that has more of them. */
uint64_t clpac__layout_values(const clpac__layout *layout);

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

/* Entries of two bytes in edge lists (cl/phase_edges.cl): those of vectors of several floats and series of several
 * spans, which are so short that each row of a span has a number below this. */
enum { CLPAC__SHORT_ENTRIES = 65536 };
static inline size_t clpac__entry_bytes(const clpac__layout *layout)
{
	return layout->vector_width > 1 && layout->n_spans > 1 ? 2 : 4;
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

/* Shifts whose sums over bins are kept while slabs pass: the unshifted one and a chunk of surrogates. */
size_t clpac__sums_at_once(const clpac__layout *layout);

/* Whether each tile of the prefix sums adds up the tiles before it by itself, which saves a launch: in series of one
 * span and of few tiles. */
bool clpac__adds_up_tiles(const clpac__layout *layout);

#endif
