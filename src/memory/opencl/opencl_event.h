/* Order between queues: events, as in memory/seam/backend.h. */
#ifndef CLPAC_MEMORY_OPENCL_OPENCL_EVENT_H
#define CLPAC_MEMORY_OPENCL_OPENCL_EVENT_H

#include "memory/opencl/opencl_queue.h"

/* An event of the seam is the driver's own handle, cast. */
static inline cl_event clpac__opencl_event(clpac_event *event)
{
	return (cl_event)(void *)event;
}

clpac_status clpac__opencl_mark(clpac__queue *queue, clpac_event **out, clpac_error *err);
clpac_status clpac__opencl_wait_for(clpac__queue *queue, clpac_event *event, clpac_error *err);
/* Replaces the queue's last barrier, whose event it takes over; NULL: none. */
void clpac__opencl_keep_barrier(clpac__opencl_queue *queue, cl_event barrier);
bool clpac__opencl_has_passed(clpac__queue *queue, clpac_event *event);
bool clpac__opencl_passed_at(clpac__queue *queue, clpac_event *event, uint64_t *nanoseconds);
clpac_status clpac__opencl_wait(clpac__queue *queue, clpac_event *event, clpac_error *err);
void clpac__opencl_retain(clpac__queue *queue, clpac_event *event);
void clpac__opencl_forget(clpac__queue *queue, clpac_event *event);

/* clFinish with a remedy for drivers where it does not wait for everything. */
clpac_status clpac__opencl_finish(const clpac__opencl_queue *queue, clpac_error *err);

#endif
