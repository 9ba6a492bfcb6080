/** @file result.h
 *  Results: index maps with their statistics, and the report of how they were computed.
 *
 *  Arrays are row-major.  A result belongs to its caller.  One thread uses it while it is written, any number while it
 * is read.
 */
#ifndef CLPAC_RESULT_H
#define CLPAC_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/status.h>
#include <clpac/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clpac_result clpac_result;

typedef struct clpac_result_shape {
	size_t n_channels, n_segments, n_phase_bands, n_amplitude_bands, n_bins, n_surrogates;
} clpac_result_shape;

/** The float32 arrays of a result; c channel, s segment, p phase band, a amplitude band, k surrogate, j phase bin. */
typedef enum clpac_array {
	CLPAC_MI = 0,		 /**< (c, s, p, a): modulation index in [0, 1]; NaN where it is not defined. */
	CLPAC_Z,		 /**< (c, s, p, a): (MI - surrogate mean) / surrogate deviation. */
	CLPAC_P,		 /**< (c, s, p, a): (1 + #{surrogate >= MI}) / (1 + K). */
	CLPAC_SURROGATE_MEAN,	 /**< (c, s, p, a) */
	CLPAC_SURROGATE_STD,	 /**< (c, s, p, a) */
	CLPAC_SURROGATES,	 /**< (c, s, k, p, a): every surrogate index. */
	CLPAC_DISTRIBUTION,	 /**< (c, s, p, a, j): mean amplitude per phase bin; NaN for an empty bin. */
	CLPAC_PEAK_DISTRIBUTION, /**< (c, s, j): the same at the cell of highest z (highest MI without surrogates). */
	CLPAC_ARRAY_COUNT
} clpac_array;

/** Creates a result of NaN.
 *  @param arrays the arrays that it holds: bit 1 << clpac_array. */
clpac_status clpac_result_create(const clpac_result_shape *shape, unsigned arrays, clpac_result **out,
				 clpac_error *err);
void clpac_result_destroy(clpac_result *result);

const clpac_result_shape *clpac_result_get_shape(const clpac_result *result);
/** An array and its number of values; NULL and 0 when the result does not hold it.  Writable, valid as long as the
 * result. */
float *clpac_result_array(const clpac_result *result, clpac_array which, size_t *n);
/** Name of an array as in files: "mi", "z", "p", "surrogate_mean", "surrogate_std", "surrogates", "distribution",
 *  "peak_distribution".  Never NULL. */
const char *clpac_array_name(clpac_array which);
/** Dimensions of an array: writes up to 5, returns how many. */
size_t clpac_array_dimensions(const clpac_result_shape *shape, clpac_array which, size_t dimensions[5]);

/** (c, s, p): how many phase bins hold no sample.  Never NULL; writable. */
uint32_t *clpac_result_empty_bins(const clpac_result *result);
/** The bands, n_phase_bands and n_amplitude_bands of them.  Never NULL; writable. */
clpac_band *clpac_result_phase_bands(const clpac_result *result);
clpac_band *clpac_result_amplitude_bands(const clpac_result *result);

/** Channel names ("0", "1", ... unless set) and segment onsets in seconds (0 unless set). */
clpac_status clpac_result_set_channel_name(clpac_result *result, size_t channel, const char *name, clpac_error *err);
const char *clpac_result_channel_name(const clpac_result *result, size_t channel);
double *clpac_result_segment_onsets(const clpac_result *result);

/** Where the highest z lies (the highest MI in a result without surrogates), NaN left out. */
typedef struct clpac_peak {
	bool found; /**< False when every cell is NaN. */
	size_t channel, segment, phase, amplitude;
	float mi, z, p; /**< z and p NaN without surrogates. */
} clpac_peak;
/** Over the whole result, or one channel (SIZE_MAX: all). */
clpac_peak clpac_result_peak(const clpac_result *result, size_t channel);

/** Filter of one band as used. */
typedef struct clpac_band_report {
	clpac_band_use use;
	clpac_band band;
	size_t n_taps;
	const double *taps;			 /**< Owned by the result. */
	double bandwidth_lo_hz, bandwidth_hi_hz; /**< Where |H|^2, the response applied, is half its peak. */
	size_t edge_samples;			 /**< Half the filter: samples at each end that see the extension. */
	bool is_shortened;			 /**< The series was too short for the order asked for. */
} clpac_band_report;

/** Kinds of warning.  Each is counted, and has one text with an example. */
typedef enum clpac_warning_kind {
	CLPAC_WARN_NARROW_AMPLITUDE = 0, /**< Amplitude half-width below the phase frequency it should carry. */
	CLPAC_WARN_SHORT_SERIES,	 /**< Series shorter than three filter orders; orders were reduced. */
	CLPAC_WARN_PURE_LINE,		 /**< A phase signal is a pure line: its surrogates equal itself. */
	CLPAC_WARN_NOT_FINITE,		 /**< NaN or Inf samples: the series gives NaN. */
	CLPAC_WARN_CONSTANT,		 /**< A constant series gives NaN. */
	CLPAC_WARN_EMPTY_BINS,		 /**< Phase bins without a sample. */
	CLPAC_WARN_NO_AMPLITUDE,	 /**< An amplitude signal is zero: NaN. */
	CLPAC_WARN_NO_DEVIATION,	 /**< All surrogates are equal: z is NaN. */
	CLPAC_WARN_STRATEGY,		 /**< The strategy or device changed to fit the memory. */
	CLPAC_WARN_DEVICE,		 /**< One of several devices failed; others computed what it left. */
	CLPAC_WARN_KIND_COUNT
} clpac_warning_kind;

typedef struct clpac_warning {
	size_t count;
	char text[256]; /**< One line. */
} clpac_warning;

enum { CLPAC_MAX_STAGES = 16, CLPAC_MAX_STEPS = 12, CLPAC_MAX_DEVICES = 16 };

/** A strategy that was left for a smaller one, for lack of memory. */
typedef struct clpac_step {
	char strategy[16], backend[16];
	uint64_t bytes;	  /**< Device memory that it would have taken. */
	char reason[192]; /**< One line, with the numbers. */
} clpac_step;

/** One device's share of a run. */
typedef struct clpac_device_report {
	char selection[24]; /**< Selects exactly this device: "0:1", "native". */
	char device[128], platform[128], backend[16], strategy[16];
	size_t n_series, n_batches; /**< Computed by it. */
	double seconds;		    /**< At work; it waited for the rest of the run. */
	uint64_t peak_bytes;
	bool has_failed;
	char failure[256]; /**< Why, in one line. */
} clpac_device_report;

/** How the result was made.  With several devices, names are the first one's; counts and stages are sums over all. */
typedef struct clpac_report {
	char device[128], platform[128], driver[128], backend[16], instruction_set[32], fft_engine[32];
	char strategy_wanted[16]; /**< The strategy for ample memory. */
	char strategy[16];	  /**< The strategy used. */
	unsigned n_threads, vector_width;
	size_t n_series, batch_series, fft_length, extension_samples, edge_samples, kept_samples, chunk_surrogates;
	uint64_t estimate_bytes;	   /**< Device memory asked for. */
	uint64_t taken_bytes;		   /**< The same in the pool's size classes. */
	uint64_t peak_bytes;		   /**< Most that the buffers of the run took at once. */
	uint64_t budget_bytes;		   /**< Most that they were allowed to. */
	size_t n_steps;			   /**< Strategies left for a smaller one; 0: none. */
	clpac_step steps[CLPAC_MAX_STEPS]; /**< In order; where they are more, the first ones and the last. */
	size_t n_cpu_fallbacks;		   /**< Batches that did not fit on the device and ran on the native backend. */
	size_t n_overflowing_series; /**< Series whose edge lists overflowed and were summed directly; same numbers. */
	size_t n_devices;	     /**< Devices that took part. */
	clpac_device_report devices[CLPAC_MAX_DEVICES]; /**< Who did what. */
	double seconds;					/**< Wall time of the run. */
	size_t n_stages;
	struct {
		char name[24];
		double seconds;
	} stages[CLPAC_MAX_STAGES];
	clpac_warning warnings[CLPAC_WARN_KIND_COUNT];
} clpac_report;

/** The report; writable, valid as long as the result.  Zeroed in a result that was read from a file or made by hand. */
clpac_report *clpac_result_report(const clpac_result *result);
/** One entry per band, phase bands first; NULL and 0 where there are none. */
const clpac_band_report *clpac_result_band_reports(const clpac_result *result, size_t *n);
/** Copies entries, taps included, into the result. */
clpac_status clpac_result_set_band_reports(clpac_result *result, const clpac_band_report *reports, size_t n,
					   clpac_error *err);
/** The one-line problem text (clpac_problem_write); "" unless set. */
const char *clpac_result_problem(const clpac_result *result);
clpac_status clpac_result_set_problem(clpac_result *result, const char *text, clpac_error *err);

/** Stacks results along their segments: those of one recording whose segments have different lengths, for instance,
 *  where each length is computed by a plan of its own.
 *  @param parts n_parts results, at least one; read only, and still the caller's.  They agree in everything but their
 *         segments: channels with their names, bands, bins, surrogates and arrays.  One result may stand there several
 *         times.
 *  @param n_parts number of parts.
 *  @param places the segment of the whole that each segment of the parts becomes: first for those of parts[0], in
 *         their order, then for those of parts[1], and so on.  Every number from 0 to their total less 1 stands there
 *         once.  NULL: one part after the other.
 *  @param[out] out a result of as many segments as all parts have together, the caller's to destroy.  Arrays, empty
 *         bins and segment onsets (in seconds) are copies of the parts'.  Names, bands, band reports and problem text
 *         are those of parts[0], and so is the report, in which times and counts are the sums over the parts, taken as
 *         runs one after the other, and peak_bytes is the largest.  One part alone gives a copy.
 *  Errors: CLPAC_ERROR_ARGUMENT for a required pointer that is NULL, no part, parts that differ, and places that are no
 *  order, each with its numbers; CLPAC_ERROR_NO_MEMORY.  *out is untouched then.
 *  Any thread, several at once, while nobody writes the parts.
 *  Cost: a copy of every array. */
clpac_status clpac_result_stack(clpac_result *const *parts, size_t n_parts, const size_t *places, clpac_result **out,
				clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
