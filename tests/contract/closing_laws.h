/* The order of closing does not matter (decision 0015). */
#ifndef CLPAC_TESTS_CLOSING_LAWS_H
#define CLPAC_TESTS_CLOSING_LAWS_H

#include <stddef.h>

#include "test_thread.h"

/* Adds the laws to a suite, each for every one of n targets of targets.h: in all orders, or, where n_orders is not 0,
 * in so many of them chosen at random. */
void closing_laws_add(Suite *s, size_t n, size_t n_orders);

#endif
