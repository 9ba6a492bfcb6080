/* Random problems against the oracle. */
#ifndef CLPAC_TESTS_RANDOM_PROBLEMS_H
#define CLPAC_TESTS_RANDOM_PROBLEMS_H

#include "test_thread.h"
#include <stdbool.h>
#include <stddef.h>

/* n_problems random problems in each of n places of contract/places.h.
 * @param is_thrifty every new length and number of bins costs seconds here: use only a few of them. */
TCase *random_problems(size_t n_places, int n_problems, bool is_thrifty);

#endif
