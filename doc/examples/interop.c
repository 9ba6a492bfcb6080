/* A plan in the middle of an application's own pipeline on a device: nothing comes to the host in between.
 *
 *     own kernel "make"   writes a signal per channel: noise, and bursts of 80 Hz that ride on a rhythm of 6 Hz;
 * channel 0 without it clpac               reads that signal where it lies and writes the map of z and a word of
 * warnings per channel own kernel "mark"   counts the cells of each map whose z is above a threshold
 *
 * All three go through one queue, so that each begins when the one before is done; the host waits once, for the counts.
 * Ends with 77 on a machine without an OpenCL device.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <clpac/memory/device.h>
#include <clpac/opencl.h>
#include <clpac/plan.h>

#include <stdio.h>
#include <stdlib.h>

enum { RATE = 500, N_CHANNELS = 4, N_SAMPLES = 5000, N_SURROGATES = 200 };

static const char source[] =
	"__kernel void make(__global float *x, const float rate)\n"
	"{\n"
	"	const uint t = get_global_id(0), channel = get_global_id(1), i = channel * get_global_size(0) + t;\n"
	"	uint bits = i * 2654435761u + 12345u;\n"
	"	bits ^= bits >> 15; bits *= 2246822519u; bits ^= bits >> 13; bits *= 3266489917u; bits ^= bits >> 16;\n"
	"	const float noise = (float)(bits >> 8) / 8388608.0f - 1.0f, turn = 6.2831853f * (float)t / rate;\n"
	/* A rhythm that is no pure line: its phase drifts. */
	"	const float slow = 6.0f * turn + 2.0f * sin(0.31f * turn) + 1.5f * sin(0.17f * turn + "
	"(float)channel);\n"
	"	const float burst = channel ? 0.3f * (1.0f + cos(slow)) : 0.3f;\n"
	"	x[i] = noise + cos(slow) + burst * sin(80.0f * turn);\n"
	"}\n"
	"__kernel void mark(__global const float *z, __global uint *counts, const uint n_cells, const float least)\n"
	"{\n"
	"	const uint channel = get_global_id(0);\n"
	"	uint count = 0;\n"
	"	for (uint i = 0; i < n_cells; i++)\n"
	"		count += z[channel * n_cells + i] > least;\n"
	"	counts[channel] = count;\n"
	"}\n";

static void must(clpac_status status, const clpac_error *err)
{
	if (status == CLPAC_OK)
		return;
	fprintf(stderr, "%s: %s\n", clpac_status_text(status), err->text);
	exit(1);
}

static void must_cl(cl_int code, const char *what)
{
	if (code == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: code %d\n", what, (int)code);
	exit(1);
}

/* The OpenCL object behind a device of clpac's list. */
static cl_device_id find(const clpac_device *device)
{
	cl_platform_id platforms[64];
	cl_device_id devices[64];
	cl_uint n_platforms = 0, n_devices = 0;
	clGetPlatformIDs(64, platforms, &n_platforms);
	clGetDeviceIDs(platforms[device->platform], CL_DEVICE_TYPE_ALL, 64, devices, &n_devices);
	return devices[device->index];
}

static cl_mem make_buffer(cl_context context, size_t bytes)
{
	cl_int code;
	cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
	must_cl(code, "clCreateBuffer");
	return memory;
}

int main(void)
{
	clpac_error err;
	clpac_device_list *list;
	const clpac_device *device;
	must(clpac_devices_find(&list, &err), &err);
	if (clpac_devices_select(list, "backend=opencl", 64 << 20, &device, &err) != CLPAC_OK) {
		printf("no OpenCL device: %s\n", err.text);
		clpac_devices_destroy(list);
		return 77;
	}
	printf("on %s\n", device->name);

	/* The application's own objects. */
	cl_int code;
	cl_device_id id = find(device);
	cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
	must_cl(code, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueue(context, id, 0, &code);
	must_cl(code, "clCreateCommandQueue");
	cl_program program = clCreateProgramWithSource(context, 1, (const char *[]){source}, NULL, &code);
	must_cl(code, "clCreateProgramWithSource");
	must_cl(clBuildProgram(program, 1, &id, "", NULL, NULL), "clBuildProgram");
	cl_kernel make = clCreateKernel(program, "make", &code);
	must_cl(code, "clCreateKernel");
	cl_kernel mark = clCreateKernel(program, "mark", &code);
	must_cl(code, "clCreateKernel");

	/* A plan on them. */
	clpac_context *adopted;
	clpac_plan *plan;
	const clpac_problem problem = {.rate_hz = RATE,
				       .n_channels = N_CHANNELS,
				       .n_samples = N_SAMPLES,
				       .n_surrogates = N_SURROGATES,
				       .seed = 1};
	must(clpac_context_from_opencl(context, id, queue, NULL, &adopted, &err), &err);
	must(clpac_plan_create(adopted, &problem, NULL, &plan, &err), &err);
	const clpac_problem *complete = clpac_plan_problem(plan);
	const cl_uint n_cells = (cl_uint)(complete->n_phase_bands * complete->n_amplitude_bands);

	cl_mem signal = make_buffer(context, (size_t)N_CHANNELS * N_SAMPLES * sizeof(float));
	cl_mem map = make_buffer(context, (size_t)N_CHANNELS * n_cells * sizeof(float));
	cl_mem words = make_buffer(context, N_CHANNELS * sizeof(cl_uint));
	cl_mem counts = make_buffer(context, N_CHANNELS * sizeof(cl_uint));
	const cl_float rate = RATE, least = 4;
	must_cl(clSetKernelArg(make, 0, sizeof signal, &signal), "clSetKernelArg");
	must_cl(clSetKernelArg(make, 1, sizeof rate, &rate), "clSetKernelArg");
	must_cl(clSetKernelArg(mark, 0, sizeof map, &map), "clSetKernelArg");
	must_cl(clSetKernelArg(mark, 1, sizeof counts, &counts), "clSetKernelArg");
	must_cl(clSetKernelArg(mark, 2, sizeof n_cells, &n_cells), "clSetKernelArg");
	must_cl(clSetKernelArg(mark, 3, sizeof least, &least), "clSetKernelArg");

	/* The pipeline: three lines, and nobody waits.  With queues of its own the application would put the event of
	 * one into the wait list of the next: clpac_opencl_run.wait takes them, and the last argument gives one back.
	 */
	const clpac_opencl_run run = {.samples = {signal, 0}, .arrays[CLPAC_Z] = {map, 0}, .warnings = {words, 0}};
	must_cl(clEnqueueNDRangeKernel(queue, make, 2, NULL, (size_t[]){N_SAMPLES, N_CHANNELS}, NULL, 0, NULL, NULL),
		"make");
	must(clpac_plan_enqueue_opencl(plan, &run, NULL, &err), &err);
	must_cl(clEnqueueNDRangeKernel(queue, mark, 1, NULL, (size_t[]){N_CHANNELS}, NULL, 0, NULL, NULL), "mark");

	cl_uint found[N_CHANNELS], warnings[N_CHANNELS];
	must_cl(clEnqueueReadBuffer(queue, counts, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL),
		"clEnqueueReadBuffer");
	must_cl(clEnqueueReadBuffer(queue, words, CL_TRUE, 0, sizeof warnings, warnings, 0, NULL, NULL),
		"clEnqueueReadBuffer");
	int n_wrong = 0;
	for (int channel = 0; channel < N_CHANNELS; channel++) {
		printf("channel %d: %u of %u cells above z = %g%s\n", channel, found[channel], n_cells, (double)least,
		       warnings[channel] ? ", with warnings" : "");
		n_wrong += (found[channel] > 0) != (channel > 0);
	}

	clpac_plan_destroy(plan);
	clpac_context_close(adopted);
	clReleaseMemObject(signal);
	clReleaseMemObject(map);
	clReleaseMemObject(words);
	clReleaseMemObject(counts);
	clReleaseKernel(make);
	clReleaseKernel(mark);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	clpac_devices_destroy(list);
	return n_wrong > 0;
}
