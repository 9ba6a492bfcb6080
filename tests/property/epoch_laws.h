/* Laws of windows with indices of their own (coupling/run/separate_windows.h), in each place where problems run. */
#ifndef CLPAC_TESTS_EPOCH_LAWS_H
#define CLPAC_TESTS_EPOCH_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, once in each of the first n_places places. */
TCase *epoch_laws(size_t n_places);

/* Those of what the host arranges in the same way for every device. */
TCase *epoch_arrangement_laws(size_t n_places);

#endif
