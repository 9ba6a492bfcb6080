/* Ctrl-C (and SIGTERM, SIGHUP): what is finished is written, one line is said, and the exit code is 128 and the
 * signal's number; the files that were there stay, or all new ones are there. */
#ifndef CLPAC_TOOL_INTERRUPT_H
#define CLPAC_TOOL_INTERRUPT_H

#include <stdbool.h>
#include <clpac/write.h>
#include <clpac/status.h>

/* Starts to wait for interruptions.  The first cancels the calls of this thread, which uses a clpac_cancel from here
 * on, and ends the process when they have ended and what is finished is on disk, which a second one does not wait for;
 * its temporary files are removed.  Who is inside a driver that compiles is waited for no longer than a moment.  Call
 * it before any other thread is started, since a thread that does not block the signals would take them.
 * @param command appears in the line printed; must live as long as the process. */
clpac_status tool_interrupt_watch(const char *command, clpac_error *err);

/* Returns unless an interruption is ending the process, which is waited for: what then fails is its doing, and its line
 * is the only one.  Call it before another recording is begun. */
void tool_interrupt_let_end(void);

/* The same as tool_interrupt_let_end, at the end of the program: nothing is cancelled from here on. */
void tool_interrupt_end(void);

/* Calls clpac_output_set_commit.  An interruption waits for it, 10 s at most, so that all files are in place or none.
 */
clpac_status tool_interrupt_commit(clpac_output_set *set, clpac_error *err);

/* The files of the last commit are complete, and those of another recording come next. */
void tool_interrupt_next(void);

/* Whether checkpoints are on disk, from which the same command goes on. */
void tool_interrupt_keeps_parts(bool keeps);

/* Whether series are finished that are in no file yet.  An interruption waits for the run to write them, at most 20 s.
 */
void tool_interrupt_has_finished(bool has);

/* The computing has ended: if its series are in no file yet, an interruption no longer cancels, and waits for the
 * files.
 */
void tool_interrupt_hold(void);
/* The recording is done with, whether it succeeded or not: interruptions cancel again. */
void tool_interrupt_release(void);

#endif
