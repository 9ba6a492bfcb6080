/* Memory: blocks on the device and on the host, and transfers in the order of the queue.
 *
 * On an out-of-order queue a write, a read and a mapping still come after all earlier work.
 */
#include "memory/opencl/opencl.h"
#include "memory/opencl/calls.h"

#include <string.h>

#include "base/memory.h"

static clpac_status check_range(const clpac__queue *queue, const char *what, const clpac__block *block, size_t offset,
				size_t bytes, clpac_error *err)
{
	if (!block)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s on %s: the block is NULL", what, queue->device.name);
	if (offset > block->bytes || bytes > block->bytes - offset)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s on %s: bytes %zu + %zu lie outside a block of %zu",
				   what, queue->device.name, offset, bytes, block->bytes);
	return CLPAC_OK;
}

/* Makes a block resident.  Drivers allocate at the first use, whose failure would then surface in the middle of a run;
 * so the device writes a few bytes here, and the result is waited for. */
static clpac_status make_resident(clpac__opencl_queue *queue, cl_mem memory, size_t bytes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	cl_event event = NULL;
	cl_int outcome = CL_COMPLETE, code;
	static const cl_uint zero;
	size_t n = bytes >= sizeof zero ? sizeof zero : 1;

	CL(CLPAC__OPENCL_ALLOCATING, clEnqueueFillBuffer(queue->commands, memory, &zero, n, 0, n, 0, NULL, &event),
	   "%zu bytes on %s", bytes, queue->base.device.name);
	code = clWaitForEvents(1, &event);
	/* The event's own status is more specific than the failure. */
	if (clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof outcome, &outcome, NULL) == CL_SUCCESS &&
	    outcome < 0)
		code = outcome;
	CL_CODE(CLPAC__OPENCL_ALLOCATING, code, "clWaitForEvents", "first use of %zu bytes on %s", bytes,
		queue->base.device.name);
done:
	if (event)
		clReleaseEvent(event);
	return st;
}

static clpac_status check_size(const clpac__queue *queue, size_t bytes, clpac_error *err)
{
	if (!bytes)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "a block of 0 bytes on %s: ask for at least one",
			     queue->device.name);
	if (queue->device.max_allocation_bytes && bytes > queue->device.max_allocation_bytes)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "a block of %zu bytes on %s is too large: the largest it can hold has %llu", bytes,
			     queue->device.name, (unsigned long long)queue->device.max_allocation_bytes);
	return CLPAC_OK;
}

static clpac_status make_block(size_t bytes, clpac__block **out, clpac_error *err)
{
	clpac__block *block;
	RETURN_IF_ERROR(NEW(block));
	block->bytes = bytes;
	*out = block;
	return CLPAC_OK;
}

/* The driver keeps the memory until earlier work is done. */
static void destroy_block(clpac__block *block)
{
	if (!block)
		return;
	if (block->memory)
		clReleaseMemObject(block->memory);
	clpac__free(block);
}

static clpac_status create(clpac__queue *queue, cl_mem_flags flags, size_t bytes, clpac__block **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__opencl_queue *own = clpac__opencl_of(queue);
	clpac__block *block = NULL;
	cl_int code;

	TRY(check_size(queue, bytes, err));
	TRY(make_block(bytes, &block, err));
	block->memory = block->whole = clCreateBuffer(own->context, CL_MEM_READ_WRITE | flags, bytes, NULL, &code);
	CL_CODE(CLPAC__OPENCL_ALLOCATING, code, "clCreateBuffer", "%zu bytes on %s", bytes, queue->device.name);
	TRY(make_resident(own, block->memory, bytes, err));
	*out = block, block = NULL;
done:
	destroy_block(block);
	return st;
}

clpac_status clpac__opencl_create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	return create(queue, 0, bytes, out, err);
}

clpac_status clpac__opencl_create_pinned(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	return create(queue, CL_MEM_ALLOC_HOST_PTR, bytes, out, err);
}

static void CL_CALLBACK free_host_memory(cl_mem memory, void *pages)
{
	(void)memory;
	clpac__free_pages(pages);
}

enum {
	/* bytes; with page alignment, the usual requirement of drivers for sharing memory */
	HOST_MULTIPLE = 64,
	LARGE_BYTES = 16 << 20, /* from this size on, the host's free memory is checked first */
};

/* A callback frees the pages when the driver is done with them, since work in progress may outlive the block. */
clpac_status clpac__opencl_create_on_host(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__opencl_queue *own = clpac__opencl_of(queue);
	clpac__block *block = NULL;
	void *pages = NULL;
	size_t rounded;
	cl_int code;

	TRY(check_size(queue, bytes, err));
	TRY(make_block(bytes, &block, err));
	/* The system promises memory that it may not have and kills whoever uses it. */
	if (!clpac__size_add(bytes, HOST_MULTIPLE - 1, &rounded) ||
	    (bytes >= LARGE_BYTES && !clpac__opencl_host_has(bytes)))
		FAIL(CLPAC_ERROR_NO_MEMORY,
		     "a block of %zu bytes on the host, for %s: the host has no memory left for it", bytes,
		     queue->device.name);
	rounded -= rounded % HOST_MULTIPLE;
	pages = clpac__alloc_pages(rounded);
	if (!pages)
		FAIL_NO_MEMORY(rounded);
	block->memory = block->whole =
		clCreateBuffer(own->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, rounded, pages, &code);
	CL_CODE(CLPAC__OPENCL_ALLOCATING, code, "clCreateBuffer", "%zu bytes of the host for %s", rounded,
		queue->device.name);
	CL(CLPAC__OPENCL_ALLOCATING, clSetMemObjectDestructorCallback(block->memory, free_host_memory, pages),
	   "%zu bytes of the host for %s", rounded, queue->device.name);
	pages = NULL;
	TRY(make_resident(own, block->memory, bytes, err));
	*out = block, block = NULL;
done:
	destroy_block(block);
	clpac__free_pages(pages);
	return st;
}

clpac_status clpac__opencl_create_part(clpac__queue *queue, clpac__block *whole, size_t offset, size_t bytes,
				       clpac__block **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__block *part = NULL;
	const cl_buffer_region region = {offset, bytes};
	cl_int code;

	TRY(check_range(queue, "create_part", whole, offset, bytes, err));
	if (!bytes || offset % queue->part_alignment || whole->memory != whole->whole)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "create_part on %s: %zu bytes at %zu: a part has at least one byte, begins at a multiple of %zu, "
		     "and "
		     "is of a whole block",
		     queue->device.name, bytes, offset, queue->part_alignment);
	TRY(make_block(bytes, &part, err));
	part->whole = whole->memory;
	part->offset = offset;
	part->memory =
		clCreateSubBuffer(whole->memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	CL_CODE(CLPAC__OPENCL_ALLOCATING, code, "clCreateSubBuffer", "%zu bytes at %zu on %s", bytes, offset,
		queue->device.name);
	*out = part, part = NULL;
done:
	destroy_block(part);
	return st;
}

void clpac__opencl_release(clpac__queue *queue, clpac__block *block)
{
	const clpac__opencl_queue *own = clpac__opencl_of(queue);
	if (block && own->quirks.finishes_before_release)
		clpac__opencl_finish(own, NULL);
	destroy_block(block);
}

/* On an out-of-order queue: orders all later work after all earlier work. */
static clpac_status opencl_fence(clpac__queue *queue, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (!queue->is_in_order)
		CL(CLPAC__OPENCL_ORDERING,
		   clEnqueueBarrierWithWaitList(clpac__opencl_of(queue)->commands, 0, NULL, NULL), "all before, on %s",
		   queue->device.name);
done:
	return st;
}

static clpac_status put_write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, const void *source,
			      cl_bool is_waited_for, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_range(queue, "write", block, offset, bytes, err));
	if (bytes && !source)
		FAIL(CLPAC_ERROR_ARGUMENT, "write on %s: the source of %zu bytes is NULL", queue->device.name, bytes);
	if (!bytes)
		goto done;
	TRY(opencl_fence(queue, err));
	CL(CLPAC__OPENCL_TRANSFERRING,
	   clEnqueueWriteBuffer(clpac__opencl_of(queue)->commands, block->memory, is_waited_for, offset, bytes, source,
				0, NULL, NULL),
	   "%zu bytes to %s", bytes, queue->device.name);
done:
	return st;
}

clpac_status clpac__opencl_write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				 const void *source, clpac_error *err)
{
	return put_write(queue, block, offset, bytes, source, CL_TRUE, err);
}

clpac_status clpac__opencl_write_later(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				       const void *source, clpac_error *err)
{
	return put_write(queue, block, offset, bytes, source, CL_FALSE, err);
}

static clpac_status put_read(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
			     cl_bool is_waited_for, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_range(queue, "read", block, offset, bytes, err));
	if (bytes && !target)
		FAIL(CLPAC_ERROR_ARGUMENT, "read on %s: the target of %zu bytes is NULL", queue->device.name, bytes);
	if (!bytes)
		goto done;
	TRY(opencl_fence(queue, err));
	CL(CLPAC__OPENCL_TRANSFERRING,
	   clEnqueueReadBuffer(clpac__opencl_of(queue)->commands, block->memory, is_waited_for, offset, bytes, target,
			       0, NULL, NULL),
	   "%zu bytes from %s", bytes, queue->device.name);
done:
	return st;
}

clpac_status clpac__opencl_read(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
				clpac_error *err)
{
	return put_read(queue, block, offset, bytes, target, CL_TRUE, err);
}

clpac_status clpac__opencl_read_later(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				      void *target, clpac_error *err)
{
	return put_read(queue, block, offset, bytes, target, CL_FALSE, err);
}

enum { PATTERN = 16 /* bytes; a driver writes pattern by pattern */ };

/* Whole patterns fill the range between the first and the last multiple of PATTERN; the ends are filled byte by
 * byte. */
clpac_status clpac__opencl_fill(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	unsigned char pattern[PATTERN];
	TRY(check_range(queue, "fill", block, offset, bytes, err));
	memset(pattern, value, sizeof pattern);
	for (size_t end = offset + bytes; offset < end;) {
		size_t to_boundary = PATTERN - offset % PATTERN, left = end - offset;
		bool whole = to_boundary == PATTERN && left >= PATTERN;
		size_t n = whole ? left / PATTERN * PATTERN : left < to_boundary ? left : to_boundary;
		CL(CLPAC__OPENCL_TRANSFERRING,
		   clEnqueueFillBuffer(clpac__opencl_of(queue)->commands, block->memory, pattern, whole ? PATTERN : 1,
				       offset, n, 0, NULL, NULL),
		   "%zu bytes on %s", n, queue->device.name);
		offset += n;
	}
done:
	return st;
}

clpac_status clpac__opencl_copy(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
				size_t target_offset, size_t bytes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_range(queue, "copy from", source, source_offset, bytes, err));
	TRY(check_range(queue, "copy to", target, target_offset, bytes, err));
	/* Offsets in the parent, since parts of one block may share bytes. */
	size_t from = source->offset + source_offset, to = target->offset + target_offset;
	if (source->whole == target->whole && (from < to ? to - from : from - to) < bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "copy on %s: bytes %zu + %zu and %zu + %zu of one block overlap",
		     queue->device.name, source_offset, bytes, target_offset, bytes);
	const clpac__opencl_queue *own = clpac__opencl_of(queue);
	if (bytes && own->quirks.copies_wholes)
		CL(CLPAC__OPENCL_TRANSFERRING,
		   clEnqueueCopyBuffer(own->commands, source->whole, target->whole, from, to, bytes, 0, NULL, NULL),
		   "%zu bytes on %s", bytes, queue->device.name);
	else if (bytes)
		CL(CLPAC__OPENCL_TRANSFERRING,
		   clEnqueueCopyBuffer(own->commands, source->memory, target->memory, source_offset, target_offset,
				       bytes, 0, NULL, NULL),
		   "%zu bytes on %s", bytes, queue->device.name);
done:
	return st;
}

clpac_status clpac__opencl_map(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, bool will_read,
			       bool will_write, void **out, bool *is_in_place, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const cl_map_flags access = !will_read	  ? CL_MAP_WRITE_INVALIDATE_REGION
				    : !will_write ? CL_MAP_READ
						  : CL_MAP_READ | CL_MAP_WRITE;
	cl_int code;
	TRY(check_range(queue, "map", block, offset, bytes, err));
	if (!bytes || !(will_read || will_write))
		FAIL(CLPAC_ERROR_ARGUMENT, "map on %s: %zu bytes to be %s", queue->device.name, bytes,
		     will_read || will_write ? "used" : "neither read nor written");
	TRY(opencl_fence(queue, err));
	void *pointer = clEnqueueMapBuffer(clpac__opencl_of(queue)->commands, block->memory, CL_TRUE, access, offset,
					   bytes, 0, NULL, NULL, &code);
	CL_CODE(CLPAC__OPENCL_TRANSFERRING, code, "clEnqueueMapBuffer", "%zu bytes of %s", bytes, queue->device.name);
	*out = pointer;
	/* A pointer into the block does not prove in-place mapping: copies must return one too. */
	if (is_in_place)
		*is_in_place = queue->has_unified_memory;
done:
	return st;
}

clpac_status clpac__opencl_unmap(clpac__queue *queue, clpac__block *block, void *pointer, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (!block || !pointer)
		FAIL(CLPAC_ERROR_ARGUMENT, "unmap on %s: the %s is NULL", queue->device.name,
		     block ? "pointer" : "block");
	CL(CLPAC__OPENCL_TRANSFERRING,
	   clEnqueueUnmapMemObject(clpac__opencl_of(queue)->commands, block->memory, pointer, 0, NULL, NULL), "on %s",
	   queue->device.name);
	TRY(opencl_fence(queue, err));
done:
	return st;
}
