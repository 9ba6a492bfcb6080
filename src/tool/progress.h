/* Progress of a run: a bar with rate and time left on a terminal, a line per 10 % elsewhere, nothing when quiet. */
#ifndef CLPAC_TOOL_PROGRESS_H
#define CLPAC_TOOL_PROGRESS_H

#include "tool/tool.h"

/* Says phases from here on, until there is progress.  End it in any case. */
void tool_progress_expect(const tool_call *call);
/* Shows the progress of the call's analysis from here on.  @param place "file 2 of 40"; NULL: the only one. */
void tool_progress_start(tool_call *call, const char *place);
/* Draws how far an analysis is, where it is time to. */
void tool_progress_show(tool_call *call, const clpac_analysis_progress *at);
/* Ends the phases, and takes the bar off the terminal. */
void tool_progress_end(tool_call *call);

#endif
