/* Phase bins settled in integers: the same on every device, also where the angle is exactly that of an edge. */
#ifndef CLPAC_TESTS_SETTLE_LAWS_H
#define CLPAC_TESTS_SETTLE_LAWS_H

#include "test_thread.h"

/* The laws, each for the first n targets of targets.h. */
TCase *settle_laws(size_t n_targets);

#endif
