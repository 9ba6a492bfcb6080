/* Ctrl-C (and SIGTERM, SIGHUP): one line, no output file left, exit code 130. */
#ifndef CLPAC_TOOL_INTERRUPT_H
#define CLPAC_TOOL_INTERRUPT_H

#include <clpac/status.h>

/* From here on an interruption ends the process at once: temporary files are removed, and so is every file that this
 * run has put in place. Signals that follow the first change nothing. Called before any other thread is started, since
 * a thread that does not block the signals would take them. @param command stands in the line printed; must live as
 * long as the process. */
clpac_status tool_interrupt_watch(const char *command, clpac_error *err);

/* Names a file that this run has just created; the text must live as long as the process.  At most 16. */
void tool_interrupt_remember(const char *path);

/* For a file that stands under its own name from its first byte: an interruption waits between the two, at most 2 s, so
 * that it never finds the file created and not yet named. @param created is remembered; NULL: nothing was created. */
void tool_interrupt_hold(void);
void tool_interrupt_release(const char *created);

/* All files belong together and are there: an interruption removes none of them any more. */
void tool_interrupt_keep(void);

#endif
