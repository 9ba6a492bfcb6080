/* The transforms of the kernels themselves (cl/transform_rows.cl) as the engine of the native backend. */
#include "coupling/fft/lanes.h"

#include <limits.h>

#include "base/memory.h"
#include "memory/native/isa.h"
#include "memory/native/native.h"

/* Items of a launch: enough to balance the threads' load. */
enum { ITEMS_OF_THREAD = 4 };

struct clpac__fft {
	clpac__queue *queue;
	clpac__fft_shape shape;
	size_t n_items, table_at;
	clpac__compute *compute;
};

static const char *const direction_text[] = {[CLPAC__FFT_FORWARD] = "forward", [CLPAC__FFT_INVERSE] = "inverse"};

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
	if (!shape)
		return CLPAC_OK;
	if (shape->direction == CLPAC__FFT_WIDE)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "lanes: forward transforms of real rows are no complex ones here: take those");
	if (!shape->length)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "lanes: the length is 0: it must be 1 or more");
	if (shape->length > INT_MAX)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "lanes: length %zu is above %d, the longest it can transform", shape->length,
				   INT_MAX);
	if (!clpac__lanes_takes(shape->length))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "lanes: length %zu is no multiple of 16", shape->length);
	if (!shape->rows)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "lanes: 0 rows of length %zu: there must be 1 or more",
				   shape->length);
	if (shape->direction == CLPAC__FFT_FORWARD &&
	    (shape->stride_real < shape->length || shape->stride_spectrum < shape->length / 2 + 1))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "lanes: strides of %zu floats and %zu complex are too short for rows of length %zu",
				   shape->stride_real, shape->stride_spectrum, shape->length);
	return CLPAC_OK;
}

static clpac_status lanes_create(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out, clpac_error *err)
{
	clpac__compute *compute;
	clpac__fft *fft;
	RETURN_IF_ERROR(lanes_accepts(queue, shape, err));
	RETURN_IF_ERROR(clpac__compute_attach(queue, &clpac__compute_native, &compute, err));
	RETURN_IF_ERROR(NEW(fft));
	*fft = (clpac__fft){queue, *shape, items_of(queue, shape), 0, compute};
	*out = fft;
	return CLPAC_OK;
}

static size_t lanes_workspace_for(clpac__queue *queue, const clpac__fft_shape *shape)
{
	return clpac__lanes_planes_bytes(shape, items_of(queue, shape));
}

static size_t lanes_workspace_bytes(const clpac__fft *fft)
{
	return clpac__lanes_planes_bytes(&fft->shape, fft->n_items);
}

static size_t lanes_table_bytes(const clpac__fft *fft)
{
	return clpac__lanes_table_bytes(&fft->shape);
}

static clpac_status lanes_write_tables(clpac__fft *fft, clpac__block *workspace, size_t offset, clpac_error *err)
{
	fft->table_at = offset;
	return clpac__lanes_write_table(fft->queue, &fft->shape, workspace, offset, err);
}

/* Whether a block holds n rows of `length` floats, `stride` apart. */
static bool holds(const clpac__block *block, size_t n, size_t stride, size_t length)
{
	size_t floats, bytes;
	return !n || (clpac__size_mul(n - 1, stride, &floats) && clpac__size_add(floats, length, &floats) &&
		      clpac__size_mul(floats, sizeof(float), &bytes) && bytes <= clpac__native_bytes(block));
}

/* Floats of a row and from one to the next, of the input and of the output. */
typedef struct extents {
	size_t input_length, output_length, input_stride, output_stride;
} extents;

static extents extents_of(const clpac__fft_shape *shape)
{
	const size_t both = 2 * shape->length;
	if (shape->direction != CLPAC__FFT_FORWARD)
		return (extents){both, both, both, both};
	return (extents){shape->length, 2 * (shape->length / 2 + 1), shape->stride_real, 2 * shape->stride_spectrum};
}

static clpac_status check_blocks(const clpac__fft_shape *shape, const clpac__block *input, const clpac__block *output,
				 size_t n_rows, clpac_error *err)
{
	const extents of = extents_of(shape);
	const char *direction = direction_text[shape->direction];
	if (!input || !output)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "lanes %s: the %s is NULL", direction, input ? "output" : "input");
	if (shape->direction != CLPAC__FFT_FORWARD && input != output)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "lanes inverse: it works in place, but input and output differ");
	if (n_rows > shape->rows)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "lanes %s: %zu rows are asked for and the transform was made for %zu", direction, n_rows,
			     shape->rows);
	if (!holds(input, n_rows, of.input_stride, of.input_length) ||
	    !holds(output, n_rows, of.output_stride, of.output_length))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "lanes %s: blocks of %zu and %zu bytes are too small for %zu rows of length %zu",
			     direction, clpac__native_bytes(input), clpac__native_bytes(output), n_rows, shape->length);
	return CLPAC_OK;
}

static clpac_status lanes_run(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace,
			      size_t rows, clpac_error *err)
{
	const size_t needed = fft->table_at + lanes_table_bytes(fft),
		     given = workspace ? clpac__native_bytes(workspace) : 0;
	RETURN_IF_ERROR(check_blocks(&fft->shape, input, output, rows, err));
	if (!rows)
		return CLPAC_OK;
	if (given < needed)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "lanes: the workspace has %zu bytes and needs %zu", given,
				   needed);
	return clpac__lanes_launch(fft->compute, &fft->shape, fft->n_items, fft->table_at, input, output, workspace,
				   rows, err);
}

static clpac_status lanes_run_bands(clpac__fft *fft, const clpac__fft_bands *bands, clpac__block *workspace,
				    clpac_error *err)
{
	const size_t length = fft->shape.length, needed = fft->table_at + lanes_table_bytes(fft),
		     given = workspace ? clpac__native_bytes(workspace) : 0;
	size_t rows, n_responses;
	if (!clpac__size_mul(bands->n, bands->n_bands, &rows) ||
	    !clpac__size_add(bands->first_band, bands->n_bands, &n_responses))
		rows = n_responses = SIZE_MAX;
	RETURN_IF_ERROR(check_blocks(&fft->shape, bands->output, bands->output, rows, err));
	if (!rows)
		return CLPAC_OK;
	if (!bands->spectrum || !bands->response || !holds(bands->spectrum, bands->n, 2 * length, 2 * length) ||
	    !holds(bands->response, n_responses, length, length))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "lanes: no block of %zu spectra and %zu responses of length %zu",
			     bands->n, n_responses, length);
	if (given < needed)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "lanes: the workspace has %zu bytes and needs %zu", given,
				   needed);
	return clpac__lanes_launch_bands(fft->compute, &fft->shape, fft->n_items, fft->table_at, bands, workspace, err);
}

static void lanes_destroy(clpac__fft *fft)
{
	clpac__free(fft);
}

extern const clpac__fft_engine clpac__fft_lanes;
const clpac__fft_engine clpac__fft_lanes = {
	.name = "lanes",
	.backend = "native",
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
