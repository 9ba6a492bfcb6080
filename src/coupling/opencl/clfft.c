/* clFFT as an engine of OpenCL devices.
 *
 * clFFT keeps its plans and compiled kernels in globals of the process, so set-up, planning, launching and tear-down
 * are guarded by one lock here.  Every queue that made a transform holds the library until the queue is closed; the
 * last one tears it down.  An application that uses clFFT itself must not tear it down while a context is open, nor
 * expect its plans to outlive the last context.
 *
 * A transform of a new length compiles kernels.  If the driver has none cached this takes seconds: on PoCL 2 to 9 s of
 * CPU time for lengths with factors 2 and 3, 7 to 17 s with 5, up to 40 s with 7, 11 or 13.  The transforms themselves
 * differ little (6 to 30 ns a value), so next_length uses 2 and 3 alone: lengths grow by 5 % on average, against 2 %
 * with 5.
 *
 * clFFT's real transforms compute two rows as one complex row.  A row would then be rounded by its neighbour, and
 * results would depend on the batch, so forward transforms are complex here (opencl_compute.h).
 */
#include "config.h"

#include "coupling/opencl/clfft_cache.h"
#include "coupling/opencl/clfft_calls.h"

#include <pthread.h>

#include "base/memory.h"
#include "coupling/opencl/opencl_compute.h"
#include "memory/opencl/calls.h"

/* Asks whether a driver's compiler accepts the OpenCL C that clFFT generates.
 *
 * For about half of all lengths clFFT stores its results through "__global float4 *buff4g = bufOut", where bufOut is a
 * pointer to float2.  Compilers that used to warn about this have begun to refuse it (Intel's of 2026), and some always
 * did (clMathLibraries/clFFT issue 177, on Mali).  clFFT itself notices nothing until a transform is put into the
 * queue, in the middle of a run.  A list of drivers would soon be out of date, so the compiler is asked.
 */

enum { UNKNOWN, COMPILED, REFUSED };

static const char line[] =
	"__kernel void k(__global float2 *two) { __global float4 *four = two; four[0] = (float4)(0.0f); }\n";

/* Compiles the line.  Only a compiler error means REFUSED; clFFT will report any other failure itself. */
static int ask(clpac__opencl_queue *queue)
{
	const char *source = line;
	int answer = UNKNOWN;
	cl_int code;
	clpac__opencl_enter(queue);
	cl_program program = clCreateProgramWithSource(queue->context, 1, &source, NULL, &code);
	if (program) {
		code = clBuildProgram(program, 1, &queue->device, "-w", NULL, NULL);
		answer = code == CL_SUCCESS ? COMPILED : code == CL_BUILD_PROGRAM_FAILURE ? REFUSED : UNKNOWN;
		clReleaseProgram(program);
	}
	clpac__opencl_leave(queue);
	return answer;
}

/* CLPAC_ERROR_UNSUPPORTED if the compiler refuses it.  The first call for an opened device compiles one line, which
 * takes some milliseconds; later calls remember the answer.  Any thread. */
static clpac_status clfft_is_compiled(const clpac__queue *queue, clpac_error *err)
{
	clpac__compute *compute;
	clpac__opencl_compute *root;
	RETURN_IF_ERROR(clpac__compute_attach((clpac__queue *)queue, &clpac__compute_opencl, &compute, err));
	root = ((clpac__opencl_compute *)compute)->root;
	int answer = atomic_load(&root->clfft_dialect);
	if (answer == UNKNOWN) {
		answer = ask(clpac__opencl_queue_of(root));
		atomic_store(&root->clfft_dialect, answer);
	}
	if (answer == REFUSED)
		RETURN_ERROR(
			CLPAC_ERROR_UNSUPPORTED,
			"clfft cannot be used on %s: its kernels use a pointer to float2 as one to float4, which this "
			"driver's "
			"compiler refuses; choose another fft or device",
			queue->device.name);
	return CLPAC_OK;
}

struct clpac__fft {
	clpac__opencl_rows rows;
	clfftPlanHandle plan;
	bool has_plan;
};

enum {
	LARGEST_FACTOR = 13,
	LARGEST_LENGTH = 1 << 24, /* in single precision, by clFFT's documentation */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned n_holders; /* queues that hold clFFT; guarded by lock */

static void let_go(void)
{
	pthread_mutex_lock(&lock);
	if (--n_holders == 0)
		clfftTeardown();
	pthread_mutex_unlock(&lock);
}

/* Sets clFFT up if this queue is the first to use it.  The lock is held. */
static clfftStatus hold(clpac__opencl_queue *queue)
{
	clpac__opencl_compute *compute = clpac__opencl_compute_of(&queue->base);
	if (compute->at_close)
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
	compute->at_close = let_go;
	return CLFFT_SUCCESS;
}

static clpac_status fail(const clpac__fft *fft, clfftStatus code, const char *call, clpac_error *err)
{
	const char *name = fft->rows.queue->base.device.name;
	if (code == CLFFT_NOTIMPLEMENTED)
		return clpac__fail_native(err, CLPAC_ERROR_UNSUPPORTED, code,
					  "%s: clfft cannot transform length %zu on %s: choose one with prime factors "
					  "up to %d",
					  call, fft->rows.shape.length, name, LARGEST_FACTOR);
	if (code > CLFFT_BUGCHECK - 1)
		return clpac__fail_native(err, CLPAC_ERROR_DEVICE, code,
					  "%s: clfft's error %d for length %zu, %zu rows on %s: another fft or "
					  "device may work",
					  call, code, fft->rows.shape.length, fft->rows.shape.rows, name);
	return clpac__opencl_fail(err, CLPAC__OPENCL_LAUNCHING, code, call, "clfft length %zu, %zu rows on %s",
				  fft->rows.shape.length, fft->rows.shape.rows, name);
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
		clpac__opencl_enter(fft->rows.queue);
		/* Waits, because clFFT would free memory that a running transform still reads. */
		clpac__opencl_finish(fft->rows.queue, NULL);
		pthread_mutex_lock(&lock);
		clfftDestroyPlan(&fft->plan);
		pthread_mutex_unlock(&lock);
		clpac__opencl_leave(fft->rows.queue);
	}
	clpac__free(fft);
}

/* Describes the transform and makes its kernels.  The lock is held; *call names the call that failed. */
static clfftStatus make_plan(clpac__fft *fft, size_t *own_bytes, const char **call)
{
	const clpac__fft_shape *shape = &fft->rows.shape;
	clfftStatus code;
#define STEP(function, ...)                                                                                            \
	do {                                                                                                           \
		*call = #function;                                                                                     \
		if ((code = function(__VA_ARGS__)) != CLFFT_SUCCESS)                                                   \
			return code;                                                                                   \
	} while (0)

	*call = "clfftSetup";
	code = hold(fft->rows.queue);
	if (code != CLFFT_SUCCESS)
		return code;
	STEP(clfftCreateDefaultPlan, &fft->plan, fft->rows.queue->context, CLFFT_1D, &shape->length);
	fft->has_plan = true;
	STEP(clfftSetPlanPrecision, fft->plan, CLFFT_SINGLE);
	STEP(clfftSetPlanBatchSize, fft->plan, shape->rows);
	STEP(clfftSetLayout, fft->plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED);
	STEP(clfftSetResultLocation, fft->plan, CLFFT_INPLACE);
	STEP(clfftSetPlanDistance, fft->plan, shape->length, shape->length);
	/* Without this clFFT divides inverse transforms by the length. */
	STEP(clfftSetPlanScale, fft->plan, CLFFT_FORWARD, 1.0f);
	STEP(clfftSetPlanScale, fft->plan, CLFFT_BACKWARD, 1.0f);
	STEP(clfftBakePlan, fft->plan, 1, &fft->rows.queue->commands, NULL, NULL);
	STEP(clfftGetTmpBufSize, fft->plan, own_bytes);
#undef STEP
	return CLFFT_SUCCESS;
}

static clpac_status clfft_accepts(const clpac__queue *queue, const clpac__fft_shape *shape, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__clfft_load(err));
	RETURN_IF_ERROR(clfft_is_compiled(queue, err));
	if (!shape)
		return CLPAC_OK;
	size_t rest = shape->length;
	if (shape->length < 2)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clfft: length %zu is below 2", shape->length);
	RETURN_IF_ERROR(clpac__opencl_rows_check("clfft", queue, shape, LARGEST_LENGTH, err));
	for (size_t factor = 2; factor <= LARGEST_FACTOR; factor++)
		while (rest % factor == 0)
			rest /= factor;
	if (rest > 1)
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
			     "clfft cannot transform length %zu on %s: choose one with prime factors up to %d",
			     shape->length, queue->device.name, LARGEST_FACTOR);
	return CLPAC_OK;
}

static clpac_status clfft_create(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__fft *fft = NULL;
	const char *call;
	clfftStatus code;
	size_t own_bytes = 0;

	TRY(clfft_accepts(queue, shape, err));
	TRY(NEW(fft));
	fft->rows = (clpac__opencl_rows){.engine = "clfft", .queue = clpac__opencl_of(queue), .shape = *shape};
	clpac__opencl_enter(fft->rows.queue);
	pthread_mutex_lock(&lock);
	code = make_plan(fft, &own_bytes, &call);
	clpac__clfft_cache_seal();
	pthread_mutex_unlock(&lock);
	clpac__opencl_leave(fft->rows.queue);
	if (code != CLFFT_SUCCESS) {
		st = fail(fft, code, call, err);
		goto done;
	}
	clpac__opencl_rows_divide(&fft->rows, own_bytes);
	*out = fft, fft = NULL;
done:
	clfft_destroy(fft);
	return st;
}

static size_t clfft_workspace_bytes(const clpac__fft *fft)
{
	return fft->rows.workspace_bytes;
}

static clpac_status transform(clpac__fft *fft, cl_mem memory, clpac__block *workspace, clpac_error *err)
{
	const clfftDirection direction =
		fft->rows.shape.direction == CLPAC__FFT_INVERSE ? CLFFT_BACKWARD : CLFFT_FORWARD;
	pthread_mutex_lock(&lock);
	const clfftStatus code =
		clfftEnqueueTransform(fft->plan, direction, 1, &fft->rows.queue->commands, 0, NULL, NULL, &memory, NULL,
				      fft->rows.own_bytes ? workspace->memory : NULL);
	pthread_mutex_unlock(&lock);
	return code == CLFFT_SUCCESS ? CLPAC_OK : fail(fft, code, "clfftEnqueueTransform", err);
}

static clpac_status clfft_run(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace,
			      size_t rows, clpac_error *err)
{
	return clpac__opencl_rows_run(&fft->rows, fft, transform, input, output, workspace, rows, err);
}

extern const clpac__fft_engine clpac__fft_clfft;
const clpac__fft_engine clpac__fft_clfft = {
	.name = "clfft",
	.backend = "opencl",
	.is_wide = true,
	.next_length = clfft_next_length,
	.accepts = clfft_accepts,
	.create = clfft_create,
	.workspace_bytes = clfft_workspace_bytes,
	.run = clfft_run,
	.destroy = clfft_destroy,
};
