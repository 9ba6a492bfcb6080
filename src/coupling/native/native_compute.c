/* The native kernels of a queue.
 *
 * The queue's threads share a launch.  Work-items run in pieces of a fixed size, whatever the number of threads, so the
 * boundary between a kernel's vector loop and its scalar rest never moves, and no number changes.
 */
#include "config.h"

#include "coupling/native/kernels.h"
#include "memory/native/isa.h"
#include "memory/native/native.h"
#include "coupling/stages/compute.h"
#include "coupling/stages/pulse.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"

enum { CHUNKS_PER_THREAD = 32 /* per launch: enough to balance the load, few enough to cost nothing */ };

typedef struct native_compute {
	clpac__compute base; /* first */
	const clpac__native_kernels *kernels;
} native_compute;

static const struct row {
	const char *instruction_set;
	const clpac__native_kernels *kernels;
} rows[] = {
#ifdef HAVE_ISA_AVX512
	{"avx512", &clpac__native_kernels_avx512},
#endif
#ifdef HAVE_ISA_AVX2
	{"avx2", &clpac__native_kernels_avx2},
#endif
	{"baseline", &clpac__native_kernels_baseline},
};

/* Division of a launch.  A piece is a range of items of one (id1, id2); a chunk is some consecutive pieces.  id1 varies
 * fastest among pieces: the bands of one stretch of time follow each other, because they read the same memory and may
 * write the same cache lines. */
typedef struct launch_job {
	const clpac__native_stage *stage;
	const clpac__arguments *arguments;
	const clpac_cancel *cancel; /* of the thread that launches; NULL: none */
	atomic_bool *is_cut;	    /* pieces are missing, though the wish to end may have been taken back */
	size_t items[3];
	size_t n_along, n_pieces, pieces_per_chunk; /* pieces along id0; all; in a chunk */
} launch_job;

static void run_pieces(void *context, size_t chunk, unsigned worker)
{
	const launch_job *job = context;
	size_t size = job->stage->piece, first_piece = chunk * job->pieces_per_chunk;
	size_t left = job->n_pieces - first_piece;
	size_t end = first_piece + (left < job->pieces_per_chunk ? left : job->pieces_per_chunk);
	for (size_t piece = first_piece; piece < end; piece++) {
		if ((job->cancel && clpac_cancel_is_set(job->cancel)) ||
		    (worker == 0 && !clpac__pulse_beat((double)piece / (double)job->n_pieces)))
			atomic_store(job->is_cut, true);
		if (atomic_load_explicit(job->is_cut, memory_order_relaxed))
			return;
		size_t id1 = piece % job->items[1], rest = piece / job->items[1];
		size_t first = rest % job->n_along * size;
		size_t last = job->items[0] - first < size ? job->items[0] : first + size;
		job->stage->run(job->arguments, first, last, id1, rest / job->n_along);
	}
}

static clpac_status check_arguments(const clpac__queue *queue, const clpac__launch *launch, clpac_error *err)
{
	const clpac__stage_facts *stage = clpac__stage_get(launch->stage);
	if (!stage)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "launch on %s: there is no stage %u", queue->device.name,
			     (unsigned)launch->stage);
	for (size_t i = 0; i < stage->n_arguments; i++)
		if (stage->arguments[i].kind == CLPAC__ARGUMENT_BUFFER &&
		    !clpac__argument_block(launch, &stage->arguments[i]))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s on %s: the buffer \"%s\" is NULL", stage->name,
				     queue->device.name, stage->arguments[i].name);
	return CLPAC_OK;
}

static clpac_status native_launch(clpac__compute *compute, const clpac__launch *launch, clpac_error *err)
{
	clpac__queue *queue = compute->queue;
	atomic_bool is_cut = false;
	launch_job job = {
		.arguments = &launch->arguments,
		.is_cut = &is_cut,
		.cancel = clpac_cancel_used(),
		.items = {launch->items[0], launch->items[1], launch->items[2]},
	};
	size_t n_rows;

	RETURN_IF_ERROR(check_arguments(queue, launch, err));
	job.stage = &((native_compute *)compute)->kernels->stages[launch->stage];
	job.n_along = job.items[0] / job.stage->piece + (job.items[0] % job.stage->piece != 0);
	if (!clpac__size_mul(job.items[1], job.items[2], &n_rows) ||
	    !clpac__size_mul(n_rows, job.n_along, &job.n_pieces))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s on %s: %zu x %zu x %zu work-items are too many",
			     clpac__stage_get(launch->stage)->name, queue->device.name, job.items[0], job.items[1],
			     job.items[2]);
	if (!job.n_pieces)
		return CLPAC_OK;
	job.pieces_per_chunk = 1 + job.n_pieces / ((size_t)queue->n_threads * CHUNKS_PER_THREAD);
	/* Two threads in one stretch of time would write the same cache lines, so a chunk takes whole stretches if
	 * there are enough of them. */
	if (job.n_pieces / job.items[1] >= (size_t)queue->n_threads * 2)
		job.pieces_per_chunk = clpac__round_up(job.pieces_per_chunk, job.items[1]);
	clpac__threads_run(clpac__native_threads(queue), (job.n_pieces - 1) / job.pieces_per_chunk + 1, run_pieces,
			   &job);
	return clpac__cancel_checked(atomic_load(&is_cut), err);
}

static void native_share(clpac__compute *compute, size_t n, clpac__host_task *task, void *context)
{
	clpac__compute_share_on(clpac__native_threads(compute->queue), n, task, context);
}

static clpac_status native_prepare(clpac__compute *compute, unsigned n_bins, clpac_error *err)
{
	(void)compute, (void)n_bins, (void)err; /* the kernels were compiled with the library */
	return CLPAC_OK;
}

const clpac__native_kernels *clpac__native_kernels_find(const char *instruction_set)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].instruction_set, instruction_set) == 0)
			return rows[i].kernels;
	return NULL;
}

static void native_close(clpac__compute *compute)
{
	clpac__free(compute);
}

static const clpac__compute_operations operations = {
	.prepare = native_prepare,
	.launch = native_launch,
	.share = native_share,
	.close = native_close,
};

static clpac_status native_make(clpac__queue *queue, clpac__compute **out, clpac_error *err)
{
	native_compute *made = NULL;
	const clpac__isa *isa;
	RETURN_IF_ERROR(clpac__isa_find(queue->instruction_set, &isa, err));
	RETURN_IF_ERROR(NEW(made));
	made->base.operations = &operations;
	made->kernels = clpac__native_kernels_find(isa->name);
	made->base.vector_width = made->kernels->vector_width;
	snprintf(made->base.instruction_set, sizeof made->base.instruction_set, "%s", isa->name);
	*out = &made->base;
	return CLPAC_OK;
}

extern const clpac__compute_backend clpac__compute_native;
const clpac__compute_backend clpac__compute_native = {.name = "native", .make = native_make};
