/* Filter bank, analytic signal and Hilbert transform by themselves, against the oracle. */
#ifndef CLPAC_TESTS_SIGNAL_LAWS_H
#define CLPAC_TESTS_SIGNAL_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n places of contract/places.h. */
TCase *signal_laws(size_t n_places);

#endif
