/* Exit codes, as the manual page lists them. */
#ifndef CLPAC_TOOL_EXIT_CODE_H
#define CLPAC_TOOL_EXIT_CODE_H

#include "tool/tool.h"

/* An interruption ends with this and the number of its signal, as a shell tells a signal. */
enum { TOOL_EXIT_SIGNAL = 128 };
/* The exit code of a status; an input or output error is told apart by the system's error number and the direction. */
int tool_exit_code(clpac_status status, int native_code, tool_direction direction);

#endif
