/* The native queue: order on the CPU, and the stages; block.c has the memory.
 *
 * Order is trivial, since every call returns when its work is done: every event has passed when it is made.  Nothing
 * changes in an open queue, so that any number of threads may be in it.  The pool's threads share an operation:
 * work-items are run in pieces of a fixed size, whatever the number of threads, so that where a kernel's vector loop
 * ends and its scalar rest begins never moves, and neither does a number. */
#include "config.h"

#include "native/native.h"

#include <stdio.h>

#include "base/memory.h"

enum {
	PART_ALIGNMENT = 64,	/* bytes: the widest vector, and a cache line */
	CHUNKS_PER_THREAD = 32, /* of a launch: enough to even out, few enough to cost nothing */
};

static clpac__native_queue *native(clpac__queue *queue)
{
	return (clpac__native_queue *)queue;
}

/* ---- Stages -------------------------------------------------------------------------------------------------------
 */

/* A piece is some items of one (id1, id2); a chunk is some consecutive pieces.  Of pieces id1 varies fastest: the bands
 * of one stretch of time follow each other, read the same memory, and may write the same cache lines. */
typedef struct launch_job {
	const clpac__native_stage *stage;
	const clpac__arguments *arguments;
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

static clpac_status check_arguments(const clpac__queue *queue, const clpac__launch *launch, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__stage_facts *stage = clpac__stage_get(launch->stage);
	if (!stage)
		FAIL(CLPAC_ERROR_ARGUMENT, "launch on %s: there is no stage %u", queue->device.name,
		     (unsigned)launch->stage);
	for (size_t i = 0; i < stage->n_arguments; i++)
		if (stage->arguments[i].kind == CLPAC__ARGUMENT_BUFFER &&
		    !clpac__argument_block(launch, &stage->arguments[i]))
			FAIL(CLPAC_ERROR_ARGUMENT, "%s on %s: the buffer \"%s\" is NULL", stage->name,
			     queue->device.name, stage->arguments[i].name);
done:
	return st;
}

static clpac_status native_launch(clpac__queue *queue, const clpac__launch *launch, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	launch_job job = {
		.arguments = &launch->arguments,
		.items = {launch->items[0], launch->items[1], launch->items[2]},
	};
	size_t n_rows;

	TRY(check_arguments(queue, launch, err));
	job.stage = &native(queue)->isa->kernels->stages[launch->stage];
	job.n_along = job.items[0] / job.stage->piece + (job.items[0] % job.stage->piece != 0);
	if (!clpac__size_mul(job.items[1], job.items[2], &n_rows) ||
	    !clpac__size_mul(n_rows, job.n_along, &job.n_pieces))
		FAIL(CLPAC_ERROR_ARGUMENT, "%s on %s: %zu x %zu x %zu work-items are too many",
		     clpac__stage_get(launch->stage)->name, queue->device.name, job.items[0], job.items[1],
		     job.items[2]);
	if (!job.n_pieces)
		goto done;
	job.pieces_per_chunk = 1 + job.n_pieces / ((size_t)queue->n_threads * CHUNKS_PER_THREAD);
	/* Two threads in one stretch of time would write the same lines: whole stretches where there are enough of
	 * them. */
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

/* ---- Events ------------------------------------------------------------------------------------------------------ */

/* One moment stands for all, since all have passed. */
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

static void native_retain_or_forget(clpac__queue *queue, clpac_event *event)
{
	(void)queue, (void)event;
}

/* ---- Queues ------------------------------------------------------------------------------------------------------ */

static void native_close(clpac__queue *queue)
{
	if (!queue)
		return;
	if (!native(queue)->is_sibling)
		clpac__threads_destroy(native(queue)->threads);
	clpac__free(queue);
}

/* It shares the threads. */
static clpac_status native_open_sibling(clpac__queue *queue, bool is_in_order, clpac__queue **out, clpac_error *err)
{
	(void)is_in_order;
	clpac_status st = CLPAC_OK;
	clpac__native_queue *sibling = clpac__alloc_zero(sizeof *sibling);
	if (!sibling)
		FAIL_NO_MEMORY(sizeof *sibling);
	*sibling = *native(queue);
	sibling->is_sibling = true;
	*out = &sibling->base;
done:
	return st;
}

static const clpac__queue_operations operations = {
	.close = native_close,
	.create = clpac__native_create,
	.release = clpac__native_release,
	.write = clpac__native_write,
	.read = clpac__native_read,
	.write_later = clpac__native_write,
	.fill = clpac__native_fill,
	.copy = clpac__native_copy,
	.host_pointer = clpac__native_host_pointer,
	.create_part = clpac__native_create_part,
	.create_on_host = clpac__native_create_on_host,
	.map = clpac__native_map,
	.unmap = clpac__native_unmap,
	.open_sibling = native_open_sibling,
	.mark = native_mark,
	.wait_for = native_wait_for,
	.has_passed = native_has_passed,
	.wait = native_wait,
	.retain = native_retain_or_forget,
	.forget = native_retain_or_forget,
	.free_memory = clpac__native_free_memory,
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
	queue->base.is_in_order = true;
	queue->base.has_unified_memory = true;
	queue->base.part_alignment = PART_ALIGNMENT;
	snprintf(queue->base.instruction_set, sizeof queue->base.instruction_set, "%s", isa->name);
	TRY(clpac__threads_create(n_threads, &queue->threads, err));
	*out = &queue->base;
	queue = NULL;
done:
	if (queue)
		native_close(&queue->base);
	return st;
}
