/* Which process this is.  fork() copies handles, locks and the state of drivers, and none of the threads: in the child
 * a lock may be held by a thread that is not there, and a driver waits for threads of its own.  So each handle keeps
 * the number of the process that made it, and in another one is neither used nor freed: whoever is asked to close it
 * forgets it (decision 0078).
 *
 * fork() alone is noticed, by a handler (pthread_atfork): not a system call made without the C library, nor _Fork(),
 * after which POSIX lets a program do no more than a signal handler may. */
#ifndef CLPAC_BASE_PROCESS_H
#define CLPAC_BASE_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include "base/error.h"

#if defined(__GNUC__) && !defined(_WIN32) /* where a library shows what it is told to */
#define CLPAC__OF_THIS_LIBRARY __attribute__((visibility("hidden")))
#else
#define CLPAC__OF_THIS_LIBRARY
#endif

/* 0, and one more in each child.  Changes while the process has one thread.  Each library has its own, which begins
 * when the library is loaded: a number means something only to the library that noted it. */
extern unsigned clpac__process CLPAC__OF_THIS_LIBRARY;

static inline bool clpac__is_foreign(unsigned process)
{
	return CLPAC__RARELY(process != clpac__process);
}

/* Writes the refusal into a nullable error: "clpac_pool_trim: pool was opened in another process: ...".  Returns
 * CLPAC_ERROR_FORKED. */
clpac_status clpac__forked_fail(clpac_error *err, const char *function, const char *parameter);

/* Behind all that a public function requires (base/error.h): what has a member `process`, not NULL, must be of this
 * one.
 */
#define NEED_HERE(pointer) NEED_OF_HERE((pointer)->process, #pointer)
#define NEED_OF_HERE(process, parameter)                                                                               \
	do {                                                                                                           \
		if (clpac__is_foreign(process))                                                                        \
			return clpac__forked_fail(err, __func__, parameter);                                           \
	} while (0)

/* A renewal lets a process make something anew when it first uses it: locks of the whole process, and what they guard.
 * Zeroed: made in the process that loaded the library.
 *
 *     if (clpac__renewal_begin(&renewal)) {
 *         ...     one thread is here; others, and children that it gets meanwhile, find the work undone or done
 *         clpac__renewal_end(&renewal, true);
 *     }
 */
typedef struct clpac__renewal {
	atomic_uint state; /* twice the number of the process; one more while a thread of it is at work */
} clpac__renewal;

/* For what the first process makes at its first use too. */
#define CLPAC__RENEWAL_DUE                                                                                             \
	{                                                                                                              \
		(unsigned)-2                                                                                           \
	}

/* Notes that something was made in this process. */
static inline void clpac__renewal_init(clpac__renewal *renewal)
{
	atomic_init(&renewal->state, 2 * clpac__process);
}
bool clpac__renewal_is_due(const clpac__renewal *renewal);
bool clpac__renewal_begin_slowly(clpac__renewal *renewal);
static inline bool clpac__renewal_begin(clpac__renewal *renewal)
{
	return CLPAC__RARELY(atomic_load_explicit(&renewal->state, memory_order_acquire) != 2 * clpac__process) &&
	       clpac__renewal_begin_slowly(renewal);
}
/* is_done false: the next one tries again. */
void clpac__renewal_end(clpac__renewal *renewal, bool is_done);

#endif
