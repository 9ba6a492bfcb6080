/* What clpac/memory/pool.h promises on every device: recycled blocks never mix up what their owners put there. */
#ifndef CLPAC_TESTS_POOL_LAWS_H
#define CLPAC_TESTS_POOL_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n targets of targets.h. */
TCase *pool_laws(size_t n);
/* Lists, scopes, traces, checked buffers, pressure (watch_laws.c). */
TCase *watch_laws(size_t n);
/* What needs a device that computes. */
TCase *pool_stage_laws(size_t n);

#endif
