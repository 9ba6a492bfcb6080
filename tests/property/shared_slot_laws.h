/* Laws of several measures whose surrogates are filtered, permuted segments and random phases
 * (coupling/run/measures.h), in each place where plans run. */
#ifndef CLPAC_TESTS_SHARED_SLOT_LAWS_H
#define CLPAC_TESTS_SHARED_SLOT_LAWS_H

#include "test_thread.h"
#include <stddef.h>

TCase *shared_slot_laws(size_t n_places);

#endif
