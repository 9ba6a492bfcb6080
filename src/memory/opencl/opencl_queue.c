/* Opening a device: OpenCL context and queue; also the backend's one exported object. */
#include "config.h"

#include "memory/opencl/opencl.h"
#include "memory/opencl/calls.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "memory/native/machine.h"

static void *host_pointer(clpac__queue *queue, clpac__block *block)
{
	(void)queue, (void)block;
	return NULL;
}

static void *handle(clpac__queue *queue, clpac__block *block)
{
	(void)queue;
	return block->memory;
}

static clpac_status finish(clpac__queue *queue, clpac_error *err)
{
	return clpac__opencl_finish(clpac__opencl_of(queue), err);
}

clpac_status clpac__opencl_threads(clpac__opencl_queue *queue, clpac__threads **out, clpac_error *err)
{
	enum { MOST_THREADS = 16 }; /* more read and write memory no faster */
	clpac_status st = CLPAC_OK;
	clpac__opencl_queue *root = queue->root;
	pthread_mutex_lock(&root->hiring);
	if (!root->has_hired) {
		clpac__machine machine;
		clpac__machine_look("", &machine);
		const unsigned useful = machine.cores < MOST_THREADS ? machine.cores : MOST_THREADS;
		const unsigned n = root->wanted_threads ? root->wanted_threads : useful;
		st = n > 1 ? clpac__threads_create(n, &root->threads, err) : CLPAC_OK;
		root->has_hired = st != CLPAC_ERROR_NO_MEMORY;
		if (st != CLPAC_OK)
			root->threads = NULL;
	}
	*out = root->threads;
	pthread_mutex_unlock(&root->hiring);
	return st == CLPAC_ERROR_NO_MEMORY ? st : CLPAC_OK;
}

static void close_queue(clpac__queue *queue)
{
	if (!queue)
		return;
	clpac__opencl_queue *own = clpac__opencl_of(queue);
	clpac__opencl_tell(own);
	clpac__opencl_finish(own, NULL);
	clpac__queue_detach(queue);
	clpac__opencl_keep_barrier(own, NULL);
	clReleaseCommandQueue(own->commands);
	clReleaseContext(own->context);
	clpac__threads_destroy(own->threads);
	pthread_mutex_destroy(&own->hiring);
	pthread_mutex_destroy(&own->notes.lock);
	clpac__free(own);
}

static clpac_status open_sibling(clpac__queue *queue, bool is_in_order, clpac__queue **out, clpac_error *err);

const clpac__queue_operations clpac__opencl_operations = {
	.close = close_queue,
	.create = clpac__opencl_create,
	.release = clpac__opencl_release,
	.write = clpac__opencl_write,
	.read = clpac__opencl_read,
	.write_later = clpac__opencl_write_later,
	.read_later = clpac__opencl_read_later,
	.fill = clpac__opencl_fill,
	.copy = clpac__opencl_copy,
	.host_pointer = host_pointer,
	.handle = handle,
	.create_part = clpac__opencl_create_part,
	.create_on_host = clpac__opencl_create_on_host,
	.create_pinned = clpac__opencl_create_pinned,
	.map = clpac__opencl_map,
	.unmap = clpac__opencl_unmap,
	.open_sibling = open_sibling,
	.mark = clpac__opencl_mark,
	.stamp = clpac__opencl_stamp,
	.send = clpac__opencl_send,
	.wait_for = clpac__opencl_wait_for,
	.has_passed = clpac__opencl_has_passed,
	.passed_at = clpac__opencl_passed_at,
	.wait = clpac__opencl_wait,
	.retain = clpac__opencl_retain,
	.forget = clpac__opencl_forget,
	.host_free_bytes = clpac__opencl_host_free_bytes,
	.free_memory = clpac__opencl_free_memory,
	.finish = finish,
};

bool clpac__opencl_is(const clpac__queue *queue)
{
	return queue->operations == &clpac__opencl_operations || queue->operations == &clpac__opencl_serial_operations;
}

/* Alignment of a part's offset: the largest among the context's devices; where none tells one, that of the largest
 * type, which is the least that the standard allows.  0: one that parts cannot have. */
static size_t part_alignment(cl_context context, const clpac_device *device)
{
	enum { MAX_DEVICES = 64, LEAST_BITS = 1024, MOST_BITS = 1 << 24 };
	cl_device_id ids[MAX_DEVICES];
	size_t bytes = 0, bits = device->base_align_bits;
	if (clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof ids, ids, &bytes) != CL_SUCCESS)
		bytes = 0;
	for (size_t i = 0; i < bytes / sizeof *ids; i++) {
		cl_uint each;
		if (ids[i] &&
		    clGetDeviceInfo(ids[i], CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof each, &each, NULL) == CL_SUCCESS &&
		    each > bits)
			bits = each;
	}
	if (!bits)
		bits = LEAST_BITS;
	if (bits & (bits - 1) || bits > MOST_BITS)
		return 0;
	return bits > 8 ? bits / 8 : 1;
}

/* Finds out whether a queue is in order, and whether its events have times. */
static void look_at(cl_command_queue commands, clpac__queue *queue)
{
	cl_command_queue_properties properties = 0;
	const bool is_known = clGetCommandQueueInfo(commands, CL_QUEUE_PROPERTIES, sizeof properties, &properties,
						    NULL) == CL_SUCCESS;
	queue->is_in_order = is_known && !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	/* Work of an out-of-order queue overlaps, and its moments are none of a clock. */
	atomic_init(&queue->has_clock, queue->is_in_order && properties & CL_QUEUE_PROFILING_ENABLE);
}

/* Those of the wanted properties of queues that a device has. */
static cl_command_queue_properties offered(cl_device_id device, cl_command_queue_properties wanted)
{
	cl_command_queue_properties offered = 0;
	return clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof offered, &offered, NULL) == CL_SUCCESS
		       ? wanted & offered
		       : 0;
}

clpac_status clpac__opencl_queue_make(clpac__opencl_queue *root, const clpac_device *device, cl_device_id id,
				      cl_context context, cl_command_queue commands, const clpac_options *options,
				      clpac__opencl_queue **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__opencl_queue *queue = NULL;
	bool has_context = false;

	TRY(NEW(queue));
	CL(CLPAC__OPENCL_OPENING, clRetainContext(context), "a queue on %s", device->name);
	has_context = true;
	CL(CLPAC__OPENCL_OPENING, clRetainCommandQueue(commands), "a queue on %s", device->name);
	queue->root = root ? root : queue;
	queue->device = id;
	queue->context = context;
	queue->commands = commands;
	queue->quirks = clpac__opencl_quirks_of(device);
	pthread_mutex_init(&queue->notes.lock, NULL); /* cannot fail with default attributes */
	pthread_mutex_init(&queue->hiring, NULL);
	queue->wanted_threads = options->threads;
	queue->base.operations =
		queue->quirks.is_serialised ? &clpac__opencl_serial_operations : &clpac__opencl_operations;
	queue->base.device = *device;
	clpac__queue_set_options(&queue->base, options);
	queue->base.n_threads = 1;
	look_at(commands, &queue->base);
	if (queue->quirks.has_no_clock)
		queue->base.has_clock = false;
	queue->base.has_unified_memory = device->has_unified_memory;
	const size_t alignment = part_alignment(context, device);
	queue->base.has_no_parts = queue->quirks.has_no_parts || !alignment;
	queue->base.part_alignment = alignment ? alignment : 1;
	queue->log = options->log;
	queue->log_user = options->log_user;
	*out = queue, queue = NULL;
done:
	if (queue && has_context)
		clReleaseContext(context);
	clpac__free(queue);
	return st;
}

/* Devices without out-of-order queues give one in order. */
static clpac_status open_sibling(clpac__queue *queue, bool is_in_order, clpac__queue **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__opencl_queue *own = clpac__opencl_of(queue), *sibling;
	const clpac_options options = {
		.vector_width = queue->vector_width, .log = own->log, .log_user = own->log_user, .cache = "none"};
	const cl_command_queue_properties wanted = is_in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	cl_command_queue commands = NULL;
	cl_int code;
	commands = clCreateCommandQueue(own->context, own->device, offered(own->device, wanted), &code);
	CL_CODE(CLPAC__OPENCL_OPENING, code, "clCreateCommandQueue", "one more queue on %s", queue->device.name);
	TRY(clpac__opencl_queue_make(own->root, &queue->device, own->device, own->context, commands, &options, &sibling,
				     err));
	*out = &sibling->base;
done:
	if (commands)
		clReleaseCommandQueue(commands);
	return st;
}

static clpac_status open_queue(const clpac_device *device, const clpac_options *options, clpac__queue **out,
			       clpac_error *err)
{
	static const clpac_options defaults;
	clpac_status st = CLPAC_OK;
	clpac__opencl_queue *queue;
	cl_device_id id;
	cl_context context = NULL;
	cl_command_queue commands = NULL;
	char name[sizeof device->name] = "";
	bool is_new;
	cl_int code;

	if (clpac__opencl_is_of_parent())
		RETURN_ERROR(CLPAC_ERROR_FORKED,
			     "%s: OpenCL was opened in another process, which this one is a fork of: open the native "
			     "device here, or fork before OpenCL is looked for",
			     device->name);
	if (options && *options->opencl_library)
		RETURN_IF_ERROR(clpac__opencl_use(options->opencl_library, &is_new, err));
	/* The list may be older than the machine's present state: its numbers may mean another device now. */
	if (clpac__opencl_find_device(&clpac__opencl_loader, device->platform, device->index, &id)) {
		clpac_device now = {0};
		clpac__opencl_device_facts(&clpac__opencl_loader, id, &now);
		snprintf(name, sizeof name, "%s", now.name);
	}
	if (strcmp(name, device->name) != 0)
		FAIL(CLPAC_ERROR_NO_DEVICE,
		     "OpenCL device %d:%d \"%s\" is %s%s: the list is out of date, call clpac_devices_refresh",
		     device->platform, device->index, device->name, *name ? "now " : "gone", name);
	const char *trouble = clpac__opencl_device_trouble(&clpac__opencl_loader, id);
	if (trouble)
		FAIL(CLPAC_ERROR_UNSUPPORTED, "OpenCL device %d:%d \"%s\" %s: choose another device", device->platform,
		     device->index, device->name, trouble);

	context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
	CL_CODE(CLPAC__OPENCL_OPENING, code, "clCreateContext", "creating a context on %s", device->name);
	const cl_command_queue_properties wanted = options && options->profile ? CL_QUEUE_PROFILING_ENABLE : 0;
	commands = clCreateCommandQueue(context, id, offered(id, wanted), &code);
	CL_CODE(CLPAC__OPENCL_OPENING, code, "clCreateCommandQueue", "creating a queue on %s", device->name);
	TRY(clpac__opencl_queue_make(NULL, device, id, context, commands, options ? options : &defaults, &queue, err));
	*out = &queue->base;
done:
	if (commands)
		clReleaseCommandQueue(commands);
	if (context)
		clReleaseContext(context);
	return st;
}

static clpac_status discover(clpac__discovery *found, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__opencl_discover(&clpac__opencl_loader, found, err));
	return clpac__opencl_add_missing_libraries(found, err);
}

extern const clpac__backend clpac__backend_opencl;
const clpac__backend clpac__backend_opencl = {
	.name = "opencl",
	.has_drivers = true,
	.discover = discover,
	.open = open_queue,
	.use_library = clpac__opencl_use,
};
