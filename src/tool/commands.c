/* The table of commands. */
#include "tool/commands.h"

#include <string.h>

const tool_command *const tool_commands[] = {
	&tool_command_devices, &tool_command_synth,  &tool_command_info,
	&tool_command_run,     &tool_command_plan,   &tool_command_plot,
	&tool_command_memory,  &tool_command_config, NULL,
};

const tool_command *tool_command_find(const char *name)
{
	for (const tool_command *const *command = tool_commands; *command; command++)
		if (strcmp((*command)->name, name) == 0)
			return *command;
	return NULL;
}
