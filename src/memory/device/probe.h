/* Probing: calling a function in a child process, since it may crash, hang or end the process, as drivers do while they
 * start.
 */
#ifndef CLPAC_MEMORY_DEVICE_PROBE_H
#define CLPAC_MEMORY_DEVICE_PROBE_H

#include <stdbool.h>
#include <sys/types.h>

typedef enum clpac__probe_end {
	CLPAC__PROBE_WELL = 0,	  /* detail: what the function returned */
	CLPAC__PROBE_CRASHED,	  /* detail: the signal */
	CLPAC__PROBE_HUNG,	  /* killed after the limit */
	CLPAC__PROBE_LEFT,	  /* the function ended the process, as by exit() */
	CLPAC__PROBE_NOT_STARTED, /* detail: errno, or 0 when the probe itself was ended from outside */
	CLPAC__PROBE_NO_PROGRAM,  /* there is none to try it in */
} clpac__probe_end;

typedef struct clpac__probe_result {
	clpac__probe_end end;
	int detail;
} clpac__probe_result;

enum {
	CLPAC__PROBE_LONGEST_S = 3600,
	CLPAC__PROBE_MOST_ANSWER = 15, /* what the function answers is 0 to 15 */
	CLPAC__PROBE_GRACE_S = 1,      /* for a killed process to end, and then for the guard to report it */
};

/* Probes by a program that calls clpac__probe (probe_child.h) and writes the result to its standard output: `path` is
 * started with these arguments and this environment, both ending in NULL, with all signals as at the start of a
 * program. Nothing of this process is copied, so that its threads, its size and what it has done with drivers do not
 * matter. False when the program cannot be started or does not answer. */
bool clpac__probe_by_program(const char *path, char *const *arguments, char *const *environment, double limit_s,
			     clpac__probe_result *out);

/* A result as the program writes it; false when it cannot be written. */
bool clpac__probe_report(int file, const clpac__probe_result *result);

/* Waits for the report of a child, and for its end; false when it ended without one or sends none in time. */
bool clpac__probe_collect(pid_t child, int report, double end_s, clpac__probe_result *out);

#endif
