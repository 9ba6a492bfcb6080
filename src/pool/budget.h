/* How much of a device a pool may take. */
#ifndef CLPAC_POOL_BUDGET_H
#define CLPAC_POOL_BUDGET_H

#include <clpac/memory/device.h>
#include <clpac/memory/pool.h>

/* The smallest of: the options' budget, their fraction of the device, what their minimum leaves of the memory that
 * is free, and cap_bytes (0: none).  UINT64_MAX where nothing limits. */
clpac_status clpac__budget_find(const clpac_pool_options *options, const clpac_device *device, uint64_t cap_bytes,
				uint64_t *out, clpac_error *err);

#endif
