#include "memory/trace/thread_number.h"

#include <stdatomic.h>

static atomic_uint n_threads;
_Thread_local uint32_t clpac__thread_ordinal CLPAC__NEAR_THREAD;

uint32_t clpac__thread_count_in(void)
{
	return clpac__thread_ordinal = atomic_fetch_add_explicit(&n_threads, 1, memory_order_relaxed) + 1;
}
