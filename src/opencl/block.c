/* Device memory: blocks and what moves in and out of them, in the order of the queue. */
#include "opencl/opencl.h"

#include <string.h>

#include "base/memory.h"

static clpac_status check_part(const clpac__queue *queue, const char *what, const clpac__block *block, size_t offset,
			       size_t bytes, clpac_error *err)
{
	if (!block)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s on %s: the block is NULL", what, queue->device.name);
	if (offset > block->bytes || bytes > block->bytes - offset)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s on %s: bytes %zu + %zu lie outside a block of %zu",
				   what, queue->device.name, offset, bytes, block->bytes);
	return CLPAC_OK;
}

/* Drivers allocate when a block is first used, and a failure then would surface in the middle of a run.  So the block
 * is used here: a few bytes are written by the device, and the outcome is waited for. */
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
	/* The event's own status says more than that it failed. */
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

clpac_status clpac__opencl_create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__opencl_queue *own = clpac__opencl_of(queue);
	clpac__block *block = NULL;
	cl_int code;

	if (!bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "a block of 0 bytes on %s: ask for at least one", queue->device.name);
	if (queue->device.max_allocation_bytes && bytes > queue->device.max_allocation_bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "a block of %zu bytes on %s: the largest it can hold has %llu", bytes,
		     queue->device.name, (unsigned long long)queue->device.max_allocation_bytes);
	block = clpac__alloc_zero(sizeof *block);
	if (!block)
		FAIL_NO_MEMORY(sizeof *block);
	block->bytes = bytes;
	block->memory = clCreateBuffer(own->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
	CL_CODE(CLPAC__OPENCL_ALLOCATING, block->memory ? CL_SUCCESS : code, "clCreateBuffer", "%zu bytes on %s", bytes,
		queue->device.name);
	TRY(make_resident(own, block->memory, bytes, err));
	*out = block;
	block = NULL;
done:
	clpac__opencl_release(queue, block);
	return st;
}

void clpac__opencl_release(clpac__queue *queue, clpac__block *block)
{
	(void)queue;
	if (!block)
		return;
	if (block->memory)
		clReleaseMemObject(block->memory); /* the driver keeps it until what was put before is done */
	clpac__free(block);
}

clpac_status clpac__opencl_write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				 const void *source, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_part(queue, "write", block, offset, bytes, err));
	if (bytes && !source)
		FAIL(CLPAC_ERROR_ARGUMENT, "write on %s: the source of %zu bytes is NULL", queue->device.name, bytes);
	if (bytes)
		CL(CLPAC__OPENCL_TRANSFERRING,
		   clEnqueueWriteBuffer(clpac__opencl_of(queue)->commands, block->memory, CL_TRUE, offset, bytes,
					source, 0, NULL, NULL),
		   "%zu bytes to %s", bytes, queue->device.name);
done:
	return st;
}

clpac_status clpac__opencl_read(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_part(queue, "read", block, offset, bytes, err));
	if (bytes && !target)
		FAIL(CLPAC_ERROR_ARGUMENT, "read on %s: the target of %zu bytes is NULL", queue->device.name, bytes);
	if (bytes)
		CL(CLPAC__OPENCL_TRANSFERRING,
		   clEnqueueReadBuffer(clpac__opencl_of(queue)->commands, block->memory, CL_TRUE, offset, bytes, target,
				       0, NULL, NULL),
		   "%zu bytes from %s", bytes, queue->device.name);
done:
	return st;
}

enum { PATTERN = 16 /* bytes; a driver writes pattern by pattern */ };

/* The part between the first and the last multiple of PATTERN goes in whole patterns, the ends byte by byte. */
clpac_status clpac__opencl_fill(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	unsigned char pattern[PATTERN];
	TRY(check_part(queue, "fill", block, offset, bytes, err));
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
	TRY(check_part(queue, "copy from", source, source_offset, bytes, err));
	TRY(check_part(queue, "copy to", target, target_offset, bytes, err));
	size_t apart = source_offset < target_offset ? target_offset - source_offset : source_offset - target_offset;
	if (source == target && apart < bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "copy on %s: bytes %zu + %zu and %zu + %zu of one block overlap",
		     queue->device.name, source_offset, bytes, target_offset, bytes);
	if (bytes)
		CL(CLPAC__OPENCL_TRANSFERRING,
		   clEnqueueCopyBuffer(clpac__opencl_of(queue)->commands, source->memory, target->memory, source_offset,
				       target_offset, bytes, 0, NULL, NULL),
		   "%zu bytes on %s", bytes, queue->device.name);
done:
	return st;
}
