/* Random problems against the oracle. */
#ifndef CLPAC_TESTS_RANDOM_PROBLEMS_H
#define CLPAC_TESTS_RANDOM_PROBLEMS_H

#include "test_thread.h"
#include <stdbool.h>
#include <stddef.h>

/* Random problems in every place of contract/places.h for the backend, with every FFT engine there: as many as
 * CLPAC_TEST_PROBLEMS says, or n_problems.  A line for each way prints its worst errors in the end.  Programs define
 * runner_no_fork, since these lines gather over problems.
 * @param is_thrifty every new length and number of bins costs seconds here: use only a few of them, and some more where
 * CLPAC_TEST_PROBLEMS asks for problems. */
TCase *random_problems(const char *backend, int n_problems, bool is_thrifty);

#endif
