/** @file context.h
 *  A device opened for work: its queue, its memory pool, its compiled kernels.
 */
#ifndef CLPAC_CONTEXT_H
#define CLPAC_CONTEXT_H

#include <clpac/device.h>
#include <clpac/memory.h>
#include <clpac/options.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque; owns the device's queue and pool.  Used by one thread at a time; different contexts are independent. */
typedef struct clpac_context clpac_context;

/** Opens a device.
 *  @param device one of a list of clpac_devices_find (copied, the list may be destroyed); NULL: the device that
 *  options->device selects, the best one by default.
 *  @param options NULL for defaults; copied.
 *  Cost: milliseconds; on OpenCL, where a driver compiles kernels, up to seconds the first time. */
clpac_status clpac_context_open(const clpac_device *device, const clpac_options *options, clpac_context **out,
				clpac_error *err);
/** Waits for work in progress and frees everything.  Plans and buffers of the context must be destroyed before.  NULL is fine. */
void clpac_context_close(clpac_context *context);

/** The facts of the opened device, free_bytes of when it was opened; valid as long as the context. */
const clpac_device *clpac_context_device(const clpac_context *context);
/** The pool from which every buffer of the context comes; valid as long as the context. */
clpac_pool *clpac_context_pool(clpac_context *context);

#ifdef __cplusplus
}
#endif
#endif
