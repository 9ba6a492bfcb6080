/* Ctrl-C (and SIGTERM, SIGHUP): one line, no output file left, exit code 130. */
#ifndef CLPAC_TOOL_INTERRUPT_H
#define CLPAC_TOOL_INTERRUPT_H

#include <stdbool.h>

/* From here on an interruption ends the process at once: temporary files are removed, and so is every file that this
 * run has put in place.  @param command stands in the line printed; must live as long as the process. */
void tool_interrupt_watch(const char *command);

/* Names a file that this run has just created; the text must live as long as the process.  At most 16. */
void tool_interrupt_remember(const char *path);
/* All files belong together and are there: an interruption removes none of them any more. */
void tool_interrupt_keep(void);

#endif
