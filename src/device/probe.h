/* A function tried out in a child process, since it may crash, hang or end the process: drivers do while they start. */
#ifndef CLPAC_DEVICE_PROBE_H
#define CLPAC_DEVICE_PROBE_H

typedef enum clpac__probe_end {
	CLPAC__PROBE_WELL = 0,
	CLPAC__PROBE_CRASHED,	  /* detail: the signal */
	CLPAC__PROBE_HUNG,	  /* not back within the limit, and killed */
	CLPAC__PROBE_LEFT,	  /* it ended the process, as by exit() */
	CLPAC__PROBE_NOT_STARTED, /* detail: errno, or 0 where the probe itself was ended from outside */
} clpac__probe_end;

typedef struct clpac__probe_result {
	clpac__probe_end end;
	int detail;
} clpac__probe_result;

enum { CLPAC__PROBE_LONGEST_S = 3600 };

/* Calls look(user) in a child process that ends when it returns or when limit_s seconds, above 0 and at most
 * CLPAC__PROBE_LONGEST_S, are over.  Nothing that it does reaches the caller; what it prints goes nowhere.
 * Returns after the end, or about two seconds past the limit where the system cannot end the child.  Leaves no zombie,
 * no open file and no changed signal handler; the application sees one SIGCHLD, and may reap whatever child it likes.
 * Any thread, whatever the others do: see probe.c. */
clpac__probe_result clpac__probe(double limit_s, void (*look)(void *user), void *user);

#endif
