/* Probing in a child that is a copy of this process. */
#ifndef CLPAC_MEMORY_DEVICE_PROBE_CHILD_H
#define CLPAC_MEMORY_DEVICE_PROBE_CHILD_H

#include "memory/device/probe.h"

/* Calls look(user) in a child process that ends when the function returns or after limit_s seconds, above 0 and at most
 * CLPAC__PROBE_LONGEST_S. The caller sees none of its effects; its output is discarded.  Returns at the child's end, or
 * about two seconds past the limit if the system cannot end the child.  Leaves no zombie, no open file and no changed
 * signal handler; the application sees one SIGCHLD, and may reap any child.  For a
 * process with one thread. */
clpac__probe_result clpac__probe(double limit_s, int (*look)(void *user), void *user);

#endif
