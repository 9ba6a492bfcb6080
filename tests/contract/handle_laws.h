/* Handles that are not, or no longer, a pool's: recognised by every function. */
#ifndef CLPAC_TESTS_HANDLE_LAWS_H
#define CLPAC_TESTS_HANDLE_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n targets of targets.h. */
TCase *handle_laws(size_t n);

#endif
