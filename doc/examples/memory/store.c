/* The memory layer under an application of its own: OpenCL objects and kernel are the application's, no coupling is
 * computed.
 *
 * clpac chooses the device.  The application makes context, queue and program on it, lets clpac's pool hand out the
 * memory, keeps a table in a store, and looks at the numbers at the end.  Ends with 77 on a machine without an OpenCL
 * device.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <clpac/memory/device.h>
#include <clpac/memory/opencl.h>
#include <clpac/memory/store.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/statistics.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 20, ROUNDS = 20 };

static const char source[] = "__kernel void scale(__global float *x, __global const float *by)"
			     "{ x[get_global_id(0)] *= by[get_global_id(0) % 16]; }";

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

static void tell(void *user, clpac_pool *pool, clpac_pressure from, clpac_pressure to)
{
	(void)user, (void)pool;
	printf("pressure: %s -> %s\n", clpac_pressure_text(from), clpac_pressure_text(to));
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
	cl_kernel kernel = clCreateKernel(program, "scale", &code);
	must_cl(code, "clCreateKernel");

	/* clpac's pool on them, of at most 64 MiB. */
	clpac_context *adopted;
	clpac_pool *pool;
	clpac_store *store;
	must(clpac_context_from_opencl(context, id, queue, NULL, &adopted, &err), &err);
	must(clpac_pool_create(adopted, &(clpac_pool_options){.budget = {.cap = "64M"}}, &pool, &err), &err);
	must(clpac_pool_watch(pool, tell, NULL, &err), &err);
	must(clpac_store_create(pool, NULL, &store, &err), &err);

	/* A table that every round uses, by name. */
	float table[16];
	clpac_buffer *buffer;
	for (int i = 0; i < 16; i++)
		table[i] = 1 + (float)i;
	must(clpac_pool_allocate(pool, sizeof table, "table", &buffer, &err), &err);
	must(clpac_buffer_write(buffer, 0, sizeof table, table, &err), &err);
	must(clpac_store_put(store, "tables/sixteen", buffer, NULL, CLPAC_PUT_FAIL, &err), &err);

	int n_wrong = 0;
	for (int round = 0; round < ROUNDS; round++) {
		clpac_entry *entry;
		float *values;
		must(clpac_store_acquire(store, "tables/sixteen", &entry, &err), &err);
		must(clpac_pool_allocate(pool, N * sizeof(float), "values", &buffer, &err), &err);
		must(clpac_buffer_map(buffer, 0, N * sizeof(float), CLPAC_WRITE, (void **)&values, &err), &err);
		for (int i = 0; i < N; i++)
			values[i] = (float)round;
		must(clpac_buffer_unmap(buffer, &err), &err);

		cl_mem x = clpac_buffer_opencl(buffer), by = clpac_buffer_opencl(clpac_entry_buffer(entry));
		must_cl(clSetKernelArg(kernel, 0, sizeof x, &x), "clSetKernelArg");
		must_cl(clSetKernelArg(kernel, 1, sizeof by, &by), "clSetKernelArg");
		must_cl(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){N}, NULL, 0, NULL, NULL), "scale");

		must(clpac_buffer_map(buffer, 0, N * sizeof(float), CLPAC_READ, (void **)&values, &err), &err);
		for (int i = 0; i < N; i++)
			n_wrong += values[i] != (float)round * table[i % 16];
		must(clpac_buffer_unmap(buffer, &err), &err);
		clpac_buffer_release(buffer); /* the next round gets the same memory, without asking the driver */
		clpac_entry_release(entry);
	}

	char *text;
	clpac_pool_statistics statistics;
	clpac_pool_measure(pool, &statistics, sizeof statistics);
	must(clpac_pool_statistics_text(&statistics, &text, &err), &err);
	printf("%d values are wrong\n%s", n_wrong, text);
	clpac_text_free(text);

	clpac_store_destroy(store);
	clpac_pool_destroy(pool);
	clpac_context_close(adopted);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	clpac_devices_destroy(list);
	return n_wrong || statistics.driver_creates > 4;
}
