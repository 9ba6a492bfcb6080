/* Laws of phase bands that are transformed at some of their samples only. */
#ifndef CLPAC_TESTS_COARSE_LAWS_H
#define CLPAC_TESTS_COARSE_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n places of contract/places.h, which are native ones. */
TCase *coarse_laws(size_t n_places);

#endif
