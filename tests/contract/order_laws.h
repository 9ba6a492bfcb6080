/* The laws of parts, host blocks, mappings, further queues and events, one test each, over the targets of one backend. */
#ifndef CLPAC_TESTS_ORDER_LAWS_H
#define CLPAC_TESTS_ORDER_LAWS_H

#include <check.h>
#include <stddef.h>

/* A test case with every law for each of the first n targets; those of several threads, tagged "threads", in the other. */
TCase *order_laws(size_t n_targets);
TCase *order_thread_laws(size_t n_targets);

#endif
