/* Calls that another thread cancels at random moments. */
#ifndef CLPAC_TESTS_CANCEL_LAWS_H
#define CLPAC_TESTS_CANCEL_LAWS_H

#include "runner.h"

/* Those in place number `place` of places.h. */
void cancel_laws_add(Suite *suite, size_t place);

#endif
