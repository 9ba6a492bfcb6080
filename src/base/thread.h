/* Threads with a stack of known size. */
#ifndef CLPAC_BASE_THREAD_H
#define CLPAC_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Enough for a row of any FFT engine and for every kernel. */
enum { CLPAC__LEAST_STACK = 1 << 20 };

/* pthread_create with a stack of at least `stack_bytes`: the usual size follows the user's limit (ulimit -s), which may
 * be too small for an FFT.  Returns what pthread_create returns. */
int clpac__thread_create(pthread_t *thread, size_t stack_bytes, void *(*work)(void *), void *argument);

/* A memory barrier in all threads of the process at once: what each of them did before is seen by the caller
 * afterwards, and what the caller did before is seen by each of them afterwards. */

/* Whether the system has one: always the same answer in a process, but that true may become false. */
bool clpac__process_barrier_is_there(void);
/* To be called where it is there, or was: the caller's accesses around it are sequentially consistent, in case that it
 * is there no longer.  About 0.4 us, and an interrupt of each processor where the process runs. */
void clpac__process_barrier(void);

#endif
