/* Laws of pairs of channels: the phase of one and the amplitude of another. */
#ifndef CLPAC_TESTS_PAIR_LAWS_H
#define CLPAC_TESTS_PAIR_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* n_problems random ones in each place. */
TCase *pair_laws(size_t n_places, size_t n_problems);

/* Those of what the host arranges: batches, chunks, lists, names, several devices. */
TCase *pair_arrangement_laws(size_t n_places);

#endif
