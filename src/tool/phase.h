/* Phases of a run before its progress is known: reading, waiting for a device, compiling kernels.  A phase that takes
 * longer than people wait for gladly is said in one line on standard error. */
#ifndef CLPAC_TOOL_PHASE_H
#define CLPAC_TOOL_PHASE_H

#include <stdbool.h>

/* Starts the thread that says phases.  Where no thread can be started, phases stay unsaid.  Process-wide: one run at a
 * time.
 * @param command its name, kept as a pointer. */
void tool_phases_start(const char *command, double patience_s);
/* Begins a phase, "reading a.edf"; the one before has ended.  Nothing happens unless phases have been started. */
void tool_phase(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends all phases: the progress takes over.  Any thread. */
void tool_phases_stop(void);
/* Stops, and ends the thread. */
void tool_phases_end(void);

#endif
