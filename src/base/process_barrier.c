/* Linux has the system call membarrier for this since 4.14; its manual page describes this use. */
#include "base/thread.h"

#include <stdatomic.h>
#include <time.h>

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/membarrier.h>)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef SYS_membarrier
#define HAS_MEMBARRIER 1
#endif
#endif
#endif

enum { UNKNOWN, THERE, ABSENT };
static atomic_int state;

#ifdef HAS_MEMBARRIER
static bool call(int command)
{
	return syscall(SYS_membarrier, command, 0, 0) == 0;
}

static bool prepare(void)
{
	return call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && call(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}
#endif

bool clpac__process_barrier_is_there(void)
{
	int now = atomic_load_explicit(&state, memory_order_relaxed);
	if (now == UNKNOWN) {
#ifdef HAS_MEMBARRIER
		now = prepare() ? THERE : ABSENT;
#else
		now = ABSENT;
#endif
		atomic_store_explicit(&state, now, memory_order_relaxed);
	}
	return now == THERE;
}

void clpac__process_barrier(void)
{
#ifdef HAS_MEMBARRIER
	if (call(MEMBARRIER_CMD_PRIVATE_EXPEDITED) || prepare())
		return;
#endif
	/* The process forbade itself the call after it had been there (seccomp).  From now on nobody asks for a barrier
	 * again; for those who did, a processor's stores are seen by others long before this time has passed. */
	atomic_store_explicit(&state, ABSENT, memory_order_relaxed);
	nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}
