/** @file problem.h
 *  A problem: what to compute.  Plain data; zero means default.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_PROBLEM_H
#define CLPAC_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/bands.h>
#include <clpac/measure.h>
#include <clpac/null.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Distribution over phase bins that enters the index. */
typedef enum clpac_average {
	CLPAC_AVERAGE_MEAN = 0, /**< Mean amplitude per bin (Tort et al. 2010, J Neurophysiol 104:1195). */
	CLPAC_AVERAGE_SUM	/**< Summed amplitude per bin. */
} clpac_average;

/** "mean", "sum".  Never NULL; "" for an unknown number.  Any thread. */
const char *clpac_average_text(clpac_average average);

/** The cells over which p is corrected together. */
typedef enum clpac_family {
	CLPAC_FAMILY_MAP =
		0,	 /**< Those of one map: of 64 channels without coupling three have a cell with p_max <= 0.05. */
	CLPAC_FAMILY_RUN /**< Those of all channels and segments, which must share their shifts. */
} clpac_family;

/** "map", "run".  Never NULL; "" for an unknown number.  Any thread. */
const char *clpac_family_text(clpac_family family);

/** Where the Hilbert transform is taken. */
typedef enum clpac_hilbert {
	CLPAC_HILBERT_LOCAL = 0, /**< With the filter, within its reach: an order of samples on both sides. */
	CLPAC_HILBERT_TRIMMED /**< On the kept samples of the filtered series alone, as scipy's hilbert(filtfilt(x)). */
} clpac_hilbert;

/** "local", "trimmed".  Never NULL; "" for an unknown number.  Any thread. */
const char *clpac_hilbert_text(clpac_hilbert hilbert);

enum { CLPAC_EDGE_AUTO = -1 /**< Drop half the longest filter at both ends. */ };
enum { CLPAC_MIN_BINS = 2, CLPAC_MAX_BINS = 128 };
/** The caller's own linear-phase FIR filters in place of the designed ones: one row per band. */
typedef struct clpac_taps {
	const double *taps; /**< All rows one after the other. */
	size_t n_taps;	    /**< Taps per row, the same for every band. */
} clpac_taps;

/** Samples start .. start + n_samples - 1 of a segment, counted from its first. */
typedef struct clpac_window {
	size_t start, n_samples;
} clpac_window;

/** Two channels of a problem, counted from 0, which may be the same one. */
typedef struct clpac_pair {
	size_t phase;	  /**< The channel whose phase is taken. */
	size_t amplitude; /**< The channel whose amplitude it meets. */
} clpac_pair;

/** The problem.  The arrays pointed to are read by clpac_plan_create and not kept.
 *  In a language without C's structs, clpac_problem_read makes one from a line of text. */
typedef struct clpac_problem {
	size_t size;		       /**< sizeof(clpac_problem), or 0: the members of clpac 0.1. */
	double rate_hz;		       /**< Sampling rate; no default. */
	size_t n_channels;	       /**< 0 is 1. */
	size_t n_segments;	       /**< Segments of each channel; 0 is 1, or n_windows with separate_windows. */
	size_t n_samples;	       /**< Samples of each segment; no default. */
	const clpac_band *phase_bands; /**< NULL: those of clpac_bands_read that fit the rate. */
	size_t n_phase_bands;
	const clpac_band *amplitude_bands; /**< NULL: the same. */
	size_t n_amplitude_bands;
	double phase_cycles;	 /**< FIR order in cycles of the band's lower edge; 0 is 3. */
	double amplitude_cycles; /**< The same for amplitude bands; 0 is 6. */
	clpac_taps phase_taps;	 /**< NULL taps: designed. */
	clpac_taps amplitude_taps;
	unsigned n_bins; /**< Phase bins, CLPAC_MIN_BINS..CLPAC_MAX_BINS; 0 is 18. */
	clpac_average average;
	clpac_hilbert hilbert;
	ptrdiff_t edge_samples;	 /**< Samples dropped at both ends before binning, or CLPAC_EDGE_AUTO. */
	size_t n_surrogates;	 /**< Surrogates per series, drawn at random; 0 is none. */
	const size_t *shifts;	 /**< n_surrogates shifts in samples, fewer than those kept; NULL: random. */
	size_t min_shift;	 /**< Random shifts lie in [min_shift, T - min_shift]; 0 is 1 sample. */
	uint64_t seed;		 /**< Seed of what is drawn: shifts, permutations, phases; any value. */
	bool share_shifts;	 /**< Draw once for all series instead of for each; permutations, for all channels. */
	unsigned ddof;		 /**< Degrees of freedom subtracted for the surrogates' deviation: 0 or 1. */
	bool keep_surrogates;	 /**< Return every surrogate index, not only their mean and deviation. */
	bool keep_distributions; /**< Return the mean amplitude per phase bin of every cell. */
	/** Numbers of the channels in the recording, n_channels below 2^32; NULL: 0, 1, ...  Random shifts depend on
	 * seed, channel, segment and surrogate alone, so that a channel has the same surrogates whatever else is
	 * selected. */
	const size_t *channel_numbers;
	const size_t *segment_numbers; /**< The same for segments. */
	/** Ties the widths of amplitude bands to the phase bands: the cell of a phase band with centre f and an
	 * amplitude band with centre c is computed from the amplitudes at c - f to c + f Hz, so that each cell just
	 * passes both side bands of its modulation and low phases keep sharp bands.  Only the centres of
	 * amplitude_bands count then.  Cells whose band does not lie above 0 Hz and below rate/2 have no value (NaN).
	 * Not with amplitude_taps.  A plan has one list of amplitude bands for all phases: clpac_problem_run computes
	 * such a problem, phase band by phase band. */
	bool tied_amplitudes;
	/** Where the surrogates come from.  With CLPAC_NULL_ALL_SHIFTS shifts is NULL, and n_surrogates is 0 or their
	 * number, which clpac_problem_complete fills in.  shifts and min_shift belong to CLPAC_NULL_SHIFTS, min_shift
	 * to CLPAC_NULL_ALL_SHIFTS too, and are refused with the others. */
	clpac_null null;
	size_t shift_step; /**< Samples from one of all shifts to the next; 0 is 1. */
	/** Lets every cell be a peak and count for p_max, those that clpac_cell_is_valid refuses too. */
	bool allow_narrow;
	/** Return also an approximate p from a gamma distribution with the surrogates' mean and deviation
	 * (clpac_signal_gamma_tail), for indices that no surrogate reaches. */
	bool gamma_tail;
	/** Finds clusters of cells and their p (doc/maths.md): a cell enters one where its index is among about this
	 * share of its highest, observed and surrogates together, above 0 and at most 0.25; 0: no clusters.  Two bands
	 * that follow each other in a list are neighbours where both edges of the second are higher and no gap between
	 * them is wider than the wider of the two.  Needs surrogates; with tied_amplitudes, host memory for all of
	 * them. */
	double cluster_alpha;
	/** The cells over which p_max, q and p_cluster are corrected.  CLPAC_FAMILY_RUN needs share_shifts, shifts
	 * or all of them, which shift all series alike and so keep what they have in common. */
	clpac_family family;
	/** The measures to compute, each at most once; NULL: CLPAC_MEASURE_MI.  They share filters, phases, amplitudes
	 * and shifts.  The first is that of the result's arrays, clpac_result_of has the others. */
	const clpac_measure *measures;
	size_t n_measures;
	/** Time blocks of CLPAC_NULL_BLOCKS: 1 to CLPAC_MAX_BLOCKS, and no more than samples kept; 0 is 5. */
	size_t n_blocks;
	/** Stretches of each segment, in the order of time and without a common sample; NULL: the segment is one.
	 *
	 *  A stretch is filtered as if it were recorded alone: its own mean is taken off, and it is extended at its own
	 *  ends.  Samples outside are not read, so that they may be NaN.  edge_samples are dropped at both ends of each
	 *  stretch.  What is kept of all stretches is one joined row of T samples: indices are those of its sums, and
	 *  shifts run round it, over the joins as over the ends of a series.  Filters are designed for the shortest
	 *  stretch: leave out stretches shorter than three orders where filters shall keep theirs.
	 *
	 *  The same for all channels and segments; channels with other stretches are problems of their own.  Not with
	 *  CLPAC_HILBERT_TRIMMED, CLPAC_NULL_PHASES, CLPAC_MEASURE_PLV, and in runs on an application's memory, whose
	 *  samples are centred on the device. */
	const clpac_window *stretches;
	size_t n_stretches;
	/** The samples that are used of each segment: of epochs, say.  Filters see the whole segment, or stretch, and
	 *  only what comes behind them sees the windows' samples alone, joined to one row of T samples.  Each window
	 *  lies in one stretch, edge_samples or more from its ends; windows may overlap, but both their starts and
	 *  their ends ascend.  NULL: all samples that the edges leave.
	 *
	 *  Unless joined_windows is set, two windows or more have a null of their own.  CLPAC_NULL_SHIFTS draws one
	 *  shift for each window and surrogate, in [min_shift, window - min_shift]: the amplitude of a window is
	 *  shifted round the window itself.  CLPAC_NULL_TRIALS permutes the windows of a series, which must be equally
	 *  long then, and not the segments.  CLPAC_NULL_ALL_SHIFTS and the caller's own shifts need joined_windows.
	 *  Not with CLPAC_HILBERT_TRIMMED and CLPAC_MEASURE_PLV. */
	const clpac_window *windows;
	size_t n_windows;
	/** Treats the windows as one joined row in surrogates too, as stretches are: shifts run round the row, and
	 *  CLPAC_NULL_TRIALS permutes segments. */
	bool joined_windows;
	/** The pairs of channels to couple: the phases of one with the amplitudes of the other.  The channels of the
	 *  result are these pairs, in this order (clpac_result_pair_channel).  NULL: each channel with itself.
	 *
	 *  Each channel is filtered once, however many pairs it is in.  Its phase bins and its amplitudes are kept in a
	 *  store (clpac/memory/store.h) of the run, in the memory of the plan's pool, and move to the host and back
	 *  where that is short.  A channel paired with itself has the numbers of a problem without pairs, bit for bit.
	 *
	 *  What is drawn is drawn for the channel of the amplitude: surrogate k moves the amplitudes of a channel alike
	 *  for all phases that they meet.
	 *
	 *  Not with CLPAC_MEASURE_PLV, CLPAC_NULL_TRIALS over segments and CLPAC_NULL_PHASES, which filter once more
	 *  for every pair, and in runs on an application's memory. */
	const clpac_pair *pairs;
	size_t n_pairs;
	/** Gives each window indices and surrogates of its own: the result has a segment for each of them, and
	 * n_segments is n_windows.  A channel has one row of n_samples samples (clpac_samples.segment_starts has one
	 * element then), of which filters see each stretch as a whole: a phase, an amplitude and a bin are those of the
	 * continuous signal, whatever the windows are.  Windows may come in any order, and several be the same.
	 * segment_numbers are those of the windows.  CLPAC_NULL_TRIALS permutes the windows; they are of one length
	 * then, and no nearer to the ends of their stretches than an order of the longest filter.  All shifts need
	 * windows of one length. Of several stretches none may be so short that its filters become shorter.  Not with
	 * joined_windows and CLPAC_NULL_PHASES.  A plan has segments of one kind: clpac_problem_run computes such a
	 * problem. */
	bool separate_windows;
} clpac_problem;

/** Writes the problem as one line of text, "rate=512 channels=4 samples=2048 phase=1.5-2.5,... surrogates=200 seed=42",
 *  which clpac_problem_read turns into the same problem.  Defaults are spelled out.  Of the caller's own taps the
 *  line has only number and checksum, so that clpac_problem_read refuses it.
 *  @param[out] text NUL-terminated, the caller's to free with clpac_text_free. */
clpac_status clpac_problem_write(const clpac_problem *problem, char **text, clpac_error *err);

/** A problem read from text, with the arrays it points to. */
typedef struct clpac_problem_copy clpac_problem_copy;
/** Reads a line of clpac_problem_write.  A key that is left out has its default.
 *  @param[out] out the caller's to free with clpac_problem_destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT, with the unknown key or bad value, its place in the text and the
 *  allowed ones; CLPAC_ERROR_NO_MEMORY.  Any thread. */
clpac_status clpac_problem_read(const char *text, clpac_problem_copy **out, clpac_error *err);
/** Copies a problem as a plan will compute it: checked, with every default filled in.
 *  @param[out] out the caller's to free with clpac_problem_destroy.
 *  Errors: those of clpac_plan_create for a problem that cannot be computed; the text names the member.  Any thread. */
clpac_status clpac_problem_complete(const clpac_problem *problem, clpac_problem_copy **out, clpac_error *err);
/** Makes the problem of one phase band alone, with the amplitude bands of its cells as explicit bands: what a plan
 *  computes of a problem with tied_amplitudes.  The same edges are dropped as in the whole, those of its longest filter
 *  where they are CLPAC_EDGE_AUTO, so that every cell has the value and the surrogates of the whole.
 *  @param problem with or without tied_amplitudes; read, not kept.
 *  @param phase the phase band, counted from 0.
 *  @param[out] out the caller's to free with clpac_problem_destroy; NULL where no cell of this phase band has a value.
 *  Errors: those of clpac_problem_complete; CLPAC_ERROR_ARGUMENT for a phase band that does not exist.  Any thread. */
clpac_status clpac_problem_part(const clpac_problem *problem, size_t phase, clpac_problem_copy **out, clpac_error *err);
/** Makes the problem of some windows of a problem with separate_windows: those that one plan computes, since they are
 *  equally long, and as many samples are filtered before and behind each of them.  These are its segments.
 *  @param problem read, not kept.
 *  @param number of the problem, from 0 on, that of the most windows first.
 *  @param[out] out the caller's to free with clpac_problem_destroy; NULL where there is no such number.
 *  Errors: those of clpac_problem_complete; CLPAC_ERROR_ARGUMENT for a problem without separate_windows.  Any thread.
 */
clpac_status clpac_problem_of_windows(const clpac_problem *problem, size_t number, clpac_problem_copy **out,
				      clpac_error *err);
/** One line that says which bands of ranges or defaults do not fit the rate and were left out, and how many cells of
 *  tied_amplitudes have no value for that reason; NULL if there are none.  Valid until the copy is destroyed. */
const char *clpac_problem_left_out(const clpac_problem_copy *copy);
/** The problem of a copy; valid until the copy is destroyed. */
const clpac_problem *clpac_problem_get(const clpac_problem_copy *copy);
/** Destroys a copy.  NULL is fine. */
void clpac_problem_destroy(clpac_problem_copy *copy);

#ifdef __cplusplus
}
#endif
#endif
