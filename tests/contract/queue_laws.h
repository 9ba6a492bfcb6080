/* The laws of a queue, one test each, over the targets of one backend. */
#ifndef CLPAC_TESTS_QUEUE_LAWS_H
#define CLPAC_TESTS_QUEUE_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* A test case with every law for each of the first n targets. */
TCase *queue_laws(size_t n_targets);

#endif
