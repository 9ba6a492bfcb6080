/* The budget of a pool: how much of a device it may take. */
#ifndef CLPAC_MEMORY_POOL_BUDGET_H
#define CLPAC_MEMORY_POOL_BUDGET_H

#include <clpac/memory/device.h>
#include <clpac/memory/pool.h>

/* The smallest of: the options' budget, their fraction of the device, the free memory less their minimum, and cap_bytes
 * (0: none).  UINT64_MAX when nothing limits. */
clpac_status clpac__budget_find(const clpac_pool_options *options, const clpac_device *device, uint64_t cap_bytes,
				uint64_t *out, clpac_error *err);

#endif
