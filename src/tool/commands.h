/* The commands, each in its own command_NAME.c, and the program that calls them. */
#ifndef CLPAC_TOOL_COMMANDS_H
#define CLPAC_TOOL_COMMANDS_H

#include "tool/tool.h"

extern const tool_command tool_command_devices;
extern const tool_command tool_command_synth;
extern const tool_command tool_command_info;
extern const tool_command tool_command_run;
extern const tool_command tool_command_plan;
extern const tool_command tool_command_plot;
extern const tool_command tool_command_group;
extern const tool_command tool_command_compare;
extern const tool_command tool_command_erpac;
extern const tool_command tool_command_memory;
extern const tool_command tool_command_config;

/* The whole program: runs the command that argv names, prints one line if it fails, closes standard output.  Returns
 * the exit code. */
int tool_main(int argc, char **argv);

/* The program's own help; the table of commands ends with NULL. */
void tool_help(const tool_command *const *commands);
/* The help of one command: usage, text, and options from its tables. */
void tool_help_command(const tool_command *command);

#endif
