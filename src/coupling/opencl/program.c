/* The kernels built for a device: loaded from the cache on disk, or compiled by the driver. */
#include "config.h"

#include "coupling/opencl/opencl_compute.h"
#include "memory/opencl/calls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <clpac/problem.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

enum {
	DEFAULT_BINS = 18,  /* for stages that do not depend on it: the most common number */
	CONSTANT_BINS = 32, /* on CPUs; one build takes all higher numbers, as fast as with one of each */
	MAX_LOG = 1 << 20,  /* bytes; longer logs are not read */
	LOG_IN_ERROR = 640, /* bytes of the log in an error's text */
};

/* Writes all that a binary depends on as text; the source as its length and two hashes. */
static clpac_status make_key(const clpac__opencl_queue *queue, const char *source, const char *options, char **out,
			     clpac_error *err)
{
	clpac__text key = {0};
	const clpac_device *device = &queue->base.device;
	uint64_t fnv = 14695981039346656037u, sum = 0; /* FNV-1a; and a polynomial with an odd base */
	size_t length = strlen(source);
	for (size_t i = 0; i < length; i++) {
		fnv = (fnv ^ (unsigned char)source[i]) * 1099511628211u;
		sum = sum * 6364136223846793005u + (unsigned char)source[i] + 1;
	}
	clpac__text_add(&key, "clpac %s\nplatform %s\ndevice %s\nvendor %s\ndriver %s\nversion %s\noptions %s\n",
			PACKAGE_VERSION, device->platform_name, device->name, device->vendor, device->driver,
			device->version, options);
	clpac__text_add(&key, "source %zu %016" PRIx64 " %016" PRIx64 "\n", length, fnv, sum);
	return clpac__text_give(&key, "the key of a kernel build", out, err);
}

/* Reports a failed build, with the driver's log from its first error on, in one line. */
static clpac_status fail_build(const clpac__opencl_queue *queue, cl_program program, cl_int code, const char *options,
			       clpac_error *err)
{
	char part[LOG_IN_ERROR] = "the driver left no log";
	size_t bytes = 0;
	char *log = NULL;
	if (clGetProgramBuildInfo(program, queue->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) == CL_SUCCESS &&
	    bytes > 1 && bytes <= MAX_LOG)
		log = clpac__alloc_zero(bytes + 1);
	if (log &&
	    clGetProgramBuildInfo(program, queue->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) == CL_SUCCESS &&
	    *log) {
		const char *from = strstr(log, "error");
		while (from && from > log && from[-1] != '\n')
			from--;
		from = from ? from : log;
		clpac__opencl_clean_text(from, strlen(from), part, sizeof part);
	}
	clpac__free(log);
	return clpac__fail_native(err, CLPAC_ERROR_BUILD, code,
				  "clBuildProgram: %s (%d) on %s, driver %.60s, options %s; please report it with the "
				  "log: %s",
				  clpac__opencl_code_name(code), code, queue->base.device.name,
				  queue->base.device.driver, options, part);
}

/* Loads a cached binary; NULL if the driver refuses it, and then the source is compiled. */
static cl_program program_of_binary(clpac__opencl_queue *queue, const unsigned char *binary, size_t bytes,
				    const char *options)
{
	cl_int code, accepted = CL_SUCCESS;
	cl_program program =
		clCreateProgramWithBinary(queue->context, 1, &queue->device, &bytes, &binary, &accepted, &code);
	if (!program)
		return NULL;
	if (code == CL_SUCCESS && accepted == CL_SUCCESS &&
	    clBuildProgram(program, 1, &queue->device, options, NULL, NULL) == CL_SUCCESS)
		return program;
	clReleaseProgram(program);
	return NULL;
}

/* Stores a binary in the cache.  A failure costs only time, so it is logged once per build and is no error. */
static void store_binary(clpac__opencl_compute *compute, cl_program program, const char *key)
{
	enum { MOST_BYTES = 1 << 30 }; /* larger ones are not believed */
	size_t bytes = 0;
	unsigned char *binary = NULL;
	if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) == CL_SUCCESS && bytes &&
	    bytes <= MOST_BYTES)
		binary = clpac__alloc_zero(bytes);
	unsigned char *place = binary; /* the driver has this one: what it does to it is lost */
	if (binary && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, NULL) == CL_SUCCESS) {
		if (!clpac__opencl_cache_write(compute->cache, key, binary, bytes))
			clpac__opencl_log(clpac__opencl_queue_of(compute), CLPAC_LOG_WARNING,
					  "compiled kernels cannot be kept in %s (%s): they are compiled at every "
					  "start",
					  compute->cache, strerror(errno));
	}
	clpac__free(binary);
}

clpac_status clpac__opencl_build(clpac__opencl_compute *compute, const char *source, const char *options,
				 cl_program *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__opencl_queue *queue = clpac__opencl_queue_of(compute);
	char *key = NULL;
	unsigned char *binary = NULL;
	cl_program program = NULL;
	size_t bytes;
	cl_int code;
	bool is_loaded = false;
	double start = clpac__clock_seconds();

	if (*compute->cache) {
		TRY(make_key(queue, source, options, &key, err));
		binary = clpac__opencl_cache_read(compute->cache, key, &bytes);
		program = binary ? program_of_binary(queue, binary, bytes, options) : NULL;
	}
	if (program) {
		is_loaded = true;
		compute->n_from_cache++;
	} else {
		program = clCreateProgramWithSource(queue->context, 1, &source, NULL, &code);
		CL_CODE(CLPAC__OPENCL_OPENING, code, "clCreateProgramWithSource", "%zu bytes of source on %s",
			strlen(source), queue->base.device.name);
		code = clBuildProgram(program, 1, &queue->device, options, NULL, NULL);
		if (code != CL_SUCCESS) {
			st = fail_build(queue, program, code, options, err);
			goto done;
		}
		compute->n_compiled++;
		if (*compute->cache)
			store_binary(compute, program, key);
	}
	clpac__opencl_log(queue, CLPAC_LOG_DEBUG, "kernels for %s (%s) %s in %.3f s", queue->base.device.name, options,
			  is_loaded ? "loaded" : "compiled", clpac__clock_seconds() - start);
	*out = program, program = NULL;
done:
	if (program)
		clReleaseProgram(program);
	FREE_ALL(binary, key);
	return st;
}

static void program_destroy(clpac__opencl_program *made)
{
	if (!made)
		return;
	for (size_t i = 0; i < CLPAC__STAGE_COUNT; i++)
		if (made->kernels[i])
			clReleaseKernel(made->kernels[i]);
	if (made->program)
		clReleaseProgram(made->program);
	clpac__free(made);
}

/* Makes the kernels of a program and takes the program over.  The root's `compiling` is locked; other threads may
 * search the list meanwhile. */
static clpac_status make_kernels(clpac__opencl_compute *compute, cl_program program, clpac__opencl_part part,
				 unsigned n_bins, bool fills_groups, clpac__opencl_program **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	cl_int code;
	const clpac__opencl_queue *queue = clpac__opencl_queue_of(compute);
	clpac__opencl_program *made = clpac__alloc_zero(sizeof *made);
	if (!made) {
		clReleaseProgram(program);
		FAIL_NO_MEMORY(sizeof *made);
	}
	made->part = part;
	made->n_bins = n_bins;
	made->fills_groups = fills_groups;
	made->program = program;
	for (size_t i = 0; i < CLPAC__STAGE_COUNT; i++) {
		if (clpac__opencl_part_of((unsigned)i) != part)
			continue;
		made->kernels[i] = clCreateKernel(made->program, clpac__stage_get((unsigned)i)->name, &code);
		CL_CODE(CLPAC__OPENCL_OPENING, code, "clCreateKernel", "kernel %s on %s",
			clpac__stage_get((unsigned)i)->name, queue->base.device.name);
		made->groups[i] = clpac__opencl_group(queue, made->kernels[i], (unsigned)i);
	}
	made->next = atomic_load_explicit(&compute->programs, memory_order_relaxed);
	atomic_store_explicit(&compute->programs, made, memory_order_release);
	*out = made, made = NULL;
done:
	program_destroy(made);
	return st;
}

static clpac__opencl_program *find(const clpac__opencl_compute *compute, clpac__opencl_part part, unsigned n_bins)
{
	clpac__opencl_program *found = atomic_load_explicit(&compute->programs, memory_order_acquire);
	while (found && (found->part != part || (n_bins && found->n_bins != n_bins)))
		found = found->next;
	return found;
}

void clpac__opencl_options(unsigned vector_width, unsigned n_bins, bool fills_groups, bool can_divide, char *text,
			   size_t size)
{
	int n = snprintf(text, size, "-cl-std=CL1.2%s -DVW=%u",
			 can_divide ? " -cl-fp32-correctly-rounded-divide-sqrt" : "", vector_width);
	if (fills_groups || n_bins <= CONSTANT_BINS)
		n += snprintf(text + n, size - (size_t)n, " -DN_BINS=%u -DMAX_BINS=%u", n_bins, n_bins);
	else /* LLVM warns of each loop that it cannot unroll */
		n += snprintf(text + n, size - (size_t)n, " -w");
	snprintf(text + n, size - (size_t)n, "%s", fills_groups ? " -DFILLED_GROUPS" : "");
}

/* Whether a device can round quotients and roots correctly where it is asked to: by itself OpenCL's may be off by 2.5
 * and 3 units in the last place, and those of NVIDIA's driver are. */
static bool can_divide(const clpac__opencl_queue *queue)
{
	cl_device_fp_config known = 0;
	return clGetDeviceInfo(queue->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof known, &known, NULL) == CL_SUCCESS &&
	       known & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
}

static clpac_status compile(clpac__opencl_compute *root, clpac__opencl_part part, unsigned n_bins,
			    clpac__opencl_program **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *source = NULL, options[192];
	cl_program program;
	const bool fills_groups = root->base.queue->device.kind != CLPAC_DEVICE_OPENCL_CPU;
	clpac__opencl_options(root->base.vector_width, n_bins, fills_groups, can_divide(clpac__opencl_queue_of(root)),
			      options, sizeof options);
	TRY(clpac__opencl_source(part, &source, err));
	TRY(clpac__opencl_build(root, source, options, &program, err));
	TRY(make_kernels(root, program, part, n_bins, fills_groups, out, err));
done:
	clpac__free(source);
	return st;
}

/* Makes the kernels of a sibling from a program of its root.  The root's `compiling` is locked. */
static clpac_status share_program(clpac__opencl_compute *compute, const clpac__opencl_program *of_root,
				  clpac__opencl_program **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	CL(CLPAC__OPENCL_OPENING, clRetainProgram(of_root->program), "the kernels of one more queue on %s",
	   compute->base.queue->device.name);
	st = make_kernels(compute, of_root->program, of_root->part, of_root->n_bins, of_root->fills_groups, out, err);
done:
	return st;
}

/* Finds or makes a build.  Only the root compiles; siblings make their kernels from its programs.  A
 * thread that finds an existing build never waits, not even while another thread compiles. */
clpac_status clpac__opencl_program_get(clpac__opencl_compute *compute, clpac__opencl_part part, unsigned n_bins,
				       clpac__opencl_program **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__opencl_compute *root = compute->root;
	if (n_bins > CONSTANT_BINS && compute->base.queue->device.kind == CLPAC_DEVICE_OPENCL_CPU)
		n_bins = CLPAC_MAX_BINS;
	clpac__opencl_program *found = find(compute, part, n_bins);
	if (!found) {
		pthread_mutex_lock(&root->compiling);
		found = find(compute, part, n_bins); /* another thread may have made it */
		clpac__opencl_program *of_root = found ? NULL : find(root, part, n_bins);
		if (!found && !of_root)
			st = compile(root, part, n_bins ? n_bins : DEFAULT_BINS, &of_root, err);
		if (!found && of_root && compute != root) {
			st = share_program(compute, of_root, &found, err);
		} else if (!found) {
			found = of_root;
		}
		pthread_mutex_unlock(&root->compiling);
	}
	if (st == CLPAC_OK)
		*out = found;
	return st;
}

void clpac__opencl_programs_destroy(clpac__opencl_compute *compute)
{
	clpac__opencl_program *first;
	while ((first = atomic_load_explicit(&compute->programs, memory_order_relaxed))) {
		atomic_store_explicit(&compute->programs, first->next, memory_order_relaxed);
		program_destroy(first);
	}
}

clpac_status clpac__opencl_prepare(clpac__opencl_compute *compute, unsigned n_bins, clpac_error *err)
{
	clpac__opencl_program *program;
	return clpac__opencl_program_get(compute, CLPAC__OPENCL_USUAL, n_bins, &program, err);
}
