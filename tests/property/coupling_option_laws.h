/* Laws of measures and nulls of given phases and amplitudes, in n_places. */
#ifndef CLPAC_TESTS_COUPLING_OPTION_LAWS_H
#define CLPAC_TESTS_COUPLING_OPTION_LAWS_H

#include "test_thread.h"
#include <stddef.h>

TCase *coupling_option_laws(size_t n_places);

#endif
