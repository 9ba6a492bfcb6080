/* The promises of the ladder on every device: what fits is served, and no more gives way than needed. */
#ifndef CLPAC_TESTS_LADDER_LAWS_H
#define CLPAC_TESTS_LADDER_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n targets of targets.h. */
TCase *ladder_laws(size_t n);

#endif
