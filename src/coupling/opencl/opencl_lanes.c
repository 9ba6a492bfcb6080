/* The transforms of the kernels themselves (cl/transform_rows.cl) as an engine of OpenCL CPUs, whose kernels take
 * vectors of several floats: it compiles nothing for a length, and gives the bits of the native device. */
#include "coupling/fft/lanes.h"

#include <limits.h>

#include "base/memory.h"
#include "coupling/opencl/opencl_compute.h"

/* Items of a launch: enough to balance the cores' load. */
enum { ITEMS_OF_CORE = 4 };

struct clpac__fft {
	clpac__opencl_rows rows; /* without widened rows */
	size_t n_items, table_at;
};

static size_t items_of(const clpac__queue *queue, const clpac__fft_shape *shape)
{
	const size_t cores = queue->device.compute_units ? queue->device.compute_units : 1,
		     most = ITEMS_OF_CORE * cores;
	return shape->rows < most ? shape->rows : most;
}

static clpac_status lanes_accepts(const clpac__queue *queue, const clpac__fft_shape *shape, clpac_error *err)
{
	clpac__compute *compute;
	RETURN_IF_ERROR(clpac__compute_attach((clpac__queue *)queue, &clpac__compute_opencl, &compute, err));
	if (queue->device.kind != CLPAC_DEVICE_OPENCL_CPU || compute->vector_width == 1)
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
			     "lanes: the kernels of %s take vectors of one float: use vkfft or clfft",
			     queue->device.name);
	if (!shape)
		return CLPAC_OK;
	if (shape->direction == CLPAC__FFT_WIDE)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "lanes: forward transforms of real rows are no complex ones here: take those");
	RETURN_IF_ERROR(clpac__opencl_rows_check("lanes", queue, shape, INT_MAX, err));
	if (!clpac__lanes_takes(shape->length))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "lanes: length %zu is no multiple of 16", shape->length);
	return CLPAC_OK;
}

static clpac_status lanes_create(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out, clpac_error *err)
{
	clpac__fft *fft;
	RETURN_IF_ERROR(lanes_accepts(queue, shape, err));
	RETURN_IF_ERROR(NEW(fft));
	fft->rows = (clpac__opencl_rows){.engine = "lanes", .queue = clpac__opencl_of(queue), .shape = *shape};
	fft->n_items = items_of(queue, shape);
	*out = fft;
	return CLPAC_OK;
}

static size_t lanes_workspace_for(clpac__queue *queue, const clpac__fft_shape *shape)
{
	return clpac__lanes_planes_bytes(shape, items_of(queue, shape));
}

static size_t lanes_workspace_bytes(const clpac__fft *fft)
{
	return clpac__lanes_planes_bytes(&fft->rows.shape, fft->n_items);
}

static size_t lanes_table_bytes(const clpac__fft *fft)
{
	return clpac__lanes_table_bytes(&fft->rows.shape);
}

static clpac_status lanes_write_tables(clpac__fft *fft, clpac__block *workspace, size_t offset, clpac_error *err)
{
	fft->table_at = offset;
	return clpac__lanes_write_table(&fft->rows.queue->base, &fft->rows.shape, workspace, offset, err);
}

static clpac_status lanes_run(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace,
			      size_t rows, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__opencl_rows_fit(&fft->rows, input, output, rows, err));
	if (!rows)
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac__opencl_rows_need(&fft->rows, "workspace", workspace,
						fft->table_at + lanes_table_bytes(fft), err));
	return clpac__lanes_launch(clpac__compute_of(&fft->rows.queue->base), &fft->rows.shape, fft->n_items,
				   fft->table_at, input, output, workspace, rows, err);
}

static clpac_status lanes_run_bands(clpac__fft *fft, const clpac__fft_bands *bands, clpac__block *workspace,
				    clpac_error *err)
{
	const size_t length = fft->rows.shape.length;
	size_t rows, n_responses, bytes;
	if (!clpac__size_mul(bands->n, bands->n_bands, &rows))
		rows = SIZE_MAX;
	RETURN_IF_ERROR(clpac__opencl_rows_fit(&fft->rows, bands->output, bands->output, rows, err));
	if (!rows)
		return CLPAC_OK;
	if (!clpac__size_add(bands->first_band, bands->n_bands, &n_responses) ||
	    !clpac__size_mul(n_responses, length * sizeof(float), &bytes))
		bytes = SIZE_MAX;
	RETURN_IF_ERROR(clpac__opencl_rows_need(&fft->rows, "spectra's block", bands->spectrum,
						bands->n * length * 2 * sizeof(float), err));
	RETURN_IF_ERROR(clpac__opencl_rows_need(&fft->rows, "responses' block", bands->response, bytes, err));
	RETURN_IF_ERROR(clpac__opencl_rows_need(&fft->rows, "workspace", workspace,
						fft->table_at + lanes_table_bytes(fft), err));
	return clpac__lanes_launch_bands(clpac__compute_of(&fft->rows.queue->base), &fft->rows.shape, fft->n_items,
					 fft->table_at, bands, workspace, err);
}

static void lanes_destroy(clpac__fft *fft)
{
	clpac__free(fft);
}

extern const clpac__fft_engine clpac__fft_lanes_opencl;
const clpac__fft_engine clpac__fft_lanes_opencl = {
	.name = "lanes",
	.backend = "opencl",
	.completes = true,
	.next_length = clpac__lanes_next_length,
	.cost = clpac__lanes_cost,
	.accepts = lanes_accepts,
	.create = lanes_create,
	.workspace_bytes = lanes_workspace_bytes,
	.workspace_for = lanes_workspace_for,
	.table_bytes = lanes_table_bytes,
	.table_for = clpac__lanes_table_bytes,
	.write_tables = lanes_write_tables,
	.run = lanes_run,
	.run_bands = lanes_run_bands,
	.destroy = lanes_destroy,
};
