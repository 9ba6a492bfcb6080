/* VkFFT as an engine of OpenCL devices: any length, by Bluestein's algorithm if it has prime factors above 13.
 *
 * VkFFT is a header that generates a kernel's source for each transform.  This is the only file that includes it, and
 * it replaces a few of the header's calls:
 *   - Kernels are built by clpac__opencl_build, so they come from the cache on disk, and never contract a * b + c:
 *     a transform gives the same bits whatever its batch.  (VkFFT's own way to store binaries prints them with %s,
 *     which ends at the first zero byte.)
 *   - setlocale would change the locale of every thread; instead only the calling thread is set to "C" here.
 *   - printf of kernels that fail to compile: the error's text has the driver's log instead.
 *   - The size of local memory comes from vkfft_steps.h.
 *
 * VkFFT reads tables in every run: roots of unity, and chirps for Bluestein's algorithm.  It allocates buffers for them
 * while it plans; the tables are read back here, the buffers released, and write_tables puts the tables into the
 * workspace.  So between create and destroy the engine holds no device memory but the caller's.  Computing the roots in
 * the kernels (VkFFT's useLUT off) needs no tables, but had 1.5 to 3 times the error and was up to 6 times slower
 * (PoCL).
 *
 * Transforms share nothing in VkFFT: they can be made and run at the same time.
 */
#include "config.h"

#include "coupling/fft/engine.h"
#include "coupling/opencl/opencl_compute.h"
#include "memory/opencl/calls.h"
#include "memory/opencl/opencl.h"
#include "coupling/opencl/vkfft_steps.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/system.h"

/* --- Replacements of VkFFT's calls --------------------------------------------------------------- */

/* The transform that this thread is making. */
typedef struct making {
	clpac__opencl_queue *queue;
	cl_ulong local_bytes; /* limit that VkFFT may plan with */
	clpac_status st;      /* status of the replaced calls */
	clpac_error *err;
} making;
static _Thread_local making *now;

static cl_program made_program(const char *text, cl_int *code)
{
	static const char head[] = "#pragma OPENCL FP_CONTRACT OFF\n";
	clpac__opencl_compute *root = clpac__opencl_compute_of(&now->queue->base)->root;
	const size_t length = strlen(text);
	cl_program program = NULL;
	char *source = clpac__alloc(sizeof head + length);
	if (source) {
		memcpy(source, head, sizeof head - 1);
		memcpy(source + sizeof head - 1, text, length + 1);
		pthread_mutex_lock(&root->compiling);
		now->st = clpac__opencl_build(root, source, "-cl-std=CL1.2", &program, now->err);
		pthread_mutex_unlock(&root->compiling);
	} else {
		now->st = clpac__fail(now->err, CLPAC_ERROR_NO_MEMORY,
				      "the host has no memory left for %zu bytes of a transform's kernel", length);
	}
	clpac__free(source);
	*code = now->st == CLPAC_OK ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
	return program;
}

enum { LEAST_LOCAL_BYTES = 8 << 10, DIMENSIONS = 3 };

/* Whether VkFFT, which divides by these and takes logarithms of them, can plan with an answer.  It reads three sizes of
 * groups, whatever number of dimensions it was told. */
static bool is_usable(cl_device_info what, size_t room, const void *value)
{
	const size_t *sizes = value;
	switch (what) {
	case CL_DEVICE_LOCAL_MEM_SIZE:
		return room == sizeof(cl_ulong) && *(const cl_ulong *)value >= LEAST_LOCAL_BYTES;
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		return room == sizeof *sizes && *sizes;
	case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
		return room == sizeof(cl_uint) && *(const cl_uint *)value >= DIMENSIONS;
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		return room >= DIMENSIONS * sizeof *sizes && sizes[0] && sizes[1] && sizes[2];
	default:
		return true;
	}
}

static cl_int device_info(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *size)
{
	const cl_int code = clGetDeviceInfo(device, what, room, value, size);
	const cl_ulong most = now->local_bytes;
	if (code == CL_SUCCESS && !is_usable(what, room, value))
		return CLPAC__OPENCL_NO_ANSWER;
	if (code == CL_SUCCESS && what == CL_DEVICE_LOCAL_MEM_SIZE && *(cl_ulong *)value > most)
		*(cl_ulong *)value = most;
	return code;
}

static int nothing_said(const char *format, ...)
{
	(void)format;
	return 0;
}

static const char *no_locale(void)
{
	return NULL;
}

/* Warnings in VkFFT's header are not clpac's; they appear where it is not a system header.  The header only generates
 * some kilobytes of text a few times per plan, so it is not optimised: that takes half a minute to compile and gains
 * nothing. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#pragma clang optimize off
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wunused"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC push_options
#pragma GCC optimize("O0")
#endif
#define VKFFT_BACKEND 3
#undef clCreateProgramWithSource /* entries of the table (calls.h) */
#undef clBuildProgram
#undef clGetDeviceInfo
#define clCreateProgramWithSource(context, n, text, length, code) made_program(*(text), (code))
#define clBuildProgram(...) CL_SUCCESS
#define clGetDeviceInfo device_info
#define setlocale(category, name) no_locale()
#define printf nothing_said
#include <vkFFT.h>
#undef clCreateProgramWithSource
#undef clBuildProgram
#undef clGetDeviceInfo
#undef setlocale
#undef printf
#if defined(__clang__)
#pragma clang optimize on
#pragma clang diagnostic pop
#elif defined(__GNUC__)
#pragma GCC pop_options
#pragma GCC diagnostic pop
#endif

/* --- A transform ------------------------------------------------------------------------------ */

enum { MAX_PLACES = 3 + 2 * 4 }; /* Bluestein's buffers; tables of the steps of both directions */

/* A table, and the places where VkFFT looks for it. */
typedef struct table {
	cl_mem *places[MAX_PLACES];
	size_t n_places;
	size_t offset, bytes; /* position among all tables */
} table;

struct clpac__fft {
	clpac__opencl_rows rows;
	VkFFTApplication application;
	bool has_application;
	/* Values that the application points to. */
	uint64_t buffer_bytes, temporary_bytes;
	cl_mem buffer, temporary;

	table tables[MAX_PLACES];
	size_t n_tables, table_bytes;
	unsigned char *content; /* the tables one after the other, for write_tables */
	size_t tables_at;	/* offset in the workspace */
};

static const char *const engine_name = "vkfft";

static bool is_forward(const clpac__fft *fft)
{
	return fft->rows.shape.direction != CLPAC__FFT_INVERSE;
}

static VkFFTPlan *plan_of(clpac__fft *fft)
{
	return is_forward(fft) ? fft->application.localFFTPlan : fft->application.localFFTPlan_inverse;
}

static void destroy(clpac__fft *fft)
{
	if (!fft)
		return;
	if (fft->has_application) {
		clpac__opencl_enter(fft->rows.queue);
		deleteVkFFT(&fft->application);
		clpac__opencl_leave(fft->rows.queue);
	}
	FREE_ALL(fft->content, fft);
}

static clpac_status fail(const clpac__fft *fft, VkFFTResult result, const char *call, clpac_error *err)
{
	const clpac__fft_shape *shape = &fft->rows.shape;
	const char *name = fft->rows.queue->base.device.name;
	clpac_status st = CLPAC_ERROR_DEVICE;
	if (result == VKFFT_ERROR_MALLOC_FAILED)
		st = CLPAC_ERROR_NO_MEMORY;
	else if (result == VKFFT_ERROR_FAILED_TO_ALLOCATE)
		st = CLPAC_ERROR_NO_DEVICE_MEMORY;
	else if (result >= VKFFT_ERROR_UNSUPPORTED_RADIX && result < VKFFT_ERROR_FAILED_TO_ALLOCATE)
		st = CLPAC_ERROR_UNSUPPORTED;
	return clpac__fail_native(err, st, (int)result,
				  "%s: vkfft's error %d for length %zu, %zu rows on %s: another fft or device may work",
				  call, (int)result, shape->length, shape->rows, name);
}

static clpac_status accepts(const clpac__queue *queue, const clpac__fft_shape *shape, clpac_error *err)
{
	enum { LONGEST = 1 << 24 };
	const clpac_device *device = &queue->device;
	const clpac__opencl_quirks quirks = clpac__opencl_quirks_of(device);
	if (queue->has_no_parts || quirks.finishes_before_release)
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
			     "vkfft needs sub-buffers, which do not work on %s: choose another fft", device->name);
	if (device->local_bytes < LEAST_LOCAL_BYTES)
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
			     "vkfft needs %d bytes of local memory and %s has %llu: choose another fft",
			     LEAST_LOCAL_BYTES, device->name, (unsigned long long)device->local_bytes);
	if (shape)
		RETURN_IF_ERROR(clpac__opencl_rows_check(engine_name, queue, shape, LONGEST, err));
	return CLPAC_OK;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static clpac_status add_place(clpac__fft *fft, cl_mem *place, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t i = 0, bytes;
	if (!*place)
		goto done;
	while (i < fft->n_tables && *fft->tables[i].places[0] != *place)
		i++;
	table *each = &fft->tables[i];
	if (i == fft->n_tables) {
		CL(CLPAC__OPENCL_TRANSFERRING, clGetMemObjectInfo(*place, CL_MEM_SIZE, sizeof bytes, &bytes, NULL),
		   "a table of vkfft on %s", fft->rows.queue->base.device.name);
		if (!bytes || bytes > SIZE_MAX / (2 * MAX_PLACES))
			CL_CODE(CLPAC__OPENCL_TRANSFERRING, CLPAC__OPENCL_NO_ANSWER, "clGetMemObjectInfo",
				"a table of vkfft of %zu bytes on %s", bytes, fft->rows.queue->base.device.name);
		each->bytes = bytes;
		each->offset = fft->table_bytes;
		const size_t align = fft->rows.queue->base.part_alignment;
		fft->table_bytes += clpac__round_up(bytes, align > 64 ? align : 64);
		fft->n_tables++;
	}
	each->places[each->n_places++] = place;
done:
	return st;
}

/* Finds the tables, reads them back and releases VkFFT's buffers. */
static clpac_status take_tables(clpac__fft *fft, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	VkFFTPlan *plan = plan_of(fft);
	TRY(add_place(fft, &fft->application.bufferBluestein[0], err));
	TRY(add_place(fft, &fft->application.bufferBluesteinFFT[0], err));
	TRY(add_place(fft, &fft->application.bufferBluesteinIFFT[0], err));
	for (size_t i = 0; i < plan->numAxisUploads[0]; i++) {
		TRY(add_place(fft, &plan->axes[0][i].bufferLUT, err));
		if (fft->application.useBluesteinFFT[0] && i)
			TRY(add_place(fft, &plan->inverseBluesteinAxes[0][i].bufferLUT, err));
	}
	if (!fft->n_tables)
		goto done;
	fft->content = clpac__alloc_zero(fft->table_bytes);
	if (!fft->content)
		FAIL_NO_MEMORY(fft->table_bytes);
	for (size_t i = 0; i < fft->n_tables; i++) {
		table *each = &fft->tables[i];
		cl_mem buffer = *each->places[0];
		CL(CLPAC__OPENCL_TRANSFERRING,
		   clEnqueueReadBuffer(fft->rows.queue->commands, buffer, CL_TRUE, 0, each->bytes,
				       fft->content + each->offset, 0, NULL, NULL),
		   "a table of vkfft, %zu bytes, on %s", each->bytes, fft->rows.queue->base.device.name);
		for (size_t p = 0; p < each->n_places; p++)
			*each->places[p] = NULL;
		clReleaseMemObject(buffer);
	}
done:
	return st;
}

static size_t table_bytes(const clpac__fft *fft)
{
	return fft->table_bytes;
}

static clpac_status write_tables(clpac__fft *fft, clpac__block *workspace, size_t offset, clpac_error *err)
{
	if (!fft->n_tables)
		return CLPAC_OK;
	if (!workspace || offset > workspace->bytes || fft->table_bytes > workspace->bytes - offset)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT, "vkfft on %s: the workspace has %zu bytes and tables of %zu go to %zu",
			fft->rows.queue->base.device.name, workspace ? workspace->bytes : 0, fft->table_bytes, offset);
	RETURN_IF_ERROR(fft->rows.queue->base.operations->write(&fft->rows.queue->base, workspace, offset,
								fft->table_bytes, fft->content, err));
	fft->tables_at = offset;
	return CLPAC_OK;
}

/* --- Making and running ----------------------------------------------------------------------- */

/* Makes VkFFT generate and build the kernels. */
static clpac_status plan(clpac__fft *fft, clpac_error *err)
{
	const clpac__fft_shape *shape = &fft->rows.shape;
	const clpac_device *device = &fft->rows.queue->base.device;
	making made = {
		.queue = fft->rows.queue, .local_bytes = clpac__vkfft_local_bytes(device, shape->length), .err = err};
	VkFFTConfiguration wanted = {
		.FFTdim = 1,
		.size = {shape->length},
		.numberBatches = shape->rows,
		.device = &fft->rows.queue->device,
		.context = &fft->rows.queue->context,
		.bufferSize = &fft->buffer_bytes,
		.userTempBuffer = 1,
		.tempBufferSize = &fft->temporary_bytes,
		.useLUT = 1,
		.makeForwardPlanOnly = is_forward(fft),
		.makeInversePlanOnly = !is_forward(fft),
	};
	fft->buffer_bytes = fft->temporary_bytes = shape->rows * shape->length * 2 * sizeof(float);
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c)
		return clpac__fail(err, CLPAC_ERROR_NO_MEMORY,
				   "newlocale: the host has no memory left for the C locale");
	const locale_t before = uselocale(c);
	VkFFTResult result;
	now = &made;
	do { /* VkFFT cleans up after an error */
		fft->application = (VkFFTApplication){0};
		result = initializeVkFFT(&fft->application, wanted);
		made.local_bytes *= 2;
	} while (result == VKFFT_ERROR_UNSUPPORTED_FFT_LENGTH && made.local_bytes <= device->local_bytes);
	now = NULL;
	uselocale(before);
	freelocale(c);
	if (result != VKFFT_SUCCESS)
		return made.st != CLPAC_OK ? clpac__fail_context(err, made.st, "vkfft, length %zu", shape->length)
					   : fail(fft, result, "initializeVkFFT", err);
	fft->has_application = true;
	return CLPAC_OK;
}

static clpac_status create(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__fft *fft = NULL;
	size_t own_bytes = 0;
	TRY(accepts(queue, shape, err));
	TRY(NEW(fft));
	fft->rows = (clpac__opencl_rows){.engine = engine_name, .queue = clpac__opencl_of(queue), .shape = *shape};
	if (shape->length > 1) {
		clpac__opencl_enter(fft->rows.queue);
		st = plan(fft, err);
		if (st == CLPAC_OK)
			st = take_tables(fft, err);
		clpac__opencl_leave(fft->rows.queue);
		TRY(st);
		/* A transform in one step works in place and needs no temporary buffer. */
		if (plan_of(fft)->numAxisUploads[0] > 1)
			own_bytes = fft->temporary_bytes;
	}
	clpac__opencl_rows_divide(&fft->rows, own_bytes);
	*out = fft, fft = NULL;
done:
	destroy(fft);
	return st;
}

static size_t workspace_bytes(const clpac__fft *fft)
{
	return fft->rows.workspace_bytes;
}

/* Releases the sub-buffers of the tables and clears VkFFT's pointers to them. */
static void release_tables(clpac__fft *fft)
{
	for (size_t i = 0; i < fft->n_tables; i++) {
		table *each = &fft->tables[i];
		if (*each->places[0])
			clReleaseMemObject(*each->places[0]);
		for (size_t p = 0; p < each->n_places; p++)
			*each->places[p] = NULL;
	}
}

static clpac_status transform(clpac__fft *fft, cl_mem memory, clpac__block *workspace, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	VkFFTLaunchParams launch = {
		.commandQueue = &fft->rows.queue->commands, .buffer = &fft->buffer, .tempBuffer = &fft->temporary};
	if (!fft->has_application)
		goto done; /* length 1 */
	if (fft->n_tables && (!workspace || workspace->bytes < fft->tables_at + fft->table_bytes))
		FAIL(CLPAC_ERROR_ARGUMENT, "vkfft on %s: the workspace has %zu bytes and its tables end at %zu",
		     fft->rows.queue->base.device.name, workspace ? workspace->bytes : 0,
		     fft->tables_at + fft->table_bytes);
	fft->buffer = memory;
	if (fft->rows.own_bytes)
		TRY(clpac__opencl_rows_part(&fft->rows, workspace, 0, fft->rows.own_bytes, &fft->temporary, err));
	for (size_t i = 0; i < fft->n_tables; i++) {
		const table *each = &fft->tables[i];
		TRY(clpac__opencl_rows_part(&fft->rows, workspace, fft->tables_at + each->offset, each->bytes,
					    each->places[0], err));
		for (size_t p = 1; p < each->n_places; p++)
			*each->places[p] = *each->places[0];
	}
	const VkFFTResult result = VkFFTAppend(&fft->application, is_forward(fft) ? -1 : 1, &launch);
	if (result != VKFFT_SUCCESS)
		st = fail(fft, result, "VkFFTAppend", err);
done:
	release_tables(fft);
	if (fft->temporary)
		clReleaseMemObject(fft->temporary);
	fft->temporary = fft->buffer = NULL;
	return st;
}

static clpac_status run(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace,
			size_t rows, clpac_error *err)
{
	return clpac__opencl_rows_run(&fft->rows, fft, transform, input, output, workspace, rows, err);
}

/* As for clFFT, so that both engines use the same lengths. */
static size_t next_length(size_t n)
{
	return clpac__good_length(n, 3);
}

/* On a CPU, multiples of 1024 and rows that take several steps are slow: decision 0012. */
static double cost(const clpac__queue *queue, size_t length)
{
	const bool is_cpu = queue->device.kind == CLPAC_DEVICE_OPENCL_CPU;
	return (is_cpu ? length % 1024 == 0 || length > 1 << 16 ? 8 : 4.3 : 1) * (double)length;
}

extern const clpac__fft_engine clpac__fft_vkfft;
const clpac__fft_engine clpac__fft_vkfft = {
	.name = "vkfft",
	.backend = "opencl",
	.is_wide = true,
	.next_length = next_length,
	.cost = cost,
	.accepts = accepts,
	.create = create,
	.workspace_bytes = workspace_bytes,
	.table_bytes = table_bytes,
	.write_tables = write_tables,
	.run = run,
	.destroy = destroy,
};
