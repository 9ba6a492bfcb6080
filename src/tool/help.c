/* --help, from the tables. */
#include "tool/help.h"

#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 27 };

void tool_help(const tool_command *const *commands)
{
	printf("clpac - phase-amplitude coupling of recordings, on any OpenCL device and on plain CPUs\n\n"
	       "usage: clpac COMMAND [ARGUMENTS]\n\n");
	for (const tool_command *const *command = commands; *command; command++)
		printf("  %-8s %s\n", (*command)->name, (*command)->summary);
	printf("\n  clpac COMMAND --help   the command's purpose and options (also: clpac help COMMAND)\n"
	       "  clpac --version        the version\n\n"
	       "A first try:\n"
	       "  clpac synth try.npy --rate 512 --seconds 60\n"
	       "  clpac run try.npy --rate 512 -o try_pac.npz --plot png\n");
}

/* Writes "  -o, --output OUT.npz". */
static void print_name(const tool_option *option, char *name, size_t size)
{
	int n = option->letter ? snprintf(name, size, "  -%c, --%s", option->letter, option->name)
			       : snprintf(name, size, "  --%s", option->name);
	if (option->argument && n > 0 && (size_t)n < size)
		snprintf(name + n, size - (size_t)n, " %s", option->argument);
}

static void print_option(const tool_option *option)
{
	char name[160];
	print_name(option, name, sizeof name);
	if (strlen(name) >= NAME_WIDTH)
		printf("%s\n%*s", name, NAME_WIDTH, "");
	else
		printf("%-*s", NAME_WIDTH, name);
	printf("%s", option->meaning);
	if (option->standard)
		printf(" [%s]", option->standard);
	putchar('\n');
}

void tool_help_command(const tool_command *command)
{
	printf("usage: clpac %s %s\n\n%s", command->name, command->usage, command->help);
	const char *title = NULL;
	for (const tool_group *const *group = command->groups; *group; group++) {
		if ((*group)->title && (!title || strcmp(title, (*group)->title) != 0)) {
			title = (*group)->title;
			printf("\n%s:\n", title);
		} else if (!(*group)->title && title) {
			title = NULL;
			printf("\nOther options:\n");
		} else if (group == command->groups) {
			printf("\nOptions:\n");
		}
		for (size_t i = 0; i < (*group)->n_options; i++)
			print_option(&(*group)->options[i]);
	}
}
