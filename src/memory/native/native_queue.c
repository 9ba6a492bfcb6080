/* The native queue: order on the CPU; memory is in native_block.c.
 *
 * Order is trivial: every call returns when its work is done, so every event has passed when it is made.  An open queue
 * never changes, so any number of threads may use it.
 */
#include "config.h"

#include <stdio.h>

#include "base/memory.h"
#include "memory/device/list.h"
#include "memory/device/properties.h"
#include "memory/native/isa.h"
#include "memory/native/machine.h"
#include "memory/native/native.h"

enum { PART_ALIGNMENT = 64 /* bytes: the widest vector, and a cache line */ };

static clpac__native_queue *native(clpac__queue *queue)
{
	return (clpac__native_queue *)queue;
}

static clpac_status native_finish(clpac__queue *queue, clpac_error *err)
{
	(void)queue, (void)err;
	return CLPAC_OK;
}

/* --- Events ----------------------------------------------------------------------------------- */

/* One event stands for all, since all have passed. */
struct clpac_event {
	char unused;
};
static clpac_event passed;

static clpac_status check_event(const clpac__queue *queue, const char *what, const clpac_event *event, clpac_error *err)
{
	if (event != &passed)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s on %s: the event is %s", what, queue->device.name,
				   event ? "of another device" : "NULL");
	return CLPAC_OK;
}

static clpac_status native_mark(clpac__queue *queue, clpac_event **out, clpac_error *err)
{
	(void)queue, (void)err;
	*out = &passed;
	return CLPAC_OK;
}

static clpac_status native_wait_for(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	return check_event(queue, "wait_for", event, err);
}

static bool native_has_passed(clpac__queue *queue, clpac_event *event)
{
	(void)queue, (void)event;
	return true;
}

static clpac_status native_wait(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	return check_event(queue, "wait", event, err);
}

static clpac_status native_retain(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	(void)queue, (void)event, (void)err;
	return CLPAC_OK;
}

static void native_forget(clpac__queue *queue, clpac_event *event)
{
	(void)queue, (void)event;
}

/* --- Queues ----------------------------------------------------------------------------------- */

static void native_close(clpac__queue *queue)
{
	if (!queue)
		return;
	clpac__queue_detach(queue);
	if (!native(queue)->is_sibling)
		clpac__threads_destroy(native(queue)->threads);
	clpac__free(queue);
}

/* A sibling shares the threads. */
static clpac_status native_open_sibling(clpac__queue *queue, bool is_in_order, clpac__queue **out, clpac_error *err)
{
	(void)is_in_order;
	clpac__native_queue *sibling;
	RETURN_IF_ERROR(NEW(sibling));
	*sibling = *native(queue);
	atomic_init(&sibling->base.attachment, NULL);
	atomic_init(&sibling->base.n_holders, 0);
	sibling->is_sibling = true;
	*out = &sibling->base;
	return CLPAC_OK;
}

static clpac_status native_send(clpac__queue *queue, clpac_error *err)
{
	(void)queue, (void)err;
	return CLPAC_OK;
}

static const clpac__queue_operations operations = {
	.close = native_close,
	.create = clpac__native_create,
	.release = clpac__native_release,
	.write = clpac__native_write,
	.read = clpac__native_read,
	.write_later = clpac__native_write,
	.read_later = clpac__native_read,
	.fill = clpac__native_fill,
	.copy = clpac__native_copy,
	.host_pointer = clpac__native_host_pointer,
	.handle = clpac__native_host_pointer,
	.create_part = clpac__native_create_part,
	.create_on_host = clpac__native_create_on_host,
	.create_pinned = clpac__native_create_on_host,
	.map = clpac__native_map,
	.unmap = clpac__native_unmap,
	.open_sibling = native_open_sibling,
	.mark = native_mark,
	.wait_for = native_wait_for,
	.has_passed = native_has_passed,
	.wait = native_wait,
	.retain = native_retain,
	.forget = native_forget,
	.host_free_bytes = clpac__native_host_free_bytes,
	.free_memory = clpac__native_free_memory,
	.send = native_send,
	.finish = native_finish,
};

/* Opens a queue on the device; options->threads 0: as many threads as the device has. */
static clpac_status native_queue_open(const clpac_device *device, const clpac_options *options, clpac__queue **out,
				      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__native_queue *queue;
	TRY(NEW(queue));
	unsigned n_threads = options ? options->threads : 0;
	if (!n_threads)
		n_threads = device->compute_units ? device->compute_units : 1;
	clpac__queue_set_options(&queue->base, options);
	queue->base.operations = &operations;
	queue->base.device = *device;
	queue->base.n_threads = n_threads;
	queue->base.is_in_order = true;
	queue->base.has_unified_memory = true;
	queue->base.part_alignment = PART_ALIGNMENT;
	TRY(clpac__threads_create(n_threads, &queue->threads, err));
	*out = &queue->base;
	queue = NULL;
done:
	if (queue)
		native_close(&queue->base);
	return st;
}

/* --- The backend ------------------------------------------------------------------------------ */

/* The native backend: this computer's CPU, always there, without a driver. */

static void describe(clpac_device *out)
{
	clpac__machine machine;
	clpac__machine_look("", &machine);
	*out = (clpac_device){
		.kind = CLPAC_DEVICE_NATIVE,
		.platform = -1,
		.index = -1,
		.backend = "native",
		.platform_name = "native",
		.compute_units = machine.cores,
		.clock_mhz = machine.clock_mhz,
		.memory_bytes = machine.memory_bytes,
		.free_bytes = machine.free_bytes,
		.max_allocation_bytes = machine.memory_bytes,
		.cache_bytes = machine.cache_bytes,
		.base_align_bits = 8 * 64, /* the widest vector */
		.vector_width_float = clpac__isa_get(0)->vector_width,
		.has_unified_memory = true,
		.has_fp64 = true,
		.is_available = true,
		.free_knowledge = machine.free_bytes ? CLPAC_EXACT : CLPAC_UNKNOWN,
		.known = CLPAC__KNOWS(CLPAC_PROPERTY_HAS_FP16) | CLPAC__KNOWS(CLPAC_PROPERTY_HAS_DEVICE_CLOCK),
	};
	snprintf(out->name, sizeof out->name, "%s", *machine.name ? machine.name : "CPU");
	snprintf(out->vendor, sizeof out->vendor, "%s", machine.vendor);
	snprintf(out->driver, sizeof out->driver, "%s", PACKAGE_VERSION);
	clpac__isa_names(out->extensions, sizeof out->extensions);
}

static clpac_status native_discover(clpac__discovery *found, clpac_error *err)
{
	clpac_platform platform = {
		.index = -1,
		.backend = "native",
		.name = "native",
		.vendor = PACKAGE_NAME,
		.version = PACKAGE_VERSION,
		.n_devices = 1,
	};
	clpac_device device;
	RETURN_IF_ERROR(clpac__discovery_add_platform(found, &platform, err));
	describe(&device);
	return clpac__discovery_add_device(found, &device, err);
}

static clpac_status native_open(const clpac_device *device, const clpac_options *options, clpac__queue **out,
				clpac_error *err)
{
	return native_queue_open(device, options, out, err);
}

extern const clpac__backend clpac__backend_native;
const clpac__backend clpac__backend_native = {
	.name = "native",
	.discover = native_discover,
	.open = native_open,
};
