/* Maps of real recordings against those that the reference computed in double. */
#ifndef CLPAC_TESTS_COMODULOGRAM_LAWS_H
#define CLPAC_TESTS_COMODULOGRAM_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* NULL, or why the recordings or the maps are not here. */
const char *comodulograms_missing(void);

/* Each map in each of n places of contract/places.h. */
TCase *comodulogram_laws(size_t n);

#endif
