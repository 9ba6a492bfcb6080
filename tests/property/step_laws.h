/* Laws of series too long for an item's loops on some devices. */
#ifndef CLPAC_TESTS_STEP_LAWS_H
#define CLPAC_TESTS_STEP_LAWS_H

#include "test_thread.h"

TCase *step_laws(size_t n_places);

#endif
