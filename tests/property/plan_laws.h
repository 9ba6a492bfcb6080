/* Laws of plans: changes that may alter no number, and agreement between two ways of summing. */
#ifndef CLPAC_TESTS_PLAN_LAWS_H
#define CLPAC_TESTS_PLAN_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n places of contract/places.h. */
TCase *plan_laws(size_t n_places);

/* Those of what the host arranges in the same way for every device. */
TCase *plan_arrangement_laws(size_t n_places);

#endif
