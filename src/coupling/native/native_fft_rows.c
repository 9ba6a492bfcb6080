/* Divides the rows of a transform among threads.  A row is one chunk, so its numbers do not depend on the thread. */
#include "coupling/native/native_fft_rows.h"

#include <limits.h>
#include <stdatomic.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "coupling/stages/pulse.h"

static const char *const direction_text[] = {[CLPAC__FFT_FORWARD] = "forward", [CLPAC__FFT_INVERSE] = "inverse"};

clpac_status clpac__fft_rows_check(const char *engine, const clpac__fft_shape *shape, bool takes_odd, clpac_error *err)
{
	if (!shape)
		return CLPAC_OK;
	if (shape->direction == CLPAC__FFT_WIDE)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "%s: forward transforms of real rows are no complex ones here: take those", engine);
	if (!shape->length)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s: the length is 0: it must be 1 or more", engine);
	if (!takes_odd && shape->length % 2)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s: length %zu must be even", engine, shape->length);
	if (shape->length > INT_MAX)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "%s: length %zu is above %d, the longest it can transform", engine, shape->length,
				   INT_MAX);
	if (!shape->rows)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s: 0 rows of length %zu: there must be 1 or more",
				   engine, shape->length);
	if (shape->direction == CLPAC__FFT_FORWARD &&
	    (shape->stride_real < shape->length || shape->stride_spectrum < shape->length / 2 + 1))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "%s: strides of %zu floats and %zu complex are too short for rows of length %zu",
				   engine, shape->stride_real, shape->stride_spectrum, shape->length);
	return CLPAC_OK;
}

void clpac__fft_rows_set(clpac__fft_rows *rows, const char *engine, clpac__queue *queue, const clpac__fft_shape *shape)
{
	*rows = (clpac__fft_rows){engine, (clpac__native_queue *)queue, *shape};
}

typedef struct rows_job {
	clpac__fft *fft;
	clpac__fft_row *row;
	const float *input;
	float *output;
	size_t input_stride, output_stride; /* floats */
	const clpac_cancel *cancel;	    /* of the thread that runs; NULL: none */
	atomic_bool *is_cut;		    /* rows are missing, though the wish to end may have been taken back */
} rows_job;

static void run_row(void *context, size_t chunk, unsigned worker)
{
	const rows_job *job = context;
	if ((job->cancel && clpac_cancel_is_set(job->cancel)) || (worker == 0 && !clpac__pulse_beat(0)))
		atomic_store(job->is_cut, true);
	if (atomic_load_explicit(job->is_cut, memory_order_relaxed))
		return;
	job->row(job->fft, job->input + chunk * job->input_stride, job->output + chunk * job->output_stride, worker);
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

clpac_status clpac__fft_rows_fit(const clpac__fft_rows *rows, const clpac__block *input, const clpac__block *output,
				 size_t n_rows, clpac_error *err)
{
	const clpac__fft_shape *shape = &rows->shape;
	const extents of = extents_of(shape);
	const char *direction = direction_text[shape->direction];

	if (!input || !output)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s %s: the %s is NULL", rows->engine, direction,
			     input ? "output" : "input");
	if (shape->direction != CLPAC__FFT_FORWARD && input != output)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s inverse: it works in place, but input and output differ",
			     rows->engine);
	if (n_rows > shape->rows)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s %s: %zu rows are asked for and the transform was made for %zu",
			     rows->engine, direction, n_rows, shape->rows);
	if (!holds(input, n_rows, of.input_stride, of.input_length) ||
	    !holds(output, n_rows, of.output_stride, of.output_length))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s %s: blocks of %zu and %zu bytes are too small for %zu rows of length %zu",
			     rows->engine, direction, clpac__native_bytes(input), clpac__native_bytes(output), n_rows,
			     shape->length);
	return CLPAC_OK;
}

clpac_status clpac__fft_rows_run(const clpac__fft_rows *rows, clpac__fft *fft, clpac__fft_row *row, clpac__block *input,
				 clpac__block *output, size_t n_rows, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__fft_rows_fit(rows, input, output, n_rows, err));
	const extents of = extents_of(&rows->shape);
	atomic_bool is_cut = false;
	rows_job job = {fft,
			row,
			clpac__native_data(input),
			clpac__native_data(output),
			of.input_stride,
			of.output_stride,
			clpac_cancel_used(),
			&is_cut};
	clpac__threads_run(rows->queue->threads, n_rows, run_row, &job);
	return clpac__cancel_checked(atomic_load(&is_cut), err);
}
