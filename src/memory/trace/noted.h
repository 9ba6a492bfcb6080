/* An allocation or a release as observers keep it: all facts copied, since a buffer's tag need not outlive it. */
#ifndef CLPAC_MEMORY_TRACE_NOTED_H
#define CLPAC_MEMORY_TRACE_NOTED_H

#include "memory/trace/tracker.h"

enum { CLPAC__NOTED_TAG_SIZE = 48 };

typedef struct clpac__noted {
	uint64_t time_ns, id, bytes, class_bytes;
	uint32_t thread, queue;
	uint8_t operation, outcome; /* clpac_trace_operation, clpac_trace_outcome */
	char tag[CLPAC__NOTED_TAG_SIZE];
} clpac__noted;
_Static_assert(sizeof(clpac__noted) == 96, "the limits in bytes count on it");

/* Nanoseconds of a monotonic clock. */
uint64_t clpac__noted_clock_ns(void);

/* An event of this moment, in the caller's thread; times count from begun_ns. */
clpac__noted clpac__noted_make(uint64_t begun_ns, clpac_trace_operation operation, clpac_trace_outcome outcome,
			       const clpac__watched *what);

#endif
