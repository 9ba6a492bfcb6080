/* A memory barrier in all threads of the process at once: what each of them did before is seen by the caller
 * afterwards, and what the caller did before is seen by each of them afterwards. */
#ifndef CLPAC_BASE_PROCESS_BARRIER_H
#define CLPAC_BASE_PROCESS_BARRIER_H

#include <stdbool.h>

/* The same answer for as long as the process lives, unless it becomes false. */
bool clpac__process_barrier_is_there(void);
/* Only where it is there, or was: the caller's accesses around it are sequentially consistent in case it no longer is.
 * About 0.4 us, and an interrupt of each processor where the process runs. */
void clpac__process_barrier(void);

#endif
