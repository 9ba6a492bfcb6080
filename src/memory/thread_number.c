#include "memory/thread_number.h"

#include <stdatomic.h>

_Thread_local uint32_t clpac__my_thread_number;

uint32_t clpac__thread_number_give(void)
{
	static atomic_uint last;
	clpac__my_thread_number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
	return clpac__my_thread_number - 1;
}
