/* The part that FFT engines of OpenCL devices share: it turns an engine's complex transforms in place into the two
 * transforms of coupling/fft/engine.h.
 *
 * A forward transform widens its real rows into the workspace (cl/widen.cl), transforms them there and copies half of
 * each spectrum out, so that no row is rounded by its neighbour.  The price is double work for one transform in about
 * twenty.  A wide transform is the one between the two copies.
 */
#ifndef CLPAC_COUPLING_OPENCL_OPENCL_FFT_ROWS_H
#define CLPAC_COUPLING_OPENCL_OPENCL_FFT_ROWS_H

#include "coupling/fft/engine.h"
#include "coupling/opencl/opencl_compute.h"

/* The common first member of every engine's transform. */
typedef struct clpac__opencl_rows {
	const char *engine;
	clpac__opencl_queue *queue;
	clpac__fft_shape shape;
	/* Parts of the workspace: the engine's own, then, for forward transforms, the widened rows. */
	size_t own_bytes, wide_at, wide_bytes;
	size_t workspace_bytes;
} clpac__opencl_rows;

/* Checks whether an engine, named for the error's text, can transform a shape; longest: its longest length. */
clpac_status clpac__opencl_rows_check(const char *engine, const clpac__queue *queue, const clpac__fft_shape *shape,
				      size_t longest, clpac_error *err);

/* Lays out the workspace; the engine itself needs own_bytes of it. */
void clpac__opencl_rows_divide(clpac__opencl_rows *rows, size_t own_bytes);

/* Enqueues the complex transform of all rows in `memory`, which lie there one after the other. */
typedef clpac_status clpac__opencl_transform(clpac__fft *fft, cl_mem memory, clpac__block *workspace, clpac_error *err);

/* Enqueues one transform, after checking that the blocks hold it.  Always transforms all rows of the shape, whatever
 * n_rows is. */
clpac_status clpac__opencl_rows_run(const clpac__opencl_rows *rows, clpac__fft *fft, clpac__opencl_transform *transform,
				    clpac__block *input, clpac__block *output, clpac__block *workspace, size_t n_rows,
				    clpac_error *err);

/* Makes a sub-buffer of the workspace; the caller releases it.  The driver keeps it until enqueued commands are
 * done. */
clpac_status clpac__opencl_rows_part(const clpac__opencl_rows *rows, const clpac__block *workspace, size_t offset,
				     size_t bytes, cl_mem *out, clpac_error *err);

#endif
