/* A device opened: context and in-order queue.  Also the backend's one exported object. */
#include "config.h"

#include "opencl/opencl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void clpac__opencl_log(const clpac__opencl_queue *queue, clpac_log_level level, const char *format, ...)
{
	if (!queue->log)
		return;
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	queue->log(queue->log_user, level, text);
}

static void *host_pointer(clpac__queue *queue, clpac__block *block)
{
	(void)queue, (void)block;
	return NULL;
}

static clpac_status finish(clpac__queue *queue, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	CL(CLPAC__OPENCL_LAUNCHING, clFinish(clpac__opencl_of(queue)->commands), "waiting for %s", queue->device.name);
done:
	return st;
}

static void close_queue(clpac__queue *queue)
{
	if (!queue)
		return;
	clpac__opencl_queue *own = clpac__opencl_of(queue);
	if (own->commands)
		clFinish(own->commands);
	if (own->at_close)
		own->at_close();
	clpac__opencl_programs_destroy(own);
	if (own->commands)
		clReleaseCommandQueue(own->commands);
	if (own->context)
		clReleaseContext(own->context);
	clpac__free(own);
}

static const clpac__queue_operations operations = {
	.close = close_queue,
	.create = clpac__opencl_create,
	.release = clpac__opencl_release,
	.write = clpac__opencl_write,
	.read = clpac__opencl_read,
	.fill = clpac__opencl_fill,
	.copy = clpac__opencl_copy,
	.host_pointer = host_pointer,
	.prepare = clpac__opencl_prepare,
	.launch = clpac__opencl_launch,
	.finish = finish,
};

/* The widths that the kernels are written for; a GPU says 1 and a CPU the width of its registers. */
static unsigned vector_width(const clpac_device *device, unsigned wanted)
{
	unsigned width = wanted ? wanted : device->vector_width_float;
	return width >= 16 ? 16 : width >= 8 ? 8 : width >= 4 ? 4 : 1;
}

static clpac_status open_queue(const clpac_device *device, const clpac_options *options, clpac__queue **out,
			       clpac_error *err)
{
	static const clpac_options defaults;
	clpac_status st = CLPAC_OK;
	clpac__opencl_queue *queue = NULL;
	const char *trouble;
	char name[sizeof device->name] = "";
	cl_int code;
	options = options ? options : &defaults;

	if (options->vector_width > 1 && options->vector_width != 4 && options->vector_width != 8 &&
	    options->vector_width != 16)
		FAIL(CLPAC_ERROR_ARGUMENT, "vector_width is %u: give 1, 4, 8 or 16, or 0 to let the device decide",
		     options->vector_width);
	queue = clpac__alloc_zero(sizeof *queue);
	if (!queue)
		FAIL_NO_MEMORY(sizeof *queue);
	queue->base.operations = &operations;
	queue->base.device = *device;
	queue->base.vector_width = vector_width(device, options->vector_width);
	queue->base.n_threads = 1;
	queue->log = options->log;
	queue->log_user = options->log_user;
	clpac__opencl_cache_folder(options->cache, queue->cache, sizeof queue->cache);

	/* A list can be older than the machine: its numbers may mean another device by now. */
	if (clpac__opencl_find_device(&clpac__opencl_loader, device->platform, device->index, &queue->device)) {
		clpac_device now = {0};
		clpac__opencl_device_facts(&clpac__opencl_loader, queue->device, &now);
		snprintf(name, sizeof name, "%s", now.name);
	}
	if (strcmp(name, device->name) != 0)
		FAIL(CLPAC_ERROR_NO_DEVICE, "OpenCL device %d:%d \"%s\" is %s%s now: list the devices again",
		     device->platform, device->index, device->name, *name ? "another one, " : "gone", name);
	trouble = clpac__opencl_device_trouble(&clpac__opencl_loader, queue->device);
	if (trouble)
		FAIL(CLPAC_ERROR_UNSUPPORTED, "OpenCL device %d:%d \"%s\" %s: choose another device", device->platform,
		     device->index, device->name, trouble);

	queue->context = clCreateContext(NULL, 1, &queue->device, NULL, NULL, &code);
	CL_CODE(CLPAC__OPENCL_OPENING, queue->context ? CL_SUCCESS : code, "clCreateContext",
		"creating a context on %s", device->name);
	queue->commands = clCreateCommandQueue(queue->context, queue->device, 0, &code);
	CL_CODE(CLPAC__OPENCL_OPENING, queue->commands ? CL_SUCCESS : code, "clCreateCommandQueue",
		"creating a queue on %s", device->name);
	*out = &queue->base;
	queue = NULL;
done:
	close_queue((clpac__queue *)queue);
	return st;
}

static clpac_status discover(clpac__discovery *found, clpac_error *err)
{
	return clpac__opencl_discover(&clpac__opencl_loader, found, err);
}

extern const clpac__backend clpac__backend_opencl;
const clpac__backend clpac__backend_opencl = {
	.name = "opencl",
	.discover = discover,
	.open = open_queue,
};
