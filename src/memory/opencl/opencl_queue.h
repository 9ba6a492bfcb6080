/* A device opened: context and command queue. */
#ifndef CLPAC_MEMORY_OPENCL_OPENCL_QUEUE_H
#define CLPAC_MEMORY_OPENCL_OPENCL_QUEUE_H

#include "memory/opencl/cl.h"
#include "memory/seam/backend.h"
#include "memory/opencl/log.h"
#include "memory/opencl/quirks.h"

struct clpac__opencl_queue {
	clpac__queue base;
	struct clpac__opencl_queue *root; /* the queue that the device was opened with; may be itself */
	cl_device_id device;
	cl_context context;
	cl_command_queue commands;
	cl_event barrier; /* the last one of an out-of-order queue that waits for an event, or NULL */
	clpac__opencl_quirks quirks;
	clpac_log_function *log;
	void *log_user;
	clpac__opencl_notes notes; /* used in root only */
};

static inline clpac__opencl_queue *clpac__opencl_of(clpac__queue *queue)
{
	return (clpac__opencl_queue *)queue;
}

/* Makes a queue on handles of the application's or of clpac's own; retains context and commands, on success only. root
 * NULL: the queue is its own root. */
clpac_status clpac__opencl_queue_make(clpac__opencl_queue *root, const clpac_device *device, cl_device_id id,
				      cl_context context, cl_command_queue commands, const clpac_options *options,
				      clpac__opencl_queue **out, clpac_error *err);
/* True when a queue belongs to this backend. */
bool clpac__opencl_is(const clpac__queue *queue);

extern const clpac__queue_operations clpac__opencl_operations;

#endif
