/* Exchange of OpenCL objects with the application, in both directions. */
#include <clpac/memory/opencl.h>
#include <clpac/memory/queue.h>

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "memory/pool/pool.h"
#include "memory/opencl/opencl.h"
#include "memory/opencl/calls.h"
#include "memory/context/context.h"

static clpac_status check_device(cl_context context, cl_device_id device, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t bytes = 0, given = 0;
	bool is_found = false;
	cl_device_id *ids = NULL;
	CL(CLPAC__OPENCL_OPENING, clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes),
	   "devices of a context");
	ids = clpac__alloc_zero(bytes);
	if (!ids)
		FAIL_NO_MEMORY(bytes);
	CL(CLPAC__OPENCL_OPENING, clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, ids, &given),
	   "devices of a context");
	for (size_t i = 0; i < given / sizeof *ids; i++)
		is_found |= ids[i] == device;
	if (!is_found)
		FAIL(CLPAC_ERROR_ARGUMENT, "the device is none of the devices of the OpenCL context: give one of them");
done:
	clpac__free(ids);
	return st;
}

static clpac_status check_queue(cl_context context, cl_device_id device, cl_command_queue queue, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	cl_context its_context;
	cl_device_id its_device;
	CL(CLPAC__OPENCL_OPENING,
	   clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof its_context, &its_context, NULL), "facts of a queue");
	CL(CLPAC__OPENCL_OPENING, clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof its_device, &its_device, NULL),
	   "facts of a queue");
	if (its_context != context || its_device != device)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "the OpenCL queue belongs to another %s: give one of the same context and device",
		     its_context != context ? "context" : "device");
done:
	return st;
}

static void describe(cl_device_id id, clpac_device *device)
{
	*device = (clpac_device){.platform = -1, .index = -1, .backend = "opencl", .is_available = true};
	clpac__opencl_device_facts(&clpac__opencl_loader, id, device);
	clpac__opencl_number_device(&clpac__opencl_loader, id, device);
}

clpac_status clpac_context_from_opencl(cl_context context, cl_device_id device, cl_command_queue queue,
				       const clpac_options *given, clpac_context **out, clpac_error *err)
{
	NEED(context, device, out);
	clpac_options options;
	clpac_status st = CLPAC_OK;
	clpac_device facts;
	clpac__opencl_queue *own = NULL;
	cl_command_queue made = NULL;
	cl_int code;
	bool is_new;
	char why[256];

	if (clpac__opencl_is_of_parent())
		return clpac__forked_fail(err, __func__, "OpenCL");
	if (!context || !device)
		FAIL(CLPAC_ERROR_ARGUMENT, "the OpenCL %s is NULL", context ? "device" : "context");
	TRY(clpac__take_sized(&options, given, clpac_options, err));
	if (*options.opencl_library)
		TRY(clpac__opencl_use(options.opencl_library, &is_new, err));
	else if (!clpac__opencl_load(why, sizeof why))
		FAIL(CLPAC_ERROR_UNSUPPORTED,
		     "the OpenCL loader that made the context cannot be used (%s): link the application with "
		     "libOpenCL, "
		     "or name its loader in opencl_library",
		     why);
	TRY(check_device(context, device, err));
	describe(device, &facts);
	const char *trouble = clpac__opencl_device_trouble(&clpac__opencl_loader, device);
	if (trouble)
		FAIL(CLPAC_ERROR_UNSUPPORTED, "OpenCL device \"%s\" %s: choose another device", facts.name, trouble);
	if (queue) {
		TRY(check_queue(context, device, queue, err));
	} else {
		queue = made = clCreateCommandQueue(context, device, 0, &code);
		CL_CODE(CLPAC__OPENCL_OPENING, code, "clCreateCommandQueue", "creating a queue on %s", facts.name);
	}
	TRY(clpac__opencl_queue_make(NULL, &facts, device, context, queue, &options, &own, err));
	if (!own->base.is_in_order)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "the OpenCL queue on %s is out of order: give one in order, and add this one to a pool with "
		     "clpac_queue_from_opencl",
		     facts.name);
	TRY(clpac__context_of_queue(&own->base, &options, out, err));
	own = NULL;
done:
	if (own)
		own->base.operations->close(&own->base);
	if (made)
		clReleaseCommandQueue(made);
	return st;
}

/* The OpenCL side of a pool's own queue; NULL and an error when the pool is not on OpenCL. */
static clpac__opencl_queue *queue_of(const clpac_pool *pool, const char *what, clpac_error *err)
{
	clpac__queue *queue = clpac_pool_queue(pool);
	if (clpac__opencl_is(queue))
		return clpac__opencl_of(queue);
	clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s: the pool is on %s, which is no OpenCL device", what,
		    queue->device.name);
	return NULL;
}

clpac_status clpac_queue_from_opencl(clpac_pool *pool, cl_command_queue queue, clpac_queue **out, clpac_error *err)
{
	NEED(pool, queue, out);
	NEED_POOL_HERE(pool);
	clpac_status st = CLPAC_OK;
	clpac__opencl_queue *adopted = NULL, *own = queue_of(pool, "queue", err);
	if (!own)
		return CLPAC_ERROR_ARGUMENT;
	TRY(check_queue(own->context, own->device, queue, err));
	const clpac_options options = {
		.vector_width = own->base.vector_width, .log = own->log, .log_user = own->log_user, .cache = "none"};
	TRY(clpac__opencl_queue_make(own->root, &own->base.device, own->device, own->context, queue, &options, &adopted,
				     err));
	TRY(clpac__pool_queue_add(pool, &adopted->base, err));
	*out = &adopted->base;
	adopted = NULL;
done:
	if (adopted)
		adopted->base.operations->close(&adopted->base);
	return st;
}

clpac_status clpac_event_from_opencl(clpac_pool *pool, cl_event event, clpac_event **out, clpac_error *err)
{
	NEED(pool, event, out);
	NEED_POOL_HERE(pool);
	clpac_status st = CLPAC_OK;
	cl_context context;
	const clpac__opencl_queue *own = queue_of(pool, "event", err);
	if (!own)
		return CLPAC_ERROR_ARGUMENT;
	CL(CLPAC__OPENCL_ORDERING, clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context, &context, NULL),
	   "facts of an event");
	if (context != own->context)
		FAIL(CLPAC_ERROR_ARGUMENT, "the OpenCL event belongs to another context than the pool on %s",
		     own->base.device.name);
	CL(CLPAC__OPENCL_ORDERING, clRetainEvent(event), "an event");
	TRY(clpac__pool_event_add(pool, (clpac_event *)(void *)event, err));
	*out = (clpac_event *)(void *)event;
done:
	return st;
}

cl_device_id clpac_device_opencl(const clpac_device *device)
{
	cl_device_id id;
	clpac_device now = {0};
	if (!device || strcmp(device->backend, "opencl") != 0 ||
	    !clpac__opencl_find_device(&clpac__opencl_loader, device->platform, device->index, &id))
		return NULL;
	/* A list can be older than the machine, or another machine's: its numbers may mean another device here. */
	clpac__opencl_device_facts(&clpac__opencl_loader, id, &now);
	return strcmp(now.name, device->name) == 0 ? id : NULL;
}

cl_mem clpac_buffer_opencl(clpac_buffer *buffer)
{
	const clpac_pool *pool = clpac__buffer_is_live(buffer) ? clpac__buffer_pool(buffer) : NULL;
	if (!pool || clpac__pool_need_here(pool, __func__, NULL) != CLPAC_OK ||
	    !clpac__opencl_is(clpac_pool_queue(pool)))
		return NULL;
	const clpac__block *block = clpac__buffer_pin(buffer) ? clpac__buffer_block(buffer) : NULL;
	return block ? block->memory : NULL;
}

cl_command_queue clpac_queue_opencl(const clpac_queue *queue)
{
	return queue && clpac__opencl_is(queue) ? ((const clpac__opencl_queue *)queue)->commands : NULL;
}

cl_context clpac_pool_opencl(const clpac_pool *pool)
{
	if (!pool)
		return NULL;
	const clpac__queue *queue = clpac_pool_queue(pool);
	return clpac__opencl_is(queue) ? ((const clpac__opencl_queue *)queue)->context : NULL;
}

cl_event clpac_event_opencl(const clpac_pool *pool, clpac_event *event)
{
	if (!pool || !event || clpac__pool_event_need(event, "", NULL) != CLPAC_OK)
		return NULL;
	return clpac__opencl_is(clpac_pool_queue(pool)) ? clpac__opencl_event(event) : NULL;
}
