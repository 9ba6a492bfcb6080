/* Events: moments in a queue's order, and waiting for them. */
#include "memory/opencl/opencl.h"
#include "memory/opencl/calls.h"

static clpac_status check_event(const clpac__queue *queue, const char *what, const clpac_event *event, clpac_error *err)
{
	if (!event)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s on %s: the event is NULL", what, queue->device.name);
	return CLPAC_OK;
}

clpac_status clpac__opencl_stamp(clpac__queue *queue, clpac_event **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	cl_event event = NULL;
	CL(CLPAC__OPENCL_ORDERING, clEnqueueMarkerWithWaitList(clpac__opencl_of(queue)->commands, 0, NULL, &event),
	   "an event on %s", queue->device.name);
	*out = (clpac_event *)(void *)event;
done:
	return st;
}

clpac_status clpac__opencl_send(clpac__queue *queue, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	CL(CLPAC__OPENCL_ORDERING, clFlush(clpac__opencl_of(queue)->commands), "sending off what %s is to do",
	   queue->device.name);
done:
	return st;
}

/* Sent off, since waiting for the event elsewhere does not start this queue. */
clpac_status clpac__opencl_mark(clpac__queue *queue, clpac_event **out, clpac_error *err)
{
	clpac_event *event = NULL;
	RETURN_IF_ERROR(clpac__opencl_stamp(queue, &event, err));
	const clpac_status st = clpac__opencl_send(queue, err);
	if (st != CLPAC_OK)
		clpac__opencl_forget(queue, event);
	else
		*out = event;
	return st;
}

/* A barrier with events holds back all commands behind it, barriers too.  PoCL 3.1 lets the next such barrier of an
 * out-of-order queue pass, and commands behind both then wait for the second alone; so each waits for the one before.
 */
clpac_status clpac__opencl_wait_for(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__opencl_queue *own = clpac__opencl_of(queue);
	cl_event barrier = NULL;
	TRY(check_event(queue, "wait_for", event, err));
	/* One that has passed, or failed, orders nothing any more. */
	if (own->barrier && clpac__opencl_has_passed(queue, (clpac_event *)(void *)own->barrier))
		clpac__opencl_keep_barrier(own, NULL);
	const cl_event events[] = {clpac__opencl_event(event), own->barrier};
	CL(CLPAC__OPENCL_ORDERING,
	   clEnqueueBarrierWithWaitList(own->commands, own->barrier ? 2 : 1, events,
					queue->is_in_order ? NULL : &barrier),
	   "letting %s wait for an event", queue->device.name);
	if (barrier)
		clpac__opencl_keep_barrier(own, barrier);
done:
	return st;
}

void clpac__opencl_keep_barrier(clpac__opencl_queue *queue, cl_event barrier)
{
	if (queue->barrier)
		clReleaseEvent(queue->barrier);
	queue->barrier = barrier;
}

static clpac_status wait_for_all(const clpac__opencl_queue *queue, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	cl_event last = NULL;
	CL(CLPAC__OPENCL_LAUNCHING, clEnqueueMarkerWithWaitList(queue->commands, 0, NULL, &last), "waiting for %s",
	   queue->base.device.name);
	CL(CLPAC__OPENCL_LAUNCHING, clWaitForEvents(1, &last), "waiting for %s", queue->base.device.name);
done:
	if (last)
		clReleaseEvent(last);
	return st;
}

clpac_status clpac__opencl_finish(const clpac__opencl_queue *queue, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (queue->quirks.finish_forgets_flushed) {
		st = wait_for_all(queue, err);
		if (st != CLPAC_OK) { /* reported, then tried again: memory freed next may still be in use */
			wait_for_all(queue, NULL);
			goto done;
		}
	}
	CL(CLPAC__OPENCL_LAUNCHING, clFinish(queue->commands), "waiting for %s", queue->base.device.name);
done:
	return st;
}

/* CL_COMPLETE, or the negative code of the failed work; false when the driver does not report it. */
static bool has_ended(cl_event event, cl_int *outcome)
{
	return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *outcome, outcome, NULL) == CL_SUCCESS &&
	       *outcome <= CL_COMPLETE;
}

bool clpac__opencl_has_passed(clpac__queue *queue, clpac_event *event)
{
	(void)queue;
	cl_int outcome;
	return has_ended(clpac__opencl_event(event), &outcome);
}

bool clpac__opencl_passed_at(clpac__queue *queue, clpac_event *event, uint64_t *nanoseconds)
{
	(void)queue;
	cl_ulong time = 0;
	cl_int outcome;
	const cl_event handle = clpac__opencl_event(event);
	if (!has_ended(handle, &outcome) || outcome != CL_COMPLETE ||
	    clGetEventProfilingInfo(handle, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL) != CL_SUCCESS)
		return false;
	*nanoseconds = time;
	return time != 0;
}

clpac_status clpac__opencl_wait(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_event(queue, "wait", event, err));
	const cl_event handle = clpac__opencl_event(event);
	cl_int outcome, code = clWaitForEvents(1, &handle);
	/* The event's own code is more specific than the failure. */
	if (has_ended(handle, &outcome) && outcome < 0)
		code = outcome;
	CL_CODE(CLPAC__OPENCL_LAUNCHING, code, "clWaitForEvents", "work before an event on %s", queue->device.name);
done:
	return st;
}

clpac_status clpac__opencl_retain(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	CL(CLPAC__OPENCL_ORDERING, clRetainEvent(clpac__opencl_event(event)), "an event on %s", queue->device.name);
done:
	return st;
}

void clpac__opencl_forget(clpac__queue *queue, clpac_event *event)
{
	(void)queue;
	clReleaseEvent(clpac__opencl_event(event));
}
