/* Command-line parser. */
#ifndef CLPAC_TOOL_ARGUMENTS_H
#define CLPAC_TOOL_ARGUMENTS_H

#include "tool/tool.h"

/* Reads the arguments that follow the command's name.  Texts are kept as pointers into argv. */
clpac_status tool_parse(tool_call *call, int n_arguments, char **arguments, clpac_error *err);
/* The option of a command with this letter; NULL where there is none. */
const clpac__option *tool_find_letter(const tool_command *command, char letter);
/* Frees the list of operands, and the request.  A zeroed call is fine. */
void tool_forget_operands(tool_call *call);
/* Sets one option from text, unless a stronger origin has set it already.  The text must outlive the call. */
clpac_status tool_set(tool_call *call, const clpac__option *option, const char *text, tool_origin origin,
		      clpac_error *err);
/* The origin of an option's value and, where text is not NULL, the text that gave it. */
tool_origin tool_option_origin(const tool_call *call, const char *name, const char **text);
/* Whether the command line or the --config file gave the option. */
bool tool_is_given(const tool_call *call, const char *name);

#endif
