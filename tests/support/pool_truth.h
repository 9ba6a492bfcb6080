/* What must hold of any pool while no other thread uses it: its ledger tells what its simulated device really holds. */
#ifndef CLPAC_TESTS_POOL_TRUTH_H
#define CLPAC_TESTS_POOL_TRUTH_H

#include <clpac/memory/pool.h>
#include "simulated.h"

/* Fails the test where the ledger and the device disagree.  The pool is the device's only one. */
void check_truth(clpac_pool *pool, const simulated_device *device);

/* The same where several threads were at work: the ledger hears of a driver's answer a moment after the device gave
 * it, so that the two need not have had the same peak. */
void check_truth_after_threads(clpac_pool *pool, const simulated_device *device);

/* Fails the test unless nothing is left of the pool and the seam's contract was kept. */
void check_nothing_left(const simulated_device *device);

/* A pool on a simulated device of so much memory with all of it as its budget; fails the test when it cannot be
 * made.  Every block is whole unless the options say otherwise, so that all numbers can be foretold. */
clpac_pool *open_pool(simulated_device *device, uint64_t memory_bytes, const clpac_pool_options *options);

/* Allocates and releases, failing the test on an error. */
clpac_buffer *take(clpac_pool *pool, size_t bytes);

#endif
