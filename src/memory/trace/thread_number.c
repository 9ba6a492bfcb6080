#include "memory/trace/thread_number.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint n_threads;
_Thread_local uint32_t clpac__thread_ordinal CLPAC__NEAR_THREAD;

#ifndef _WIN32
/* A number that was the parent's owns locks of its pools, which no thread of a child may take for its own. */
static void forget_number(void)
{
	clpac__thread_ordinal = 0;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(NULL, NULL, forget_number);
}
#endif

uint32_t clpac__thread_count_in(void)
{
	return clpac__thread_ordinal = atomic_fetch_add_explicit(&n_threads, 1, memory_order_relaxed) + 1;
}
