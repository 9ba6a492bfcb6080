/* Rows of a transform on an OpenCL device, for every engine. */
#include "coupling/opencl/opencl_compute.h"
#include "memory/opencl/calls.h"

#include <stdint.h>

#include "base/memory.h"

clpac_status clpac__opencl_rows_check(const char *engine, const clpac__queue *queue, const clpac__fft_shape *shape,
				      size_t longest, clpac_error *err)
{
	const bool is_forward = shape->direction == CLPAC__FFT_FORWARD;
	size_t widest = shape->length, elements;
	clpac__compute *compute;
	if (!shape->length || !shape->rows)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s: %zu rows of length %zu: both must be 1 or more", engine,
			     shape->rows, shape->length);
	if (is_forward && (shape->stride_real < shape->length || shape->stride_spectrum < shape->length / 2 + 1))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s: rows of %zu floats do not fit strides of %zu floats and %zu complex values", engine,
			     shape->length, shape->stride_real, shape->stride_spectrum);
	if (shape->length > longest)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s transforms up to %zu samples and a row has %zu: cut the recording into segments, or "
			     "use the "
			     "native device",
			     engine, longest, shape->length);
	if (is_forward && shape->stride_real > widest)
		widest = shape->stride_real;
	if (is_forward && shape->stride_spectrum > widest)
		widest = shape->stride_spectrum;
	/* Engines' kernels count elements in 32 bits. */
	if (!clpac__size_mul(shape->rows, widest, &elements) || elements > INT32_MAX)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s transforms up to %d values at once and %zu rows of %zu are more: use smaller batches",
			     engine, INT32_MAX, shape->rows, widest);
	/* The kernels must exist: engines store their programs there. */
	RETURN_IF_ERROR(clpac__compute_attach((clpac__queue *)queue, &clpac__compute_opencl, &compute, err));
	if (!queue->is_in_order)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s needs a queue in order, and a queue of %s is out of order",
			     engine, queue->device.name);
	return CLPAC_OK;
}

void clpac__opencl_rows_divide(clpac__opencl_rows *rows, size_t own_bytes)
{
	const size_t align = rows->queue->base.part_alignment > 64 ? rows->queue->base.part_alignment : 64;
	rows->own_bytes = rows->workspace_bytes = own_bytes;
	if (rows->shape.direction != CLPAC__FFT_FORWARD)
		return;
	rows->wide_bytes = rows->shape.rows * rows->shape.length * 2 * sizeof(float);
	rows->wide_at = clpac__round_up(own_bytes, align);
	rows->workspace_bytes = rows->wide_at + rows->wide_bytes;
}

clpac_status clpac__opencl_rows_part(const clpac__opencl_rows *rows, const clpac__block *workspace, size_t offset,
				     size_t bytes, cl_mem *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	/* Sub-buffers cannot nest; cut from the parent. */
	const cl_buffer_region region = {workspace->offset + offset, bytes};
	cl_int code;
	cl_mem part =
		clCreateSubBuffer(workspace->whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	CL_CODE(CLPAC__OPENCL_ALLOCATING, code, "clCreateSubBuffer", "%zu bytes of the FFT's workspace on %s", bytes,
		rows->queue->base.device.name);
	*out = part;
done:
	return st;
}

clpac_status clpac__opencl_rows_need(const clpac__opencl_rows *rows, const char *what, const clpac__block *block,
				     size_t bytes, clpac_error *err)
{
	if (!block || block->bytes < bytes)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s on %s: the %s has %zu bytes and needs %zu",
				   rows->engine, rows->queue->base.device.name, what, block ? block->bytes : 0, bytes);
	return CLPAC_OK;
}

static clpac_status run_forward(const clpac__opencl_rows *rows, clpac__fft *fft, clpac__opencl_transform *transform,
				clpac__block *input, clpac__block *output, clpac__block *workspace, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__fft_shape *shape = &rows->shape;
	clpac__block wide = {.bytes = rows->wide_bytes};
	const clpac__launch widen = {
		.items = {shape->length, shape->rows, 1},
		CLPAC__STAGE(widen, .real = input, .wide = &wide, .length = (uint32_t)shape->length,
			     .stride = (uint32_t)shape->stride_real),
	};
	const clpac__launch halve = {
		.items = {shape->length / 2 + 1, shape->rows, 1},
		CLPAC__STAGE(halve, .wide = &wide, .spectrum = output, .length = (uint32_t)shape->length,
			     .stride = (uint32_t)shape->stride_spectrum),
	};
	TRY(clpac__opencl_rows_part(rows, workspace, rows->wide_at, rows->wide_bytes, &wide.memory, err));
	TRY(clpac__opencl_launch(clpac__opencl_compute_of(&rows->queue->base), &widen, err));
	TRY(transform(fft, wide.memory, workspace, err));
	TRY(clpac__opencl_launch(clpac__opencl_compute_of(&rows->queue->base), &halve, err));
done:
	if (wide.memory)
		clReleaseMemObject(wide.memory);
	return st;
}

clpac_status clpac__opencl_rows_fit(const clpac__opencl_rows *rows, const clpac__block *input,
				    const clpac__block *output, size_t n_rows, clpac_error *err)
{
	const clpac__fft_shape *shape = &rows->shape;
	const size_t complex_bytes = 2 * sizeof(float);

	if (n_rows > shape->rows)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s: %zu rows are asked for and the transform was made for %zu",
			     rows->engine, n_rows, shape->rows);
	if (shape->direction == CLPAC__FFT_FORWARD) {
		RETURN_IF_ERROR(clpac__opencl_rows_need(
			rows, "input", input, ((shape->rows - 1) * shape->stride_real + shape->length) * sizeof(float),
			err));
		return clpac__opencl_rows_need(
			rows, "output", output,
			((shape->rows - 1) * shape->stride_spectrum + shape->length / 2 + 1) * complex_bytes, err);
	}
	RETURN_IF_ERROR(
		clpac__opencl_rows_need(rows, "input", input, shape->rows * shape->length * complex_bytes, err));
	if (output != input)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s: a transform of complex rows is in place, and two blocks are given", rows->engine);
	return CLPAC_OK;
}

clpac_status clpac__opencl_rows_run(const clpac__opencl_rows *rows, clpac__fft *fft, clpac__opencl_transform *transform,
				    clpac__block *input, clpac__block *output, clpac__block *workspace, size_t n_rows,
				    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (!n_rows)
		return st;
	RETURN_IF_ERROR(clpac__opencl_rows_fit(rows, input, output, n_rows, err));
	if (rows->workspace_bytes)
		RETURN_IF_ERROR(clpac__opencl_rows_need(rows, "workspace", workspace, rows->workspace_bytes, err));
	clpac__opencl_enter(rows->queue);
	st = rows->shape.direction == CLPAC__FFT_FORWARD
		     ? run_forward(rows, fft, transform, input, output, workspace, err)
		     : transform(fft, input->memory, workspace, err);
	clpac__opencl_leave(rows->queue);
	return st;
}
