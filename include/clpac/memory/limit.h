/** @file memory/limit.h
 *  Budgets that several pools share.
 *
 *  Threads: any.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_LIMIT_H
#define CLPAC_MEMORY_LIMIT_H

#include <stdint.h>

#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One budget shared by several pools, which may be on different devices: for bytes on the devices
 * (clpac_pool_options.budget.limit), for buffers on the host (clpac_pool_options.fallback_limit), or for both.  Opaque.
 */
typedef struct clpac_limit clpac_limit;

/** Makes a shared budget.
 * @param bytes 1 or more.
 * @param[out] out the budget; the caller destroys it; its pools keep it as long as they need it.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_limit_create(uint64_t bytes, clpac_limit **out, clpac_error *err);
/** Makes a shared budget within another one: what its pools take counts in both, and in all above.  So limits form a
 * tree, as for a device, the jobs on it, and the pools of each job; a limit may be larger than what its parent leaves.
 * @param parent kept as long as needed; NULL: none, as clpac_limit_create.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_limit_create_under(clpac_limit *parent, uint64_t bytes, clpac_limit **out, clpac_error *err);
/** Frees a shared budget.  NULL is fine. */
void clpac_limit_destroy(clpac_limit *limit);
/** Bytes that its pools, and those of the limits below it, hold now: on their devices, on the host, or on both, by the
 * options in which they have it. */
uint64_t clpac_limit_taken(const clpac_limit *limit);

#ifdef __cplusplus
}
#endif
#endif
