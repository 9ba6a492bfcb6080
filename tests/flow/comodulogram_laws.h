/* Maps of real recordings against those that the reference computed in double. */
#ifndef CLPAC_TESTS_COMODULOGRAM_LAWS_H
#define CLPAC_TESTS_COMODULOGRAM_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* NULL, or the reason why the recordings or the maps are missing. */
const char *comodulograms_missing(void);

/* Tests each map in each of the n places of contract/places.h. */
TCase *comodulogram_laws(size_t n);

#endif
