/* Options that several commands share.  A row holds name, letter, kind, argument, default, place of the value, the
 * error text for giving it twice, and meaning. */
#include "tool/commands.h"

_Static_assert(offsetof(tool_values, analysis) == 0, "offsets of analysis/options/tables.c");

#define VALUE(member) offsetof(tool_values, member)
#define GROUP(title_, rows)                                                                                            \
	{                                                                                                              \
		.title = title_, .options = rows, .n_options = sizeof rows / sizeof *rows                              \
	}

/* clang-format off */
#define WRITTEN_BESIDE_THE_RESULT \
	{ "csv", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(csv), NULL, \
	  "also write OUT.csv, a line per cell" }, \
	{ "mat", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(mat), NULL, \
	  "also write OUT.mat, the arrays for MATLAB and GNU Octave" }, \
	{ "plot", 0, CLPAC__OPTION_TEXT, "LIST", NULL, VALUE(plot), NULL, \
	  "also draw OUT.png and others: png,svg,pdf" }, \
	{ "report", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(report), NULL, \
	  "also write OUT.html, a page about the result (clpac report)" }, \
	{ "json", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(json), NULL, \
	  "also print OUT.json on standard output" }, \
	{ "json-full", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(json_full), NULL, \
	  "write filters' taps, phases, mean vectors and valid cells into OUT.json, too" }, \
	{ "force", 'f', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(force), NULL, \
	  "replace files that exist" }, \
	{ "quiet", 'q', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(quiet), NULL, \
	  "print errors only" }

static const clpac__option output_options[] = {
	{ "output", 'o', CLPAC__OPTION_TEXT, "OUT.npz", NULL, VALUE(output), NULL,
	  "the result, with OUT.json in the same folder; of several recordings a folder (clpac-results)" },
	{ "skip-existing", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(skip_existing), NULL,
	  "leave out recordings whose result is there, from the same recording with the same options" },
	{ "no-checksum", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(analysis.no_checksum), NULL,
	  "leave out the recording's checksum, for which all of the file is read" },
	{ "checkpoint", 0, CLPAC__OPTION_TEXT, "S|off", "60", VALUE(analysis.checkpoint), NULL,
	  "keep finished channels and segments every S seconds of computing, for a rerun to go on from" },
	WRITTEN_BESIDE_THE_RESULT,
};
static const clpac__option comparison_output_options[] = {
	{ "output", 'o', CLPAC__OPTION_TEXT, "OUT.npz", NULL, VALUE(output), NULL,
	  "the comparison, with OUT.json in the same folder" },
	WRITTEN_BESIDE_THE_RESULT,
};
static const clpac__option trials_output_options[] = {
	{ "output", 'o', CLPAC__OPTION_TEXT, "OUT.npz", NULL, VALUE(output), NULL,
	  "the result, with OUT.json in the same folder; of several recordings a folder (clpac-results)" },
	{ "skip-existing", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(skip_existing), NULL,
	  "leave out recordings whose result is there, from the same recording with the same options" },
	{ "no-checksum", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(analysis.no_checksum), NULL,
	  "leave out the recording's checksum, for which all of the file is read" },
	WRITTEN_BESIDE_THE_RESULT,
};
static const clpac__option study_output_options[] = {
	{ "desc", 0, CLPAC__OPTION_TEXT, "LABEL", "clpac", VALUE(label), NULL,
	  "names of results have desc-LABEL: results of other options stand beside each other" },
	{ "checkpoint", 0, CLPAC__OPTION_TEXT, "S|off", "60", VALUE(analysis.checkpoint), NULL,
	  "keep finished channels and segments every S seconds of computing, for a rerun to go on from" },
	{ "csv", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(csv), NULL,
	  "also write a .csv, a line per cell" },
	{ "mat", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(mat), NULL,
	  "also write a .mat, the arrays for MATLAB and GNU Octave" },
	{ "plot", 0, CLPAC__OPTION_TEXT, "LIST", "svg", VALUE(plot), NULL,
	  "pictures to draw: png,svg,pdf" },
	{ "json-full", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(json_full), NULL,
	  "write filters' taps, phases, mean vectors and valid cells into the .json, too" },
	{ "force", 'f', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(force), NULL,
	  "replace results of other options or recordings" },
	{ "quiet", 'q', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(quiet), NULL,
	  "print errors only" },
};
static const clpac__option dataset_options[] = {
	{ "participant-label", 0, CLPAC__OPTION_TEXT, "LIST", "all", VALUE(participants), NULL,
	  "participants to take, as 01,02 or 01 02" },
	{ "session-label", 0, CLPAC__OPTION_TEXT, "LIST", "all", VALUE(sessions), NULL,
	  "sessions to take" },
	{ "task-label", 0, CLPAC__OPTION_TEXT, "LIST", "all", VALUE(tasks), NULL,
	  "tasks to take" },
	{ "acquisition-label", 0, CLPAC__OPTION_TEXT, "LIST", "all", VALUE(acquisitions), NULL,
	  "acquisitions to take" },
	{ "run-label", 0, CLPAC__OPTION_TEXT, "LIST", "all", VALUE(runs), NULL,
	  "runs to take" },
	{ "datatype", 0, CLPAC__OPTION_TEXT, "LIST", "eeg,ieeg,meg", VALUE(datatypes), NULL,
	  "folders of recordings to take" },
	{ "skip-bids-validation", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(skip_validation), NULL,
	  "changes nothing, as clpac validates no dataset: for programs that call BIDS Apps" },
};
static const clpac__option level_options[] = {
	{ "value", 0, CLPAC__OPTION_CHOICE, "z|index|excess", "z", VALUE(analysis.value), NULL,
	  "compare z, the indices themselves, or what they are above their surrogates' mean" },
	{ "channel", 0, CLPAC__OPTION_TEXT, "LIST", "all, by name", VALUE(analysis.channel), NULL,
	  "channels to compare, by name or number, as Cz,Pz" },
	{ "side", 0, CLPAC__OPTION_CHOICE, "both|greater|less", "greater", VALUE(analysis.side), NULL,
	  "look for differences of either sign, or one" },
	{ "permutations", 0, CLPAC__OPTION_COUNT, "N", "10000", VALUE(analysis.permutations), NULL,
	  "permutations, the given order among them; all, where there are no more" },
};
/* clang-format on */
const clpac__option_group tool_group_level =
	GROUP("The group level, which also takes --measure, --seed, --clusters and --family", level_options);
const clpac__option_group tool_group_study_output = GROUP("The output", study_output_options);
const clpac__option_group tool_group_dataset = GROUP("The dataset", dataset_options);
const clpac__option_group tool_group_trials_output = GROUP("The output", trials_output_options);
const clpac__option_group tool_group_output = GROUP("The output", output_options);
const clpac__option_group tool_group_comparison_output = GROUP("The output", comparison_output_options);

/* clang-format off */
static const clpac__option shard_options[] = {
	{ "shard", 0, CLPAC__OPTION_TEXT, "I/N|auto", NULL, VALUE(analysis.shard), NULL,
	  "compute the I-th of N shares of the channels, into OUT.shard-I-of-N.npz, for clpac merge" },
};
/* clang-format on */
const clpac__option_group tool_group_shard = GROUP("Computation", shard_options);

/* clang-format off */
static const clpac__option json_options[] = {
	{ "json", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(json), NULL,
	  "print JSON instead" },
};
/* clang-format on */
const clpac__option_group tool_group_json = GROUP("The output", json_options);

/* clang-format off */
static const clpac__option config_options[] = {
	{ "config", 0, CLPAC__OPTION_TEXT, "FILE.json", NULL, VALUE(config), NULL,
	  "options from a file; the command line overrides them" },
};
/* clang-format on */
const clpac__option_group tool_group_config = {
	.title = NULL,
	.options = config_options,
	.n_options = 1,
	.is_not_for_files = true,
};

/* clang-format off */
static const clpac__option common_options[] = {
	{ "help", 'h', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(help), NULL,
	  "print this help" },
};
/* clang-format on */
const clpac__option_group tool_group_common = {
	.title = NULL,
	.options = common_options,
	.n_options = 1,
	.is_not_for_files = true,
};
