/* The options of an analysis.  A row holds name, letter, kind, argument, default, place of the value, the error text
 * for giving it twice, and meaning. */
#include "analysis/options/tables.h"

#include <stddef.h>
#include "analysis/settings.h"

#define VALUE(member) offsetof(clpac__analysis_settings, member)
#define GROUP(title_, rows, ...)                                                                                       \
	{                                                                                                              \
		.title = title_, .options = rows, .n_options = sizeof rows / sizeof *rows, __VA_ARGS__                 \
	}

/* clang-format off */
static const clpac__option read_options[] = {
	{ "rate", 0, CLPAC__OPTION_NUMBER, "HZ", NULL, VALUE(rate_hz), NULL,
	  "sampling rate, for files that hold none" },
	{ "raw", 0, CLPAC__OPTION_TEXT, "TYPE:CHANNELS", NULL, VALUE(raw), NULL,
	  "the file holds bare samples of TYPE i2, i4, f4 or f8; big-endian as >f4" },
	{ "array", 0, CLPAC__OPTION_TEXT, "NAME", "the only one, or data", VALUE(array), NULL,
	  "array of an .npz file to read" },
	{ "resample", 0, CLPAC__OPTION_NUMBER, "HZ", "as recorded", VALUE(resample_hz), NULL,
	  "bring every channel to this rate, without delay (libsamplerate)" },
	{ "events-from", 0, CLPAC__OPTION_TEXT, "file|table|PATH", "the table, if any", VALUE(events_from), NULL,
	  "events of the recording's file, of the table beside it (BIDS), or of another table" },
	{ "event-column", 0, CLPAC__OPTION_TEXT, "NAME", "trial_type, else value", VALUE(event_column), NULL,
	  "column of the table that names events; without a table the channel whose values are events" },
	{ "annotations", 0, CLPAC__OPTION_TEXT, "FILE|none", "a hypnogram beside it", VALUE(annotations), NULL,
	  "join the annotations of this file: EDF+, BDF+, BrainVision, or a table of events" },
};
const clpac__option_group clpac__options_read = GROUP("Reading", read_options, .is_not_for_files = false);

static const clpac__option take_options[] = {
	{ "channels", 0, CLPAC__OPTION_TEXT, "LIST", "signals of the brain", VALUE(channels), NULL,
	  "numbers, ranges, names, patterns, types, without those behind a hyphen: 3,0-2,ECOG*,eeg,-Fp1" },
	{ "pairs", 0, CLPAC__OPTION_TEXT, "all|FILE.tsv|LIST", "each channel with itself", VALUE(pairs), NULL,
	  "couple the phase of each channel with the amplitude of each, the pairs of a table, or these: Fp1>Cz,0>2" },
	{ "phase-channels", 0, CLPAC__OPTION_TEXT, "LIST", "--channels", VALUE(phase_channels), NULL,
	  "couple the phases of these channels, written as --channels, ..." },
	{ "amplitude-channels", 0, CLPAC__OPTION_TEXT, "LIST", "--channels", VALUE(amplitude_channels), NULL,
	  "with the amplitudes of these, each with each" },
	{ "start", 0, CLPAC__OPTION_NUMBER, "S", "0", VALUE(start_s), NULL,
	  "use the recording from this second on, of the recording's clock" },
	{ "stop", 0, CLPAC__OPTION_NUMBER, "S", "the end", VALUE(stop_s), NULL,
	  "use the recording up to this second of the recording's clock" },
	{ "segment", 0, CLPAC__OPTION_TEXT, "S[:STEP]", "all in one", VALUE(segment), NULL,
	  "cut into segments of S seconds, one every STEP (S)" },
};
const clpac__option_group clpac__options_take =
	GROUP("Which part of the recording", take_options, .is_not_for_files = false);

static const clpac__option reject_options[] = {
	{ "reject", 0, CLPAC__OPTION_TEXT, "LIST", "BAD*", VALUE(reject), NULL,
	  "leave out the time of annotations whose text is one of these patterns, in any case: BAD*,EDGE*" },
	{ "keep-bad", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(keep_bad), NULL,
	  "leave out no annotation's time" },
	{ "keep-flat", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(keep_flat), NULL,
	  "use samples that stay at one value, which otherwise count as missing" },
};
const clpac__option_group clpac__options_reject = GROUP("Bad stretches", reject_options, .is_not_for_files = false);

static const clpac__option epoch_options[] = {
	{ "sliding", 0, CLPAC__OPTION_TEXT, "S[:STEP]", NULL, VALUE(sliding), NULL,
	  "one index per window of S seconds, one every STEP (S), of the signal filtered as a whole" },
	{ "events", 0, CLPAC__OPTION_TEXT, "LIST", NULL, VALUE(events), NULL,
	  "one index per epoch: around the events whose text is one of these patterns, as go,stop* or NAME=PATTERN" },
	{ "window", 0, CLPAC__OPTION_TEXT, "A:B|all[:S]", NULL, VALUE(window), NULL,
	  "an epoch, from A to B seconds after its event: -0.5:1.5; the time it lasts, or pieces of S seconds of it" },
	{ "pool", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(pool), NULL,
	  "one index per condition, of the sums over its epochs" },
};
const clpac__option_group clpac__options_epochs = GROUP("Epochs", epoch_options, .is_not_for_files = false);

static const clpac__option method_options[] = {
	{ "phase", 0, CLPAC__OPTION_TEXT, "SPEC", "2:20:10", VALUE(phase), NULL,
	  "phase bands: LO:HI:COUNT[:log|/WIDTH] or LO-HI,..." },
	{ "amplitude", 0, CLPAC__OPTION_TEXT, "SPEC", "60:160:10", VALUE(amplitude), NULL,
	  "amplitude bands, written the same way, or LO:HI:COUNT/tied" },
	{ "bins", 0, CLPAC__OPTION_COUNT, "N", "18", VALUE(bins), NULL,
	  "phase bins" },
	{ "average", 0, CLPAC__OPTION_CHOICE, "mean|sum", "mean", VALUE(average), NULL,
	  "mean or summed amplitude of a bin enters the index" },
	{ "hilbert", 0, CLPAC__OPTION_CHOICE, "local|trimmed", "local", VALUE(hilbert), NULL,
	  "Hilbert transform with the filter, or after it" },
	{ "edge", 0, CLPAC__OPTION_TEXT, "auto|SECONDS", "0", VALUE(edge), NULL,
	  "time to drop at both ends after filtering; auto: half the longest filter" },
	{ "surrogates", 0, CLPAC__OPTION_TEXT, "K", "200", VALUE(surrogates), NULL,
	  "surrogates per series; 0: the index alone" },
	{ "measure", 0, CLPAC__OPTION_TEXT, "LIST", "mi", VALUE(measure), NULL,
	  "mi, hr, mvl, dpac, ndpac, glm, gcmi, plv, pac-glm; pictures and sentences tell of the first" },
	{ "null", 0, CLPAC__OPTION_TEXT, "shift|shift=all[/STEP]|trials|blocks[=N]|phases",
	  "shift; pooled epochs: trials", VALUE(null), NULL,
	  "compare with random shifts, every (STEP-th) one, other segments, blocks in another order, random phases" },
	{ "shifts", 0, CLPAC__OPTION_TEXT, "LIST", NULL, VALUE(shifts), NULL,
	  "use exactly these shifts, in samples: 5,17,400" },
	{ "min-shift", 0, CLPAC__OPTION_NUMBER, "S", "one sample", VALUE(min_shift_s), NULL,
	  "shortest shift, in seconds" },
	{ "keep-surrogates", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(keep_surrogates), NULL,
	  "also write the index of every surrogate, as those of several recordings, for group" },
	{ "drop-surrogates", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(drop_surrogates), NULL,
	  "do not write them of several recordings either" },
	{ "keep-distributions", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(keep_distributions), NULL,
	  "also write the mean amplitude in each phase bin of every cell" },
	{ "allow-narrow", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(allow_narrow), NULL,
	  "let cells be peaks whose amplitude band is too narrow for the phase or overlaps it" },
	{ "share-shifts", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(share_shifts), NULL,
	  "the same shifts, or draws of another null, for all channels and segments" },
	{ "family", 0, CLPAC__OPTION_CHOICE, "map|run", "map", VALUE(family), NULL,
	  "correct p over the cells of each map, or of the whole run, with --share-shifts" },
	{ "clusters", 0, CLPAC__OPTION_NUMBER, "SHARE", NULL, VALUE(cluster_share), NULL,
	  "also p of clusters of the cells whose index is in this share of its highest, as 0.05" },
	{ "gamma", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(gamma), NULL,
	  "also an approximate p from a gamma distribution, for indices above all surrogates" },
	{ "seed", 0, CLPAC__OPTION_COUNT, "N", "42", VALUE(seed), NULL,
	  "seed of shifts, permutations and phases" },
	{ "ddof", 0, CLPAC__OPTION_CHOICE, "0|1", "0", VALUE(ddof), NULL,
	  "degrees of freedom subtracted for the surrogates' deviation" },
	{ "problem", 0, CLPAC__OPTION_TEXT, "TEXT", NULL, VALUE(problem), NULL,
	  "all of these in one line, as a result records them; other options override it" },
};
const clpac__option_group clpac__options_method = GROUP("The method", method_options, .is_not_for_files = false);

static const clpac__option compute_options[] = {
	{ "device", 0, CLPAC__OPTION_TEXT, "SELECTION", "the best", VALUE(device),
	  "join several devices with +, as gpu+native",
	  "where to compute: gpu, native, 0:1, name~Radeon, ...; gpu+native or all for several at once" },
	{ "memory", 0, CLPAC__OPTION_TEXT, "LIMIT", "0.8", VALUE(memory), NULL,
	  "memory to use at most: a fraction, or bytes as 4G" },
	{ "hold", 0, CLPAC__OPTION_TEXT, "BYTES", "256M, more if multiplexed", VALUE(hold), NULL,
	  "samples to hold at once; of a longer recording, some channels after the other are read" },
	{ "fft", 0, CLPAC__OPTION_TEXT, "auto|clfft|vkfft|lanes", "auto", VALUE(fft), NULL,
	  "FFT engine: clfft and vkfft on OpenCL devices, lanes on CPUs" },
	{ "probe", 0, CLPAC__OPTION_TEXT, "SECONDS", "10, after drivers changed", VALUE(probe), NULL,
	  "start OpenCL's drivers in a child process first, for this time at most" },
	{ "threads", 0, CLPAC__OPTION_TEXT, "N", "one per core it may use", VALUE(threads), NULL,
	  "threads of the native device; by default as many as affinity, control group and Slurm allow" },
	{ "strategy", 0, CLPAC__OPTION_CHOICE, "auto|vectorized|chunked|sequential|conservative|aggressive",
	  "auto", VALUE(strategy), NULL,
	  "trade of memory for time; does not change results" },
};
const clpac__option_group clpac__options_compute = GROUP("Computation", compute_options, .is_not_for_files = false);

static const clpac__option compare_options[] = {
	{ "conditions", 0, CLPAC__OPTION_TEXT, "A,B", "the only two", VALUE(conditions), NULL,
	  "the conditions to compare: A less B" },
	{ "value", 0, CLPAC__OPTION_CHOICE, "index|z", "index", VALUE(value), NULL,
	  "compare the epochs' indices, or their z" },
	{ "channel", 0, CLPAC__OPTION_TEXT, "LIST", "all", VALUE(channel), NULL,
	  "channels of a result to compare, by name or number, as Cz,Pz" },
	{ "side", 0, CLPAC__OPTION_CHOICE, "both|greater|less", "both", VALUE(side), NULL,
	  "look for differences of either sign, or one" },
	{ "permutations", 0, CLPAC__OPTION_COUNT, "N", "10000", VALUE(permutations), NULL,
	  "permutations of labels, the given order among them; all, where there are no more" },
};
const clpac__option_group clpac__options_comparison =
	GROUP("The comparison", compare_options, .is_not_for_files = false);

static const clpac__option design_options[] = {
	{ "with", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(with), NULL,
	  "the results behind it are the second group: two samples, labels permuted" },
};
const clpac__option_group clpac__options_design = GROUP("The comparison", design_options, .is_not_for_files = true);

static const clpac__option subjects_options[] = {
	{ "paired", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(paired), NULL,
	  "the two groups are the same subjects, in the same order: differences, signs flipped" },
	{ "value", 0, CLPAC__OPTION_CHOICE, "z|index|excess", "z", VALUE(value), NULL,
	  "compare z, the indices themselves, or what they are above their surrogates' mean" },
	{ "measure", 0, CLPAC__OPTION_TEXT, "NAME", "the first", VALUE(measure), NULL,
	  "measure to compare, of those that the results hold" },
	{ "channel", 0, CLPAC__OPTION_TEXT, "LIST", "all, by name", VALUE(channel), NULL,
	  "channels to compare, by name or number, as Cz,Pz" },
	{ "side", 0, CLPAC__OPTION_CHOICE, "both|greater|less", "greater against 0, else both", VALUE(side), NULL,
	  "look for differences of either sign, or one" },
	{ "permutations", 0, CLPAC__OPTION_COUNT, "N", "10000", VALUE(permutations), NULL,
	  "permutations, the given order among them; all, where there are no more" },
	{ "seed", 0, CLPAC__OPTION_COUNT, "N", "42", VALUE(seed), NULL,
	  "seed of permutations that are drawn" },
	{ "clusters", 0, CLPAC__OPTION_NUMBER, "SHARE", "0.05", VALUE(cluster_share), NULL,
	  "share of the t distribution beyond which cells enter clusters" },
	{ "family", 0, CLPAC__OPTION_CHOICE, "map|run", "map", VALUE(family), NULL,
	  "correct p over the cells of each map, or over all channels and segments" },
};
const clpac__option_group clpac__options_subjects =
	GROUP("The comparison", subjects_options, .is_not_for_files = false);

static const clpac__option trial_options[] = {
	{ "events", 0, CLPAC__OPTION_TEXT, "LIST", NULL, VALUE(events), NULL,
	  "a trial about each event whose text is this, or one of several as NAME=PATTERN: go, all=go*" },
	{ "window", 0, CLPAC__OPTION_TEXT, "A:B", NULL, VALUE(window), NULL,
	  "a trial, from A to B seconds after its event: -0.5:1.5" },
	{ "step", 0, CLPAC__OPTION_NUMBER, "S", "0.01, or a sample", VALUE(step_s), NULL,
	  "correlate at a point in time every S seconds" },
};
const clpac__option_group clpac__options_trials = GROUP("The trials", trial_options, .is_not_for_files = false);

static const clpac__option trials_method_options[] = {
	{ "phase", 0, CLPAC__OPTION_TEXT, "SPEC", "2:20:10", VALUE(phase), NULL,
	  "phase bands: LO:HI:COUNT[:log|/WIDTH] or LO-HI,..." },
	{ "amplitude", 0, CLPAC__OPTION_TEXT, "SPEC", "60:160:10", VALUE(amplitude), NULL,
	  "amplitude bands, written the same way" },
	{ "surrogates", 0, CLPAC__OPTION_TEXT, "K", "200", VALUE(surrogates), NULL,
	  "permutations of trials; 0: rho alone" },
	{ "seed", 0, CLPAC__OPTION_COUNT, "N", "42", VALUE(seed), NULL,
	  "seed of the permutations" },
	{ "share-shifts", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(share_shifts), NULL,
	  "the same permutations for all channels" },
	{ "allow-narrow", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(allow_narrow), NULL,
	  "let cells be peaks whose amplitude band is too narrow for the phase or overlaps it" },
};
const clpac__option_group clpac__options_trials_method =
	GROUP("The method", trials_method_options, .is_not_for_files = false);

static const clpac__option synthetic_options[] = {
	{ "rate", 0, CLPAC__OPTION_NUMBER, "HZ", "512", VALUE(rate_hz), NULL,
	  "sampling rate" },
	{ "seconds", 0, CLPAC__OPTION_NUMBER, "S", "60", VALUE(seconds), NULL,
	  "length" },
	{ "channels", 0, CLPAC__OPTION_COUNT, "N", "1", VALUE(n_channels), NULL,
	  "channels, each with oscillations and noise of its own" },
	{ "phase", 0, CLPAC__OPTION_NUMBER, "HZ", "6", VALUE(phase_hz), NULL,
	  "frequency of the slow oscillation, whose phase drives" },
	{ "amplitude", 0, CLPAC__OPTION_NUMBER, "HZ", "80", VALUE(amplitude_hz), NULL,
	  "frequency of the fast oscillation, whose amplitude is driven" },
	{ "strength", 0, CLPAC__OPTION_NUMBER, "X", "0.8", VALUE(strength), NULL,
	  "strength of the coupling, from 0 to 1" },
	{ "noise", 0, CLPAC__OPTION_NUMBER, "X", "1.5", VALUE(noise), NULL,
	  "root mean square of the pink noise, relative to the slow oscillation" },
	{ "driver", 0, CLPAC__OPTION_CHOICE, "noise|sine|sawtooth", "noise", VALUE(driver), NULL,
	  "the slow wave: narrow-band noise; a pure line; or a sawtooth, without any fast oscillation" },
	{ "seed", 0, CLPAC__OPTION_COUNT, "N", "42", VALUE(seed), NULL,
	  "seed of all random numbers; the same seed gives the same file everywhere" },
};
const clpac__option_group clpac__options_synthetic = GROUP(NULL, synthetic_options, .is_not_for_files = false);
/* clang-format on */

const clpac__option_group *const *clpac__options_of(clpac_analysis_kind kind)
{
	static const clpac__option_group *const runs[] = {CLPAC__OPTIONS_OF_RUNS, NULL};
	static const clpac__option_group *const trials[] = {&clpac__options_trials,
							    &clpac__options_read,
							    &clpac__options_take,
							    &clpac__options_reject,
							    &clpac__options_trials_method,
							    &clpac__options_compute,
							    NULL};
	static const clpac__option_group *const conditions[] = {&clpac__options_comparison, CLPAC__OPTIONS_OF_RUNS,
								NULL};
	static const clpac__option_group *const subjects[] = {&clpac__options_subjects, NULL};
	static const clpac__option_group *const *const all[] = {runs, trials, conditions, subjects};
	_Static_assert(sizeof all / sizeof *all == CLPAC_ANALYSIS_KIND_COUNT, "groups of each kind");
	return all[kind];
}
