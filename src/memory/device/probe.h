/* Probing: calling a function in a child process, since it may crash, hang or end the process, as drivers do while they
 * start.
 */
#ifndef CLPAC_MEMORY_DEVICE_PROBE_H
#define CLPAC_MEMORY_DEVICE_PROBE_H

#include <stdbool.h>

typedef enum clpac__probe_end {
	CLPAC__PROBE_WELL = 0,	  /* detail: what the function returned */
	CLPAC__PROBE_CRASHED,	  /* detail: the signal */
	CLPAC__PROBE_HUNG,	  /* killed after the limit */
	CLPAC__PROBE_LEFT,	  /* the function ended the process, as by exit() */
	CLPAC__PROBE_NOT_STARTED, /* detail: errno, or 0 when the probe itself was ended from outside */
} clpac__probe_end;

typedef struct clpac__probe_result {
	clpac__probe_end end;
	int detail;
} clpac__probe_result;

/* What the function answers, 0 to 15. */
enum { CLPAC__PROBE_LONGEST_S = 3600, CLPAC__PROBE_MOST_ANSWER = 15 };

/* Calls look(user) in a child process that ends when the function returns or after limit_s seconds, above 0 and at most
 * CLPAC__PROBE_LONGEST_S. The caller sees none of its effects; its output is discarded.  Returns at the child's end, or
 * about two seconds past the limit if the system cannot end the child.  Leaves no zombie, no open file and no changed
 * signal handler; the application sees one SIGCHLD, and may reap any child.  Any thread, whatever the others do: see
 * probe.c. */
clpac__probe_result clpac__probe(double limit_s, int (*look)(void *user), void *user);

/* The same by a program that calls clpac__probe itself and writes the result to its standard output: `path` is started
 * with these arguments and this environment, both ending in NULL, with all signals as at the start of a program.
 * Nothing of this process is copied, so that its threads, its size and what it has done with drivers do not matter.
 * False when the program cannot be started or does not answer. */
bool clpac__probe_by_program(const char *path, char *const *arguments, char *const *environment, double limit_s,
			     clpac__probe_result *out);

/* A result as the program writes it; false when it cannot be written. */
bool clpac__probe_report(int file, const clpac__probe_result *result);

#endif
