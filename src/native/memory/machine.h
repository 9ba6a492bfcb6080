/* What this computer has: the facts of the native device.  All that is particular to Linux is in machine.c; elsewhere a
 * file with the same functions takes its place. */
#ifndef CLPAC_NATIVE_MEMORY_MACHINE_H
#define CLPAC_NATIVE_MEMORY_MACHINE_H

#include <stdint.h>

typedef struct clpac__machine {
	char name[128], vendor[128]; /* of the CPU; "" unknown */
	unsigned cores;		     /* that this process may use, at least 1: affinity mask and CPU quota */
	unsigned clock_mhz;	     /* now; 0 unknown */
	uint64_t memory_bytes; /* that this process may use: physical memory or the limits of its control groups */
	uint64_t free_bytes;   /* of it, without swapping; 0 unknown */
	uint64_t cache_bytes;  /* the last level's, as one core sees it; 0 unknown */
} clpac__machine;

/* Looks at the machine.  root stands before /proc and /sys: "" for the computer itself, a folder of recorded files in
 * tests (the affinity mask is always this process's).  What cannot be read stays 0.  Cost: below a millisecond. */
void clpac__machine_look(const char *root, clpac__machine *out);

/* free_bytes alone.  Cost: some 50 us. */
uint64_t clpac__machine_free_bytes(const char *root);

#endif
