/* Threads with a stack of known size. */
#ifndef CLPAC_BASE_THREAD_H
#define CLPAC_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Enough for a row of any FFT engine and for every kernel. */
enum { CLPAC__LEAST_STACK = 1 << 20 };

/* pthread_create with a stack of at least `stack_bytes`: the usual size follows the user's limit (ulimit -s), which may
 * be too small for an FFT.  Returns what pthread_create returns. */
int clpac__thread_create(pthread_t *thread, size_t stack_bytes, void *(*work)(void *), void *argument);

#endif
