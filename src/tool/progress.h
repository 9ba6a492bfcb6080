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

/* Phases of a run before its progress is known: reading, waiting for a device, compiling kernels.  A phase that takes
 * longer than people wait for gladly is said in one line on standard error. */

/* Starts the thread that says phases.  Where no thread can be started, phases stay unsaid.  Process-wide: one run at a
 * time.
 * @param command its name, kept as a pointer. */
void tool_phases_start(const char *command, double patience_s);
/* Begins a phase, "reading a.edf"; the one before has ended.  Nothing happens unless phases have been started. */
void tool_phase(const char *format, ...) CLPAC__PRINTF(1, 2);
/* Ends all phases: the progress takes over.  Any thread. */
void tool_phases_stop(void);
/* Stops, and ends the thread. */
void tool_phases_end(void);

#endif
