/* The laws of parts, host blocks, mappings, further queues and events: one test each, on each target of one backend. */
#ifndef CLPAC_TESTS_ORDER_LAWS_H
#define CLPAC_TESTS_ORDER_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* Test cases with every law for each of the first n targets: of a queue's blocks; of queues and events, one thread; the
 * same with several threads, tagged "threads". */
TCase *block_laws(size_t n_targets);
TCase *order_laws(size_t n_targets);
TCase *order_thread_laws(size_t n_targets);

#endif
