/** @file result.h
 *  Results: index maps with their statistics, and the report of how they were computed.
 *
 *  Arrays are row-major.  A result belongs to its caller; pointers into it are valid until it is destroyed.  While one
 *  thread writes a result no other may use it; any number of threads may read it at once.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_RESULT_H
#define CLPAC_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/status.h>
#include <clpac/bands.h>
#include <clpac/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clpac_result clpac_result;

/** Lengths of the axes.  n_bins and n_surrogates may be 0 if no array of the result has them. */
typedef struct clpac_result_shape {
	size_t n_channels, n_segments, n_phase_bands, n_amplitude_bands, n_bins, n_surrogates;
} clpac_result_shape;

/** The float32 arrays of a result.
 *
 *  p is that of a cell alone: of 100 cells without coupling 5 have p <= 0.05.  p_max is corrected over the cells of the
 *  map: of 100 maps without coupling 5 have any cell with p_max <= 0.05 (Nichols & Holmes 2002, Human Brain Mapping
 *  15:1-25).  The standardized statistic that it compares is an index's distance from the mean of the index and all
 *  surrogates of its cell, in their deviations, or in those that are usual for its bands if they are less
 *  (doc/maths.md); z, whose mean and deviation are the surrogates' own, is not normal, and no function of p_max.
 *
 *  The preferred phase is the direction, and CLPAC_MEAN_VECTOR the length, of the mean of exp(i phase of the bin) over
 *  the phase bins, weighted with their mean amplitudes.
 *
 *  The excess is 0 on average without coupling, whatever the length of a recording, where an index is above 0 and falls
 *  with it.  Its interval holds the excess that recordings like this one have on average, in 95 of 100 recordings where
 *  the null has as many degrees of freedom as its mean and deviation say (doc/maths.md); hr and rho have none, NaN.
 *
 *  c channel, s segment, p phase band, a amplitude band, k surrogate, j phase bin. */
typedef enum clpac_array {
	CLPAC_MI = 0, /**< (c, s, p, a): the index, modulation index or another measure; NaN where it is undefined. */
	CLPAC_Z,      /**< (c, s, p, a): (MI - surrogate mean) / surrogate deviation. */
	CLPAC_P,      /**< (c, s, p, a): (1 + #{surrogate >= MI}) / (1 + K). */
	CLPAC_SURROGATE_MEAN,	 /**< (c, s, p, a): mean of the surrogates. */
	CLPAC_SURROGATE_STD,	 /**< (c, s, p, a): their standard deviation. */
	CLPAC_SURROGATES,	 /**< (c, s, k, p, a): every surrogate index. */
	CLPAC_DISTRIBUTION,	 /**< (c, s, p, a, j): mean amplitude per phase bin; NaN for an empty bin. */
	CLPAC_PEAK_DISTRIBUTION, /**< (c, s, j): the same at the peak of the series (clpac_result_series_peak). */
	CLPAC_P_MAX, /**< (c, s, p, a): (1 + #{maximum >= standardized statistic}) / (1 + K): p corrected over the valid
			cells of the map; NaN in the others. */
	CLPAC_MAXIMA, /**< (c, s, k): the highest standardized statistic of surrogate k among the valid cells; NaN if
			 none. */
	CLPAC_PREFERRED_PHASE, /**< (c, s, p, a): phase of the largest amplitude, in radians in [-pi, pi]; see below. */
	CLPAC_MEAN_VECTOR,     /**< (c, s, p, a): how far the amplitudes keep to that phase, from 0 to 1. */
	CLPAC_HARMONIC,	       /**< (c, s, p, a): 1 where little of the coupling remains, else 0 (clpac/cautions.h). */
	CLPAC_ASYMMETRY,       /**< (c, s, p): (rise - fall) / (rise + fall) of the cycles; NaN where no cell has 1. */
	CLPAC_Q_BH,	       /**< (c, s, p, a): p adjusted for false discoveries (clpac_signal_false_discovery). */
	CLPAC_Q_BY,	       /**< (c, s, p, a): the same whatever the dependence of cells. */
	CLPAC_P_GAMMA,	       /**< (c, s, p, a): approximate p (clpac_signal_gamma_tail); not below 1e-38. */
	CLPAC_P_CLUSTER,       /**< (c, s, p, a): (1 + #{heaviest >= mass}) / (1 + K); 1 outside of clusters. */
	CLPAC_CLUSTER_MASS, /**< (c, s, p, a): the sum of the distances in the cell's cluster, each in deviations of its
			       cell; 0 outside. */
	CLPAC_CLUSTER_MAXIMA, /**< (c, s, k): the mass of the heaviest cluster of surrogate k, 0 without one; NaN if no
				 cell has standardized statistics. */
	CLPAC_EFFECT,	      /**< (c, s, p, a): mean of subjects, or difference of means (clpac/group.h). */
	CLPAC_T,	    /**< (c, s, p, a): its t.  In a comparison t takes the place of standardized statistics. */
	CLPAC_BIN_COUNTS,   /**< (c, s, p, j): samples in each phase bin, beside CLPAC_DISTRIBUTION. */
	CLPAC_RATIO,	    /**< (c, s, p, a): index of one condition over that of another (clpac/compare.h). */
	CLPAC_STANDARDIZED, /**< (c, s, p, a): what p_max compares with the maxima; NaN where p_max is. */
	CLPAC_N_SUBJECTS,   /**< (c, s, p, a): subjects, or pairs, where some lack channels (clpac/group.h). */
	CLPAC_REMAINING, /**< (c, s, p, a): share of the excess that remains without the shape of a slow wave, in cells
			    of p_max <= 0.05; NaN elsewhere (clpac/cautions.h). */
	CLPAC_EXCESS,	 /**< (c, s, p, a): MI - surrogate mean: what of an index is not chance. */
	CLPAC_EXCESS_LO, /**< (c, s, p, a): where its 95 % interval begins; see below. */
	CLPAC_EXCESS_HI, /**< (c, s, p, a): where it ends. */
	CLPAC_PHASE_NONUNIFORMITY, /**< (c, s, p): how uneven the phase is, from 0 to 1: the share of its samples that
				      would have to lie in other bins for all bins to hold as many. */
	CLPAC_PHASE_PEAK_DB, /**< (c, s, p): height of the spectrum's peak above what falls with frequency, in phase
				bands with a cell of p_max <= 0.05; NaN elsewhere (clpac/cautions.h). */
	CLPAC_ARRAY_COUNT
} clpac_array;

/** Creates a result whose arrays are filled with NaN.
 *  @param arrays the arrays that it holds, as bits 1 << clpac_array.
 *  @param[out] out the caller's to destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT for a length of 0 that an array needs, or a size that cannot be
 *  addressed; CLPAC_ERROR_NO_MEMORY.  Any thread. */
clpac_status clpac_result_create(const clpac_result_shape *shape, unsigned arrays, clpac_result **out,
				 clpac_error *err);
/** The same with arrays that may be larger than the memory: they lie in files without a name, and the system keeps in
 *  memory what it has room for.
 *  @param folder where the files are made, best on a disk of the computer; NULL: the arrays are in memory.
 *  Errors: also CLPAC_ERROR_IO (native_code is errno), where the folder has no room. */
clpac_status clpac_result_create_in(const clpac_result_shape *shape, unsigned arrays, const char *folder,
				    clpac_result **out, clpac_error *err);
/** Destroys a result with everything in it.  NULL is fine. */
void clpac_result_destroy(clpac_result *result);

/** The shape of a result. */
const clpac_result_shape *clpac_result_get_shape(const clpac_result *result);
/** An array, writable, and its number of values; NULL and 0 if the result does not hold it.
 *  @param[out] n nullable. */
float *clpac_result_array(const clpac_result *result, clpac_array which, size_t *n);
/** The measure whose indices and statistics a result holds; CLPAC_MEASURE_MI unless it is set. */
clpac_measure clpac_result_measure(const clpac_result *result);
/** Sets it.  Errors: CLPAC_ERROR_ARGUMENT for no measure, or one that the result has already. */
clpac_status clpac_result_set_measure(clpac_result *result, clpac_measure measure, clpac_error *err);
/** Adds a further measure of the same run: arrays of its indices and their statistics, filled with NaN.
 *  @param arrays as in clpac_result_create, but for those that are of no measure: distributions, preferred phases, mean
 *         vectors, cautions, which are the same for all.
 *  @param[out] out the result's: clpac_result_of(result, measure).  Nullable.
 *  Errors: those of clpac_result_create; CLPAC_ERROR_ARGUMENT for a measure that the result has already. */
clpac_status clpac_result_add_measure(clpac_result *result, clpac_measure measure, unsigned arrays, clpac_result **out,
				      clpac_error *err);
/** The indices of one measure and their statistics, as a result: the result itself, or the further measure of it.
 * Names, bands, valid cells, empty bins, report and problem of a further measure are those of the result, and so are
 * the arrays that are of no measure.  NULL if the result does not hold the measure. It is destroyed with the result,
 * and never alone. */
clpac_result *clpac_result_of(const clpac_result *result, clpac_measure measure);
/** The measures of a result in their order; n of them, at most CLPAC_MEASURE_COUNT.
 *  @param[out] measures nullable.
 *  Returns their number. */
size_t clpac_result_measures(const clpac_result *result, clpac_measure measures[CLPAC_MEASURE_COUNT]);
/** Name of an array as in files: "mi", "z", "p", "surrogate_mean", "surrogate_std", "surrogates", "distribution",
 *  "peak_distribution", "p_max", "maxima", "preferred_phase_rad", "mean_vector", "harmonic", "asymmetry",
 *  "q_bh", "q_by", "p_gamma", "p_cluster", "cluster_mass", "cluster_maxima", "effect", "t", "bin_counts", "ratio",
 *  "standardized", "n_subjects", "remaining", "excess", "excess_lo", "excess_hi", "phase_nonuniformity",
 *  "phase_peak_db".  The index has the
 * name of its measure in files, and the other arrays of a further measure that name before theirs: "glm", "glm_z".
 * Never NULL. */
const char *clpac_array_name(clpac_array which);
/** Dimensions of an array in a result of this shape.  Writes up to 5 and returns their number. */
size_t clpac_array_dimensions(const clpac_result_shape *shape, clpac_array which, size_t dimensions[5]);

/** Number of phase bins without a sample, (c, s, p).  Never NULL; writable. */
uint32_t *clpac_result_empty_bins(const clpac_result *result);
/** 1 for a cell that may be a peak and counts for p_max, 0 for one that does not (clpac_cell_is_valid), (p, a); 1
 *  everywhere until it is written.  Never NULL; writable. */
uint8_t *clpac_result_valid(const clpac_result *result);
/** The n_phase_bands phase bands and the n_amplitude_bands amplitude bands, in Hz.  Never NULL; writable. */
clpac_band *clpac_result_phase_bands(const clpac_result *result);
clpac_band *clpac_result_amplitude_bands(const clpac_result *result);
/** The amplitude bands of the cells, (p, a), in a result with tied amplitudes (clpac_problem); of its amplitude bands
 *  only the centres count then.  A cell whose band does not fit the sampling rate has one too, and no value.  NULL in
 *  every other result.  Writable. */
clpac_band *clpac_result_cell_bands(const clpac_result *result);
/** Ties a result: sets the amplitude bands of its cells to copies of these.
 *  @param bands n_phase_bands x n_amplitude_bands, (p, a); NULL: the cells are not tied.
 *  Errors: CLPAC_ERROR_NO_MEMORY; CLPAC_ERROR_ARGUMENT for more cells than can be addressed. */
clpac_status clpac_result_set_cell_bands(clpac_result *result, const clpac_band *bands, clpac_error *err);
/** The band whose amplitudes a cell was computed from, tied or not.  0 to 0 Hz for a cell that does not exist. */
clpac_band clpac_result_cell_band(const clpac_result *result, size_t phase, size_t amplitude);

/** Sets the name of a channel to a copy of `name`; the names are "0", "1", ... until then.
 *  Errors: CLPAC_ERROR_ARGUMENT for a channel that does not exist; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_result_set_channel_name(clpac_result *result, size_t channel, const char *name, clpac_error *err);
/** The name of a channel; NULL for a channel that does not exist. */
const char *clpac_result_channel_name(const clpac_result *result, size_t channel);
/** Makes a channel of the result a pair: the phases of one channel with the amplitudes of another
 * (clpac_problem.pairs). Its name becomes "PHASE>AMPLITUDE".
 *  @param phase, amplitude the two channels' names; copied.
 *  Errors: CLPAC_ERROR_ARGUMENT for a channel that does not exist; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_result_set_pair(clpac_result *result, size_t channel, const char *phase, const char *amplitude,
				   clpac_error *err);
/** The name of the channel whose phase, or amplitude, a pair has; NULL for a channel that is no pair, or does not
 *  exist. */
const char *clpac_result_pair_channel(const clpac_result *result, size_t channel, clpac_band_use use);
/** Sets the condition of a segment, such as the text of the event that it belongs to, to a copy of `name`.
 *  Errors: CLPAC_ERROR_ARGUMENT for a segment that does not exist; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_result_set_condition(clpac_result *result, size_t segment, const char *name, clpac_error *err);
/** The condition of a segment; NULL where none was set, and for a segment that does not exist. */
const char *clpac_result_condition(const clpac_result *result, size_t segment);
/** The n_segments onsets of the segments in seconds, of epochs those of their events; NaN for a segment that is several
 *  epochs.  0 until they are written.  Never NULL; writable. */
double *clpac_result_segment_onsets(const clpac_result *result);
/** The seconds of each channel and segment that its indices come from, (c, s): what is left of all its stretches, or in
 *  its windows (clpac_problem); 0 where no index has a value, and until they are written.  Indices pool over them by
 *  sums: each is that of all these samples together.  Never NULL; writable. */
double *clpac_result_used_seconds(const clpac_result *result);
/** The number of stretches that these lie in, (c, s): 1 without stretches.  0 until they are written.  Never NULL;
 *  writable. */
uint32_t *clpac_result_n_stretches(const clpac_result *result);

/** The cell of highest standardized statistic, which has the lowest p_max of its map, and of all maps where one family
 *  reaches over them; where some cells have a z of 10 or more by 99 surrogates or more, the one of these that stands
 *  highest; in a result without standardized statistics that of highest z, and without z of highest MI; in a comparison
 *  of subjects (clpac/group.h) that of the lowest p_max, and of several the one whose t has the largest magnitude.  Of
 *  equal cells it is the first.  Cells of NaN, and those that are not valid, do not count. */
typedef struct clpac_peak {
	bool found; /**< False when every valid cell is NaN. */
	size_t channel, segment, phase, amplitude;
	float mi, z, p;			    /**< NaN where the result lacks the array. */
	float p_max;			    /**< p corrected over the map; likewise. */
	float preferred_phase, mean_vector; /**< Likewise. */
	float harmonic, asymmetry;	    /**< Likewise. */
	float remaining;		    /**< Likewise. */
} clpac_peak;
/** The peak of one channel, or of the whole result where channel is SIZE_MAX.  Cost: a pass over the cells. */
clpac_peak clpac_result_peak(const clpac_result *result, size_t channel);
/** The peak of one channel and segment; none for a series that does not exist.  Cost: a pass over its cells. */
clpac_peak clpac_result_series_peak(const clpac_result *result, size_t channel, size_t segment);

/** The filter used for one band. */
typedef struct clpac_band_report {
	clpac_band_use use;
	clpac_band band;
	size_t n_taps;
	const double *taps;			 /**< Owned by the result. */
	double bandwidth_lo_hz, bandwidth_hi_hz; /**< |H|^2, the response applied, is half its peak there. */
	size_t edge_samples;			 /**< Half the filter: samples at each end that see the extension. */
	bool is_shortened;			 /**< The series was too short for the order asked for. */
} clpac_band_report;

/** Kinds of warning.  Each has a count, and one text with an example. */
typedef enum clpac_warning_kind {
	CLPAC_WARN_NARROW_AMPLITUDE = 0, /**< An amplitude band too narrow to carry the phase frequency. */
	CLPAC_WARN_SHORT_SERIES,	 /**< A series shorter than three filter orders; orders were reduced. */
	CLPAC_WARN_PURE_LINE,		 /**< A phase signal is a pure line: its surrogates equal itself. */
	CLPAC_WARN_NOT_FINITE,		 /**< A series with NaN or infinite samples gives NaN. */
	CLPAC_WARN_CONSTANT,		 /**< A constant series gives NaN. */
	CLPAC_WARN_EMPTY_BINS,		 /**< Phase bins without a sample. */
	CLPAC_WARN_NO_AMPLITUDE,	 /**< An amplitude signal is zero and gives NaN. */
	CLPAC_WARN_NO_DEVIATION,	 /**< All surrogates are equal: z is NaN. */
	CLPAC_WARN_STRATEGY,		 /**< The strategy or device changed to fit the memory. */
	CLPAC_WARN_DEVICE,		 /**< One of several devices failed; others computed its series. */
	CLPAC_WARN_OVERLAP,		 /**< A phase band and an amplitude band share frequencies. */
	CLPAC_WARN_HARMONIC,		 /**< The shape of a slow wave makes significant cells. */
	CLPAC_WARN_JUMP,		 /**< A spike or step of more than 50 deviations. */
	CLPAC_WARN_MAINS,		 /**< A line at a multiple of 50 or 60 Hz inside a band. */
	CLPAC_WARN_MIN_SHIFT,		 /**< min_shift leaves out much of the series: p is too small. */
	CLPAC_WARN_FEW_SEGMENTS,	 /**< Segments are permuted, and too few for a small p. */
	CLPAC_WARN_MISSING,		 /**< Cells without a value in some subject of a comparison. */
	CLPAC_WARN_NOT_VALID,		 /**< Cells that are not valid in some subject, and in no family. */
	CLPAC_WARN_FEW_SUBJECTS,	 /**< Too few subjects for p <= 0.05. */
	CLPAC_WARN_SHORT_NULL,		 /**< Few cycles of a phase band for the null asked for: p is off. */
	CLPAC_WARN_BEATS,	  /**< Spikes as regular as those of a heart, in a channel with significant cells. */
	CLPAC_WARN_SPIKES,	  /**< Other spikes and edges, likewise. */
	CLPAC_WARN_MUSCLE,	  /**< Bursts of noise in all amplitude bands, likewise. */
	CLPAC_WARN_ODD_HARMONICS, /**< A flattened or pointed wave, likewise. */
	CLPAC_WARN_FLAT,	  /**< A series with a stretch at one value gives NaN. */
	CLPAC_WARN_LOCKED,	  /**< Phase or amplitude locked to the events whose epochs are shifted, likewise. */
	CLPAC_WARN_NO_PEAK,	  /**< No phase band with coupling has a spectral peak. */
	CLPAC_WARN_KIND_COUNT
} clpac_warning_kind;

/** "narrow_amplitude", "short_series", ..., as a result's JSON has them.  Never NULL; "" for an unknown number.  Any
 * thread. */
const char *clpac_warning_kind_text(clpac_warning_kind kind);

typedef struct clpac_warning {
	size_t count;
	char text[256]; /**< One line. */
} clpac_warning;

enum { CLPAC_MAX_STAGES = 16, CLPAC_MAX_STEPS = 12, CLPAC_MAX_DEVICES = 16 };

/** A strategy that was given up for a smaller one, for lack of memory. */
typedef struct clpac_step {
	char strategy[16], backend[16];
	uint64_t bytes;	  /**< Device memory that it needed. */
	char reason[192]; /**< One line, with the numbers. */
} clpac_step;

/** One device's share of a run. */
typedef struct clpac_device_report {
	char selection[24]; /**< Selects exactly this device: "0:1", "native". */
	char device[128], platform[128], backend[16], strategy[16];
	size_t n_series, n_batches; /**< Computed by this device. */
	double seconds;		    /**< Time at work; the rest of the run is waiting. */
	uint64_t peak_bytes;
	bool has_failed;
	char failure[256]; /**< Why, in one line. */
} clpac_device_report;

/** How a result was made.  With several devices, names are those of the first; counts and stages are sums over all.
 *  With tied amplitudes each phase band is a run through all n_series: layout and strategy are those of the first one,
 *  bytes the largest, and times, counts and the devices' shares the sums over all. */
typedef struct clpac_report {
	char device[128], platform[128], driver[128], backend[16], instruction_set[32], fft_engine[32];
	char strategy_wanted[16]; /**< The strategy for ample memory. */
	char strategy[16];	  /**< The strategy used. */
	unsigned n_threads, vector_width;
	size_t n_series, batch_series, fft_length, extension_samples, edge_samples, kept_samples, chunk_surrogates;
	uint64_t estimate_bytes;	   /**< Device memory asked for. */
	uint64_t taken_bytes;		   /**< The same in the pool's size classes. */
	uint64_t peak_bytes;		   /**< Most that the run's buffers took at once. */
	uint64_t budget_bytes;		   /**< Most that they were allowed to take. */
	size_t n_steps;			   /**< Strategies given up for smaller ones. */
	clpac_step steps[CLPAC_MAX_STEPS]; /**< In order; of more steps, the first ones and the last. */
	size_t n_cpu_fallbacks;		   /**< Batches that did not fit on the device and ran on the native backend. */
	size_t n_overflowing_series; /**< Series whose edge lists overflowed and were summed directly; same numbers. */
	size_t n_devices;	     /**< Devices that took part. */
	clpac_device_report devices[CLPAC_MAX_DEVICES]; /**< Their shares. */
	double seconds;					/**< Wall time of the run. */
	size_t n_stages;				/**< Of the profile; 0 without clpac_options.profile. */
	/** Wall time of each stage, by the device's clock where its queue has one, else by the host's. */
	struct {
		char name[24];
		double seconds;
	} stages[CLPAC_MAX_STAGES];
	clpac_warning warnings[CLPAC_WARN_KIND_COUNT];
	/** Series whose phases, and whose amplitudes, were filtered: each series of the run, or of pairs each segment
	 * of a channel, once on each device that needed it. */
	size_t n_phase_filterings, n_amplitude_filterings;
	uint64_t channel_bytes;	    /**< Of pairs: the phases and amplitudes of channels that were kept. */
	uint64_t n_channel_moves;   /**< How often some of these were moved to the host for lack of room. */
	uint64_t n_channel_returns; /**< How often some were brought back. */
} clpac_report;

/** The report; never NULL, writable.  It is zero in a result that was read from a file or made by hand. */
clpac_report *clpac_result_report(const clpac_result *result);
/** The reports of the bands, phase bands first; NULL and 0 if there are none.
 *  @param[out] n number of entries; nullable. */
const clpac_band_report *clpac_result_band_reports(const clpac_result *result, size_t *n);
/** Replaces the reports of the bands by copies of these n, taps included.
 *  Errors: CLPAC_ERROR_NO_MEMORY; CLPAC_ERROR_ARGUMENT for more taps than can be addressed. */
clpac_status clpac_result_set_band_reports(clpac_result *result, const clpac_band_report *reports, size_t n,
					   clpac_error *err);
/** The problem in one line, as clpac_problem_write writes it, or the comparison (clpac_result_group); "" unless set. */
const char *clpac_result_problem(const clpac_result *result);
/** Sets the problem to a copy of `text`.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_result_set_problem(clpac_result *result, const char *text, clpac_error *err);
/** What a result says, in a sentence for people: where its peak is, what was used, what speaks against it; "" unless
 *  set, as an analysis does (clpac/analysis.h). */
const char *clpac_result_sentence(const clpac_result *result);
/** Sets the sentence to a copy of `text`.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_result_set_sentence(clpac_result *result, const char *text, clpac_error *err);
/** How a result came about, as a JSON object in text: the request, the part of the recording, the computer and the
 *  build; "" unless set, as an analysis does.  Writers record it where their options have no other. */
const char *clpac_result_provenance(const clpac_result *result);
/** Sets the provenance to a copy of `text`.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_result_set_provenance(clpac_result *result, const char *text, clpac_error *err);

/** Stacks results along their segments.  Segments of different lengths, for instance, are computed by one plan per
 *  length, and their results become one.
 *  @param parts n_parts results, at least one; read only, and still the caller's.  They agree in everything but their
 *         segments: channels with their names, bands, those of tied cells too, bins, surrogates and arrays.  The same
 *         result may appear several times.
 *  @param n_parts number of parts.
 *  @param places the segment of the whole that each segment of the parts becomes: first for those of parts[0], in
 *         their order, then for those of parts[1], and so on.  Every number from 0 to their total less 1 appears
 *         once.  NULL: one part after the other.
 *  @param[out] out a result of as many segments as all parts have together, the caller's to destroy.  Arrays, empty
 *         bins and segment onsets (in seconds) are copies of the parts'.  Names, bands, band reports and problem text
 *         are those of parts[0], and so is the report, in which times and counts are the sums over the parts, taken as
 *         runs one after the other, and peak_bytes is the largest.  One part alone gives a copy.
 *  Errors: CLPAC_ERROR_ARGUMENT, with the numbers, for a required pointer that is NULL, no part, parts that differ, and
 *  places that are missing or stand twice; CLPAC_ERROR_NO_MEMORY.  *out is untouched then.
 *  Any thread, several at once, while nobody writes the parts.
 *  Cost: a copy of every array. */
clpac_status clpac_result_stack(clpac_result *const *parts, size_t n_parts, const size_t *places, clpac_result **out,
				clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
