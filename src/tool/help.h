/* --help, from the tables. */
#ifndef CLPAC_TOOL_HELP_H
#define CLPAC_TOOL_HELP_H

#include "tool/tool.h"

/* The program's own help; the table of commands ends with NULL. */
void tool_help(const tool_command *const *commands);
/* The help of one command: usage, text, and options from its tables. */
void tool_help_command(const tool_command *command);

#endif
