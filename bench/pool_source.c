/* Memory without a pool: the driver's, malloc's or mmap's. */
#include "config.h"

#include "bench/pool_bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef HAVE_OPENCL
#include "memory/opencl/opencl.h"
#endif

enum { PAGE_BYTES = 4096, FILLED_WITH = 0x5a, PATTERN_BYTES = 16 };

struct source {
	place place;
	bool is_opencl;
#ifdef HAVE_OPENCL
	cl_context context;
	cl_command_queue commands;
#endif
};

#ifdef HAVE_OPENCL
static void end_if_code(cl_int code, const char *what)
{
	if (code != CL_SUCCESS)
		end(what);
}

static void open_driver(struct source *s, const clpac_device *device)
{
	cl_device_id id;
	cl_int code;
	if (!clpac__opencl_find_device(&clpac__opencl_loader, device->platform, device->index, &id))
		end("the selected device is no longer there");
	s->context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
	end_if_code(code, "clCreateContext failed");
	s->commands = clCreateCommandQueue(s->context, id, 0, &code);
	end_if_code(code, "clCreateCommandQueue failed");
}

static void *create_in_driver(struct source *s, size_t bytes, bool is_resident)
{
	static const cl_uint zero;
	const size_t n = bytes < sizeof zero ? 1 : sizeof zero;
	cl_int code;
	cl_mem memory = clCreateBuffer(s->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
	if (code != CL_SUCCESS)
		return NULL;
	if (is_resident) {
		cl_event event;
		end_if_code(clEnqueueFillBuffer(s->commands, memory, &zero, n, 0, n, 0, NULL, &event),
			    "the first use failed");
		end_if_code(clWaitForEvents(1, &event), "the first use failed");
		clReleaseEvent(event);
	}
	return memory;
}

static void *part_in_driver(void *whole, size_t offset, size_t bytes)
{
	cl_int code;
	const cl_buffer_region region = {offset, bytes};
	cl_mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	end_if_code(code, "clCreateSubBuffer failed");
	return part;
}

/* Fills whole patterns and a rest, as the library's backend does. */
static void fill_in_driver(struct source *s, void *memory, size_t bytes)
{
	unsigned char pattern[PATTERN_BYTES];
	const size_t whole = bytes / PATTERN_BYTES * PATTERN_BYTES;
	memset(pattern, FILLED_WITH, sizeof pattern);
	if (whole)
		end_if_code(clEnqueueFillBuffer(s->commands, memory, pattern, PATTERN_BYTES, 0, whole, 0, NULL, NULL),
			    "a fill failed");
	if (bytes > whole)
		end_if_code(clEnqueueFillBuffer(s->commands, memory, pattern, 1, whole, bytes - whole, 0, NULL, NULL),
			    "a fill failed");
}
#endif

struct source *source_open(const bench *b, place place)
{
	struct source *s = get_memory(1, sizeof *s);
	s->place = place;
#ifdef HAVE_OPENCL
	if (place == PLACE_DRIVER && !is_native(b)) {
		s->is_opencl = true;
		open_driver(s, b->device);
	}
#else
	(void)b;
#endif
	return s;
}

void source_close(struct source *s)
{
	if (!s)
		return;
#ifdef HAVE_OPENCL
	if (s->is_opencl) {
		clFinish(s->commands);
		clReleaseCommandQueue(s->commands);
		clReleaseContext(s->context);
	}
#endif
	free(s);
}

static void touch(void *memory, size_t bytes)
{
	volatile unsigned char *page = memory;
	for (size_t i = 0; i < bytes; i += PAGE_BYTES)
		page[i] = 0;
}

void *source_create(struct source *s, size_t bytes, bool is_resident)
{
#ifdef HAVE_OPENCL
	if (s->is_opencl)
		return create_in_driver(s, bytes, is_resident);
#endif
	void *memory = s->place == PLACE_MMAP
			       ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
			       : malloc(bytes);
	if (memory == MAP_FAILED)
		return NULL;
	if (memory && is_resident)
		touch(memory, bytes);
	return memory;
}

void source_release(struct source *s, void *memory, size_t bytes)
{
#ifdef HAVE_OPENCL
	if (s->is_opencl) {
		clReleaseMemObject(memory);
		return;
	}
#endif
	if (s->place == PLACE_MMAP)
		munmap(memory, bytes);
	else
		free(memory);
}

void *source_part(struct source *s, void *whole, size_t offset, size_t bytes)
{
#ifdef HAVE_OPENCL
	if (s->is_opencl)
		return part_in_driver(whole, offset, bytes);
#endif
	(void)s, (void)bytes;
	return (unsigned char *)whole + offset;
}

void source_release_part(struct source *s, void *part)
{
#ifdef HAVE_OPENCL
	if (s->is_opencl)
		clReleaseMemObject(part);
#endif
	(void)s, (void)part;
}

void source_fill(struct source *s, void *memory, size_t bytes)
{
#ifdef HAVE_OPENCL
	if (s->is_opencl) {
		fill_in_driver(s, memory, bytes);
		return;
	}
#endif
	(void)s;
	memset(memory, FILLED_WITH, bytes);
}

void source_finish(struct source *s)
{
#ifdef HAVE_OPENCL
	if (s->is_opencl)
		clFinish(s->commands);
#endif
	(void)s;
}
