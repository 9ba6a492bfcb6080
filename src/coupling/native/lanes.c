/* The transforms of the kernels themselves (cl/transform_rows.cl) as an engine of the native backend. */
#include "coupling/fft/lanes.h"

#include "base/memory.h"
#include "coupling/native/native_fft_rows.h"
#include "memory/native/isa.h"

/* Items of a launch: enough to balance the threads' load. */
enum { ITEMS_OF_THREAD = 4 };

struct clpac__fft {
	clpac__fft_rows rows;
	size_t n_items, table_at;
	clpac__compute *compute;
};

extern const clpac__compute_backend clpac__compute_native;

static size_t items_of(const clpac__queue *queue, const clpac__fft_shape *shape)
{
	const size_t most =
		(size_t)ITEMS_OF_THREAD * clpac__threads_count(clpac__native_threads((clpac__queue *)queue));
	return shape->rows < most ? shape->rows : most;
}

static clpac_status lanes_accepts(const clpac__queue *queue, const clpac__fft_shape *shape, clpac_error *err)
{
	(void)queue;
	RETURN_IF_ERROR(clpac__fft_rows_check("lanes", shape, true, err));
	if (shape && !clpac__lanes_takes(shape->length))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "lanes: length %zu is no multiple of 16", shape->length);
	return CLPAC_OK;
}

static clpac_status lanes_create(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out, clpac_error *err)
{
	clpac__compute *compute;
	clpac__fft *fft;
	RETURN_IF_ERROR(lanes_accepts(queue, shape, err));
	RETURN_IF_ERROR(clpac__compute_attach(queue, &clpac__compute_native, &compute, err));
	RETURN_IF_ERROR(NEW(fft));
	clpac__fft_rows_set(&fft->rows, "lanes", queue, shape);
	fft->n_items = items_of(queue, shape);
	fft->compute = compute;
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
	const size_t needed = fft->table_at + lanes_table_bytes(fft),
		     given = workspace ? clpac__native_bytes(workspace) : 0;
	RETURN_IF_ERROR(clpac__fft_rows_fit(&fft->rows, input, output, rows, err));
	if (!rows)
		return CLPAC_OK;
	if (given < needed)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "lanes: the workspace has %zu bytes and needs %zu", given,
				   needed);
	return clpac__lanes_launch(fft->compute, &fft->rows.shape, fft->n_items, fft->table_at, input, output,
				   workspace, rows, err);
}

static void lanes_destroy(clpac__fft *fft)
{
	clpac__free(fft);
}

extern const clpac__fft_engine clpac__fft_lanes;
const clpac__fft_engine clpac__fft_lanes = {
	.name = "lanes",
	.backend = "native",
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
	.destroy = lanes_destroy,
};
