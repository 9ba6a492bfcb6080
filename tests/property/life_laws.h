/* Laws of buffers that lie over each other: each part holds what it must for as long as its pass says
 * (src/coupling/needs/needs.def). */
#ifndef CLPAC_TESTS_LIFE_LAWS_H
#define CLPAC_TESTS_LIFE_LAWS_H

#include "test_thread.h"

/* n_places of contract/places.h. */
TCase *life_laws(size_t n_places);

#endif
