/* Exit codes, as the manual page lists them. */
#ifndef CLPAC_TOOL_EXIT_CODE_H
#define CLPAC_TOOL_EXIT_CODE_H

#include "tool/tool.h"

enum { TOOL_EXIT_INTERRUPTED = 130 };
/* The exit code of a status; an input or output error is told apart by the system's error number and the direction. */
int tool_exit_code(clpac_status status, int native_code, tool_direction direction);

#endif
