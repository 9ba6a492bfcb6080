/* A small number for each thread, from 0 on, in the order in which they first ask; for telling threads apart in reports and for
 * spreading them over shards.  Never given twice. */
#ifndef CLPAC_MEMORY_THREAD_NUMBER_H
#define CLPAC_MEMORY_THREAD_NUMBER_H

#include <stdint.h>

/* One more than the thread's number; 0: none yet.  In static thread-local storage, since every request of a pool reads it. */
#ifdef __GNUC__
__attribute__((tls_model("initial-exec")))
#endif
extern _Thread_local uint32_t clpac__my_thread_number;

uint32_t clpac__thread_number_give(void);

static inline uint32_t clpac__thread_number(void)
{
	const uint32_t mine = clpac__my_thread_number;
	return mine ? mine - 1 : clpac__thread_number_give();
}

#endif
