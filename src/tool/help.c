/* --help, from the tables. */
#include "tool/commands.h"
#include "tool/console.h"

#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 27 };

void tool_help(const tool_command *const *commands)
{
	tool_print(stdout, "clpac - phase-amplitude coupling of recordings, on any OpenCL device and on plain CPUs\n\n"
			   "usage: clpac COMMAND [ARGUMENTS]\n\n");
	for (const tool_command *const *command = commands; *command; command++)
		tool_print(stdout, "  %-8s %s\n", (*command)->name, (*command)->summary);
	tool_print(stdout, "\n  clpac COMMAND --help   the command's purpose and options (also: clpac help COMMAND)\n"
			   "  clpac --version        the version\n\n"
			   "A first try:\n"
			   "  clpac synth try.npy --rate 512 --seconds 60\n"
			   "  clpac run try.npy --rate 512 -o try_pac.npz --plot png\n");
}

/* Writes "  -o, --output OUT.npz". */
static void print_name(const clpac__option *option, char *name, size_t size)
{
	int n = option->letter ? snprintf(name, size, "  -%c, --%s", option->letter, option->name)
			       : snprintf(name, size, "  --%s", option->name);
	if (option->argument && n > 0 && (size_t)n < size)
		snprintf(name + n, size - (size_t)n, " %s", option->argument);
}

static void print_option(const clpac__option *option)
{
	char name[160];
	print_name(option, name, sizeof name);
	if (strlen(name) + 2 > NAME_WIDTH)
		tool_print(stdout, "%s\n%*s", name, NAME_WIDTH, "");
	else
		tool_print(stdout, "%-*s", NAME_WIDTH, name);
	tool_print(stdout, "%s", option->meaning);
	if (option->standard)
		tool_print(stdout, " [%s]", option->standard);
	tool_print(stdout, "\n");
}

void tool_help_command(const tool_command *command)
{
	tool_print(stdout, "usage: clpac %s %s\n\n", command->name, command->usage);
	tool_print_lines(stdout, command->help);
	const char *title = NULL;
	for (const clpac__option_group *const *group = command->groups; *group; group++) {
		if ((*group)->title && (!title || strcmp(title, (*group)->title) != 0)) {
			title = (*group)->title;
			tool_print(stdout, "\n%s:\n", title);
		} else if (!(*group)->title && title) {
			title = NULL;
			tool_print(stdout, "\nOther options:\n");
		} else if (group == command->groups) {
			tool_print(stdout, "\nOptions:\n");
		}
		for (size_t i = 0; i < (*group)->n_options; i++)
			print_option(&(*group)->options[i]);
	}
}
