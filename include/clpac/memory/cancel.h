/** @file memory/cancel.h
 *  Ending calls from outside: from another thread, or from a signal handler.
 *
 *      clpac_cancel *cancel;
 *      clpac_cancel_create(&cancel, &err);
 *      clpac_cancel_use(cancel);                     calls of this thread listen to it from now on
 *      status = clpac_plan_run(plan, ...);           CLPAC_ERROR_CANCELLED once another thread, or a handler of
 *      clpac_cancel_use(NULL);                       SIGINT, has called clpac_cancel_set(cancel)
 *
 *  Every function that may take long listens, and ends within a tenth of a second: runs, between the pieces of each
 *  stage on the native device and between the commands of an OpenCL device; statistics over subjects and epochs;
 *  cautions; reading, resampling, checksums, writing, pictures.  They free what they made, a file that was being
 * written stays as it was, and contexts and plans can be used on.  An application's own loops, as in loaders and
 * progress functions, ask clpac_cancel_check.
 *
 *  What nobody can end ends by itself: a driver that compiles kernels or opens a device, a system that waits for a disk
 *  or brings a file's bytes to it, and one command of an OpenCL device.  While a thread uses a clpac_cancel, commands
 * on a CPU are cut into shorter ones, and no device has more in its queue than some 50 ms of work.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_CANCEL_H
#define CLPAC_MEMORY_CANCEL_H

#include <stdbool.h>

#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A wish to end, which is there or not.  Opaque. */
typedef struct clpac_cancel clpac_cancel;

/** Makes one that is not set.
 *  @param[out] out the caller's to destroy.
 *  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_cancel_create(clpac_cancel **out, clpac_error *err);
/** Frees it.  No thread may use it any more, nor set it.  NULL is fine. */
void clpac_cancel_destroy(clpac_cancel *cancel);

/** Asks the calls of all threads that use it to end, now and later.  NULL: nothing happens.  Any thread, and signal
 *  handlers. */
void clpac_cancel_set(clpac_cancel *cancel);
/** Takes the wish back, for further calls.  NULL: nothing happens.  Any thread, and signal handlers. */
void clpac_cancel_clear(clpac_cancel *cancel);
/** Whether it is set; false for NULL.  Any thread, and signal handlers. */
bool clpac_cancel_is_set(const clpac_cancel *cancel);

/** Makes the calling thread's calls listen to it, until the thread uses another one or ends.  Threads that the library
 *  starts for such a call listen too.
 *  @param cancel NULL: to none.
 *  @return what the thread used before; NULL: none. */
clpac_cancel *clpac_cancel_use(clpac_cancel *cancel);
/** What the calling thread uses; NULL: none. */
clpac_cancel *clpac_cancel_used(void);
/** CLPAC_ERROR_CANCELLED where what the calling thread uses is set, with a text. */
clpac_status clpac_cancel_check(clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
