/* The native queue: memory and order on the CPU.
 *
 * Order is trivial, since every call returns when its work is done.  Threads share one operation at a time: pages are
 * made resident, memory is copied and work-items are run in pieces of a fixed size, whatever the number of threads, so
 * that where a kernel's vector loop ends and its scalar rest begins never moves, and neither does a number. */
#include "config.h"

#include "native/native.h"

#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "base/memory.h"
#include "native/machine.h"

enum {
	PAGE_BYTES = 4096,
	PIECE_BYTES = 1 << 20,       /* of memory handled as one chunk */
	CHUNKS_PER_THREAD = 32,      /* of a launch: enough to even out, few enough to cost nothing */
	LARGE_BYTES = 16 << 20,      /* from here on the free memory is asked for first, and large pages */
};

static clpac__native_queue *native(clpac__queue *queue)
{
	return (clpac__native_queue *)queue;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------- */

static unsigned char *part_of(clpac__block *block, size_t offset)
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
	clpac__threads_run(native(queue)->threads, (job->bytes + PIECE_BYTES - 1) / PIECE_BYTES, task, job);
}

/* The system promises memory that it may not have, and kills whoever uses it: so a large block is measured against what
 * is free before its pages are touched.  Touched they are, by all threads at once, so that a run meets no page for the
 * first time; that is time the run would need otherwise. */
static clpac_status native_create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
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
			FAIL(CLPAC_ERROR_NO_DEVICE_MEMORY, "a block of %zu bytes on %s: %llu are available", bytes,
			     queue->device.name, (unsigned long long)free_bytes);
	}
	block = clpac__alloc_zero(sizeof *block);
	if (!block)
		FAIL_NO_MEMORY(sizeof *block);
	block->data = clpac__alloc_pages(bytes);
	if (!block->data)
		FAIL(CLPAC_ERROR_NO_DEVICE_MEMORY, "a block of %zu bytes on %s: the system has no memory left for it",
		     bytes, queue->device.name);
	block->bytes = bytes;
#ifdef MADV_HUGEPAGE
	if (bytes >= LARGE_BYTES)
		madvise(block->data, bytes, MADV_HUGEPAGE); /* a wish: where it is refused the pages stay small */
#endif
	run_memory_job(queue, touch_piece, &(memory_job){.target = block->data, .bytes = bytes});
	native(queue)->n_blocks++;
	*out = (clpac__block *)block;
	block = NULL;
done:
	clpac__free(block);
	return st;
}

static void native_release(clpac__queue *queue, clpac__block *block)
{
	if (!block)
		return;
	native(queue)->n_blocks--;
	clpac__free_pages(clpac__native_data(block));
	clpac__free(block);
}

static clpac_status check_part(const clpac__queue *queue, const char *what, const clpac__block *block, size_t offset,
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

static clpac_status native_write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				 const void *source, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_part(queue, "write", block, offset, bytes, err));
	if (bytes && !source)
		FAIL(CLPAC_ERROR_ARGUMENT, "write on %s: the source of %zu bytes is NULL", queue->device.name, bytes);
	run_memory_job(queue, copy_piece, &(memory_job){part_of(block, offset), source, bytes, 0});
done:
	return st;
}

static clpac_status native_read(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_part(queue, "read", block, offset, bytes, err));
	if (bytes && !target)
		FAIL(CLPAC_ERROR_ARGUMENT, "read on %s: the target of %zu bytes is NULL", queue->device.name, bytes);
	run_memory_job(queue, copy_piece, &(memory_job){target, part_of(block, offset), bytes, 0});
done:
	return st;
}

static clpac_status native_fill(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_part(queue, "fill", block, offset, bytes, err));
	run_memory_job(queue, fill_piece, &(memory_job){part_of(block, offset), NULL, bytes, value});
done:
	return st;
}

static clpac_status native_copy(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
				size_t target_offset, size_t bytes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(check_part(queue, "copy from", source, source_offset, bytes, err));
	TRY(check_part(queue, "copy to", target, target_offset, bytes, err));
	size_t apart = source_offset < target_offset ? target_offset - source_offset : source_offset - target_offset;
	if (source == target && apart < bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "copy on %s: bytes %zu + %zu and %zu + %zu of one block overlap",
		     queue->device.name, source_offset, bytes, target_offset, bytes);
	run_memory_job(queue, copy_piece,
		       &(memory_job){part_of(target, target_offset), part_of(source, source_offset), bytes, 0});
done:
	return st;
}

static void *native_host_pointer(clpac__queue *queue, clpac__block *block)
{
	(void)queue;
	return block ? clpac__native_data(block) : NULL;
}

/* ---- Stages ------------------------------------------------------------------------------------------------------- */

/* A piece is some items of one (id1, id2); a chunk is some consecutive pieces.  Of pieces id1 varies fastest: the bands of
 * one stretch of time follow each other, read the same memory, and may write the same cache lines. */
typedef struct launch_job {
	const clpac__native_stage *stage;
	clpac__native_argument arguments[CLPAC__MAX_ARGUMENTS];
	size_t items[3];
	size_t n_along, n_pieces, pieces_per_chunk; /* pieces along id0; all; in a chunk */
} launch_job;

static void run_pieces(void *context, size_t chunk, unsigned worker)
{
	(void)worker;
	const launch_job *job = context;
	size_t size = job->stage->piece, first_piece = chunk * job->pieces_per_chunk;
	size_t left = job->n_pieces - first_piece;
	size_t end = first_piece + (left < job->pieces_per_chunk ? left : job->pieces_per_chunk);
	for (size_t piece = first_piece; piece < end; piece++) {
		size_t id1 = piece % job->items[1], rest = piece / job->items[1];
		size_t first = rest % job->n_along * size;
		size_t last = job->items[0] - first < size ? job->items[0] : first + size;
		job->stage->run(job->arguments, first, last, id1, rest / job->n_along);
	}
}

static clpac_status take_arguments(const clpac__queue *queue, const clpac__launch *launch, clpac__native_argument *out,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if ((unsigned)launch->stage >= CLPAC__STAGE_COUNT)
		FAIL(CLPAC_ERROR_ARGUMENT, "launch on %s: there is no stage %u", queue->device.name,
		     (unsigned)launch->stage);
	const clpac__stage_facts *stage = &clpac__stages[launch->stage];
	for (size_t i = 0; stage->arguments[i]; i++) {
		const clpac__argument *argument = &launch->arguments[i];
		switch (stage->arguments[i]) {
		case 'b':
			if (!argument->block)
				FAIL(CLPAC_ERROR_ARGUMENT, "%s on %s: buffer argument %zu is NULL", stage->name,
				     queue->device.name, i);
			out[i].memory = clpac__native_data(argument->block);
			break;
		case 'u':
			out[i].number = argument->number;
			break;
		case 'f':
			out[i].real = argument->real;
			break;
		default:
			FAIL(CLPAC_ERROR_INTERNAL, "%s: '%c' is no kind of argument", stage->name, stage->arguments[i]);
		}
	}
done:
	return st;
}

static clpac_status native_launch(clpac__queue *queue, const clpac__launch *launch, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	launch_job job = {.items = {launch->items[0], launch->items[1], launch->items[2]}};
	size_t n_rows;

	TRY(take_arguments(queue, launch, job.arguments, err));
	job.stage = &native(queue)->isa->kernels->stages[launch->stage];
	job.n_along = job.items[0] / job.stage->piece + (job.items[0] % job.stage->piece != 0);
	if (!clpac__size_mul(job.items[1], job.items[2], &n_rows) ||
	    !clpac__size_mul(n_rows, job.n_along, &job.n_pieces))
		FAIL(CLPAC_ERROR_ARGUMENT, "%s on %s: %zu x %zu x %zu work-items are too many",
		     clpac__stages[launch->stage].name, queue->device.name, job.items[0], job.items[1], job.items[2]);
	if (!job.n_pieces)
		goto done;
	job.pieces_per_chunk = 1 + job.n_pieces / ((size_t)queue->n_threads * CHUNKS_PER_THREAD);
	/* Two threads in one stretch of time would write the same lines: whole stretches where there are enough of them. */
	if (job.n_pieces / job.items[1] >= (size_t)queue->n_threads * 2)
		job.pieces_per_chunk = clpac__round_up(job.pieces_per_chunk, job.items[1]);
	clpac__threads_run(native(queue)->threads, (job.n_pieces - 1) / job.pieces_per_chunk + 1, run_pieces, &job);
done:
	return st;
}

static clpac_status native_prepare(clpac__queue *queue, unsigned n_bins, clpac_error *err)
{
	(void)queue, (void)n_bins, (void)err; /* the kernels were compiled with the library */
	return CLPAC_OK;
}

static clpac_status native_finish(clpac__queue *queue, clpac_error *err)
{
	(void)queue, (void)err;
	return CLPAC_OK;
}

static void native_close(clpac__queue *queue)
{
	if (!queue)
		return;
	clpac__threads_destroy(native(queue)->threads);
	clpac__free(queue);
}

static const clpac__queue_operations operations = {
	.close = native_close,
	.create = native_create,
	.release = native_release,
	.write = native_write,
	.read = native_read,
	.fill = native_fill,
	.copy = native_copy,
	.host_pointer = native_host_pointer,
	.prepare = native_prepare,
	.launch = native_launch,
	.finish = native_finish,
};

clpac_status clpac__native_queue_open(const clpac_device *device, unsigned n_threads, const clpac__isa *isa,
				      clpac__queue **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__native_queue *queue = clpac__alloc_zero(sizeof *queue);
	if (!queue)
		FAIL_NO_MEMORY(sizeof *queue);
	if (!n_threads)
		n_threads = device->compute_units ? device->compute_units : 1;
	queue->isa = isa;
	queue->base.operations = &operations;
	queue->base.device = *device;
	queue->base.vector_width = isa->kernels->vector_width;
	queue->base.n_threads = n_threads;
	snprintf(queue->base.instruction_set, sizeof queue->base.instruction_set, "%s", isa->name);
	TRY(clpac__threads_create(n_threads, &queue->threads, err));
	*out = &queue->base;
	queue = NULL;
done:
	if (queue)
		native_close(&queue->base);
	return st;
}
