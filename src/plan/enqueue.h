/* A run from memory of the device's to memory of the device's, put into the queue and not waited for. */
#ifndef CLPAC_PLAN_ENQUEUE_H
#define CLPAC_PLAN_ENQUEUE_H

#include "plan/plan.h"

/* A place in a block, in units of four bytes; block NULL: none. */
typedef struct clpac__place {
	clpac__block *block;
	size_t at;
} clpac__place;

/* All of it belongs to the queue's device, is large enough (clpac__enqueued_samples, clpac__enqueued_values), and what
 * is written overlaps nothing else. */
typedef struct clpac__enqueued {
	clpac__place samples;				      /* float32 */
	size_t sample_stride, segment_stride, channel_stride; /* in samples */
	clpac__place arrays[CLPAC_ARRAY_COUNT];		      /* as in a result; of those that the plan keeps */
	clpac__place warnings;				      /* (series) u4: bits 1 << clpac_warning_kind */
} clpac__enqueued;

/* From the first to the last sample, both included; false where a size_t cannot hold it. */
bool clpac__enqueued_samples(const clpac_plan *plan, const clpac__enqueued *run, size_t *n);

/* How many values an array holds; 0 where the plan does not keep it. */
size_t clpac__enqueued_values(const clpac_plan *plan, clpac_array which);

/* Puts a whole run behind what is in the queue.  Allocates host memory, the first time; after an error the outputs are
 * undefined and the plan is as good as before. */
clpac_status clpac__plan_enqueue(clpac_plan *plan, const clpac__enqueued *run, clpac_error *err);

/* Waits for such runs, where there were any, and lets go of what they used. */
void clpac__plan_forget_enqueued(clpac_plan *plan);

#endif
