/** @file memory/context.h
 *  A device opened for work: its queue, its memory pool, its compiled kernels.
 */
#ifndef CLPAC_MEMORY_CONTEXT_H
#define CLPAC_MEMORY_CONTEXT_H

#include <clpac/memory/device.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/options.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque; owns the device's queue and pool.
 *
 *  Threads: any number of them may use a context at once: make plans, run and destroy them (each plan by one thread at
 * a time), call what is in clpac/signal.h, and use its pool and further ones of clpac_pool_create.  Each gets the
 * numbers that it would get alone, and what fails in one leaves the others alone.  The native device runs what they
 * start side by side.  On OpenCL all goes into one queue, so that a thread that waits for its own work also waits for
 * what others put there before; a context for each thread has a queue for each.  Different contexts are independent. */
typedef struct clpac_context clpac_context;

/** Opens a device.
 *  @param device one of a list of clpac_devices_find (copied, the list may be destroyed); NULL: as
 *  clpac_context_open_selected of this machine with options->device, the best one by default.
 *  @param options NULL for defaults; copied.
 *  Cost: milliseconds; on OpenCL, where a driver compiles kernels, up to seconds the first time. */
clpac_status clpac_context_open(const clpac_device *device, const clpac_options *options, clpac_context **out,
				clpac_error *err);

/** Opens the first device that fits a selection and that can be opened.  What fits is tried in the order in which
 *  clpac_devices_select prefers it, devices that another platform shows too as a last resort; what cannot be opened is
 * told to options->log as a warning before the next is tried.
 *  @param list the devices; NULL: those of this machine, looked at as options->probe says.
 *  @param selection as for clpac_devices_select; options->device is not looked at.
 *  @param required_bytes the device must have so much memory, and the context's pool must be allowed to take it; 0 for
 * any.
 *  @param options NULL for defaults; copied.
 *  Errors: those of clpac_devices_select; where one device fits, its own error; where several fit and none can be
 * opened, CLPAC_ERROR_NO_DEVICE with the reason of each and the native code of the first.  Options that are wrong, and
 * a host without memory, end it at the first device. Cost: that of clpac_context_open for each that is tried. */
clpac_status clpac_context_open_selected(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
					 const clpac_options *options, clpac_context **out, clpac_error *err);

/** Waits for work in progress and frees everything.  Plans and buffers of the context must be destroyed before, and no
 * other thread may be using it.  NULL is fine. */
void clpac_context_close(clpac_context *context);

/** The facts of the opened device, free_bytes of when it was opened; valid as long as the context, and never changing.
 */
const clpac_device *clpac_context_device(const clpac_context *context);
/** The pool from which every buffer of the context comes; valid as long as the context. */
clpac_pool *clpac_context_pool(clpac_context *context);

#ifdef __cplusplus
}
#endif
#endif
