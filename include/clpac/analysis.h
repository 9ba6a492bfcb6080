/** @file analysis.h
 *  Analyses: what the program clpac computes, from a recording to a result.  In the library libclpac-analysis, beside
 *  libclpac-io.
 *
 *  An analysis is made of a line of text, whose keys are the long options of the program:
 *
 *      clpac_analysis_read("phase=4:12:8 surrogates=500 events=go,stop window=-0.5:1.5 pool", &analysis, &err);
 *      clpac_analysis_run(analysis, recording, NULL, &result, &err);
 *
 *  Headers of recordings, results, files and pictures come with this one.
 *
 *  Channels are chosen, bad stretches and gaps left out, epochs cut and series divided as in the program, and the
 *  result is the same, bit by bit.  Nothing is printed, no file is written, and no environment variable is read.
 *
 *  Any number of threads may use an analysis that none of them changes.  After fork a child may use analyses that it
 *  inherited.
 *
 *  NULL where a pointer is required: clpac/status.h has the rule.
 */
#ifndef CLPAC_ANALYSIS_H
#define CLPAC_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/memory/context.h>
#include <clpac/plot.h>
#include <clpac/recording.h>
#include <clpac/result.h>
#include <clpac/status.h>
#include <clpac/write.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an analysis asks for: words and numbers. */
typedef struct clpac_analysis clpac_analysis;

/** What is computed with it: the commands of the program. */
typedef enum clpac_analysis_kind {
	CLPAC_ANALYSIS_RUN = 0, /**< Coupling of each channel: clpac_analysis_run. */
	CLPAC_ANALYSIS_ERPAC,	/**< Coupling about an event, across trials: clpac_analysis_erpac. */
	CLPAC_ANALYSIS_COMPARE, /**< Two conditions: clpac_analysis_compare. */
	CLPAC_ANALYSIS_GROUP,	/**< Statistics over subjects: clpac_analysis_group. */
	CLPAC_ANALYSIS_KIND_COUNT
} clpac_analysis_kind;

/** "run", "erpac", "compare", "group".  Never NULL; an unknown number gives "". */
const char *clpac_analysis_kind_name(clpac_analysis_kind kind);

/** How the value of an option is written. */
typedef enum clpac_option_type {
	CLPAC_OPTION_FLAG = 0, /**< No value, or yes or no. */
	CLPAC_OPTION_TEXT,     /**< A text of its own form. */
	CLPAC_OPTION_NUMBER,   /**< A finite number. */
	CLPAC_OPTION_COUNT,    /**< A whole number, 0 or more. */
	CLPAC_OPTION_CHOICE    /**< One of the words in `argument`. */
} clpac_option_type;

/** An option.  Texts live as long as the library is loaded. */
typedef struct clpac_analysis_option {
	size_t size;	  /**< sizeof(clpac_analysis_option), or 0: the members of clpac 0.1. */
	const char *name; /**< "phase-channels". */
	clpac_option_type type;
	const char *argument; /**< "HZ"; of a choice its words, "mean|sum"; "" for a flag. */
	const char *standard; /**< The default in words; "" where there is nothing to say. */
	const char *meaning;  /**< One line. */
} clpac_analysis_option;

/** Tells an option of a kind of analysis, in the order of the program's help.
 *  @param[out] out its members; untouched past the end.
 *  Returns false past the end, and for a kind that does not exist. */
bool clpac_analysis_option_get(clpac_analysis_kind kind, size_t i, clpac_analysis_option *out);

/** Makes an analysis of a line of text: words `key=value` between blanks, `key` alone or `key=yes` for a flag.  A
 *  value that holds blanks stands in double quotes: events="go left,stop".  "" is an analysis with every default.
 *  @param[out] out the caller's, freed with clpac_analysis_destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT with the word and what is allowed; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_analysis_read(const char *text, clpac_analysis **out, clpac_error *err);
/** Sets one option, in the place of its value so far.
 *  @param value as text; of a flag "yes" or "no".  NULL takes the option out, so that it has its default.
 *  Errors: as clpac_analysis_read; the analysis stays as it is then.  One thread at a time. */
clpac_status clpac_analysis_set(clpac_analysis *analysis, const char *name, const char *value, clpac_error *err);
/** Writes an analysis as such a line, with the options that were set, in the order in which they were.
 *  @param[out] text freed with clpac_text_free.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_analysis_text(const clpac_analysis *analysis, char **text, clpac_error *err);
/** NULL is fine. */
void clpac_analysis_destroy(clpac_analysis *analysis);

/** Reads a recording as the options say: `rate`, `raw`, `array`, `resample`, `events-from`, `event-column`,
 *  `annotations`.  Samples stay in the file until
 *  they are needed.
 *  @param[out] out the caller's, freed with clpac_recording_destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT for a rate that is not above 0; those of clpac_recording_read. */
clpac_status clpac_analysis_open(const clpac_analysis *analysis, const char *path, clpac_recording **out,
				 clpac_error *err);

/** Makes a recording in which the phase of a slow oscillation drives the amplitude of a fast one, as `clpac synth`.
 *  @param text options of `clpac synth`, written as in clpac_analysis_read: "rate=256 seconds=20 channels=2 phase=8";
 * "" is every default.
 *  @param[out] out its channels "0", "1", ... of float32, the caller's to destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED. */
clpac_status clpac_analysis_synth(const char *text, clpac_recording **out, clpac_error *err);

/** How far an analysis is. */
typedef struct clpac_analysis_progress {
	/** Of the whole that is done, from 0 to 1.  Where conditions of a recording are compared, first of the
	 * computing, then of the permutations. */
	double share;
	size_t n_series;    /**< Of the whole; 0 of permutations. */
	size_t done, total; /**< Of the part under way, in a unit of its own; 0 of it when it begins. */
} clpac_analysis_progress;

/** Hears what an analysis has to tell; each function is nullable.  Texts are one line of UTF-8, and live until the
 *  function returns.  Functions are called by one thread at a time, which need not be that of the caller, and must not
 *  use the analysis or its recording. */
typedef struct clpac_analysis_sink {
	size_t size; /**< sizeof(clpac_analysis_sink), or 0: the members of clpac 0.1. */
	void *user;  /**< Handed to each function. */
	/** Something that may make the result wrong, and how often it was met. */
	void (*warn)(void *user, size_t count, const char *text);
	/** Something to know that needs no attention. */
	void (*note)(void *user, const char *text);
	/** The work that begins now, as "opening the device", while no progress is known. */
	void (*phase)(void *user, const char *text);
	/** Called at least ten times a second while something is computed, also within a series.  Returns false to end
	 * the analysis with CLPAC_ERROR_CANCELLED; where it keeps checkpoints, what is finished
	 * is kept in them. */
	bool (*progress)(void *user, const clpac_analysis_progress *progress);
	/** Whether checkpoints are on disk, from which the same request goes on. */
	void (*keeps_parts)(void *user, bool keeps);
	/** Whether series are finished that no checkpoint has yet. */
	void (*has_finished)(void *user, bool has);
} clpac_analysis_sink;

/** What a call takes beside its analysis; zeroed means every default. */
typedef struct clpac_analysis_call {
	size_t size; /**< sizeof(clpac_analysis_call), or 0: the members of clpac 0.1. */
	/** n_contexts open devices, at most CLPAC_MAX_DEVICES, which share the work; options of the analysis about
	 *  devices are refused then.  0: the analysis opens what its option `device` says, and closes it. */
	clpac_context *const *contexts;
	size_t n_contexts;
	const clpac_analysis_sink *sink; /**< NULL: nobody listens. */
	const char *name;		 /**< Of the recording or the results, for texts; NULL: "the recording". */
	/** Leaves out the search for reasons not to believe the result (clpac_result_caution), which of a short
	 *  recording takes longer than its coupling.  The result then has no CLPAC_HARMONIC and CLPAC_ASYMMETRY. */
	bool no_cautions;
	/** Keeps the spectrum of each channel in the record of the result, for a page about it (clpac_analysis_page),
	 * as `clpac run --report` does: some 0.5 kB and 64 windows for a channel. */
	bool keep_spectra;
} clpac_analysis_call;

/** Opens what the options of an analysis about devices say, `device`, `memory`, `fft` and `probe`, to be given to many
 *  calls.
 *  @param call nullable; its sink hears of devices that are left out.
 *  @param options what these do not say, as threads and log; nullable.
 *  @param[out] contexts room for CLPAC_MAX_DEVICES; gets n of them, each to be closed with clpac_context_close.
 *  Errors: those of clpac_context_open; CLPAC_ERROR_ARGUMENT for a call with contexts.
 *  Cost: that of clpac_context_open for each device. */
clpac_status clpac_analysis_contexts(const clpac_analysis *analysis, const clpac_analysis_call *call,
				     const clpac_options *options, clpac_context **contexts, size_t *n,
				     clpac_error *err);

/** Lists the contents of a recording, as `clpac info`: its channels and whether a run takes them, gaps, samples that
 * stay at one value and whether `keep-flat` uses them, annotations and whether `reject` leaves out their time. Samples
 * that are still in the recording's file are read for it, and not kept: one thread at a time.
 *  @param call nullable; its name stands at the top.
 *  @param as_json an object as `clpac info --json` prints it; false: lines for people.
 *  @param[out] text freed with clpac_text_free.
 *  Errors: CLPAC_ERROR_ARGUMENT for a wrong pattern of `reject`; those of clpac_recording_load; CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_analysis_contents(const clpac_analysis *analysis, clpac_recording *recording,
				     const clpac_analysis_call *call, bool as_json, char **text, clpac_error *err);
/** Tells how clpac_analysis_run would compute, as `clpac plan`: devices, layout, memory, time, and how much of the
 *  recording it would read.  Otherwise as clpac_analysis_run.
 *  @param as_json an object as `clpac plan --json` prints it; false: lines for people.
 *  @param[out] text freed with clpac_text_free.
 *  Cost: a plan for each device, and a batch of noise with each. */
clpac_status clpac_analysis_forecast(const clpac_analysis *analysis, clpac_recording *recording,
				     const clpac_analysis_call *call, bool as_json, char **text, clpac_error *err);

/** Coupling of the channels of a recording, as `clpac run`.
 *  @param recording from clpac_analysis_open, clpac_recording_read or the application.  Where the analysis has a `rate`
 *         or `resample`, which are for reading, the channels must have it.  Samples that are still in its file are
 * loaded and unloaded.  No other thread may load it meanwhile.
 *  @param call nullable.
 *  @param[out] out the caller's, freed with clpac_result_destroy.  Its sentence is clpac_result_sentence, and how it
 *         came about clpac_result_provenance.
 *  Errors: CLPAC_ERROR_ARGUMENT for an option that contradicts another or the recording, or is none of this kind;
 *  CLPAC_ERROR_FORMAT for a recording that gives no value; CLPAC_ERROR_CANCELLED; those of clpac_context_open,
 *  clpac_plan_create, clpac_plan_run_several and clpac_recording_load.
 *  Cost: the computing; samples are copied where channels differ in type.  Memory: option `hold`. */
clpac_status clpac_analysis_run(const clpac_analysis *analysis, clpac_recording *recording,
				const clpac_analysis_call *call, clpac_result **out, clpac_error *err);
/** Coupling about an event across trials, as `clpac erpac`; `events` and `window` are needed.  Otherwise as
 *  clpac_analysis_run. */
clpac_status clpac_analysis_erpac(const clpac_analysis *analysis, clpac_recording *recording,
				  const clpac_analysis_call *call, clpac_result **out, clpac_error *err);
/** Two conditions of a recording, as `clpac compare`; `events` and `window` are needed.  Otherwise as
 *  clpac_analysis_run. */
clpac_status clpac_analysis_compare(const clpac_analysis *analysis, clpac_recording *recording,
				    const clpac_analysis_call *call, clpac_result **out, clpac_error *err);
/** Two conditions of the epochs of a result, as `clpac compare RESULT.npz`.
 *  @param epochs what clpac_analysis_run gave for an analysis with `events`, without `pool` but where the comparison is
 *         pooled; or two results with segments of one length, as of two sessions, made one by clpac_result_stack and
 *         named by clpac_result_set_condition.  Read only.
 *  @param call nullable; its contexts are not used.
 *  Errors: CLPAC_ERROR_ARGUMENT for conditions that cannot be compared and options about recordings; those of
 *  clpac_result_compare. */
clpac_status clpac_analysis_compare_epochs(const clpac_analysis *analysis, const clpac_result *epochs,
					   const clpac_analysis_call *call, clpac_result **out, clpac_error *err);

/** Writes a result as .npz with everything that it holds: clpac_result_write_npz, with report, provenance and sentence
 * in "report.json" beside the arrays, where the options give no report of their own. Errors: those of
 * clpac_result_write_npz. */
clpac_status clpac_analysis_save(const clpac_result *result, const char *path, const clpac_write_options *options,
				 clpac_error *err);
/** Reads such a file, and any other that clpac_result_read_npz reads.  What is written of it is, byte for byte, what
 * was written of the result that was saved.
 *  @param[out] out the caller's, freed with clpac_result_destroy.
 *  Errors: those of clpac_result_read_npz; CLPAC_ERROR_FORMAT for a "report.json" that cannot be read. */
clpac_status clpac_analysis_load(const char *path, clpac_result **out, clpac_error *err);

/** Writes a page about results, HTML in one file: the question, maps of all channels, what each cell is, cautions with
 *  what to do, methods and literature for a paper, and how to repeat it.  It asks nothing of any other place and can be
 *  read without scripts, which let a cell be pointed at.  Channels beyond 256, and those beyond 100 000 cells in all,
 *  are left out, which the page says.
 *  @param results n of them, at least one; read only.  Of several measures the first is shown.
 *  @param names of the sections, UTF-8; NULL, and one that is NULL, are "Result 1", "Result 2", ...
 *  @param options nullable; input_name, input_checksum and provenance are those of every result.
 *  Errors: CLPAC_ERROR_ARGUMENT for no result; those of clpac_result_write_json.
 *  Any thread, several at once.  Cost: the page in memory, some 20 bytes for each cell and 3 kB for each channel. */
clpac_status clpac_analysis_page(const clpac_result *const *results, const char *const *names, size_t n,
				 const char *path, const clpac_write_options *options, clpac_error *err);

/** Puts the shards of a recording together, as `clpac merge`: results of `clpac run --shard`, from 1/n to n/n.  All of
 *  them are needed, but those that have no channel and were therefore not made.  What is written of the result as .npz
 * is, byte for byte, what is written of that of an undivided run.
 *  @param paths n files, in any order.
 *  @param folder where the result's arrays lie in files (clpac_result_create_in); NULL: in memory.
 *  @param call nullable; its contexts are not used.
 *  @param[out] out the caller's, freed with clpac_result_destroy.
 *  Errors: CLPAC_ERROR_FORMAT for files that are no shards, that differ in options, recording, version, build or
 * engine, or of which some are missing; those of clpac_result_join_npz and clpac_result_correct. */
clpac_status clpac_analysis_merge(const char *const *paths, size_t n, const char *folder,
				  const clpac_analysis_call *call, clpac_result **out, clpac_error *err);

/** The results of one group of subjects, one of each. */
typedef struct clpac_subjects {
	size_t size;			    /**< sizeof(clpac_subjects), or 0: the members of clpac 0.1. */
	const clpac_result *const *results; /**< n of them; read only. */
	const char *const *names;	    /**< n names for texts; NULL: "1", "2", ... */
	size_t n;
} clpac_subjects;

/** Statistics over subjects, as `clpac group`.
 *  @param first at least two subjects.
 *  @param second of the second group, or with `paired` the second result of each; NULL: the first is compared with 0.
 *  @param call nullable; its contexts are not used.
 *  Errors: CLPAC_ERROR_ARGUMENT for numbers of results that suit no design, and for the same result twice; those of
 *  clpac_result_group. */
clpac_status clpac_analysis_group(const clpac_analysis *analysis, const clpac_subjects *first,
				  const clpac_subjects *second, const clpac_analysis_call *call, clpac_result **out,
				  clpac_error *err);

/** A table of results for statistics, as `clpac table`: CSV with a line of names first, and a row for each cell, or for
 *  each region of interest, of each measure, channel and segment.
 *  @param results any number; their names are paths, whose BIDS entities are the columns subject, session, task and
 * run.
 *  @param regions "theta-gamma=4-8,30-80,alpha-gamma=8-12,30-80": names, each with the range of the phase and of the
 *         amplitude in Hz.  Cells whose bands have their middles there, the ends included, are in a region.  NULL: the
 *         cells themselves.
 *  @param alpha cells of p_max up to this are significant; 0: 0.05.
 *  @param[out] csv freed with clpac_text_free.
 *  Errors: CLPAC_ERROR_ARGUMENT for a region that is not understood, has the name of another, or has no cell, and for
 *  alpha; CLPAC_ERROR_NO_MEMORY; CLPAC_ERROR_CANCELLED.
 *  Cost: a pass over the cells for each region; a cell is a row of about 120 bytes. */
clpac_status clpac_analysis_table(const clpac_subjects *results, const char *regions, double alpha, char **csv,
				  clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
