/* Asks whether a driver's compiler accepts the OpenCL C that clFFT generates.
 *
 * For about half of all lengths clFFT stores its results through "__global float4 *buff4g = bufOut", where bufOut is a
 * pointer to float2.  Compilers that used to warn about this have begun to refuse it (Intel's of 2026), and some always
 * did (clMathLibraries/clFFT issue 177, on Mali).  clFFT itself notices nothing until a transform is put into the
 * queue, in the middle of a run.  A list of drivers would soon be out of date, so the compiler is asked.
 */
#include "coupling/opencl/clfft_dialect.h"
#include "memory/opencl/calls.h"

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

clpac_status clpac__clfft_is_compiled(const clpac__queue *queue, clpac_error *err)
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
