/* Laws of stretches and windows (coupling/passes/used_samples.h), in each place where plans run. */
#ifndef CLPAC_TESTS_STRETCH_LAWS_H
#define CLPAC_TESTS_STRETCH_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* n_problems random problems in each of n_places. */
TCase *stretch_laws(size_t n_places, size_t n_problems);

/* Those of what the host arranges: batches, chunks, lists, several devices. */
TCase *stretch_arrangement_laws(size_t n_places);

#endif
