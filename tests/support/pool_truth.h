/* Assertions that hold of any pool while no other thread uses it: its ledger equals what its simulated device holds. */
#ifndef CLPAC_TESTS_POOL_TRUTH_H
#define CLPAC_TESTS_POOL_TRUTH_H

#include <clpac/memory/pool.h>
#include "simulated.h"

/* Fails the test where the ledger and the device disagree.  The device must serve no other pool. */
void check_truth(clpac_pool *pool, const simulated_device *device);

/* The same after several threads were at work.  Peaks may differ: the ledger records a driver's answer a moment after
 * the device gave it. */
void check_truth_after_threads(clpac_pool *pool, const simulated_device *device);

/* Fails the test unless the pool left nothing behind and the interface's contract was kept. */
void check_nothing_left(const simulated_device *device);

/* A pool on a simulated device of so much memory, with all of it as its budget; fails the test when it cannot be made.
 * Every block is whole unless the options say otherwise, so that all numbers can be predicted. */
clpac_pool *open_pool(simulated_device *device, uint64_t memory_bytes, const clpac_pool_options *options);

/* Allocates and releases, failing the test on an error. */
clpac_buffer *take(clpac_pool *pool, size_t bytes);

#endif
