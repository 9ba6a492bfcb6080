/* Laws of coupling across trials (clpac/erpac.h), in each place where problems run. */
#ifndef CLPAC_TESTS_ERPAC_LAWS_H
#define CLPAC_TESTS_ERPAC_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, once in each of the first n_places places. */
TCase *erpac_laws(size_t n_places);

/* Those of what the host arranges in the same way for every device. */
TCase *erpac_arrangement_laws(size_t n_places);

#endif
