/** @file plan.h
 *  Plans: made once for a problem, run any number of times on new data.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_PLAN_H
#define CLPAC_PLAN_H

#include <clpac/memory/context.h>
#include <clpac/problem.h>
#include <clpac/recording.h>
#include <clpac/result.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How memory is traded for time.  No strategy changes a number.
 *
 *  A plan that does not fit, by the budget or because the driver refuses memory, goes down: from vectorized to chunked,
 *  to sequential, to the native backend (whose instruction set may round in its own way).  clpac_report.steps lists the
 *  strategies that were left, and why. */
typedef enum clpac_strategy {
	CLPAC_STRATEGY_AUTO = 0,     /**< Chosen by the estimate and the free memory. */
	CLPAC_STRATEGY_VECTORIZED,   /**< All surrogates of a batch in one launch. */
	CLPAC_STRATEGY_CHUNKED,	     /**< In chunks. */
	CLPAC_STRATEGY_SEQUENTIAL,   /**< One series, one surrogate at a time. */
	CLPAC_STRATEGY_CONSERVATIVE, /**< Auto with 0.6 of the memory. */
	CLPAC_STRATEGY_AGGRESSIVE,   /**< Auto with 0.95 of the memory. */
	CLPAC_STRATEGY_COUNT
} clpac_strategy;

/** "auto", "vectorized", ...  Never NULL. */
const char *clpac_strategy_text(clpac_strategy strategy);

/** Called between pieces of work, and within one that takes longer than a tenth of a second, with the work done so far
 *  and the total, in one unit (about series x surrogates).
 *  Return true to go on; false makes the run end with CLPAC_ERROR_CANCELLED.  It may use the plan's context, but not
 *  the plan itself. */
typedef bool clpac_progress_function(void *user, size_t done, size_t total);

/** Settings of a plan; zero means default.  For languages without C's structs, clpac_plan_options_read makes one from
 *  a line of text. */
typedef struct clpac_plan_options {
	size_t size; /**< sizeof(clpac_plan_options), or 0: the members of clpac 0.1. */
	clpac_strategy strategy;
	uint64_t memory_bytes; /**< Most device memory for this plan with one run at a time, in the pool's size classes;
				    0: as the context's options say, as for a native backend that takes over. */
	size_t max_batch;      /**< Most series in a batch; 0: as many as pay. */
	clpac_progress_function *progress;
	void *progress_user;
	/** Computes series with a stretch at one value as they are, as where it is the signal, or where what was
	 * missing is left out with clpac_problem.stretches.  Without it they give NaN. */
	bool keep_flat;
} clpac_plan_options;

/** Makes options from a line of text: "strategy=chunked memory_bytes=64M max_batch=8".  Keys are named as the members,
 *  come in any order, and keep their default where they are left out.  Bytes are whole numbers, with K, M, G or T for
 *  powers of 1024; strategies are the words of clpac_strategy_text.
 *  @param[out] out the caller's, freed with clpac_plan_options_free; progress, which no text holds, may be set in it.
 *  Errors: CLPAC_ERROR_ARGUMENT with the word, its place in the text and what is allowed; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_plan_options_read(const char *text, clpac_plan_options **out, clpac_error *err);
/** Writes the members that are not 0 as such a text.  progress is written as "set", which is refused when read.
 *  @param[out] text freed with clpac_text_free.
 *  Errors: CLPAC_ERROR_ARGUMENT (size), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_plan_options_text(const clpac_plan_options *options, char **text, clpac_error *err);
/** Frees what clpac_plan_options_read made.  NULL is fine. */
void clpac_plan_options_free(clpac_plan_options *options);

/** Holds every buffer that a run needs: a run allocates nothing.  It does not change once it is made.
 *
 *  Any number of threads may run one plan at the same time, and different plans, also of one context.  A run that
 * begins while others of its plan are under way needs buffers of its own: clpac_report.taken_bytes of memory less the
 * filters' responses and other constants, allocated then and kept in the plan for later runs, beyond what an estimate
 * says.
 *
 *  Where the device refuses memory in the middle of a run, as drivers may that allocate at the first use, the run goes
 *  down as at the plan's creation, and on from the batch that failed.  Later runs of the plan begin with the smaller
 *  layout, which clpac_plan_report and clpac_plan_explain then tell of; others that are under way keep theirs. */
typedef struct clpac_plan clpac_plan;

/** Makes a plan.
 *  @param context may be closed before the plan.
 *  @param problem read, not kept.
 *  @param options NULL for defaults.
 *  @param[out] out the plan, to be destroyed with clpac_plan_destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT names the member and its value; tied_amplitudes is such a member, see
 *  clpac_problem_run.  CLPAC_ERROR_NO_DEVICE_MEMORY, with the attempts, if not even one series fits on the device or on
 *  the native backend (clpac/estimate.h tells beforehand).
 *  Any thread, several at once: each plan uses the memory that the others leave at that moment, and takes a smaller
 *  layout if it is short.
 *  Cost: filter design and FFT set-up; milliseconds on native, up to seconds per new FFT length with clFFT. */
clpac_status clpac_plan_create(clpac_context *context, const clpac_problem *problem, const clpac_plan_options *options,
			       clpac_plan **out, clpac_error *err);
/** NULL is fine.  In a forked child: forgets the plan. */
void clpac_plan_destroy(clpac_plan *plan);

/** The problem with every default filled in; valid as long as the plan. */
const clpac_problem *clpac_plan_problem(const clpac_plan *plan);

/** A plan's decisions in numbers: the parts of clpac_report that are known before a run.  Valid as long as the plan. */
const clpac_report *clpac_plan_report(const clpac_plan *plan);
/** The same and the layout as text for people, several lines.  The caller frees it with clpac_text_free. */
clpac_status clpac_plan_explain(const clpac_plan *plan, char **text, clpac_error *err);

/** How long a run will take, in seconds, found by computing one batch of noise and a few of its surrogates.
 *  Cost: about that of one batch without surrogates, and 8 surrogates.  Errors as for clpac_plan_run_samples. */
clpac_status clpac_plan_rehearse(clpac_plan *plan, double *seconds, clpac_error *err);

/** Samples where they lie: n_channels pointers to channels of the same type. */
typedef struct clpac_samples {
	clpac_sample_type type;
	const void *const *channels;  /**< n_channels of the problem; not changed, read during the run only. */
	size_t sample_stride;	      /**< Values from one sample to the next; 0 is 1. */
	const size_t *segment_starts; /**< First sample of each of n_segments segments (they may overlap); NULL: one
					 after the other. */
	const char *const *names;     /**< n_channels names, for warnings and the result; NULL: their numbers. */
	double mains_hz;	      /**< Whose lines clpac_result_caution looks for; 0: both of 50 and of 60 Hz. */
} clpac_samples;

/** Computes.  Series c, s is n_samples values from channels[c] + segment_starts[s] * sample_stride.
 *  @param[out] out the result, the caller's to destroy.
 *  Errors: CLPAC_ERROR_CANCELLED, CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_MEMORY; CLPAC_ERROR_NO_DEVICE_MEMORY where nothing
 *  smaller fits, or other threads run the plan and there is no room for one run more.
 *
 *  Bad series are no errors: they give NaN and a counted warning, the others are computed.  Bad are series with NaN or
 *  infinite samples, constant ones, and those of which a stretch stays at one value, as where data is missing: it has
 *  one phase, which fills its bin and looks like coupling.  Such a stretch is longer than half a cycle of the highest
 *  phase band, and than the resolution of the samples makes one by chance (doc/maths.md); waves that were cut at their
 *  ends are none.  Leave it out with clpac_problem.stretches, use clpac/analysis.h, which does so, or compute it with
 *  clpac_plan_options.keep_flat. */
clpac_status clpac_plan_run_samples(clpac_plan *plan, const clpac_samples *samples, clpac_result **out,
				    clpac_error *err);

/** Computes on several devices at once.  A plan that is free takes the next batch of series; batches shrink towards the
 *  end, so that all plans end together.  The devices' speeds decide which of them computes a series, and each gives the
 *  numbers that it gives alone.  If a plan fails in the middle, the others compute its rest: CLPAC_WARN_DEVICE and
 *  clpac_report.devices report it.
 *  @param plans n_plans different plans for the same problem, best on contexts of different devices; at most
 *  CLPAC_MAX_DEVICES.  The first plan's progress function hears of the whole run, from any of the threads, one call
 *  at a time; it may not run or destroy one of these plans.
 *  @param[out] out the result, to be destroyed with clpac_result_destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT (no plan, a plan given twice, different problems), CLPAC_ERROR_CANCELLED,
 *  CLPAC_ERROR_NO_MEMORY; if every plan fails, the first plan's error.
 *  Cost: one thread for each plan but the first, which works in the caller's. */
clpac_status clpac_plan_run_several(clpac_plan *const *plans, size_t n_plans, const clpac_samples *samples,
				    clpac_result **out, clpac_error *err);

/** The same as clpac_plan_run_samples for one float32 array (channel, segment, sample).
 *  Any thread, several at once with one plan: a run beside others takes the memory that clpac_plan describes. */
clpac_status clpac_plan_run(clpac_plan *plan, const float *samples, clpac_result **out, clpac_error *err);

/** Computes a problem on opened devices, from its plans to its result; the one way for a problem with tied_amplitudes,
 *  whose phase bands are planned, run and put together one after the other, so that the memory is that of one.  Each
 *  cell is that of a run of clpac_problem_part, bit for bit.
 *  @param contexts n_contexts different contexts, 1 to CLPAC_MAX_DEVICES, used as by clpac_plan_run_several.  One that
 *  has no room for a plan is left out while another has: CLPAC_WARN_DEVICE reports it.
 *  @param problem read, not kept.
 *  @param options NULL for defaults; progress hears of the whole.
 *  @param[out] out the result, the caller's to destroy.
 *  Errors: those of clpac_plan_create and clpac_plan_run_several.
 *  Cost: with tied_amplitudes, plans and the loading and transforming of the samples once for each phase band. */
clpac_status clpac_problem_run(clpac_context *const *contexts, size_t n_contexts, const clpac_problem *problem,
			       const clpac_plan_options *options, const clpac_samples *samples, clpac_result **out,
			       clpac_error *err);

/** Corrects the p of a complete result: computes q_bh, q_by, p_gamma and p_cluster anew from its other arrays, and
 * where the family is the run p_max too.  Runs do this at their end; a result of several runs, as of
 * clpac_result_stack, needs it where one family reaches over all of them, and a result whose p, standardized statistics
 * or maxima were changed.
 *  @param result those of the five arrays that it holds are written; one that misses what an array is made of keeps
 * that array as it is.
 *  @param problem the problem of the result; its ddof and family count.
 *  Errors: CLPAC_ERROR_NO_MEMORY.
 *  Any thread, while no other uses the result.  Cost: a sort of the cells of each family, on the host. */
clpac_status clpac_result_correct(clpac_result *result, const clpac_problem *problem, clpac_error *err);

/** Passes on settings that lower libraries read only from the environment: sets CLFFT_CACHE_PATH, so that clFFT keeps
 *  its compiled kernels in a folder beside clpac's and later starts are quick.  Files there are checked before clFFT
 *  reads them.  Does nothing if the variable is already set, cache is "none", the folder cannot be used or is not this
 *  user's alone, or the build has no clFFT.  Without this call clFFT compiles its kernels at every start, unless the
 *  driver caches them.
 *  @return CLPAC_OK or CLPAC_ERROR_NO_MEMORY.
 *  Changes the environment: call it in a program's first thread, before it starts others and opens a context. */
clpac_status clpac_options_to_environment(const clpac_options *options, clpac_error *err);

/** What this build consists of, a line each: the native kernels, OpenCL, and the libraries of Fourier transforms for
 *  its devices.
 *  @param[out] text to be freed with clpac_text_free.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_parts(char **text, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
