/* An analysis as the program's user hears of it: warnings, notes, phases and progress on standard error. */
#ifndef CLPAC_TOOL_LISTEN_H
#define CLPAC_TOOL_LISTEN_H

#include "tool/tool.h"

/* Lets a call hear of its analysis.  The call must not be moved until it has ended. */
void tool_listen(tool_call *call);

#endif
