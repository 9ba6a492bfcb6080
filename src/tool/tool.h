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
#include "analysis/settings.h"

/* The type of an option's value. */
typedef enum tool_kind {
	TOOL_FLAG = 0, /* bool; no argument */
	TOOL_TEXT,     /* const char * */
	TOOL_NUMBER,   /* double, finite */
	TOOL_COUNT,    /* uint64_t */
	TOOL_CHOICE,   /* unsigned: index of the word in `argument`, whose words are separated by | */
	TOOL_KIND_COUNT
} tool_kind;

/* The origin of a value, the weakest first. */
typedef enum tool_origin {
	TOOL_FROM_DEFAULT = 0,
	TOOL_FROM_ENVIRONMENT,
	TOOL_FROM_FILE, /* --config */
	TOOL_FROM_COMMAND_LINE,
	TOOL_ORIGIN_COUNT
} tool_origin;

typedef struct tool_option {
	const char *name; /* without the two hyphens */
	char letter;	  /* short form, 0 for none */
	tool_kind kind;
	const char *argument; /* as shown in --help: "HZ", "mean|sum"; NULL for a flag */
	const char *standard; /* the default in words; NULL: none is shown */
	size_t offset;	      /* of the value in tool_values */
	const char *once;     /* an error text for the second time the option is given; NULL: the last one wins */
	const char *meaning;  /* one line */
} tool_option;

/* Options that belong together, under a heading of --help. */
typedef struct tool_group {
	const char *title;
	const tool_option *options;
	size_t n_options;
	bool is_not_for_files; /* its options are no keys of --config */
} tool_group;

/* The values of all options of all commands.  Zero is "not given"; the code that uses a value fills in its default. */
typedef struct tool_values {
	clpac__analysis_settings analysis;
	/* the computing */
	const char *device, *memory, *fft, *probe;
	/* the output */
	const char *output, *plot, *config;
	bool csv, json, quiet, force, help, skip_existing;
	/* synth */
	double seconds, phase_hz, amplitude_hz, strength, noise;
	uint64_t n_channels;
	unsigned driver;
	/* memory */
	const char *trace, *replay, *snapshot;
	/* devices */
	const char *from, *write;
	bool all;
	/* plot */
	uint64_t segment_number;
	double alpha, lowest, highest;
	unsigned colours;
	const char *cell;
	bool grid, each, over_time, arrows;
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
		const tool_option *option;
		tool_origin origin;
		const char *text; /* NULL for a flag */
	} given[TOOL_MAX_GIVEN];
	size_t n_given;
	size_t n_operands;
	const char **every_operand; /* of a command that takes several, in order; NULL for others */
	tool_direction direction;   /* set before files are touched */
	clpac__analysis_sink sink;  /* of `values.analysis`, which tells it to standard error */
	char *request;		    /* owned: the `request` of `values.analysis` */
	tool_progress progress;	    /* of the analysis under way */
	void *config;		    /* owns the texts that came from a --config file */
} tool_call;

struct tool_command {
	const char *name;
	const char *usage; /* text after the name: "FILE [OPTIONS]" */
	size_t min_operands, max_operands;
	const char *operand;		 /* name of an operand, for the error if it is missing */
	const char *summary;		 /* half a line */
	const char *help;		 /* lines that --help shows above the options; each ends with a newline */
	const tool_group *const *groups; /* ends with NULL */
	clpac_status (*run)(tool_call *call, clpac_error *err);
};

#endif
