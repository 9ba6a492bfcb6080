/* The kernels of cl/ as C functions that count the steps of their loops, with vectors of one float as on GPUs. */
#ifndef CLPAC_TESTS_COUNTED_KERNELS_H
#define CLPAC_TESTS_COUNTED_KERNELS_H

#include "coupling/native/kernels.h"

extern const clpac__native_kernels clpac__native_kernels_counted;

/* Passes of loops since the program began, with the pass in which each ends. */
extern uint64_t counted_steps;

/* Passes of the loop over work-items in a call for one item, which are no steps of the item. */
enum { COUNTED_BESIDE = 2 };

#endif
