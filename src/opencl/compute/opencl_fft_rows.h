/* What the FFT engines of OpenCL devices share: complex transforms in place as the transforms of the contract.
 *
 * A forward transform widens its real rows into the workspace (cl/widen.cl), transforms them there and copies the half
 * that is wanted out, so that no row is rounded by its neighbour: twice the work for one transform in about twenty. */
#ifndef CLPAC_OPENCL_COMPUTE_OPENCL_FFT_ROWS_H
#define CLPAC_OPENCL_COMPUTE_OPENCL_FFT_ROWS_H

#include "fft/engine.h"
#include "opencl/compute/opencl_compute.h"

/* Begins every transform. */
typedef struct clpac__opencl_rows {
	const char *engine;
	clpac__opencl_queue *queue;
	clpac__fft_shape shape;
	/* Parts of the workspace: the engine's own, then, for forward transforms, the rows as complex ones. */
	size_t own_bytes, wide_at, wide_bytes;
	size_t workspace_bytes;
} clpac__opencl_rows;

/* Whether an engine can count what a shape has; the error's text names the engine.  longest: its longest transform. */
clpac_status clpac__opencl_rows_check(const char *engine, const clpac__queue *queue, const clpac__fft_shape *shape,
				      size_t longest, clpac_error *err);

/* Divides the workspace, of which the engine itself needs own_bytes. */
void clpac__opencl_rows_divide(clpac__opencl_rows *rows, size_t own_bytes);

/* Puts the complex transform of all rows in `memory`, one after the other there, into the queue. */
typedef clpac_status clpac__opencl_transform(clpac__fft *fft, cl_mem memory, clpac__block *workspace, clpac_error *err);

/* Puts one transform into the queue, after checking that the blocks hold it.  Bound to its batch: all rows of the shape
 * are transformed, whatever is asked for. */
clpac_status clpac__opencl_rows_run(const clpac__opencl_rows *rows, clpac__fft *fft, clpac__opencl_transform *transform,
				    clpac__block *input, clpac__block *output, clpac__block *workspace, size_t n_rows,
				    clpac_error *err);

/* A part of a workspace as the driver's own object.  The driver keeps it until what was put into the queue is over. */
clpac_status clpac__opencl_rows_part(const clpac__opencl_rows *rows, const clpac__block *workspace, size_t offset,
				     size_t bytes, cl_mem *out, clpac_error *err);

#endif
