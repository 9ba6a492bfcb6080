/* Laws of series whose prefix sums are cut into windows. */
#ifndef CLPAC_TESTS_WINDOW_LAWS_H
#define CLPAC_TESTS_WINDOW_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n places of contract/places.h. */
TCase *window_laws(size_t n_places);

#endif
