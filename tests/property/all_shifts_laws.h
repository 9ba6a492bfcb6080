/* Laws of the null distribution of every circular shift. */
#ifndef CLPAC_TESTS_ALL_SHIFTS_LAWS_H
#define CLPAC_TESTS_ALL_SHIFTS_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n places of contract/places.h, and n_problems random problems for each. */
TCase *all_shifts_laws(size_t n_places, size_t n_problems);

/* Those of what the host arranges: batches, chunks, lists, several devices. */
TCase *all_shifts_arrangement_laws(size_t n_places);

#endif
