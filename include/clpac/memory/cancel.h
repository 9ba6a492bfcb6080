/** @file memory/cancel.h
 *  Ending calls from outside: from another thread, or from a signal handler.
 *
 *      clpac_cancel *cancel;
 *      clpac_cancel_create(&cancel, &err);
 *      clpac_cancel_use(cancel);                     calls of this thread listen to it from now on
 *      status = clpac_plan_run(plan, ...);           CLPAC_ERROR_CANCELLED once another thread, or a handler of
 *      clpac_cancel_use(NULL);                       SIGINT, has called clpac_cancel_set(cancel)
 *
 *  Computations listen: runs, between the pieces of each stage on the native device, which take milliseconds, and
 *  between the commands of an OpenCL device, each of which ends by itself, and is waited for while a thread uses one;
 * statistics over subjects and epochs, between permutations; cautions, between channels.  They free what they made, and
 * contexts and plans can be used on.  All other functions end by themselves.  An application's own loops, as in loaders
 * and progress functions, ask clpac_cancel_check.
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
