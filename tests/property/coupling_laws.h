/* Laws of the modulation index of phases and amplitudes that the caller supplies. */
#ifndef CLPAC_TESTS_COUPLING_LAWS_H
#define CLPAC_TESTS_COUPLING_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n places of contract/places.h. */
TCase *coupling_laws(size_t n_places);

#endif
