/* Types of the program: a command, its options, and one call of it.
 *
 * A command is a file command_NAME.c with one `const tool_command`, declared in commands.h and listed in the table of
 * commands.c.  Its options are rows of tables, and tables that several commands share stand in option_groups.c.
 * Parsing, --help, the keys of --config and the lines of `clpac config` all come from these rows, so that they cannot
 * contradict each other. */
#ifndef CLPAC_TOOL_TOOL_H
#define CLPAC_TOOL_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "analysis/options/options.h"
#include "analysis/settings.h"

/* The origin of a value, the weakest first. */
typedef enum tool_origin {
	TOOL_FROM_DEFAULT = 0,
	TOOL_FROM_ENVIRONMENT,
	TOOL_FROM_FILE, /* --config */
	TOOL_FROM_COMMAND_LINE,
	TOOL_ORIGIN_COUNT
} tool_origin;

/* The values of all options of all commands.  Zero is "not given"; the code that uses a value fills in its default. */
typedef struct tool_values {
	clpac__analysis_settings analysis; /* first, so that offsets of analysis/options/tables.h are offsets here */
	/* the output */
	const char *output, *plot, *config;
	bool csv, mat, json, json_full, report, quiet, force, help, skip_existing;
	/* bids */
	const char *participants, *sessions, *tasks, *acquisitions, *runs, *datatypes, *label;
	bool skip_validation;
	/* plan */
	bool study;
	/* memory */
	const char *trace, *replay;
	/* devices */
	const char *from, *write;
	bool all;
	/* table */
	const char *regions;
	/* plot, and alpha of table */
	uint64_t segment_number;
	double alpha, lowest, highest, width_mm;
	unsigned colours;
	const char *cell, *electrodes;
	bool grid, each, over_time, arrows, smooth, population, topography;
} tool_values;

/* Whether files are being read or written when a call fails: the exit codes differ. */
typedef enum tool_direction { TOOL_INPUT = 0, TOOL_OUTPUT } tool_direction;

/* The progress of an analysis, as it is shown. */
typedef struct tool_progress {
	const char *place; /* "file 2 of 40"; NULL: the only one */
	bool is_terminal, is_drawn;
	double started_s, drawn_s;
	int tenths; /* lines printed so far, off a terminal */
} tool_progress;

typedef struct tool_command tool_command;

enum { TOOL_MAX_GIVEN = CLPAC__MOST_GIVEN };
/* max_operands of a command that takes any number. */
#define TOOL_ANY_NUMBER SIZE_MAX

/* One call of a command. */
typedef struct tool_call {
	const tool_command *command;
	/* `analysis.input` is the operand; of a command that takes several, the one being worked on. */
	tool_values values;
	struct tool_given { /* the options that were given, each once */
		const clpac__option *option;
		tool_origin origin;
		const char *text; /* NULL for a flag */
	} given[TOOL_MAX_GIVEN];
	size_t n_given;
	size_t n_operands;
	const char **every_operand; /* of a command that takes several, in order; NULL for others */
	tool_direction direction;   /* set before files are touched */
	clpac_analysis_sink sink;   /* of `values.analysis`, which tells it to standard error */
	char *request;		    /* owned: the `request` of `values.analysis` */
	tool_progress progress;	    /* of the analysis under way */
	void *config;		    /* owns the texts that came from a --config file */
	char shard[48];		    /* I/N, of --shard auto */
} tool_call;

enum { TOOL_N_EXAMPLES = 3 };

struct tool_command {
	const char *name;
	const char *usage; /* text after the name: "FILE [OPTIONS]" */
	size_t min_operands, max_operands;
	const char *operand;		       /* name of an operand, for the error if it is missing */
	const char *summary;		       /* half a line */
	const char *help;		       /* lines that --help shows above the options; each ends with a newline */
	const char *examples[TOOL_N_EXAMPLES]; /* what --help shows behind "clpac NAME" at its end */
	const clpac__option_group *const *groups; /* ends with NULL */
	clpac_status (*run)(tool_call *call, clpac_error *err);
};

#endif
