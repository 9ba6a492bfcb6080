/* Laws of series whose prefix sums are cut into slabs. */
#ifndef CLPAC_TESTS_SLAB_LAWS_H
#define CLPAC_TESTS_SLAB_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n places of contract/places.h. */
TCase *slab_laws(size_t n_places);

#endif
