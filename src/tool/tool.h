/* The program's own vocabulary: a command, its options, and one call of it.
 *
 * A command is one file with one `const tool_command` and one line in the table of commands.c.  Its options are rows of
 * tables (option tables are shared in groups); from the rows come the parsing, --help, the keys of --config and the
 * lines of `clpac config`, so that they cannot tell different stories. */
#ifndef CLPAC_TOOL_TOOL_H
#define CLPAC_TOOL_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/memory/device.h>
#include <clpac/memory/options.h>
#include <clpac/plan.h>
#include <clpac/status.h>
#include "tool/fail.h"

/* What an option's text becomes. */
typedef enum tool_kind {
	TOOL_FLAG = 0, /* bool; no argument */
	TOOL_TEXT,     /* const char * */
	TOOL_NUMBER,   /* double, finite */
	TOOL_COUNT,    /* uint64_t */
	TOOL_CHOICE,   /* unsigned: which of the words in `argument`, which are separated by | */
	TOOL_KIND_COUNT
} tool_kind;

/* Where a value came from, the weakest first. */
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
	const char *standard; /* the default in words; NULL where there is none to speak of */
	size_t offset;	      /* of the value in tool_values */
	const char *once;     /* an error text for the second time the option is given; NULL: the last one wins */
	const char *meaning;  /* one line */
} tool_option;

/* Options that belong together, under a heading of --help. */
typedef struct tool_group {
	const char *title;
	const tool_option *options;
	size_t n_options;
	bool is_not_for_files; /* these are no keys of --config */
} tool_group;

/* The values of all options of all commands.  Zeroed is "not given"; defaults are filled in by who uses them. */
typedef struct tool_values {
	/* the recording */
	double rate_hz;
	const char *raw, *array, *channels, *segment;
	double start_s, stop_s;
	/* the method */
	const char *phase, *amplitude, *edge, *surrogates, *shifts, *problem;
	uint64_t bins, seed;
	unsigned average, hilbert, ddof;
	double min_shift_s;
	bool keep_surrogates;
	/* the computing */
	const char *device, *memory, *fft, *probe;
	unsigned strategy;
	/* the output */
	const char *output, *plot, *config;
	bool csv, json, quiet, force, help;
	/* synth */
	double seconds, phase_hz, amplitude_hz, strength, noise;
	uint64_t n_channels;
	unsigned driver;
	/* memory */
	const char *trace, *replay;
	/* devices */
	const char *from, *write;
	bool all;
	/* plot */
	const char *channel;
	uint64_t segment_number;
} tool_values;

/* Whether a failing file is one that is read or one that is written: the exit code tells. */
typedef enum tool_direction { TOOL_INPUT = 0, TOOL_OUTPUT } tool_direction;

typedef struct tool_command tool_command;

enum { TOOL_MAX_GIVEN = 64, TOOL_MAX_OPERANDS = 1 };

/* One call of a command. */
typedef struct tool_call {
	const tool_command *command;
	tool_values values;
	struct tool_given { /* the options that were given, each once */
		const tool_option *option;
		tool_origin origin;
		const char *text; /* NULL for a flag */
	} given[TOOL_MAX_GIVEN];
	size_t n_given;
	const char *operands[TOOL_MAX_OPERANDS];
	size_t n_operands;
	tool_direction direction; /* set before files are touched */
	void *config;		  /* owns the texts that came from a --config file */
} tool_call;

struct tool_command {
	const char *name;
	const char *usage; /* what follows the name: "FILE [OPTIONS]" */
	size_t min_operands, max_operands;
	const char *operand;		 /* what an operand is, for the error when it is missing */
	const char *summary;		 /* half a line */
	const char *help;		 /* lines that --help shows above the options; each ends with a newline */
	const tool_group *const *groups; /* ends with NULL */
	clpac_status (*run)(tool_call *call, clpac_error *err);
};

/* --- commands.c: the table of commands -------------------------------------------------------- */

extern const tool_command *const tool_commands[]; /* ends with NULL */
/* NULL when there is none of that name. */
const tool_command *tool_command_find(const char *name);

/* --- groups.c: options that several commands share ------------------------------------------------------------------
 */

extern const tool_group tool_group_read; /* --rate, --raw, --array */
extern const tool_group tool_group_take; /* --channels, --start, --stop, --segment */
extern const tool_group tool_group_method;
extern const tool_group tool_group_compute;
extern const tool_group tool_group_output;
extern const tool_group tool_group_common; /* --help */
extern const tool_group tool_group_config; /* --config */
extern const tool_group tool_group_json;   /* --json */

/* --- parse.c
 * ---------------------------------------------------------------------------------------------------------- */

/* Reads the arguments that follow the command's name.  Texts are kept as pointers into argv. */
clpac_status tool_parse(tool_call *call, int n_arguments, char **arguments, clpac_error *err);
/* Sets one option from text, unless a stronger origin has set it already.  The text must outlive the call. */
clpac_status tool_set(tool_call *call, const tool_option *option, const char *text, tool_origin origin,
		      clpac_error *err);
/* NULL when the command has no such option. */
const tool_option *tool_option_find(const tool_command *command, const char *name, const tool_group **group);
/* Where an option's value came from, and (nullable) its text. */
tool_origin tool_option_origin(const tool_call *call, const char *name, const char **text);
bool tool_is_given(const tool_call *call, const char *name);
/* A finite number that fills the whole text. */
bool tool_read_number(const char *text, double *out);
/* A whole number without sign that fills the whole text and fits; false otherwise, with errno ERANGE for one too large.
 */
bool tool_read_count(const char *text, uint64_t *out);

/* --- config_file.c
 * ---------------------------------------------------------------------------------------------------- */

/* Takes over the keys of the --config file, if one was given. */
clpac_status tool_read_config(tool_call *call, clpac_error *err);
void tool_forget_config(tool_call *call);

/* --- settings.c
 * --------------------------------------------------------------------------------------------------------- */

/* The library's options from the environment, and from --device, --memory, --fft and --probe over it; clFFT is told of
 * the cache. Before any thread is started. */
clpac_status tool_settings(tool_call *call, clpac_options *out, clpac_error *err);
/* The machine's devices, as the options want them looked at. */
clpac_status tool_devices_find(const clpac_options *options, clpac_device_list **out, clpac_error *err);

/* --- help.c
 * --------------------------------------------------------------------------------------------------------------- */

void tool_help(void);
void tool_help_command(const tool_command *command);

/* --- exit.c
 * --------------------------------------------------------------------------------------------------------------- */

enum { TOOL_EXIT_INTERRUPTED = 130 };
/* The exit code of a status, as the manual page lists them. */
int tool_exit_code(clpac_status status, int native_code, tool_direction direction);

#endif
