/* A batch that is begun before the one before it is stored.
 *
 * Once the last command of a batch is in the queue, the host has nothing to do until the device is there, and then the
 * device has nothing to do until the host has stored the batch and staged the next one.  So the host stages the next
 * batch meanwhile, and puts its commands up to the edge lists and prefix sums behind those of the present one: the
 * device goes on with them while the host stores.
 *
 * The queue is in order, and what the host reads of the present batch is read by commands before those of the next.
 * The host's room for samples and shifts is free by then: counts were waited for, and stand behind both in the queue.
 */
#ifndef CLPAC_COUPLING_RUN_AHEAD_H
#define CLPAC_COUPLING_RUN_AHEAD_H

#include "coupling/run/execute.h"

/* Whether the next batch is to be begun before the present one is stored: where there is one, on devices that are not
 * the host's own processors, in queues in which nothing waits for a stage.  Batches with more to stage than samples and
 * shifts are not: other amplitudes, pairs, the caller's phases and amplitudes. */
bool clpac__ahead_may(const clpac_plan *plan, clpac__batch *batch, const clpac__run *run);

/* Ends the stage "store" and begins the run's next batch.  All reads of the present one are in the queue.  A failure is
 * kept and reported when that batch is computed. */
void clpac__ahead_begin(const clpac_plan *plan, clpac__batch *batch, clpac__run *run);

/* Whether a batch has been begun. */
static inline bool clpac__ahead_is_begun(const clpac__batch *batch)
{
	return batch->ahead.n != 0;
}

/* Hands over the batch that was begun if it is series first .. first + n - 1: *is_begun; any other is dropped.  Errors:
 * that with which it was begun. */
clpac_status clpac__ahead_take(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
			       bool *is_begun, clpac_error *err);

/* Drops a batch that was begun, if there is one, when the device is done with it. */
void clpac__ahead_drop(const clpac_plan *plan, clpac__batch *batch, clpac__run *run);

#endif
