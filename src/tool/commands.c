/* The program: finds the command, reads its options, runs it, and reports a failure by one line and an exit code. */
#include "tool/commands.h"

#include <stdio.h>
#include <string.h>
#include <clpac/write.h>
#include <clpac/plan.h>
#include <clpac/version.h>
#include "tool/arguments.h"
#include "tool/completion.h"
#include "tool/console.h"
#include "tool/interrupt.h"

static const tool_command *const commands[] = {
	&tool_command_devices,
	&tool_command_doctor,
	&tool_command_synth,
	&tool_command_info,
	&tool_command_run,
	&tool_command_merge,
	&tool_command_plan,
	&tool_command_plot,
	&tool_command_report,
	&tool_command_compare,
	&tool_command_group,
	&tool_command_table,
	&tool_command_erpac,
	&tool_command_bids,
	&tool_command_memory,
	&tool_command_config,

	NULL,
};

/* NULL if no command has that name. */
static const tool_command *find_command(const char *name)
{
	for (const tool_command *const *command = commands; *command; command++)
		if (strcmp((*command)->name, name) == 0)
			return *command;
	return NULL;
}

/* Standard output is a file like any other: a failed write is an error. */
static clpac_status close_output(clpac_error *err)
{
	bool failed = ferror(stdout);
	errno = 0;
	if (fclose(stdout) != 0 || failed)
		return clpac__fail_system(err, errno ? errno : EIO, "writing standard output");
	return CLPAC_OK;
}

static int run_command(const tool_command *command, int n_words, char **words)
{
	clpac_error error = {0}, *err = &error;
	tool_call call = {.command = command,
			  .values.analysis = {.words = (const char *const *)words, .n_words = (size_t)n_words}};
	clpac_status st = CLPAC_OK;

	tool_listen(&call);
	TRY(tool_parse(&call, n_words - 2, words + 2, err));
	if (call.values.help) {
		tool_help_command(command);
	} else {
		call.direction = TOOL_INPUT;
		TRY(tool_read_config(&call, err));
		TRY(command->run(&call, err));
	}
	call.direction = TOOL_OUTPUT;
	TRY(close_output(err));
done:
	tool_interrupt_end();
	if (st != CLPAC_OK)
		tool_print(stderr, "clpac %s: %s\n", command->name, *error.text ? error.text : clpac_status_text(st));
	tool_forget_config(&call);
	tool_forget_operands(&call);
	return tool_exit_code(st, error.native_code, call.direction);
}

/* Prints the version, the parts and the licence of this build. */
static clpac_status print_version(clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *parts = NULL, *io_parts = NULL;
	TRY(clpac_parts(&parts, err));
	TRY(clpac_io_parts(&io_parts, err));
	tool_print(stdout, "clpac %s\n", CLPAC_VERSION_STRING);
	if (strcmp(clpac_version(), CLPAC_VERSION_STRING) != 0)
		tool_print(stdout, "with the library of version %s\n", clpac_version());
	tool_print_lines(stdout, parts);
	tool_print(stdout, "\n");
	tool_print_lines(stdout, io_parts);
	tool_print(stdout, "\nLicence: MIT\n");
done:
	clpac_text_free(parts);
	clpac_text_free(io_parts);
	return st;
}

/* Prints, if anything is to be printed still, and closes standard output. */
static int finish(clpac_status (*print)(clpac_error *err))
{
	clpac_error error = {0};
	clpac_status st = print ? print(&error) : CLPAC_OK;
	if (st == CLPAC_OK)
		st = close_output(&error);
	if (st != CLPAC_OK)
		tool_print(stderr, "clpac: %s\n", error.text);
	return tool_exit_code(st, error.native_code, TOOL_OUTPUT);
}

int tool_main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	if (!name) {
		tool_print(stderr, "clpac: which command?  clpac --help lists them\n");
		return tool_exit_code(CLPAC_ERROR_ARGUMENT, 0, TOOL_INPUT);
	}
	bool is_help = strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
	if (is_help && argc > 2)
		name = argv[2];
	else if (is_help)
		return tool_help(commands), finish(NULL);
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		return finish(print_version);
	}
	if (strcmp(name, "--complete") == 0)
		return tool_complete(commands, argc - 2, argv + 2), finish(NULL);
	const tool_command *command = find_command(name);
	if (!command) {
		tool_print(stderr, "clpac: no command \"%s\"; the commands are ", name);
		for (const tool_command *const *c = commands; *c; c++)
			tool_print(stderr, "%s%s", (*c)->name, c[1] ? ", " : "\n");
		return tool_exit_code(CLPAC_ERROR_ARGUMENT, 0, TOOL_INPUT);
	}
	if (is_help)
		return tool_help_command(command), finish(NULL);
	return run_command(command, argc, argv);
}
