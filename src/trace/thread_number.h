/* A small number for each thread, from 0 on, in the order in which they first ask; for telling threads apart in reports
 * and for spreading them over shards.  Never given twice. */
#ifndef CLPAC_TRACE_THREAD_NUMBER_H
#define CLPAC_TRACE_THREAD_NUMBER_H

#include <stdint.h>

/* Found without a call in a shared library too; four bytes always fit into what the loader keeps for that. */
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
