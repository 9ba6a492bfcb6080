/* clFFT as the engine of OpenCL devices.
 *
 * clFFT keeps its plans and compiled kernels in globals of the process, so set-up, planning, launching and tear-down go
 * through one lock here.  Every queue that made a transform holds the library until it is closed, and the last one
 * tears it down; an application that uses clFFT itself beside clpac must not tear it down while a context is open, nor
 * expect its plans to outlive the last context.
 *
 * Making a transform of a new length compiles kernels, and where the driver has none cached that takes seconds: on PoCL
 * 2 to 9 s of CPU for lengths with factors 2 and 3, 7 to 17 s where 5 is among them, up to 40 s with 7, 11 or 13; the
 * transforms themselves then take about as long (6 to 30 ns a value).  So next_length knows 2 and 3 alone: 5 % longer
 * on average where 5 would give 2 %.
 *
 * Its real transforms take two rows as one complex row, so that a row would be rounded by its neighbour and results would
 * depend on the batch.  So a forward transform is a complex one here (cl/widen.cl), and the half that is wanted is copied
 * out: twice the work for one transform in about twenty. */
#include "config.h"

#include "fft/engine.h"
#include "opencl/clfft_cache.h"
#include "opencl/clfft_dialect.h"
#include "opencl/opencl.h"

#include <clFFT.h>
#include <pthread.h>
#include <stdint.h>

#include "base/memory.h"

struct clpac__fft {
	clpac__opencl_queue *queue;
	clpac__fft_shape shape;
	clfftPlanHandle plan;
	bool has_plan;
	/* Parts of the workspace: clFFT's own, then, for forward transforms, the rows as complex ones. */
	size_t own_bytes, wide_at, wide_bytes;
	size_t workspace_bytes;
};

enum {
	LARGEST_FACTOR = 13,
	LARGEST_LENGTH = 1 << 24, /* in single precision, by its documentation */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned n_holders; /* queues; under the lock */

static void let_go(void)
{
	pthread_mutex_lock(&lock);
	if (--n_holders == 0)
		clfftTeardown();
	pthread_mutex_unlock(&lock);
}

/* Called with the lock held. */
static clfftStatus hold(clpac__opencl_queue *queue)
{
	if (queue->at_close)
		return CLFFT_SUCCESS;
	if (n_holders == 0) {
		clfftSetupData data;
		clpac__clfft_cache_check();
		clfftStatus code = clfftInitSetupData(&data);
		if (code == CLFFT_SUCCESS)
			code = clfftSetup(&data);
		if (code != CLFFT_SUCCESS)
			return code;
	}
	n_holders++;
	queue->at_close = let_go;
	return CLFFT_SUCCESS;
}

static clpac_status fail(const clpac__fft *fft, clfftStatus code, const char *call, clpac_error *err)
{
	const char *name = fft->queue->base.device.name;
	if (code == CLFFT_NOTIMPLEMENTED)
		return clpac__fail_native(err, CLPAC_ERROR_UNSUPPORTED, code,
					  "%s: clfft cannot transform length %zu on %s: choose one with prime factors "
					  "up to %d",
					  call, fft->shape.length, name, LARGEST_FACTOR);
	if (code > CLFFT_BUGCHECK - 1)
		return clpac__fail_native(err, CLPAC_ERROR_DEVICE, code,
					  "%s: clfft's own code %d for length %zu, %zu rows on %s: another fft or "
					  "device may do",
					  call, code, fft->shape.length, fft->shape.rows, name);
	return clpac__opencl_fail(err, CLPAC__OPENCL_LAUNCHING, code, call, "clfft length %zu, %zu rows on %s",
				  fft->shape.length, fft->shape.rows, name);
}

static size_t clfft_next_length(size_t n)
{
	return clpac__good_length(n, 3);
}

static void clfft_destroy(clpac__fft *fft)
{
	if (!fft)
		return;
	if (fft->has_plan) {
		clpac__opencl_enter(fft->queue);
		/* clFFT frees what a transform under way still reads. */
		clpac__opencl_finish(fft->queue, NULL);
		pthread_mutex_lock(&lock);
		clfftDestroyPlan(&fft->plan);
		pthread_mutex_unlock(&lock);
		clpac__opencl_leave(fft->queue);
	}
	clpac__free(fft);
}

/* Describes the transform and has its kernels made.  Called with the lock held; *call is the one that failed. */
static clfftStatus make_plan(clpac__fft *fft, const char **call)
{
	const clpac__fft_shape *shape = &fft->shape;
	clfftStatus code;
#define STEP(function, ...)                                                  \
	do {                                                                 \
		*call = #function;                                           \
		if ((code = function(__VA_ARGS__)) != CLFFT_SUCCESS)         \
			return code;                                         \
	} while (0)

	*call = "clfftSetup";
	code = hold(fft->queue);
	if (code != CLFFT_SUCCESS)
		return code;
	STEP(clfftCreateDefaultPlan, &fft->plan, fft->queue->context, CLFFT_1D, &shape->length);
	fft->has_plan = true;
	STEP(clfftSetPlanPrecision, fft->plan, CLFFT_SINGLE);
	STEP(clfftSetPlanBatchSize, fft->plan, shape->rows);
	STEP(clfftSetLayout, fft->plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED);
	STEP(clfftSetResultLocation, fft->plan, CLFFT_INPLACE);
	STEP(clfftSetPlanDistance, fft->plan, shape->length, shape->length);
	/* Its default divides by the length on the way back. */
	STEP(clfftSetPlanScale, fft->plan, CLFFT_FORWARD, 1.0f);
	STEP(clfftSetPlanScale, fft->plan, CLFFT_BACKWARD, 1.0f);
	STEP(clfftBakePlan, fft->plan, 1, &fft->queue->commands, NULL, NULL);
	STEP(clfftGetTmpBufSize, fft->plan, &fft->own_bytes);
#undef STEP
	return CLFFT_SUCCESS;
}

static void divide_workspace(clpac__fft *fft)
{
	const clpac__fft_shape *shape = &fft->shape;
	const size_t align = fft->queue->base.part_alignment > 64 ? fft->queue->base.part_alignment : 64;
	fft->workspace_bytes = fft->own_bytes;
	if (shape->direction != CLPAC__FFT_FORWARD)
		return;
	fft->wide_bytes = shape->rows * shape->length * 2 * sizeof(float);
	fft->wide_at = clpac__round_up(fft->own_bytes, align);
	fft->workspace_bytes = fft->wide_at + fft->wide_bytes;
}

static clpac_status clfft_accepts(const clpac__queue *queue, const clpac__fft_shape *shape, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(clpac__clfft_is_compiled(queue, err));
	if (!shape)
		goto done;
	bool is_forward = shape->direction == CLPAC__FFT_FORWARD;
	size_t widest = shape->length, elements, rest = shape->length;
	if (shape->length < 2)
		FAIL(CLPAC_ERROR_ARGUMENT, "clfft: length %zu is below 2", shape->length);
	if (!shape->rows)
		FAIL(CLPAC_ERROR_ARGUMENT, "clfft: 0 rows of length %zu", shape->length);
	if (is_forward && (shape->stride_real < shape->length || shape->stride_spectrum < shape->length / 2 + 1))
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "clfft: rows of %zu floats cannot be %zu floats and %zu complex values apart", shape->length,
		     shape->stride_real, shape->stride_spectrum);
	if (shape->length > LARGEST_LENGTH)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "clfft transforms up to %d samples and these are %zu: cut the recording into segments, or use the "
		     "native device",
		     LARGEST_LENGTH, shape->length);
	if (is_forward && shape->stride_real > widest)
		widest = shape->stride_real;
	if (is_forward && shape->stride_spectrum > widest)
		widest = shape->stride_spectrum;
	/* Its kernels count elements in 32 bits. */
	if (!clpac__size_mul(shape->rows, widest, &elements) || elements > INT32_MAX)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "clfft transforms up to %d values at once and %zu rows of %zu are more: use smaller batches",
		     INT32_MAX, shape->rows, widest);
	for (size_t factor = 2; factor <= LARGEST_FACTOR; factor++)
		while (rest % factor == 0)
			rest /= factor;
	if (rest > 1)
		FAIL(CLPAC_ERROR_UNSUPPORTED,
		     "clfft cannot transform length %zu on %s: choose one with prime factors up to %d", shape->length,
		     queue->device.name, LARGEST_FACTOR);
	if (!queue->is_in_order)
		FAIL(CLPAC_ERROR_ARGUMENT, "clfft: its steps follow each other, and a queue of %s is out of order",
		     queue->device.name);
done:
	return st;
}

static clpac_status clfft_create(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__fft *fft = NULL;
	const char *call;
	clfftStatus code;

	TRY(clfft_accepts(queue, shape, err));
	fft = clpac__alloc_zero(sizeof *fft);
	if (!fft)
		FAIL_NO_MEMORY(sizeof *fft);
	fft->queue = clpac__opencl_of(queue);
	fft->shape = *shape;
	clpac__opencl_enter(fft->queue);
	pthread_mutex_lock(&lock);
	code = make_plan(fft, &call);
	clpac__clfft_cache_seal();
	pthread_mutex_unlock(&lock);
	clpac__opencl_leave(fft->queue);
	if (code != CLFFT_SUCCESS) {
		st = fail(fft, code, call, err);
		goto done;
	}
	divide_workspace(fft);
	*out = fft;
	fft = NULL;
done:
	clfft_destroy(fft);
	return st;
}

static size_t clfft_workspace_bytes(const clpac__fft *fft)
{
	return fft->workspace_bytes;
}

static clpac_status check_block(const clpac__fft *fft, const char *what, const clpac__block *block, size_t bytes,
				clpac_error *err)
{
	if (!block || block->bytes < bytes)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "clfft on %s: the %s has %zu bytes and needs %zu",
				   fft->queue->base.device.name, what, block ? block->bytes : 0, bytes);
	return CLPAC_OK;
}

static clpac_status enqueue(clpac__fft *fft, cl_mem memory, const clpac__block *workspace, clpac_error *err)
{
	const clfftDirection direction = fft->shape.direction == CLPAC__FFT_FORWARD ? CLFFT_FORWARD : CLFFT_BACKWARD;
	pthread_mutex_lock(&lock);
	const clfftStatus code = clfftEnqueueTransform(fft->plan, direction, 1, &fft->queue->commands, 0, NULL, NULL, &memory,
						       NULL, fft->own_bytes ? workspace->memory : NULL);
	pthread_mutex_unlock(&lock);
	return code == CLFFT_SUCCESS ? CLPAC_OK : fail(fft, code, "clfftEnqueueTransform", err);
}

static clpac_status run_forward(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__fft_shape *shape = &fft->shape;
	/* Of the whole that the workspace is a part of: a part has no parts. */
	const cl_buffer_region region = {workspace->offset + fft->wide_at, fft->wide_bytes};
	cl_int code;
	clpac__block wide = {.bytes = fft->wide_bytes};
	wide.memory = clCreateSubBuffer(workspace->whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	CL_CODE(CLPAC__OPENCL_ALLOCATING, wide.memory ? CL_SUCCESS : code, "clCreateSubBuffer",
		"%zu bytes of the FFT's workspace on %s", fft->wide_bytes, fft->queue->base.device.name);
	TRY(clpac__opencl_launch(&fft->queue->base,
				 &(clpac__launch){.stage = CLPAC__STAGE_widen,
						  .items = {shape->length, shape->rows, 1},
						  .arguments = {{.block = input},
								{.block = &wide},
								{.number = (uint32_t)shape->length},
								{.number = (uint32_t)shape->stride_real}}},
				 err));
	TRY(enqueue(fft, wide.memory, workspace, err));
	TRY(clpac__opencl_launch(&fft->queue->base,
				 &(clpac__launch){.stage = CLPAC__STAGE_halve,
						  .items = {shape->length / 2 + 1, shape->rows, 1},
						  .arguments = {{.block = &wide},
								{.block = output},
								{.number = (uint32_t)shape->length},
								{.number = (uint32_t)shape->stride_spectrum}}},
				 err));
done:
	/* The driver keeps it until what was put into the queue is over. */
	if (wide.memory)
		clReleaseMemObject(wide.memory);
	return st;
}

/* Bound to its batch: all rows of the shape are transformed, whatever is asked for. */
static clpac_status clfft_run(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace,
			      size_t rows, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__fft_shape *shape = &fft->shape;
	bool is_forward = shape->direction == CLPAC__FFT_FORWARD;
	const size_t complex_bytes = 2 * sizeof(float);

	if (rows > shape->rows)
		FAIL(CLPAC_ERROR_ARGUMENT, "clfft: %zu rows are asked for and the transform was made for %zu", rows,
		     shape->rows);
	if (!rows)
		goto done;
	if (is_forward) {
		TRY(check_block(fft, "input", input,
				((shape->rows - 1) * shape->stride_real + shape->length) * sizeof(float), err));
		TRY(check_block(fft, "output", output,
				((shape->rows - 1) * shape->stride_spectrum + shape->length / 2 + 1) * complex_bytes,
				err));
	} else {
		TRY(check_block(fft, "input", input, shape->rows * shape->length * complex_bytes, err));
		if (output != input)
			FAIL(CLPAC_ERROR_ARGUMENT, "clfft: an inverse transform is in place, and two blocks are given");
	}
	if (fft->workspace_bytes)
		TRY(check_block(fft, "workspace", workspace, fft->workspace_bytes, err));

	clpac__opencl_enter(fft->queue);
	st = is_forward ? run_forward(fft, input, output, workspace, err) : enqueue(fft, input->memory, workspace, err);
	clpac__opencl_leave(fft->queue);
done:
	return st;
}

extern const clpac__fft_engine clpac__fft_clfft;
const clpac__fft_engine clpac__fft_clfft = {
	.name = "clfft",
	.backend = "opencl",
	.next_length = clfft_next_length,
	.accepts = clfft_accepts,
	.create = clfft_create,
	.workspace_bytes = clfft_workspace_bytes,
	.run = clfft_run,
	.destroy = clfft_destroy,
};
