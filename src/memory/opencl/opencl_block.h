/* Blocks of an OpenCL device: memory, transfers, parts, mappings; as in memory/seam/backend.h. */
#ifndef CLPAC_MEMORY_OPENCL_OPENCL_BLOCK_H
#define CLPAC_MEMORY_OPENCL_OPENCL_BLOCK_H

#include "memory/opencl/opencl_queue.h"

struct clpac__block {
	cl_mem memory;
	size_t bytes;
	cl_mem whole;  /* the parent of a part, or memory itself */
	size_t offset; /* in whole */
};

clpac_status clpac__opencl_create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
void clpac__opencl_release(clpac__queue *queue, clpac__block *block);
clpac_status clpac__opencl_write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				 const void *source, clpac_error *err);
clpac_status clpac__opencl_write_later(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				       const void *source, clpac_error *err);
clpac_status clpac__opencl_read(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
				clpac_error *err);
clpac_status clpac__opencl_read_later(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				      void *target, clpac_error *err);
clpac_status clpac__opencl_fill(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
				clpac_error *err);
clpac_status clpac__opencl_copy(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
				size_t target_offset, size_t bytes, clpac_error *err);

clpac_status clpac__opencl_create_part(clpac__queue *queue, clpac__block *whole, size_t offset, size_t bytes,
				       clpac__block **out, clpac_error *err);
clpac_status clpac__opencl_create_on_host(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
clpac_status clpac__opencl_create_pinned(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
clpac_status clpac__opencl_map(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, bool will_read,
			       bool will_write, void **out, bool *is_in_place, clpac_error *err);
clpac_status clpac__opencl_unmap(clpac__queue *queue, clpac__block *block, void *pointer, clpac_error *err);

/* On an out-of-order queue: orders all later work after all earlier work. */
clpac_status clpac__opencl_fence(clpac__queue *queue, clpac_error *err);

#endif
