/* Options that several commands share.  A row holds name, letter, kind, argument, default, place of the value, the
 * error text for giving it twice, and meaning. */
#include "tool/option_groups.h"

#define VALUE(member) offsetof(tool_values, member)
#define GROUP(title_, rows)                                                                                            \
	{                                                                                                              \
		.title = title_, .options = rows, .n_options = sizeof rows / sizeof *rows                              \
	}

/* clang-format off */
static const tool_option read_options[] = {
	{ "rate", 0, TOOL_NUMBER, "HZ", NULL, VALUE(analysis.rate_hz), NULL,
	  "sampling rate, for files that hold none" },
	{ "raw", 0, TOOL_TEXT, "TYPE:CHANNELS", NULL, VALUE(analysis.raw), NULL,
	  "the file holds bare samples of TYPE i2, i4, f4 or f8; big-endian as >f4" },
	{ "array", 0, TOOL_TEXT, "NAME", "the only one, or data", VALUE(analysis.array), NULL,
	  "array of an .npz file to read" },
	{ "resample", 0, TOOL_NUMBER, "HZ", "as recorded", VALUE(analysis.resample_hz), NULL,
	  "bring every channel to this rate, without delay (libsamplerate)" },
};
/* clang-format on */
const tool_group tool_group_read = GROUP("Reading", read_options);

/* clang-format off */
static const tool_option take_options[] = {
	{ "channels", 0, TOOL_TEXT, "LIST", "signals of the brain", VALUE(analysis.channels), NULL,
	  "numbers, ranges, names, patterns, types, without those behind a hyphen: 3,0-2,ECOG*,eeg,-Fp1" },
	{ "pairs", 0, TOOL_TEXT, "all|FILE.tsv", "each channel with itself", VALUE(analysis.pairs), NULL,
	  "couple the phase of each channel with the amplitude of each, or the pairs of a table" },
	{ "phase-channels", 0, TOOL_TEXT, "LIST", "--channels", VALUE(analysis.phase_channels), NULL,
	  "couple the phases of these channels, written as --channels, ..." },
	{ "amplitude-channels", 0, TOOL_TEXT, "LIST", "--channels", VALUE(analysis.amplitude_channels), NULL,
	  "with the amplitudes of these, each with each" },
	{ "start", 0, TOOL_NUMBER, "S", "0", VALUE(analysis.start_s), NULL,
	  "use the recording from this second on" },
	{ "stop", 0, TOOL_NUMBER, "S", "the end", VALUE(analysis.stop_s), NULL,
	  "use the recording up to this second" },
	{ "segment", 0, TOOL_TEXT, "S[:STEP]", "all in one", VALUE(analysis.segment), NULL,
	  "cut into segments of S seconds, one every STEP (S)" },
};
/* clang-format on */
const tool_group tool_group_take = GROUP("Which part of the recording", take_options);

/* clang-format off */
static const tool_option reject_options[] = {
	{ "reject", 0, TOOL_TEXT, "LIST", "BAD*", VALUE(analysis.reject), NULL,
	  "leave out the time of annotations whose text is one of these patterns, in any case: BAD*,EDGE*" },
	{ "keep-bad", 0, TOOL_FLAG, NULL, NULL, VALUE(analysis.keep_bad), NULL,
	  "leave out no annotation's time" },
};
/* clang-format on */
const tool_group tool_group_reject = GROUP("Bad stretches", reject_options);

/* clang-format off */
static const tool_option epoch_options[] = {
	{ "sliding", 0, TOOL_TEXT, "S[:STEP]", NULL, VALUE(analysis.sliding), NULL,
	  "one index per window of S seconds, one every STEP (S), of the signal filtered as a whole" },
	{ "events", 0, TOOL_TEXT, "LIST", NULL, VALUE(analysis.events), NULL,
	  "one index per epoch: around the events whose text is one of these patterns, as go,stop* or NAME=PATTERN" },
	{ "window", 0, TOOL_TEXT, "A:B", NULL, VALUE(analysis.window), NULL,
	  "an epoch, from A to B seconds after its event: -0.5:1.5" },
	{ "pool", 0, TOOL_FLAG, NULL, NULL, VALUE(analysis.pool), NULL,
	  "one index per condition, of the sums over its epochs" },
};
/* clang-format on */
const tool_group tool_group_epochs = GROUP("Epochs", epoch_options);

/* clang-format off */
static const tool_option method_options[] = {
	{ "phase", 0, TOOL_TEXT, "SPEC", "2:20:10", VALUE(analysis.phase), NULL,
	  "phase bands: LO:HI:COUNT[:log|/WIDTH] or LO-HI,..." },
	{ "amplitude", 0, TOOL_TEXT, "SPEC", "60:160:10", VALUE(analysis.amplitude), NULL,
	  "amplitude bands, written the same way, or LO:HI:COUNT/tied" },
	{ "bins", 0, TOOL_COUNT, "N", "18", VALUE(analysis.bins), NULL,
	  "phase bins" },
	{ "average", 0, TOOL_CHOICE, "mean|sum", "mean", VALUE(analysis.average), NULL,
	  "mean or summed amplitude of a bin enters the index" },
	{ "hilbert", 0, TOOL_CHOICE, "local|trimmed", "local", VALUE(analysis.hilbert), NULL,
	  "Hilbert transform with the filter, or after it" },
	{ "edge", 0, TOOL_TEXT, "auto|SECONDS", "0", VALUE(analysis.edge), NULL,
	  "time to drop at both ends after filtering; auto: half the longest filter" },
	{ "surrogates", 0, TOOL_TEXT, "K", "200", VALUE(analysis.surrogates), NULL,
	  "surrogates per series; 0: the index alone" },
	{ "measure", 0, TOOL_TEXT, "LIST", "mi", VALUE(analysis.measure), NULL,
	  "mi, hr, mvl, dpac, ndpac, glm, gcmi, plv; the first is the one that pictures and sentences tell of" },
	{ "null", 0, TOOL_TEXT, "shift|shift=all[/STEP]|trials|blocks[=N]|phases", "shift", VALUE(analysis.null), NULL,
	  "compare with random shifts, every (STEP-th) one, other segments, blocks in another order, random phases" },
	{ "shifts", 0, TOOL_TEXT, "LIST", NULL, VALUE(analysis.shifts), NULL,
	  "use exactly these shifts, in samples: 5,17,400" },
	{ "min-shift", 0, TOOL_NUMBER, "S", "one sample", VALUE(analysis.min_shift_s), NULL,
	  "shortest shift, in seconds" },
	{ "keep-surrogates", 0, TOOL_FLAG, NULL, NULL, VALUE(analysis.keep_surrogates), NULL,
	  "also write the index of every surrogate" },
	{ "keep-distributions", 0, TOOL_FLAG, NULL, NULL, VALUE(analysis.keep_distributions), NULL,
	  "also write the mean amplitude in each phase bin of every cell" },
	{ "allow-narrow", 0, TOOL_FLAG, NULL, NULL, VALUE(analysis.allow_narrow), NULL,
	  "let cells be peaks whose amplitude band is too narrow for the phase or overlaps it" },
	{ "share-shifts", 0, TOOL_FLAG, NULL, NULL, VALUE(analysis.share_shifts), NULL,
	  "the same shifts, or draws of another null, for all channels and segments" },
	{ "family", 0, TOOL_CHOICE, "map|run", "map", VALUE(analysis.family), NULL,
	  "correct p over the cells of each map, or of the whole run, with --share-shifts" },
	{ "clusters", 0, TOOL_NUMBER, "SHARE", NULL, VALUE(analysis.cluster_share), NULL,
	  "also p of clusters of the cells whose index is in this share of its highest, as 0.05" },
	{ "gamma", 0, TOOL_FLAG, NULL, NULL, VALUE(analysis.gamma), NULL,
	  "also an approximate p from a gamma distribution, for indices above all surrogates" },
	{ "seed", 0, TOOL_COUNT, "N", "42", VALUE(analysis.seed), NULL,
	  "seed of shifts, permutations and phases" },
	{ "ddof", 0, TOOL_CHOICE, "0|1", "0", VALUE(analysis.ddof), NULL,
	  "degrees of freedom subtracted for the surrogates' deviation" },
	{ "problem", 0, TOOL_TEXT, "TEXT", NULL, VALUE(analysis.problem), NULL,
	  "all of these in one line, as a result records them; other options override it" },
};
/* clang-format on */
const tool_group tool_group_method = GROUP("The method", method_options);

/* clang-format off */
static const tool_option compute_options[] = {
	{ "device", 0, TOOL_TEXT, "SELECTION", "the best", VALUE(device),
	  "join several devices with +, as gpu+native",
	  "where to compute: gpu, native, 0:1, name~Radeon, ...; gpu+native or all for several at once" },
	{ "memory", 0, TOOL_TEXT, "LIMIT", "0.8", VALUE(memory), NULL,
	  "memory to use at most: a fraction, or bytes as 4G" },
	{ "hold", 0, TOOL_TEXT, "BYTES", "256M, more if multiplexed", VALUE(analysis.hold), NULL,
	  "samples to hold at once; of a longer recording, some channels after the other are read" },
	{ "fft", 0, TOOL_TEXT, "auto|clfft|vkfft|fftw|kissfft", "auto", VALUE(fft), NULL,
	  "FFT engine: clfft and vkfft on OpenCL devices, fftw and kissfft on native" },
	{ "probe", 0, TOOL_TEXT, "SECONDS", "10, after drivers changed", VALUE(probe), NULL,
	  "start OpenCL's drivers in a child process first, for this time at most" },
	{ "strategy", 0, TOOL_CHOICE, "auto|vectorized|chunked|sequential|conservative|aggressive",
	  "auto", VALUE(analysis.strategy), NULL,
	  "trade of memory for time; does not change results" },
};
/* clang-format on */
const tool_group tool_group_compute = GROUP("Computation", compute_options);

/* clang-format off */
#define WRITTEN_BESIDE_THE_RESULT \
	{ "csv", 0, TOOL_FLAG, NULL, NULL, VALUE(csv), NULL, \
	  "also write OUT.csv, a line per cell" }, \
	{ "plot", 0, TOOL_TEXT, "LIST", NULL, VALUE(plot), NULL, \
	  "also draw OUT.png and others: png,svg,pdf" }, \
	{ "json", 0, TOOL_FLAG, NULL, NULL, VALUE(json), NULL, \
	  "also print OUT.json on standard output" }, \
	{ "force", 'f', TOOL_FLAG, NULL, NULL, VALUE(force), NULL, \
	  "replace files that exist" }, \
	{ "quiet", 'q', TOOL_FLAG, NULL, NULL, VALUE(quiet), NULL, \
	  "print errors only" }

static const tool_option output_options[] = {
	{ "output", 'o', TOOL_TEXT, "OUT.npz", NULL, VALUE(output), NULL,
	  "the result, with OUT.json in the same folder; of several recordings a folder (clpac-results)" },
	{ "skip-existing", 0, TOOL_FLAG, NULL, NULL, VALUE(skip_existing), NULL,
	  "leave out recordings whose result is there, from the same recording with the same options" },
	{ "no-checksum", 0, TOOL_FLAG, NULL, NULL, VALUE(analysis.no_checksum), NULL,
	  "leave out the recording's checksum, for which all of the file is read" },
	{ "checkpoint", 0, TOOL_TEXT, "S|off", "60", VALUE(analysis.checkpoint), NULL,
	  "keep finished channels and segments every S seconds of computing, for a rerun to go on from" },
	WRITTEN_BESIDE_THE_RESULT,
};
static const tool_option comparison_output_options[] = {
	{ "output", 'o', TOOL_TEXT, "OUT.npz", NULL, VALUE(output), NULL,
	  "the comparison, with OUT.json in the same folder" },
	WRITTEN_BESIDE_THE_RESULT,
};
static const tool_option trials_output_options[] = {
	{ "output", 'o', TOOL_TEXT, "OUT.npz", NULL, VALUE(output), NULL,
	  "the result, with OUT.json in the same folder; of several recordings a folder (clpac-results)" },
	{ "skip-existing", 0, TOOL_FLAG, NULL, NULL, VALUE(skip_existing), NULL,
	  "leave out recordings whose result is there, from the same recording with the same options" },
	{ "no-checksum", 0, TOOL_FLAG, NULL, NULL, VALUE(analysis.no_checksum), NULL,
	  "leave out the recording's checksum, for which all of the file is read" },
	WRITTEN_BESIDE_THE_RESULT,
};
/* clang-format on */
const tool_group tool_group_trials_output = GROUP("The output", trials_output_options);
const tool_group tool_group_output = GROUP("The output", output_options);
const tool_group tool_group_comparison_output = GROUP("The output", comparison_output_options);

/* clang-format off */
static const tool_option json_options[] = {
	{ "json", 0, TOOL_FLAG, NULL, NULL, VALUE(json), NULL,
	  "print JSON instead" },
};
/* clang-format on */
const tool_group tool_group_json = GROUP("The output", json_options);

/* clang-format off */
static const tool_option config_options[] = {
	{ "config", 0, TOOL_TEXT, "FILE.json", NULL, VALUE(config), NULL,
	  "options from a file; the command line overrides them" },
};
/* clang-format on */
const tool_group tool_group_config = {
	.title = NULL,
	.options = config_options,
	.n_options = 1,
	.is_not_for_files = true,
};

/* clang-format off */
static const tool_option common_options[] = {
	{ "help", 'h', TOOL_FLAG, NULL, NULL, VALUE(help), NULL,
	  "print this help" },
};
/* clang-format on */
const tool_group tool_group_common = {
	.title = NULL,
	.options = common_options,
	.n_options = 1,
	.is_not_for_files = true,
};
