/* A small number for each thread, from 0 on, in the order of first use; it identifies threads in reports and spreads
 * them over shards.  Never reused.
 */
#ifndef CLPAC_MEMORY_TRACE_THREAD_NUMBER_H
#define CLPAC_MEMORY_TRACE_THREAD_NUMBER_H

#include <stdint.h>

/* This model needs no call in a shared library; the loader always has room for four bytes of it. */
#if defined(__GNUC__)
#define CLPAC__NEAR_THREAD __attribute__((tls_model("initial-exec")))
#else
#define CLPAC__NEAR_THREAD
#endif

extern _Thread_local uint32_t clpac__thread_ordinal CLPAC__NEAR_THREAD; /* the number plus 1; 0: none yet */
uint32_t clpac__thread_count_in(void);

static inline uint32_t clpac__thread_number(void)
{
	uint32_t ordinal = clpac__thread_ordinal;
	return (ordinal ? ordinal : clpac__thread_count_in()) - 1;
}

#endif
