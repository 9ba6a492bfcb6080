/* The instruction sets for which this build has kernels and which this CPU and its operating system support. */
#ifndef CLPAC_MEMORY_NATIVE_ISA_H
#define CLPAC_MEMORY_NATIVE_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"

typedef struct clpac__isa {
	const char *name;
	bool (*is_here)(void);
	unsigned vector_width; /* floats per vector of its kernels */
} clpac__isa;

/* The i-th supported one, widest first; NULL past the end.  The last is always "baseline". */
const clpac__isa *clpac__isa_get(size_t i);

/* The instruction set of this name; the widest for "auto", "" and NULL. CLPAC_ERROR_ARGUMENT lists those there are. */
clpac_status clpac__isa_find(const char *name, const clpac__isa **out, clpac_error *err);

/* Their names, widest first, separated by blanks. @param[out] text at least 64 bytes. */
void clpac__isa_names(char *text, size_t size);

#endif
