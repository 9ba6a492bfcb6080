/* Laws of launches that do the work of several: fused passes (src/coupling/layout/fused.h), and banks that are joined.
 */
#ifndef CLPAC_TESTS_FUSED_LAWS_H
#define CLPAC_TESTS_FUSED_LAWS_H

#include "test_thread.h"

/* n_places of contract/places.h. */
TCase *fused_laws(size_t n_places);

#endif
