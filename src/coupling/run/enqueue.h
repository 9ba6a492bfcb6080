/* Runs that read and write device memory, put into the queue without waiting. */
#ifndef CLPAC_COUPLING_RUN_ENQUEUE_H
#define CLPAC_COUPLING_RUN_ENQUEUE_H

#include "coupling/passes/plan.h"

/* An offset in a block, in units of four bytes; block NULL: none. */
typedef struct clpac__place {
	clpac__block *block;
	size_t at;
} clpac__place;

/* Input and outputs of a run.  Every block belongs to the queue's device and is large enough (clpac__enqueued_samples,
 * clpac__enqueued_values); written ranges overlap no other. */
typedef struct clpac__enqueued {
	clpac__place samples;					     /* float32 */
	size_t sample_stride, segment_stride, channel_stride;	     /* in samples */
	clpac__place arrays[CLPAC_MEASURE_COUNT][CLPAC_ARRAY_COUNT]; /* of each measure of the problem, in its order, as
									in results; only arrays that the plan keeps */
	clpac__place warnings;					     /* (series) u4: bits 1 << clpac_warning_kind */
} clpac__enqueued;

/* The number of samples from the first to the last, both included; false if it does not fit in a size_t. */
bool clpac__enqueued_samples(const clpac_plan *plan, const clpac__enqueued *run, size_t *n);

/* Whether an array comes to the host only: those of clpac_result_correct, those of clusters, and counts of bins. */
bool clpac__is_made_on_the_host(clpac_array which);

/* Whether an array is the same for all measures, and stands with those of the first. */
bool clpac__is_of_no_measure(clpac_array which);

/* The number of values in an array of the problem's measure number i; 0 if the plan does not keep it, or not on the
 * device.  Arrays that are the same for all measures are those of the first. */
size_t clpac__enqueued_values(const clpac_plan *plan, size_t i, clpac_array which);

/* Appends a whole run to the queue.  The first call allocates host memory.  After an error the outputs are undefined,
 * and the plan can be used again. */
clpac_status clpac__plan_enqueue(clpac_plan *plan, const clpac__enqueued *run, clpac_error *err);

#endif
