/** @file memory/context.h
 * A device opened for work, which owns its queue and its memory pool; libclpac adds its compiled kernels.
 *
 * Threads: any number of threads may use a context at once: make, run and destroy plans (each plan used by one thread
 * at a time), call the functions of clpac/signal.h, use its pool, and make further pools with clpac_pool_create.  Each
 * thread gets the numbers it would get alone, and a failure in one leaves the others unaffected.  The native device
 * runs the work of several threads side by side.  An OpenCL context has one queue, so a thread that waits for its own
 * work also waits for what others put there before; open one context per thread for a queue each.  Different contexts
 * are independent.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_CONTEXT_H
#define CLPAC_MEMORY_CONTEXT_H

#include <clpac/memory/device.h>
#include <clpac/memory/options.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opens a device.
 * @param device one of a list of clpac_devices_find (copied; the list may be destroyed).  NULL: as
 *   clpac_context_open_selected of this machine with options->device, by default the best device.
 * @param options NULL for defaults; copied.
 * Cost: milliseconds; on OpenCL, where a driver compiles kernels, up to seconds the first time.
 */
clpac_status clpac_context_open(const clpac_device *device, const clpac_options *options, clpac_context **out,
				clpac_error *err);

/** Opens the first device that fits a selection and can be opened.  Candidates are tried in the order of
 * clpac_devices_select; duplicates of a device on another platform come last.  Each device that cannot be opened is
 * reported to options->log as a warning before the next is tried.
 * @param list the devices; NULL: those of this machine, found as options->probe says.
 * @param selection as for clpac_devices_select; options->device is ignored.
 * @param required_bytes the device must have this much memory, and the context's pool must be allowed to take it; 0 for
 *   any.
 * @param options NULL for defaults; copied.
 * Errors: those of clpac_devices_select; if one device fits, its own error; if several fit and none can be opened,
 * CLPAC_ERROR_NO_DEVICE with the reason of each and the native code of the first.  Wrong options and lack of host
 * memory end the search at the first device.
 * Cost: that of clpac_context_open for each device tried.
 */
clpac_status clpac_context_open_selected(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
					 const clpac_options *options, clpac_context **out, clpac_error *err);

/** Gives the context up.  Plans, pools, buffers and all else made on it keep it and go on working, in any order; with
 * the last of them, or at once, it waits for work in progress and frees everything.  No other thread may be calling a
 * function with the context itself.  NULL is fine.
 * In a forked child: forgets a context that was not used there; closes one that was.
 */
void clpac_context_close(clpac_context *context);

/** The facts of the opened device, with free_bytes as of the opening.  Valid as long as the context; never changes. */
const clpac_device *clpac_context_device(const clpac_context *context);
/** The pool from which every buffer of the context comes; valid as long as the context.  The pool of a context made by
 * clpac_context_from_opencl allocates in the application's OpenCL context, and its own queue (clpac_pool_queue) is the
 * one that the application gave.
 * In a forked child a native context makes a pool of the child's own at its first use; the parent's is refused there.
 */
clpac_pool *clpac_context_pool(clpac_context *context);

#ifdef __cplusplus
}
#endif
#endif
