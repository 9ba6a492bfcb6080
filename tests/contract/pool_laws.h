/* The promises of clpac/memory/pool.h on every device: recycled blocks never mix up their owners' contents. */
#ifndef CLPAC_TESTS_POOL_LAWS_H
#define CLPAC_TESTS_POOL_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n targets of targets.h. */
TCase *pool_laws(size_t n);
/* Lists, scopes, traces, checked buffers, pressure (watch_laws.c). */
TCase *watch_laws(size_t n);
/* Laws that need a device that computes. */
TCase *pool_stage_laws(size_t n);

#endif
