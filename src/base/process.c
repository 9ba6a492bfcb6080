/* The number of the process, and what is made anew in a child. */
#include "base/process.h"

#include <sched.h>

unsigned clpac__process;

#ifndef _WIN32
#include <pthread.h>

static void count_child(void)
{
	clpac__process++;
}

/* The C library takes the handler away when it unloads this library. */
__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(NULL, NULL, count_child);
}
#endif

clpac_status clpac__forked_fail(clpac_error *err, const char *function, const char *parameter)
{
	RETURN_ERROR(CLPAC_ERROR_FORKED,
		     "%s: %s was opened in another process, which this one is a fork of: open it anew here", function,
		     parameter);
}

bool clpac__renewal_is_due(const clpac__renewal *renewal)
{
	return atomic_load_explicit(&renewal->state, memory_order_acquire) != 2 * clpac__process;
}

bool clpac__renewal_begin_slowly(clpac__renewal *renewal)
{
	const unsigned made = 2 * clpac__process, at_work = made + 1;
	unsigned state = atomic_load_explicit(&renewal->state, memory_order_acquire);
	while (state != made) {
		if (state == at_work) {
			sched_yield();
			state = atomic_load_explicit(&renewal->state, memory_order_acquire);
		} else if (atomic_compare_exchange_weak_explicit(&renewal->state, &state, at_work, memory_order_acquire,
								 memory_order_acquire)) {
			return true;
		}
	}
	return false;
}

void clpac__renewal_end(clpac__renewal *renewal, bool is_done)
{
	/* A number that no process has at work: the parent's, or of a process with as many forks before it as there
	 * are numbers. */
	atomic_store_explicit(&renewal->state, 2 * clpac__process - (is_done ? 0 : 2), memory_order_release);
}
