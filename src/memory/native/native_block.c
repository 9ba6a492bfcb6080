/* The native device's memory: blocks of the host's memory, used in place.
 *
 * All threads together make pages resident, fill and copy, in pieces of a fixed size.
 */
#include "config.h"

#include "memory/native/native.h"

#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "base/memory.h"
#include "memory/native/machine.h"

enum {
	PAGE_BYTES = 4096,
	PIECE_BYTES = 1 << 20,	/* memory handled as one chunk */
	LARGE_BYTES = 16 << 20, /* from this size on, free memory is checked first */
};

static unsigned char *place_in(clpac__block *block, size_t offset)
{
	return (unsigned char *)clpac__native_data(block) + offset;
}

typedef struct memory_job {
	unsigned char *target;
	const unsigned char *source;
	size_t bytes;
	uint8_t value;
} memory_job;

static size_t piece_bytes(const memory_job *job, size_t chunk)
{
	size_t left = job->bytes - chunk * PIECE_BYTES;
	return left < PIECE_BYTES ? left : PIECE_BYTES;
}

static void touch_piece(void *context, size_t chunk, unsigned worker)
{
	(void)worker;
	const memory_job *job = context;
	volatile unsigned char *piece = job->target + chunk * PIECE_BYTES;
	for (size_t i = 0; i < piece_bytes(job, chunk); i += PAGE_BYTES)
		piece[i] = 0;
}

static void fill_piece(void *context, size_t chunk, unsigned worker)
{
	(void)worker;
	const memory_job *job = context;
	memset(job->target + chunk * PIECE_BYTES, job->value, piece_bytes(job, chunk));
}

static void copy_piece(void *context, size_t chunk, unsigned worker)
{
	(void)worker;
	const memory_job *job = context;
	size_t offset = chunk * PIECE_BYTES;
	memcpy(job->target + offset, job->source + offset, piece_bytes(job, chunk));
}

static void run_memory_job(clpac__queue *queue, clpac__task *task, memory_job *job)
{
	clpac__threads_run(clpac__native_threads(queue), (job->bytes + PIECE_BYTES - 1) / PIECE_BYTES, task, job);
}

/* Large blocks are checked against the free memory before their pages are touched, because the system promises memory
 * that it may not have and kills whoever uses it.  All threads touch the pages, so that a run never meets a page for
 * the first time. `lack` is the status for lack of memory. */
static clpac_status create(clpac__queue *queue, size_t bytes, clpac_status lack, clpac__block **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__native_block *block = NULL;

	if (!bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "a block of 0 bytes on %s: ask for at least one", queue->device.name);
	if (queue->device.max_allocation_bytes && bytes > queue->device.max_allocation_bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "a block of %zu bytes on %s: the largest it can hold has %llu", bytes,
		     queue->device.name, (unsigned long long)queue->device.max_allocation_bytes);
	if (bytes >= LARGE_BYTES) {
		uint64_t free_bytes = clpac__machine_free_bytes("");
		if (free_bytes && bytes > free_bytes)
			FAIL(lack, "a block of %zu bytes on %s: %llu are available", bytes, queue->device.name,
			     (unsigned long long)free_bytes);
	}
	TRY(NEW(block));
	block->data = clpac__alloc_pages(bytes);
	if (!block->data)
		FAIL(lack, "a block of %zu bytes on %s: the system has no memory left for it", bytes,
		     queue->device.name);
	block->bytes = bytes;
#ifdef MADV_HUGEPAGE
	/* Advice only: without it the pages stay small.  Sums over edge lists jump from page to page. */
	if (bytes >= CLPAC__LARGE_PAGE)
		madvise(block->data, bytes, MADV_HUGEPAGE);
#endif
	run_memory_job(queue, touch_piece, &(memory_job){.target = block->data, .bytes = bytes});
	*out = (clpac__block *)block;
	block = NULL;
done:
	clpac__free(block);
	return st;
}

clpac_status clpac__native_create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	return create(queue, bytes, CLPAC_ERROR_NO_DEVICE_MEMORY, out, err);
}

clpac_status clpac__native_create_on_host(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	return create(queue, bytes, CLPAC_ERROR_NO_MEMORY, out, err);
}

void clpac__native_release(clpac__queue *queue, clpac__block *block)
{
	(void)queue;
	if (!block)
		return;
	if (!((clpac__native_block *)block)->is_part)
		clpac__free_pages(clpac__native_data(block));
	clpac__free(block);
}

static clpac_status check_range(const clpac__queue *queue, const char *what, const clpac__block *block, size_t offset,
				size_t bytes, clpac_error *err)
{
	if (!block)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s on %s: the block is NULL", what, queue->device.name);
	size_t size = clpac__native_bytes(block);
	if (offset > size || bytes > size - offset)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s on %s: bytes %zu + %zu lie outside a block of %zu",
				   what, queue->device.name, offset, bytes, size);
	return CLPAC_OK;
}

clpac_status clpac__native_create_part(clpac__queue *queue, clpac__block *whole, size_t offset, size_t bytes,
				       clpac__block **out, clpac_error *err)
{
	RETURN_IF_ERROR(check_range(queue, "create_part", whole, offset, bytes, err));
	if (!bytes || offset % queue->part_alignment || ((clpac__native_block *)whole)->is_part)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "create_part on %s: %zu bytes at %zu: a part has at least one byte, begins at a multiple "
			     "of %zu, "
			     "and "
			     "is of a whole block",
			     queue->device.name, bytes, offset, queue->part_alignment);
	clpac__native_block *part;
	RETURN_IF_ERROR(NEW(part));
	*part = (clpac__native_block){.data = place_in(whole, offset), .bytes = bytes, .is_part = true};
	*out = (clpac__block *)part;
	return CLPAC_OK;
}

clpac_status clpac__native_write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				 const void *source, clpac_error *err)
{
	RETURN_IF_ERROR(check_range(queue, "write", block, offset, bytes, err));
	if (bytes && !source)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "write on %s: the source of %zu bytes is NULL", queue->device.name,
			     bytes);
	run_memory_job(queue, copy_piece, &(memory_job){place_in(block, offset), source, bytes, 0});
	return CLPAC_OK;
}

clpac_status clpac__native_read(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
				clpac_error *err)
{
	RETURN_IF_ERROR(check_range(queue, "read", block, offset, bytes, err));
	if (bytes && !target)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "read on %s: the target of %zu bytes is NULL", queue->device.name,
			     bytes);
	run_memory_job(queue, copy_piece, &(memory_job){target, place_in(block, offset), bytes, 0});
	return CLPAC_OK;
}

clpac_status clpac__native_fill(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
				clpac_error *err)
{
	RETURN_IF_ERROR(check_range(queue, "fill", block, offset, bytes, err));
	run_memory_job(queue, fill_piece, &(memory_job){place_in(block, offset), NULL, bytes, value});
	return CLPAC_OK;
}

clpac_status clpac__native_copy(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
				size_t target_offset, size_t bytes, clpac_error *err)
{
	RETURN_IF_ERROR(check_range(queue, "copy from", source, source_offset, bytes, err));
	RETURN_IF_ERROR(check_range(queue, "copy to", target, target_offset, bytes, err));
	/* Compared as addresses, since parts of one block may share bytes. */
	const uintptr_t from = (uintptr_t)place_in(source, source_offset),
			to = (uintptr_t)place_in(target, target_offset);
	if ((from < to ? to - from : from - to) < bytes)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "copy on %s: bytes %zu + %zu and %zu + %zu of one block overlap",
			     queue->device.name, source_offset, bytes, target_offset, bytes);
	run_memory_job(queue, copy_piece,
		       &(memory_job){place_in(target, target_offset), place_in(source, source_offset), bytes, 0});
	return CLPAC_OK;
}

void *clpac__native_host_pointer(clpac__queue *queue, clpac__block *block)
{
	(void)queue;
	return block ? clpac__native_data(block) : NULL;
}

clpac_status clpac__native_map(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, bool will_read,
			       bool will_write, void **out, bool *is_in_place, clpac_error *err)
{
	RETURN_IF_ERROR(check_range(queue, "map", block, offset, bytes, err));
	if (!bytes || !(will_read || will_write))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "map on %s: %zu bytes to be %s", queue->device.name, bytes,
			     will_read || will_write ? "used" : "neither read nor written");
	*out = place_in(block, offset);
	if (is_in_place)
		*is_in_place = true;
	return CLPAC_OK;
}

clpac_status clpac__native_unmap(clpac__queue *queue, clpac__block *block, void *pointer, clpac_error *err)
{
	if (!block || !pointer)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "unmap on %s: the %s is NULL", queue->device.name,
			     block ? "pointer" : "block");
	return CLPAC_OK;
}

uint64_t clpac__native_host_free_bytes(clpac__queue *queue)
{
	(void)queue;
	return clpac__machine_free_bytes("");
}

clpac_free_memory clpac__native_free_memory(clpac__queue *queue)
{
	(void)queue;
	clpac_free_memory answer = {.bytes = clpac__machine_free_bytes("")};
	answer.knowledge = answer.bytes ? CLPAC_EXACT : CLPAC_UNKNOWN;
	return answer;
}
