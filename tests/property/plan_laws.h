/* What must not change a number of a plan, and where two ways of summing must meet. */
#ifndef CLPAC_TESTS_PLAN_LAWS_H
#define CLPAC_TESTS_PLAN_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n places of contract/places.h. */
TCase *plan_laws(size_t n_places);

#endif
