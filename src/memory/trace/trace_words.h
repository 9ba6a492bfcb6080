/* Names of the columns and values of a trace file, for reader and writer. */
#ifndef CLPAC_MEMORY_TRACE_TRACE_WORDS_H
#define CLPAC_MEMORY_TRACE_TRACE_WORDS_H

#include <clpac/memory/trace.h>

#define CLPAC__TRACE_HEAD "time_ns,thread,operation,id,bytes,class_bytes,queue,tag,outcome"

extern const char *const clpac__trace_operations[CLPAC_TRACE_OPERATIONS];
extern const char *const clpac__trace_outcomes[CLPAC_TRACE_OUTCOMES];

#endif
