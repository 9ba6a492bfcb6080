/* The kernels of cl/ as C functions: kernels.c is compiled once per instruction set and makes one table each time. */
#ifndef CLPAC_COUPLING_NATIVE_KERNELS_H
#define CLPAC_COUPLING_NATIVE_KERNELS_H

#include "config.h"

#include "coupling/stages/stages.h"

/* Runs the work-items (begin .. end - 1, id1, id2) of one stage.  Writes only what belongs to these items, so every
 * division into ranges gives the same numbers, on any number of threads. */
typedef void clpac__native_kernel(const clpac__arguments *arguments, size_t begin, size_t end, size_t id1, size_t id2);

typedef struct clpac__native_stage {
	clpac__native_kernel *run;
	size_t piece; /* largest number of items per call */
} clpac__native_stage;

typedef struct clpac__native_kernels {
	unsigned vector_width; /* floats in a vector of these kernels */
	clpac__native_stage stages[CLPAC__STAGE_COUNT];
} clpac__native_kernels;

extern const clpac__native_kernels clpac__native_kernels_baseline;
#ifdef HAVE_ISA_AVX2
extern const clpac__native_kernels clpac__native_kernels_avx2;
#endif
#ifdef HAVE_ISA_AVX512
extern const clpac__native_kernels clpac__native_kernels_avx512;
#endif

/* The kernels for an instruction set of memory/native/isa.h; NULL if this build has none. */
const clpac__native_kernels *clpac__native_kernels_find(const char *instruction_set);

#endif
