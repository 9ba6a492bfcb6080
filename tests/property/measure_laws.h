/* Laws of the measures beside the modulation index (clpac_measure). */
#ifndef CLPAC_TESTS_MEASURE_LAWS_H
#define CLPAC_TESTS_MEASURE_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* For places 0 to n_places - 1, and so many random problems on each. */
TCase *measure_laws(size_t n_places, size_t n_problems);

/* Those of what the host arranges: batches, chunks, lists, several devices. */
TCase *measure_arrangement_laws(size_t n_places);

#endif
