/* Laws of threads that run one plan at the same time, in each place where plans run. */
#ifndef CLPAC_TESTS_PLAN_THREAD_LAWS_H
#define CLPAC_TESTS_PLAN_THREAD_LAWS_H

#include <stddef.h>

#include "runner.h"

/* The laws as a test case for n_places places (contract/places.h). */
TCase *plan_thread_laws(size_t n_places);

#endif
