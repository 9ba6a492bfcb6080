#include "memory/trace/trace_hooks.h"

#include <string.h>
#include <time.h>
#include "memory/trace/thread_number.h"

uint64_t clpac__noted_clock_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

clpac__noted clpac__noted_make(uint64_t begun_ns, clpac_trace_operation operation, clpac_trace_outcome outcome,
			       const clpac__watched *what)
{
	clpac__noted noted = {
		.time_ns = clpac__noted_clock_ns() - begun_ns,
		.id = what->id,
		.bytes = what->bytes,
		.class_bytes = what->class_bytes,
		.thread = clpac__thread_number(),
		.queue = what->queue,
		.operation = (uint8_t)operation,
		.outcome = (uint8_t)outcome,
	};
	memcpy(noted.tag, what->tag, strnlen(what->tag, CLPAC__NOTED_TAG_SIZE - 1));
	return noted;
}
