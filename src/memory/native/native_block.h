/* Blocks of the native device: host memory, and the operations on it, as in memory/seam/backend.h. */
#ifndef CLPAC_MEMORY_NATIVE_NATIVE_BLOCK_H
#define CLPAC_MEMORY_NATIVE_NATIVE_BLOCK_H

#include "memory/seam/backend.h"

typedef struct clpac__native_block {
	unsigned char *data; /* page-aligned, but for parts */
	size_t bytes;
	bool is_part; /* a part of another block, which owns the memory */
} clpac__native_block;

static inline void *clpac__native_data(clpac__block *block)
{
	return ((clpac__native_block *)block)->data;
}

static inline size_t clpac__native_bytes(const clpac__block *block)
{
	return ((const clpac__native_block *)block)->bytes;
}

clpac_status clpac__native_create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
clpac_status clpac__native_create_on_host(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
clpac_status clpac__native_create_part(clpac__queue *queue, clpac__block *whole, size_t offset, size_t bytes,
				       clpac__block **out, clpac_error *err);
void clpac__native_release(clpac__queue *queue, clpac__block *block);
clpac_status clpac__native_write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				 const void *source, clpac_error *err);
clpac_status clpac__native_read(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
				clpac_error *err);
clpac_status clpac__native_fill(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
				clpac_error *err);
clpac_status clpac__native_copy(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
				size_t target_offset, size_t bytes, clpac_error *err);
void *clpac__native_host_pointer(clpac__queue *queue, clpac__block *block);
clpac_status clpac__native_map(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, bool will_read,
			       bool will_write, void **out, bool *is_in_place, clpac_error *err);
clpac_status clpac__native_unmap(clpac__queue *queue, clpac__block *block, void *pointer, clpac_error *err);
uint64_t clpac__native_host_free_bytes(clpac__queue *queue);
clpac_free_memory clpac__native_free_memory(clpac__queue *queue);

#endif
